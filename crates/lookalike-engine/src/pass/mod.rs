//! Code that every pass over a collection needs: running threads that return results in order, reading the inputs, and opening
//! inputs and outputs.

pub(crate) mod lines;

pub(crate) mod waiting;

pub(crate) mod parallel;

pub(crate) mod columns;

pub(crate) mod copy;

pub(crate) mod reading;

pub(crate) mod by_id;

pub(crate) mod destinations;

pub(crate) mod open;

pub(crate) mod added;

pub(crate) mod refused;
