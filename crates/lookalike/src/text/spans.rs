//! Tokens with their places in the original text, for showing people what two texts share.

use super::{canon::Piece, class::Kind, tokens::TokensBy};

/// Where a token stands in the original text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// The place of each token that [`canonicalise`](super::canonicalise) finds in `text`, in the same order.
///
/// A token cut out of a piece that only normalises as a whole (½ is three characters) has the place of the whole piece.
/// Cost: one pass, slower than [`canonicalise`](super::canonicalise).
pub fn token_spans(text: &str, by: TokensBy) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut folded = String::new();
    let mut open = None;
    let mut gap: Option<Span> = None;
    let mut at = 0;
    while let Some(piece) = Piece::at(text, at) {
        let place = Span { start: at, end: piece.end };
        piece.fold(&text[at..piece.end], &mut folded, |kind, _| match kind {
            Kind::Separator => {
                open = None;
                gap = Some(Span { start: gap.map_or(place.start, |g| g.start), end: place.end });
            }
            Kind::Ignorable => {}
            Kind::Mark | Kind::Word | Kind::Solo if by == TokensBy::Chars => {
                spans.extend(gap.take().filter(|_| !spans.is_empty()));
                spans.push(place);
            }
            Kind::Mark => {
                if let Some(last) = open.and(spans.last_mut()) {
                    last.end = place.end;
                }
            }
            Kind::Solo if by == TokensBy::Auto => {
                open = Some(Kind::Solo);
                spans.push(place);
            }
            Kind::Word | Kind::Solo => match (open, spans.last_mut()) {
                (Some(Kind::Word), Some(last)) => last.end = place.end,
                _ => {
                    open = Some(Kind::Word);
                    spans.push(place);
                }
            },
        });
        at = piece.end;
    }
    spans
}
