//! A persistent index: a folder that holds documents and the decisions about them.

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

pub use folder::Index;
pub use merges::Merges;
pub use reading::{Checked, Stats, Stored};
pub use waiting::OnConflict;
