//! External memory: data that is written once, in order, and read at any position. The data is in memory while the run's
//! [`Budget`] allows it, and otherwise in a temporary file. The file has no name, so nothing remains on disk even if the process
//! is killed.

mod budget;

mod cutting;

mod sort;

pub mod places;

pub mod sieve;

pub mod grouping;

use std::{
    io::{self, Write},
    ops::Range,
    sync::Arc,
};

pub use self::{
    budget::{Budget, Held},
    cutting::{SpilledCutter, SpilledSearcher},
    sort::{Sortable, Sorter},
};
use crate::{
    disk::File,
    error::{Error, Result},
};

/// The number of bytes that are read at a time when a whole store is read. It is also the number of bytes that are allocated at a
/// time.
const PIECE: usize = 1 << 18;

/// An append-only store of `T`s. Its beginning may be in a file, and its end in memory.
#[derive(Debug)]
pub struct Spill<T> {
    /// The part in memory, in chunks of equal size, so that growing never moves data.
    chunks: Vec<Vec<T>>,
    in_memory: u64,
    file: Option<File>,
    in_file: u64,
    budget: Arc<Budget>,
}

impl<T: bytemuck::Pod> Spill<T> {
    /// The number of `T`s in a chunk.
    const CHUNK: usize = PIECE / size_of::<T>();

    /// Creates an empty store within a budget.
    pub fn new(budget: &Arc<Budget>) -> Self {
        Self {
            chunks: Vec::new(),
            in_memory: 0,
            file: None,
            in_file: 0,
            budget: budget.clone(),
        }
    }

    /// Returns the number of `T`s, which is the position of the next one.
    pub fn len(&self) -> u64 {
        self.in_file + self.in_memory
    }

    /// Appends `T`s. Data that exceeds the run's memory goes to the file.
    pub fn append(&mut self, more: &[T]) -> Result<()> {
        let mut rest = more;
        while !rest.is_empty() {
            let at = self.in_memory as usize % Self::CHUNK;
            if at == 0 {
                self.chunks.push(Vec::with_capacity(Self::CHUNK));
            }
            let (now, later) = rest.split_at(rest.len().min(Self::CHUNK - at));
            self.chunks
                .last_mut()
                .into_iter()
                .for_each(|chunk| chunk.extend_from_slice(now));
            self.in_memory += now.len() as u64;
            rest = later;
        }
        self.budget.hold(size_of_val(more));
        self.make_room()
    }

    /// Writes everything to the file if the budget is exceeded and the store holds enough data to make a write worthwhile.
    pub fn make_room(&mut self) -> Result<()> {
        if self.budget.is_over()
            && self.in_memory as usize * size_of::<T>() >= self.budget.worth_writing()
        {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Appends directly to the file, for data that is too large to be copied in memory.
    pub(crate) fn append_to_file(&mut self, more: &[T]) -> Result<()> {
        self.flush()?;
        self.write(more)
            .map_err(|error| Error::temporary(self.budget.temp_dir(), &error))
    }

    /// Writes everything to the file.
    pub fn flush(&mut self) -> Result<()> {
        for chunk in std::mem::take(&mut self.chunks) {
            self.budget.release(size_of_val(&*chunk));
            self.in_memory -= chunk.len() as u64;
            self.write(&chunk)
                .map_err(|error| Error::temporary(self.budget.temp_dir(), &error))?;
        }
        Ok(())
    }

    fn write(&mut self, more: &[T]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::temporary(self.budget.temp_dir())?),
        };
        file.write_all(bytemuck::cast_slice(more))?;
        self.budget.spill(size_of_val(more));
        self.in_file += more.len() as u64;
        Ok(())
    }

    /// Discards everything and releases its memory.
    pub fn clear(&mut self) {
        *self = Self::new(&self.budget.clone());
    }

    /// Returns the `T`s in a range of positions. If they are not contiguous in memory, they are copied to `scratch`.
    pub fn get<'a>(&'a self, range: Range<u64>, scratch: &'a mut Vec<T>) -> Result<&'a [T]> {
        let in_file = self.in_file.min(range.end).saturating_sub(range.start) as usize;
        let mut at = range.start.saturating_sub(self.in_file) as usize;
        let mut left = (range.end - range.start) as usize - in_file;
        if in_file == 0 && left <= Self::CHUNK - at % Self::CHUNK {
            let chunk = self
                .chunks
                .get(at / Self::CHUNK)
                .map_or(&[][..], |chunk| chunk);
            return Ok(&chunk[if left == 0 {
                0..0
            } else {
                at % Self::CHUNK..at % Self::CHUNK + left
            }]);
        }
        scratch.resize(in_file, T::zeroed());
        if let (Some(file), true) = (&self.file, in_file > 0) {
            file.read_exact_at(
                bytemuck::cast_slice_mut(scratch),
                range.start * size_of::<T>() as u64,
            )
            .map_err(|error| Error::temporary(self.budget.temp_dir(), &error))?;
        }
        while left > 0 {
            let chunk = &self.chunks[at / Self::CHUNK][at % Self::CHUNK..];
            let now = &chunk[..left.min(chunk.len())];
            scratch.extend_from_slice(now);
            (at, left) = (at + now.len(), left - now.len());
        }
        Ok(scratch)
    }

    /// Returns the `T` at a position if it is in memory.
    pub fn peek(&self, position: u64) -> Option<&T> {
        let at = position.checked_sub(self.in_file)? as usize;
        self.chunks.get(at / Self::CHUNK)?.get(at % Self::CHUNK)
    }

    /// Passes everything to `give`, piece by piece in order, each with the position of its first `T`. The length of each piece is
    /// a multiple of `unit`.
    pub fn each_piece(
        &self,
        unit: usize,
        mut give: impl FnMut(u64, &[T]) -> Result<()>,
    ) -> Result<()> {
        let length = (PIECE / size_of::<T>() / unit).max(1) * unit;
        let (mut scratch, mut start) = (Vec::new(), 0);
        while start < self.len() {
            let end = self.len().min(start + length as u64);
            give(start, self.get(start..end, &mut scratch)?)?;
            start = end;
        }
        Ok(())
    }
}

impl<T> Drop for Spill<T> {
    fn drop(&mut self) {
        self.chunks
            .iter()
            .for_each(|chunk| self.budget.release(size_of_val(&**chunk)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn appended_data_is_read_back(runs in prop::collection::vec((any::<u64>(), 0usize..40_000), 0..12), flushed in 0usize..12) {
            let budget = Budget::of(1 << 30, 0, &std::env::temp_dir());
            let mut spill = Spill::new(&budget);
            let runs: Vec<Vec<u64>> = runs.into_iter().map(|(first, length)| (first >> 1..).take(length).collect()).collect();
            for (run, number) in runs.iter().zip(0..) {
                spill.append(run).unwrap();
                if number == flushed {
                    spill.flush().unwrap();
                }
            }
            let (all, mut scratch) = (runs.concat(), Vec::new());
            prop_assert_eq!(spill.len(), all.len() as u64);
            prop_assert!((0..=all.len()).all(|at| spill.peek(at as u64) == all.get(at).filter(|_| at as u64 >= spill.in_file)));
            for (from, to) in [(0, all.len()), (all.len() / 3, all.len() / 2), (all.len(), all.len())] {
                prop_assert_eq!(spill.get(from as u64..to as u64, &mut scratch).unwrap(), &all[from..to]);
            }
            let mut read = Vec::new();
            spill.each_piece(1, |start, piece| {
                assert_eq!(start, read.len() as u64);
                read.extend_from_slice(piece);
                Ok(())
            }).unwrap();
            prop_assert_eq!(read, all);
        }
    }

    #[test]
    fn stores_share_a_budget_and_return_their_memory() {
        let budget = Budget::of(1 << 20, 0, &std::env::temp_dir());
        let (mut a, mut b) = (Spill::new(&budget), Spill::new(&budget));
        for _ in 0..100 {
            a.append(&[7u8; 1 << 14]).unwrap();
            b.append(&[7u32; 1 << 12]).unwrap();
        }
        assert!(
            a.in_file > 0
                && b.in_file > 0
                && budget.held() < (1 << 20) + 2 * budget.worth_writing() as u64
        );
        a.clear();
        drop(b);
        assert_eq!(budget.held(), 0);
    }
}
