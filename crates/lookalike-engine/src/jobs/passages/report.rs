//! Defines what is reported about two texts that share passages.

use std::sync::Arc;

use lookalike::{
    Method, choices,
    text::{CharCount, Span},
    verify::Figures,
};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::shared::{Part, Shared, shared_in};

choices! {
    /// The unit in which positions in a text are counted.
    pub enum Offsets {
        /// bytes of UTF-8
        Bytes = "bytes",
        /// Unicode characters, as in Python strings
        Chars = "chars",
    }
}

/// A line of the output: two texts that share passages.
#[derive(Debug, Serialize)]
pub struct Quoted<'a> {
    /// The id of the held text (the text that was found in the index). Within one collection, this is the earlier text.
    pub a: &'a RawValue,
    /// The id of the text that was compared with the held text.
    pub b: &'a RawValue,
    /// What the two texts share.
    #[serde(flatten)]
    pub shares: &'a Shares,
    /// Both texts, unchanged.
    #[serde(skip)]
    pub texts: [&'a str; 2],
}

/// What two texts share.
#[derive(Debug, Serialize)]
pub struct Shares {
    /// The exact similarity of the two texts' shingle sets.
    #[serde(flatten)]
    pub figures: Figures,
    /// Tokens of `a`.
    pub tokens_a: usize,
    /// Tokens of `b`.
    pub tokens_b: usize,
    /// Tokens of `a` that are in a run that also occurs in `b`.
    pub shared_a: usize,
    /// Tokens of `b` that are in a run that also occurs in `a`.
    pub shared_b: usize,
    /// Tokens of `a` that are in a region, if regions were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_regions_a: Option<usize>,
    /// Tokens of `b` that are in a region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_regions_b: Option<usize>,
    /// The passages, in the order in which they occur in `a`. If regions were searched, they are regions.
    pub passages: Vec<SharedPassage>,
}

/// A passage that two texts share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SharedPassage {
    /// The position of the passage in `a`: the first position, and the position after the last.
    #[serde(serialize_with = "from_to")]
    pub a: Span,
    /// The position of the passage in `b`.
    #[serde(serialize_with = "from_to")]
    pub b: Span,
    /// The number of tokens that both texts have in this passage.
    pub tokens: usize,
    /// For a region: the share of its tokens that both texts have in it, weighted by rarity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// For a region: the number of tokens that both texts have in it, weighted by rarity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The text of the passage in `a`, if it is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_a: Option<String>,
    /// The text of the passage in `b`, if it is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_b: Option<String>,
    /// The position of the passage in both texts, in bytes.
    #[serde(skip)]
    pub places: [Span; 2],
    /// The runs that the passage consists of. Each run is given by its range of bytes in `a` and its range of bytes in `b`.
    #[serde(skip)]
    pub runs: Vec<[Span; 2]>,
}

fn from_to<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
    [span.start, span.end].serialize(serializer)
}

/// A text, and the positions of its tokens.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) text: Arc<str>,
    pub(super) spans: Vec<Span>,
}

impl Placed {
    pub(super) fn new(text: Arc<str>, method: &Method) -> Self {
        Self {
            spans: method.token_spans(&text),
            text,
        }
    }
}

impl Shares {
    /// Describes what two texts share.
    pub(super) fn new(
        figures: Figures,
        shared: &Shared,
        [a, b]: [&Placed; 2],
        offsets: Offsets,
        words: bool,
    ) -> Self {
        let spans = [&*a.spans, &*b.spans];
        let mut chars = [a, b].map(|placed| CharCount::new(&placed.text));
        let mut place = |side: usize, span: Span| {
            if offsets == Offsets::Chars {
                chars[side].span(span)
            } else {
                span
            }
        };
        let passage = |part: &Part| {
            let [in_a, in_b] = part.places(spans);
            let of = |placed: &Placed, span: Span| {
                words.then(|| placed.text[span.start..span.end].to_string())
            };
            SharedPassage {
                a: place(0, in_a),
                b: place(1, in_b),
                tokens: part.tokens(),
                density: part.region().map(|region| region.density),
                score: part.region().map(|region| region.score),
                text_a: of(a, in_a),
                text_b: of(b, in_b),
                places: [in_a, in_b],
                runs: part.runs().iter().map(|run| run.places(spans)).collect(),
            }
        };
        Self {
            figures,
            tokens_a: a.spans.len(),
            tokens_b: b.spans.len(),
            shared_a: shared_in(&shared.runs, |run| run.a),
            shared_b: shared_in(&shared.runs, |run| run.b),
            in_regions_a: shared.in_regions.map(|[a, _]| a),
            in_regions_b: shared.in_regions.map(|[_, b]| b),
            passages: shared.parts.iter().map(passage).collect(),
        }
    }
}
