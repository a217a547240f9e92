//! Questions to an index.

use serde::Serialize;

use super::folder::Index;
use crate::{
    change::Decided,
    decision::Decision,
    error::{Error, Result},
    id::Id,
    law::Content,
    query::{Ask, Found},
    state::{State, Store},
};

/// A document of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The id.
    pub id: Id,
    /// The key of its place in keep order.
    pub key: u64,
    /// The decision about it.
    pub decided: Decided,
    /// The text, if the index stores texts.
    pub text: Option<String>,
    /// The ids of its copies: the other documents with the same canonical form, in keep order.
    pub copies: Vec<Id>,
    /// If it is kept, the ids of the documents that it represents, in keep order.
    pub represents: Vec<Id>,
}

/// The sizes of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stats {
    /// The documents.
    pub documents: u64,
    /// The documents that are kept.
    pub kept: u64,
    /// The documents that are dropped.
    pub dropped: u64,
    /// The kept documents without text to compare.
    pub empty: u64,
    /// The segments.
    pub segments: u64,
    /// The documents in memory and in the log, which are not in a segment yet.
    pub in_memory: u64,
    /// Removed documents that still take space in segments.
    pub removed: u64,
    /// The size of the segments in bytes.
    pub bytes: u64,
    /// The number of the last change in the feed; 0 if there is none.
    pub last_change: u64,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// The documents.
    pub documents: u64,
    /// The bytes of segments that were read.
    pub bytes: u64,
    /// The decisions that were made again.
    pub decisions: u64,
}

impl Index {
    /// Returns the number of documents, dropped ones included.
    pub fn len(&self) -> u64 {
        self.read().len()
    }

    /// Returns whether the index has no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the decision about a document; none if no document has this id.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or is damaged.
    pub fn get(&self, id: &Id) -> Result<Option<Decided>> {
        self.readable()?.decided(id)
    }

    /// Returns everything that the index knows about a document; none if no document has this id. Cost: a search for similar documents.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or is damaged.
    pub fn show(&self, id: &Id) -> Result<Option<Stored>> {
        let state = self.readable()?;
        let Some(number) = state.with_id(id)? else {
            return Ok(None);
        };
        state.show(number).map(Some)
    }

    /// Returns the documents that are similar to a text or to a document of the index, the most similar first, and equally similar ones
    /// in keep order. The document itself is not one of them.
    ///
    /// # Errors
    /// Fails if no document has the id, if the threshold is below that of the index, if passages are wanted of an index that does not store
    /// texts, if their least length is 0 or too large, if a file cannot be read, or if it is damaged.
    pub fn query(&self, ask: &Ask) -> Result<Vec<Found>> {
        self.readable()?.ask(ask)
    }

    /// Returns the text of a document; none if no document has this id.
    ///
    /// # Errors
    /// Fails if the index does not store texts, if a file cannot be read, or if it is damaged.
    pub fn text(&self, id: &Id) -> Result<Option<String>> {
        let state = self.readable()?;
        match state.store {
            Store::Texts => state
                .with_id(id)?
                .map(|number| state.text(number))
                .transpose(),
            Store::Sets | Store::Sketches => Err(Error::NoTexts),
        }
    }

    /// Returns the decisions about all documents, in input order. This is the answer of one run over these documents.
    ///
    /// # Errors
    /// Fails if a file cannot be read, or is damaged.
    pub fn decisions(&self) -> Result<Vec<Decision>> {
        self.readable()?.decisions()
    }

    /// Calls `give` with the decisions about the documents that got the number `since` or a later one when they were added, in input
    /// order. With 0, these are all documents. No change is made meanwhile. Cost: all verdicts are read, and the sets of documents that are
    /// dropped as near-duplicates are compared again. Memory: 16 bytes for each group, and a few thousand decisions.
    ///
    /// # Errors
    /// Fails if a file cannot be read, if it is damaged, or with any error of `give`.
    pub fn each_decision(
        &self,
        since: u64,
        give: &mut dyn FnMut(Decision) -> Result<()>,
    ) -> Result<()> {
        self.readable()?.each_decision(since, give)
    }

    /// Calls `give` with the ids and the texts of documents in the order in which they were added, at most `count`, beginning at the number
    /// `from`. Returns the number after the last of them.
    pub(crate) fn each_text(
        &self,
        from: u64,
        count: usize,
        give: &mut dyn FnMut(&Id, &str) -> Result<()>,
    ) -> Result<u64> {
        let state = self.readable()?;
        let mut numbers = state.numbers_from(from);
        for number in numbers.by_ref().take(count) {
            let id = state.id(number)?;
            state.with_payload(number, |text| give(&id, &String::from_utf8_lossy(text)))??;
        }
        Ok(numbers.next().unwrap_or(state.memory.next()))
    }

    /// Returns about how many bytes the texts have.
    pub(crate) fn text_bytes(&self) -> u64 {
        // Compressed texts are a third as large as plain ones, or smaller.
        const RATIO: u64 = 3;
        let state = self.read();
        let texts = |open: &crate::state::Open| {
            open.segment
                .head
                .texts
                .iter()
                .map(|texts| texts.payloads.length)
                .sum::<u64>()
        };
        RATIO * state.segments.iter().map(texts).sum::<u64>() + state.memory.bytes() as u64
    }

    /// Returns the number that the next document gets. Documents are numbered in the order in which they are added; a compaction numbers
    /// them again.
    pub fn next_number(&self) -> u64 {
        self.read().memory.next()
    }

    /// Returns the sizes of the index.
    ///
    /// # Errors
    /// Fails if the index can no longer be read after a failed write.
    pub fn stats(&self) -> Result<Stats> {
        let next = self.next_change()?;
        let state = self.readable()?;
        let (mut kept, mut documents, mut empty) = (0, 0, 0);
        for number in state.numbers() {
            documents += 1;
            kept += u64::from(state.is_kept(number));
            empty += u64::from(state.is_without_text(number));
        }
        let segments = &state.segments;
        let in_segments: u64 = segments.iter().map(|open| open.live.count()).sum();
        Ok(Stats {
            documents,
            kept,
            dropped: documents - kept,
            empty,
            segments: segments.len() as u64,
            in_memory: documents - in_segments,
            removed: segments
                .iter()
                .map(|open| open.segment.head.documents)
                .sum::<u64>()
                - in_segments,
            bytes: segments.iter().map(|open| open.segment.bytes()).sum(),
            last_change: next - 1,
        })
    }

    /// Reads every byte of the segments and verifies the checksums. With `decisions`, also makes every decision again, from the decisions
    /// about the documents that come before. Cost: reading all files; with `decisions`, a search for each document.
    ///
    /// # Errors
    /// Fails with the first fault that is found.
    pub fn check(&self, decisions: bool) -> Result<Checked> {
        let state = self.readable()?;
        let mut checked = Checked {
            documents: state.len(),
            bytes: 0,
            decisions: 0,
        };
        for open in &state.segments {
            open.segment.check()?;
            checked.bytes += open.segment.bytes();
        }
        self.each_part(0, &mut |_, _| Ok(true))?;
        if decisions {
            for number in state.numbers() {
                let place = state.place(number)?;
                if state.verdict(place)? != Some(crate::law::decided(&*state, place)?) {
                    let id = state.id(number)?;
                    return Err(Error::Damaged(format!(
                        "{}: the decision about {id} is wrong",
                        self.folder.display()
                    )));
                }
                if state.with_id(&state.id(number)?)? != Some(number) {
                    return Err(Error::Damaged(format!(
                        "{}: document {number} is not found by its id",
                        self.folder.display()
                    )));
                }
                checked.decisions += 1;
            }
        }
        Ok(checked)
    }
}

impl State {
    fn show(&self, number: u64) -> Result<Stored> {
        let place = self.place(number)?;
        let verdict = self
            .verdict_of(number)?
            .ok_or_else(|| Self::missing(number))?;
        let (mut copies, mut represents) = (Vec::new(), Vec::new());
        if !self.is_without_text(number) {
            for copy in self.with_digest(self.digest(number)?)? {
                if copy != number {
                    copies.push(self.place(copy)?);
                }
            }
            if verdict.is_kept() {
                let mut similar = copies.clone();
                for matching in self.matches(place)? {
                    for copy in self.with_digest(self.digest(matching.number)?)? {
                        similar.push(self.place(copy)?);
                    }
                }
                for other in similar {
                    let is_of_this = |verdict| matches!(verdict, crate::law::Verdict::Dropped { representative, .. } if representative == number);
                    if self.verdict_of(other.number)?.is_some_and(is_of_this) {
                        represents.push(other);
                    }
                }
            }
        }
        copies.sort();
        represents.sort();
        let ids = |places: Vec<crate::law::Place>| {
            places
                .into_iter()
                .map(|place| self.id(place.number))
                .collect::<Result<Vec<Id>>>()
        };
        let text = match self.store {
            Store::Texts => Some(self.text(number)?),
            Store::Sets | Store::Sketches => None,
        };
        Ok(Stored {
            id: self.id(number)?,
            key: place.key(),
            decided: self.named(number, verdict)?,
            text,
            copies: ids(copies)?,
            represents: ids(represents)?,
        })
    }
}
