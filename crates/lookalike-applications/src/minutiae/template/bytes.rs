//! Reads numbers from bytes. Every read is checked, and an error names the byte at which it happened.

use std::fmt;

use super::Error;

/// Bytes, and the position up to which they have been read.
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(all: &'a [u8]) -> Self {
        Self { all, at: 0 }
    }

    /// Returns the number of bytes that have been read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the bytes that have not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.all[self.at..]
    }

    /// Returns the next `count` bytes. `what` describes them for the error if there are fewer.
    pub(super) fn take(
        &mut self,
        count: usize,
        what: impl fmt::Display,
    ) -> Result<&'a [u8], Error> {
        let taken = self
            .rest()
            .get(..count)
            .ok_or_else(|| self.error(format!("the data ends within {what}")))?;
        self.at += count;
        Ok(taken)
    }

    pub(super) fn byte(&mut self, what: &str) -> Result<u8, Error> {
        Ok(self.take(1, what)?[0])
    }

    /// Returns the next two bytes as a number, the high byte first.
    pub(super) fn short(&mut self, what: &str) -> Result<u16, Error> {
        Ok(self
            .take(2, what)?
            .iter()
            .fold(0, |number, &byte| number << 8 | u16::from(byte)))
    }

    /// Returns the next four bytes as a number, the high byte first.
    pub(super) fn long(&mut self, what: &str) -> Result<u32, Error> {
        Ok(self
            .take(4, what)?
            .iter()
            .fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// Returns an error at the current position.
    pub(super) fn error(&self, what: impl Into<String>) -> Error {
        Error {
            at: self.at as u64,
            what: what.into(),
        }
    }
}
