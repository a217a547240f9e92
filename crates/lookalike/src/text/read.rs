//! Reads the tokens of a text. If a token can be hashed directly from the text, only its position is passed on, so its canonical
//! form is not written to memory.

use super::{
    Folds, Text, Tokens, TokensBy, canonicalise,
    scan::{Manner, Spans},
    stretches::{Stretch, stretches},
};
use crate::simd::Simd;

/// A receiver of the tokens of a text, in order.
pub(crate) trait TokenSink {
    /// Takes tokens that are in `text` from byte `starts[i]` to `ends[i]`. The canonical form of such a token is its bytes, with
    /// ASCII letters in lower case.
    fn take_places(&mut self, text: &[u8], starts: &[u16], ends: &[u16]);
    /// Takes tokens in canonical form.
    fn take(&mut self, tokens: &Tokens);
}

/// Scratch buffers for reading texts.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    spans: Spans,
    tokens: Tokens,
    plain: String,
}

/// Returns whether a [`Reader`] supports these tokens and folds.
pub(crate) fn reads(by: TokensBy, folds: Folds) -> bool {
    matches!(by, TokensBy::Auto | TokensBy::Words) && folds == Folds::default()
}

impl Reader {
    /// Passes the tokens of a text to `taker`: the same tokens as [`canonicalise`] finds without folds. `by` must be
    /// [`TokensBy::Auto`] or [`TokensBy::Words`]; for any other `by`, such as dictionary words or characters, the tokens would be
    /// wrong.
    pub(crate) fn read(
        &mut self,
        simd: Simd,
        text: Text,
        by: TokensBy,
        taker: &mut impl TokenSink,
    ) {
        let solo = by == TokensBy::Auto;
        let (text, escaped) = match text {
            Text::Plain(text) => (text, false),
            Text::Escaped(text) => (text, true),
        };
        let Some(rest) = self.read_part(simd, text, Manner { solo, escaped }, taker) else {
            return;
        };
        // Text with one `\uXXXX` escape usually has many, so the rest is decoded in one go.
        let mut plain = std::mem::take(&mut self.plain);
        let decoded = Text::Escaped(&text[rest..]).decode(&mut plain);
        self.read_part(
            simd,
            decoded,
            Manner {
                solo,
                escaped: false,
            },
            taker,
        );
        self.plain = plain;
    }

    /// Reads up to the first `\uXXXX` escape, and returns the place from which the rest must be read.
    fn read_part(
        &mut self,
        simd: Simd,
        text: &str,
        manner: Manner,
        taker: &mut impl TokenSink,
    ) -> Option<usize> {
        let Self { spans, tokens, .. } = self;
        stretches(simd, text, manner, spans, |stretch| match stretch {
            Stretch::Easy { base, starts, ends } => {
                taker.take_places(&text.as_bytes()[base..], starts, ends)
            }
            Stretch::Hard { from, end, .. } => {
                canonicalise(&text[from..end], by(manner), Folds::default(), tokens);
                taker.take(tokens);
            }
        })
    }

    /// Like [`read`](Self::read), for a text that is divided into parts, which are read separately. Fills `before` with the number
    /// of tokens before each part.
    ///
    /// `starts` are the places where parts start, in ascending order. The character before each of them must be a separator that
    /// composes with no character after it, such as a line end or a full stop. Then no token depends on another part.
    pub(crate) fn read_parts(
        &mut self,
        simd: Simd,
        text: &str,
        by: TokensBy,
        starts: impl Iterator<Item = usize>,
        taker: &mut impl TokenSink,
        before: &mut Vec<usize>,
    ) {
        let Self { spans, tokens, .. } = self;
        let mut parts = starts.peekable();
        let mut count = 0;
        let manner = Manner {
            solo: by == TokensBy::Auto,
            escaped: false,
        };
        stretches(simd, text, manner, spans, |stretch| match stretch {
            Stretch::Easy { base, starts, ends } => {
                let (mut from, mut number) = (base, 0);
                let last = starts.last().map_or(base, |&last| base + usize::from(last));
                while let Some(part) = parts.next_if(|&part| part <= last) {
                    // There is at most one token in two bytes, so only these are compared, without a branch on the answer.
                    let place = part.saturating_sub(base) as u16;
                    let near = number..starts.len().min(number + part.saturating_sub(from) / 2 + 1);
                    number += starts[near]
                        .iter()
                        .map(|&start| u16::from(start < place))
                        .sum::<u16>() as usize;
                    before.push(count + number);
                    from = part;
                }
                count += starts.len();
                taker.take_places(&text.as_bytes()[base..], starts, ends);
            }
            Stretch::Hard { mut from, end, .. } => {
                while from < end {
                    while parts.next_if(|&part| part <= from).is_some() {
                        before.push(count);
                    }
                    let to = parts.peek().map_or(end, |&part| part.min(end));
                    canonicalise(&text[from..to], by, Folds::default(), tokens);
                    count += tokens.len();
                    taker.take(tokens);
                    from = to;
                }
            }
        });
        before.extend(parts.map(|_| count));
    }
}

fn by(manner: Manner) -> TokensBy {
    if manner.solo {
        TokensBy::Auto
    } else {
        TokensBy::Words
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::twin::troublesome, *};

    /// The received tokens. A token that was passed as a place in the text is stored in lower case.
    #[derive(Default)]
    struct Taken(Vec<String>);

    impl TokenSink for Taken {
        fn take_places(&mut self, text: &[u8], starts: &[u16], ends: &[u16]) {
            assert_eq!(starts.len(), ends.len());
            for (&from, &to) in starts.iter().zip(ends) {
                let token = std::str::from_utf8(&text[from.into()..to.into()]).unwrap();
                self.0.push(token.to_ascii_lowercase());
            }
        }

        fn take(&mut self, tokens: &Tokens) {
            self.0.extend(
                tokens
                    .iter()
                    .map(|token| String::from_utf8(token.to_vec()).unwrap()),
            );
        }
    }

    fn read(simd: Simd, text: Text, by: TokensBy) -> Vec<String> {
        let mut taken = Taken::default();
        Reader::default().read(simd, text, by, &mut taken);
        taken.0
    }

    fn canonical(text: &str, by: TokensBy) -> Vec<String> {
        let mut tokens = Tokens::new();
        canonicalise(text, by, Folds::default(), &mut tokens);
        tokens
            .iter()
            .map(|token| String::from_utf8(token.to_vec()).unwrap())
            .collect()
    }

    fn check(text: &str) {
        let json = serde_json::to_string(text).unwrap();
        let json = &json[1..json.len() - 1];
        let ascii = |c: char| {
            if c.is_ascii() {
                c.to_string()
            } else {
                c.encode_utf16(&mut [0; 2])
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}"))
                    .collect()
            }
        };
        let numbers: String = json.chars().map(ascii).collect();
        for by in [TokensBy::Auto, TokensBy::Words] {
            let expected = canonical(text, by);
            for simd in Simd::all() {
                assert_eq!(
                    read(simd, Text::Plain(text), by),
                    expected,
                    "{text:?} {by:?} {simd:?}"
                );
                assert_eq!(
                    read(simd, Text::Escaped(json), by),
                    expected,
                    "{json:?} {by:?} {simd:?}"
                );
                assert_eq!(
                    read(simd, Text::Escaped(&numbers), by),
                    expected,
                    "{numbers:?} {by:?} {simd:?}"
                );
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(2000)))]

        #[test]
        fn reading_gives_the_canonical_form(text in troublesome()) {
            check(&text);
        }

        #[test]
        fn easy_and_hard_alternate(text in "[a-cA-C0-9 .,\n\\\\\"漢字がカー、。，（“’…é\u{a0}а-яㅏ각Ａ\u{301}\u{200b}ß]{0,300}") {
            check(&text);
        }

        #[test]
        fn invalid_json_does_not_panic(text in r#"[\\u0-9a-fDC"né漢]{0,300}"#) {
            for simd in Simd::all() {
                let tokens = read(simd, Text::Escaped(&text), TokensBy::Auto);
                assert_eq!(tokens, read(Simd::Portable, Text::Escaped(&text), TokensBy::Auto));
            }
        }
    }

    #[test]
    fn long_texts_are_read_across_internal_borders() {
        let parts = [
            "word",
            "Étude",
            "cafe\u{301}",
            "漢字",
            "が、",
            " ",
            "-",
            "\\n",
            "\n",
            "x".repeat(500).leak(),
            "각하",
            "ﬁ",
        ];
        let text: String = (0..20_000u64)
            .map(|i| parts[(i * i / 7 % 12) as usize])
            .collect();
        check(&text);
        check(&"a".repeat(30_000));
        for length in 8180..8200 {
            check(&format!("{}\nb \\c", "a".repeat(length)));
            check(&format!("x{}\u{301}\nb", "a".repeat(length)));
        }
        check(&"漢".repeat(30_000));
        check(&"é".repeat(30_000));
        check(&"\\\n".repeat(10_000));
    }
}
