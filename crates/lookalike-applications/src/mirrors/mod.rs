//! Finds, for two collections of pages, which sites mirror each other and which pages correspond.
//!
//! Mirrored pages are quite similar but seldom identical: each host adds its own name, links and dates (*Mining of Massive
//! Datasets*, section 3.1.2; Broder et al., *Syntactic clustering of the Web*, section 1). So a site counts as a mirror of
//! another if a large enough share of its pages has a match on the other site, and the share is measured in both directions
//! ([`Mirrors::site_pairs`]). Pages are then paired one to one ([`Mirrors::counterparts`]): even if all pages of a template are
//! similar, each has at most one counterpart. Pages that changed so much that they match no longer are paired in a second round
//! ([`second_round`]). Pairs of consecutive crawls make histories of pages ([`Histories`]).
//!
//! Equal pages form a *group*, and matches are found between groups: a page that occurs on a thousand hosts is one group.
//!
//! ```
//! use lookalike_applications::mirrors::{Likes, Mirrors, Page, ShareOf, Side};
//!
//! // Site 0 of the first collection has three pages, site 0 of the second has two; groups 0 and 1 have resemblance 0.9.
//! let page = |group, page, path| Page { group, site: 0, page, path };
//! let old = Side::new(3, vec![page(0, 0, 7), page(2, 1, 8)], vec![3]);
//! let new = Side::new(3, vec![page(1, 0, 7), page(2, 1, 9)], vec![2]);
//! let mirrors = Mirrors::new(old, Some(new), Likes::new(3, &[(0, 1, 0.9)]));
//! let pairs = mirrors.site_pairs(0.5, ShareOf::Both, None);
//! let best = pairs.iter().next().unwrap();
//! assert_eq!((best.share_a(), best.share_b()), (2.0 / 3.0, 1.0));
//! let counterparts = mirrors.counterparts(0, 0);
//! assert_eq!((counterparts[0].a, counterparts[0].b, counterparts[0].same_path), (0, 0, true));
//! assert_eq!((counterparts[1].a, counterparts[1].b, counterparts[1].same_path), (1, 1, false));
//! ```

mod likes;

mod side;

mod counterparts;

mod remaining;

mod similar_pages;

mod second_round;

mod histories;

mod site_pairs;

#[cfg(test)]
mod twin;

pub use counterparts::{Counterpart, Evidence};
pub use histories::{Event, Happened, Histories};
pub use likes::Likes;
pub use remaining::{COMMON, Remaining, ShingleSets};
pub use second_round::second_round;
pub use side::{Page, Side};
pub use site_pairs::{ShareOf, SitePair, SitePairs};

/// The pages of two collections, and the matches between their groups. If there is only one collection, its sites are compared
/// with each other.
#[derive(Debug)]
pub struct Mirrors {
    a: Side,
    b: Option<Side>,
    likes: Likes,
}

impl Mirrors {
    /// Creates the comparison of two collections. Without `b`, the sites of `a` are compared with each other, and the first site
    /// of each pair is the one with the smaller number.
    pub fn new(a: Side, b: Option<Side>, likes: Likes) -> Self {
        Self { a, b, likes }
    }

    /// Returns the first collection.
    pub fn a(&self) -> &Side {
        &self.a
    }

    /// Returns the second collection, or the first if it is the only one.
    pub fn b(&self) -> &Side {
        self.b.as_ref().unwrap_or(&self.a)
    }

    /// Returns the matches, for the comparison of other collections.
    pub fn into_likes(self) -> Likes {
        self.likes
    }

    fn within(&self) -> bool {
        self.b.is_none()
    }
}
