//! What the pass that settles decided in a round ↔ a record of the journal.
//!
//! Sets are not recorded: they are twice as much as all else that a run records, and a run that goes on reads the blocks before
//! again anyway, for their kept lines.

use std::ops::Range;

use lookalike::{cluster::Best, verify::Overlap};
use xxhash_rust::xxh3::Xxh3;

use super::found::{CopiesOf, Found};
use crate::{
    matching::Likeness,
    numbers::{Contender, Rank},
    pairing::{Pairing, verdicts::Verdict},
    state::{Taken, put},
};

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
            put(into, &verdicts.iter().map(|row| row.0.0).collect::<Vec<_>>());
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
            let verdicts = ranks.into_iter().map(Rank).zip(verdicts.into_iter().map(Verdict::of_numbers)).collect();
            settled.copies.push((leader, (verdicts, (found(from.many::<[u64; 8]>()?.first()), to))));
        }
        Some(settled)
    }

    /// Whether it can be of the round behind these blocks and before the contender `next`, of so many in so many blocks. Damage is
    /// told by checksums; this tells what another program wrote.
    pub(crate) fn fits(&self, blocks: Range<u64>, next: u32, contenders: u32) -> bool {
        let decided = next..self.next;
        blocks.contains(&self.blocks.wrapping_sub(1))
            && next <= self.next
            && self.next <= contenders
            && self.dropped.is_sorted_by(|a, b| a.0 < b.0)
            && self.dropped.iter().all(|(number, verdict)| {
                decided.contains(number)
                    && verdict.representative().is_some_and(|representative| representative < Contender(*number))
            })
            && self.copies.iter().all(|(leader, (verdicts, (found, to)))| {
                *leader < self.next
                    && *to <= contenders
                    && found.as_ref().is_none_or(|(best, _)| best.document < contenders)
                    && verdicts
                        .iter()
                        .all(|row| row.1.representative().is_some_and(|representative| representative < Contender(contenders)))
            })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_taken_and_fits_where_it_was_and_nowhere_else() {
        let dropped = |representative| Verdict::dropped(Contender(representative), Some(Overlap { shared: 4, a: 5, b: 5 }));
        let best = Best { document: 2, rank: 9, similarity: 0.9 };
        let found = Some((best, Likeness { similarity: 0.9, overlap: Some(Overlap { shared: 9, a: 10, b: 9 }) }));
        let settled = || Settled {
            blocks: 6,
            next: 8,
            met: [20, 10],
            dropped: vec![(4, dropped(1)), (7, dropped(2))],
            copies: vec![(4, (vec![(Rank(30), dropped(1))], (found, 8)))],
        };
        let again = |settled: &Settled| {
            let mut record = Vec::new();
            settled.put(&mut record);
            assert!((0..record.len()).all(|end| Settled::take(&record[..end]).is_none()));
            Settled::take(&record).unwrap()
        };
        let fits = |settled: &Settled| again(settled).fits(5..9, 3, 10);
        let mut bytes = [Vec::new(), Vec::new()];
        settled().put(&mut bytes[0]);
        again(&settled()).put(&mut bytes[1]);
        assert!(bytes[0] == bytes[1] && fits(&settled()));
        assert!(!settled().fits(6..9, 3, 10) && !settled().fits(5..9, 5, 10) && !settled().fits(5..9, 3, 7));
        let wrongs: [fn(&mut Settled); 9] = [
            |wrong| wrong.blocks = 0,
            |wrong| wrong.blocks = 10,
            |wrong| wrong.next = 7,
            |wrong| wrong.dropped.swap(0, 1),
            |wrong| wrong.dropped[0].1 = Verdict::dropped(Contender(4), None),
            |wrong| wrong.dropped[0].1 = Verdict::KEPT,
            |wrong| wrong.copies[0].0 = 8,
            |wrong| wrong.copies[0].1.1.1 = 11,
            |wrong| wrong.copies[0].1.0[0].1 = Verdict::dropped(Contender(10), None),
        ];
        for (number, wrong) in wrongs.iter().enumerate() {
            let mut settled = settled();
            wrong(&mut settled);
            assert!(!fits(&settled), "{number}");
        }
    }
}
