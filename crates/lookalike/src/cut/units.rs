//! Divides a text into the units that are compared and cut.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{
    config::{CutConfig, Unit},
    parts::divide,
    rules::Units,
};
use crate::{
    fingerprint::{self, TokenHasher, digest_by},
    runs::stretch,
    simd::Simd,
    text::{
        Reader, Span, Text, Tokens, TokensBy, canonicalise, has_token, lines_by, reads, token_spans,
    },
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
    /// The lines, paragraphs or sentences of a text, with or without tokens.
    parts: Vec<Span>,
    /// The hashes of all tokens in the parts.
    hashes: Vec<u64>,
    /// The number of tokens before each part.
    before: Vec<usize>,
}

impl UnitReader {
    /// Returns the units of a text. Cost, if there are no folds, and tokens are those of [`TokensBy::Auto`] or [`TokensBy::Words`]: per
    /// byte of English, about 1 ns for words, 3 ns for lines or paragraphs and 4 ns for sentences. Otherwise, the cost is
    /// that of [`TextUnits::new`].
    pub fn units(&mut self, simd: Simd, text: Text, config: &CutConfig) -> Units<'_> {
        let mut plain = std::mem::take(&mut self.plain);
        match (reads(config.tokens, config.folds), config.unit) {
            (false, _) => self.units = TextUnits::new(text.decode(&mut plain), config),
            (true, Unit::Runs) if config.verbatim || config.whole_lines => {
                self.read_with_places(simd, text, &mut plain, config)
            }
            (true, Unit::Runs) => self.read_tokens(simd, text, config.tokens),
            (true, _) => self.read_parts(simd, text.decode(&mut plain), config),
        }
        self.plain = plain;
        self.units.as_units()
    }

    fn read_tokens(&mut self, simd: Simd, text: Text, tokens: TokensBy) {
        self.units.clear();
        self.reader.read(
            simd,
            text,
            tokens,
            &mut TokenHasher {
                simd,
                hashes: &mut self.units.hashes,
            },
        );
    }

    /// Reads tokens that depend on where they are in the text.
    fn read_with_places(&mut self, simd: Simd, text: Text, plain: &mut String, config: &CutConfig) {
        if config.verbatim {
            self.units.clear()
        } else {
            self.read_tokens(simd, text, config.tokens)
        }
        let text = text.decode(plain);
        self.units.spans = token_spans(text, config.tokens, config.folds);
        self.units.finish(simd, text, config);
    }

    /// Reads lines, paragraphs or sentences in one pass over the whole text.
    fn read_parts(&mut self, simd: Simd, text: &str, config: &CutConfig) {
        let Self {
            reader,
            units,
            parts,
            hashes,
            before,
            ..
        } = self;
        units.clear();
        hashes.clear();
        before.clear();
        divide(simd, text, config.unit, parts);
        let starts = parts.iter().map(|part| part.start);
        reader.read_parts(
            simd,
            text,
            config.tokens,
            starts,
            &mut TokenHasher { simd, hashes },
            before,
        );
        let after = before.iter().skip(1).copied().chain([hashes.len()]);
        for ((&from, to), part) in before.iter().zip(after).zip(parts) {
            if from == to {
                continue;
            }
            units.hashes.push(if config.verbatim {
                xxh3_64(&text.as_bytes()[part.start..part.end])
            } else {
                digest_by(simd, &hashes[from..to]) as u64
            });
            units.tokens.push((to - from) as u32);
        }
    }
}

impl TextUnits {
    /// Divides a text into units. Cost: slower than [`canonicalise`], because the place of each token is found.
    pub fn new(text: &str, config: &CutConfig) -> Self {
        let simd = Simd::detect();
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
        } else {
            let (mut hashes, mut all) = (Vec::new(), Vec::new());
            divide(simd, text, config.unit, &mut all);
            for span in all {
                canonicalise(
                    &text[span.start..span.end],
                    config.tokens,
                    config.folds,
                    &mut tokens,
                );
                if tokens.is_empty() {
                    continue;
                }
                fingerprint::token_hashes(&tokens, &mut hashes);
                units.hashes.push(digest_by(simd, &hashes) as u64);
                units.tokens.push(hashes.len() as u32);
                units.spans.push(span);
            }
        }
        units.finish(simd, text, config);
        units
    }

    fn clear(&mut self) {
        let Self {
            hashes,
            tokens,
            lines,
            spans,
        } = self;
        hashes.clear();
        tokens.clear();
        lines.clear();
        spans.clear();
    }

    /// Computes what depends on the places of the units.
    fn finish(&mut self, simd: Simd, text: &str, config: &CutConfig) {
        if config.whole_lines && config.unit == Unit::Runs {
            self.lines = line_numbers(simd, text, &self.spans);
        }
        if config.verbatim {
            let after = |next: usize| match config.unit {
                Unit::Runs => Some(self.spans.get(next).map_or(text.len(), |span| span.start)),
                _ => None,
            };
            let bytes = |at: usize| {
                &text.as_bytes()[self.spans[at].start..after(at + 1).unwrap_or(self.spans[at].end)]
            };
            self.hashes = (0..self.spans.len()).map(|at| xxh3_64(bytes(at))).collect();
        }
    }

    /// Returns the places of the units of a text, the same ones as [`new`](Self::new). The hashes, and other fields, are filled only
    /// if the places cannot be found without them.
    pub fn places(text: &str, config: &CutConfig) -> Self {
        match (config.unit, config.tokens) {
            (_, TokensBy::Items) | (Unit::Runs, TokensBy::Chars) => Self::new(text, config),
            (Unit::Runs, _) => Self {
                spans: token_spans(text, config.tokens, config.folds),
                ..Self::default()
            },
            _ => {
                let (mut spans, mut scratch) = (Vec::new(), Tokens::new());
                divide(Simd::detect(), text, config.unit, &mut spans);
                spans.retain(|span| {
                    has_token(
                        &text[span.start..span.end],
                        config.tokens,
                        config.folds,
                        &mut scratch,
                    )
                });
                Self {
                    spans,
                    ..Self::default()
                }
            }
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

/// Returns the number of the line in which each token starts.
fn line_numbers(simd: Simd, text: &str, spans: &[Span]) -> Vec<u32> {
    let mut ends = lines_by(simd, text)
        .map(|(start, line)| start + line.len())
        .peekable();
    let mut line = 0;
    let number = |span: &Span| {
        while ends.next_if(|&end| end < span.start).is_some() {
            line += 1;
        }
        line
    };
    spans.iter().map(number).collect()
}

#[cfg(test)]
mod tests;
