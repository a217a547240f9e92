//! Runs over whole collections: texts in memory or named inputs go in, decisions come out as columns.

pub mod ids;

mod imported;

pub mod stream;

mod lists;

mod texts;

mod references;

pub mod decisions;

mod matches;

mod lines;

pub mod options;

pub mod watch;

mod run;

mod cut;

mod crawls;

mod links;

mod cards;

mod audits;

mod parts;

pub use audits::audit;
pub use cards::minutiae;
pub use crawls::{history, mirrors};
pub use cut::{CutRows, CutTexts, Cuts, cut_texts, with_texts};
pub use decisions::Decisions;
pub use lines::Lines;
pub use links::{link, suggest_link};
pub use matches::Pairs;
pub use parts::{PartJoin, part_keys, part_links, part_nodes};
pub use run::{apply, dedup, pairs, passages_among};
pub use stream::{Columns, filtered};
pub use texts::{Named, Texts};
