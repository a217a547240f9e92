//! The bytes of a stored MinHash signature.
//!
//! Slots of 32 bits are stored whole. If slots have fewer bits, the upper bits of a product with a random odd number are stored, as in
//! `sketch/bbit`, because minima are small numbers whose upper bits are nearly all zero. Numbers are little-endian.
//!
//! If one permutation makes all slots, a slot whose bin is empty has the value of another function (see `sketch/oneperm`). The
//! signature of a union can then be computed only if it is known which bins are empty. So one bit per slot follows the slots: it is
//! set if the slot's bin has an element. For 128 slots this takes 16 bytes.
//!
//! Fewer than eight bits per slot were rejected. With one bit, two different documents agree in half of their slots by chance, so
//! most pairs of a collection would share a band of three rows, and the bands would exclude hardly any pair.

use crate::{
    config::Permutations,
    error::{ErrorKind, Result},
    sketch::{Estimate, MinHash, OnePermutation},
};

/// The multiplier that mixes the bits of a slot.
const MIX: u32 = 0x9e37_79b1;

/// How signatures are made and stored.
#[derive(Debug, Clone)]
pub(crate) struct Slots {
    family: Family,
    slots: usize,
    bits: u32,
}

#[derive(Debug, Clone)]
enum Family {
    Many(MinHash),
    One(OnePermutation),
}

impl Slots {
    /// Creates the family of signatures. `bits` must be 8, 16 or 32, and `slots` not 0.
    pub(super) fn new(slots: usize, bits: u32, permutations: Permutations, seed: u64) -> Self {
        let family = match permutations {
            Permutations::Many => Family::Many(MinHash::new(slots, seed)),
            Permutations::One => Family::One(OnePermutation::new(slots, seed)),
        };
        Self {
            family,
            slots,
            bits,
        }
    }

    /// Returns the number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// Returns the number of bytes per slot.
    fn width(&self) -> usize {
        self.bits as usize / 8
    }

    /// Returns whether the bins that have an element are stored.
    fn has_bins(&self) -> bool {
        self.bits == 32 && matches!(self.family, Family::One(_))
    }

    /// Returns the number of bytes of a stored signature.
    pub(crate) fn bytes(&self) -> usize {
        self.slots * self.width()
            + if self.has_bins() {
                self.slots.div_ceil(8)
            } else {
                0
            }
    }

    /// Appends the stored signature of a set of fingerprints. `slots` is a scratch buffer.
    pub(crate) fn put(&self, fingerprints: &[u64], slots: &mut Vec<u32>, into: &mut Vec<u8>) {
        let mut bins = Vec::new();
        match &self.family {
            Family::Many(minhash) => minhash.minima(fingerprints, slots),
            Family::One(minhash) => minhash.minima_and_bins(fingerprints, slots, &mut bins),
        }
        match self.bits {
            8 => into.extend(
                slots
                    .iter()
                    .map(|slot| (slot.wrapping_mul(MIX) >> 24) as u8),
            ),
            16 => into.extend(
                slots
                    .iter()
                    .flat_map(|slot| ((slot.wrapping_mul(MIX) >> 16) as u16).to_le_bytes()),
            ),
            _ => into.extend(slots.iter().flat_map(|slot| slot.to_le_bytes())),
        }
        if self.has_bins() {
            into.extend_from_slice(&bins);
        }
    }

    /// Fills `slots` with the numbers that are stored. If they have fewer than 32 bits, they are not minima, but equal minima still
    /// have equal numbers.
    pub(crate) fn numbers(&self, bytes: &[u8], slots: &mut Vec<u32>) {
        slots.clear();
        let bytes = &bytes[..self.slots * self.width()];
        match self.bits {
            8 => slots.extend(bytes.iter().map(|&byte| u32::from(byte))),
            16 => slots.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&two| u32::from(u16::from_le_bytes(two))),
            ),
            _ => slots.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&four| u32::from_le_bytes(four)),
            ),
        }
    }

    /// Returns the number of slots in which two stored signatures agree.
    pub(crate) fn agreement(&self, a: &[u8], b: &[u8]) -> u64 {
        fn equal<const N: usize>(a: &[u8], b: &[u8]) -> u64 {
            a.as_chunks::<N>()
                .0
                .iter()
                .zip(b.as_chunks::<N>().0)
                .map(|(a, b)| u64::from(a == b))
                .sum()
        }
        let length = self.slots * self.width();
        let (a, b) = (&a[..length], &b[..length]);
        match self.bits {
            8 => equal::<1>(a, b),
            16 => equal::<2>(a, b),
            _ => equal::<4>(a, b),
        }
    }

    /// Returns the probability that two different minima have the same number.
    pub(crate) fn chance(&self) -> f64 {
        if self.bits == 32 {
            0.0
        } else {
            0.5f64.powi(self.bits as i32)
        }
    }

    fn without_chance(&self, share: f64) -> f64 {
        let chance = self.chance();
        ((share - chance) / (1.0 - chance)).max(0.0)
    }

    /// Returns the estimated resemblance of two sets that are not empty, corrected for numbers that are equal by chance (Li & König
    /// 2010, theorem 1, for small sets of different sizes).
    pub(crate) fn resemblance(&self, a: &[u8], b: &[u8]) -> f64 {
        self.without_chance(self.agreement(a, b) as f64 / self.slots as f64)
    }

    /// Like [`resemblance`](Self::resemblance), with an interval.
    pub(crate) fn estimate(&self, a: &[u8], b: &[u8]) -> Estimate {
        Estimate::of_share(self.agreement(a, b), self.slots as u64)
            .map(|share| self.without_chance(share))
    }

    /// Returns the stored signature of the union of two sets: the smaller value of each slot (Broder 1997, section 3: the minimum
    /// of a union is the smaller minimum). With one permutation, a slot whose bin is empty in only one of the sets has the value of
    /// the other set.
    ///
    /// # Errors
    /// Fails if slots are not stored whole, because it is then not known which minimum is smaller.
    pub(crate) fn union(&self, a: &[u8], b: &[u8]) -> Result<Vec<u8>> {
        self.can_unite()?;
        let (mut of_a, mut of_b, mut union) =
            (Vec::new(), Vec::new(), Vec::with_capacity(self.bytes()));
        self.numbers(a, &mut of_a);
        self.numbers(b, &mut of_b);
        let (bins_a, bins_b) = (&a[4 * self.slots..], &b[4 * self.slots..]);
        let is_full = |bins: &[u8], slot: usize| bins[slot / 8] >> (slot % 8) & 1 == 1;
        for (slot, (&a, &b)) in of_a.iter().zip(&of_b).enumerate() {
            let slot = match self.has_bins() && is_full(bins_a, slot) != is_full(bins_b, slot) {
                true if is_full(bins_a, slot) => a,
                true => b,
                false => a.min(b),
            };
            union.extend(slot.to_le_bytes());
        }
        union.extend(bins_a.iter().zip(bins_b).map(|(a, b)| a | b));
        Ok(union)
    }

    /// Checks that the signature of a union can be computed from two stored signatures.
    pub(crate) fn can_unite(&self) -> Result<()> {
        match self.bits {
            32 => Ok(()),
            bits => Err(ErrorKind::NoUnion(format!(
                "of each slot, only {bits} bits are stored, not the whole minimum"
            ))
            .into()),
        }
    }
}
