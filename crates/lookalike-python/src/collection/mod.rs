//! Runs over whole collections: texts in memory or named inputs go in, decisions come out as columns.

mod ids;

mod pickles;

mod imported;

mod stream;

mod lists;

mod texts;

mod references;

mod decisions;

mod matches;

mod options;

mod watch;

mod run;

mod parts;

pub use decisions::Decisions;
pub use matches::Pairs;
pub use parts::{PartJoin, part_keys, part_links, part_nodes};
pub use run::{apply, dedup, pairs};
pub use stream::{Columns, filtered};
pub use texts::Texts;
