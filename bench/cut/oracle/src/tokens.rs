//! Divides texts into tokens and numbers them. This follows docs/how.md and not the code of lookalike: it uses other crates, and has
//! no tables of its own except for a few characters that these crates do not list.

use std::collections::HashMap;

use caseless::Caseless;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::{UnicodeNormalization, char::canonical_combining_class};
use unicode_script::{Script, UnicodeScript};

/// A token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The number of its canonical form.
    pub form: u32,
    /// Its start in the text, in bytes. Several tokens may come from one character, such as ½.
    pub start: u32,
    /// Whether it is the first of its line.
    pub is_first: bool,
}

/// Numbers canonical forms in the order in which they first occur.
#[derive(Debug, Default)]
pub struct Vocabulary {
    numbers: HashMap<Box<str>, u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Separator,
    Letter,
    /// A letter of a script without spaces between words.
    Alone,
    Mark,
    Ignored,
}

/// The token that is being read.
#[derive(Default)]
struct Open {
    form: String,
    start: usize,
    takes_letters: bool,
    is_open: bool,
    is_first: bool,
}

impl Vocabulary {
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the tokens of a text.
    pub fn tokens(&mut self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(text.len() / 5);
        let mut open = Open::default();
        let mut characters = text.char_indices().peekable();
        let mut canonical = String::new();
        open.is_first = true;
        while let Some((start, first)) = characters.next() {
            // A piece is a character and what may combine with it.
            let mut end = start + first.len_utf8();
            while let Some((_, next)) = characters
                .next_if(|&(_, next)| !next.is_ascii() && (combines(next) || is_ignored(next)))
            {
                end += next.len_utf8();
            }
            if matches!(first, '\n' | '\r') {
                self.close(&mut tokens, &mut open);
                open.is_first = true;
                continue;
            }
            if first.is_ascii() && end == start + 1 {
                self.push(&mut tokens, &mut open, first.to_ascii_lowercase(), start);
                continue;
            }
            fold(&text[start..end], &mut canonical);
            for c in canonical.chars() {
                self.push(&mut tokens, &mut open, c, start);
            }
        }
        self.close(&mut tokens, &mut open);
        tokens
    }

    fn push(&mut self, tokens: &mut Vec<Token>, open: &mut Open, c: char, start: usize) {
        let kind = kind(c);
        match kind {
            Kind::Ignored => return,
            Kind::Separator => return self.close(tokens, open),
            Kind::Mark if !open.is_open => return,
            Kind::Mark => {}
            Kind::Letter if open.is_open && open.takes_letters => {}
            Kind::Letter | Kind::Alone => {
                self.close(tokens, open);
                (open.start, open.takes_letters, open.is_open) =
                    (start, kind == Kind::Letter, true);
            }
        }
        open.form.push(c);
    }

    fn close(&mut self, tokens: &mut Vec<Token>, open: &mut Open) {
        if !open.is_open {
            return;
        }
        let next = self.numbers.len() as u32;
        let form = match self.numbers.get(open.form.as_str()) {
            Some(&number) => number,
            None => {
                self.numbers.insert(open.form.as_str().into(), next);
                next
            }
        };
        tokens.push(Token {
            form,
            start: open.start as u32,
            is_first: open.is_first,
        });
        open.form.clear();
        (open.is_open, open.is_first) = (false, false);
    }
}

/// Writes NFKC, then case folding, then NFKC again to `out`, without characters that are ignored.
fn fold(piece: &str, out: &mut String) {
    let seen: String = piece
        .chars()
        .filter(|&c| !is_ignored(c))
        .nfkc()
        .filter(|&c| !is_ignored(c))
        .collect();
    out.clear();
    out.extend(seen.chars().default_case_fold().nfkc());
}

fn combines(c: char) -> bool {
    is_mark(c)
        || canonical_combining_class(c) != 0
        || matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}' | '\u{ff9e}' | '\u{ff9f}')
}

fn is_mark(c: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
    matches!(
        get_general_category(c),
        NonspacingMark | SpacingMark | EnclosingMark
    )
}

/// Format characters, default ignorable ones, and those that only stretch a word.
fn is_ignored(c: char) -> bool {
    !c.is_ascii()
        && (get_general_category(c) == GeneralCategory::Format
            || matches!(
                c,
                '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'
                    ..='\u{180f}' | '\u{2065}'
            )
            || matches!(c, '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
            || matches!(
                c,
                '\u{640}' | '\u{7fa}' | '\u{883}'..='\u{885}' | '\u{180a}'
            ))
}

fn kind(c: char) -> Kind {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() {
            Kind::Letter
        } else {
            Kind::Separator
        };
    }
    if is_ignored(c) {
        return Kind::Ignored;
    }
    if is_mark(c) {
        return Kind::Mark;
    }
    if !c.is_alphanumeric() {
        return Kind::Separator;
    }
    use Script::*;
    match c.script() {
        Han | Hiragana | Katakana | Bopomofo | Thai | Lao | Khmer | Myanmar | Yi | Tangut
        | Nushu => Kind::Alone,
        Tai_Le | New_Tai_Lue | Tai_Tham | Tai_Viet | Javanese | Balinese | Batak | Cham => {
            Kind::Alone
        }
        _ if matches!(c, '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}') => Kind::Alone,
        _ => Kind::Letter,
    }
}
