//! Learns weights from the records, with or without labels.

pub(crate) mod estimated;

pub(crate) mod labelled;
