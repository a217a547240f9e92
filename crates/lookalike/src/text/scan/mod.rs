//! Where the tokens of a text stand, 64 bytes at a time, as far as its characters are *easy*.
//!
//! Easy are the characters that nearly every text is made of and that need no look at their neighbours: ASCII, Han, kana, Hangul
//! syllables, small letters of western Europe and Cyrillic, and the punctuation of all of these. The canonical form of a token of
//! easy characters is its own bytes, ASCII in lower case: it need not be written down, only where it begins and ends. The scan
//! stops at the first *hard* character; [`read`](super::read) takes the normaliser to it and goes on behind. `tests` ask the table
//! of characters of every easy one.
//!
//! A block becomes masks of 64 bits (letters, characters that are tokens, what is not ASCII, escaped bytes), and the edges of the masks
//! are the tokens' ends: no branch depends on a byte. This way of scanning text is simdjson's (Langdale, Lemire 2019, section 3.1),
//! and so is the rule for backslashes.

mod lanes;

mod easy;

mod blocks;

mod portable;

#[cfg(target_arch = "x86_64")]
mod x86;

use self::blocks::dispatch;
pub(super) use self::blocks::{Manner, Spans, Stop};
use crate::simd::Simd;

/// Fills `spans` with the tokens of `text` from `base` on, up to where it stops. Places are bytes of `text`, and boundaries of
/// characters where it is UTF-8.
pub(super) fn scan(simd: Simd, text: &[u8], base: usize, manner: Manner, spans: &mut Spans) -> Stop {
    match simd {
        Simd::Portable => dispatch(portable::Portable, text, base, manner, spans),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2(proof) => x86::scan_avx2(proof, text, base, manner, spans),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512(proof) => x86::scan_avx512(proof, text, base, manner, spans),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::class::{Class, Kind, class},
        blocks::STRETCH,
        *,
    };

    const PLAIN: Manner = Manner { solo: true, escaped: false };

    #[test]
    fn every_easy_character_is_what_the_table_says() {
        let mut easy = 0;
        for simd in Simd::all() {
            easy = 0;
            for c in '\u{80}'..=char::MAX {
                let (mut spans, mut room) = (Spans::default(), [0; 4]);
                let text = c.encode_utf8(&mut room);
                if scan(simd, text.as_bytes(), 0, PLAIN, &mut spans) != Stop::End {
                    continue;
                }
                easy += 1;
                match (class(c), spans.get()) {
                    (Class::Simple(Kind::Separator, _), ([], [])) => {}
                    (Class::Simple(Kind::Word | Kind::Han | Kind::Solo, image), ([0], [end])) => {
                        assert_eq!((image, usize::from(*end)), (c, c.len_utf8()), "{c:?} {simd:?}");
                    }
                    (class, spans) => panic!("{c:?} is {class:?}, found {spans:?} by {simd:?}"),
                }
                // A token beside another of its kind tells whether it is one of its own.
                let twice = format!("{c}{c}");
                let words = scan(simd, twice.as_bytes(), 0, PLAIN, &mut spans);
                let tokens = match class(c) {
                    Class::Simple(Kind::Separator, _) => 0,
                    Class::Simple(Kind::Word, _) => 1,
                    _ => 2,
                };
                assert_eq!((words, spans.get().0.len()), (Stop::End, tokens), "{c:?} {simd:?}");
            }
        }
        assert!(easy > 39_000, "{easy}");
    }

    #[test]
    fn backslashes_escape_what_follows_an_odd_number_of_them() {
        let words = |simd, text: &str| {
            let mut spans = Spans::default();
            let stop = scan(simd, text.as_bytes(), 0, Manner { solo: true, escaped: true }, &mut spans);
            let (starts, ends) = spans.get();
            let words: Vec<&str> = starts.iter().zip(ends).map(|(&from, &to)| &text[from.into()..to.into()]).collect();
            (words.join(" "), stop)
        };
        for simd in Simd::all() {
            // Wherever the blocks end.
            for ahead in 0..140 {
                let gap = " ".repeat(ahead);
                for (text, expected) in [(r"\nab", "ab"), (r"\\nab", "nab"), (r"\\\nab", "ab"), (r#"a\"\\\\b"#, "a b")] {
                    assert_eq!(words(simd, &format!("{gap}{text}")), (expected.into(), Stop::End), "{text} {simd:?}");
                }
                let number = Stop::Number { from: ahead + 2 };
                assert_eq!(words(simd, &format!("{gap}x bc\\u00e9 d")), ("x".into(), number));
                assert_eq!(words(simd, &format!("{gap}x \\u00e9 d")), ("x".into(), number));
            }
        }
    }

    #[test]
    fn a_scan_stops_before_the_token_that_goes_on() {
        for simd in Simd::all() {
            let mut spans = Spans::default();
            for (text, from, at) in
                [("ab cde\u{301} f", 3, 6), ("ab \u{301}", 3, 3), ("ab漢\u{301}", 2, 5), ("漢ab\u{ad}c", 3, 5)]
            {
                let stop = scan(simd, text.as_bytes(), 0, PLAIN, &mut spans);
                assert_eq!((stop, spans.get().0.len()), (Stop::Hard { from, at }, 1), "{text} {simd:?}");
            }
            let long = "a".repeat(3 * STRETCH);
            assert_eq!(scan(simd, long.as_bytes(), 5, PLAIN, &mut spans), Stop::Full { from: 5, at: 5 + STRETCH });
            let text = "漢".repeat(STRETCH);
            let whole = STRETCH / 3 * 3;
            assert_eq!(scan(simd, text.as_bytes(), 0, PLAIN, &mut spans), Stop::Full { from: whole, at: whole });
        }
    }
}
