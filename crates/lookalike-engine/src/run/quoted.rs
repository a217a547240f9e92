//! What is said of two texts that share passages.

use lookalike::{
    runs::{Joined, Run, covered},
    text::Span,
    verify::Figures,
};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// What places in a text count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offsets {
    /// Bytes of UTF-8.
    Bytes,
    /// Unicode characters, as Python counts.
    Chars,
}

/// A line of the output: two texts that share passages.
#[derive(Debug, Serialize)]
pub struct Quoted<'a> {
    /// The id of the text that is held; among texts of one collection, of the earlier.
    pub a: &'a RawValue,
    /// The id of the other.
    pub b: &'a RawValue,
    /// What they share.
    #[serde(flatten)]
    pub shares: &'a Shares,
    /// Both texts, untouched.
    #[serde(skip)]
    pub texts: [&'a str; 2],
}

/// What two texts share.
#[derive(Debug, Serialize)]
pub struct Shares {
    /// How alike their shingle sets are, exactly.
    #[serde(flatten)]
    pub figures: Figures,
    /// Tokens of a.
    pub tokens_a: usize,
    /// Tokens of b.
    pub tokens_b: usize,
    /// Tokens of a that stand in a run that both have.
    pub shared_a: usize,
    /// Tokens of b that do.
    pub shared_b: usize,
    /// In the order of a.
    pub passages: Vec<SharedPassage>,
}

/// A stretch of each text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SharedPassage {
    /// Where it stands in a: its first place, and the one behind its last.
    #[serde(serialize_with = "from_to")]
    pub a: Span,
    /// Where it stands in b.
    #[serde(serialize_with = "from_to")]
    pub b: Span,
    /// Tokens that both have.
    pub tokens: usize,
    /// What stands there in a, where that is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_a: Option<String>,
    /// What stands there in b.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_b: Option<String>,
    /// The runs in it, by their bytes in a and in b.
    #[serde(skip)]
    pub runs: Vec<[Span; 2]>,
}

fn from_to<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
    [span.start, span.end].serialize(serializer)
}

/// A text, where its tokens stand in it, and its characters.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) text: String,
    pub(super) spans: Vec<Span>,
}

impl Placed {
    /// The bytes of some tokens.
    fn bytes(&self, first: usize, behind: usize) -> Span {
        match (self.spans.get(first), self.spans.get(behind.wrapping_sub(1))) {
            (Some(first), Some(last)) => Span { start: first.start, end: last.end },
            _ => Span { start: 0, end: 0 },
        }
    }
}

impl Shares {
    /// Of runs and what they are joined to.
    pub(super) fn new(
        figures: Figures,
        runs: &[Run],
        joined: Vec<Joined>,
        [a, b]: [&Placed; 2],
        offsets: Offsets,
        words: bool,
    ) -> Self {
        let mut chars = [a, b].map(|placed| Chars { text: &placed.text, counted: (0, 0) });
        let mut place = |side: usize, span: Span| match offsets {
            Offsets::Bytes => span,
            Offsets::Chars => Span { start: chars[side].before(span.start), end: chars[side].before(span.end) },
        };
        let passage = |Joined { a: in_a, b: in_b, tokens, runs }: Joined| {
            let [a_bytes, b_bytes] = [a.bytes(in_a.start, in_a.end), b.bytes(in_b.start, in_b.end)];
            let of = |placed: &Placed, span: Span| words.then(|| placed.text[span.start..span.end].to_string());
            SharedPassage {
                a: place(0, a_bytes),
                b: place(1, b_bytes),
                tokens,
                text_a: of(a, a_bytes),
                text_b: of(b, b_bytes),
                runs: runs.iter().map(|run| [a.bytes(run.a, run.a + run.tokens), b.bytes(run.b, run.b + run.tokens)]).collect(),
            }
        };
        Self {
            figures,
            tokens_a: a.spans.len(),
            tokens_b: b.spans.len(),
            shared_a: covered(runs.iter().map(|run| run.a..run.a + run.tokens)),
            shared_b: covered(runs.iter().map(|run| run.b..run.b + run.tokens)),
            passages: joined.into_iter().map(passage).collect(),
        }
    }
}

/// Counts a text's characters, from where it has counted last.
struct Chars<'a> {
    text: &'a str,
    /// A byte, and the characters before it.
    counted: (usize, usize),
}

impl Chars<'_> {
    /// The characters before a byte that one begins at.
    fn before(&mut self, byte: usize) -> usize {
        let (from, before) = if self.counted.0 <= byte { self.counted } else { (0, 0) };
        let count = before + self.text[from..byte].chars().count();
        self.counted = (byte, count);
        count
    }
}
