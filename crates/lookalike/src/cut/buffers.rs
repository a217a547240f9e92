//! Buffers that are reused from text to text.

/// The number of elements up to which the memory of a buffer is reused. What a huge text needed is freed.
pub(super) const USUAL: usize = 1 << 14;

/// Empties a buffer for the next text.
pub(super) fn emptied<T>(buffer: &mut Vec<T>) -> &mut Vec<T> {
    buffer.clear();
    buffer.shrink_to(USUAL);
    buffer
}
