//! Searches for the documents that are similar to a text.

use lookalike::Scratch;

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
        Self { like: Like::Text(text), nearest: None, threshold: None, only_kept: false }
    }

    /// Asks for all documents that are similar to a document of the index.
    pub fn document(id: Id) -> Self {
        Self { like: Like::Document(id), ..Self::text("") }
    }
}

impl State {
    /// Returns all documents that are similar to a text, the most similar first, and equally similar ones in keep order.
    pub(crate) fn query(&self, text: &str) -> Result<Vec<Match>> {
        self.ask(&Ask::text(text))
    }

    pub(crate) fn ask(&self, ask: &Ask) -> Result<Vec<Match>> {
        let own = self.method.config().threshold;
        if ask.threshold.is_some_and(|threshold| threshold < own) {
            return Err(Error::BelowThreshold { asked: ask.threshold.unwrap_or_default(), own });
        }
        let found = match &ask.like {
            Like::Text(text) => {
                // What is stored of the text does not matter, because it is not added.
                let asked = Sketched::new(&self.method, Store::Sketches, Id::Number(0), 0, text, &mut Scratch::default());
                if asked.empty {
                    return Ok(Vec::new());
                }
                let same = self.posted_of(asked.digest)?;
                let mut set = None;
                let mut set = || Ok(set.get_or_insert_with(|| self.set_of(text)).clone());
                self.similar(&asked.keys, &asked.bits, &mut set, same)?
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
                found
            }
        };
        let is_wanted = |similarity: f64, number: u64| {
            ask.threshold.is_none_or(|threshold| similarity >= threshold) && (!ask.only_kept || self.is_kept(number))
        };
        let found = found.into_iter().filter(|&(similarity, place)| is_wanted(similarity, place.number));
        let found = found.take(ask.nearest.unwrap_or(usize::MAX));
        found.map(|(similarity, place)| Ok(Match { id: self.id(place.number)?, similarity })).collect()
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
