//! Cuts repeated passages out of texts.

mod piece;

mod index;

mod own;

mod law;

mod config;

mod units;

mod remaining;

mod builder;

pub use builder::{Cut, CutPassage, CutText, cut};
pub use config::{CutConfig, Unit, Within};
pub use law::{Cutter, Outcome, Rules, Units};
pub use piece::Piece;

#[cfg(test)]
mod twin;

#[cfg(test)]
mod tests;
