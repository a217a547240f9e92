//! Finds the passages that a text shares word for word with documents.

use std::{borrow::Cow, cell::OnceCell, mem, ops::Range};

use lookalike::{
    Scratch,
    runs::{Joined, Winnowing, join, shared_runs},
    text::{Span, TokensBy},
};

use crate::{
    error::{Error, Result},
    state::{State, Store},
};

/// A passage that a text shares with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPassage {
    /// Its place in the text, in bytes.
    pub query: Range<usize>,
    /// Its place in the document, in bytes.
    pub document: Range<usize>,
    /// The tokens of it that both have.
    pub tokens: usize,
    /// The passage in the text.
    pub text: String,
}

/// A text whose passages are searched for in documents.
pub(crate) struct Quoted<'a> {
    state: &'a State,
    winnowing: Winnowing,
    text: Cow<'a, str>,
    tokens: Vec<u64>,
    /// The places of the tokens, which are needed only if a passage is found.
    spans: OnceCell<Vec<Span>>,
    scratch: Scratch,
}

impl<'a> Quoted<'a> {
    /// Prepares a text. Passages have at least `least` tokens.
    pub(crate) fn new(
        state: &'a State,
        text: impl FnOnce() -> Result<Cow<'a, str>>,
        least: usize,
    ) -> Result<Self> {
        if state.store != Store::Texts || state.method.config().tokens == TokensBy::Items {
            return Err(Error::NoTexts);
        }
        let (text, winnowing, mut scratch) = (text()?, Winnowing::new(least)?, Scratch::default());
        let tokens = tokens_of(state, &text, &mut scratch);
        Ok(Self {
            state,
            winnowing,
            text,
            tokens,
            spans: OnceCell::new(),
            scratch,
        })
    }

    /// Returns the passages that the text shares with a document, in the order of the text.
    pub(crate) fn shared_with(&mut self, number: u64) -> Result<Vec<SharedPassage>> {
        let stored = self.state.text(number)?;
        let tokens = tokens_of(self.state, &stored, &mut self.scratch);
        let runs = shared_runs(&self.tokens, &tokens, self.winnowing);
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let method = &self.state.method;
        let spans = [
            self.spans.get_or_init(|| method.token_spans(&self.text)),
            &*method.token_spans(&stored),
        ];
        let passage = |joined: &Joined| {
            let [query, document] = joined.places(spans).map(|span| span.start..span.end);
            SharedPassage {
                text: self.text[query.clone()].to_string(),
                query,
                document,
                tokens: joined.tokens,
            }
        };
        Ok(join(&runs, 0).iter().map(passage).collect())
    }
}

/// Returns the hashes of a text's tokens.
fn tokens_of(state: &State, text: &str, scratch: &mut Scratch) -> Vec<u64> {
    state.method.set(text, scratch);
    mem::take(&mut scratch.token_hashes)
}
