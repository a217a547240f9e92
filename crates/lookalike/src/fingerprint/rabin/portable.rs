//! The portable kernel: it applies linear maps to eight bytes in each step, with one table for each byte (from Broder 1993,
//! section 4).

use std::{fmt, mem};

use super::{modulus::Modulus, window::Window};

/// Multiplication of any 64-bit polynomial by one constant modulo M: eight tables, one per byte, 16 KiB in all.
#[derive(Clone)]
struct Times([[u64; 256]; 8]);

impl Times {
    fn new(constant: u64, modulus: Modulus) -> Self {
        let mut tables = [[0; 256]; 8];
        let mut image = constant;
        for table in &mut tables {
            for bit in 0..8 {
                let (done, rest) = table.split_at_mut(1 << bit);
                for (to, from) in rest.iter_mut().zip(done) {
                    *to = *from ^ image;
                }
                image = modulus.times_x(image);
            }
        }
        Self(tables)
    }

    #[inline]
    fn apply(&self, v: u64) -> u64 {
        self.0
            .iter()
            .zip(v.to_le_bytes())
            .fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)])
    }
}

/// The modulus and the table for multiplication by x⁶⁴. The table for the unit that leaves the window depends on the window's
/// length, and is filled for each text.
#[derive(Clone)]
pub(super) struct Portable {
    modulus: Modulus,
    times_x64: Box<Times>,
    shift: u32,
}

impl Portable {
    pub(super) fn new(modulus: Modulus, shift: u32) -> Self {
        Self {
            modulus,
            times_x64: Box::new(Times::new(modulus.low(), modulus)),
            shift,
        }
    }

    /// Returns V mod M.
    #[inline]
    pub(super) fn reduce(&self, v: u128) -> u64 {
        v as u64 ^ self.times_x64.apply((v >> 64) as u64)
    }

    #[inline]
    fn step(&self, residue: u64, unit: u64) -> u64 {
        self.reduce(u128::from(residue) << 64 ^ u128::from(unit) << self.shift)
    }

    pub(super) fn append(&self, residue: u64, units: impl Iterator<Item = u64>) -> u64 {
        units.fold(residue, |residue, unit| self.step(residue, unit))
    }

    pub(super) fn roll(&self, window: Window, units: &mut [u64]) {
        let leave = Times::new(window.one, self.modulus);
        let (k, mut residue) = (window.k, window.first);
        for i in 0..units.len() - k {
            let leaving = mem::replace(&mut units[i], window.fingerprint(residue));
            residue = self.step(residue, units[i + k]) ^ leave.apply(leaving);
        }
        units[units.len() - k] = window.fingerprint(residue);
    }
}

/// Shows only the modulus: the tables follow from it.
impl fmt::Debug for Portable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Portable")
            .field("modulus", &self.modulus)
            .finish_non_exhaustive()
    }
}
