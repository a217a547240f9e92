//! A persistent index: a folder that holds documents and the decisions about them.

mod record;

mod merging;

mod waiting;

mod folder;

mod loading;

mod publishing;

mod writing;

mod opening;

mod reading;

pub use folder::Index;
pub use merging::Merges;
pub use reading::{Checked, Stats, Stored};
pub use waiting::OnConflict;
