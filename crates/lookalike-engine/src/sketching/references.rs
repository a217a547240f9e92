//! Reference documents: the first in keep order, kept by definition, and not compared with each other.

use lookalike::{Cluster, Method, Verify, verify::Measure};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, Words},
    words,
};

use crate::config::RunConfig;

/// Which documents are references, and what is compared with them. None are, and all is compared, by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct References {
    /// How many there are: the documents below this number, which are the ranks below it too.
    pub(crate) documents: u64,
    /// No two other documents are compared.
    pub(crate) only: bool,
    /// A document goes for one that it contains, not for one that contains it.
    pub(crate) held: bool,
    /// References are compared with each other too: a pair of them says how others are alike that are one's copies.
    pub(crate) among: bool,
}

impl References {
    /// Refuses what has no meaning with references, or without.
    pub(crate) fn check(config: &RunConfig, method: &Method) -> Result<()> {
        let goes_with = |what: Words, with: Words, advice: Words| {
            Err(Error::new(ErrorKind::Config, words![what, " goes with ", with]).instead(advice))
        };
        let RunConfig { against_only, drop_holders, keep, .. } = config;
        if !config.has_references() {
            return match (against_only, drop_holders) {
                (true, _) => {
                    let advice = "name what is to be compared with".into();
                    goes_with(Setting::AgainstOnly.into(), Setting::Against.into(), advice)
                }
                (_, true) => {
                    let advice = "name what documents must not contain".into();
                    goes_with(Setting::DropHolders.into(), Setting::Against.into(), advice)
                }
                _ => Ok(()),
            };
        }
        if method.config().cluster != Cluster::Law {
            let why = "references are kept whatever they are like, and a group that is made by chains may have several of them; \
                       leave out ";
            return goes_with(Setting::Against.into(), (Setting::Cluster, "law").into(), words![why, Setting::Cluster]);
        }
        if *against_only && keep.is_some() {
            let what = words![
                Setting::Keep,
                " says which of the inputs' documents stays, and ",
                Setting::AgainstOnly,
                " compares no two"
            ];
            return Err(Error::new(ErrorKind::Config, what).instead("leave out one of both"));
        }
        if *drop_holders && (method.config().measure != Measure::Containment || method.verify() != Verify::Exact) {
            let with = words![(Setting::Measure, "containment"), ", counted exactly"];
            return goes_with(Setting::DropHolders.into(), with, words!["give both, and leave out ", Setting::Verify]);
        }
        Ok(())
    }

    /// Whether a document is a reference, by whichever of its numbers: references come first in all.
    pub(crate) fn contains(&self, document: impl Into<u64>) -> bool {
        document.into() < self.documents
    }

    /// Whether a document may stand for others: it is a reference, or documents are compared with each other.
    pub(crate) fn may_stand(&self, document: impl Into<u64>) -> bool {
        !self.only || self.contains(document)
    }

    /// Whether two documents are compared, by the same kind of their numbers.
    pub(crate) fn compared<N: Into<u64>>(&self, a: N, b: N) -> bool {
        let (a, b) = (a.into(), b.into());
        self.may_stand(a.min(b)) && (self.among || !self.contains(a.max(b)))
    }

    /// Of some ascending ranks those that one of them is compared with: some behind it, and some before it.
    pub(crate) fn compared_with<'a>(&self, at: usize, ranks: &'a [u64]) -> (&'a [u64], &'a [u64]) {
        let others = ranks.partition_point(|&rank| self.contains(rank));
        match (at < others, self.only) {
            (true, _) if !self.among => (&ranks[others..], &[]),
            (false, true) => (&[], &ranks[..others]),
            _ => (&ranks[at + 1..], &ranks[..at]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_compared_with_others_only() {
        let ranks = [0, 3, 4, 7, 9];
        for [only, among] in [[false, false], [false, true], [true, false], [true, true]] {
            for documents in [0, 4, 5, 20] {
                let references = References { documents, only, held: false, among };
                for at in 0..ranks.len() {
                    let (behind, before) = references.compared_with(at, &ranks);
                    let mut found: Vec<u64> = [before, behind].concat();
                    found.sort_unstable();
                    let expected = |&other: &u64| {
                        let are = [ranks[at], other].map(|rank| rank < documents);
                        let compared = if are[0] == are[1] { if are[0] { among } else { !only } } else { true };
                        other != ranks[at] && compared
                    };
                    assert_eq!(found, ranks.into_iter().filter(expected).collect::<Vec<_>>(), "{references:?} {at}");
                    let compared = |&other: &u64| other != ranks[at] && references.compared(ranks[at], other);
                    assert_eq!(found, ranks.into_iter().filter(compared).collect::<Vec<_>>(), "{references:?} {at}");
                }
            }
        }
    }
}
