//! Defines what is reported about two texts that share passages.

use std::sync::Arc;

use lookalike::{
    Method,
    runs::{Joined, Run, covered},
    text::{CharCount, Span},
    verify::Figures,
};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The unit in which positions in a text are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offsets {
    /// Bytes of UTF-8.
    Bytes,
    /// Unicode characters, as Python counts them.
    Chars,
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
    /// The passages, in the order in which they occur in `a`.
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
    /// The text of the passage in `a`, if it is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_a: Option<String>,
    /// The text of the passage in `b`, if it is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_b: Option<String>,
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
        Self { spans: method.token_spans(&text), text }
    }
}

/// Returns the number of a text's tokens that are in a run. `start` returns the position in the text at which a run begins.
pub(super) fn shared_in(runs: &[Run], start: impl Fn(&Run) -> usize) -> usize {
    covered(runs.iter().map(|run| start(run)..start(run) + run.tokens))
}

impl Shares {
    /// Describes the runs of tokens that two texts share, and the passages that these runs are joined into.
    pub(super) fn new(
        figures: Figures,
        runs: &[Run],
        joined: &[Joined],
        [a, b]: [&Placed; 2],
        offsets: Offsets,
        words: bool,
    ) -> Self {
        let spans = [&*a.spans, &*b.spans];
        let mut chars = [a, b].map(|placed| CharCount::new(&placed.text));
        let mut place = |side: usize, span: Span| if offsets == Offsets::Chars { chars[side].span(span) } else { span };
        let passage = |joined: &Joined| {
            let [in_a, in_b] = joined.places(spans);
            let of = |placed: &Placed, span: Span| words.then(|| placed.text[span.start..span.end].to_string());
            SharedPassage {
                a: place(0, in_a),
                b: place(1, in_b),
                tokens: joined.tokens,
                text_a: of(a, in_a),
                text_b: of(b, in_b),
                runs: joined.runs.iter().map(|run| run.places(spans)).collect(),
            }
        };
        Self {
            figures,
            tokens_a: a.spans.len(),
            tokens_b: b.spans.len(),
            shared_a: shared_in(runs, |run| run.a),
            shared_b: shared_in(runs, |run| run.b),
            passages: joined.iter().map(passage).collect(),
        }
    }
}
