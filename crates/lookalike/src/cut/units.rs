//! Divides a text into the units that are compared and cut.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{
    config::{CutConfig, Unit},
    law::Units,
};
use crate::{
    fingerprint::{self, TokenHasher, digest_by},
    runs::stretch,
    simd::Simd,
    text::{self, Reader, Span, Text, Tokens, TokensBy, canonicalise, reads, token_spans},
};

/// The units of a text, and where they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TextUnits {
    /// A hash of each unit.
    pub hashes: Vec<u64>,
    /// The number of tokens in each unit; empty if each unit is a token.
    tokens: Vec<u32>,
    /// The line of each unit; empty unless only whole lines are cut.
    lines: Vec<u32>,
    /// The place of each unit in the text.
    pub spans: Vec<Span>,
}

/// Reads the units of texts. The buffers are reused for the next text.
#[derive(Debug, Default)]
pub struct UnitReader {
    reader: Reader,
    plain: String,
    units: TextUnits,
}

impl UnitReader {
    /// Returns the units of a text. Cost: about 2 ns per byte if units are words; otherwise that of [`TextUnits::new`].
    pub fn units(&mut self, simd: Simd, text: Text, config: &CutConfig) -> Units<'_> {
        let are_words = config.unit == Unit::Runs && reads(config.tokens, config.folds);
        if are_words && !config.verbatim && !config.whole_lines {
            let hashes = &mut self.units.hashes;
            hashes.clear();
            self.reader.read(simd, text, config.tokens, &mut TokenHasher { simd, hashes });
        } else {
            self.units = TextUnits::new(text.decode(&mut self.plain), config);
        }
        self.units.as_units()
    }
}

impl TextUnits {
    /// Divides a text into units. Cost: slower than [`canonicalise`], because the place of each token is found.
    pub fn new(text: &str, config: &CutConfig) -> Self {
        let mut units = Self::default();
        let mut tokens = Tokens::new();
        if config.unit == Unit::Runs {
            canonicalise(text, config.tokens, config.folds, &mut tokens);
            fingerprint::token_hashes(&tokens, &mut units.hashes);
            units.spans = token_spans(text, config.tokens, config.folds);
            if config.tokens == TokensBy::Chars {
                // Separators between characters are not units, because cutting may leave one at the end of a text.
                let keep: Vec<bool> = tokens.iter().map(|token| token != b" ").collect();
                retain(&mut units.hashes, &keep);
                retain(&mut units.spans, &keep);
            }
            if config.whole_lines {
                units.lines = line_numbers(text, &units.spans);
            }
        } else {
            let mut hashes = Vec::new();
            for span in parts(text, config.unit) {
                canonicalise(&text[span.start..span.end], config.tokens, config.folds, &mut tokens);
                if tokens.is_empty() {
                    continue;
                }
                fingerprint::token_hashes(&tokens, &mut hashes);
                units.hashes.push(digest_by(Simd::detect(), &hashes) as u64);
                units.tokens.push(hashes.len() as u32);
                units.spans.push(span);
            }
        }
        if config.verbatim {
            let after = |next: usize| match config.unit {
                Unit::Runs => Some(units.spans.get(next).map_or(text.len(), |span| span.start)),
                _ => None,
            };
            let bytes = |at: usize| &text.as_bytes()[units.spans[at].start..after(at + 1).unwrap_or(units.spans[at].end)];
            units.hashes = (0..units.spans.len()).map(|at| xxh3_64(bytes(at))).collect();
        }
        units
    }

    /// Returns only the places of the units of a text, if that is faster than [`new`](Self::new). Otherwise, it does the same.
    pub fn places(text: &str, config: &CutConfig) -> Self {
        match config.unit {
            Unit::Runs if config.tokens != TokensBy::Chars => {
                Self { spans: token_spans(text, config.tokens, config.folds), ..Self::default() }
            }
            _ => Self::new(text, config),
        }
    }

    /// Returns the units as the law sees them.
    pub fn as_units(&self) -> Units<'_> {
        let is_one = self.tokens.is_empty();
        Units {
            hashes: &self.hashes,
            tokens: (!is_one).then_some(&self.tokens),
            lines: (!self.lines.is_empty()).then_some(&self.lines),
        }
    }

    /// Returns the place from the first unit of a range to the last.
    pub fn span(&self, units: Range<usize>) -> Span {
        stretch(&units, &self.spans)
    }
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    items.retain(|_| keep.next().is_some_and(|keep| *keep));
}

/// Returns the lines, paragraphs or sentences of a text, without line ends.
fn parts(text: &str, unit: Unit) -> Vec<Span> {
    match unit {
        Unit::Sentences => text::sentences(text).collect(),
        Unit::Lines | Unit::Runs => lines(text).collect(),
        Unit::Paragraphs => {
            let mut paragraphs: Vec<Span> = Vec::new();
            let mut is_open = false;
            for line in lines(text) {
                let is_blank = text[line.start..line.end].trim().is_empty();
                match paragraphs.last_mut().filter(|_| is_open) {
                    _ if is_blank => {}
                    Some(paragraph) => paragraph.end = line.end,
                    None => paragraphs.push(line),
                }
                is_open = !is_blank;
            }
            paragraphs
        }
    }
}

/// Returns the lines of a text.
fn lines(text: &str) -> impl Iterator<Item = Span> {
    text::lines(text).map(|(start, line)| Span { start, end: start + line.len() })
}

/// Returns the number of the line in which each token starts.
fn line_numbers(text: &str, spans: &[Span]) -> Vec<u32> {
    let (mut line, mut at) = (0, 0);
    let number = |span: &Span| {
        line += text[at..span.start].bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u32;
        at = span.start;
        line
    };
    spans.iter().map(number).collect()
}
