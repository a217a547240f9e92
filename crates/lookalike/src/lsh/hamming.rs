//! Blocks of bits: every pair of hashes within a Hamming distance shares a key, by the pigeonhole principle.
//!
//! Hashes that differ in at most k bits differ in at most k blocks. So if there are B > k blocks, the two hashes agree in at
//! least B − k of them. There is one table for each choice of B − k blocks, and the key is the content of these blocks (Manku,
//! Jain, Das Sarma 2007, section 3). With B = k + 1, there is one table per block; this is the method of the survey
//! (`docs/sources.md`). More blocks give more tables with longer keys.

use crate::{
    error::{ErrorKind, Result},
    fingerprint::finish,
    sketch::Width,
};

/// The maximum number of tables in a plan. Each document stores one row per table.
pub const MAX_TABLES: usize = 4096;

/// A plan of tables that finds all pairs within a distance.
///
/// The cost depends on the distance far more than on the plan (see [`accidental_matches`](Self::accidental_matches)). For 64
/// bits, a distance of 3 takes 4 tables in which two random hashes collide once in 16,000. With 6 blocks, a distance of 3 takes
/// 20 tables, in which two random hashes collide once in 100 million. A distance of 9, which corresponds to resemblance 0.8,
/// takes 10 tables in which an eighth of *all* pairs collide. With 14 blocks, a distance of 9 takes 2,002 tables, in which one
/// pair in 3,000 collides. For collections that need such distances, use MinHash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    width: Width,
    distance: u32,
    blocks: u32,
    /// For each table, the bits that make its key.
    masks: Vec<u128>,
}

impl Blocks {
    /// Creates a plan for hashes of `width` bits that finds all pairs that differ in at most `distance` bits. It has one table
    /// for each way to choose `blocks − distance` of the `blocks` blocks; `blocks = distance + 1` gives the fewest tables.
    ///
    /// # Errors
    /// Fails if the distance is not below the width, if `blocks` is not above the distance, if `blocks` is above the number of
    /// bits, or if there would be more than [`MAX_TABLES`] tables.
    pub fn new(width: Width, distance: u32, blocks: u32) -> Result<Self> {
        let bits = width.bits();
        if distance >= bits {
            return Err(ErrorKind::Distance { distance, bits }.into());
        }
        if blocks <= distance || blocks > bits {
            return Err(ErrorKind::Blocks {
                blocks,
                distance,
                bits,
            }
            .into());
        }
        if choices(blocks, distance).is_none() {
            let most = (distance + 1..blocks)
                .rev()
                .find(|&fewer| choices(fewer, distance).is_some())
                .unwrap_or(distance + 1);
            return Err(ErrorKind::Tables {
                blocks,
                distance,
                most,
                max: MAX_TABLES,
            }
            .into());
        }
        let start = |block| block * bits / blocks;
        let each: Vec<u128> = (0..blocks)
            .map(|block| (start(block)..start(block + 1)).map(|bit| 1 << bit).sum())
            .collect();
        let mut masks = Vec::new();
        choose(&each, (blocks - distance) as usize, 0, &mut masks);
        Ok(Self {
            width,
            distance,
            blocks,
            masks,
        })
    }

    /// Returns the number of bits of the hashes.
    pub fn width(&self) -> Width {
        self.width
    }

    /// Returns the distance k within which all pairs are found.
    pub fn distance(&self) -> u32 {
        self.distance
    }

    /// Returns B, the number of blocks that the bits are divided into, as evenly as possible.
    pub fn blocks(&self) -> u32 {
        self.blocks
    }

    /// Returns the number of tables, C(B, k). This is also the number of keys per hash, and of rows per document.
    pub fn tables(&self) -> usize {
        self.masks.len()
    }

    /// Yields the key of a hash in each table: 32 bits that mix the chosen blocks. Like the fingerprints, the keys are the same
    /// in every release and on every machine. As with [`band_keys`](super::band_keys), keys are only ever compared within a
    /// table.
    #[inline]
    pub fn keys(&self, bits: u128) -> impl Iterator<Item = u32> {
        self.masks.iter().map(move |mask| {
            let chosen = bits & mask;
            (finish(finish(chosen as u64) ^ (chosen >> 64) as u64) >> 32) as u32
        })
    }

    /// Returns the average number of tables in which two random hashes share a key. Each table adds 2⁻ᵇ, where b is the number of
    /// bits in the chosen blocks, and another 2⁻³², the probability that different blocks are mixed into the same 32-bit key. The
    /// share of random pairs that become candidates is at most this average, and it is lower if many pairs collide in more than
    /// one table. Multiplied by n²/2, the average is about the *minimum* number of candidates among n texts, because hashes of
    /// real texts are closer to each other than random ones.
    pub fn accidental_matches(&self) -> f64 {
        let share = |mask: &u128| 0.5f64.powi(mask.count_ones() as i32);
        self.masks
            .iter()
            .map(|mask| share(mask) + (1.0 - share(mask)) * 0.5f64.powi(32))
            .sum()
    }
}

/// Returns C(n, k) if it is at most [`MAX_TABLES`].
fn choices(n: u32, k: u32) -> Option<usize> {
    // Each step computes the binomial C(n, i + 1). It does not decrease from step to step, because i stays below n / 2.
    (0..k.min(n - k) as usize).try_fold(1, |tables, i| {
        let tables = tables * (n as usize - i) / (i + 1);
        (tables <= MAX_TABLES).then_some(tables)
    })
}

/// For each choice of `count` of the blocks, in lexicographic order, appends to `masks` the bits of `mask` combined with those of
/// the chosen blocks.
fn choose(blocks: &[u128], count: usize, mask: u128, masks: &mut Vec<u128>) {
    if count == 0 {
        masks.push(mask);
        return;
    }
    for first in 0..=blocks.len() - count {
        choose(&blocks[first + 1..], count - 1, mask | blocks[first], masks);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn share_a_table(plan: &Blocks, a: u128, b: u128) -> bool {
        plan.keys(a).zip(plan.keys(b)).any(|(a, b)| a == b)
    }

    #[test]
    fn every_change_of_up_to_three_bits_leaves_a_key() {
        let hash = u128::from(finish(1));
        for plan in [4, 5, 6].map(|blocks| Blocks::new(Width::W64, 3, blocks).unwrap()) {
            for (i, j, k) in
                (0..64).flat_map(|i| (0..=i).flat_map(move |j| (0..=j).map(move |k| (i, j, k))))
            {
                let near = hash ^ (1 << i | 1 << j | 1 << k);
                assert!(
                    share_a_table(&plan, hash, near),
                    "{i} {j} {k} with {} blocks",
                    plan.blocks()
                );
            }
        }
    }

    proptest! {
        #[test]
        fn hashes_within_the_distance_share_a_key(
            hash: u128, wide: bool, distance in 0u32..30, more in 0u32..4, flips in prop::collection::vec(0u32..128, 0..30)
        ) {
            let (width, hash) = if wide { (Width::W128, hash) } else { (Width::W64, hash & u128::from(u64::MAX)) };
            if let Ok(plan) = Blocks::new(width, distance, distance + 1 + more) {
                let flips = flips.iter().take(distance as usize);
                let near = flips.fold(hash, |hash, bit| hash ^ 1 << (bit % width.bits()));
                prop_assert!(share_a_table(&plan, hash, near));
            }
        }

        #[test]
        fn a_plan_is_all_choices_of_even_blocks(wide: bool, distance in 0u32..20, more in 1u32..5) {
            let width = if wide { Width::W128 } else { Width::W64 };
            let blocks = distance + more;
            if let Ok(plan) = Blocks::new(width, distance, blocks) {
                let mut masks = plan.masks.clone();
                masks.sort_unstable();
                masks.dedup();
                prop_assert_eq!(masks.len(), plan.tables());
                let even = width.bits() / blocks;
                let chosen = blocks - distance;
                prop_assert!(masks.iter().all(|m| (even * chosen..=(even + 1) * chosen).contains(&m.count_ones())));
                // For each bit, C(B−1, B−k−1) tables have the bit's block in their keys.
                let of_bit = |bit: u32| masks.iter().filter(|&&mask| mask >> bit & 1 == 1).count();
                let each = plan.tables() * chosen as usize / blocks as usize;
                prop_assert!((0..width.bits()).all(|bit| of_bit(bit) == each) && (width == Width::W128 || masks[masks.len() - 1] >> 64 == 0));
            }
        }
    }

    #[test]
    fn plans_in_a_table() {
        // (width, k, B, tables, fewest and most bits of a key, accidental matches of a random pair). The third row is from Manku
        // et al. 2007, section 3.
        for (width, k, blocks, tables, least, most, share) in [
            (Width::W64, 0, 1, 1, 64, 64, 2.3283e-10),
            (Width::W64, 3, 4, 4, 16, 16, 6.1036e-5),
            (Width::W64, 3, 6, 20, 31, 33, 9.779e-9),
            (Width::W64, 9, 10, 10, 6, 7, 0.125),
            (Width::W64, 9, 14, 2002, 20, 25, 3.238e-4),
            (Width::W128, 6, 8, 28, 32, 32, 1.30385e-8),
            (Width::W128, 127, 128, 128, 1, 1, 64.0),
        ] {
            let plan = Blocks::new(width, k, blocks).unwrap();
            let bits = || plan.masks.iter().map(|mask| mask.count_ones());
            assert_eq!(
                (plan.tables(), bits().min(), bits().max()),
                (tables, Some(least), Some(most)),
                "{k} of {blocks}"
            );
            let found = plan.accidental_matches();
            assert!(
                (found / share - 1.0).abs() < 0.001,
                "{k} of {blocks}: {found}"
            );
        }
    }

    #[test]
    fn random_hashes_collide_as_often_as_predicted() {
        let plan = Blocks::new(Width::W64, 9, 12).unwrap();
        let hash = |i| u128::from(finish(i));
        let meet = |i: u64| {
            plan.keys(hash(2 * i))
                .zip(plan.keys(hash(2 * i + 1)))
                .filter(|(a, b)| a == b)
                .count()
        };
        let mean = (0..100_000).map(meet).sum::<usize>() as f64 / 100_000.0;
        assert!(
            (mean / plan.accidental_matches() - 1.0).abs() < 0.15,
            "{mean} against {}",
            plan.accidental_matches()
        );
    }

    #[test]
    fn keys_are_frozen_and_depend_on_their_blocks_alone() {
        let plan = Blocks::new(Width::W128, 1, 2).unwrap();
        let keys = |bits| plan.keys(bits).collect::<Vec<_>>();
        assert_eq!(keys(1 << 64 | 2), [1391122403, 1452414493]);
        assert_eq!(keys(1 << 64 | 2)[0], keys(5 << 64 | 2)[0]);
        assert_ne!(keys(1 << 64 | 2)[1], keys(5 << 64 | 2)[1]);
    }

    #[test]
    fn invalid_settings_are_refused_with_a_message() {
        let words = |distance, blocks| {
            Blocks::new(Width::W64, distance, blocks)
                .unwrap_err()
                .to_string()
        };
        assert!(
            words(64, 65).contains("below 64 bits, got 64"),
            "{}",
            words(64, 65)
        );
        for blocks in [0, 3, 65] {
            assert!(
                words(3, blocks).contains("need 4 to 64 blocks"),
                "{}",
                words(3, blocks)
            );
        }
        assert!(
            words(9, 20).contains("at most 14 blocks"),
            "{}",
            words(9, 20)
        );
        assert!(
            words(30, 60).contains("at most 32 blocks"),
            "{}",
            words(30, 60)
        );
        // A plan with the minimum number of tables (k + 1 blocks) exists for every distance.
        assert!((0..64).all(|distance| Blocks::new(Width::W64, distance, distance + 1).is_ok()));
    }
}
