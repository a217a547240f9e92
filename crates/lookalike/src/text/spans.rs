//! Finds the places of tokens in the original text, to show users which passages two texts share.

use std::ops::Range;

use super::{
    canon::{self, Piece, Reading},
    class::Kind,
    dictionary,
    folds::Folds,
    items,
    scan::{Manner, Spans},
    source::Span,
    stretches::{Stretch, stretches},
    tokens::TokensBy,
};
use crate::simd::Simd;

/// How many bytes there are between two marks, which are places with a stored character count.
const FAR: usize = 4096;

/// Counts the characters of a text before given places. It counts from the last mark before each place, not from the start of the
/// text.
#[derive(Debug, Clone)]
pub struct CharCount<'a> {
    text: &'a str,
    /// Places in bytes, and the number of characters before each.
    marks: Vec<(usize, usize)>,
}

impl<'a> CharCount<'a> {
    /// Creates the counter of a text.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            marks: vec![(0, 0)],
        }
    }

    /// Converts the start and the end of a span from bytes to characters.
    ///
    /// # Panics
    /// Panics if either end of the span is not at a character boundary.
    pub fn span(&mut self, bytes: Span) -> Span {
        Span {
            start: self.before(bytes.start),
            end: self.before(bytes.end),
        }
    }

    fn before(&mut self, byte: usize) -> usize {
        let near = self.marks.partition_point(|&(mark, _)| mark <= byte) - 1;
        let (mut from, mut before) = self.marks[near];
        // If the place is after the last mark, adds a mark about every `FAR` bytes on the way to it.
        let is_last = near + 1 == self.marks.len();
        while is_last && byte - from > FAR {
            let mut mark = from + FAR;
            while !self.text.is_char_boundary(mark) {
                mark -= 1;
            }
            before += self.text[from..mark].chars().count();
            from = mark;
            self.marks.push((from, before));
        }
        before + self.text[from..byte].chars().count()
    }
}

/// Returns the place of each token that [`canonicalise`](super::canonicalise) finds in `text`, in the same order.
///
/// A token from a piece that can only be normalised as a whole (½ becomes three characters) has the place of the whole piece. A
/// dictionary word has the place from its first character to its last, separators between them included. Cost: one pass, about
/// 1 ns per byte for English words if digits are not folded. Otherwise it is slower than [`canonicalise`](super::canonicalise).
///
/// # Panics
/// Panics under the same conditions as [`canonicalise`](super::canonicalise).
pub fn token_spans(text: &str, by: TokensBy, folds: Folds) -> Vec<Span> {
    canon::refuse_unbuilt(by, folds);
    if by == TokensBy::Items {
        return items::spans(text);
    }
    if by == TokensBy::Lines {
        let span = |(at, line): (usize, &str)| {
            let words = token_spans(line, TokensBy::Auto, folds);
            Some(Span {
                start: at + words.first()?.start,
                end: at + words.last()?.end,
            })
        };
        return canon::lines(text).filter_map(span).collect();
    }
    if scanned(by, folds) && text.len() >= LONG {
        scanned_spans(Simd::detect(), text, by, folds)
    } else {
        let mut spans = Vec::new();
        spans_of_pieces(text, 0..text.len(), by, folds, &mut spans);
        spans
    }
}

/// Texts that are shorter than this, in bytes, are read piece by piece, because the scan needs buffers. With 256, reading Chinese
/// poems, which have 190 bytes on average, took more than twice as long.
const LONG: usize = 64;

/// Returns whether the scan finds these tokens. Folds do not change which bytes belong to a token, with one exception: digits of
/// scripts without spaces are tokens, and become parts of words if they are folded.
fn scanned(by: TokensBy, folds: Folds) -> bool {
    matches!(by, TokensBy::Auto | TokensBy::Words) && !folds.digits
}

/// Finds most tokens with the scan, and only the others piece by piece.
fn scanned_spans(simd: Simd, text: &str, by: TokensBy, folds: Folds) -> Vec<Span> {
    let manner = Manner {
        solo: by == TokensBy::Auto,
        escaped: false,
    };
    let mut spans = Vec::new();
    stretches(
        simd,
        text,
        manner,
        &mut Spans::default(),
        |stretch| match stretch {
            Stretch::Easy { base, starts, ends } => {
                let span = |(&start, &end)| Span {
                    start: base + usize::from(start),
                    end: base + usize::from(end),
                };
                spans.extend(starts.iter().zip(ends).map(span));
            }
            Stretch::Hard {
                base,
                from,
                at,
                end,
            } => {
                // A hard character that does not belong to a token is in one piece with the separator before it.
                let separator = text[base..at]
                    .char_indices()
                    .next_back()
                    .filter(|_| from == at);
                let from = separator.map_or(from, |(before, _)| base + before);
                spans_of_pieces(text, from..end, by, folds, &mut spans);
            }
        },
    );
    spans
}

/// Appends the places of the tokens in a range of bytes, which are read piece by piece.
fn spans_of_pieces(
    text: &str,
    range: Range<usize>,
    by: TokensBy,
    folds: Folds,
    spans: &mut Vec<Span>,
) {
    let mut places = Places {
        spans: std::mem::take(spans),
        ..Places::default()
    };
    let mut folded = String::new();
    let Range { start: mut at, end } = range;
    let text = &text[..end];
    let is_words = matches!(by, TokensBy::Auto | TokensBy::Words);
    while at < text.len() {
        let ascii = if is_words {
            canon::ascii_alone(&text[at..])
        } else {
            0
        };
        if ascii > 0 {
            places.ascii_words(&text.as_bytes()[at..at + ascii], at);
            at += ascii;
            continue;
        }
        let Some(piece) = Piece::at(text, at) else {
            break;
        };
        // A piece may begin with a separator that is normalised together with the text after it, such as the bracket of (½).
        let first = text.as_bytes()[at];
        let start = if first.is_ascii() && !first.is_ascii_alphanumeric() && piece.end > at + 1 {
            at + 1
        } else {
            at
        };
        let place = Span {
            start,
            end: piece.end,
        };
        piece.fold(
            &text[at..piece.end],
            Reading::<true>(folds),
            &mut folded,
            |kind, c| match by {
                TokensBy::Auto => places.word(kind, true, place),
                TokensBy::Words => places.word(kind, false, place),
                TokensBy::Chars => places.char(kind, place),
                TokensBy::Jieba => places.dictionary(kind, c, place),
                TokensBy::Items | TokensBy::Lines => {}
            },
        );
        at = piece.end;
    }
    places.cut_run();
    *spans = places.spans;
}

#[derive(Default)]
struct Places {
    spans: Vec<Span>,
    /// The kind of the last token, while it may grow.
    open: Option<Kind>,
    /// The separators since the last character token.
    gap: Option<Span>,
    /// The Han characters that are not yet cut into words, and the place of each.
    run: String,
    in_run: Vec<Span>,
}

impl Places {
    fn word(&mut self, kind: Kind, solo: bool, place: Span) {
        match (kind, self.open, self.spans.last_mut()) {
            (Kind::Separator, ..) => self.open = None,
            (Kind::Ignorable, ..) | (Kind::Mark, None, _) | (Kind::Mark, _, None) => {}
            (Kind::Mark, _, Some(last)) => last.end = place.end,
            (Kind::Han | Kind::Solo, ..) if solo => {
                self.open = Some(Kind::Solo);
                self.spans.push(place);
            }
            (_, Some(Kind::Word), Some(last)) => last.end = place.end,
            (Kind::Word | Kind::Han | Kind::Solo, ..) => {
                self.open = Some(Kind::Word);
                self.spans.push(place);
            }
        }
    }

    /// Takes ASCII text that starts at `from` and does not combine with the text after it.
    fn ascii_words(&mut self, text: &[u8], from: usize) {
        let mut at = 0;
        while at < text.len() {
            let length = text[at..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric())
                .count();
            if length == 0 {
                self.open = None;
                at += 1;
                continue;
            }
            let place = Span {
                start: from + at,
                end: from + at + length,
            };
            match (self.open, self.spans.last_mut()) {
                (Some(Kind::Word), Some(last)) => last.end = place.end,
                _ => self.spans.push(place),
            }
            self.open = Some(Kind::Word);
            at += length;
        }
    }

    fn char(&mut self, kind: Kind, place: Span) {
        match kind {
            Kind::Separator => {
                self.gap = Some(Span {
                    start: self.gap.map_or(place.start, |gap| gap.start),
                    end: place.end,
                })
            }
            Kind::Ignorable => {}
            Kind::Mark | Kind::Word | Kind::Han | Kind::Solo => {
                let gap = self.gap.take().filter(|_| !self.spans.is_empty());
                self.spans.extend(gap);
                self.spans.push(place);
            }
        }
    }

    fn dictionary(&mut self, kind: Kind, c: char, place: Span) {
        match kind {
            Kind::Han => {
                self.run.push(c);
                self.in_run.push(place);
                self.open = Some(Kind::Solo);
                if self.run.len() >= dictionary::RUN {
                    self.cut_run();
                }
            }
            Kind::Word | Kind::Solo => self.cut_run(),
            Kind::Mark if self.open.is_some() => self.cut_run(),
            Kind::Mark | Kind::Separator | Kind::Ignorable => {}
        }
        if kind != Kind::Han {
            self.word(kind, true, place);
        }
    }

    fn cut_run(&mut self) {
        // This function is also called for other kinds of tokens. An empty run must not reach the dictionary, because looking up
        // words loads it.
        if self.run.is_empty() {
            return;
        }
        let mut from = 0;
        for word in dictionary::cut(&self.run) {
            let to = from + word.chars().count();
            self.spans.push(Span {
                start: self.in_run[from].start,
                end: self.in_run[to - 1].end,
            });
            from = to;
        }
        self.run.clear();
        self.in_run.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::twin::troublesome, *};

    proptest! {
        #[test]
        fn the_scan_finds_the_same_places(text in troublesome(), fold in 0u8..8) {
            let folds = Folds { simplified: fold & 1 != 0 && cfg!(feature = "chinese"), accents: fold & 2 != 0, marks: fold & 4 != 0, digits: false };
            for by in [TokensBy::Auto, TokensBy::Words] {
                let mut expected = Vec::new();
                spans_of_pieces(&text, 0..text.len(), by, folds, &mut expected);
                for simd in Simd::all() {
                    prop_assert_eq!(&scanned_spans(simd, &text, by, folds), &expected, "{:?} {:?} {:?}", by, folds, simd);
                }
            }
        }
    }
}
