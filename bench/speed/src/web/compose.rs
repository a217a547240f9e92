//! Composes the line of a document from its plan and the pool, by copying.

use std::io::Write;

use super::{
    plan::{Kind, Plan, Role},
    pool::{COPIED, Pool, WORDS},
};
use crate::{
    random,
    words::{SYLLABLES, syllable},
};

/// Words in a piece of a document: the words of a piece of the pool, and one synthetic word.
const PIECE: u64 = WORDS as u64 + 1;
/// Words in a shingle.
const K: u64 = 5;

/// The number of documents, out of every 2,000, that have 8 to 15 pieces, 16 to 31 pieces, and so on. Documents have 5 kB on
/// average, and most are far shorter.
const OCTAVES: [u64; 10] = [180, 290, 430, 450, 350, 195, 80, 19, 5, 1];
/// The index in `OCTAVES` of the shortest texts that can be edited. These texts are long enough that one edit leaves a
/// resemblance of at least 0.8.
const EDITED_FROM: usize = 2;

/// A composed document: its role, and the shingles that it has in common with its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    /// The document's role.
    pub role: Role,
    /// |A∩B|, the number of shared shingles. For an unedited copy, these are all its shingles.
    pub shared: u64,
    /// |A∪B|, the number of all shingles of both.
    pub union: u64,
}

/// Composes lines.
#[derive(Debug)]
pub struct Composer {
    plan: Plan,
    pool: Pool,
    /// Halves of synthetic words, each with its length in the last byte.
    syllables: Vec<[u8; 8]>,
    capitals: Vec<[u8; 8]>,
}

/// How a text is written: the first syllables of its synthetic words (in lower case or in capitals), and the separator after
/// these words. Copies of one text may differ in this look.
#[derive(Clone, Copy)]
struct Look<'a> {
    first: &'a [[u8; 8]],
    /// The separator after a synthetic word; only `length` of its bytes are used.
    gap: [u8; 2],
    length: usize,
}

impl Composer {
    /// Returns the composer of a collection.
    pub fn new(plan: Plan, pool: Pool) -> Self {
        let syllables: Vec<[u8; 8]> = (0..SYLLABLES as u64).map(syllable).collect();
        let mut capitals = syllables.clone();
        capitals
            .iter_mut()
            .for_each(|syllable| syllable[..7].make_ascii_uppercase());
        Self {
            plan,
            pool,
            syllables,
            capitals,
        }
    }

    /// Returns the plan of the collection.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Appends the line of the document that is at position `place` of the collection.
    pub fn line(&self, place: u64, lines: &mut Vec<u8>) -> Made {
        let role = self.plan.role(place);
        lines.extend_from_slice(b"{\"id\":");
        push_id(place, role.own, lines);
        lines.extend_from_slice(b",\"text\":\"");
        let made = self.text(role, lines);
        lines.extend_from_slice(b"\",\"fetched\":\"1996-04-01\"}\n");
        made
    }

    fn text(&self, role: Role, lines: &mut Vec<u8>) -> Made {
        let pieces = pieces(role.text, role.edited);
        let windows = PIECE * pieces - (K - 1);
        let mut edits = Edits::of(role, pieces, windows);
        let look = self.look(role);
        let filled = lines.len();
        // Each edit adds at most one piece, so the text has at most `pieces + edits.count` pieces. The buffer has room for one
        // more, because copying a piece always writes a fixed number of bytes, even if the piece is shorter.
        lines.resize(filled + (pieces + edits.count + 1) as usize * MOST, 0);
        let mut out = Out {
            bytes: &mut lines[filled..],
            at: 0,
        };
        let (mut phrase, mut left) = (0, 0);
        for piece in 0..pieces {
            if left == 0 {
                // Take a run of consecutive pieces, then another run from elsewhere.
                let random = random::at(!role.text, piece);
                left = 8 + random % 32;
                phrase = random::below(random, self.pool.len() as u64 - 40) as usize;
            }
            let word = random::at(role.text, piece);
            let next = (left > 1).then_some(phrase + 1);
            match edits.at(piece, |edit| {
                edit != Edit::Delete || next.is_some_and(|next| self.differ(phrase, next))
            }) {
                None => self.piece(phrase, word, look, &mut out),
                Some((Edit::Word, own)) => self.piece(phrase, own, look, &mut out),
                Some((Edit::Piece, own)) => {
                    self.piece(self.other(phrase, own), own, look, &mut out)
                }
                Some((Edit::Delete, _)) => {}
                Some((Edit::Insert, own)) => {
                    self.piece(self.other(phrase, own), own, look, &mut out);
                    self.piece(phrase, word, look, &mut out);
                }
            }
            phrase += 1;
            left -= 1;
        }
        let end = filled + out.at;
        lines.truncate(end);
        Made {
            role,
            shared: windows - edits.lost,
            union: windows + edits.gained,
        }
    }

    /// Returns the index of a piece in the pool whose first word differs from that of piece `phrase`.
    fn other(&self, phrase: usize, own: u64) -> usize {
        let count = self.pool.len();
        let start = random::below(own.rotate_left(20), count as u64) as usize;
        (start..count)
            .chain(0..start)
            .find(|&other| self.differ(phrase, other))
            .unwrap_or(start)
    }

    fn differ(&self, phrase: usize, other: usize) -> bool {
        self.pool.heads[phrase] != self.pool.heads[other]
    }

    #[inline]
    fn piece(&self, phrase: usize, word: u64, look: Look, out: &mut Out) {
        let (start, end) = (
            self.pool.starts[phrase] as usize,
            self.pool.starts[phrase + 1] as usize,
        );
        out.copy::<COPIED>(&self.pool.text[start..], end - start);
        for syllable in [
            &look.first[word as usize % SYLLABLES],
            &self.syllables[(word >> 32) as usize % SYLLABLES],
        ] {
            out.copy::<8>(syllable, usize::from(syllable[7]));
        }
        out.copy::<2>(&look.gap, look.length);
    }

    /// Returns the look of a document. Half of the copies with the same tokens (`Kind::Copy`) look different from their original;
    /// all other documents have the plain look.
    fn look(&self, role: Role) -> Look<'_> {
        let plain = role.kind != Kind::Copy || role.own >> 63 == 0;
        let (gap, length) = match role.own >> 60 & 3 {
            _ if plain => (*b"  ", 1),
            0 => (*b"  ", 2),
            1 => (*b", ", 2),
            2 => (*b"\\n", 2),
            _ => (*b"! ", 2),
        };
        Look {
            first: if plain {
                &self.syllables
            } else {
                &self.capitals
            },
            gap,
            length,
        }
    }
}

/// The maximum number of bytes that are written for a piece, including the bytes beyond its end.
const MOST: usize = 2 * COPIED + 16;

/// The buffer that a text is written to.
struct Out<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Out<'_> {
    /// Copies N bytes, of which only `length` count: copying a fixed number is faster than copying the exact number.
    #[inline]
    fn copy<const N: usize>(&mut self, from: &[u8], length: usize) {
        self.bytes[self.at..self.at + N].copy_from_slice(&from[..N]);
        self.at += length;
    }
}

/// Returns the number of pieces of a text.
fn pieces(text: u64, edited: bool) -> u64 {
    let skipped: u64 = if edited {
        OCTAVES[..EDITED_FROM].iter().sum()
    } else {
        0
    };
    let random = random::at(text, u64::MAX);
    let mut at = skipped + random::below(random, OCTAVES.iter().sum::<u64>() - skipped);
    let mut octave = 0;
    while at >= OCTAVES[octave] {
        at -= OCTAVES[octave];
        octave += 1;
    }
    let least = 8 << octave;
    least + random % least
}

/// An edit of a piece.
#[derive(Clone, Copy, PartialEq)]
enum Edit {
    /// The synthetic word is replaced.
    Word,
    /// The whole piece is replaced.
    Piece,
    /// The piece is left out.
    Delete,
    /// Another piece is inserted before it.
    Insert,
}

impl Edit {
    /// Returns the kind of edit for a random number. Of ten edits on average, five replace the word, two replace the piece, one
    /// and a half delete a piece, and one and a half insert one.
    fn of(random: u64) -> Self {
        match random % 10 {
            0..=4 => Self::Word,
            5 | 6 => Self::Piece,
            7 => Self::Delete,
            8 => Self::Insert,
            // Deletions and insertions are equally frequent, so that on average the number of pieces does not change.
            _ if random >> 63 == 0 => Self::Delete,
            _ => Self::Insert,
        }
    }

    /// Returns how many windows an edit removes and how many it adds, if edits are more than five words apart. These windows
    /// contain a changed word, or cross the place where a piece is left out or inserted.
    fn windows(self) -> (u64, u64) {
        match self {
            Self::Word => (K, K),
            Self::Piece => (PIECE + K - 1, PIECE + K - 1),
            Self::Delete => (PIECE + K - 1, K - 1),
            Self::Insert => (K - 1, PIECE + K - 1),
        }
    }
}

/// The average number of windows that an edit removes, which is also the average number that it adds, in tenths of a window:
/// 5·0.5 + 8·0.35 + 4·0.15.
const AVERAGE: u64 = 59;

/// The edits of a copy: evenly spaced, from an offset that the copy's seed determines.
struct Edits {
    own: u64,
    count: u64,
    done: u64,
    span: u64,
    offset: u64,
    lost: u64,
    gained: u64,
}

impl Edits {
    fn of(role: Role, pieces: u64, windows: u64) -> Self {
        // The intended resemblance, in thousandths.
        let random = random::at(role.own, 1);
        let wanted = match role.kind {
            Kind::Original | Kind::Copy => 1000,
            Kind::Near => 800 + random::below(random, 195),
            Kind::Far => 500 + random::below(random, 280),
        };
        // If x of n windows change, J = (n − x) / (n + x). Each edit changes AVERAGE / 10 windows.
        let count = match wanted {
            1000 => 0,
            _ => (10 * windows * (1000 - wanted) / ((1000 + wanted) * AVERAGE)).max(1),
        };
        // The first and last two pieces are not edited: an edit there would change fewer windows.
        let span = pieces - 4;
        let offset = random::below(random::at(role.own, 2), span);
        Self {
            own: role.own,
            count,
            done: 0,
            span,
            offset,
            lost: 0,
            gained: 0,
        }
    }

    /// Returns the edit of a piece, and a random number for it. If the edit that was drawn is not possible, the word is replaced.
    #[inline]
    fn at(&mut self, piece: u64, possible: impl Fn(Edit) -> bool) -> Option<(Edit, u64)> {
        if self.done == self.count
            || piece != 2 + (self.done * self.span + self.offset) / self.count
        {
            return None;
        }
        let random = random::at(self.own, 16 + self.done);
        let edit = Some(Edit::of(random))
            .filter(|&edit| possible(edit))
            .unwrap_or(Edit::Word);
        let (lost, gained) = edit.windows();
        self.done += 1;
        self.lost += lost;
        self.gained += gained;
        Some((edit, finish(random)))
    }
}

/// Derives another random number, so that the new word of an edit does not depend on the kind of the edit.
fn finish(random: u64) -> u64 {
    random::at(random, 3)
}

/// Appends the document's id: its place, either as a number or in the URL of a page.
fn push_id(place: u64, own: u64, lines: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = match own >> 40 & 3 {
        0 => write!(lines, "{place}"),
        site => {
            write!(
                lines,
                "\"http://www.{:x}.{}/page/{place}.html\"",
                own & 0xff_ffff,
                ["com", "edu", "org"][site as usize - 1]
            )
        }
    };
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use lookalike::{
        fingerprint::fingerprint_set,
        shingle::Shingling,
        text::{Folds, TokensBy},
        verify::Overlap,
    };

    use super::*;

    #[test]
    fn what_is_said_of_a_copy_is_so() {
        let data = std::env::var_os("LOOKALIKE_DATA")
            .map_or(PathBuf::from("../../../shared/data"), PathBuf::from);
        let Ok(pool) = Pool::load(&data) else {
            eprintln!("skipped: the shared corpora are not in {}", data.display());
            return;
        };
        let composer = Composer::new(Plan::new(60_000, 3), pool);
        let set = |place: u64| {
            let mut line = Vec::new();
            let made = composer.line(place, &mut line);
            let record: serde_json::Value = serde_json::from_slice(&line).unwrap();
            let text = record["text"].as_str().unwrap();
            (
                made,
                fingerprint_set(
                    text,
                    TokensBy::Auto,
                    Folds::default(),
                    Shingling::new(5).unwrap(),
                ),
            )
        };
        let mut resemblances = Vec::new();
        for place in (0..60_000)
            .filter(|&place| composer.plan.role(place).kind != Kind::Original)
            .step_by(3)
        {
            let (made, copy) = set(place);
            let (_, original) = set(made.role.original);
            let overlap = Overlap::of(&copy, &original);
            let union = overlap.a + overlap.b - overlap.shared;
            assert_eq!(
                (overlap.shared, union),
                (made.shared, made.union),
                "{place}: {made:?}"
            );
            let resemblance = overlap.resemblance();
            match made.role.kind {
                Kind::Original | Kind::Copy => assert_eq!(resemblance, 1.0),
                Kind::Near => assert!(resemblance > 0.7, "{resemblance}"),
                Kind::Far => assert!((0.4..0.86).contains(&resemblance), "{resemblance}"),
            }
            resemblances.push(resemblance);
        }
        let between = |from: f64, to: f64| {
            resemblances
                .iter()
                .filter(|r| (from..to).contains(*r))
                .count()
        };
        for (from, to) in [
            (0.5, 0.6),
            (0.6, 0.7),
            (0.7, 0.78),
            (0.8, 0.85),
            (0.85, 0.9),
            (0.9, 0.95),
            (0.95, 1.0),
        ] {
            assert!(
                between(from, to) > 50,
                "{from} to {to}: {}",
                between(from, to)
            );
        }
    }
}
