//! Pairs that will be told, and the best of them.

use std::sync::Arc;

use lookalike_io::error::Result;
use serde_json::value::RawValue;

use super::{
    asked::TellQuoted,
    report::{Quoted, Shares},
};

/// The pairs that share most, with the tokens that they share; of equal ones those that came first.
pub(super) struct Best {
    pub(super) most: usize,
    pub(super) pairs: Vec<(usize, Box<Told>)>,
}

impl Best {
    pub(super) fn new(most: usize) -> Self {
        Self { most, pairs: Vec::new() }
    }

    /// Tokens of which a pair must share more to be one of them.
    pub(super) fn floor(&self) -> usize {
        match self.most {
            0 => usize::MAX,
            most if self.pairs.len() < most => 0,
            _ => self.pairs.last().map_or(0, |pair| pair.0),
        }
    }

    pub(super) fn push(&mut self, shared: usize, told: Box<Told>) {
        let place = self.pairs.partition_point(|pair| pair.0 >= shared);
        if place < self.most {
            self.pairs.insert(place, (shared, told));
            self.pairs.truncate(self.most);
        }
    }

    /// Takes those of pairs that come after these.
    pub(super) fn take(&mut self, others: Self) {
        others.pairs.into_iter().for_each(|(shared, told)| self.push(shared, told));
    }
}

/// A pair that will be told.
pub(super) struct Told {
    pub(super) ids: [Box<RawValue>; 2],
    pub(super) shares: Shares,
    pub(super) texts: [Arc<str>; 2],
}

impl Told {
    pub(super) fn tell(&self, tell: &mut TellQuoted) -> Result<()> {
        let ([a, b], texts) = (&self.ids, self.texts.each_ref().map(|text| &**text));
        tell(&Quoted { a, b, shares: &self.shares, texts })
    }
}
