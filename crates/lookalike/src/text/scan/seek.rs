//! Finds the characters at which lines and sentences may end, 64 bytes at a time, and backslashes.

use super::{
    blocks::{AHEAD, chunk},
    lanes::{BLOCK, Lanes},
};

/// The characters that are sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::text) enum Sought {
    /// Backslashes.
    Escape,
    /// Line feeds and carriage returns.
    LineEnd,
    /// All line breaks of Unicode, and the marks that may end a [sentence](crate::text::sentences).
    SentenceEnd,
}

/// The number of blocks that are searched at once: 1 KiB of text. More would be wasted on short texts.
pub(super) const BLOCKS: usize = 16;

/// Searches the blocks that start at byte `from`. A mask has a bit for the first byte of each sought character. Returns the number
/// of blocks; there are fewer than [`BLOCKS`] only at the end of the text.
#[inline(always)]
pub(super) fn run<L: Lanes>(
    lanes: L,
    text: &[u8],
    from: usize,
    sought: Sought,
    masks: &mut [u64; BLOCKS],
) -> usize {
    let mut rest = text.get(from..).unwrap_or_default();
    for (number, mask) in masks.iter_mut().enumerate() {
        if rest.is_empty() {
            return number;
        }
        // No sought character contains a NUL, so padding is never found.
        let mut padded = [0; BLOCK + AHEAD];
        let block: &[u8; BLOCK + AHEAD] = match rest.first_chunk() {
            Some(block) => block,
            None => {
                padded[..rest.len()].copy_from_slice(rest);
                &padded
            }
        };
        *mask = match sought {
            Sought::Escape => lanes.bits(lanes.within(lanes.load(chunk(block, 0)), b'\\', b'\\')),
            Sought::LineEnd => line_ends(lanes, lanes.load(chunk(block, 0))),
            Sought::SentenceEnd => sentence_ends(lanes, block),
        };
        rest = rest.get(BLOCK..).unwrap_or_default();
    }
    BLOCKS
}

#[inline(always)]
fn line_ends<L: Lanes>(lanes: L, bytes: L::Bytes) -> u64 {
    lanes.bits(lanes.or(
        lanes.within(bytes, b'\n', b'\n'),
        lanes.within(bytes, b'\r', b'\r'),
    ))
}

/// Returns the first bytes of the characters that may end a sentence.
#[inline(always)]
fn sentence_ends<L: Lanes>(lanes: L, block: &[u8; BLOCK + AHEAD]) -> u64 {
    let first = lanes.load(chunk(block, 0));
    let breaks = lanes.within(first, b'\n', b'\r');
    let marks = lanes.or(
        lanes.within(first, b'.', b'.'),
        lanes.or(
            lanes.within(first, b'!', b'!'),
            lanes.within(first, b'?', b'?'),
        ),
    );
    let ascii = lanes.bits(lanes.or(breaks, marks));
    match lanes.foreign(first) {
        0 => ascii,
        _ => {
            ascii
                | foreign_ends(
                    lanes,
                    first,
                    lanes.load(chunk(block, 1)),
                    lanes.load(chunk(block, 2)),
                )
        }
    }
}

/// Like [`sentence_ends`], for characters that are not ASCII. A vector has the characters' first bytes, another their second bytes,
/// and a third their third bytes.
#[inline(always)]
fn foreign_ends<L: Lanes>(lanes: L, first: L::Bytes, second: L::Bytes, third: L::Bytes) -> u64 {
    // These are macros and not closures, because closures would not be compiled again for each processor.
    macro_rules! or {
        ($one:expr $(, $other:expr)*) => {{
            let any = $one;
            $(let any = lanes.or(any, $other);)*
            any
        }};
    }
    macro_rules! two {
        ($first:literal, $second:literal) => {
            lanes.and(
                lanes.within(first, $first, $first),
                lanes.within(second, $second, $second),
            )
        };
    }
    macro_rules! three {
        ($first:literal, $second:literal, $($low:literal..=$high:literal),+) => {
            lanes.and(two!($first, $second), or!($(lanes.within(third, $low, $high)),+))
        };
    }

    // U+0085, 0589, 061F, 06D4.
    let short = lanes.bits(or!(
        two!(0xc2, 0x85),
        two!(0xd6, 0x89),
        two!(0xd8, 0x9f),
        two!(0xdb, 0x94)
    ));
    let mut long = 0;
    if lanes.bits(lanes.within(first, 0xe0, 0xe2)) != 0 {
        // U+0964, 0965, 0F0D; U+104B, 1362, 1367, 17D4, 17D5.
        let indic = or!(
            three!(0xe0, 0xa5, 0xa4..=0xa5),
            three!(0xe0, 0xbc, 0x8d..=0x8d),
            three!(0xe1, 0x81, 0x8b..=0x8b)
        );
        let others = or!(
            three!(0xe1, 0x8d, 0xa2..=0xa2, 0xa7..=0xa7),
            three!(0xe1, 0x9f, 0x94..=0x95)
        );
        // U+2026, 2028, 2029, 203C, 2047–2049.
        let general = or!(
            three!(0xe2, 0x80, 0xa6..=0xa6, 0xa8..=0xa9, 0xbc..=0xbc),
            three!(0xe2, 0x81, 0x87..=0x89)
        );
        long = lanes.bits(or!(indic, others, general));
    }
    if lanes.bits(lanes.or(
        lanes.within(first, 0xe3, 0xe3),
        lanes.within(first, 0xef, 0xef),
    )) != 0
    {
        // U+3002; U+FF01, FF0E, FF1B, FF1F, FF61.
        let wide = three!(
            0xef,
            0xbc,
            0x81..=0x81,
            0x8e..=0x8e,
            0x9b..=0x9b,
            0x9f..=0x9f
        );
        long |= lanes.bits(or!(
            three!(0xe3, 0x80, 0x82..=0x82),
            wide,
            three!(0xef, 0xbd, 0xa1..=0xa1)
        ));
    }
    short | long
}
