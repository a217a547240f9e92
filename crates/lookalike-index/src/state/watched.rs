//! What changes while segments are merged.

use std::{collections::BTreeSet, ops::Range};

/// What changes in segments while they are merged.
#[derive(Debug)]
pub(super) struct Watched {
    /// The numbers of their documents.
    pub(super) numbers: Range<u64>,
    /// Documents that were removed, whose decisions changed, or that were posted.
    pub(super) changed: BTreeSet<u64>,
}
