//! The units of documents that are not decided in input order, until it is their turn.

use std::sync::Arc;

use lookalike::cut::Units;
use lookalike_io::{
    error::Result,
    spill::{Budget, Held, Spill},
};

use super::loading::Head;

/// The units of documents. They may go to temporary files; a document takes 56 bytes of memory.
pub(super) struct Waiting {
    hashes: Spill<u64>,
    tokens: Spill<u32>,
    lines: Spill<u32>,
    /// Each document's head, and its first unit.
    heads: Vec<(Head, u64)>,
    held: Held,
}

/// The units of a document.
#[derive(Default)]
pub(super) struct Numbers {
    hashes: Vec<u64>,
    tokens: Vec<u32>,
    lines: Vec<u32>,
}

impl Waiting {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        let (hashes, tokens, lines) = (Spill::new(budget), Spill::new(budget), Spill::new(budget));
        Self {
            hashes,
            tokens,
            lines,
            heads: Vec::new(),
            held: Held::new(budget),
        }
    }

    /// Adds the next document.
    pub(super) fn push(&mut self, head: Head, units: Units) -> Result<()> {
        self.heads.push((head, self.hashes.len()));
        self.held.set(size_of_val(&*self.heads));
        self.hashes.append(units.hashes)?;
        self.tokens.append(units.tokens.unwrap_or_default())?;
        self.lines.append(units.lines.unwrap_or_default())
    }

    /// Returns a document, by its number.
    pub(super) fn get<'a>(
        &'a self,
        number: u64,
        numbers: &'a mut Numbers,
    ) -> Result<(Head, Units<'a>)> {
        let (head, start) = self.heads[number as usize];
        let end = self
            .heads
            .get(number as usize + 1)
            .map_or(self.hashes.len(), |next| next.1);
        let (
            range,
            Numbers {
                hashes,
                tokens,
                lines,
            },
        ) = (start..end, numbers);
        let units = Units {
            hashes: self.hashes.get(range.clone(), hashes)?,
            tokens: if self.tokens.len() > 0 {
                Some(self.tokens.get(range.clone(), tokens)?)
            } else {
                None
            },
            lines: if self.lines.len() > 0 {
                Some(self.lines.get(range, lines)?)
            } else {
                None
            },
        };
        Ok((head, units))
    }
}
