//! Checks the tokens with folds and with the Chinese dictionary against the definition, whether the text is plain or in a JSON
//! string. Also checks that the canonical form does not change when it is read again, and that the spans of the tokens are
//! non-empty parts of the text, in order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike::{
    Config, Method, Scratch,
    fingerprint::digest,
    text::{Folds, Text, Tokens, TokensBy, canonicalise, token_spans},
};
use lookalike_fuzz::{ascii_json, naive, text};

fuzz_target!(|bytes: &[u8]| {
    let [choice, rest @ ..] = bytes else { return };
    let text = text(rest);
    let tokens_by = [
        TokensBy::Jieba,
        TokensBy::Auto,
        TokensBy::Words,
        TokensBy::Chars,
    ][usize::from(choice % 4)];
    let tokens_by = if choice & 64 != 0 {
        TokensBy::Lines
    } else {
        tokens_by
    };
    let folds = Folds {
        simplified: choice & 4 != 0,
        accents: choice & 8 != 0,
        digits: choice & 16 != 0,
        marks: choice & 32 != 0,
    };

    let mut tokens = Tokens::new();
    canonicalise(&text, tokens_by, folds, &mut tokens);
    let cut: Vec<&str> = tokens
        .iter()
        .map(|token| std::str::from_utf8(token).expect("a token is a text"))
        .collect();
    assert_eq!(
        cut,
        naive::tokens(&text, tokens_by, folds),
        "{tokens_by:?} {folds:?}"
    );

    let spans = token_spans(&text, tokens_by, folds);
    assert_eq!(spans.len(), tokens.len());
    assert!(
        spans.iter().all(|span| text
            .get(span.start..span.end)
            .is_some_and(|piece| !piece.is_empty())),
        "{spans:?}"
    );
    assert!(
        spans
            .windows(2)
            .all(|w| w[0].start <= w[1].start && w[0].end <= w[1].end),
        "{spans:?}"
    );

    // A character that decomposes becomes several tokens. When these are read again, they may become one token.
    if tokens_by != TokensBy::Chars {
        let mut again = Tokens::new();
        let gap = if tokens_by == TokensBy::Lines {
            "\n"
        } else {
            " "
        };
        canonicalise(&cut.join(gap), tokens_by, folds, &mut again);
        assert!(again.iter().eq(tokens.iter()), "{cut:?}");
    }

    let method = Method::new(Config {
        tokens: tokens_by,
        folds,
        ..Config::default()
    })
    .expect("what can be asked for");
    let json = serde_json::to_string(&text).expect("a text is JSON");
    let ascii = ascii_json(&json);
    let (mut scratch, mut expected) = (Scratch::default(), None);
    for form in [
        Text::Plain(&text),
        Text::Escaped(&json[1..json.len() - 1]),
        Text::Escaped(&ascii[1..ascii.len() - 1]),
    ] {
        method.sketch(form, &mut scratch);
        assert_eq!(scratch.digest, digest(&tokens), "{form:?}");
        let sketch = (scratch.keys.clone(), scratch.bits.clone());
        assert_eq!(
            expected.get_or_insert_with(|| sketch.clone()),
            &sketch,
            "{form:?}"
        );
    }
});
