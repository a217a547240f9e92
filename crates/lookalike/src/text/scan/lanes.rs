//! The interface that all kernels implement.

/// Bytes in a block.
pub(super) const BLOCK: usize = 64;

/// A processor's operations on 64 bytes. A mask has a bit for each byte; the lowest bit belongs to the first byte.
pub(super) trait Lanes: Copy {
    /// 64 bytes.
    type Bytes: Copy;
    /// True or false for each byte.
    type Mask: Copy;

    fn load(self, from: &[u8; BLOCK]) -> Self::Bytes;
    /// Returns which bytes are not ASCII.
    fn foreign(self, bytes: Self::Bytes) -> u64;
    /// Returns which bytes are ASCII letters and digits.
    fn words(self, bytes: Self::Bytes) -> u64;
    /// Returns which bytes are between `low` and `high`, both included.
    fn within(self, bytes: Self::Bytes, low: u8, high: u8) -> Self::Mask;
    fn and(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn bits(self, mask: Self::Mask) -> u64;
    /// Writes the sum of `base` and i for each bit i that is set in `mask`, in ascending order, to the first elements of
    /// `places`. The remaining elements may be overwritten with anything.
    fn places(self, mask: u64, base: u16, places: &mut [u16; BLOCK]);
}
