//! What the pass that settles decided in a round ↔ a record of the journal.
//!
//! Sets are not recorded: they are twice as much as all else that a run records, and a run that goes on reads the blocks before
//! again anyway, for their kept lines.

use lookalike::{cluster::Best, verify::Overlap};
use xxhash_rust::xxh3::Xxh3;

use super::{
    deciding::{CopiesOf, Found},
    matching::Likeness,
    pairing::Pairing,
    verdicts::Verdict,
};
use crate::state::{Taken, put};

/// A round, decided.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// Blocks of the source up to its end.
    pub(crate) blocks: u64,
    /// Its contenders are those before this number, from the round before.
    pub(crate) next: u32,
    /// Pairs that met so far, and those of them that were refused.
    pub(crate) met: [u64; 2],
    /// Of its contenders, those that were dropped.
    pub(crate) dropped: Vec<(u32, Verdict)>,
    /// By leader, what was decided about its copies, and what is known for later ones.
    pub(crate) copies: Vec<(u32, CopiesOf)>,
}

impl Settled {
    /// Appends the record.
    pub(crate) fn put(&self, into: &mut Vec<u8>) {
        put(into, &[self.blocks, self.next.into(), self.met[0], self.met[1], self.copies.len() as u64]);
        let rows = self.dropped.iter().map(|&(number, verdict)| (number, verdict.numbers()));
        put(into, &rows.map(|(number, [a, b, c, d])| [number, a, b, c, d]).collect::<Vec<_>>());
        for (leader, (verdicts, (found, to))) in &self.copies {
            put(into, &[*leader, *to]);
            put(into, &verdicts.iter().map(|row| row.0).collect::<Vec<_>>());
            put(into, &verdicts.iter().map(|row| row.1.numbers()).collect::<Vec<_>>());
            let numbers = |(best, likeness): &(Best, Likeness)| {
                let overlap = likeness.overlap.map(|Overlap { shared, a, b }| [1, shared, a, b]).unwrap_or_default();
                let [counted, shared, a, b] = overlap;
                [
                    best.document.into(),
                    best.rank.into(),
                    best.similarity.to_bits(),
                    likeness.similarity.to_bits(),
                    counted,
                    shared,
                    a,
                    b,
                ]
            };
            put(into, found.as_ref().map(numbers).as_slice());
        }
    }

    /// The round that a record is of; none where it is no such record.
    pub(crate) fn take(record: &[u8]) -> Option<Self> {
        let mut from = Taken(record);
        let [blocks, next, met, refused, copies] = from.some::<u64, 5>()?;
        let dropped = from.many::<[u32; 5]>()?;
        let mut settled = Self {
            blocks,
            next: next as u32,
            met: [met, refused],
            dropped: dropped.into_iter().map(|[number, a, b, c, d]| (number, Verdict::of_numbers([a, b, c, d]))).collect(),
            copies: Vec::new(),
        };
        for _ in 0..copies {
            let [leader, to] = from.some::<u32, 2>()?;
            let (ranks, verdicts) = (from.many::<u64>()?, from.many::<[u32; 4]>()?);
            let verdicts = ranks.into_iter().zip(verdicts.into_iter().map(Verdict::of_numbers)).collect();
            settled.copies.push((leader, (verdicts, (found(from.many::<[u64; 8]>()?.first()), to))));
        }
        Some(settled)
    }
}

fn found(numbers: Option<&[u64; 8]>) -> Found {
    let &[document, rank, best, similarity, counted, shared, a, b] = numbers?;
    let overlap = (counted == 1).then_some(Overlap { shared, a, b });
    let best = Best { document: document as u32, rank: rank as u32, similarity: f64::from_bits(best) };
    Some((best, Likeness { similarity: f64::from_bits(similarity), overlap }))
}

/// Tells the contenders that verdicts are about from others: their count and a digest of their ranks.
pub(crate) fn contenders_digest(pairing: &Pairing) -> [u64; 2] {
    let mut hasher = Xxh3::new();
    pairing.contenders.places().iter().for_each(|rank| hasher.update(&rank.to_le_bytes()));
    [pairing.contenders.len(), hasher.digest()]
}
