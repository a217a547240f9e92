//! Searches an index for similar documents.

use lookalike::text::{CharCount, Span};
use lookalike_index::{Ask, Found, Id, Index, Like, Result};

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
        [self.query.start, self.query.end, self.document.start, self.document.end, self.tokens]
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
        let stored = |id: &Id| Result::Ok(index.show(id)?.and_then(|stored| stored.text).unwrap_or_default());
        let text = match (&like, self.passages) {
            (_, None) => String::new(),
            (Like::Text(text), _) => (*text).to_string(),
            (Like::Document(id), _) => stored(id)?,
        };
        let Self { nearest, threshold, only_kept, passages } = self;
        let found = index.query(&Ask { like, nearest, threshold, only_kept, figures: true })?;
        let answer = |found: Found| {
            let passages = passages.map(|least| -> Result<Vec<Passage>> {
                let shared = index.passages(&text, &found.id, least)?;
                let other = stored(&found.id)?;
                let (mut own, mut others) = (CharCount::new(&text), CharCount::new(&other));
                let span = |range: &std::ops::Range<usize>| Span { start: range.start, end: range.end };
                let passage = |shared: lookalike_index::SharedPassage| Passage {
                    query: own.span(span(&shared.query)),
                    document: others.span(span(&shared.document)),
                    tokens: shared.tokens,
                    text: shared.text,
                };
                Ok(shared.into_iter().map(passage).collect())
            });
            Ok(Answer { found, passages: passages.transpose()? })
        };
        found.into_iter().map(answer).collect()
    }
}
