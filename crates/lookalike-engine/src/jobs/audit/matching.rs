//! For each removed document, the most similar kept document that the candidate search finds.
//! Removed and kept documents are two classes, so only pairs of a removed and a kept document are
//! compared.

use lookalike::{Method, verify::Measure};
use lookalike_io::{error::Result, read::Source};
use rayon::ThreadPool;

use super::result::{NONE, Outcome};
use crate::{
    config::{Observer, RunConfig},
    deciding::all_matches::{Classes, Matches, PairFigures, Verified, verified},
    numbers::{Contender, Rank},
    pairing::Pairing,
    sketching::table::Table,
};

/// A document that is similar to another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nearest {
    pub(super) similarity: f64,
    /// The document, or [`NONE`] if there is none.
    pub(super) document: u32,
}

impl Nearest {
    pub(super) const NOTHING: Self = Self {
        similarity: 0.0,
        document: NONE,
    };

    /// Replaces this document with a more similar one. If both are equally similar, the first in input order remains.
    pub(super) fn improve(&mut self, other: Self) {
        if other.document != NONE
            && (other.similarity, self.document) > (self.similarity, other.document)
        {
            *self = other;
        }
    }
}

/// What the candidate search found.
pub(super) struct Found {
    /// Which documents have no text.
    pub(super) empty: Vec<bool>,
    /// For each removed document, in input order, the most similar kept document that reaches the threshold.
    pub(super) nearest: Vec<Nearest>,
}

/// The documents with the same text, by contender: the first of them that was kept.
struct Groups {
    first_kept: Vec<u32>,
}

impl Groups {
    /// Keep order is input order, so the rank of a document is its number.
    fn new(pairing: &Pairing, removed: &[bool]) -> Result<Self> {
        let numbers = pairing.numbers()?;
        let mut first_kept = vec![NONE; numbers as usize];
        let mut take = |Contender(number): Contender, Rank(document): Rank| {
            let into = &mut first_kept[number as usize];
            if !removed[document as usize] {
                *into = (*into).min(document as u32);
            }
        };
        (0..numbers).for_each(|number| take(Contender(number), pairing.rank(Contender(number))));
        pairing
            .copies_of_contenders()
            .for_each(|(copy, first_copy)| take(first_copy, copy));
        Ok(Self { first_kept })
    }

    /// Two groups are compared only if one of them has a kept document and the other has none.
    fn classes(&self) -> Classes {
        self.first_kept
            .iter()
            .map(|&kept| u32::from(kept == NONE))
            .collect()
    }
}

/// Collects the best match of each contender without a kept document.
struct Best {
    groups: Groups,
    nearest: Vec<Nearest>,
    measure: Measure,
}

impl Matches for Best {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) -> Result<()> {
        let PairFigures::Counted(figures) = figures else {
            return Ok(());
        };
        let kept = |number: u32| self.groups.first_kept[number as usize];
        let (removed, document, containment) = match kept(a) {
            NONE => (a, kept(b), figures.containment_ab),
            document => (b, document, figures.containment_ba),
        };
        let similarity = match self.measure {
            Measure::Resemblance => figures.resemblance,
            Measure::Containment => containment,
        };
        self.nearest[removed as usize].improve(Nearest {
            similarity,
            document,
        });
        Ok(())
    }
}

/// Searches for kept documents that are similar to removed ones. Memory: 20 bytes for each document that shares a key with another one.
pub(super) fn find(
    (config, method): (&RunConfig, &Method),
    source: &Source,
    table: &mut Table,
    outcome: &Outcome,
    pool: &ThreadPool,
    observer: Observer,
) -> Result<Found> {
    let (threshold, measure) = (method.config().threshold, method.config().measure);
    let into = |pairing: &Pairing| {
        let groups = Groups::new(pairing, &outcome.removed)?;
        let nearest = vec![Nearest::NOTHING; groups.first_kept.len()];
        Ok(Best {
            groups,
            nearest,
            measure,
        })
    };
    let classes =
        |pairing: &Pairing, _: &mut _| Ok(Some(Groups::new(pairing, &outcome.removed)?.classes()));
    let Verified {
        pairing, matches, ..
    } = verified(
        (config, method),
        source,
        table,
        pool,
        classes,
        into,
        observer,
    )?;
    let documents = outcome.removed.len() as u64;
    let nearest_of = |document: u64| {
        let rank = Rank(document);
        let Some(number) = pairing.number(pairing.first_copy(rank).unwrap_or(rank)) else {
            return Nearest::NOTHING;
        };
        match matches.groups.first_kept[number.index()] {
            // If containment is measured, a pair matches in either direction, but only one of the two counts here.
            NONE => Some(matches.nearest[number.index()])
                .filter(|near| near.similarity >= threshold)
                .unwrap_or(Nearest::NOTHING),
            kept => Nearest {
                similarity: 1.0,
                document: kept,
            },
        }
    };
    let removed = (0..documents).filter(|&document| outcome.removed[document as usize]);
    let nearest = removed.map(nearest_of).collect();
    let empty = (0..documents)
        .map(|document| pairing.empty.contains(document))
        .collect();
    Ok(Found { empty, nearest })
}
