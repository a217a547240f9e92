//! Finds the tokens of a text, 64 bytes at a time, as long as its characters are *easy*.
//!
//! Easy characters are those that make up nearly every text and do not depend on their neighbours: ASCII, Han, kana, Hangul
//! syllables, lower-case letters of western Europe and Cyrillic, and the punctuation of all of these. The canonical form of a
//! token of easy characters is its own bytes, with ASCII in lower case. So the canonical form need not be written to memory: the
//! start and the end of the token in the text determine it. The scan stops at the first *hard* character; [`read`](super::read)
//! normalises that character, and the scan continues after it. The tests check every easy character against the table of
//! characters.
//!
//! A block becomes masks of 64 bits (letters, characters that are tokens, bytes outside ASCII, escaped bytes). Tokens start and
//! end at the edges of the masks, so no branch depends on a byte. This method of scanning text, and the rule for backslashes, are
//! simdjson's (Langdale, Lemire 2019, section 3.1).

mod lanes;

mod easy;

mod blocks;

mod seek;

mod portable;

#[cfg(target_arch = "x86_64")]
mod x86;

use self::{blocks::dispatch, lanes::BLOCK, seek::BLOCKS};
pub(super) use self::{
    blocks::{Manner, Spans, Stop},
    seek::Sought,
};
use crate::simd::Simd;

/// Fills `spans` with the tokens of `text`, starting at `base`, and returns why and where the scan stopped. Places are in bytes;
/// if the text is UTF-8, they are boundaries of characters.
pub(super) fn scan(
    simd: Simd,
    text: &[u8],
    base: usize,
    manner: Manner,
    spans: &mut Spans,
) -> Stop {
    match simd {
        Simd::Portable => dispatch(portable::Portable, text, base, manner, spans),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2(proof) => x86::scan_avx2(proof, text, base, manner, spans),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512(proof) => x86::scan_avx512(proof, text, base, manner, spans),
    }
}

/// Finds characters of one text, in order.
#[derive(Debug)]
pub(super) struct Seeker {
    simd: Simd,
    sought: Sought,
    /// The start of the searched blocks, their number, and a mask of the sought characters for each.
    start: usize,
    blocks: usize,
    masks: [u64; BLOCKS],
}

impl Seeker {
    pub(super) fn new(simd: Simd, sought: Sought) -> Self {
        Self {
            simd,
            sought,
            start: 0,
            blocks: 0,
            masks: [0; BLOCKS],
        }
    }

    /// Returns the place of the first sought character that is not before byte `from`, or the length of the text. `from` must be a
    /// boundary of characters, and must not be less than in the last call.
    #[inline]
    pub(super) fn next(&mut self, text: &[u8], from: usize) -> usize {
        loop {
            let passed = from.saturating_sub(self.start);
            let mut left = u64::MAX << (passed % BLOCK);
            for block in passed / BLOCK..self.blocks {
                let mask = self.masks[block] & left;
                if mask != 0 {
                    return self.start + block * BLOCK + mask.trailing_zeros() as usize;
                }
                left = u64::MAX;
            }
            self.start = from.max(self.start + self.blocks * BLOCK);
            if self.start >= text.len() {
                return text.len();
            }
            self.blocks = self.search(text);
        }
    }

    fn search(&mut self, text: &[u8]) -> usize {
        let Self {
            simd,
            sought,
            start,
            ref mut masks,
            ..
        } = *self;
        match simd {
            Simd::Portable => seek::run(portable::Portable, text, start, sought, masks),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2(proof) => x86::seek_avx2(proof, text, start, sought, masks),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512(proof) => x86::seek_avx512(proof, text, start, sought, masks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::class::{Class, Kind, class},
        blocks::STRETCH,
        *,
    };

    const PLAIN: Manner = Manner {
        solo: true,
        escaped: false,
    };

    #[test]
    #[ignore = "slow: `make test-all` runs it"]
    fn every_easy_character_agrees_with_the_table() {
        let mut easy = 0;
        for simd in Simd::all() {
            easy = 0;
            for c in '\u{80}'..=char::MAX {
                let (mut spans, mut scratch) = (Spans::default(), [0; 4]);
                let text = c.encode_utf8(&mut scratch);
                if scan(simd, text.as_bytes(), 0, PLAIN, &mut spans) != Stop::End {
                    continue;
                }
                easy += 1;
                match (class(c), spans.get()) {
                    (Class::Simple(Kind::Separator, _), ([], [])) => {}
                    (Class::Simple(Kind::Word | Kind::Han | Kind::Solo, image), ([0], [end])) => {
                        assert_eq!(
                            (image, usize::from(*end)),
                            (c, c.len_utf8()),
                            "{c:?} {simd:?}"
                        );
                    }
                    (class, spans) => panic!("{c:?} is {class:?}, found {spans:?} by {simd:?}"),
                }
                // Doubling the character shows whether it is a token of its own.
                let twice = format!("{c}{c}");
                let words = scan(simd, twice.as_bytes(), 0, PLAIN, &mut spans);
                let tokens = match class(c) {
                    Class::Simple(Kind::Separator, _) => 0,
                    Class::Simple(Kind::Word, _) => 1,
                    _ => 2,
                };
                assert_eq!(
                    (words, spans.get().0.len()),
                    (Stop::End, tokens),
                    "{c:?} {simd:?}"
                );
            }
        }
        assert!(easy > 39_000, "{easy}");
    }

    #[test]
    fn an_odd_number_of_backslashes_escapes_the_next_character() {
        let words = |simd, text: &str| {
            let mut spans = Spans::default();
            let stop = scan(
                simd,
                text.as_bytes(),
                0,
                Manner {
                    solo: true,
                    escaped: true,
                },
                &mut spans,
            );
            let (starts, ends) = spans.get();
            let words: Vec<&str> = starts
                .iter()
                .zip(ends)
                .map(|(&from, &to)| &text[from.into()..to.into()])
                .collect();
            (words.join(" "), stop)
        };
        for simd in Simd::all() {
            // The position of the text within its blocks must not matter.
            for ahead in 0..140 {
                let gap = " ".repeat(ahead);
                for (text, expected) in [
                    (r"\nab", "ab"),
                    (r"\\nab", "nab"),
                    (r"\\\nab", "ab"),
                    (r#"a\"\\\\b"#, "a b"),
                ] {
                    assert_eq!(
                        words(simd, &format!("{gap}{text}")),
                        (expected.into(), Stop::End),
                        "{text} {simd:?}"
                    );
                }
                let number = Stop::Number { from: ahead + 2 };
                assert_eq!(
                    words(simd, &format!("{gap}x bc\\u00e9 d")),
                    ("x".into(), number)
                );
                assert_eq!(
                    words(simd, &format!("{gap}x \\u00e9 d")),
                    ("x".into(), number)
                );
            }
        }
    }

    #[test]
    fn a_scan_stops_before_an_unfinished_token() {
        for simd in Simd::all() {
            let mut spans = Spans::default();
            for (text, from, at) in [
                ("ab cde\u{301} f", 3, 6),
                ("ab \u{301}", 3, 3),
                ("ab漢\u{301}", 2, 5),
                ("漢ab\u{ad}c", 3, 5),
            ] {
                let stop = scan(simd, text.as_bytes(), 0, PLAIN, &mut spans);
                assert_eq!(
                    (stop, spans.get().0.len()),
                    (Stop::Hard { from, at }, 1),
                    "{text} {simd:?}"
                );
            }
            let long = "a".repeat(3 * STRETCH);
            assert_eq!(
                scan(simd, long.as_bytes(), 5, PLAIN, &mut spans),
                Stop::Full {
                    from: 5,
                    at: 5 + STRETCH
                }
            );
            let text = "漢".repeat(STRETCH);
            let whole = STRETCH / 3 * 3;
            assert_eq!(
                scan(simd, text.as_bytes(), 0, PLAIN, &mut spans),
                Stop::Full {
                    from: whole,
                    at: whole
                }
            );
        }
    }
}
