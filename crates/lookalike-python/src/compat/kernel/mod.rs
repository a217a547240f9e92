//! The computations behind datasketch's numbers, without Python: the hash of a token, and the minimum of its permutations.

pub mod permute;
pub mod sha1;
