//! The exact truth for a random sample: the neighbours of its documents in the whole collection, found in one pass.
//!
//! It is not feasible to compare all pairs of a large collection, but a thousand documents can be compared with the rest. The
//! shingles of the sample are in an inverted index. One pass over the collection then counts, for each document, the shingles
//! that it shares with each sampled document.

use std::collections::BTreeSet;

use crate::{
    fingerprint::{SplitMix64, finish},
    verify::Overlap,
};

/// Returns a random sample of `size` of the documents 0 … `documents` − 1, or all documents if there are fewer. Every sample of
/// this size is equally likely. The result is sorted, and is the same for the same seed on every machine. Cost: O(size log size),
/// whatever the number of documents (Floyd's algorithm; Bentley & Floyd 1987).
pub fn choose_sample(documents: u32, size: u32, seed: u64) -> Vec<u32> {
    let mut random = SplitMix64::new(seed);
    let mut chosen = BTreeSet::new();
    for last in documents.saturating_sub(size)..documents {
        // A random number is scaled by multiplication, not by taking the remainder of a division. This makes some results more
        // likely than others, but by at most 2⁻³².
        let one = ((u128::from(random.next_u64()) * (u128::from(last) + 1)) >> 64) as u32;
        if !chosen.insert(one) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// An inverted index of a sample's shingles: it maps a shingle to the sampled documents that have it.
///
/// Each shingle is stored as its `finish` value, and these values are sorted. `finish` is a bijection that spreads any values
/// evenly, so a directory indexed by the upper bits leads to the one or two shingles that may equal a given shingle. Nearly all
/// shingles of a collection are in no sampled document. A bitmap rules most of them out before the directory is used. The bitmap
/// is indexed by a few more of the upper bits than the directory, and fits in the second-level cache.
///
/// Memory: 17 to 22 bytes per distinct shingle, 4 per occurrence; a thousand texts of 600 shingles take about 14 MB.
#[derive(Debug)]
pub struct SampleIndex {
    /// The size |A| of each sampled document's set.
    sizes: Vec<u64>,
    /// The distinct shingles, after `finish`, sorted.
    mixed: Vec<u64>,
    /// For each shingle, the start of its documents in `postings`. The final entry is the end of `postings`.
    starts: Vec<u32>,
    postings: Vec<u32>,
    /// For each value of the upper bits, the start in `mixed` of the shingles with that value. The final entry is the end of
    /// `mixed`.
    directory: Vec<u32>,
    directory_shift: u32,
    bitmap: Vec<u64>,
    bitmap_shift: u32,
}

/// A sampled document that shares a shingle with the current document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// The position of the sampled document in the sample.
    pub sample: u32,
    /// The overlap of the sampled document's set with the current document's set; `overlap.a` is the size of the sampled
    /// document's set.
    pub overlap: Overlap,
}

/// Scratch buffers for [`SampleIndex::neighbours`], reused for the next document.
#[derive(Debug, Default)]
pub struct SharedCounts {
    /// The shingles that pass the bitmap, after `finish`.
    maybe: Vec<u64>,
    /// The number of shingles that the current document shares with each sampled one; zero between uses.
    shared: Vec<u32>,
    met: Vec<u32>,
    neighbours: Vec<Neighbour>,
}

/// The bitmap is indexed by this many more upper bits than the directory. It lets through one in 8 to 16 of the shingles that are
/// not in the sample.
const FINER: u32 = 3;

impl SampleIndex {
    /// Indexes the shingle sets of the sampled documents (each shingle once, in any order). Cost: a sort of all their shingles.
    ///
    /// # Panics
    /// Panics if the sets have 2³² shingles or more.
    pub fn new(sets: &[Vec<u64>]) -> Self {
        let mut rows: Vec<(u64, u32)> = sets
            .iter()
            .zip(0..)
            .flat_map(|(set, sample)| set.iter().map(move |&shingle| (finish(shingle), sample)))
            .collect();
        assert!(
            u32::try_from(rows.len()).is_ok(),
            "a sample must have fewer than 2³² shingles"
        );
        rows.sort_unstable();
        let (mut mixed, mut starts) = (Vec::new(), vec![0]);
        for same in rows.chunk_by(|x, y| x.0 == y.0) {
            mixed.push(same[0].0);
            starts.push(starts[starts.len() - 1] + same.len() as u32);
        }
        let bits = mixed.len().next_power_of_two().ilog2().max(3);
        let (directory_shift, bitmap_shift) = (64 - bits, 64 - bits - FINER);
        let mut bitmap = vec![0; 1 << (bits + FINER - 6)];
        // The loops first count the shingles with each value of the upper bits, and then convert each count to the number of
        // shingles with a smaller value.
        let mut directory = vec![0u32; (1 << bits) + 1];
        for m in &mixed {
            let bit = m >> bitmap_shift;
            bitmap[(bit / 64) as usize] |= 1u64 << (bit % 64);
            directory[(m >> directory_shift) as usize + 1] += 1;
        }
        for place in 1..directory.len() {
            directory[place] += directory[place - 1];
        }
        let postings = rows.iter().map(|row| row.1).collect();
        let sizes = sets.iter().map(|set| set.len() as u64).collect();
        Self {
            sizes,
            mixed,
            starts,
            postings,
            directory,
            directory_shift,
            bitmap,
            bitmap_shift,
        }
    }

    /// Returns every sampled document that shares a shingle with `set` (each shingle once, in any order), by its position in the
    /// sample. In a pass over the collection, a sampled document also finds itself. Allocates nothing once `shared_counts` has
    /// grown.
    ///
    /// Cost with a thousand texts of 600 shingles: 5 ns for a shingle that no text has; 50 ns for a shingle that some texts have,
    /// plus one step for each of these texts.
    pub fn neighbours<'m>(
        &self,
        set: &[u64],
        shared_counts: &'m mut SharedCounts,
    ) -> &'m [Neighbour] {
        let SharedCounts {
            maybe,
            shared,
            met,
            neighbours,
        } = shared_counts;
        shared.resize(shared.len().max(self.sizes.len()), 0);
        maybe.resize(maybe.len().max(set.len()), 0);
        // Without a branch, the cache misses of many shingles overlap. With a branch on the bitmap before each search, a shingle
        // outside the sample took twice the time, so the bitmap saved nothing.
        let mut count = 0;
        for &shingle in set {
            let m = finish(shingle);
            let bit = m >> self.bitmap_shift;
            maybe[count] = m;
            count += (self.bitmap[(bit / 64) as usize] >> (bit % 64) & 1) as usize;
        }
        for &m in &maybe[..count] {
            for &sample in self.documents_with(m) {
                if shared[sample as usize] == 0 {
                    met.push(sample);
                }
                shared[sample as usize] += 1;
            }
        }
        met.sort_unstable();
        neighbours.clear();
        neighbours.extend(met.drain(..).map(|sample| {
            let shared = u64::from(std::mem::take(&mut shared[sample as usize]));
            Neighbour {
                sample,
                overlap: Overlap {
                    shared,
                    a: self.sizes[sample as usize],
                    b: set.len() as u64,
                },
            }
        }));
        neighbours
    }

    /// Returns the sampled documents that have the shingle whose `finish` value is `m`.
    #[inline]
    fn documents_with(&self, m: u64) -> &[u32] {
        let place = (m >> self.directory_shift) as usize;
        let (from, to) = (
            self.directory[place] as usize,
            self.directory[place + 1] as usize,
        );
        match self.mixed[from..to].iter().position(|&other| other == m) {
            Some(at) => {
                &self.postings[self.starts[from + at] as usize..self.starts[from + at + 1] as usize]
            }
            None => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sets() -> impl Strategy<Value = Vec<Vec<u64>>> {
        let set = prop::collection::btree_set(prop_oneof![0u64..60, any::<u64>()], 0..40);
        prop::collection::vec(set.prop_map(|set| set.into_iter().collect()), 0..12)
    }

    proptest! {
        #[test]
        fn neighbours_are_all_that_share_a_shingle(sample in sets(), others in sets()) {
            let index = SampleIndex::new(&sample);
            let mut shared_counts = SharedCounts::default();
            for set in others.iter().chain(&sample) {
                let naive: Vec<Neighbour> = sample
                    .iter()
                    .zip(0..)
                    .map(|(of, sample)| Neighbour { sample, overlap: Overlap::of(of, set) })
                    .filter(|neighbour| neighbour.overlap.shared > 0)
                    .collect();
                prop_assert_eq!(index.neighbours(set, &mut shared_counts), naive);
            }
        }

        #[test]
        fn a_sample_is_sorted_distinct_and_as_large_as_possible(documents in 0u32..200, size in 0u32..200, seed: u64) {
            let sample = choose_sample(documents, size, seed);
            prop_assert_eq!(sample.len() as u32, size.min(documents));
            prop_assert!(sample.is_sorted_by(|a, b| a < b) && sample.iter().all(|&d| d < documents));
        }
    }

    #[test]
    fn scratch_serves_a_large_sample_and_then_a_small_one() {
        let mut shared_counts = SharedCounts::default();
        let set: Vec<u64> = (0..5).collect();
        for size in [9, 2] {
            let index = SampleIndex::new(&vec![set.clone(); size]);
            assert_eq!(index.neighbours(&set, &mut shared_counts).len(), size);
            assert!(index.neighbours(&[], &mut shared_counts).is_empty());
        }
    }

    #[test]
    fn samples_are_frozen() {
        assert_eq!(
            choose_sample(1_000_000, 5, 1),
            [444264, 444358, 566559, 745779, 971000]
        );
        assert_eq!(
            choose_sample(u32::MAX, 3, 2),
            [2539140572, 2558246079, 3217573390]
        );
    }

    #[test]
    fn every_subset_is_equally_likely() {
        // There are 20 subsets of 3 of 6 documents, and 40,000 seeds. Chi-squared with 19 degrees of freedom is at least 43.8
        // only once in 1000.
        let mut counts = [0u32; 64];
        for seed in 0..40_000 {
            counts[choose_sample(6, 3, seed)
                .iter()
                .map(|d| 1 << d)
                .sum::<usize>()] += 1;
        }
        let drawn: Vec<f64> = counts
            .iter()
            .filter(|&&c| c > 0)
            .map(|&c| f64::from(c))
            .collect();
        assert_eq!(drawn.len(), 20);
        let chi_squared: f64 = drawn.iter().map(|c| (c - 2000.0).powi(2) / 2000.0).sum();
        assert!(chi_squared < 43.8, "{chi_squared}");
    }
}
