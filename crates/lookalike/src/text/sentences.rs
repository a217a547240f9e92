//! Cuts a text into sentences at punctuation and line breaks. This is accurate enough to find a text's longest sentences, and to
//! find the same sentences in each copy of the text.
//!
//! Abbreviations are not looked up ("Dr. Smith" is cut): a cut at the wrong place is at the same place in the copy. Unicode's own
//! rules (UAX #29) use property tables that grow with each version of Unicode, and digests would change with these tables.

use super::{
    Span,
    class::{self, Kind},
    scan::{Seeker, Sought},
};
use crate::simd::Simd;

/// Returns the sentences of a text, in order, without the marks that end them and without white space around them.
///
/// A sentence ends:
/// - at a line break;
/// - at 。！？；… and similar marks in other scripts;
/// - at `.`, `!`, `?` before white space, before the text's end, before a letter of a script without spaces, or before a mark
///   that is not ASCII. There is no cut if the next word begins with a lower-case letter, or the dot follows a single letter.
///   So 3.14, example.com, "e.g. this" and "J. Smith" are not cut.
///
/// Closing quotes and brackets directly after the marks count as marks. Any text between two sentence ends is a sentence, even
/// without any letter; no sentence is empty. Cost: one pass.
pub fn sentences(text: &str) -> impl Iterator<Item = Span> {
    sentences_by(Simd::detect(), text)
}

/// Like [`sentences`], with the given kernel.
pub(crate) fn sentences_by(simd: Simd, text: &str) -> impl Iterator<Item = Span> {
    let mut ends = Seeker::new(simd, Sought::SentenceEnd);
    let mut start = 0;
    std::iter::from_fn(move || {
        while start < text.len() {
            let (end, next) = cut(text, start, &mut ends);
            let sentence = &text[start..end];
            let trimmed = sentence.trim_start();
            let first = end - trimmed.len();
            start = next;
            if !trimmed.is_empty() {
                return Some(Span {
                    start: first,
                    end: first + trimmed.trim_end().len(),
                });
            }
        }
        None
    })
}

/// Returns the end of the sentence that starts at byte `start`, and the start of the next one.
fn cut(text: &str, start: usize, ends: &mut Seeker) -> (usize, usize) {
    let mut from = start;
    loop {
        let end = ends.next(text.as_bytes(), from);
        let Some(first) = text[end..].chars().next() else {
            return (end, end);
        };
        let mut next = end + first.len_utf8();
        if is_line_break(first) {
            return (end, next);
        }
        let mut sure = !is_western(first);
        for c in text[next..]
            .chars()
            .take_while(|&c| is_end(c) || is_closing(c))
        {
            sure |= is_end(c) && !is_western(c);
            next += c.len_utf8();
        }
        if sure || !runs_on(&text[start..end], &text[end..next], &text[next..]) {
            return (end, next);
        }
        from = next;
    }
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns whether a mark also occurs within numbers, names and addresses.
fn is_western(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '．')
}

/// Returns whether a character ends a sentence: one of the marks of the scripts in which most texts are written. The list is
/// fixed, because digests depend on it.
fn is_end(c: char) -> bool {
    is_western(c)
        || matches!(c, '。' | '｡' | '！' | '？' | '；' | '…' | '‼' | '⁇' | '⁈' | '⁉')
        // Arabic and Urdu, Devanagari and its neighbours, Armenian, Ethiopic, Myanmar, Khmer, Tibetan.
        || matches!(c, '؟' | '۔' | '।' | '॥' | '։' | '።' | '፧' | '။' | '។' | '៕' | '།')
}

fn is_closing(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '”'
            | '’'
            | '»'
            | '›'
            | '」'
            | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '］'
            | '〕'
            | '｣'
            | '＂'
    )
}

/// Returns whether a sentence continues after Western marks.
fn runs_on(sentence: &str, marks: &str, rest: &str) -> bool {
    let word = rest.trim_start();
    let gap = &rest[..rest.len() - word.len()];
    match word.chars().next() {
        None => false,
        Some(_) if gap.contains(is_line_break) => false,
        Some(c) if gap.is_empty() => {
            c.is_ascii() || !matches!(class::kind(c), Kind::Separator | Kind::Han | Kind::Solo)
        }
        Some(c) => c.is_lowercase() || marks == "." && ends_in_single_letter(sentence),
    }
}

fn ends_in_single_letter(sentence: &str) -> bool {
    let mut back = sentence.chars().rev();
    back.next()
        .is_some_and(|c| c.is_lowercase() || c.is_uppercase())
        && back.next().is_none_or(|c| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use icu_normalizer::properties::{CanonicalDecomposition, Decomposed};
    use proptest::prelude::*;

    use super::{class::Class, *};

    /// Like [`cut`], character by character.
    fn cut_by_chars(text: &str, start: usize) -> (usize, usize) {
        let mut chars = text[start..]
            .char_indices()
            .map(|(at, c)| (start + at, c))
            .peekable();
        while let Some((end, c)) = chars.next() {
            if is_line_break(c) {
                return (end, end + c.len_utf8());
            }
            if !is_end(c) {
                continue;
            }
            let (mut sure, mut next) = (!is_western(c), end + c.len_utf8());
            while let Some((at, c)) = chars.next_if(|&(_, c)| is_end(c) || is_closing(c)) {
                sure |= is_end(c) && !is_western(c);
                next = at + c.len_utf8();
            }
            if sure || !runs_on(&text[start..end], &text[end..next], &text[next..]) {
                return (end, next);
            }
        }
        (text.len(), text.len())
    }

    fn cut_up(text: &str) -> Vec<&str> {
        sentences(text)
            .map(|span| &text[span.start..span.end])
            .collect()
    }

    #[test]
    fn sentences_in_a_table() {
        for (text, expected) in [
            ("", &[][..]),
            (" \n。 !?\r\n…", &[]),
            (
                "床前明月光，疑是地上霜。举头望明月，低头思故乡。",
                &["床前明月光，疑是地上霜", "举头望明月，低头思故乡"],
            ),
            (
                "他说：“走吧！”她笑了……然后走了；雨停了",
                &["他说：“走吧", "她笑了", "然后走了", "雨停了"],
            ),
            ("真的?我不信!“好”.行", &["真的", "我不信", "“好”", "行"]),
            (
                "「吾輩は猫である。」名前はまだ無い｡どこで？！",
                &["「吾輩は猫である", "名前はまだ無い", "どこで"],
            ),
            (
                "圆周率是3.14。版本２．５好",
                &["圆周率是3.14", "版本２．５好"],
            ),
            (
                "Pi is 3.14. It is not 3! Is it?",
                &["Pi is 3.14", "It is not 3", "Is it"],
            ),
            (
                "He left (at last.) She stayed. \"Why?\" Nobody knew...",
                &["He left (at last", "She stayed", "\"Why", "Nobody knew"],
            ),
            (
                "See e.g. this, i.e. Kant, by J. R. Smith of example.com/?q=a.",
                &["See e.g. this, i.e. Kant, by J. R. Smith of example.com/?q=a"],
            ),
            (
                "Well... perhaps. “Yahoo!” is a name",
                &["Well... perhaps", "“Yahoo!” is a name"],
            ),
            (
                "Plan B.\nsmall letters\r\n\r\n  Vitamin C.",
                &["Plan B", "small letters", "Vitamin C"],
            ),
            ("Dr. Smith", &["Dr", "Smith"]),
            (
                "यह एक वाक्य है। दूसरा। هل؟ نعم",
                &["यह एक वाक्य है", "दूसरा", "هل", "نعم"],
            ),
            ("***\na", &["***", "a"]),
        ] {
            assert_eq!(cut_up(text), expected, "{text}");
        }
    }

    #[test]
    #[ignore = "slow: `make test-all` runs it"]
    fn exactly_the_characters_that_may_end_lines_and_sentences_are_found() {
        for simd in Simd::all() {
            for c in '\0'..=char::MAX {
                let text = format!("\u{301}a{c}漢");
                let found =
                    |sought| Seeker::new(simd, sought).next(text.as_bytes(), 0) < text.len();
                assert_eq!(found(Sought::Escape), c == '\\', "{c:?} {simd:?}");
                assert_eq!(
                    found(Sought::LineEnd),
                    matches!(c, '\n' | '\r'),
                    "{c:?} {simd:?}"
                );
                assert_eq!(
                    found(Sought::SentenceEnd),
                    is_line_break(c) || is_end(c),
                    "{c:?} {simd:?}"
                );
            }
        }
    }

    #[test]
    fn characters_between_sentences_are_separators_that_compose_with_nothing_after_them() {
        let is_between =
            |c: char| is_end(c) || is_closing(c) || is_line_break(c) || c.is_whitespace();
        for c in '\0'..=char::MAX {
            assert!(
                !is_between(c) || matches!(class::class(c), Class::Simple(Kind::Separator, _)),
                "{c:?}"
            );
            if let Decomposed::Expansion(first, _) = CanonicalDecomposition::new().decompose(c) {
                assert!(!is_between(first), "{c:?}");
            }
        }
    }

    #[test]
    fn a_place_does_not_depend_on_the_blocks() {
        for simd in Simd::all() {
            for (at, mark) in (0..200).flat_map(|at| ["\n", ".", "؟", "。"].map(|mark| (at, mark)))
            {
                let text = format!("{}{mark}é\n.", "é".repeat(at));
                assert_eq!(
                    Seeker::new(simd, Sought::SentenceEnd).next(text.as_bytes(), at / 2 * 2),
                    2 * at,
                    "{mark:?} {simd:?}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn sentences_are_those_that_are_found_character_by_character(
            text in "([a-zA-Z0-9.!?\"') \n\t。！…”」世界é．؟।\u{85}\u{2028}\u{301}]|[a-z ]{20}|\\PC){0,120}",
        ) {
            for simd in Simd::all() {
                let (mut start, mut ends) = (0, Seeker::new(simd, Sought::SentenceEnd));
                while start < text.len() {
                    let both = (cut(&text, start, &mut ends), cut_by_chars(&text, start));
                    prop_assert_eq!(both.0, both.1, "{} {:?}", start, simd);
                    start = both.1.1;
                }
            }
        }

        #[test]
        fn everything_except_marks_and_white_space_is_in_one_sentence(text in "[a-zA-Z0-9.!?\"') \n\t。！…”」世界é．]{0,60}|\\PC*") {
            let mut at = 0;
            for span in sentences(&text).chain([Span { start: text.len(), end: text.len() }]) {
                prop_assert!(text[at..span.start].chars().all(|c| c.is_whitespace() || is_line_break(c) || is_end(c) || is_closing(c)));
                let sentence = &text[span.start..span.end];
                prop_assert!(!sentence.contains(is_line_break) && sentence.trim() == sentence);
                prop_assert!(span.start == text.len() || !sentence.is_empty());
                at = span.end;
            }
        }
    }
}
