//! Whether a text has a token, without finding all of its tokens.

use super::{
    canon::canonicalise,
    class::{self, Class, Kind},
    folds::Folds,
    tokens::{Tokens, TokensBy},
};

/// Returns whether [`canonicalise`] finds a token in a text. `by` must not be [`TokensBy::Items`]. `scratch` is a buffer.
///
/// Cost: nearly always that of a few characters. A letter or digit is in a token if it does not combine with the character after
/// it, whatever the folds are. If there is no such character, the text is normalised, unless it
/// consists of separators.
pub(crate) fn has_token(text: &str, by: TokensBy, folds: Folds, scratch: &mut Tokens) -> bool {
    let (mut is_letter, mut combines) = (false, false);
    for c in text.chars() {
        let class = match c.is_ascii() {
            true if c.is_ascii_alphanumeric() => Class::Simple(Kind::Word, c),
            true => Class::Simple(Kind::Separator, c),
            false => class::class(c),
        };
        if is_letter && class != Class::Complex {
            return true;
        }
        is_letter = matches!(class, Class::Simple(Kind::Word | Kind::Han | Kind::Solo, _));
        combines |= class == Class::Complex;
    }
    is_letter
        || combines && {
            canonicalise(text, by, folds, scratch);
            !scratch.is_empty()
        }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::twin::troublesome, *};

    proptest! {
        #[test]
        fn a_token_is_found_if_there_is_one(text in troublesome(), end in 0usize..8, fold in 0u8..16) {
            let folds = Folds { simplified: fold & 1 != 0 && cfg!(feature = "chinese"), accents: fold & 2 != 0, marks: fold & 4 != 0, digits: fold & 8 != 0 };
            // Most of the texts are so short that they may have no token.
            let text: String = text.chars().take(end).collect();
            let mut tokens = Tokens::new();
            for by in [TokensBy::Auto, TokensBy::Words, TokensBy::Chars, TokensBy::Lines, TokensBy::Jieba] {
                if by.check().is_ok() {
                    canonicalise(&text, by, folds, &mut tokens);
                    let expected = !tokens.is_empty();
                    prop_assert_eq!(has_token(&text, by, folds, &mut tokens), expected, "{:?} {:?}", by, folds);
                }
            }
        }
    }

    #[test]
    fn a_letter_is_in_a_token_whatever_the_folds_are() {
        let (mut tokens, mut scratch) = (Tokens::new(), [0; 4]);
        for c in '\0'..=char::MAX {
            let text = c.encode_utf8(&mut scratch);
            for simplified in [false, cfg!(feature = "chinese")] {
                let folds = Folds {
                    simplified,
                    accents: true,
                    marks: true,
                    digits: true,
                };
                canonicalise(text, TokensBy::Words, folds, &mut tokens);
                let is_letter = matches!(
                    class::class(c),
                    Class::Simple(Kind::Word | Kind::Han | Kind::Solo, _)
                );
                assert!(!is_letter || tokens.len() == 1, "{c:?} {folds:?}");
            }
        }
    }
}
