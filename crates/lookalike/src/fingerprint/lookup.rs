//! Hash tables whose keys are numbers.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use super::mix::finish;

/// A hash table that is only looked up, never iterated. Its hash function is fixed, so that repeated runs take the same time.
pub type Lookup<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// The hash function of a [`Lookup`].
#[derive(Debug, Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    /// Not called: the keys are integers, or pairs of integers.
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = finish(self.0 ^ number);
    }
}
