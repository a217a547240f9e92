//! The texts that stored units are from.

use std::ops::Range;

use super::store::Store;

/// Consecutive units of a kept text that are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Area {
    /// The position of the first unit in the store.
    pub position: u64,
    /// The first unit in the kept text.
    pub kept_at: u32,
    pub kept: Kept,
}

/// A kept text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cut) struct Kept {
    /// The number of the text.
    pub text: u32,
    pub group: u64,
    /// The place of the text's stretches in their store, below 2⁶³.
    pub stretches: u64,
    /// Whether the text may repeat a window, with overlap.
    pub has_repeats: bool,
}

const REPEATS: u64 = 1 << 63;

/// The areas, in the order of their positions.
#[derive(Debug)]
pub(super) struct Areas<S> {
    /// Four numbers for each area.
    store: S,
    /// The positions of some of the areas, with the same number of areas between them.
    positions: Vec<u64>,
    count: u64,
}

impl<S: Store> Areas<S> {
    /// The position of one in this many areas is in `positions`. In tests it is small, because there are few areas.
    const EACH: u64 = if cfg!(test) { 2 } else { 4 };

    pub fn new(store: S) -> Self {
        Self {
            store,
            positions: Vec::new(),
            count: 0,
        }
    }

    /// Returns the number of bytes of memory that no budget counts.
    pub fn memory(&self) -> usize {
        self.store.memory() + size_of_val(&*self.positions)
    }

    /// Adds an area, which comes after all others.
    pub fn push(&mut self, area: Area) -> Result<(), S::Error> {
        if self.count.is_multiple_of(Self::EACH) {
            self.positions.push(area.position);
        }
        self.count += 1;
        let Area {
            position,
            kept_at,
            kept:
                Kept {
                    text,
                    group,
                    stretches,
                    has_repeats,
                },
        } = area;
        let stretches = stretches | if has_repeats { REPEATS } else { 0 };
        self.store.append(&[
            position,
            u64::from(text) << 32 | u64::from(kept_at),
            stretches,
            group,
        ])
    }

    /// Returns the area of a position. There must be one.
    pub fn find(&self, position: u64, scratch: &mut Vec<u64>) -> Result<Area, S::Error> {
        let group = self.positions.partition_point(|first| *first <= position) as u64 - 1;
        let (first, end) = (
            group * Self::EACH,
            ((group + 1) * Self::EACH).min(self.count),
        );
        let numbers = self.store.read(4 * first..4 * end, scratch)?;
        let (areas, _) = numbers.as_chunks::<4>();
        let at = areas.partition_point(|area| area[0] <= position) - 1;
        Ok(Area::unpacked(areas[at]))
    }
}

impl Areas<Vec<u64>> {
    /// Removes all areas.
    pub fn clear(&mut self) {
        self.store.clear();
        self.positions.clear();
        self.count = 0;
    }

    /// Passes all areas to `give`, with the positions of their units. `end` is one past the last position.
    pub fn each<E>(
        &self,
        end: u64,
        mut give: impl FnMut(Area, Range<u64>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (areas, _) = self.store.as_chunks::<4>();
        areas.iter().enumerate().try_for_each(|(at, &numbers)| {
            let area = Area::unpacked(numbers);
            give(
                area,
                area.position..areas.get(at + 1).map_or(end, |next| next[0]),
            )
        })
    }
}

impl Area {
    fn unpacked([position, place, stretches, group]: [u64; 4]) -> Self {
        let (has_repeats, stretches) = (stretches & REPEATS != 0, stretches & !REPEATS);
        let kept = Kept {
            text: (place >> 32) as u32,
            group,
            stretches,
            has_repeats,
        };
        Self {
            position,
            kept_at: place as u32,
            kept,
        }
    }
}
