//! The canonical form, made in one pass over the text.

use super::{
    ascii,
    class::{self, Class, Kind},
    tokens::{Open, Tokens, TokensBy},
};

/// Fills `tokens` with the canonical form of `text` (Broder 1997, section 2).
///
/// Cost: one pass; nothing is allocated once the buffer has grown, but for the pieces that the normaliser has to see.
pub fn canonicalise(text: &str, by: TokensBy, tokens: &mut Tokens) {
    tokens.clear(usize::from(by != TokensBy::Chars));
    match by {
        TokensBy::Auto => words(text, true, tokens),
        TokensBy::Words => words(text, false, tokens),
        TokensBy::Chars => chars(text, tokens),
    }
}

fn words(text: &str, solo: bool, tokens: &mut Tokens) {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let mut ascii = ascii_prefix(rest.as_bytes());
        // The last ASCII letter belongs to what follows when that may combine with it.
        if ascii > 0 && rest[ascii..].chars().next().is_some_and(|c| class::class(c) == Class::Complex) {
            ascii -= 1;
        }
        if ascii > 0 {
            ascii::words(&rest.as_bytes()[..ascii], tokens);
            at += ascii;
        }
        at = foreign_words(text, at, solo, tokens);
    }
}

/// Takes what follows up to the next ASCII character that stands for itself; gives where that is. Each character is looked
/// up once: it is given to the tokens when the next one is known not to combine with it.
fn foreign_words(text: &str, start: usize, solo: bool, tokens: &mut Tokens) -> usize {
    let mut held: Option<(Kind, char)> = None;
    let (mut piece, mut at) = (start, start);
    for c in text[start..].chars() {
        match class::class(c) {
            Class::Complex => {
                let end = Piece::at(text, piece).map_or(text.len(), |piece| piece.end);
                let mut folded = std::mem::take(&mut tokens.piece);
                class::fold(&text[piece..end], &mut folded);
                folded.chars().for_each(|c| push_word(class::kind(c), c, solo, tokens));
                tokens.piece = folded;
                // The characters that follow are looked at afresh.
                return end;
            }
            Class::Simple(kind, image) => {
                if let Some((kind, c)) = held.take() {
                    push_word(kind, c, solo, tokens);
                }
                // The first may be an ASCII letter that was left for what combines with it.
                if c.is_ascii() && at > start {
                    return at;
                }
                held = Some((kind, image));
                piece = at;
            }
        }
        at += c.len_utf8();
    }
    if let Some((kind, c)) = held {
        push_word(kind, c, solo, tokens);
    }
    at
}

fn push_word(kind: Kind, c: char, solo: bool, tokens: &mut Tokens) {
    match kind {
        Kind::Separator => tokens.open = Open::No,
        Kind::Ignorable => {}
        Kind::Mark if tokens.open == Open::No => {}
        Kind::Mark => tokens.extend(c),
        Kind::Solo if solo => {
            tokens.begin(Open::Solo);
            tokens.extend(c);
        }
        Kind::Word | Kind::Solo => {
            if tokens.open != Open::Word {
                tokens.begin(Open::Word);
            }
            tokens.extend(c);
        }
    }
}

fn chars(text: &str, tokens: &mut Tokens) {
    let (mut at, mut space) = (0, false);
    while let Some(piece) = Piece::at(text, at) {
        let mut folded = std::mem::take(&mut tokens.piece);
        piece.fold(&text[at..piece.end], &mut folded, |kind, c| push_char(kind, c, &mut space, tokens));
        tokens.piece = folded;
        at = piece.end;
    }
}

fn push_char(kind: Kind, c: char, space: &mut bool, tokens: &mut Tokens) {
    match kind {
        Kind::Separator => *space = true,
        Kind::Ignorable => {}
        Kind::Word | Kind::Solo | Kind::Mark => {
            if std::mem::take(space) && !tokens.is_empty() {
                tokens.begin(Open::No);
                tokens.extend(' ');
            }
            tokens.begin(Open::No);
            tokens.extend(c);
        }
    }
}

/// ASCII bytes that are taken at a time: what is read and written stays in the first-level cache, and a huge text needs no
/// huge room.
const STRETCH: usize = 8 << 10;

/// Counts the ASCII bytes at the start, up to [`STRETCH`]: by blocks, since a byte loop with an exit is not vectorised.
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

/// A stretch of text that can be normalised by itself: one simple character, or one character and all the complex ones
/// behind it.
pub(super) struct Piece {
    /// Where it ends in the text.
    pub(super) end: usize,
    class: Class,
}

impl Piece {
    /// The piece that starts at byte `at`; none at the text's end.
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

    /// Gives the characters of the piece's canonical form. `piece` is its text; `folded` is room.
    #[inline]
    pub(super) fn fold(&self, piece: &str, folded: &mut String, mut give: impl FnMut(Kind, char)) {
        match self.class {
            Class::Simple(kind, c) => give(kind, c),
            Class::Complex => {
                class::fold(piece, folded);
                folded.chars().for_each(|c| give(class::kind(c), c));
            }
        }
    }
}
