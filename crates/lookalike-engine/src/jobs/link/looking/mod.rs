//! What a person looks at after a run: how scores are distributed, what another threshold would give, the
//! clusters, and records that cannot match.

pub(crate) mod records;

pub(crate) mod scores;

pub(crate) mod thresholds;

pub(crate) mod clusters;

pub(crate) mod groups;

pub(crate) mod unlinkable;
