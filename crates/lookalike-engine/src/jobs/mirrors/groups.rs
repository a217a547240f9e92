//! Groups of equal pages, and the matches between the groups.

use std::ops::Range;

use lookalike_applications::mirrors::{Likes, Page, Side};
use lookalike_io::error::{Error, ErrorKind, Result};

use super::{sites::Sites, textless::Textless};
use crate::{
    deciding::all_matches::{ANY, Classes, Matches, PairFigures},
    numbers::{Contender, Document},
    pairing::Pairing,
    sketching::table::Table,
};

/// All matches, each with its resemblance.
pub(super) type AllMatches = Vec<(u32, u32, f64)>;

impl Matches for AllMatches {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) -> Result<()> {
        let resemblance = match figures {
            PairFigures::Counted(figures) => figures.resemblance,
            PairFigures::Resemblance { resemblance } => resemblance,
            PairFigures::Containment { .. } | PairFigures::Unknown {} => 0.0,
        };
        self.push((a, b, resemblance));
        Ok(())
    }
}

/// Returns the class of each contender (a page that has to be compared). The class of a contender is its site or, if there are
/// several collections, its collection. Contenders of the same class are not compared; a contender that has a copy in another
/// class is compared with all others.
pub(super) fn classes(pairing: &Pairing, class: impl Fn(Document) -> u32) -> Result<Classes> {
    let mut classes: Classes = (0..pairing.numbers()?)
        .map(|number| class(pairing.document(Contender(number))))
        .collect();
    for (copy, first_copy) in pairing.copies_of_contenders() {
        let of_first_copy = &mut classes[first_copy.index()];
        if *of_first_copy != class(pairing.order.document(copy)) {
            *of_first_copy = ANY;
        }
    }
    Ok(classes)
}

/// The groups of equal pages that match other groups or have several pages. A group is a contender with its copies, or consists of
/// pages without text that are equal in their bytes and path.
pub(super) struct Groups<'a> {
    sites: &'a Sites,
    table: &'a Table,
    pairing: &'a Pairing,
    textless: &'a Textless,
    /// The number of contenders, which are the first groups.
    numbers: u32,
    /// The number of groups.
    count: u32,
    /// Which contenders match others or have copies.
    in_question: Vec<bool>,
}

impl<'a> Groups<'a> {
    /// Returns the groups, given the matches between contenders.
    ///
    /// # Errors
    /// Fails if there are more than 2³² - 1 groups.
    pub(super) fn new(
        (sites, table): (&'a Sites, &'a Table),
        pairing: &'a Pairing,
        matches: &AllMatches,
        textless: &'a Textless,
    ) -> Result<Self> {
        let numbers = pairing.numbers()?;
        let count = numbers.checked_add(textless.groups).ok_or_else(|| {
            Error::new(
                ErrorKind::Input,
                "there are more than 4,294,967,295 groups of equal pages",
            )
            .advise("compare parts of the collections")
        })?;
        let mut in_question = vec![false; numbers as usize];
        matches.iter().for_each(|&(a, b, _)| {
            [a, b]
                .into_iter()
                .for_each(|number| in_question[number as usize] = true)
        });
        pairing
            .copies_of_contenders()
            .for_each(|(_, first_copy)| in_question[first_copy.index()] = true);
        Ok(Self {
            sites,
            table,
            pairing,
            textless,
            numbers,
            count,
            in_question,
        })
    }

    /// Returns the matches between groups.
    pub(super) fn likes(&self, matches: &AllMatches) -> Likes {
        Likes::new(self.count, matches)
    }

    /// Returns a collection, given its documents.
    pub(super) fn side(&self, documents: Range<u64>) -> Side {
        let Self {
            sites,
            table,
            pairing,
            textless,
            ..
        } = self;
        let (mut pages, mut counts) = (Vec::new(), vec![0; sites.names.len()]);
        for page in documents.clone() {
            let site = sites.of[page as usize];
            counts[site as usize] += 1;
            let rank = pairing.order.rank(Document(page));
            let group = pairing.number(pairing.first_copy(rank).unwrap_or(rank));
            if let Some(group) = group.filter(|group| self.in_question[group.index()]) {
                pages.push(Page {
                    group: group.0,
                    site,
                    page,
                    path: sites.paths[page as usize],
                });
            }
        }
        let of_side = textless
            .alike
            .iter()
            .filter(|(page, _)| documents.contains(page));
        pages.extend(of_side.map(|&(page, group)| Page {
            group: self.numbers + group,
            site: sites.of[page as usize],
            page,
            path: sites.paths[page as usize],
        }));
        table.budget.hold(size_of_val(&*pages));
        Side::new(self.count, pages, counts)
    }
}
