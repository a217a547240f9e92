//! Windows that a text repeats.

use std::ops::Range;

use super::{Anchor, around};
use crate::{
    cut::buffers::emptied,
    fingerprint::{Lookup, finish, roll},
};

/// For each window of a text, the position of the first window that is equal to it.
#[derive(Debug, Default)]
pub(in crate::cut) struct FirstWindows {
    first: Vec<u32>,
    hashes: Vec<u64>,
    keys: Vec<u64>,
}

impl FirstWindows {
    /// Finds the first windows of a text. Returns whether any window is repeated. Only windows that contain an anchor with a repeated key
    /// can be equal to another one. Cost: two multiplications for each window, and a lookup for each of those.
    pub fn find(&mut self, units: &[u64], anchors: &[Anchor], window: usize) -> bool {
        let Self {
            first,
            hashes,
            keys,
        } = self;
        emptied(first);
        emptied(hashes);
        keys.clear();
        keys.extend(anchors.iter().map(Anchor::key));
        keys.sort_unstable();
        // Keeps one of the keys that occur more than once.
        let mut repeated: Vec<u64> = keys
            .windows(2)
            .filter(|keys| keys[0] == keys[1])
            .map(|keys| keys[0])
            .collect();
        repeated.dedup();
        if repeated.is_empty() {
            return false;
        }
        roll(units, window, hashes);
        first.extend(0..hashes.len() as u32);
        let mut seen: Lookup<u64, u32> = Lookup::default();
        let (mut next, mut is_any_repeated) = (0, false);
        for anchor in anchors
            .iter()
            .filter(|anchor| repeated.binary_search(&anchor.key()).is_ok())
        {
            let windows = around(anchor.at as usize, window);
            for at in windows.start.max(next)..windows.end.min(hashes.len()) {
                // Different windows with equal hashes get different keys.
                let mut key = hashes[at];
                first[at] = loop {
                    let same = *seen.entry(key).or_insert(at as u32);
                    if units[same as usize..][..window] == units[at..][..window] {
                        break same;
                    }
                    key = finish(key).wrapping_add(1);
                };
                is_any_repeated |= first[at] != at as u32;
            }
            next = windows.end;
        }
        is_any_repeated
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
