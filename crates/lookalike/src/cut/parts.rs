//! Divides a text into lines, paragraphs or sentences.

use super::config::Unit;
use crate::{
    simd::Simd,
    text::{Span, lines_by, sentences_by},
};

/// Fills `parts` with the lines, paragraphs or sentences of a text, without line ends. If units are runs, the parts are lines.
///
/// All characters before the first part, between two parts and after the last part are separators that compose with no character
/// after them. So the parts can be read in one pass over the whole text.
pub(super) fn divide(simd: Simd, text: &str, unit: Unit, parts: &mut Vec<Span>) {
    parts.clear();
    // Most parts are longer.
    parts.reserve(text.len() / 64);
    match unit {
        Unit::Sentences => parts.extend(sentences_by(simd, text)),
        Unit::Lines | Unit::Runs => parts.extend(lines(simd, text)),
        Unit::Paragraphs => {
            let mut is_open = false;
            for line in lines(simd, text) {
                let is_blank = text[line.start..line.end].trim().is_empty();
                match parts.last_mut().filter(|_| is_open) {
                    _ if is_blank => {}
                    Some(paragraph) => paragraph.end = line.end,
                    None => parts.push(line),
                }
                is_open = !is_blank;
            }
        }
    }
}

fn lines(simd: Simd, text: &str) -> impl Iterator<Item = Span> {
    lines_by(simd, text).map(|(start, line)| Span {
        start,
        end: start + line.len(),
    })
}
