//! External memory: things that are written once, in order, and read anywhere. In memory up to a bound, beyond it in a
//! temporary file that has no name, so that nothing is left behind whatever happens.

mod sort;

use std::{
    fs::File,
    io::{self, Write},
    os::unix::fs::FileExt,
    path::PathBuf,
};

pub(crate) use self::sort::Sorter;
use crate::error::{Error, Result};

/// An append-only store of `T`s in runs.
#[derive(Debug)]
pub(crate) struct Spill<T> {
    memory: Vec<T>,
    bound: usize,
    file: Option<File>,
    in_file: u64,
    temp_dir: PathBuf,
}

impl<T: bytemuck::Pod> Spill<T> {
    /// Keeps up to `bound` bytes in memory.
    pub(crate) fn new(bound: usize, temp_dir: PathBuf) -> Self {
        Self { memory: Vec::new(), bound: bound / size_of::<T>(), file: None, in_file: 0, temp_dir }
    }

    /// The place that the next run will have: the number of `T`s before it.
    pub(crate) fn end(&self) -> u64 {
        self.memory.len() as u64 + self.in_file
    }

    /// Appends a run. A run lies in memory or in the file, never in both.
    pub(crate) fn append(&mut self, run: &[T]) -> Result<()> {
        if self.file.is_none() && self.memory.len() + run.len() <= self.bound {
            self.memory.extend_from_slice(run);
            return Ok(());
        }
        self.append_to_file(run).map_err(|error| Error::temporary(&self.temp_dir, &error))
    }

    fn append_to_file(&mut self, run: &[T]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.temp_dir)?),
        };
        file.write_all(bytemuck::cast_slice(run))?;
        self.in_file += run.len() as u64;
        Ok(())
    }

    /// Reads `length` `T`s from place `start` into `into`. They may span several runs, but not memory and file both, unless
    /// they are read by [`read_across`](Self::read_across).
    pub(crate) fn read(&self, start: u64, length: usize, into: &mut Vec<T>) -> Result<()> {
        into.clear();
        self.read_more(start, length, into)
    }

    /// As [`read`](Self::read), for any stretch.
    pub(crate) fn read_across(&self, start: u64, length: usize, into: &mut Vec<T>) -> Result<()> {
        into.clear();
        let in_memory = (self.memory.len() as u64).saturating_sub(start).min(length as u64) as usize;
        self.read_more(start, in_memory, into)?;
        self.read_more(start + in_memory as u64, length - in_memory, into)
    }

    fn read_more(&self, start: u64, length: usize, into: &mut Vec<T>) -> Result<()> {
        if length == 0 {
            return Ok(());
        }
        let memory = self.memory.len() as u64;
        if start < memory {
            into.extend_from_slice(&self.memory[start as usize..start as usize + length]);
            return Ok(());
        }
        let filled = into.len();
        into.resize(filled + length, T::zeroed());
        let read = match &self.file {
            Some(file) => {
                file.read_exact_at(bytemuck::cast_slice_mut(&mut into[filled..]), (start - memory) * size_of::<T>() as u64)
            }
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        };
        read.map_err(|error| Error::temporary(&self.temp_dir, &error))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_appended_is_read_back(runs in prop::collection::vec(prop::collection::vec(any::<u64>(), 0..9), 0..30), bound in 0usize..800) {
            let mut spill = Spill::new(bound, std::env::temp_dir());
            let mut starts = Vec::new();
            for run in &runs {
                starts.push(spill.end());
                spill.append(run).unwrap();
            }
            let mut read = Vec::new();
            for (run, start) in runs.iter().zip(starts) {
                spill.read(start, run.len(), &mut read).unwrap();
                prop_assert_eq!(&read, run);
            }
            let all = runs.concat();
            for (from, to) in [(0, all.len()), (all.len() / 3, all.len() / 2)] {
                spill.read_across(from as u64, to - from, &mut read).unwrap();
                prop_assert_eq!(&read, &all[from..to]);
            }
        }
    }
}
