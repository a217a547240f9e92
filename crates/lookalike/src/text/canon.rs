//! The canonical form of a text, made in one pass. It is written for settings that
//! [`read`](super::read) does not support, such as folds.

use super::{
    ascii,
    class::{self, Class, Kind},
    dictionary,
    folds::Folds,
    items,
    scan::{Seeker, Sought},
    tokens::{Open, Tokens, TokensBy},
};
use crate::simd::Simd;

/// Fills `tokens` with the canonical form of `text` (Broder 1997, section 2), folded by `folds`. For [`TokensBy::Items`] the
/// tokens are the items of the set in their order, or there are none if `text` is not a set.
///
/// Cost: one pass. Once the buffer has grown, nothing is allocated except for the pieces that need the normaliser, and for
/// dictionary words.
///
/// # Panics
/// Panics if this build does not support `by` or `folds`. [`TokensBy::check`] and [`Folds::check`] report this as an error.
pub fn canonicalise(text: &str, by: TokensBy, folds: Folds, tokens: &mut Tokens) {
    refuse_unbuilt(by, folds);
    if folds == Folds::default() {
        read(text, by, Reading::<false>(folds), tokens)
    } else {
        read(text, by, Reading::<true>(folds), tokens)
    }
}

#[expect(
    clippy::panic,
    reason = "`check` reports what this build lacks before any text reaches this"
)]
pub(super) fn refuse_unbuilt(by: TokensBy, folds: Folds) {
    if let Err(refusal) = by.check().and(folds.check()) {
        panic!("{refusal}");
    }
}

/// How characters are read: folded or unchanged. The choice is made once per text, so that the loops contain no code for folds if
/// none is requested.
#[derive(Clone, Copy)]
pub(super) struct Reading<const FOLDED: bool>(pub(super) Folds);

impl<const FOLDED: bool> Reading<FOLDED> {
    #[inline]
    fn simple(self, kind: Kind, c: char) -> (Kind, char) {
        if FOLDED {
            self.0.simple(kind, c)
        } else {
            (kind, c)
        }
    }

    fn piece(self, text: &str, out: &mut String) {
        class::fold(text, out);
        if FOLDED {
            self.0.piece(out);
        }
    }

    fn ascii_words(self, text: &[u8], tokens: &mut Tokens) {
        if FOLDED && self.0.digits {
            ascii::words::<true>(text, tokens)
        } else {
            ascii::words::<false>(text, tokens)
        }
    }
}

fn read<const FOLDED: bool>(
    text: &str,
    by: TokensBy,
    reading: Reading<FOLDED>,
    tokens: &mut Tokens,
) {
    tokens.clear(usize::from(by != TokensBy::Chars));
    match by {
        TokensBy::Auto => words(text, reading, tokens, |kind, c, tokens| {
            push_word(kind, c, true, tokens)
        }),
        TokensBy::Words => words(text, reading, tokens, |kind, c, tokens| {
            push_word(kind, c, false, tokens)
        }),
        TokensBy::Chars => chars(text, reading, tokens),
        TokensBy::Lines => {
            for (_, line) in lines(text) {
                let from = tokens.len();
                words(line, reading, tokens, |kind, c, tokens| {
                    push_word(kind, c, true, tokens)
                });
                tokens.join(from);
            }
        }
        TokensBy::Jieba => {
            words(text, reading, tokens, push_run);
            dictionary::flush(tokens);
        }
        TokensBy::Items => items::read(text, tokens),
    }
}

/// Returns the lines of a text, each with its place. Line ends only separate tokens, so lines can be normalised separately.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines_by(Simd::detect(), text)
}

/// Like [`lines`], with the given kernel.
pub(crate) fn lines_by(simd: Simd, text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut next, mut ends) = (Some(0), Seeker::new(simd, Sought::LineEnd));
    std::iter::from_fn(move || {
        let start = next?;
        let end = ends.next(text.as_bytes(), start);
        next = (end < text.len()).then_some(end + 1);
        Some((start, &text[start..end]))
    })
}

/// Returns the length of the ASCII text at the start of a text that does not combine with what follows. If the last ASCII letter may
/// combine with the character after it, the letter is left out.
pub(super) fn ascii_alone(text: &str) -> usize {
    let ascii = ascii_prefix(text.as_bytes());
    let combines = ascii > 0
        && text[ascii..]
            .chars()
            .next()
            .is_some_and(|c| class::class(c) == Class::Complex);
    ascii - usize::from(combines)
}

fn words<const FOLDED: bool>(
    text: &str,
    reading: Reading<FOLDED>,
    tokens: &mut Tokens,
    push: impl Fn(Kind, char, &mut Tokens) + Copy,
) {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let ascii = ascii_alone(rest);
        if ascii > 0 {
            let ascii_text = &rest.as_bytes()[..ascii];
            if !tokens.run.is_empty() && ascii_text.iter().any(u8::is_ascii_alphanumeric) {
                dictionary::flush(tokens);
            }
            reading.ascii_words(ascii_text, tokens);
            at += ascii;
        }
        at = foreign_words(text, at, reading, tokens, push);
    }
}

/// Reads the text up to the next ASCII character that does not combine with others, and returns the place of that character. Each
/// character is looked up once: it is pushed to the tokens when the next one is known not to combine with it.
fn foreign_words<const FOLDED: bool>(
    text: &str,
    start: usize,
    reading: Reading<FOLDED>,
    tokens: &mut Tokens,
    push: impl Fn(Kind, char, &mut Tokens),
) -> usize {
    let mut held: Option<(Kind, char)> = None;
    let (mut piece, mut at) = (start, start);
    for c in text[start..].chars() {
        match class::class(c) {
            Class::Complex => {
                let end = Piece::at(text, piece).map_or(text.len(), |piece| piece.end);
                let mut folded = std::mem::take(&mut tokens.piece);
                reading.piece(&text[piece..end], &mut folded);
                folded.chars().for_each(|c| push(class::kind(c), c, tokens));
                tokens.piece = folded;
                // The caller continues at `end`, and classifies the characters from there.
                return end;
            }
            Class::Simple(kind, image) => {
                if let Some((kind, c)) = held.take() {
                    push(kind, c, tokens);
                }
                // The first character may be an ASCII letter that was left here because the next character may combine with it.
                if c.is_ascii() && at > start {
                    return at;
                }
                held = Some(reading.simple(kind, image));
                piece = at;
            }
        }
        at += c.len_utf8();
    }
    if let Some((kind, c)) = held {
        push(kind, c, tokens);
    }
    at
}

/// Appends the next character to the tokens, or to the run of Han characters that the dictionary cuts into words.
pub(super) fn push_run(kind: Kind, c: char, tokens: &mut Tokens) {
    match kind {
        Kind::Separator => tokens.open = Open::No,
        Kind::Ignorable => {}
        Kind::Mark if tokens.open == Open::No => {}
        Kind::Han => {
            tokens.run.push(c);
            tokens.open = Open::Solo;
            if tokens.run.len() >= dictionary::RUN {
                dictionary::flush(tokens);
            }
        }
        // A combining mark belongs to the token before it. So it ends a run of Han characters too: the run is cut into words
        // first.
        Kind::Mark | Kind::Word | Kind::Solo => {
            dictionary::flush(tokens);
            push_word(kind, c, true, tokens);
        }
    }
}

#[inline]
pub(super) fn push_word(kind: Kind, c: char, solo: bool, tokens: &mut Tokens) {
    match kind {
        Kind::Separator => tokens.open = Open::No,
        Kind::Ignorable => {}
        Kind::Mark if tokens.open == Open::No => {}
        Kind::Mark => tokens.extend(c),
        Kind::Han | Kind::Solo if solo => {
            tokens.begin(Open::Solo);
            tokens.extend(c);
        }
        Kind::Word | Kind::Han | Kind::Solo => {
            if tokens.open != Open::Word {
                tokens.begin(Open::Word);
            }
            tokens.extend(c);
        }
    }
}

fn chars<const FOLDED: bool>(text: &str, reading: Reading<FOLDED>, tokens: &mut Tokens) {
    let (mut at, mut space) = (0, false);
    while let Some(piece) = Piece::at(text, at) {
        let mut folded = std::mem::take(&mut tokens.piece);
        piece.fold(&text[at..piece.end], reading, &mut folded, |kind, c| {
            push_char(kind, c, &mut space, tokens)
        });
        tokens.piece = folded;
        at = piece.end;
    }
}

fn push_char(kind: Kind, c: char, space: &mut bool, tokens: &mut Tokens) {
    match kind {
        Kind::Separator => *space = true,
        Kind::Ignorable => {}
        Kind::Word | Kind::Han | Kind::Solo | Kind::Mark => {
            if std::mem::take(space) && !tokens.is_empty() {
                tokens.begin(Open::No);
                tokens.extend(' ');
            }
            tokens.begin(Open::No);
            tokens.extend(c);
        }
    }
}

/// The number of ASCII bytes that are processed in one step. It is small, so that the data that is read and written stays in the
/// first-level cache, and a huge text needs no huge buffer.
const STRETCH: usize = 8 << 10;

/// Returns the number of ASCII bytes at the start, up to [`STRETCH`]. It counts by blocks, because the compiler does not
/// vectorise a byte loop with an exit.
fn ascii_prefix(bytes: &[u8]) -> usize {
    let mut count = 0;
    for block in bytes[..bytes.len().min(STRETCH)].chunks(256) {
        if !block.is_ascii() {
            return count + block.iter().position(|b| !b.is_ascii()).unwrap_or(0);
        }
        count += block.len();
    }
    count
}

/// A stretch of text that can be normalised separately: one *simple* character (its canonical form does not depend on its
/// neighbours), or one character of any class together with all *complex* (not simple) characters that follow it.
pub(super) struct Piece {
    /// The end of the piece in the text.
    pub(super) end: usize,
    class: Class,
}

impl Piece {
    /// Returns the piece that starts at byte `at`, or `None` at the end of the text.
    #[inline]
    pub(super) fn at(text: &str, at: usize) -> Option<Self> {
        let mut chars = text[at..].chars();
        let first = chars.next()?;
        let (mut end, mut class) = (at + first.len_utf8(), class::class(first));
        for next in chars {
            if next.is_ascii() || class::class(next) != Class::Complex {
                break;
            }
            class = Class::Complex;
            end += next.len_utf8();
        }
        Some(Self { end, class })
    }

    /// Passes the characters of the piece's canonical form to `give`. `piece` is its text; `folded` is a scratch buffer.
    #[inline]
    pub(super) fn fold<const FOLDED: bool>(
        &self,
        piece: &str,
        reading: Reading<FOLDED>,
        folded: &mut String,
        mut give: impl FnMut(Kind, char),
    ) {
        match self.class {
            Class::Simple(kind, c) => {
                let (kind, c) = reading.simple(kind, c);
                give(kind, c);
            }
            Class::Complex => {
                reading.piece(piece, folded);
                folded.chars().for_each(|c| give(class::kind(c), c));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_end_at_line_feeds_and_carriage_returns(text in "([a-c.]{1,9}|[\r\n\u{85}\u{2028}漢]|[a-z]{70}){0,20}") {
            for simd in Simd::all() {
                let lines: Vec<&str> = lines_by(simd, &text).map(|(_, line)| line).collect();
                prop_assert_eq!(&lines, &text.split(['\n', '\r']).collect::<Vec<_>>());
                prop_assert!(lines_by(simd, &text).all(|(at, line)| text[at..].starts_with(line)));
            }
        }
    }
}
