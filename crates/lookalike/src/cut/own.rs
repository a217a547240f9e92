//! Windows that a text repeats.

use std::ops::Range;

use crate::fingerprint::{Lookup, finish, roll};

/// For each window of a text, the position of the first window that is equal to it.
#[derive(Debug, Default)]
pub(super) struct FirstWindows {
    first: Vec<u32>,
    hashes: Vec<u64>,
}

impl FirstWindows {
    /// Finds the first windows of a text. Cost: two multiplications and a lookup for each window.
    pub fn find(&mut self, units: &[u64], window: usize) {
        let Self { first, hashes } = self;
        first.clear();
        hashes.clear();
        if units.len() < window {
            return;
        }
        roll(units, window, hashes);
        let mut seen: Lookup<u64, u32> = Lookup::default();
        for (at, &hash) in hashes.iter().enumerate() {
            // Different windows with equal hashes get different keys.
            let mut key = hash;
            let same = loop {
                let same = *seen.entry(key).or_insert(at as u32);
                if units[same as usize..][..window] == units[at..][..window] {
                    break same;
                }
                key = finish(key).wrapping_add(1);
            };
            first.push(same);
        }
    }

    /// Returns the position of the first window that is equal to a window.
    pub fn of(&self, at: usize) -> usize {
        self.first[at] as usize
    }

    /// Returns whether one of the windows in a range is the first of those that are equal to it. Windows beyond the last one do not
    /// count.
    pub fn has_first(&self, windows: Range<usize>) -> bool {
        (windows.start..windows.end.min(self.first.len())).any(|at| self.of(at) == at)
    }
}
