//! Writes the documents in memory as a segment.

use std::{mem, path::Path, sync::Arc};

use super::{
    documents::{Open, State},
    memory::Memory,
};
use crate::{
    error::Result,
    law::Verdict,
    segment::{self, Bits, Documents, FOLLOWS, Part, Posting, Segment, Source},
};

/// The name of the file that is written.
pub(crate) const UNFINISHED: &str = "segment.new";

impl State {
    /// Writes the documents in memory as a segment in a folder; none if there are no documents.
    pub(crate) fn flushed(&self, folder: &Path) -> Result<Option<Open>> {
        let source = InMemory::new(self);
        if source.documents.present.count() == 0 {
            return Ok(None);
        }
        let segment = segment::write(folder, UNFINISHED, self.shape, &source)?.finish(folder)?;
        Ok(Some(Open::new(Arc::new(segment))))
    }

    /// Uses a segment with the documents in memory from now on.
    pub(crate) fn use_flushed(&mut self, flushed: Option<Open>) -> Result<()> {
        self.segments.extend(flushed);
        self.memory = Memory::new(self.memory.next(), self.shape.bands, self.shape.stride);
        self.posted.clear();
        self.chain_again()
    }

    /// Removes postings from memory that are in segments now.
    pub(crate) fn chain_again(&mut self) -> Result<()> {
        let fresh = Self::new(self.method.clone(), self.store);
        let (leading, following) = (
            mem::replace(&mut self.leading, fresh.leading),
            mem::replace(&mut self.following, fresh.following),
        );
        self.in_leading.clear();
        self.in_following.clear();
        for (chains, is_kept) in [(leading, true), (following, false)] {
            for &number in chains.numbers() {
                if self.is_live(number) && self.is_posted(number) {
                    self.chain(number, is_kept)?;
                }
            }
        }
        Ok(())
    }
}

/// The documents in memory as the source of a segment.
struct InMemory<'a> {
    state: &'a State,
    documents: Documents,
}

impl<'a> InMemory<'a> {
    fn new(state: &'a State) -> Self {
        let all = state.memory.all();
        let mut documents = Documents::new(all.len() as u64);
        for (offset, held) in (0..).zip(all).filter(|(_, held)| !held.gone) {
            documents.present.insert(offset);
            if held.verdict == Some(Verdict::Kept) {
                documents.kept.insert(offset);
            }
            if held.posted {
                documents.posted.insert(offset);
                if state.is_kept(state.first_of_posted(state.memory.base + offset)) {
                    documents.leading.insert(offset);
                }
            }
            if held.empty {
                documents.empty.insert(offset);
            }
        }
        Self { state, documents }
    }

    /// Returns the postings of a column, in order.
    fn column(&self, column: usize) -> Vec<Posting> {
        let (memory, shape) = (&self.state.memory, self.state.shape);
        let mut postings: Vec<Posting> = match column {
            _ if column == shape.digests() => {
                let with_text = self
                    .documents
                    .present
                    .iter()
                    .filter(|&offset| !self.documents.empty.contains(offset));
                with_text
                    .map(|offset| (memory.all()[offset as usize].digest as u32, offset as u32))
                    .collect()
            }
            _ if column == shape.ids() => self
                .documents
                .present
                .iter()
                .map(|offset| (memory.all()[offset as usize].id.hash(), offset as u32))
                .collect(),
            _ => {
                let posting = |offset: u64| {
                    let follows = if self.documents.leading.contains(offset) {
                        0
                    } else {
                        FOLLOWS
                    };
                    (
                        memory.keys(memory.base + offset)[column],
                        offset as u32 | follows,
                    )
                };
                self.documents.posted.iter().map(posting).collect()
            }
        };
        postings.sort_unstable();
        postings
    }
}

impl Source for InMemory<'_> {
    fn base(&self) -> u64 {
        self.state.memory.base
    }

    fn documents(&self) -> &Documents {
        &self.documents
    }

    fn each(&self, part: Part, each: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let memory = &self.state.memory;
        for offset in self.documents.present.iter() {
            let held = &memory.all()[offset as usize];
            let number = memory.base + offset;
            match part {
                Part::Sketch => each(memory.sketch(number))?,
                Part::Digest => each(&held.digest.to_le_bytes())?,
                Part::Verdict => {
                    if let Some(Verdict::Dropped {
                        representative,
                        similarity,
                    }) = held.verdict
                    {
                        each(&segment::verdict_bytes(representative, similarity))?;
                    }
                }
                Part::Key => each(&held.key.to_le_bytes())?,
                Part::Id => each(&held.id.to_bytes())?,
                Part::Payload => each(&held.payload)?,
                Part::Address => {}
                Part::BandKeys => each(
                    &memory
                        .keys(number)
                        .iter()
                        .flat_map(|key| key.to_le_bytes())
                        .collect::<Vec<_>>(),
                )?,
            }
        }
        Ok(())
    }

    fn copied(&self) -> Option<Vec<(&Segment, &Bits)>> {
        None
    }

    fn dictionary(&self) -> Result<Vec<u8>> {
        let memory = &self.state.memory;
        if let Some(trained) = &memory.dictionary {
            return Ok(trained.clone());
        }
        let sampled = self
            .documents
            .present
            .iter()
            .step_by(segment::distance(self.documents.present.count()));
        let samples: Vec<&[u8]> = sampled
            .map(|offset| segment::sample(&memory.all()[offset as usize].payload))
            .collect();
        Ok(self.state.trained.dictionary(&samples))
    }

    fn postings(
        &self,
        column: usize,
        each: &mut dyn FnMut(&[Posting]) -> Result<()>,
    ) -> Result<()> {
        each(&self.column(column))
    }
}
