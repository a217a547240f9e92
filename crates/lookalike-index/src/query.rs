//! Searches for the documents that are similar to a text.

use std::borrow::Cow;

use lookalike::{
    Scratch, Verify,
    verify::{Figures, Overlap},
};

use crate::{
    error::{Error, Result},
    id::Id,
    passages::{Quoted, SharedPassage},
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
    /// The passages that both texts share word for word, in the order of the text that was searched for, if [`Ask::passages`] asks for
    /// them.
    pub passages: Option<Vec<SharedPassage>>,
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
    /// The least length of the passages that are returned, in tokens; none: no passages are returned. Cost: reading each document, and
    /// about a microsecond per token.
    pub passages: Option<usize>,
}

/// A text, or a document of an index.
#[derive(Debug, Clone, PartialEq)]
pub enum Like<'a> {
    /// A text.
    Text(&'a str),
    /// The text of a document of the index.
    Document(Id),
}

impl<'a> Ask<'a> {
    /// Asks for all documents that are similar to a text.
    pub fn text(text: &'a str) -> Self {
        Self {
            like: Like::Text(text),
            nearest: None,
            threshold: None,
            only_kept: false,
            figures: false,
            passages: None,
        }
    }

    /// Asks for all documents that are similar to a document of the index.
    pub fn document(id: Id) -> Self {
        Self {
            like: Like::Document(id),
            ..Self::text("")
        }
    }
}

/// What was searched for, once it was found.
#[derive(Clone, Copy)]
enum Own<'a> {
    Text(&'a str),
    Document(u64),
}

impl State {
    /// Returns all documents that are similar to a text, the most similar first, and equally similar ones in keep order.
    pub(crate) fn query(&self, text: &str) -> Result<Vec<Found>> {
        self.ask(&Ask::text(text))
    }

    pub(crate) fn ask(&self, ask: &Ask) -> Result<Vec<Found>> {
        let own = self.method.config().threshold;
        if ask.threshold.is_some_and(|threshold| threshold < own) {
            return Err(Error::BelowThreshold {
                asked: ask.threshold.unwrap_or_default(),
                own,
            });
        }
        let mut set = None;
        let (found, own) = match &ask.like {
            Like::Text(text) => {
                // What is stored of the text does not matter, because it is not added.
                let asked = Sketched::new(
                    &self.method,
                    Store::Sketches,
                    Id::Number(0),
                    0,
                    text,
                    &mut Scratch::default(),
                );
                if asked.empty {
                    return Ok(Vec::new());
                }
                let same = self.posted_of(asked.digest)?;
                let mut of_text = || Ok(set.get_or_insert_with(|| self.set_of(text)).clone());
                (
                    self.similar(&asked.keys, &asked.bits, &mut of_text, same)?,
                    Own::Text(text),
                )
            }
            Like::Document(id) => {
                let number = self
                    .with_id(id)?
                    .ok_or_else(|| Error::Unknown(id.clone()))?;
                if self.is_without_text(number) {
                    return Ok(Vec::new());
                }
                let (mut keys, bits) = (Vec::new(), self.with_sketch(number, <[u8]>::to_vec)?);
                self.keys(number, &mut keys)?;
                let (posted, _) = self.class_of(number)?;
                let mut found =
                    self.similar(&keys, &bits, &mut || self.set(number), Some(posted))?;
                found.retain(|(_, place)| place.number != number);
                (found, Own::Document(number))
            }
        };
        let is_wanted = |similarity: f64, number: u64| {
            ask.threshold
                .is_none_or(|threshold| similarity >= threshold)
                && (!ask.only_kept || self.is_kept(number))
        };
        let found = found
            .into_iter()
            .filter(|&(similarity, place)| is_wanted(similarity, place.number));
        let found: Vec<_> = found.take(ask.nearest.unwrap_or(usize::MAX)).collect();
        let mut quoted = match ask.passages {
            Some(least) if !found.is_empty() => {
                let text = || match own {
                    Own::Text(text) => Ok(Cow::Borrowed(text)),
                    Own::Document(number) => self.text(number).map(Cow::Owned),
                };
                Some(Quoted::new(self, text, least)?)
            }
            _ => None,
        };
        let mut figures = |number: u64| -> Result<Option<Figures>> {
            if !ask.figures || self.method.verify() != Verify::Exact {
                return Ok(None);
            }
            let own = match own {
                Own::Text(text) => set.get_or_insert_with(|| self.set_of(text)).clone(),
                Own::Document(number) => self.set(number)?,
            };
            Ok(Some(Overlap::of(&own, &self.set(number)?).into()))
        };
        let found = found.into_iter().map(|(similarity, place)| {
            let number = place.number;
            let passages = quoted
                .as_mut()
                .map(|quoted| quoted.shared_with(number))
                .transpose()?;
            Ok(Found {
                id: self.id(number)?,
                similarity,
                is_kept: self.is_kept(number),
                figures: figures(number)?,
                passages,
            })
        });
        found.collect()
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
