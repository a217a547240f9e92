//! Makes the text that is left after units are cut.

use std::ops::Range;

use super::{
    config::{CutConfig, Unit},
    units::TextUnits,
};
use crate::text::{Tokens, canonicalise};

/// Returns the text without the given units, which are in order and do not touch each other.
///
/// The bytes from the start of the first unit of a range to the start of the next kept unit are removed. If the units before and
/// after these bytes would not be the same units when the text is read again, a space or a line break is inserted. If a character is
/// several tokens, such as ½, and only some of them are cut, the canonical forms of the others replace it. At the end of the text,
/// spaces before the last range are removed. A text of which no unit is left is empty. Cost: the bytes are copied, and the units
/// around each range are divided again.
pub(super) fn remaining(text: &str, units: &TextUnits, cut: &[Range<usize>], config: &CutConfig) -> String {
    let mut left = Left { text, units, config, out: String::with_capacity(text.len()), last: 0, forms: None };
    let (mut from, mut before) = (0, None);
    for range in cut {
        if range.start > from {
            left.push(from..range.start, before);
        }
        (from, before) = (range.end, range.start.checked_sub(1));
    }
    if from < units.spans.len() {
        left.push(from..units.spans.len(), before);
    } else {
        left.out.truncate(left.out.trim_end_matches([' ', '\t']).len());
    }
    left.out
}

struct Left<'a> {
    text: &'a str,
    units: &'a TextUnits,
    config: &'a CutConfig,
    out: String,
    /// Where the last unit starts in `out`.
    last: usize,
    /// The canonical forms of all tokens, if they were needed.
    forms: Option<Tokens>,
}

impl Left<'_> {
    /// Appends kept units. `before` is the last unit that was kept before them, if any.
    fn push(&mut self, kept: Range<usize>, before: Option<usize>) {
        let spans = &self.units.spans;
        // The units that share a character with the last unit that was cut, and with the next one.
        let overlaps = |a: usize, b: usize| spans.get(b).is_some_and(|b| spans[a].end > b.start);
        let head = kept.clone().take_while(|&unit| kept.start > 0 && overlaps(kept.start - 1, unit)).count();
        let tail = kept.clone().skip(head).filter(|&unit| overlaps(unit, kept.end)).count();
        let (start, end) = (kept.start + head, kept.end - tail);
        let from = match head {
            0 if kept.start == 0 => 0,
            0 => spans[start].start,
            _ => spans[start - 1].end,
        };
        let to = spans.get(end).map_or(self.text.len(), |next| next.start).max(from);
        let (first_form, last_form) = (self.forms(kept.start..start), self.forms(end..kept.end));
        let first = if head > 0 { first_form.as_str() } else { &self.text[spans[kept.start].start..spans[kept.start].end] };
        if let Some(before) = before {
            let removed = &self.text[spans[before + 1].start..spans[kept.start - 1].end.max(from)];
            let between = self.between(removed, first);
            self.out.push_str(between);
        }
        let at = self.out.len();
        for part in [&first_form, &self.text[from..to], &last_form] {
            self.out.push_str(part);
        }
        self.last = match (tail, end > start) {
            (0, true) => at + first_form.len() + spans[end - 1].start - from,
            (0, false) => at,
            _ => self.out.len() - last_form.len(),
        };
    }

    /// Returns the canonical forms of units, with spaces between them.
    fn forms(&mut self, units: Range<usize>) -> String {
        if units.is_empty() {
            return String::new();
        }
        let tokens = self.forms.get_or_insert_with(|| {
            let mut tokens = Tokens::new();
            canonicalise(self.text, self.config.tokens, self.config.folds, &mut tokens);
            tokens
        });
        let forms = tokens.iter().filter(|token| *token != b" ").skip(units.start).take(units.len());
        forms.map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ")
    }

    /// Returns what must be inserted between the last unit and the next ones, so that they are the same when they are read again.
    fn between(&self, removed: &str, text: &str) -> &'static str {
        // Lines and paragraphs start after a line end.
        if matches!(self.config.unit, Unit::Lines | Unit::Paragraphs) {
            return "";
        }
        let hashes = |text: &str| TextUnits::new(text, &CutConfig { verbatim: false, ..self.config.clone() }).hashes;
        let last = &self.out[self.last..];
        let expected = [hashes(last), hashes(text)].concat();
        let ways: &[&str] = if removed.contains(['\n', '\r']) { &["", "\n"] } else { &["", " ", "\n"] };
        ways.iter().find(|between| hashes(&[last, between, text].concat()) == expected).copied().unwrap_or("\n")
    }
}
