//! Two collections of pages → which site of the one mirrors which of the other, and which page stands for which.
//!
//! Mirrored pages are quite alike but seldom the same: each host puts its own name, links and dates on them (*Mining of Massive
//! Datasets*, section 3.1.2; Broder et al., *Syntactic clustering of the Web*, section 1). So a site is taken for another's mirror
//! by the share of its pages that have a match there, counted in both directions ([`Mirrors::site_pairs`]), and pages are put in
//! pairs one to one ([`Mirrors::counterparts`]): where all pages of a template are alike, each still has one counterpart.
//!
//! Pages come in *groups* of equal ones, and it is groups that match: a page that a thousand hosts have is one group.
//!
//! ```
//! use lookalike_applications::mirrors::{Likes, Mirrors, Page, ShareOf, Side};
//!
//! // Site 0 of the one has three pages, site 0 of the other two; the groups 0 and 1 resemble each other by 0.9.
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

mod site_pairs;

#[cfg(test)]
mod twin;

pub use counterparts::Counterpart;
pub use likes::Likes;
pub use side::{Page, Side};
pub use site_pairs::{ShareOf, SitePair, SitePairs};

/// Two collections' pages, and which of their groups match; or one collection's, whose sites are compared with each other.
#[derive(Debug)]
pub struct Mirrors {
    a: Side,
    b: Option<Side>,
    likes: Likes,
}

impl Mirrors {
    /// Without `b`, sites of `a` are compared with each other: the one with the smaller number is `a` of a pair.
    pub fn new(a: Side, b: Option<Side>, likes: Likes) -> Self {
        Self { a, b, likes }
    }

    /// The first collection.
    pub fn a(&self) -> &Side {
        &self.a
    }

    /// The second, which is the first again where there is but one.
    pub fn b(&self) -> &Side {
        self.b.as_ref().unwrap_or(&self.a)
    }

    fn within(&self) -> bool {
        self.b.is_none()
    }
}
