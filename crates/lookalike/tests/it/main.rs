//! Tests of the whole crate. All of them are in one program, because linking takes longer than running most of them. Those that need
//! internals are left out without the feature `engine`.

mod examples;
#[cfg(feature = "engine")]
mod golden;
mod imports;
#[cfg(feature = "engine")]
mod law;
#[cfg(feature = "engine")]
mod promises;
mod regions;
mod sources;
#[cfg(feature = "engine")]
mod twin;
