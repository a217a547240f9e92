//! Defines reference documents. They come first in keep order (the order in which documents are considered), are always kept, and
//! are not compared with each other unless a command lists pairs or mirrors.

use lookalike::{Cluster, Method, Verify, verify::Measure};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, Words},
    words,
};

use crate::config::RunConfig;

/// Which documents are references, and what is compared with them. By default there are no references, and all documents are
/// compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct References {
    /// The number of references. References are the documents whose numbers are below this; their ranks are also below this.
    pub(crate) documents: u64,
    /// Whether documents are compared only with references, and not with each other.
    pub(crate) only: bool,
    /// Whether documents that contain a reference are dropped. If so, documents that are contained in a reference are not
    /// dropped.
    pub(crate) held: bool,
    /// Whether references are also compared with each other. Commands that list pairs need this: if an input document is a copy
    /// of a reference, its similarity to another reference is found by comparing the two references.
    pub(crate) among: bool,
}

impl References {
    /// Returns an error if an option has no meaning with references, or if there are no references and an option has no meaning
    /// without them.
    pub(crate) fn check(config: &RunConfig, method: &Method, references: bool) -> Result<()> {
        let goes_with = |what: Words, with: Words, advice: Words| {
            Err(
                Error::new(ErrorKind::Config, words![what, " only works with ", with])
                    .advise(advice),
            )
        };
        let RunConfig {
            against_only,
            drop_holders,
            keep,
            ..
        } = config;
        if !references {
            let (what, advice) = match (against_only, drop_holders) {
                (true, _) => ("against_only", "name the references to compare with"),
                (_, true) => (
                    "drop_holders",
                    "name the references that documents must not contain",
                ),
                _ => return Ok(()),
            };
            return goes_with(
                Setting(what).into(),
                Setting("against").into(),
                advice.into(),
            );
        }
        if method.config().cluster != Cluster::Law {
            let why = "references are always kept, and a group of chained matches may contain several of them, so leave out ";
            return goes_with(
                Setting("against").into(),
                (Setting("cluster"), "law").into(),
                words![why, "$cluster"],
            );
        }
        if *against_only && keep.is_some() {
            let what = "$keep chooses which of several similar documents is kept, but $against_only does not compare inputs with each other";
            return Err(Error::new(ErrorKind::Config, what).advise("leave out one of the two"));
        }
        if *drop_holders
            && (method.config().measure != Measure::Containment || method.verify() != Verify::Exact)
        {
            let with = words!["$measure=containment and exact verification"];
            return goes_with(
                Setting("drop_holders").into(),
                with,
                words!["give both, and leave out $verify"],
            );
        }
        Ok(())
    }

    /// Returns the first documents as references, with the usual rules.
    pub(crate) fn of(documents: u64) -> Self {
        Self {
            documents,
            ..Self::default()
        }
    }

    /// Returns whether a document is a reference. `document` can be its position in the input, its rank or its contender number,
    /// because references come first in all of these numberings.
    pub(crate) fn contains(&self, document: impl Into<u64>) -> bool {
        document.into() < self.documents
    }

    /// Returns whether a document may be a representative: it is a reference, or documents are compared with each other.
    pub(crate) fn may_represent(&self, document: impl Into<u64>) -> bool {
        !self.only || self.contains(document)
    }

    /// Returns whether two documents are compared. `a` and `b` must be numbers of the same kind, such as two ranks.
    pub(crate) fn compared<N: Into<u64>>(&self, a: N, b: N) -> bool {
        let (a, b) = (a.into(), b.into());
        self.may_represent(a.min(b)) && (self.among || !self.contains(a.max(b)))
    }

    /// Returns which of these ascending ranks are compared with the rank at index `at`. The result is two slices: the compared
    /// ranks that come after that rank, and those that come before it.
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
                let references = References {
                    documents,
                    only,
                    held: false,
                    among,
                };
                for at in 0..ranks.len() {
                    let (after, before) = references.compared_with(at, &ranks);
                    let mut found: Vec<u64> = [before, after].concat();
                    found.sort_unstable();
                    let expected = |&other: &u64| {
                        let are = [ranks[at], other].map(|rank| rank < documents);
                        let compared = if are[0] == are[1] {
                            if are[0] { among } else { !only }
                        } else {
                            true
                        };
                        other != ranks[at] && compared
                    };
                    assert_eq!(
                        found,
                        ranks.into_iter().filter(expected).collect::<Vec<_>>(),
                        "{references:?} {at}"
                    );
                    let compared =
                        |&other: &u64| other != ranks[at] && references.compared(ranks[at], other);
                    assert_eq!(
                        found,
                        ranks.into_iter().filter(compared).collect::<Vec<_>>(),
                        "{references:?} {at}"
                    );
                }
            }
        }
    }
}
