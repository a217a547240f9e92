//! Extracts the text of HTML: all visible text, or the main part.

mod references;

mod visible;

mod main_text;

use self::main_text::Main;
use crate::{
    format::Html,
    read::bytes::encoding::{declared_in_html, decode},
};

/// Extracts the text of pages, and keeps its buffers for the next page.
#[derive(Debug)]
pub struct Extractor {
    mode: Html,
    decoded: String,
    too_large: u64,
}

impl Extractor {
    /// Creates an extractor for a mode.
    pub fn new(mode: Html) -> Self {
        Self {
            mode,
            decoded: String::new(),
            too_large: 0,
        }
    }

    /// Writes the text of a page to `scratch`, with one space or line end between words, and returns it. `declared` is the
    /// encoding label in the page's HTTP header. If there is no such label, the encoding is the one that the page itself
    /// declares. If the page declares no encoding, the encoding is detected from the page's bytes (`encoding::decode`).
    ///
    /// Extraction never fails. `Text` takes one pass, at hundreds of MB/s. `Main` builds a tree, at about 60 MB/s. It builds a
    /// tree only for pages of up to 16 MiB and 30,000 elements, nested no deeper than browsers allow. The depths of all elements
    /// may add up to at most 600,000, which for 30,000 elements is a depth of 20 on average. All other pages yield all their text
    /// and are [counted](Self::take_too_large). No page takes longer than about a second.
    pub fn extract<'a>(
        &mut self,
        html: &[u8],
        declared: Option<&str>,
        scratch: &'a mut String,
    ) -> &'a str {
        let declared = declared_in_html(html, declared);
        let page = decode(html, declared, &mut self.decoded).text;
        scratch.clear();
        let most_attributes = visible::text(page, scratch);
        if self.mode == Html::Main {
            match main_text::content(page, most_attributes) {
                Main::Found(content) => {
                    let all = scratch.len();
                    visible::text(&content, scratch);
                    if scratch.len() > all {
                        scratch.drain(..all);
                    }
                }
                Main::None => {}
                Main::TooLarge => self.too_large += 1,
            }
        }
        scratch
    }

    /// Returns the number of pages that were too large to be searched for a main part, counted since the last call of this
    /// method.
    pub fn take_too_large(&mut self) -> u64 {
        std::mem::take(&mut self.too_large)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use html5gum::{DefaultEmitter, Token, Tokenizer};
    use proptest::prelude::*;

    use super::*;

    fn text(mode: Html, html: &str) -> String {
        Extractor::new(mode)
            .extract(html.as_bytes(), None, &mut String::from("what was there"))
            .to_owned()
    }

    /// Extracts the visible text of a page from the tokens of html5gum, for comparison with this crate's extractor.
    fn twin(html: &str) -> String {
        const INLINE: [&[u8]; 3] = [b"b", b"a", b"span"];
        const HIDDEN: [&[u8]; 5] = [b"script", b"style", b"title", b"noscript", b"iframe"];
        const LINES: [&[u8]; 3] = [b"pre", b"textarea", b"xmp"];
        let mut emitter = DefaultEmitter::<()>::default();
        emitter.naively_switch_states(true);
        // The character U+0001 is inserted where an element separates text.
        let (mut marked, mut hidden, mut templates, mut pres) =
            (String::new(), false, 0usize, 0usize);
        let mut raw = 0;
        for token in Tokenizer::new_with_emitter(html, emitter) {
            match token.unwrap() {
                Token::StartTag(tag) => {
                    marked += if INLINE.contains(&&**tag.name) {
                        ""
                    } else {
                        "\u{1}"
                    };
                    hidden |= HIDDEN.contains(&&**tag.name);
                    templates += usize::from(**tag.name == *b"template");
                    pres += usize::from(**tag.name == *b"pre");
                    raw += usize::from(LINES[1..].contains(&&**tag.name));
                }
                Token::EndTag(tag) => {
                    marked += if INLINE.contains(&&**tag.name) {
                        ""
                    } else {
                        "\u{1}"
                    };
                    (hidden, raw) = (false, 0);
                    templates = templates.saturating_sub(usize::from(**tag.name == *b"template"));
                    pres = pres.saturating_sub(usize::from(**tag.name == *b"pre"));
                }
                Token::String(text) if !hidden && templates == 0 => {
                    let text = std::str::from_utf8(&text.value).unwrap();
                    marked += &if pres + raw > 0 {
                        text.replace('\n', "\u{1}")
                    } else {
                        text.to_owned()
                    };
                }
                _ => {}
            }
        }
        let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c');
        let lines = marked.split('\u{1}').map(|line| {
            line.split(is_space)
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        });
        lines
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn html() -> impl Strategy<Value = String> {
        const PIECES: [&str; 58] = [
            "<",
            ">",
            "/",
            "!",
            "-",
            "--",
            "?",
            "=",
            "\"",
            "'",
            " ",
            "\n",
            "a",
            "é",
            "word ",
            "&",
            "&amp",
            "&amp;",
            "&notit;",
            "&#x41",
            "&#65;",
            "&#128;",
            "&#0;",
            "&#xd800;",
            "&#99999999999;",
            "&nbsp;",
            "&#10;",
            "&NotEqualTilde;",
            "&x;",
            "&ampa",
            "<p>",
            "</p>",
            "<b>",
            "</B>",
            "<br/>",
            "<a href=",
            "<p title=\"",
            "<!--",
            "-->",
            "--!>",
            "<!-->",
            "<!doctype html>",
            "<script>",
            "</script>",
            "</script ",
            "<SCRIPT ",
            "<style>",
            "</style>",
            "<title>",
            "</title/",
            "<textarea>",
            "</textarea>",
            "<xmp>",
            "</xmp>",
            "<noscript>",
            "<template>",
            "</template>",
            "<pre>",
        ];
        prop::collection::vec(prop::sample::select(&PIECES[..]), 0..30)
            .prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(5000)))]

        /// The pages are malformed in all possible ways.
        #[test]
        fn the_text_matches_the_reference_parser(html in html()) {
            let mut ours = String::new();
            visible::text(&html, &mut ours);
            prop_assert_eq!(ours, twin(&html), "{}", html);
        }

        #[test]
        fn the_main_part_or_all_text_is_returned(html in html(), bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let (all, main) = (text(Html::Text, &html), text(Html::Main, &html));
            prop_assert!(!main.is_empty() || all.is_empty(), "{}", html);
            Extractor::new(Html::Main).extract(&bytes, None, &mut String::new());
        }
    }

    #[test]
    fn texts_in_a_table() {
        for (html, expected) in [
            ("", ""),
            ("plain\n\n text", "plain text"),
            ("<p>one<p>two", "one\ntwo"),
            ("<b>in</b><i>line</i> and<br>not", "inline and\nnot"),
            ("<table><tr><td>a<td>b</table>", "a\nb"),
            (
                "<head><title>Title &amp; more</title><style>p {}</style></head><body>body",
                "body",
            ),
            (
                "<script>if (a < b) document.write('<p>no</p>')</script>yes",
                "yes",
            ),
            ("<script><!-- <script> </script> --> </script>yes", "yes"),
            (
                "<noscript><p>no</noscript><template><p>no</p></template><iframe>no</iframe>yes",
                "yes",
            ),
            ("<img alt=no src=x>yes", "yes"),
            (
                "caf&eacute; &#8212; R&amp;D &copy2026 &lt;b&gt; &unknown;",
                "café — R&D ©2026 <b> &unknown;",
            ),
            ("a<!-- > no -->b<!doctype x>c", "abc"),
            ("1 < 2 <3", "1 < 2 <3"),
            ("yes <a href='", "yes"),
            ("<pre>one\n  two</pre> three\nfour", "one\ntwo\nthree four"),
            (
                "<textarea>yes</textarea><plaintext><b>&amp;",
                "yes\n<b>&amp;",
            ),
            // In SVG, elements can be self-closing, and CDATA sections exist.
            ("<svg><title/><text>yes</text></svg><p>too", "yes\ntoo"),
            ("<svg><![CDATA[a < b]]></svg><![CDATA[no]]>", "a < b"),
            ("<title/>no</title>yes", "yes"),
            ("zero\0s", "zeros"),
        ] {
            assert_eq!(text(Html::Text, html), expected, "{html}");
        }
        let latin = b"<meta charset=iso-8859-2><p>\xa3\xf3d\xbc";
        assert_eq!(
            Extractor::new(Html::Text).extract(latin, None, &mut String::new()),
            "Łódź"
        );
        assert_eq!(
            Extractor::new(Html::Text).extract(b"<p>\xcc\xc9", Some("koi8-r"), &mut String::new()),
            "ли"
        );
    }

    #[test]
    fn the_main_part_excludes_its_surroundings() {
        let sentence =
            "This is a sentence of the article, with some words, and it is followed by others. ";
        let article = format!(
            "<article><h2>Heading</h2>{}</article>",
            format!("<p>{}</p>", sentence.repeat(4)).repeat(6)
        );
        let page = format!(
            "<nav><a href=/>Home</a> <a href=/b>Elsewhere</a></nav>{article}<footer>Imprint</footer>"
        );
        let main = text(Html::Main, &page);
        assert!(
            main.contains("This is a sentence")
                && !main.contains("Elsewhere")
                && !main.contains("Imprint"),
            "{main}"
        );
        assert_eq!(text(Html::Main, "<p>short</p>"), "short");
        // These pages exceed the bounds and yield all their text.
        let nested = "<div>".repeat(1_000_000) + &page;
        assert!(text(Html::Main, &nested).contains("Elsewhere"));
        let many = format!(
            "<p{}>{page}",
            (0..3000).map(|i| format!(" a{i}")).collect::<String>()
        );
        assert!(text(Html::Main, &many).contains("Elsewhere"));
    }

    /// The bounds depend on the page alone: pages just below the bounds have a main part, and pages above the bounds are counted.
    #[test]
    fn pages_above_the_bounds_give_all_their_text_and_are_counted() {
        let sentence =
            "This is a sentence of the article, with some words, and it is followed by others. ";
        let article = format!(
            "<nav>Elsewhere</nav><article>{}</article>",
            format!("<p>{}</p>", sentence.repeat(4)).repeat(6)
        );
        let nested = |depth: usize, times: usize| {
            ("<div>".repeat(depth) + &"</div>".repeat(depth)).repeat(times) + &article
        };
        for (page, is_too_large) in [
            ("<br>".repeat(29_000) + &article, false),
            ("<br>".repeat(31_000) + &article, true),
            (nested(200, 25), false),
            (nested(200, 50), true),
        ] {
            let (mut extractor, mut scratch) = (Extractor::new(Html::Main), String::new());
            let main = extractor.extract(page.as_bytes(), None, &mut scratch);
            assert!(main.contains("This is a sentence"));
            assert_eq!(main.contains("Elsewhere"), is_too_large, "{}", &page[..40]);
            assert_eq!(
                [extractor.take_too_large(), extractor.take_too_large()],
                [u64::from(is_too_large), 0]
            );
        }
    }

    /// Without the bounds, each of these pages took minutes or all memory.
    #[test]
    fn hostile_pages_take_no_longer_than_others() {
        let numbered =
            |count: usize, piece: fn(usize) -> String| (0..count).map(piece).collect::<String>();
        for page in [
            "<div>".repeat(200_000),
            "<table><tr><td>a".repeat(40_000),
            format!(
                "<p>{}{}",
                numbered(20_000, |i| format!("<b id={i}>")),
                "<p>x".repeat(20_000)
            ),
            numbered(60_000, |i| format!("<p><b id={i}></p>")),
            format!("<p {}", numbered(150_000, |i| format!("a{i} "))),
            numbered(60_000, |i| format!("<body a{i}=1>")),
            "&".repeat(500_000),
            "<!--".repeat(200_000),
            "<script><!--<script>".repeat(50_000),
            "<title></".repeat(100_000),
            ("<div>".repeat(400) + &"</div>".repeat(400)).repeat(250),
            "<meta name=a content=b>".repeat(100_000),
        ] {
            let start = Instant::now();
            text(Html::Main, &page);
            let taken = start.elapsed();
            assert!(
                taken < Duration::from_secs(20),
                "{taken:?} for {}",
                &page[..40]
            );
        }
    }
}
