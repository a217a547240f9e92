//! A persistent index: a folder that holds documents and the decisions about them.
//!
//! A change is made in memory first. Then its record is appended to the log or, if it is large, the
//! documents in memory are written as a segment at once. If this fails, the index goes back to what
//! is on the disk, and refuses further changes until it is opened again. When an index is opened,
//! the records of its log are applied again. They contain the decisions, so nothing is decided
//! twice.

mod record;

mod merges;

mod waiting;

mod folder;

mod loading;

mod merging;

mod publishing;

mod writing;

mod snapshots;

mod decided;

mod opening;

mod reading;

mod feed;

pub use folder::Index;
pub use merges::Merges;
pub use reading::{Checked, Stats, Stored};
pub use waiting::OnConflict;
