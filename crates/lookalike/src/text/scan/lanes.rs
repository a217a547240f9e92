//! What the kernels have in common.

/// Bytes in a block.
pub(super) const BLOCK: usize = 64;

/// What a processor does with 64 bytes at once. A mask has a bit for each byte, the first byte's lowest.
pub(super) trait Lanes: Copy {
    /// 64 bytes.
    type Bytes: Copy;
    /// A yes or no for each.
    type Mask: Copy;

    fn load(self, from: &[u8; BLOCK]) -> Self::Bytes;
    /// Which bytes are not ASCII.
    fn foreign(self, bytes: Self::Bytes) -> u64;
    /// Which bytes are ASCII letters and digits.
    fn words(self, bytes: Self::Bytes) -> u64;
    /// Which bytes are at least `low` and at most `high`.
    fn within(self, bytes: Self::Bytes, low: u8, high: u8) -> Self::Mask;
    fn and(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn or(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn bits(self, mask: Self::Mask) -> u64;
    /// Writes `base` + i for each bit i of `mask`, in order, to the front of `places`, with room for 64, and anything behind that.
    fn places(self, mask: u64, base: u16, places: &mut [u16; BLOCK]);
}
