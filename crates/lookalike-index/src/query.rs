//! Searches for the documents that are similar to a text.

use std::ops::Range;

use lookalike::{
    Scratch, Verify,
    runs::{Joined, Winnowing, join, shared_runs},
    text::TokensBy,
    verify::{Figures, Overlap},
};

use crate::{
    error::{Error, Result},
    id::Id,
    state::{Sketched, State, Store},
};

/// A document that is similar to a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The document's id.
    pub id: Id,
    /// The similarity: the exact resemblance, or the sketches' estimate if `verify` is `Sketch` or `None`.
    pub similarity: f64,
}

/// A document of a collection that is similar to a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The document's id.
    pub id: Id,
    /// The similarity: the exact resemblance, or the sketches' estimate if `verify` is `Sketch` or `None`.
    pub similarity: f64,
    /// Whether the document is kept.
    pub is_kept: bool,
    /// The exact figures, if [`Ask::figures`] asks for them and sets can be compared; `a` is the text that was searched for.
    pub figures: Option<Figures>,
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask<'a> {
    /// The text, or the document of the index.
    pub like: Like<'a>,
    /// At most this many documents are returned; none: all.
    pub nearest: Option<usize>,
    /// The smallest similarity, which is at least the threshold of the index; none: this threshold.
    pub threshold: Option<f64>,
    /// Whether only kept documents are returned.
    pub only_kept: bool,
    /// Whether the figures of each document are returned. Cost: one more comparison of sets for each.
    pub figures: bool,
}

/// A text, or a document of an index.
#[derive(Debug, Clone, PartialEq)]
pub enum Like<'a> {
    /// A text.
    Text(&'a str),
    /// The text of a document of the index.
    Document(Id),
}

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

impl<'a> Ask<'a> {
    /// Asks for all documents that are similar to a text.
    pub fn text(text: &'a str) -> Self {
        Self { like: Like::Text(text), nearest: None, threshold: None, only_kept: false, figures: false }
    }

    /// Asks for all documents that are similar to a document of the index.
    pub fn document(id: Id) -> Self {
        Self { like: Like::Document(id), ..Self::text("") }
    }
}

impl State {
    /// Returns all documents that are similar to a text, the most similar first, and equally similar ones in keep order.
    pub(crate) fn query(&self, text: &str) -> Result<Vec<Found>> {
        self.ask(&Ask::text(text))
    }

    pub(crate) fn ask(&self, ask: &Ask) -> Result<Vec<Found>> {
        let own = self.method.config().threshold;
        if ask.threshold.is_some_and(|threshold| threshold < own) {
            return Err(Error::BelowThreshold { asked: ask.threshold.unwrap_or_default(), own });
        }
        let mut set = None;
        let (found, asked) = match &ask.like {
            Like::Text(text) => {
                // What is stored of the text does not matter, because it is not added.
                let asked = Sketched::new(&self.method, Store::Sketches, Id::Number(0), 0, text, &mut Scratch::default());
                if asked.empty {
                    return Ok(Vec::new());
                }
                let same = self.posted_of(asked.digest)?;
                let mut of_text = || Ok(set.get_or_insert_with(|| self.set_of(text)).clone());
                (self.similar(&asked.keys, &asked.bits, &mut of_text, same)?, None)
            }
            Like::Document(id) => {
                let number = self.with_id(id)?.ok_or_else(|| Error::Unknown(id.clone()))?;
                if self.is_without_text(number) {
                    return Ok(Vec::new());
                }
                let (mut keys, bits) = (Vec::new(), self.with_sketch(number, <[u8]>::to_vec)?);
                self.keys(number, &mut keys)?;
                let (posted, _) = self.class_of(number)?;
                let mut found = self.similar(&keys, &bits, &mut || self.set(number), Some(posted))?;
                found.retain(|(_, place)| place.number != number);
                (found, Some(number))
            }
        };
        let is_wanted = |similarity: f64, number: u64| {
            ask.threshold.is_none_or(|threshold| similarity >= threshold) && (!ask.only_kept || self.is_kept(number))
        };
        let found = found.into_iter().filter(|&(similarity, place)| is_wanted(similarity, place.number));
        let found = found.take(ask.nearest.unwrap_or(usize::MAX));
        let mut figures = |number: u64| -> Result<Option<Figures>> {
            if !ask.figures || self.method.verify() != Verify::Exact {
                return Ok(None);
            }
            let own = match (&ask.like, asked) {
                (_, Some(asked)) => self.set(asked)?,
                (Like::Text(text), None) => set.get_or_insert_with(|| self.set_of(text)).clone(),
                (Like::Document(_), None) => return Ok(None),
            };
            Ok(Some(Overlap::of(&own, &self.set(number)?).into()))
        };
        let found = found.map(|(similarity, place)| {
            let number = place.number;
            Ok(Found { id: self.id(number)?, similarity, is_kept: self.is_kept(number), figures: figures(number)? })
        });
        found.collect()
    }

    /// Returns the passages that a text shares word for word with a document: runs of at least `least` tokens.
    pub(crate) fn passages(&self, text: &str, id: &Id, least: usize) -> Result<Vec<SharedPassage>> {
        if self.store != Store::Texts || self.method.config().tokens == TokensBy::Items {
            return Err(Error::NoTexts);
        }
        let number = self.with_id(id)?.ok_or_else(|| Error::Unknown(id.clone()))?;
        let winnowing = Winnowing::new(least)?;
        let stored = self.with_payload(number, |stored| String::from_utf8_lossy(stored).into_owned())?;
        let mut scratch = Scratch::default();
        let [a, b] = [text, &stored].map(|text| {
            self.method.set(text, &mut scratch);
            std::mem::take(&mut scratch.token_hashes)
        });
        let runs = shared_runs(&a, &b, winnowing);
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let spans = [self.method.token_spans(text), self.method.token_spans(&stored)];
        let passage = |joined: &Joined| {
            let [query, document] = joined.places([&spans[0], &spans[1]]).map(|span| span.start..span.end);
            SharedPassage { text: text[query.clone()].to_string(), query, document, tokens: joined.tokens }
        };
        Ok(join(&runs, 0).iter().map(passage).collect())
    }

    /// Returns all documents that are similar to a sketch, in the order of [`query`](Self::query). `same` is the posted document of the
    /// class with the same canonical form.
    fn similar(
        &self,
        keys: &[u32],
        bits: &[u8],
        set: &mut dyn FnMut() -> Result<std::sync::Arc<[u64]>>,
        same: Option<u64>,
    ) -> Result<Vec<(f64, crate::law::Place)>> {
        let mut found = Vec::new();
        for posted in self.candidates(keys, false)? {
            if Some(posted) != same
                && let Some(similarity) = self.similarity(bits, set, posted)?
            {
                found.push((posted, similarity));
            }
        }
        found.extend(same.map(|posted| (posted, 1.0)));
        let mut all = Vec::new();
        for (posted, similarity) in found {
            for copy in self.with_digest(self.digest(posted)?)? {
                all.push((similarity, self.place(copy)?));
            }
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        Ok(all)
    }
}
