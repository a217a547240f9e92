//! Scans a text block by block. For each kind of byte, a mask shows which bytes of the block are of this kind; tokens start and
//! end at the edges of the masks.

use super::{
    easy::Easy,
    lanes::{BLOCK, Lanes},
};

/// The number of bytes that are read after a block, for the rest of a character that begins in the block's last byte.
pub(super) const AHEAD: usize = 2;

/// The number of bytes of one scan, a multiple of the block size. It is small, so that the recorded places stay in the
/// first-level cache.
pub(super) const STRETCH: usize = 8 << 10;

/// How many token starts, and how many token ends, a scan can record. There is spare space at the end, so that all starts or ends
/// of a block can be written in one go.
const CAPACITY: usize = STRETCH / 2 + 2 * BLOCK;

/// The starts and ends of tokens, in bytes from the start of the scan.
#[derive(Debug)]
pub(in crate::text) struct Spans {
    starts: Box<[u16; CAPACITY]>,
    ends: Box<[u16; CAPACITY]>,
    count: usize,
}

impl Default for Spans {
    fn default() -> Self {
        Self {
            starts: Box::new([0; CAPACITY]),
            ends: Box::new([0; CAPACITY]),
            count: 0,
        }
    }
}

impl Spans {
    /// Returns the places of the tokens' first bytes, and of the bytes after their last ones.
    pub(in crate::text) fn get(&self) -> (&[u16], &[u16]) {
        (&self.starts[..self.count], &self.ends[..self.count])
    }
}

/// How a text is read.
#[derive(Debug, Clone, Copy)]
pub(in crate::text) struct Manner {
    /// Whether a character of a script without spaces is a token.
    pub(in crate::text) solo: bool,
    /// Whether the text is the contents of a JSON string.
    pub(in crate::text) escaped: bool,
}

/// Why a scan stopped, and where. `at` is the place where it stopped. `from` is the start of the token to which the character at
/// `at` may belong, or `at` itself if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::text) enum Stop {
    /// The scan reached the end of the text.
    End,
    /// The scan reached its capacity. The next scan continues at `from`. If this scan also began at `from`, continue as for a
    /// hard character.
    Full { from: usize, at: usize },
    /// There is a hard character (one that must be normalised) at `at`.
    Hard { from: usize, at: usize },
    /// There is a `\uXXXX` escape.
    Number { from: usize },
}

#[inline(always)]
pub(super) fn dispatch<L: Lanes>(
    lanes: L,
    text: &[u8],
    base: usize,
    manner: Manner,
    spans: &mut Spans,
) -> Stop {
    match manner.escaped {
        true => run::<L, true>(lanes, text, base, manner.solo, spans),
        false => run::<L, false>(lanes, text, base, manner.solo, spans),
    }
}

/// State that is passed from one block to the next.
#[derive(Default)]
struct Carry {
    /// Whether the last byte of the previous block belongs to a word.
    word: u64,
    /// Masks for the next block, for a character that begins in the last bytes of the current block. `solo_end` marks the byte
    /// after the character if the character is a token of its own. `letter` marks the character's bytes if it is a letter of a
    /// word, and `easy` marks them if it is *easy* (a frequent character that does not depend on its neighbours).
    solo_end: u64,
    letter: u64,
    easy: u64,
    /// Whether the first byte of the next block is escaped.
    escaped: u64,
}

#[inline(always)]
fn run<L: Lanes, const ESCAPED: bool>(
    lanes: L,
    text: &[u8],
    base: usize,
    solo: bool,
    spans: &mut Spans,
) -> Stop {
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
            let easy = Easy::of(
                lanes,
                first,
                lanes.load(chunk(block, 1)),
                lanes.load(chunk(block, 2)),
            );
            let (letters, tokens) = if solo {
                (easy.letters3, easy.solos)
            } else {
                (easy.letters3 | easy.solos, 0)
            };
            let (two, three) = (
                easy.letters2 | easy.gaps2,
                easy.letters3 | easy.solos | easy.gaps3,
            );
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
        if let (Some(to_start), Some(to_end)) = (
            spans.starts[begun..].first_chunk_mut(),
            spans.ends[ended..].first_chunk_mut(),
        ) {
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
        None => (
            floor_boundary(rest, at - usize::from(carry.escaped != 0)),
            false,
        ),
    };
    // The character that stopped the scan may belong to the token before it.
    let (count, from) = match ended.checked_sub(1) {
        _ if begun > ended => (ended, usize::from(spans.starts[ended])),
        Some(last) if usize::from(spans.ends[last]) == at => {
            (last, usize::from(spans.starts[last]))
        }
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

/// Returns the 64 bytes that begin `ahead` bytes after the start of a block. The block is given with the [`AHEAD`] bytes after
/// it.
#[inline(always)]
pub(super) fn chunk(block: &[u8; BLOCK + AHEAD], ahead: usize) -> &[u8; BLOCK] {
    block[ahead..].first_chunk().unwrap_or(&[0; BLOCK])
}

/// Returns a mask of all bytes of the two-byte and three-byte characters whose first bytes are in the masks `two` and `three`.
#[inline(always)]
fn spread(two: u64, three: u64) -> u64 {
    let first_two = two | three | three << 1;
    first_two | two << 1 | three << 2
}

/// Like [`spread`], for the bytes after the block.
#[inline(always)]
fn spill(two: u64, three: u64) -> u64 {
    (two | three) >> 63 | three >> 62
}

/// Returns the start of the character to which byte `at` belongs.
fn floor_boundary(text: &[u8], at: usize) -> usize {
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    (at.saturating_sub(3)..=at)
        .rev()
        .find(|&at| !continues(at))
        .unwrap_or(at)
}

impl Carry {
    /// Returns which bytes are escaped by a backslash before them: those after an odd number of backslashes. (The method is from
    /// simdjson: the starts of the runs of backslashes are subtracted from the odd bits, and the borrow passes through each run.)
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
