//! A document on its way into a collection.

use lookalike::{Method, Scratch, Verify, fingerprint::Digest};

use super::store::Store;
use crate::id::Id;

/// A document that was sketched, so that it can be decided and stored.
#[derive(Debug, Clone)]
pub(crate) struct Sketched {
    pub(crate) id: Id,
    /// The key of its place in keep order.
    pub(crate) key: u64,
    pub(crate) digest: Digest,
    /// Whether the text has no tokens.
    pub(crate) empty: bool,
    /// One key per band.
    pub(crate) keys: Vec<u32>,
    /// The fixed-size sketch.
    pub(crate) bits: Vec<u8>,
    /// What is stored of the text.
    pub(crate) payload: Vec<u8>,
}

impl Sketched {
    /// Sketches a text.
    pub(crate) fn new(
        method: &Method,
        store: Store,
        id: Id,
        key: u64,
        text: &str,
        scratch: &mut Scratch,
    ) -> Self {
        method.sketch(text, scratch);
        let empty = scratch.fingerprints.is_empty();
        let (mut keys, mut bits) = (scratch.keys.clone(), scratch.bits.clone());
        if empty {
            // Texts without tokens match nothing, so their sketches are never read.
            (keys, bits) = (vec![0; method.columns()], vec![0; method.stride()]);
        }
        let digest = scratch.digest;
        let payload = match store {
            Store::Texts => text.as_bytes().to_vec(),
            Store::Sets if method.verify() == Verify::Exact => {
                method.make_set(scratch);
                set_to_bytes(&scratch.fingerprints)
            }
            Store::Sets | Store::Sketches => Vec::new(),
        };
        Self {
            id,
            key,
            digest,
            empty,
            keys,
            bits,
            payload,
        }
    }

    /// Returns about how much memory the document takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.id.len()
            + 4 * self.keys.len()
            + self.bits.len()
            + self.payload.len()
    }
}

/// Returns a shingle set as bytes: the differences of its elements, in groups of seven bits, the lowest first.
pub(crate) fn set_to_bytes(set: &[u64]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 * set.len());
    let mut before = 0;
    for &element in set {
        let mut step = element - before;
        while step >= 0x80 {
            out.push(step as u8 | 0x80);
            step >>= 7;
        }
        out.push(step as u8);
        before = element;
    }
    out
}

/// Returns the shingle set that these bytes are.
pub(crate) fn set_from_bytes(bytes: &[u8]) -> Vec<u64> {
    let mut set = Vec::with_capacity(bytes.len() / 8);
    let (mut element, mut step, mut shift) = (0u64, 0u64, 0);
    for &byte in bytes {
        step |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte & 0x80 == 0 {
            element = element.wrapping_add(step);
            set.push(element);
            (step, shift) = (0, 0);
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_are_read_back(set in prop::collection::btree_set(any::<u64>(), 0..100)) {
            let set: Vec<u64> = set.into_iter().collect();
            prop_assert_eq!(set_from_bytes(&set_to_bytes(&set)), set);
        }
    }
}
