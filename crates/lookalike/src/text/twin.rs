//! The naive twin of this folder: the definition in words, normalising the whole text at once. It judges the fast way.

use proptest::prelude::*;

use super::{
    Tokens, TokensBy, canonicalise,
    class::{self, Kind},
    token_spans,
};

fn tokens_by_definition(text: &str, by: TokensBy) -> Vec<String> {
    let mut whole = String::new();
    class::fold(text, &mut whole);
    let mut tokens: Vec<String> = Vec::new();
    let (mut open, mut space) = (None, false);
    for c in whole.chars() {
        let kind = match class::kind(c) {
            Kind::Solo if by == TokensBy::Words => Kind::Word,
            kind => kind,
        };
        match (by, kind) {
            (_, Kind::Ignorable) => {}
            (_, Kind::Separator) => (open, space) = (None, true),
            (TokensBy::Chars, _) => {
                if space && !tokens.is_empty() {
                    tokens.push(" ".into());
                }
                space = false;
                tokens.push(c.into());
            }
            (_, Kind::Mark) => {
                if open.is_some() {
                    tokens.last_mut().unwrap().push(c);
                }
            }
            (_, Kind::Word) if open == Some(Kind::Word) => tokens.last_mut().unwrap().push(c),
            (_, Kind::Word | Kind::Solo) => {
                tokens.push(c.into());
                open = Some(kind);
            }
        }
    }
    tokens
}

fn tokens_of(text: &str, by: TokensBy) -> Vec<String> {
    let mut tokens = Tokens::new();
    canonicalise(text, by, &mut tokens);
    tokens.iter().map(|t| String::from_utf8(t.to_vec()).unwrap()).collect()
}

/// Letters, digits, spaces, punctuation, and the characters that have caused trouble elsewhere: marks with and without a
/// base, jamo, ligatures, full and half width, kana voicing, Thai, Devanagari, Hangul, joiners, emoji, old scripts.
fn troublesome() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        8 => proptest::char::range(' ', '~'),
        2 => prop::sample::select("éÉßﬁﬀİıǰŉΐ½㍿Ａ１，。　…ｶﾞﾊﾟがは\u{3099}\u{309a}ハ々〆ー漢字한글ᄒ\u{1161}\u{11ab}กำน้ํา\u{e38}\u{e48}क्षि\u{93c}ড\u{9bc}ো\u{301}\u{323}\u{345}\u{ad}\u{200b}\u{200d}\u{feff}\u{fe0f}👩🏽\u{1d165}\u{16d63}\u{16d67}ſΣς\u{1e9e}ᾳѣ".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    prop::collection::vec(one, 0..160).prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn whole_text_and_pieces_agree(text in troublesome()) {
        for by in [TokensBy::Auto, TokensBy::Words, TokensBy::Chars] {
            prop_assert_eq!(tokens_of(&text, by), tokens_by_definition(&text, by));
            prop_assert_eq!(token_spans(&text, by).len(), tokens_of(&text, by).len());
        }
    }

    #[test]
    fn the_canonical_form_is_its_own_canonical_form(text in troublesome()) {
        for by in [TokensBy::Auto, TokensBy::Words] {
            let once = tokens_of(&text, by).join(" ");
            prop_assert_eq!(tokens_of(&once, by).join(" "), once);
        }
    }

    #[test]
    fn a_span_alone_holds_its_token(text in "[a-zA-Z0-9 ,.\n漢字がé’-]{0,80}") {
        let spans = token_spans(&text, TokensBy::Auto);
        for (span, token) in spans.iter().zip(tokens_of(&text, TokensBy::Auto)) {
            prop_assert_eq!(tokens_of(&text[span.start..span.end], TokensBy::Auto), vec![token]);
        }
    }

    #[test]
    fn ascii_of_every_length_and_offset(text in "[a-cA-C0 .]{0,300}") {
        prop_assert_eq!(tokens_of(&text, TokensBy::Auto), tokens_by_definition(&text, TokensBy::Auto));
    }
}

#[test]
fn a_long_text_is_cut_nowhere() {
    // Longer than the stretches that the ASCII path takes, with words and marks across every kind of border.
    let text: String =
        (0..9000).map(|i| if i % 977 == 0 { "e\u{301}x".into() } else { format!("w{i}{}", [" ", "", "-"][i % 3]) }).collect();
    assert_eq!(tokens_of(&text, TokensBy::Auto), tokens_by_definition(&text, TokensBy::Auto));
    let word = "a".repeat(30_000);
    assert_eq!(tokens_of(&word, TokensBy::Auto), [word]);
}

#[test]
fn a_buffer_used_again_forgets_the_last_text() {
    let mut tokens = Tokens::new();
    canonicalise("a very long text that is quite longer than the next one", TokensBy::Auto, &mut tokens);
    canonicalise("Short", TokensBy::Auto, &mut tokens);
    assert_eq!((tokens.len(), tokens.text()), (1, &b"short"[..]));
    canonicalise(" … !", TokensBy::Auto, &mut tokens);
    assert!(tokens.is_empty());
}

#[test]
fn tokens_in_a_table() {
    use TokensBy::*;
    let table: &[(&str, TokensBy, &[&str])] = &[
        ("Don't STOP", Auto, &["don", "t", "stop"]),
        ("snake_case x=1", Auto, &["snake", "case", "x", "1"]),
        ("Act 12", Auto, &["act", "12"]),
        ("かき", Auto, &["か", "き"]),
        ("がき", Auto, &["が", "き"]),
        ("か\u{3099}き", Auto, &["が", "き"]),
        ("ﾊﾟﾊﾟ", Auto, &["パ", "パ"]),
        ("第12章 Rust入門", Auto, &["第", "12", "章", "rust", "入", "門"]),
        ("第12章 Rust入門", Words, &["第12章", "rust入門"]),
        ("co\u{ad}operate", Auto, &["cooperate"]),
        ("CAFE\u{301} naïve", Auto, &["café", "naïve"]),
        ("Straße ﬁn", Auto, &["strasse", "fin"]),
        ("น้ำ", Auto, &["น\u{e49}\u{e4d}", "า"]),
        ("हिन्दी", Auto, &["हिन्दी"]),
        ("한국어 문서", Auto, &["한국어", "문서"]),
        ("a  b", Chars, &["a", " ", "b"]),
        (" a, b ", Chars, &["a", " ", "b"]),
        ("👩🏽 🙂", Auto, &[]),
    ];
    for (text, by, expected) in table {
        assert_eq!(tokens_of(text, *by), *expected, "{text:?} by {by:?}");
    }
}
