//! The ASCII path: the code for ASCII text, which processes 64 bytes at a time and does not branch on a byte.
//!
//! Each block takes three steps, all in plain integer code that the compiler turns into the target's SIMD. The first step folds
//! case and marks letters and digits. The second gathers the marks into a 64-bit mask (eight at a time by a multiplication). The
//! third visits the mask's edges, two per word. A byte loop with a table and a branch per byte reached only 0.36 GB/s, hashing
//! included: the branch at each word's end was mispredicted once per word.

use super::tokens::{Open, PAD, Tokens};

const BLOCK: usize = 64;

/// Reads ASCII text into `tokens` as words. If the last token in `tokens` is open (it may still grow), the first word continues
/// it; a word at the end of the text stays open. With `DIGITS`, each digit becomes 0.
pub(super) fn words<const DIGITS: bool>(text: &[u8], tokens: &mut Tokens) {
    let mut folded = std::mem::take(&mut tokens.folded);
    if folded.len() < text.len() + BLOCK + PAD {
        folded.resize(text.len() + BLOCK + PAD, 0);
    }
    tokens.reserve(text.len() + BLOCK, text.len() / 2 + 1);
    let continues =
        tokens.open == Open::Word && text.first().is_some_and(u8::is_ascii_alphanumeric);
    let mut writer = Writer::of(tokens, continues);
    // The start of the word that the previous block left unfinished.
    let mut begun = None;
    let mut at = 0;
    while at < text.len() {
        let mut block = [0; BLOCK];
        match text.get(at..at + BLOCK) {
            Some(whole) => block.copy_from_slice(whole),
            None => block[..text.len() - at].copy_from_slice(&text[at..]),
        }
        let (lower, mask) = fold_block::<DIGITS>(&block);
        folded[at..at + BLOCK].copy_from_slice(&lower);
        let before = mask << 1 | u64::from(begun.is_some());
        let (mut starts, mut ends) = (mask & !before, !mask & before);
        if let Some(start) = begun
            && ends != 0
        {
            writer.word(
                &folded[start..],
                at + ends.trailing_zeros() as usize - start,
            );
            ends &= ends - 1;
            begun = None;
        }
        while ends != 0 {
            let (start, end) = (
                starts.trailing_zeros() as usize,
                ends.trailing_zeros() as usize,
            );
            writer.word(&folded[at + start..], end - start);
            starts &= starts - 1;
            ends &= ends - 1;
        }
        if starts != 0 {
            begun = Some(at + starts.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    if let Some(start) = begun {
        writer.word(&folded[start..], text.len() - start);
    }
    (tokens.filled, tokens.count) = (writer.filled, writer.count);
    // If the text ends inside a block, the padding ended its last word. But the text that follows may continue this word.
    tokens.open = if text.last().is_some_and(u8::is_ascii_alphanumeric) {
        Open::Word
    } else {
        Open::No
    };
    tokens.folded = folded;
}

/// Appends words to the tokens. Each word is a token, or the end of a token that it continues.
struct Writer<'a> {
    text: &'a mut [u8],
    filled: usize,
    ends: &'a mut [usize],
    count: usize,
    /// The number of bytes between the last token and the next word. It is 0 if there is no token yet, or if the first word
    /// continues a token.
    gap: usize,
}

impl<'a> Writer<'a> {
    fn of(tokens: &'a mut Tokens, continues: bool) -> Self {
        let count = tokens.count - usize::from(continues);
        let gap = if continues || tokens.count == 0 {
            0
        } else {
            tokens.gap
        };
        Self {
            text: &mut tokens.text,
            filled: tokens.filled,
            ends: &mut tokens.ends,
            count,
            gap,
        }
    }

    /// Appends one word: the first `length` bytes of `folded`.
    #[inline]
    fn word(&mut self, folded: &[u8], length: usize) {
        self.text[self.filled] = b' ';
        let out = &mut self.text[self.filled + self.gap..];
        // Nearly all words fit in sixteen bytes, so sixteen bytes are copied whatever the length, and the next word overwrites
        // the excess.
        out[..PAD].copy_from_slice(&folded[..PAD]);
        if length > PAD {
            out[PAD..length].copy_from_slice(&folded[PAD..length]);
        }
        self.filled += self.gap + length;
        self.ends[self.count] = self.filled;
        self.count += 1;
        self.gap = 1;
    }
}

/// Lower-cases a block. Bit i of the returned mask says whether byte i is a letter or digit.
#[inline]
fn fold_block<const DIGITS: bool>(block: &[u8; BLOCK]) -> ([u8; BLOCK], u64) {
    let (mut lower, mut word) = ([0u8; BLOCK], [0u8; BLOCK]);
    for i in 0..BLOCK {
        let c = block[i];
        let upper = c.wrapping_sub(b'A') < 26;
        let l = c | (u8::from(upper) << 5);
        let digit = c.wrapping_sub(b'0') < 10;
        lower[i] = if DIGITS && digit { b'0' } else { l };
        word[i] = u8::from((l.wrapping_sub(b'a') < 26) | digit);
    }
    let mut mask = 0;
    for (i, eight) in word.chunks_exact(8).enumerate() {
        let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        mask |= (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    (lower, mask)
}
