//! Compares some documents with all others exactly, and measures given pairs, in passes over the inputs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use lookalike::{
    Scratch,
    eval::{Neighbour, SampleIndex, SharedCounts},
    verify::Overlap,
};
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch as ReadScratch},
};

use super::{matching::Nearest, result::Outcome};
use crate::{
    config::{Progress, Stage},
    matching::sets::{self, Pass, Sets},
    pass::parallel::{Weigh, in_order},
};

/// A pair whose similarity is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanted {
    /// The document that is read in the pass over the inputs. With containment, its containment in the other document is measured.
    pub(super) document: u32,
    /// The document whose set is in memory, or in a temporary file.
    pub(super) other: u32,
    /// The number of the pair. The results are in the order of these numbers.
    pub(super) number: u32,
}

/// What is compared.
pub(super) struct Asked<'a> {
    /// Documents that are compared with all others, sorted.
    pub(super) probes: &'a [u32],
    /// Pairs that are measured, sorted.
    pub(super) pairs: &'a [Wanted],
    /// From this number on, the larger containment of both directions is measured.
    pub(super) either_from: u32,
}

/// What one comparison with all documents found about a probe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Probed {
    /// The most similar kept document, at any similarity.
    pub(super) nearest: Nearest,
    /// For a removed document: whether another removed document is similar to it.
    pub(super) is_chained: bool,
}

/// A kept document that is similar to a probe, which was kept too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Missed {
    /// The number of the probe in the list of probes.
    pub(super) probe: u32,
    pub(super) document: u32,
    pub(super) similarity: f64,
}

/// All results.
pub(super) struct Compared {
    /// For each probe that was removed, what was found; for others, nothing.
    pub(super) probed: Vec<Probed>,
    /// The similarity of each pair, by its number.
    pub(super) similarities: Vec<f64>,
}

/// The bytes that an index takes for each shingle of each probe.
const PER_SHINGLE: usize = 26;

/// The largest and the smallest number of shingles in an index, whatever the memory limit.
const MOST: usize = 1 << 31;
const LEAST: usize = 1 << 20;

/// Compares the probes with all documents of the collection, and measures the pairs. `missed` receives every pair of a kept probe and a
/// similar kept document, in an order that depends only on the inputs; a pair of two probes is passed twice. The probes are divided into
/// parts whose shingles fit into memory, and each part takes one pass.
pub(super) fn compare(
    pass: Pass,
    outcome: &Outcome,
    asked: &Asked,
    mut missed: impl FnMut(Missed) + Send,
) -> Result<Compared> {
    let mut probed = vec![
        Probed {
            nearest: Nearest::NOTHING,
            is_chained: false
        };
        asked.probes.len()
    ];
    let mut similarities = vec![0.0; asked.pairs.len()];
    let mut loaded: Vec<u32> = asked
        .probes
        .iter()
        .copied()
        .chain(asked.pairs.iter().map(|pair| pair.other))
        .collect();
    loaded.sort_unstable();
    loaded.dedup();
    if loaded.is_empty() {
        return Ok(Compared {
            probed,
            similarities,
        });
    }
    pass.table
        .budget
        .hold(size_of_val(&*loaded) + size_of_val(asked.pairs));
    let number = |document: u32| {
        loaded
            .binary_search(&document)
            .ok()
            .map(|number| number as u32)
    };
    let sets = sets::load(pass, loaded.len() as u32, |document| {
        number(document as u32)
    })?;
    let most = (pass.table.budget.left() / 2 / PER_SHINGLE).clamp(LEAST, MOST);
    let mut pairs = asked.pairs;
    for part in parts(
        asked.probes,
        |probe| number(probe).map_or(0, |number| sets.len(number)),
        most,
    ) {
        let (first, probes) = (part.start, &asked.probes[part.clone()]);
        let (mut held, mut scratch) = (Vec::new(), Vec::new());
        for &probe in probes {
            held.push(match number(probe) {
                Some(number) => sets.get(number, &mut scratch)?.to_vec(),
                None => Vec::new(),
            });
        }
        let bytes = PER_SHINGLE * held.iter().map(Vec::len).sum::<usize>();
        pass.table.budget.hold(bytes);
        let part = Part {
            pass,
            outcome,
            index: SampleIndex::new(&held),
            probes,
            best: probes.iter().map(|_| AtomicU64::new(0)).collect(),
            chained: probes.iter().map(|_| AtomicBool::new(false)).collect(),
            pairs,
            either_from: asked.either_from,
            sets: &sets,
            numbers: &loaded,
        };
        drop(held);
        part.each(|seen| {
            seen.nearest.into_iter().for_each(|(probe, nearest)| {
                probed[first + probe as usize].nearest.improve(nearest)
            });
            seen.missed.into_iter().for_each(|found| {
                missed(Missed {
                    probe: found.probe + first as u32,
                    ..found
                })
            });
            seen.measured
                .into_iter()
                .for_each(|(number, similarity)| similarities[number as usize] = similarity);
        })?;
        for (into, chained) in probed[first..].iter_mut().zip(&part.chained) {
            into.is_chained = chained.load(Ordering::Relaxed);
        }
        pass.table.budget.release(bytes);
        // The pairs are measured in the first pass only.
        pairs = &[];
    }
    Ok(Compared {
        probed,
        similarities,
    })
}

/// Divides probes into parts with at most this number of shingles. A part has at least one probe, and there is at least one part.
fn parts(probes: &[u32], size: impl Fn(u32) -> usize, most: usize) -> Vec<std::ops::Range<usize>> {
    let (mut parts, mut start, mut shingles) = (Vec::new(), 0, 0);
    for (at, &probe) in probes.iter().enumerate() {
        let more = size(probe);
        if at > start && shingles + more > most {
            parts.push(start..at);
            (start, shingles) = (at, 0);
        }
        shingles += more;
    }
    parts.push(start..probes.len());
    parts
}

/// One pass over the inputs.
struct Part<'a> {
    pass: Pass<'a>,
    outcome: &'a Outcome,
    index: SampleIndex,
    probes: &'a [u32],
    /// For each probe, the highest similarity to a kept document so far, as bits. Documents that are less similar are not reported, so
    /// that few are. Which documents are reported depends on the threads, but the most similar ones always are.
    best: Vec<AtomicU64>,
    chained: Vec<AtomicBool>,
    pairs: &'a [Wanted],
    either_from: u32,
    sets: &'a Sets,
    /// The documents that have sets, sorted.
    numbers: &'a [u32],
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    scratch: Scratch,
    shared_counts: SharedCounts,
    set: Vec<u64>,
}

/// What was found in a block.
#[derive(Default)]
struct Seen {
    nearest: Vec<(u32, Nearest)>,
    missed: Vec<Missed>,
    measured: Vec<(u32, f64)>,
}

impl Weigh for Seen {
    fn weight(&self) -> usize {
        self.nearest.weight() + self.missed.weight() + self.measured.weight()
    }
}

impl Part<'_> {
    fn each(&self, mut sink: impl FnMut(Seen) + Send) -> Result<()> {
        let Pass {
            source,
            table,
            pool,
            observer,
            method,
            ..
        } = self.pass;
        in_order(
            pool,
            Blocks::again(source),
            |block, worker: &mut Worker| {
                let mut seen = Seen::default();
                let info = table.info(block, source)?;
                let Worker {
                    read_scratch,
                    scratch,
                    shared_counts,
                    set,
                } = worker;
                info.each_document(block, source, |document, at| {
                    let record = source.same_record(block, at, read_scratch)?;
                    method.set(record.text, scratch);
                    let document = document as u32;
                    for neighbour in self.index.neighbours(&scratch.fingerprints, shared_counts) {
                        self.neighbour(document, neighbour, &mut seen);
                    }
                    self.measure(document, &scratch.fingerprints, set, &mut seen)
                })?;
                Ok(seen)
            },
            |seen| {
                Progress::new(Stage::Comparing, source.read(), source.total()).tell(observer)?;
                sink(seen);
                Ok(())
            },
        )
    }

    fn neighbour(&self, document: u32, neighbour: &Neighbour, seen: &mut Seen) {
        let (number, overlap) = (neighbour.sample as usize, neighbour.overlap);
        let probe = self.probes[number];
        let removed = &self.outcome.removed;
        let (measure, threshold) = (
            self.pass.method.config().measure,
            self.pass.method.config().threshold,
        );
        if document == probe {
            return;
        }
        match (removed[probe as usize], removed[document as usize]) {
            (true, true) => {
                if measure.of(overlap) >= threshold {
                    self.chained[number].store(true, Ordering::Relaxed);
                }
            }
            (true, false) => {
                let similarity = measure.of(overlap);
                let before = self.best[number].fetch_max(similarity.to_bits(), Ordering::Relaxed);
                if similarity.to_bits() >= before {
                    seen.nearest.push((
                        neighbour.sample,
                        Nearest {
                            similarity,
                            document,
                        },
                    ));
                }
            }
            (false, true) => {}
            (false, false) => {
                let similarity = measure.of_either(overlap);
                if similarity >= threshold {
                    seen.missed.push(Missed {
                        probe: neighbour.sample,
                        document,
                        similarity,
                    });
                }
            }
        }
    }

    fn measure(
        &self,
        document: u32,
        set: &[u64],
        scratch: &mut Vec<u64>,
        seen: &mut Seen,
    ) -> Result<()> {
        let measure = self.pass.method.config().measure;
        let start = self.pairs.partition_point(|pair| pair.document < document);
        for pair in self.pairs[start..]
            .iter()
            .take_while(|pair| pair.document == document)
        {
            let Ok(number) = self.numbers.binary_search(&pair.other) else {
                continue;
            };
            let overlap = Overlap::of(set, self.sets.get(number as u32, scratch)?);
            let similarity = if pair.number < self.either_from {
                measure.of(overlap)
            } else {
                measure.of_either(overlap)
            };
            seen.measured.push((pair.number, similarity));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_few_shingles_and_at_least_one_probe() {
        let sizes = [4, 5, 20, 1, 1];
        let parts = |most| parts(&[0, 1, 2, 3, 4], |probe| sizes[probe as usize], most);
        assert_eq!(parts(10), [0..2, 2..3, 3..5]);
        assert_eq!(
            [parts(100), super::parts(&[], |_| 0, 10)].concat(),
            [0..5, 0..0]
        );
    }
}
