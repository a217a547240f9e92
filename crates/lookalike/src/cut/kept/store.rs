//! Stores of kept texts: in memory, or in files.

use std::{convert::Infallible, fmt::Debug, ops::Range};

/// A list of numbers to which others are appended: in memory, or in a file if there are too many.
pub trait Store: Debug {
    /// The error of reading and writing.
    type Error;

    /// Appends numbers.
    ///
    /// # Errors
    /// Fails if they cannot be written.
    fn append(&mut self, numbers: &[u64]) -> Result<(), Self::Error>;

    /// Returns the number of numbers.
    fn count(&self) -> u64;

    /// Returns the numbers in a range, which are copied to `scratch` if they are not in memory.
    ///
    /// # Errors
    /// Fails if they cannot be read.
    fn read<'a>(
        &'a self,
        range: Range<u64>,
        scratch: &'a mut Vec<u64>,
    ) -> Result<&'a [u64], Self::Error>;

    /// Returns a number if it is in memory, and anything else otherwise. If many are loaded in a row, the next reads do not wait for
    /// memory one after the other.
    fn load(&self, position: u64) -> u64;

    /// Returns the number of bytes of memory that no budget counts.
    fn memory(&self) -> usize;
}

impl Store for Vec<u64> {
    type Error = Infallible;

    fn append(&mut self, numbers: &[u64]) -> Result<(), Infallible> {
        self.extend_from_slice(numbers);
        Ok(())
    }

    fn count(&self) -> u64 {
        self.len() as u64
    }

    fn read<'a>(&'a self, range: Range<u64>, _: &'a mut Vec<u64>) -> Result<&'a [u64], Infallible> {
        Ok(&self[range.start as usize..range.end as usize])
    }

    fn load(&self, position: u64) -> u64 {
        self[position as usize]
    }

    fn memory(&self) -> usize {
        self.capacity() * size_of::<u64>()
    }
}
