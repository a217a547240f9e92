//! Searches an index for similar documents.

use std::{borrow::Cow, ops::Range};

use lookalike::text::{CharCount, Span};
use lookalike_index::{Ask, Found, Id, Index, Like, Result, SharedPassage};

/// A document that was found, and the passages that it shares with the text, if they are wanted.
pub struct Answer {
    pub found: Found,
    pub passages: Option<Vec<Passage>>,
}

impl Answer {
    /// Returns the similarity, the resemblance, the share of the text that the document contains, and the share of the document that
    /// the text contains.
    pub fn figures(&self) -> [Option<f64>; 4] {
        let figures = self.found.figures;
        [
            Some(self.found.similarity),
            figures.map(|figures| figures.resemblance),
            figures.map(|figures| figures.containment_ab),
            figures.map(|figures| figures.containment_ba),
        ]
    }
}

/// A passage that a text shares with a document. Its places are in characters.
pub struct Passage {
    pub query: Span,
    pub document: Span,
    pub tokens: usize,
    pub text: String,
}

impl Passage {
    pub fn places(&self) -> [usize; 5] {
        [
            self.query.start,
            self.query.end,
            self.document.start,
            self.document.end,
            self.tokens,
        ]
    }
}

/// What is asked about each text.
#[derive(Clone, Copy)]
pub struct Asking {
    pub nearest: Option<usize>,
    pub threshold: Option<f64>,
    pub only_kept: bool,
    /// The least length of passages, if they are wanted.
    pub passages: Option<usize>,
}

impl Asking {
    /// Finds the documents that are similar to a text or to a document of the index.
    pub fn of(self, index: &Index, like: Like) -> Result<Vec<Answer>> {
        let Self {
            nearest,
            threshold,
            only_kept,
            passages,
        } = self;
        let stored = |id: &Id| Result::Ok(index.text(id)?.unwrap_or_default());
        let ask = Ask {
            like,
            nearest,
            threshold,
            only_kept,
            figures: true,
            passages,
        };
        let found = index.query(&ask)?;
        let text = match &ask.like {
            _ if passages.is_none() || found.is_empty() => Cow::Borrowed(""),
            Like::Text(text) => Cow::Borrowed(*text),
            Like::Document(id) => Cow::Owned(stored(id)?),
        };
        let answer = |mut found: Found| {
            let Some(shared) = found.passages.take() else {
                return Ok(Answer {
                    found,
                    passages: None,
                });
            };
            let other = stored(&found.id)?;
            let (mut own, mut others) = (CharCount::new(&text), CharCount::new(&other));
            let span = |range: &Range<usize>| Span {
                start: range.start,
                end: range.end,
            };
            let passage = |shared: SharedPassage| Passage {
                query: own.span(span(&shared.query)),
                document: others.span(span(&shared.document)),
                tokens: shared.tokens,
                text: shared.text,
            };
            Ok(Answer {
                passages: Some(shared.into_iter().map(passage).collect()),
                found,
            })
        };
        found.into_iter().map(answer).collect()
    }
}
