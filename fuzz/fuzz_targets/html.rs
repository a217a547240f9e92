//! Checks that the text of a page equals the text that another tokenizer finds, and that extracting the main part never fails.
#![no_main]

use html5gum::{DefaultEmitter, Token, Tokenizer};
use libfuzzer_sys::fuzz_target;
use lookalike_engine::{Extractor, Html};

/// Elements that the oracle below does not handle. Pages with them are only checked for failures: SVG has different rules, and
/// the other tokenizer has no `noframes` and does not replace invalid characters.
const OTHERS: [&str; 6] = ["svg", "math", "noframes", "noembed", "plaintext", "listing"];

const INLINE: &str = " a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q rb ruby s samp \
small span strike strong sub sup time tspan tt u var wbr ";

fn is_in(list: &str, name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(|name| list.split(' ').any(|one| one == name))
}

fn words(html: &str) -> String {
    let mut emitter = DefaultEmitter::<()>::default();
    emitter.naively_switch_states(true);
    let (mut text, mut hidden, mut templates) = (String::new(), false, 0usize);
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                text += if is_in(INLINE, &tag.name) { "" } else { " " };
                hidden |= is_in("script style title noscript iframe", &tag.name);
                templates += usize::from(**tag.name == *b"template");
            }
            Token::EndTag(tag) => {
                text += if is_in(INLINE, &tag.name) { "" } else { " " };
                hidden = false;
                templates = templates.saturating_sub(usize::from(**tag.name == *b"template"));
            }
            Token::String(string) if !hidden && templates == 0 => {
                text += std::str::from_utf8(&string.value).expect("a text")
            }
            _ => {}
        }
    }
    let words = text
        .split([' ', '\t', '\n', '\r', '\x0c'])
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

fuzz_target!(|bytes: &[u8]| {
    let mut scratch = String::new();
    Extractor::new(Html::Main).extract(bytes, None, &mut scratch);
    let all = Extractor::new(Html::Text)
        .extract(bytes, Some("utf-8"), &mut scratch)
        .replace('\n', " ");
    let Ok(html) = std::str::from_utf8(bytes) else {
        return;
    };
    let lower = html.to_ascii_lowercase();
    // A page with bytes that may determine its encoding is not compared here.
    if !html.bytes().any(|byte| byte <= 8 || byte == 0x1b)
        && !html.starts_with('\u{feff}')
        && !OTHERS.iter().any(|other| lower.contains(other))
    {
        assert_eq!(all, words(html));
    }
});
