//! Tests of the whole crate, in one program.

mod against;
mod cutting;
mod faults;
mod fields;
mod judging;
mod law;
mod passages;
mod reporting;
mod sketch;
