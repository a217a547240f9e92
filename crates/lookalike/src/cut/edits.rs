//! Removes units from a text. When the rest is read again, its units are exactly the kept ones.

use std::{cell::LazyCell, ops::Range};

use super::{
    config::{CutConfig, Unit},
    units::TextUnits,
};
use crate::{
    simd::Simd,
    text::{Span, Tokens, canonicalise, reads, sentences_by},
};

/// Bytes that are removed from a text, and what is inserted in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes.
    pub span: Span,
    /// The text that is inserted, which is nearly always empty.
    pub insert: String,
}

/// Returns a text with all edits applied.
pub fn edited<'a>(text: &str, edits: impl IntoIterator<Item = &'a Edit>) -> String {
    let mut left = String::with_capacity(text.len());
    let mut from = 0;
    for Edit { span, insert } in edits {
        left.push_str(&text[from..span.start]);
        left.push_str(insert);
        from = span.end;
    }
    left.push_str(&text[from..]);
    left
}

/// Returns the edits that remove pieces of a text, which are ranges of units in order. There is one edit for all pieces that follow each
/// other directly.
///
/// The bytes from the start of the first unit of a range to the start of the next kept unit are removed. If the units before and
/// after these bytes would not be the same units when the text is read again, a space or a line break is inserted. If a character is
/// several tokens, such as ½, and only some of them are cut, the canonical forms of the others are inserted. At the end of the text,
/// spaces before the range are removed too, unless bytes are compared, and if no unit is left, everything is. If whole lines are cut,
/// they are removed with their indentation. Cost: the sentences around each range are divided again.
pub fn edits(
    text: &str,
    units: &TextUnits,
    pieces: impl IntoIterator<Item = Range<usize>>,
    config: &CutConfig,
) -> Vec<Edit> {
    let mut cut: Vec<Range<usize>> = Vec::new();
    for piece in pieces {
        match cut.last_mut().filter(|last| last.end == piece.start) {
            Some(last) => last.end = piece.end,
            None => cut.push(piece),
        }
    }
    let mut editor = Editor {
        text,
        units,
        config,
        forms: None,
    };
    let is_all = cut.iter().map(Range::len).sum::<usize>() == units.spans.len();
    let mut edits: Vec<Edit> = Vec::with_capacity(cut.len());
    for (number, range) in cut.iter().enumerate() {
        let before = number.checked_sub(1).map_or(0, |before| cut[before].end)..range.start;
        let after = range.end
            ..cut
                .get(number + 1)
                .map_or(units.spans.len(), |next| next.start);
        if is_all {
            edits.push(Edit {
                span: Span {
                    start: 0,
                    end: text.len(),
                },
                insert: String::new(),
            })
        } else {
            edits.push(editor.edit(&before, range, &after, edits.last()))
        }
    }
    edits
}

struct Editor<'a> {
    text: &'a str,
    units: &'a TextUnits,
    config: &'a CutConfig,
    /// The canonical forms of all tokens, if they were needed.
    forms: Option<Tokens>,
}

impl Editor<'_> {
    /// Returns the edit that cuts a range. The ranges of kept units before and after it may be empty only at the borders of the text.
    /// `last` is the edit before it.
    fn edit(
        &mut self,
        before: &Range<usize>,
        range: &Range<usize>,
        after: &Range<usize>,
        last: Option<&Edit>,
    ) -> Edit {
        let spans = &self.units.spans;
        let done = last.map_or(0, |last| last.span.end);
        let shared = self.shared(before, range, done);
        let start = if shared.is_empty() {
            self.line(spans[range.start].start).max(done)
        } else {
            spans[shared.start].start
        };
        let tail = self.forms(shared);
        if after.is_empty() {
            let trimmed = self.text[..start].trim_end_matches([' ', '\t']).len();
            let is_trimmed = tail.is_empty() && !self.config.verbatim;
            let start = if is_trimmed { trimmed.max(done) } else { start };
            return Edit {
                span: Span {
                    start,
                    end: self.text.len(),
                },
                insert: tail,
            };
        }
        let end = self.line(spans[after.start].start).max(start);
        // The kept units that share a character with the range, before and after it.
        let head = after
            .clone()
            .take_while(|&unit| spans[range.end - 1].end > spans[unit].start)
            .count();
        let end = if head > 0 {
            spans[after.start + head - 1].end
        } else {
            end
        };
        let forms = self.forms(after.start..after.start + head);
        let first = if head > 0 {
            forms.clone()
        } else {
            self.text[end..spans[after.start].end].to_owned()
        };
        if before.is_empty() {
            return Edit {
                span: Span { start, end },
                insert: forms,
            };
        }
        let last_unit = before.end - 1;
        let context = if tail.is_empty() {
            let from = spans[last_unit].start.max(done);
            let inserted = last
                .filter(|last| last.span.end > spans[last_unit].start)
                .map_or("", |last| &last.insert);
            [inserted, &self.text[from..start]].concat()
        } else {
            tail.clone()
        };
        let removed = &self.text[spans[range.start].start..end];
        let between = self.between(&context, removed, &first);
        Edit {
            span: Span { start, end },
            insert: [&tail, between, &forms].concat(),
        }
    }

    /// Returns the start of a place's line if whole lines are cut, and else the place.
    fn line(&self, place: usize) -> usize {
        if self.config.whole_lines {
            self.text[..place]
                .rfind(['\n', '\r'])
                .map_or(0, |before| before + 1)
        } else {
            place
        }
    }

    /// Returns the kept units before a range that share a character with it, except those that an edit before `done` has inserted.
    fn shared(&self, before: &Range<usize>, range: &Range<usize>, done: usize) -> Range<usize> {
        let spans = &self.units.spans;
        let is_shared =
            |&unit: &usize| spans[unit].end > spans[range.start].start && spans[unit].start >= done;
        let count = before.clone().rev().take_while(is_shared).count();
        before.end - count..before.end
    }

    /// Returns the canonical forms of units, with spaces between them.
    fn forms(&mut self, units: Range<usize>) -> String {
        if units.is_empty() {
            return String::new();
        }
        let tokens = self.forms.get_or_insert_with(|| {
            let mut tokens = Tokens::new();
            canonicalise(
                self.text,
                self.config.tokens,
                self.config.folds,
                &mut tokens,
            );
            tokens
        });
        let forms = tokens
            .iter()
            .filter(|token| *token != b" ")
            .skip(units.start)
            .take(units.len());
        forms
            .map(String::from_utf8_lossy)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns what must be inserted between two units, so that they are the same when they are read again.
    fn between(&self, before: &str, removed: &str, after: &str) -> &'static str {
        let are_apart = |between: &str| match self.config.unit {
            // Lines and paragraphs start after a line end.
            Unit::Lines | Unit::Paragraphs => true,
            Unit::Sentences => are_divided(before, between, after),
            Unit::Runs => self.are_words_apart(before, between, after),
        };
        let ways: &[&str] = if removed.contains(['\n', '\r']) {
            &["", "\n"]
        } else {
            &["", " ", "\n"]
        };
        // Comparing the units is slow, and seldom needed.
        let expected = LazyCell::new(|| [self.hashes(before), self.hashes(after)].concat());
        let is_same = |between: &str| {
            are_apart(between) || self.hashes(&[before, between, after].concat()) == *expected
        };
        ways.iter()
            .find(|between| is_same(between))
            .copied()
            .unwrap_or("\n")
    }

    /// Returns whether white space certainly separates the words of two texts.
    fn are_words_apart(&self, before: &str, between: &str, after: &str) -> bool {
        let last = between.bytes().last().or_else(|| before.bytes().last());
        let is_space = last.is_some_and(|last| last.is_ascii_whitespace());
        is_space
            && after
                .bytes()
                .next()
                .is_some_and(|first| first.is_ascii_alphanumeric())
            && reads(self.config.tokens, self.config.folds)
    }

    fn hashes(&self, text: &str) -> Vec<u64> {
        TextUnits::new(
            text,
            &CutConfig {
                verbatim: false,
                ..self.config.clone()
            },
        )
        .hashes
    }
}

/// Returns whether two texts have the same sentences if one follows the other.
fn are_divided(before: &str, between: &str, after: &str) -> bool {
    let simd = Simd::detect();
    let joined = [before, between, after].concat();
    let offset = before.len() + between.len();
    let shifted = |Span { start, end }: Span| Span {
        start: start + offset,
        end: end + offset,
    };
    sentences_by(simd, &joined)
        .eq(sentences_by(simd, before).chain(sentences_by(simd, after).map(shifted)))
}
