//! External memory: things that are written once, in order, and read anywhere. In memory while the run's [`Budget`] allows,
//! beyond it in a temporary file that has no name, so that nothing is left behind whatever happens.

mod budget;
mod sort;

use std::{
    io::{self, Write},
    ops::Range,
    sync::Arc,
};

pub(crate) use self::{budget::Budget, sort::Sorter};
use crate::{
    disk::File,
    error::{Error, Result},
};

/// Bytes that are read at a time by those who read all.
const PIECE: usize = 1 << 18;

/// An append-only store of `T`s. The beginning may lie in a file, the end in memory.
#[derive(Debug)]
pub(crate) struct Spill<T> {
    tail: Vec<T>,
    file: Option<File>,
    in_file: u64,
    budget: Arc<Budget>,
}

impl<T: bytemuck::Pod> Spill<T> {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        Self { tail: Vec::new(), file: None, in_file: 0, budget: budget.clone() }
    }

    /// The number of `T`s: the place that the next will have.
    pub(crate) fn len(&self) -> u64 {
        self.in_file + self.tail.len() as u64
    }

    /// Appends. What is too much for the run's memory goes to the file.
    pub(crate) fn append(&mut self, more: &[T]) -> Result<()> {
        self.tail.extend_from_slice(more);
        self.budget.hold(size_of_val(more));
        if self.budget.is_over() && size_of_val(&*self.tail) >= self.budget.worth_writing() { self.flush() } else { Ok(()) }
    }

    /// Appends straight to the file, where there is no room for a copy.
    pub(crate) fn append_to_file(&mut self, more: &[T]) -> Result<()> {
        self.flush()?;
        self.write(more).map_err(|error| Error::temporary(self.budget.temp_dir(), &error))
    }

    /// Writes all to the file.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let tail = std::mem::take(&mut self.tail);
        self.budget.release(size_of_val(&*tail));
        self.write(&tail).map_err(|error| Error::temporary(self.budget.temp_dir(), &error))
    }

    fn write(&mut self, more: &[T]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::temporary(self.budget.temp_dir())?),
        };
        file.write_all(bytemuck::cast_slice(more))?;
        self.in_file += more.len() as u64;
        Ok(())
    }

    /// Forgets all, and gives its room back.
    pub(crate) fn clear(&mut self) {
        self.budget.release(size_of_val(&*self.tail));
        (self.tail, self.file, self.in_file) = (Vec::new(), None, 0);
    }

    /// The `T`s in a range of places; `room` holds those that have to be read from the file.
    pub(crate) fn get<'a>(&'a self, range: Range<u64>, room: &'a mut Vec<T>) -> Result<&'a [T]> {
        if range.start >= self.in_file {
            return Ok(&self.tail[(range.start - self.in_file) as usize..(range.end - self.in_file) as usize]);
        }
        let in_file = (self.in_file.min(range.end) - range.start) as usize;
        room.resize(in_file, T::zeroed());
        let read = match &self.file {
            Some(file) => file.read_exact_at(bytemuck::cast_slice_mut(room), range.start * size_of::<T>() as u64),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        };
        read.map_err(|error| Error::temporary(self.budget.temp_dir(), &error))?;
        room.extend_from_slice(&self.tail[..(range.end - range.start) as usize - in_file]);
        Ok(room)
    }

    /// Gives all, piece by piece in order, each with the place of its first. Pieces are whole numbers of `unit` `T`s.
    pub(crate) fn each_piece(&self, unit: usize, mut give: impl FnMut(u64, &[T]) -> Result<()>) -> Result<()> {
        let length = (PIECE / size_of::<T>() / unit).max(1) * unit;
        let (mut room, mut start) = (Vec::new(), 0);
        while start < self.len() {
            let end = self.len().min(start + length as u64);
            give(start, self.get(start..end, &mut room)?)?;
            start = end;
        }
        Ok(())
    }
}

impl<T> Drop for Spill<T> {
    fn drop(&mut self) {
        self.budget.release(size_of_val(&*self.tail));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_appended_is_read_back(runs in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..9), 0..30), flushed in 0usize..30) {
            let budget = Budget::new(1 << 30, &std::env::temp_dir());
            let mut spill = Spill::new(&budget);
            for (run, number) in runs.iter().zip(0..) {
                spill.append(run).unwrap();
                if number == flushed {
                    spill.flush().unwrap();
                }
            }
            let (all, mut room) = (runs.concat(), Vec::new());
            prop_assert_eq!(spill.len(), all.len() as u64);
            for (from, to) in [(0, all.len()), (all.len() / 3, all.len() / 2), (all.len(), all.len())] {
                prop_assert_eq!(spill.get(from as u64..to as u64, &mut room).unwrap(), &all[from..to]);
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
    fn stores_share_a_budget_and_give_back_what_they_held() {
        let budget = Budget::new(1 << 20, &std::env::temp_dir());
        let (mut a, mut b) = (Spill::new(&budget), Spill::new(&budget));
        for _ in 0..100 {
            a.append(&[7u8; 1 << 14]).unwrap();
            b.append(&[7u32; 1 << 12]).unwrap();
        }
        assert!(a.in_file > 0 && b.in_file > 0 && budget.held() < (1 << 20) + 2 * budget.worth_writing() as u64);
        a.clear();
        drop(b);
        assert_eq!(budget.held(), 0);
    }
}
