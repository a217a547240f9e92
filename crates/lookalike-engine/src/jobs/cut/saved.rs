//! What finished stages found, as records of the state's second journal. A resumed run repeats only the stages that are not there.
//!
//! A stage is saved as a whole, when it ends. To continue in the middle of a pass that decides, all texts before would have to be read
//! again, for what they may share with later texts. That takes about as long as to decide them again.

use std::sync::Arc;

use lookalike_io::{error::Result, spill::Budget};

use super::{
    locating::{Locations, Needed},
    outcomes::Outcomes,
    summary::Counts,
};
use crate::{
    config::Stage,
    state::{Resumed, State, Taken, put},
};

/// The kinds of records: what a pass missed, a part of the outcomes, the end of the outcomes, and a part of the locations.
const MISSED: u64 = 0;
const OUTCOMES: u64 = 1;
const DECIDED: u64 = 2;
const LOCATIONS: u64 = 3;

/// The results of the stages that an earlier run finished.
#[derive(Default)]
pub(super) struct Saved {
    /// For each pass that missed keys of anchors, these keys.
    pub(super) missed: Vec<Vec<u64>>,
    /// What is cut out of all documents.
    pub(super) outcomes: Option<(Outcomes, Counts)>,
    /// The places of the sources of cuts.
    pub(super) locations: Option<Locations>,
}

impl Saved {
    /// Reads what is saved in a state. The earlier run may have had other outputs, and what only a report needs is not saved. So the
    /// locations are used only if they have all that is `needed`.
    pub(super) fn read(state: &mut State, needed: Needed, budget: &Arc<Budget>) -> Result<Self> {
        let mut saved = Self::default();
        let (mut outcomes, mut locations) = (Outcomes::new(budget), None);
        state.verdicts.each(|record| {
            let mut record = Taken(record);
            let [kind] = match record.some() {
                Some(kind) => kind,
                None => return Ok(None),
            };
            match kind {
                MISSED => Ok(record.many().map(|keys| saved.missed.push(keys))),
                OUTCOMES => outcomes.restore(&mut record),
                DECIDED => Ok(record.some().map(|counts| {
                    let outcomes = std::mem::replace(&mut outcomes, Outcomes::new(budget));
                    saved.outcomes = Some((outcomes, Counts::of(counts)));
                })),
                LOCATIONS => {
                    let parts = locations.get_or_insert_with(|| Locations::new(budget));
                    let restored = parts.restore(&mut record)?;
                    if restored == Some(true) {
                        saved.locations = locations.take();
                    }
                    Ok(restored.map(|_| ()))
                }
                _ => Ok(None),
            }
        })?;
        let has_all =
            |locations: &Locations| !needed.report && (locations.has_places() || !needed.places);
        saved.locations = saved.locations.filter(has_all);
        Ok(saved)
    }

    /// Returns the point at which this run resumes, if the first pass reached the point `sketched`.
    pub(super) fn resumed(&self, sketched: Option<Resumed>) -> Option<Resumed> {
        let stage = match (&self.outcomes, &self.locations) {
            (_, Some(_)) => Stage::Writing,
            (Some(_), None) => Stage::Locating,
            (None, None) => Stage::Cutting,
        };
        sketched.map(|resumed| {
            if resumed.stage == Stage::Sketching {
                resumed
            } else {
                Resumed { stage, share: None }
            }
        })
    }
}

/// Saves the keys of anchors that a pass missed.
pub(super) fn save_missed(state: Option<&mut State>, keys: &[u64]) -> Result<()> {
    let Some(state) = state else { return Ok(()) };
    append(state, MISSED, &|record| put(record, keys))?;
    state.commit()
}

/// Saves what is cut out of all documents.
pub(super) fn save_outcomes(
    state: Option<&mut State>,
    outcomes: &Outcomes,
    counts: &Counts,
) -> Result<()> {
    let Some(state) = state else { return Ok(()) };
    outcomes.save(|fill| append(state, OUTCOMES, fill))?;
    append(state, DECIDED, &|record| put(record, &counts.numbers()))?;
    state.commit()
}

/// Saves the places of the sources of cuts.
pub(super) fn save_locations(state: Option<&mut State>, locations: &Locations) -> Result<()> {
    let Some(state) = state else { return Ok(()) };
    locations.save(|fill| append(state, LOCATIONS, fill))?;
    state.commit()
}

fn append(state: &mut State, kind: u64, fill: &dyn Fn(&mut Vec<u8>)) -> Result<()> {
    state.verdicts.append(|record| {
        put(record, &[kind]);
        fill(record);
    })
}
