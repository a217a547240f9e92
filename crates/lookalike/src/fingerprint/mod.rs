//! Turns windows of tokens into sets of numbers. Tokens, shingles and whole texts are hashed only in this module.
//!
//! Everything here is frozen: `golden.rs` holds test vectors that no release may change, because stored sketches, stored indexes
//! and results from other machines depend on them. The default fingerprint has no seed. Rabin's fingerprint and each permutation
//! have a seed.

mod collisions;

mod mix;

mod lookup;

mod labels;

mod permutation;

mod rabin;

mod rolling;

mod tokens;

mod anchors;

mod digest;

mod set;

pub use anchors::Anchors;
pub use collisions::{
    collision_bound, expected_distinct, expected_distinct_approx, expected_resemblance,
    resemblance_bias_approx,
};
pub(crate) use digest::digest_by;
pub use digest::{Digest, DigestBy, digest};
pub(crate) use mix::K0;
pub use rabin::{Nulls, Polynomial, Rabin};
pub use rolling::fingerprints;
pub(crate) use rolling::{fingerprints_by, roll};
pub(crate) use set::sort_distinct_in;
pub use set::{fingerprint_set, sort_distinct};
pub(crate) use tokens::TokenHasher;
pub use tokens::token_hashes;
for_engine!(pub use self::{
    digest::{EMPTY_DIGEST, digest_of_hashes},
    labels::label_occurrences,
    lookup::Lookup,
    mix::{SplitMix64, finish},
    permutation::Permutation,
});

#[cfg(test)]
mod golden;
