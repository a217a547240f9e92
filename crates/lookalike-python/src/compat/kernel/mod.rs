//! What the numbers of datasketch are made of, without Python: a token's hash, and the least of its permutations.

pub mod permute;
pub mod sha1;
