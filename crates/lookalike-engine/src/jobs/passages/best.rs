//! Pairs that will be reported, and a selection of the best pairs.

use std::sync::Arc;

use lookalike_io::error::Result;
use serde_json::value::RawValue;

use super::{
    asked::TellQuoted,
    report::{Quoted, Shares},
};

/// The pairs that share the most tokens, each with its number of shared tokens. If several pairs have the same number, the pairs
/// that were found first are preferred.
pub(super) struct Best {
    pub(super) most: usize,
    pub(super) pairs: Vec<(usize, Box<Reported>)>,
}

impl Best {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            pairs: Vec::new(),
        }
    }

    /// Returns the number of shared tokens that a further pair must exceed to be among the best.
    pub(super) fn floor(&self) -> usize {
        match self.most {
            0 => usize::MAX,
            most if self.pairs.len() < most => 0,
            _ => self.pairs.last().map_or(0, |pair| pair.0),
        }
    }

    pub(super) fn push(&mut self, shared: usize, reported: Box<Reported>) {
        let place = self.pairs.partition_point(|pair| pair.0 >= shared);
        if place < self.most {
            self.pairs.insert(place, (shared, reported));
            self.pairs.truncate(self.most);
        }
    }

    /// Adds the best pairs of a later part of the input.
    pub(super) fn take(&mut self, others: Self) {
        others
            .pairs
            .into_iter()
            .for_each(|(shared, reported)| self.push(shared, reported));
    }
}

/// A pair that will be reported.
pub(super) struct Reported {
    pub(super) documents: [u64; 2],
    pub(super) ids: [Box<RawValue>; 2],
    pub(super) shares: Shares,
    pub(super) texts: [Arc<str>; 2],
}

impl Reported {
    pub(super) fn tell(&self, tell: &mut TellQuoted) -> Result<()> {
        let ([a, b], texts) = (&self.ids, self.texts.each_ref().map(|text| &**text));
        tell(&Quoted {
            a,
            b,
            shares: &self.shares,
            texts,
        })
    }
}
