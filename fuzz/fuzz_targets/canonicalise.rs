//! Checks the canonical form of a text against its definition.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike::text::{Folds, Tokens, TokensBy, canonicalise, token_spans};
use lookalike_fuzz::{naive, text};

fuzz_target!(|bytes: &[u8]| {
    let text = text(bytes);
    let mut tokens = Tokens::new();
    for by in [
        TokensBy::Auto,
        TokensBy::Words,
        TokensBy::Chars,
        TokensBy::Lines,
    ] {
        canonicalise(&text, by, Folds::default(), &mut tokens);
        let cut: Vec<&str> = tokens
            .iter()
            .map(|token| std::str::from_utf8(token).expect("a token is a text"))
            .collect();
        assert_eq!(cut, naive::tokens(&text, by, Folds::default()), "{by:?}");
        assert_eq!(token_spans(&text, by, Folds::default()).len(), tokens.len());
    }
});
