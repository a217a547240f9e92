//! Learns weights from the records, with or without labels. For this, it takes samples of
//! candidates and of random pairs, before the candidates are scored.

pub(crate) mod estimated;

pub(crate) mod labelled;
