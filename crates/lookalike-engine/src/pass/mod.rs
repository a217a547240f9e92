//! What every pass over a collection needs: threads that hand in by order, how inputs are read, what is opened first.

pub(crate) mod lines;

pub(crate) mod parallel;

pub(crate) mod copy;

pub(crate) mod reading;

pub(crate) mod by_id;

pub(crate) mod open;

pub(crate) mod refused;
