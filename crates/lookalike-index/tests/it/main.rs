//! Tests of the whole crate, in one program.

mod common;
mod faults;
mod histories;
mod hostile;
mod index;
mod kills;
mod old;
mod persistent;
mod real;
mod work;
