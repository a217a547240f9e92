//! Divides a text into *easy* stretches, whose tokens the scan finds, and *hard* ones, which must be normalised.

use super::{
    class::{self, Class, Kind},
    scan::{Manner, Spans, Stop, scan},
};
use crate::simd::Simd;

/// A part of a text.
pub(super) enum Stretch<'a> {
    /// Tokens that are in the text from byte `base + starts[i]` to `base + ends[i]`. The canonical form of such a token is its
    /// bytes, with ASCII letters in lower case.
    Easy {
        base: usize,
        starts: &'a [u16],
        ends: &'a [u16],
    },
    /// The tokens from byte `from` to `end`, which need the normaliser. The last scan began at `base`, and the first character that
    /// it left is at `at`. If `from` is not `at`, it is the start of the token to which that character belongs.
    Hard {
        base: usize,
        from: usize,
        at: usize,
        end: usize,
    },
}

/// Passes the stretches of a text to `give`, up to the first `\uXXXX` escape, and returns the place from which the rest must be
/// read.
///
/// Texts are cut before and after *hard* characters (those that the scan leaves to the normaliser), at places where a cut does not
/// change the tokens. A token ends at such a place, and the next character, which is a separator or a token of its own, does not
/// depend on the text before it.
#[inline]
pub(super) fn stretches(
    simd: Simd,
    text: &str,
    manner: Manner,
    spans: &mut Spans,
    mut give: impl FnMut(Stretch),
) -> Option<usize> {
    let mut base = 0;
    while base < text.len() {
        let stop = scan(simd, text.as_bytes(), base, manner, spans);
        let (starts, ends) = spans.get();
        give(Stretch::Easy { base, starts, ends });
        base = match stop {
            Stop::End => break,
            Stop::Number { from } => return Some(from),
            Stop::Full { from, .. } if from > base => from,
            Stop::Full { from, at } | Stop::Hard { from, at } => {
                // After `Stop::Hard`, the hard character at `at` is skipped. After `Stop::Full` (the scan reached its
                // capacity), no character is skipped: a token that fills the whole scan may end exactly at `at`, and the
                // character at `at` then already belongs to a separator or another token.
                let end = easy_again(
                    text,
                    at,
                    usize::from(stop == Stop::Hard { from, at }),
                    manner,
                );
                if manner.escaped && text.as_bytes()[end..].starts_with(b"\\u") {
                    return Some(from);
                }
                give(Stretch::Hard {
                    base,
                    from,
                    at,
                    end,
                });
                end
            }
        };
    }
    None
}

/// Returns the start of the next token or separator that does not depend on its neighbours, at least `skipped` characters after
/// `from`.
fn easy_again(text: &str, from: usize, skipped: usize, manner: Manner) -> usize {
    let itself = |c| match class::class(c) {
        Class::Simple(Kind::Separator, _) => true,
        Class::Simple(Kind::Han | Kind::Solo, _) => manner.solo,
        _ => false,
    };
    let mut rest = text[from..].char_indices().skip(skipped);
    rest.find(|&(_, c)| itself(c))
        .map_or(text.len(), |(at, _)| from + at)
}
