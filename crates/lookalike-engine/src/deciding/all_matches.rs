//! All matches of leaders, from candidates or, exactly, from an all-pairs join: what lists of pairs and mirrors are made of.

use lookalike::{
    Method, Verify,
    verify::{Figures, Measure},
};
use lookalike_io::{error::Result, read::Source, spill::places::Places};
use rayon::ThreadPool;
use serde::Serialize;

use super::{candidate_pairs::Meetings, components::likenesses};
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

/// What is known of a pair's likeness, by what counts as similar ([`Verify`]).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum PairFigures {
    /// Both sets were counted.
    Counted(Figures),
    /// The sketches' estimate of resemblance.
    Resemblance {
        /// |A ∩ B| / |A ∪ B|, about; 1 where the sketches only say candidate or not.
        resemblance: f64,
    },
    /// The sketches' estimates of containment.
    Containment {
        /// |A ∩ B| / |A|, about.
        containment_ab: f64,
        /// |A ∩ B| / |B|, about.
        containment_ba: f64,
    },
    /// Nobody looked.
    Unknown {},
}

impl PairFigures {
    pub(crate) fn estimated(measure: Measure, ab: f64, ba: f64) -> Self {
        match measure {
            Measure::Resemblance => Self::Resemblance { resemblance: ab },
            Measure::Containment => Self::Containment { containment_ab: ab, containment_ba: ba },
        }
    }

    /// The same pair seen from its other document.
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Counted(f) => {
                let (containment_ab, containment_ba) = (f.containment_ba, f.containment_ab);
                Self::Counted(Figures { containment_ab, containment_ba, size_a: f.size_b, size_b: f.size_a, ..f })
            }
            Self::Containment { containment_ab, containment_ba } => {
                Self::Containment { containment_ab: containment_ba, containment_ba: containment_ab }
            }
            Self::Resemblance { .. } | Self::Unknown {} => self,
        }
    }
}

/// Where matches of leaders, by number, go: each pair once.
pub(crate) trait Matches {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures);
}

/// All of them.
pub(crate) type AllMatches = Vec<(u32, u32, PairFigures)>;

impl Matches for AllMatches {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) {
        self.push((a, b, figures));
    }
}

/// Who matches whom.
pub(crate) struct Verified<M> {
    pub(crate) pairing: Pairing,
    /// The contenders' sets; of those that match and of the leaders of copies at least the sizes are known.
    pub(crate) sets: Sets,
    pub(crate) matches: M,
    pub(crate) finding: Finding,
}

/// Contenders that are compared with those of other classes only, by number; [`ANY`] with all.
pub(crate) type Classes = Vec<u32>;

/// A contender whose copies are of several classes.
pub(crate) const ANY: u32 = u32::MAX;

/// Pairs and verifies what was sketched. Of pairs that the table's references allow those are looked at that are not in one of
/// the classes that `classes` gives for the contenders, if it gives any. Matches go to what `into` makes.
pub(crate) fn verified<M: Matches>(
    (config, method): (&RunConfig, &Method),
    source: &Source,
    table: &mut Table,
    pool: &ThreadPool,
    classes: impl FnOnce(&Pairing) -> Result<Option<Classes>>,
    into: impl FnOnce(&Pairing) -> Result<M>,
    observer: Observer,
) -> Result<Verified<M>> {
    let budget = table.budget.clone();
    let mut pairing = Pairing::new(table, pool)?;
    // The size of a copied text is a figure of its pairs, whomever else it is like.
    let copied = Places::none(table.documents);
    pairing.copies.iter().for_each(|&(_, leader)| copied.insert(leader.0));
    let (meetings, counted) = Meetings::new(method, table, &mut pairing, Some(&copied), pool, observer)?;
    let pass = Pass { config, method, source, table, pool, observer };
    let mut sets = sets::of_contenders(pass, &pairing)?;
    let meetings = meetings.join(method, &pairing, &sets)?;
    let matcher = Matcher::new(method, &table.lists, &pairing).apart(classes(&pairing)?);
    let mut matches = into(&pairing)?;
    let joining = meetings.joining(config.crowd, &matcher, &mut sets, &budget, pool)?;
    meetings.each_candidate_pair(joining.as_ref(), &matcher, &sets, pool, |batch| {
        for (&(a, b), likeness) in batch.iter().zip(likenesses(batch, &matcher, &sets, pool)?) {
            if let Some(likeness) = likeness {
                matches.take(a, b, figures(a, b, likeness, &matcher)?);
            }
        }
        Ok(())
    })?;
    let mut finding = Finding::new(method);
    finding.count(&counted, &matcher, table);
    Ok(Verified { pairing, sets, matches, finding })
}

/// What is shown of a matching pair.
fn figures(a: u32, b: u32, likeness: Likeness, matcher: &Matcher) -> Result<PairFigures> {
    Ok(match (likeness.overlap, matcher.method.verify()) {
        (Some(overlap), _) => PairFigures::Counted(overlap.into()),
        (None, Verify::Sketch) if matcher.method.estimates() => {
            PairFigures::estimated(matcher.method.config().measure, matcher.estimate(a, b)?, matcher.estimate(b, a)?)
        }
        (None, _) => PairFigures::Unknown {},
    })
}
