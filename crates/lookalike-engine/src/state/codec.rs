//! Encodes numbers and texts as bytes for the journals: each list is preceded by its length, and numbers are in the machine's
//! byte order.

use bytemuck::{Pod, bytes_of, cast_slice, cast_slice_mut, pod_read_unaligned};

/// Appends a list.
pub(crate) fn put<T: Pod>(into: &mut Vec<u8>, values: &[T]) {
    into.extend_from_slice(bytes_of(&(values.len() as u64)));
    into.extend_from_slice(cast_slice(values));
}

/// Appends a text.
pub(crate) fn put_text(into: &mut Vec<u8>, text: &str) {
    put(into, text.as_bytes());
}

/// The remaining bytes of an encoding, to be decoded in the order in which the values were encoded.
pub(crate) struct Taken<'a>(pub(crate) &'a [u8]);

impl<'a> Taken<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.0.split_at_checked(count)?;
        self.0 = left;
        Some(taken)
    }

    fn list(&mut self, size: usize) -> Option<&'a [u8]> {
        let count: u64 = pod_read_unaligned(self.bytes(8)?);
        self.bytes(usize::try_from(count).ok()?.checked_mul(size)?)
    }

    /// Decodes a list.
    pub(crate) fn many<T: Pod>(&mut self) -> Option<Vec<T>> {
        let bytes = self.list(size_of::<T>())?;
        let mut values = vec![T::zeroed(); bytes.len() / size_of::<T>()];
        cast_slice_mut(&mut values).copy_from_slice(bytes);
        Some(values)
    }

    /// Decodes a list of a known length.
    pub(crate) fn some<T: Pod, const N: usize>(&mut self) -> Option<[T; N]> {
        self.many()?.try_into().ok()
    }

    /// Decodes a text.
    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.list(1)?.to_vec()).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn encoded_values_round_trip(numbers: Vec<u64>, text: String, small: Vec<u8>, cut in any::<prop::sample::Index>()) {
            let mut bytes = Vec::new();
            put(&mut bytes, &small);
            put_text(&mut bytes, &text);
            put(&mut bytes, &numbers);
            put(&mut bytes, &[7u32, 8]);
            let mut taken = Taken(&bytes);
            prop_assert_eq!(taken.many::<u8>().unwrap(), small);
            prop_assert_eq!(taken.text().unwrap(), text);
            prop_assert_eq!(taken.many::<u64>().unwrap(), numbers);
            prop_assert_eq!(taken.some::<u32, 2>().unwrap(), [7, 8]);
            prop_assert!(taken.many::<u8>().is_none());
            let mut cut = Taken(&bytes[..cut.index(bytes.len())]);
            let all = (|| Some((cut.many::<u8>()?, cut.text()?, cut.many::<u64>()?, cut.some::<u32, 2>()?)))();
            prop_assert!(all.is_none());
        }
    }
}
