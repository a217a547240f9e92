//! The second round: pairs the pages of mirrored sites that have no counterpart, by lower similarity and by path.
//!
//! The shingle sets of the first round are only those of pages with candidates, so the sets of the remaining pages are made in a
//! pass of their own.

use std::sync::Arc;

use lookalike_applications::mirrors::{Counterpart, Remaining, ShingleSets, second_round};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    spill::Budget,
};

use super::sites::Sites;
use crate::matching::sets::{self, Pass, Sets};

/// The lowest similarity of the second round, unless the user chooses another. Pages of one site with less in common are often two
/// different pages that have only the template of the site in common.
pub const CHANGED: f64 = 0.3;

/// The shingle sets of pages that have no counterpart. They can be spilled.
pub(super) struct RemainingPages {
    /// The pages, sorted.
    pages: Vec<u64>,
    sets: Sets,
    least: f64,
    budget: Arc<Budget>,
}

/// The memory that the second round takes for each shingle of the second site and for each page of the first one, in bytes.
const FOR_SHINGLE: usize = 16;
const FOR_PAGE: usize = 400;

impl RemainingPages {
    /// Makes the sets of these pages, in a pass over the input. Pages may be repeated.
    ///
    /// # Errors
    /// Fails if the input cannot be read, or if there are more than 2³² - 1 pages.
    pub(super) fn load(pass: Pass, mut pages: Vec<u64>, least: f64) -> Result<Self> {
        pages.sort_unstable();
        pages.dedup();
        let count = u32::try_from(pages.len()).map_err(|_| {
            let what = "there are more than 4,294,967,295 pages without a counterpart";
            Error::new(ErrorKind::Input, what).advise("compare parts of the collections")
        })?;
        pass.table.budget.hold(size_of_val(&*pages));
        let number = |page: u64| pages.binary_search(&page).ok().map(|number| number as u32);
        let sets = sets::load(pass, count, number)?;
        Ok(Self {
            pages,
            sets,
            least,
            budget: pass.table.budget.clone(),
        })
    }

    /// Pairs the remaining pages of two sites. Both lists of pages are sorted. The sets are spilled if this needs their memory.
    pub(super) fn pair(&mut self, sites: &Sites, a: &[u64], b: &[u64]) -> Result<Vec<Counterpart>> {
        if a.is_empty() || b.is_empty() {
            return Ok(Vec::new());
        }
        let of = |pages: &[u64]| -> Vec<Remaining> {
            pages
                .iter()
                .map(|&page| Remaining {
                    page,
                    path: sites.paths[page as usize],
                })
                .collect()
        };
        let shingles = b
            .iter()
            .filter_map(|&page| self.number(page))
            .map(|number| self.sets.len(number))
            .sum::<usize>();
        let bytes = FOR_SHINGLE * shingles + FOR_PAGE * a.len();
        self.budget.hold(bytes);
        self.sets.make_room()?;
        let found = second_round(&of(a), &of(b), self, self.least);
        self.budget.release(bytes);
        found
    }

    fn number(&self, page: u64) -> Option<u32> {
        self.pages
            .binary_search(&page)
            .ok()
            .map(|number| number as u32)
    }
}

impl ShingleSets for RemainingPages {
    type Error = Error;

    fn set<'a>(&'a self, page: u64, scratch: &'a mut Vec<u64>) -> Result<&'a [u64]> {
        self.number(page)
            .map_or(Ok(&[]), |number| self.sets.get(number, scratch))
    }
}

/// Checks the lowest similarity of the second round.
///
/// # Errors
/// Fails if it is not a similarity.
pub(super) fn check(least: f64) -> Result<()> {
    if least > 0.0 && least <= 1.0 {
        return Ok(());
    }
    let what = lookalike_io::words![
        "$changed",
        format!(" must be above 0 and at most 1, got {least}")
    ];
    Err(Error::new(ErrorKind::Config, what).advise("for example 0.3"))
}
