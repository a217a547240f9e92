//! Finds all matches between first copies (the first of several identical documents). The matches come from candidates or, if no
//! match may be missed, from a join of all sets. Lists of pairs and of mirrors are made from these matches. There may be
//! many more matches than documents, so each collector spills them or holds only some.

use lookalike::{
    Method, Verify,
    verify::{Figures, Measure},
};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::Source,
    spill::places::Places,
};
use rayon::ThreadPool;
use serde::Serialize;

use super::{candidate_pairs::CandidatePairs, components::likenesses};
use crate::{
    config::{Observer, RunConfig},
    matching::{
        Likeness, Matcher,
        finding::Finding,
        sets::{self, Pass, Sets},
    },
    pairing::Pairing,
    sketching::table::Table,
};

/// How similar the two documents of a pair are. Which figures are available depends on what counts as similar ([`Verify`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum PairFigures {
    /// The shared elements of both sets were counted.
    Counted(Figures),
    /// The sketches' estimate of resemblance.
    Resemblance {
        /// An estimate of |A ∩ B| / |A ∪ B|. It is 1 if the sketches show only whether a pair is a candidate.
        resemblance: f64,
    },
    /// The sketches' estimates of containment.
    Containment {
        /// An estimate of |A ∩ B| / |A|.
        containment_ab: f64,
        /// An estimate of |A ∩ B| / |B|.
        containment_ba: f64,
    },
    /// The pair was not measured.
    Unknown {},
}

impl PairFigures {
    pub(crate) fn estimated(measure: Measure, ab: f64, ba: f64) -> Self {
        match measure {
            Measure::Resemblance => Self::Resemblance { resemblance: ab },
            Measure::Containment => Self::Containment {
                containment_ab: ab,
                containment_ba: ba,
            },
        }
    }

    /// Returns the figures with A and B swapped.
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Counted(f) => {
                let (containment_ab, containment_ba) = (f.containment_ba, f.containment_ab);
                Self::Counted(Figures {
                    containment_ab,
                    containment_ba,
                    size_a: f.size_b,
                    size_b: f.size_a,
                    ..f
                })
            }
            Self::Containment {
                containment_ab,
                containment_ba,
            } => Self::Containment {
                containment_ab: containment_ba,
                containment_ba: containment_ab,
            },
            Self::Resemblance { .. } | Self::Unknown {} => self,
        }
    }

    /// Returns the similarity that the threshold applies to; NaN if it was not measured. Containment has a direction, and the larger
    /// of the two figures reaches the threshold.
    pub(crate) fn similarity(self, measure: Measure) -> f64 {
        match (self, measure) {
            (Self::Counted(figures), Measure::Resemblance) => figures.resemblance,
            (Self::Resemblance { resemblance }, _) => resemblance,
            (
                Self::Counted(Figures {
                    containment_ab: ab,
                    containment_ba: ba,
                    ..
                })
                | Self::Containment {
                    containment_ab: ab,
                    containment_ba: ba,
                },
                _,
            ) => ab.max(ba),
            (Self::Unknown {}, _) => f64::NAN,
        }
    }
}

/// A collector of the matches between first copies. The two first copies of a match are given by their numbers. Each match is
/// passed to the collector once.
pub(crate) trait Matches {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) -> Result<()>;
}

/// The result of pairing and verifying: all matches, and the data with which they were found.
pub(crate) struct Verified<M> {
    pub(crate) pairing: Pairing,
    /// The shingle sets of the contenders (the documents that have to be compared). For contenders that match, and for contenders
    /// with copies, at least the sizes of the sets are known.
    pub(crate) sets: Sets,
    pub(crate) matches: M,
    pub(crate) finding: Finding,
}

/// The class of each contender (such as the site of a page), by number. A contender is compared only with contenders of a
/// different class; a contender of class [`ANY`] is compared with all.
pub(crate) type Classes = Vec<u32>;

/// The class of a contender whose copies are in several classes.
pub(crate) const ANY: u32 = u32::MAX;

/// Pairs and verifies the sketched documents. Pairs that the rules for references (`table.references`) exclude are not examined,
/// and neither are pairs of documents in the same class. `classes` returns the classes of the contenders, if there are any, and may
/// remove candidate pairs. Matches go to the collector that `into` makes.
pub(crate) fn verified<M: Matches>(
    (config, method): (&RunConfig, &Method),
    source: &Source,
    table: &mut Table,
    pool: &ThreadPool,
    classes: impl FnOnce(&Pairing, &mut CandidatePairs) -> Result<Option<Classes>>,
    into: impl FnOnce(&Pairing) -> Result<M>,
    observer: Observer,
) -> Result<Verified<M>> {
    if method.config().min_containment.is_some() {
        let what = "$min_containment works only for dropping documents, not for listing pairs";
        return Err(Error::new(ErrorKind::Config, what).advise("leave it out"));
    }
    let mut pairing = Pairing::new(table, pool)?;
    // A text and its copy are a pair, and a text's size is reported with its pairs. So the size is needed even if no other
    // document is similar to the text.
    let copied = Places::none(table.documents);
    pairing
        .copies
        .iter()
        .for_each(|&(_, first_copy)| copied.insert(first_copy.0));
    let (candidate_pairs, counted) =
        CandidatePairs::new(method, table, &mut pairing, Some(&copied), pool, observer)?;
    let pass = Pass {
        config,
        method,
        source,
        table,
        pool,
        observer,
    };
    let mut sets = sets::of_contenders(pass, &pairing)?;
    let mut candidate_pairs = candidate_pairs.join(method, &pairing, &sets)?;
    let matcher = Matcher::new(method, &table.samples, &pairing)
        .apart(classes(&pairing, &mut candidate_pairs)?);
    let mut matches = into(&pairing)?;
    let joining =
        candidate_pairs.joining(config.crowd, &matcher, &mut sets, &table.budget, pool)?;
    candidate_pairs.each_candidate_pair(joining.as_ref(), &matcher, &sets, pool, &mut |batch| {
        for (&(a, b), likeness) in batch.iter().zip(likenesses(batch, &matcher, &sets, pool)?) {
            if let Some(likeness) = likeness {
                matches.take(a, b, figures(a, b, likeness, &matcher)?)?;
            }
        }
        Ok(())
    })?;
    let mut finding = Finding::new(method);
    finding.count(&counted, &matcher, table, config);
    Ok(Verified {
        pairing,
        sets,
        matches,
        finding,
    })
}

/// Returns the figures that are shown for a matching pair.
fn figures(a: u32, b: u32, likeness: Likeness, matcher: &Matcher) -> Result<PairFigures> {
    Ok(match (likeness.overlap, matcher.method.verify()) {
        (Some(overlap), _) => PairFigures::Counted(overlap.into()),
        (None, Verify::Sketch) if matcher.method.estimates() => PairFigures::estimated(
            matcher.method.config().measure,
            matcher.estimate(a, b)?,
            matcher.estimate(b, a)?,
        ),
        (None, _) => PairFigures::Unknown {},
    })
}
