//! Computes band keys from bytes, in one pass over each text.

use super::{
    Lines, Seen, bands,
    scan::{BYTES, Foreign, Kernel, PAD},
};

/// The number of words hashed at a time: their positions and hashes fit in the first-level cache.
const WORDS: usize = 1024;

struct Scratch {
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// The hashes of the last four words before the current ones, followed by the hashes of the current words.
    hashes: Vec<u64>,
    /// How many of the first four entries are hashes of words: fewer than four at the start of a text.
    kept: usize,
    slots: [u32; 128],
    shingles: u64,
}

/// Sketches the lines of all blocks that this thread takes from `lines`. It is always inlined, because its caller may be compiled
/// for a larger instruction set than this module.
#[inline(always)]
pub fn work<K: Kernel>(kernel: &K, lines: &mut Lines, seen: &mut Seen) -> anyhow::Result<()> {
    let (id, text) = (
        memchr::memmem::Finder::new(b"\"id\":"),
        memchr::memmem::Finder::new(b"\"text\":\""),
    );
    let mut scratch = Scratch::new();
    while let Some(block) = lines.take()? {
        let end = block.len() - PAD;
        let mut at = 0;
        while let Some(found) = id.find(&block[at..end]) {
            at += found;
            let Some(found) = text.find(&block[at..end]) else {
                break;
            };
            at += found + 8;
            at += scratch.text(kernel, &block[at..]);
            seen.documents += 1;
            bands::keys(&mut scratch.slots, &mut seen.keys);
            at =
                memchr::memchr(b'\n', &block[at.min(end)..end]).map_or(end, |found| at + found + 1);
        }
    }
    seen.shingles = scratch.shingles;
    Ok(())
}

/// The state that a block passes on to the next one.
#[derive(Default)]
struct Carry {
    /// Bit 0 is set if the first byte of the next block is escaped.
    escaped: u64,
    word: u64,
    /// `separator` marks the first bytes of the next block if they complete a separator that began in this block. `solo` does the
    /// same for a Han or kana character.
    separator: u64,
    solo: u64,
    /// The ends of characters that begin in this block and end in the next one.
    ends: u64,
}

impl Scratch {
    fn new() -> Self {
        let scratch = WORDS + 2 * BYTES;
        let (starts, ends, hashes) = (vec![0; scratch], vec![0; scratch], vec![0; scratch + 8]);
        Self {
            starts,
            ends,
            hashes,
            kept: 0,
            slots: [u32::MAX; 128],
            shingles: 0,
        }
    }

    /// Fills the slots from the string at the start of `text`, and returns the string's length.
    #[inline(always)]
    fn text<K: Kernel>(&mut self, kernel: &K, text: &[u8]) -> usize {
        let (mut starts, mut ends, mut base) = (0, 0, 0);
        let mut carry = Carry::default();
        self.kept = 0;
        let mut words = 0;
        let length = loop {
            let Some(block) = text[base..].first_chunk() else {
                break base;
            };
            let masks = kernel.masks(block);
            let mut escaped = carry.escaped;
            carry.escaped = 0;
            if masks.backslash != 0 {
                let mut backslash = masks.backslash & !escaped;
                while backslash != 0 {
                    let at = backslash.trailing_zeros();
                    carry.escaped = u64::from(at == 63);
                    escaped |= 2 << at;
                    backslash &= !(3 << at);
                }
            }
            let quote = masks.quote & !escaped;
            let inside = if quote == 0 {
                u64::MAX
            } else {
                (quote & quote.wrapping_neg()) - 1
            };
            let (mut word, mut solo_starts, mut solo_ends) =
                (masks.alphanumeric & !escaped & inside, 0, 0);
            if (masks.foreign & inside) | carry.separator | carry.solo | carry.ends != 0 {
                let next = text.get(base + BYTES).copied().unwrap_or(0);
                (solo_starts, solo_ends) = carry.foreign(
                    kernel.foreign(block),
                    masks.foreign & inside,
                    next,
                    &mut word,
                );
            }
            let before = word << 1 | carry.word;
            carry.word = word >> 63;
            let (begins, stops) = (word & !before | solo_starts, !word & before | solo_ends);
            starts += kernel.places(begins, base as u32, &mut self.starts[starts..]);
            ends += kernel.places(stops, base as u32, &mut self.ends[ends..]);
            if quote != 0 {
                break base + quote.trailing_zeros() as usize;
            }
            base += BYTES;
            if starts >= WORDS {
                self.flush(kernel, text, ends);
                words += ends;
                // The start of a word that has not ended yet is kept, as the first start of the next batch of words.
                self.starts.copy_within(ends..starts, 0);
                (starts, ends) = (starts - ends, 0);
            }
        };
        let ends = ends.min(starts);
        self.flush(kernel, text, ends);
        words += ends;
        if (1..5).contains(&words) {
            // A text of fewer than five words has one shingle, the whole text.
            let whole = self.hashes[4 - words..4]
                .iter()
                .fold(0u64, |whole, hash| whole.rotate_left(13) ^ hash);
            super::scan::put(whole, &mut self.slots);
            self.shingles += 1;
        }
        length
    }

    /// Hashes `count` words and the windows that they complete.
    #[inline(always)]
    fn flush<K: Kernel>(&mut self, kernel: &K, text: &[u8], count: usize) {
        kernel.hash(text, &self.starts, &self.ends, count, &mut self.hashes[4..]);
        let first = 4 - self.kept;
        let windows = (self.kept + count).saturating_sub(4);
        kernel.windows(&self.hashes[first..], windows, &mut self.slots);
        self.shingles += windows as u64;
        self.hashes.copy_within(count..count + 4, 0);
        self.kept = (self.kept + count).min(4);
    }
}

impl Carry {
    /// Adds the letters beyond ASCII to `word`; returns the starts and ends of characters that are words by themselves.
    #[inline(always)]
    fn foreign(&mut self, of: Foreign, foreign: u64, next: u8, word: &mut u64) -> (u64, u64) {
        let next_x80 = of.x80 >> 1 | u64::from(next == 0x80) << 63;
        let three = of.separator3 | of.e3 & next_x80;
        let two = of.separator2 | three;
        let separators = two | two << 1 | three << 2 | self.separator;
        self.separator = two >> 63 | three >> 62;
        let starts = (of.e3 & !next_x80 | of.han) & foreign;
        let solo = starts | starts << 1 | starts << 2 | self.solo;
        self.solo = starts >> 63 | starts >> 62;
        let ends = starts << 3 | self.ends;
        self.ends = starts >> 61;
        *word |= foreign & !separators & !solo;
        (starts, ends)
    }
}

#[cfg(test)]
mod tests {
    use lookalike::{
        fingerprint::SplitMix64,
        text::{Folds, Tokens, TokensBy, canonicalise},
    };

    use super::*;
    use crate::scan::Portable;

    fn read<K: Kernel>(kernel: &K, text: &str) -> (usize, u64, [u32; 128]) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(b'"');
        bytes.resize(bytes.len() + PAD, b'x');
        let mut scratch = Scratch::new();
        let length = scratch.text(kernel, &bytes);
        (length, scratch.shingles, scratch.slots)
    }

    #[test]
    fn the_floor_finds_the_cores_words_and_its_kernels_agree() {
        let parts = [
            "word",
            "Two ",
            " a ",
            ", ",
            "\\n",
            "\\\"",
            "\\\\",
            "漢字",
            "かな",
            "。",
            "“q” ",
            "extraordinarily",
            "é",
            "12 ",
        ];
        let mut random = SplitMix64::new(1);
        for length in (0..2000).map(|i| i % 600) {
            let escaped: String = (0..length)
                .map(|_| parts[random.next_u64() as usize % parts.len()])
                .collect();
            let portable = read(&Portable, &escaped);
            #[cfg(target_arch = "x86_64")]
            if let Some(kernel) = crate::x86::Avx512::new() {
                assert_eq!(read(&kernel, &escaped), portable, "{escaped:?}");
            }
            let mut tokens = Tokens::new();
            let plain: String = serde_json::from_str(&format!("\"{escaped}\"")).unwrap();
            canonicalise(&plain, TokensBy::Auto, Folds::default(), &mut tokens);
            let shingles = if tokens.len() < 5 {
                tokens.len().min(1)
            } else {
                tokens.len() - 4
            };
            assert_eq!(
                (portable.0, portable.1),
                (escaped.len(), shingles as u64),
                "{escaped:?}"
            );
        }
    }
}
