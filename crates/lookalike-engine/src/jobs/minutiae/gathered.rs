//! The prints that have been read, and the check that their ids are different.

use std::collections::BTreeSet;

use lookalike_io::error::Result;

use super::card::Card;
use crate::{config::RunConfig, pass::lines::repeated_id};

/// The prints that have been read.
pub(super) struct Gathered<'a> {
    config: &'a RunConfig,
    pub(super) cards: Vec<Card>,
    ids: BTreeSet<String>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(config: &'a RunConfig) -> Self {
        Self {
            config,
            cards: Vec::new(),
            ids: BTreeSet::new(),
        }
    }

    /// Adds a print, and returns its number.
    ///
    /// # Errors
    /// Fails if an earlier print has the same id, unless repeated ids are allowed.
    pub(super) fn push(&mut self, card: Card) -> Result<usize> {
        if !self.config.allow_repeated_ids && !self.ids.insert(card.id.get().to_owned()) {
            return Err(repeated_id(card.id.get()));
        }
        self.cards.push(card);
        Ok(self.cards.len() - 1)
    }
}
