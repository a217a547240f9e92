//! Converts the decisions about one round (several blocks of the input) of the streaming pass to a journal record, and back.
//!
//! Shingle sets are not recorded: they are twice as large as everything else that a run records. A resumed run has to read the
//! earlier blocks again anyway, for their kept lines.

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

/// A decided round.
#[derive(Debug, Default)]
pub(crate) struct DecidedRound {
    /// The number of blocks from the start of the source to the end of the round.
    pub(crate) blocks: u64,
    /// The number of the first contender (document that has to be compared) of the next round. The contenders of this round begin
    /// where those of the previous round end.
    pub(crate) next: u32,
    /// The number of candidate pairs so far, and how many of them were ruled out by their sketches.
    pub(crate) met: [u64; 2],
    /// The contenders of the round that were dropped, with the verdicts about them.
    pub(crate) dropped: Vec<(u32, Verdict)>,
    /// For each dropped first copy (the first of several identical documents) that has copies in this round: the verdicts about
    /// these copies, and the data from which the search for a representative of its later copies continues. This data includes
    /// the best representative found so far.
    pub(crate) copies: Vec<(u32, CopiesOf)>,
}

impl DecidedRound {
    /// Appends the record.
    pub(crate) fn put(&self, into: &mut Vec<u8>) {
        put(
            into,
            &[
                self.blocks,
                self.next.into(),
                self.met[0],
                self.met[1],
                self.copies.len() as u64,
            ],
        );
        let rows = self
            .dropped
            .iter()
            .map(|&(number, verdict)| (number, verdict.numbers()));
        put(
            into,
            &rows
                .map(|(number, [a, b, c, d])| [number, a, b, c, d])
                .collect::<Vec<_>>(),
        );
        for (first_copy, (verdicts, (found, to))) in &self.copies {
            put(into, &[*first_copy, *to]);
            put(
                into,
                &verdicts.iter().map(|row| row.0.0).collect::<Vec<_>>(),
            );
            put(
                into,
                &verdicts
                    .iter()
                    .map(|row| row.1.numbers())
                    .collect::<Vec<_>>(),
            );
            let numbers = |(best, likeness): &(Best, Likeness)| {
                let overlap = likeness
                    .overlap
                    .map(|Overlap { shared, a, b }| [1, shared, a, b])
                    .unwrap_or_default();
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

    /// Reads a round from a record. Returns `None` if the record does not contain a round.
    pub(crate) fn take(record: &[u8]) -> Option<Self> {
        let mut from = Taken(record);
        let [blocks, next, met, refused, copies] = from.some::<u64, 5>()?;
        let dropped = from.many::<[u32; 5]>()?;
        let mut decided = Self {
            blocks,
            next: next as u32,
            met: [met, refused],
            dropped: dropped
                .into_iter()
                .map(|[number, a, b, c, d]| (number, Verdict::of_numbers([a, b, c, d])))
                .collect(),
            copies: Vec::new(),
        };
        for _ in 0..copies {
            let [first_copy, to] = from.some::<u32, 2>()?;
            let (ranks, verdicts) = (from.many::<u64>()?, from.many::<[u32; 4]>()?);
            let verdicts = ranks
                .into_iter()
                .map(Rank)
                .zip(verdicts.into_iter().map(Verdict::of_numbers))
                .collect();
            decided.copies.push((
                first_copy,
                (verdicts, (found(from.many::<[u64; 8]>()?.first()), to)),
            ));
        }
        Some(decided)
    }

    /// Returns whether this record can describe the next round. That round begins with the block numbered `blocks.start` and with
    /// the contender numbered `next`. `blocks.end` is the number of all blocks of the source, and `contenders` is the number of
    /// all contenders. Checksums detect damage; this check detects records that another program wrote.
    pub(crate) fn fits(&self, blocks: Range<u64>, next: u32, contenders: u32) -> bool {
        let decided = next..self.next;
        blocks.contains(&self.blocks.wrapping_sub(1))
            && next <= self.next
            && self.next <= contenders
            && self.dropped.is_sorted_by(|a, b| a.0 < b.0)
            && self.dropped.iter().all(|(number, verdict)| {
                decided.contains(number)
                    && verdict
                        .representative()
                        .is_some_and(|representative| representative < Contender(*number))
            })
            && self
                .copies
                .iter()
                .all(|(first_copy, (verdicts, (found, to)))| {
                    *first_copy < self.next
                        && *to <= contenders
                        && found
                            .as_ref()
                            .is_none_or(|(best, _)| best.document < contenders)
                        && verdicts.iter().all(|row| {
                            row.1.representative().is_some_and(|representative| {
                                representative < Contender(contenders)
                            })
                        })
                })
    }
}

fn found(numbers: Option<&[u64; 8]>) -> Found {
    let &[document, rank, best, similarity, counted, shared, a, b] = numbers?;
    let overlap = (counted == 1).then_some(Overlap { shared, a, b });
    let best = Best {
        document: document as u32,
        rank: rank as u32,
        similarity: f64::from_bits(best),
    };
    Some((
        best,
        Likeness {
            similarity: f64::from_bits(similarity),
            overlap,
        },
    ))
}

/// Returns two numbers that identify the set of contenders that verdicts are about: the count of the contenders and a digest of
/// their ranks.
pub(crate) fn contenders_digest(pairing: &Pairing) -> [u64; 2] {
    let mut hasher = Xxh3::new();
    pairing
        .contenders
        .places()
        .iter()
        .for_each(|rank| hasher.update(&rank.to_le_bytes()));
    [pairing.contenders.len(), hasher.digest()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_round_trip_and_fit_only_their_own_position() {
        let dropped = |representative| {
            Verdict::dropped(
                Contender(representative),
                Some(Overlap {
                    shared: 4,
                    a: 5,
                    b: 5,
                }),
            )
        };
        let best = Best {
            document: 2,
            rank: 9,
            similarity: 0.9,
        };
        let found = Some((
            best,
            Likeness {
                similarity: 0.9,
                overlap: Some(Overlap {
                    shared: 9,
                    a: 10,
                    b: 9,
                }),
            },
        ));
        let decided = || DecidedRound {
            blocks: 6,
            next: 8,
            met: [20, 10],
            dropped: vec![(4, dropped(1)), (7, dropped(2))],
            copies: vec![(4, (vec![(Rank(30), dropped(1))], (found, 8)))],
        };
        let again = |decided: &DecidedRound| {
            let mut record = Vec::new();
            decided.put(&mut record);
            assert!((0..record.len()).all(|end| DecidedRound::take(&record[..end]).is_none()));
            DecidedRound::take(&record).unwrap()
        };
        let fits = |decided: &DecidedRound| again(decided).fits(5..9, 3, 10);
        let mut bytes = [Vec::new(), Vec::new()];
        decided().put(&mut bytes[0]);
        again(&decided()).put(&mut bytes[1]);
        assert!(bytes[0] == bytes[1] && fits(&decided()));
        assert!(
            !decided().fits(6..9, 3, 10)
                && !decided().fits(5..9, 5, 10)
                && !decided().fits(5..9, 3, 7)
        );
        let wrongs: [fn(&mut DecidedRound); 9] = [
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
            let mut decided = decided();
            wrong(&mut decided);
            assert!(!fits(&decided), "{number}");
        }
    }
}
