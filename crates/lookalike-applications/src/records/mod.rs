//! Finds records of the same person, firm or thing (entity resolution): *Mining of Massive Datasets*, section 3.8.1.
//!
//! Records have fields of several types. The type of a field decides the normal form of its values. Candidates are pairs that
//! share a field's value, as in the simple LSH of that section, or pairs found by the rules in [`BlockConfig`]. The score of a
//! candidate is the number of points that its fields give, divided by the number of points that they could have given. Two
//! thresholds classify a candidate as a match, a possible match or neither.
//!
//! ```
//! use lookalike_applications::records::{FieldConfig, Kind, LinkConfig, Linker, Records, Scratch, Verdict};
//!
//! let fields = vec![
//!     FieldConfig::new("name", Kind::Name),
//!     FieldConfig::new("address", Kind::Address),
//!     FieldConfig::new("phone", Kind::Phone),
//! ];
//! let linker = Linker::new(LinkConfig { fields, ..LinkConfig::default() })?;
//!
//! let mut records = Records::new(3);
//! let mut scratch = Scratch::default();
//! for record in [
//!     ["Mary-Ann O'Brien", "12 North Station Street", "(213) 555-0100"],
//!     ["OBrien, Mary Ann", "12 N. Station St.", "+1 213 555 0101"],
//!     ["Marian Bryson", "5 High Street", "310 555 7788"],
//! ] {
//!     let mut values = vec![String::new(); 3];
//!     for (field, value) in record.iter().enumerate() {
//!         linker.normalise(field, value, &mut scratch, &mut values[field]);
//!     }
//!     records.push(values.iter().map(String::as_str));
//! }
//! assert_eq!(records.get(1, 1), "12 n stn st");
//! assert_eq!(linker.shared_block(&records, 0, 1), Some(1), "they have the same address");
//! let score = linker.score(&records, 0, 1).unwrap();
//! assert!(score < 1.0 && linker.verdict(score) == Verdict::Match);
//! assert_eq!(linker.shared_block(&records, 0, 2), None);
//! # Ok::<(), lookalike_applications::Error>(())
//! ```

mod config;

mod matching;

mod assignment;

mod table;

mod values;

mod duplicates;

mod blocks;

pub mod learned;

mod linker;

mod valid;

pub mod suggest;

pub use assignment::assign;
pub use blocks::{Block, NO_KEY};
pub use config::{
    BlockConfig, ClusterBy, Compare, FieldConfig, Kind, LinkConfig, Missing, OneToOne, Part, Take,
    Weights, Within,
};
pub use duplicates::has_no_duplicates;
pub use linker::{Linker, PARTS, PARTS_OF_A_BIT, Points, Verdict};
pub use matching::{Clusters, Matching, Scored};
pub use table::Records;
pub use valid::{mean_apart, measure, right_share};
pub use values::Scratch;

#[cfg(test)]
mod tests;
