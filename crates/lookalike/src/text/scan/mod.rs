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

mod easy;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use self::easy::Easy;
use crate::simd::Simd;

/// Bytes in a block.
const BLOCK: usize = 64;

/// Bytes that are looked at behind a block: the rest of a character that begins in its last byte.
const AHEAD: usize = 2;

/// Bytes that are scanned at a time, whole blocks: what is remembered of them stays in the first-level cache.
const STRETCH: usize = 8 << 10;

/// Room behind the places, so that those of a block can be written at once.
const ROOM: usize = STRETCH / 2 + 2 * BLOCK;

/// Where tokens begin and end, in bytes from where the scan began.
#[derive(Debug)]
pub(super) struct Spans {
    starts: Box<[u16; ROOM]>,
    ends: Box<[u16; ROOM]>,
    count: usize,
}

impl Default for Spans {
    fn default() -> Self {
        Self { starts: Box::new([0; ROOM]), ends: Box::new([0; ROOM]), count: 0 }
    }
}

impl Spans {
    /// The tokens' first bytes, and the bytes behind their last.
    pub(super) fn get(&self) -> (&[u16], &[u16]) {
        (&self.starts[..self.count], &self.ends[..self.count])
    }
}

/// How a text is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Whether a character of a script without spaces is a token.
    pub(super) solo: bool,
    /// Whether the text is the contents of a JSON string.
    pub(super) escaped: bool,
}

/// Why a scan stopped, and where: before the token that what stopped it may belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// At the end of the text.
    End,
    /// Since as much was scanned as can be remembered; go on `from` there, or, if nothing was gained, as for a hard character.
    Full { from: usize, at: usize },
    /// Before a hard character `at` there.
    Hard { from: usize, at: usize },
    /// Before an escape that gives a character's number.
    Number { from: usize },
}

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

/// What a processor does with 64 bytes at once. A mask has a bit for each byte, the first byte's lowest.
trait Lanes: Copy {
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

#[inline(always)]
fn dispatch<L: Lanes>(lanes: L, text: &[u8], base: usize, manner: Manner, spans: &mut Spans) -> Stop {
    match manner.escaped {
        true => run::<L, true>(lanes, text, base, manner.solo, spans),
        false => run::<L, false>(lanes, text, base, manner.solo, spans),
    }
}

/// What one block has to tell the next.
#[derive(Default)]
struct Carry {
    /// The last byte belongs to a word.
    word: u64,
    /// Bytes of a character that began before: of one that is a token, its end; of a letter; of any easy one.
    solo_end: u64,
    letter: u64,
    easy: u64,
    /// The first byte is escaped.
    escaped: u64,
}

#[inline(always)]
fn run<L: Lanes, const ESCAPED: bool>(lanes: L, text: &[u8], base: usize, solo: bool, spans: &mut Spans) -> Stop {
    let mut carry = Carry::default();
    let (mut begun, mut ended) = (0, 0);
    let mut at = 0;
    let rest = &text[base..];
    let stop = loop {
        if at >= STRETCH.min(rest.len() + 1) {
            break None;
        }
        let mut padded = [0; BLOCK + AHEAD];
        let block: &[u8; BLOCK + AHEAD] = match rest[at..].first_chunk() {
            Some(block) => block,
            None => {
                padded[..rest.len() - at].copy_from_slice(&rest[at..]);
                &padded
            }
        };
        let first = lanes.load(chunk(block, 0));
        let mut word = lanes.words(first);
        let foreign = lanes.foreign(first);
        let mut hard = 0;
        let mut solos = 0;
        if ESCAPED {
            let escaped = carry.escaped_bytes(lanes.bits(lanes.within(first, b'\\', b'\\')));
            word &= !escaped;
            let number = escaped & lanes.bits(lanes.within(first, b'u', b'u'));
            if number & 1 != 0 {
                break Some((at - 1, true));
            }
            hard = number >> 1;
        }
        let number = hard;
        if foreign != 0 {
            let easy = Easy::of(lanes, first, lanes.load(chunk(block, 1)), lanes.load(chunk(block, 2)));
            let (letters, tokens) = if solo { (easy.letters3, easy.solos) } else { (easy.letters3 | easy.solos, 0) };
            let (two, three) = (easy.letters2 | easy.gaps2, easy.letters3 | easy.solos | easy.gaps3);
            hard |= foreign & !(spread(two, three) | carry.easy);
            word |= spread(easy.letters2, letters) | carry.letter;
            solos = tokens;
            carry.letter = spill(easy.letters2, letters);
            carry.easy = spill(two, three);
        }
        if hard != 0 {
            let below = (1 << hard.trailing_zeros()) - 1;
            word &= below;
            solos &= below;
        }
        let before = word << 1 | carry.word;
        let starts = word & !before | solos;
        let ends = !word & before | solos << 3 | carry.solo_end;
        carry.word = word >> 63;
        carry.solo_end = solos >> 61;
        if let (Some(to_start), Some(to_end)) = (spans.starts[begun..].first_chunk_mut(), spans.ends[ended..].first_chunk_mut()) {
            lanes.places(starts, at as u16, to_start);
            lanes.places(ends, at as u16, to_end);
        }
        begun += starts.count_ones() as usize;
        ended += ends.count_ones() as usize;
        if hard != 0 {
            let place = hard.trailing_zeros();
            break Some((at + place as usize, number >> place & 1 != 0));
        }
        at += BLOCK;
    };
    let (at, number) = match stop {
        Some(stop) => stop,
        None if at > rest.len() || at == rest.len() && carry.nothing_open() => {
            spans.count = ended;
            return Stop::End;
        }
        None => (floor_boundary(rest, at - usize::from(carry.escaped != 0)), false),
    };
    // What is hard may belong to the token that stands before it.
    let (count, from) = match ended.checked_sub(1) {
        _ if begun > ended => (ended, usize::from(spans.starts[ended])),
        Some(last) if usize::from(spans.ends[last]) == at => (last, usize::from(spans.starts[last])),
        _ => (ended, at),
    };
    spans.count = count;
    let (from, at) = (base + from, base + at);
    match (stop, number) {
        (None, _) => Stop::Full { from, at },
        (Some(_), true) => Stop::Number { from },
        (Some(_), false) => Stop::Hard { from, at },
    }
}

/// The bytes that are so far ahead, in a block with [`AHEAD`] more.
#[inline(always)]
fn chunk(block: &[u8; BLOCK + AHEAD], ahead: usize) -> &[u8; BLOCK] {
    block[ahead..].first_chunk().unwrap_or(&[0; BLOCK])
}

/// The bytes of characters of two and of three bytes of which the first are given.
#[inline(always)]
fn spread(two: u64, three: u64) -> u64 {
    let first_two = two | three | three << 1;
    first_two | two << 1 | three << 2
}

/// The same, of the bytes behind the block.
#[inline(always)]
fn spill(two: u64, three: u64) -> u64 {
    (two | three) >> 63 | three >> 62
}

/// The start of the character that `at` is in.
fn floor_boundary(text: &[u8], at: usize) -> usize {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    (at.saturating_sub(3)..=at).rev().find(|&at| !continues(at)).unwrap_or(at)
}

impl Carry {
    /// Which bytes are escaped by a backslash before them: after an odd number of backslashes. (simdjson's addition: subtracting
    /// the starts of the runs from the odd bits carries through each run.)
    #[inline(always)]
    fn escaped_bytes(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let may_escape = backslashes & !self.escaped;
        let runs = ((may_escape << 1 | ODD).wrapping_sub(may_escape)) ^ ODD;
        let escaped = runs ^ (backslashes | self.escaped);
        self.escaped = (runs & backslashes) >> 63;
        escaped
    }

    fn nothing_open(&self) -> bool {
        self.word == 0 && self.solo_end == 0
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::class::{Class, Kind, class},
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
