//! The index in two levels, so that other threads search most of the kept texts while one thread
//! adds more. Old texts are in one index (which `searcher.rs` searches), and recent texts in small
//! ones.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak},
};

use super::{Index, Kept, Search, Searched, Shared, Store};
use crate::{
    cut::anchors::{Anchor, Repeated},
    runs::Winnowing,
};

/// The number of recent parts that are kept. A text that was searched before all of them is searched again.
const PARTS: usize = 4;

/// The index of all texts, except for recent ones.
#[derive(Debug)]
pub(in crate::cut) struct Old<S> {
    index: Index<S>,
    /// The number of texts, kept or not, that were decided before the first recent text.
    texts: u32,
    /// Whether there are texts out of which nothing was cut.
    pub has_references: bool,
}

/// An index of consecutive texts.
#[derive(Debug)]
struct Part {
    /// The number of the first text.
    from: u32,
    index: Index<Vec<u64>>,
    /// All anchors, by their positions in the index.
    anchors: Vec<Anchor>,
}

/// An index of all kept texts. If other threads search in it, each text is first added to a small index of recent texts. When this is
/// full, its texts are added to the large one, in which the threads search. So a thread has to wait only then. What a thread found in the
/// large index is completed from the small ones of the texts that it did not see.
#[derive(Debug)]
pub(in crate::cut) struct Levels<S> {
    old: Arc<RwLock<Old<S>>>,
    /// Parts that were added to the large index, and then the part that is not yet in it. Empty if no other thread searches.
    recent: VecDeque<Part>,
    /// The number of anchors in a part.
    most: usize,
    winnowing: Winnowing,
    texts_per_window: usize,
}

/// What a thread found in the large index.
#[derive(Debug, Clone, Copy)]
pub struct Looked<'a> {
    /// The runs that the text shares with the texts so far.
    pub shared: &'a [Shared],
    /// The number of these texts.
    pub texts: u32,
}

impl<S: Store> Levels<S> {
    /// Creates an empty index, as [`Index::new`] does.
    pub fn new(
        winnowing: Winnowing,
        texts_per_window: usize,
        repeated: Option<Arc<Repeated>>,
        stores: [S; 2],
    ) -> Self {
        let index = Index::new(winnowing, texts_per_window, (repeated, 0), stores);
        let old = Arc::new(RwLock::new(Old {
            index,
            texts: 0,
            has_references: false,
        }));
        Self {
            old,
            recent: VecDeque::new(),
            most: 0,
            winnowing,
            texts_per_window,
        }
    }

    /// Lets other threads search. Recent texts have up to `most` anchors.
    pub fn share(&mut self, most: usize, texts: u32) -> Weak<RwLock<Old<S>>> {
        if self.recent.is_empty() {
            self.most = most / PARTS;
            self.write().texts = texts;
            self.recent.push_back(self.part(texts));
        }
        Arc::downgrade(&self.old)
    }

    /// Returns an empty part for the texts from a number on.
    fn part(&self, from: u32) -> Part {
        let index = Index::new(
            self.winnowing,
            self.texts_per_window,
            (None, self.most),
            Default::default(),
        );
        Part {
            from,
            index,
            anchors: Vec::new(),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, Old<S>> {
        self.old.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Old<S>> {
        self.old.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how the anchors of texts are selected.
    pub fn winnowing(&self) -> Winnowing {
        self.winnowing
    }

    /// Returns the number of bytes of memory that no budget counts.
    pub fn memory(&self) -> usize {
        self.read().index.memory() + self.recent.iter().map(Part::memory).sum::<usize>()
    }

    /// Notes that nothing is cut out of some texts.
    pub fn note_references(&mut self) {
        self.write().has_references = true;
    }

    /// Adds windows of a kept text: those that contain one of the anchors. Texts are added in the order of their numbers.
    pub fn add(
        &mut self,
        kept: Kept,
        units: &[u64],
        anchors: impl Iterator<Item = Anchor>,
    ) -> Result<(), S::Error> {
        let winnowing = self.winnowing;
        let Some(part) = self.recent.back_mut() else {
            let mut old = self.write();
            return each_area(winnowing, units.len(), anchors, |range, anchors| {
                old.index.add(
                    kept,
                    range.start,
                    &units[range.clone()],
                    (anchors, range.start as u64),
                )
            });
        };
        let Ok(()) = each_area(winnowing, units.len(), anchors, |range, anchors| {
            let position = part.index.units.len();
            let stored_at = |at: u32| (at as usize - range.start + position) as u32;
            part.anchors.extend(anchors.iter().map(|&anchor| Anchor {
                at: stored_at(anchor.at),
                ..anchor
            }));
            part.index.add(
                kept,
                range.start,
                &units[range.clone()],
                (anchors, range.start as u64),
            )
        });
        if part.anchors.len() >= self.most {
            self.merge(kept.text + 1)
        } else {
            Ok(())
        }
    }

    /// Adds the last part to the large index, and begins another one.
    fn merge(&mut self, next: u32) -> Result<(), S::Error> {
        let mut old = self.write();
        if let Some(part) = self.recent.back() {
            part.add_to(&mut old.index)?;
        }
        old.texts = next;
        drop(old);
        // The memory of the first part is reused, unless a huge text was in it.
        let first = if self.recent.len() == PARTS {
            self.recent.pop_front()
        } else {
            None
        };
        let first = first.filter(|part| part.anchors.len() <= 2 * self.most);
        self.recent
            .push_back(first.map_or_else(|| self.part(next), |first| first.emptied(next)));
        Ok(())
    }

    /// Fills `shared` with the runs of n units or more that windows around some anchors of a text have in common with kept texts of its
    /// group. `looked` is what another thread found.
    pub fn shared(
        &self,
        looked: Option<Looked>,
        searched: Searched,
        (anchors, search): (&mut Vec<Anchor>, &mut Search),
        shared: &mut Vec<Shared>,
    ) -> Result<(), S::Error> {
        shared.clear();
        let is_known = |looked: &Looked| {
            self.recent
                .front()
                .is_some_and(|part| part.from <= looked.texts)
        };
        let seen = match looked.filter(is_known) {
            Some(looked) => {
                shared.extend_from_slice(looked.shared);
                looked.texts
            }
            None => {
                let old = self.read();
                old.index.shared(searched, (anchors, search), shared)?;
                old.texts
            }
        };
        let parts = self
            .recent
            .iter()
            .filter(|part| part.from >= seen && !part.anchors.is_empty());
        for (number, part) in parts.enumerate() {
            if number == 0 && searched.is_unique && !shared.is_empty() {
                // A window that was found is in no other text.
                let mut runs = shared
                    .iter()
                    .filter(|run| !run.has_repeats)
                    .map(|run| run.windows(self.winnowing.least()))
                    .peekable();
                anchors.retain(|anchor| {
                    let windows = part.index.windows_around(anchor, searched);
                    while runs.next_if(|run| run.end < windows.end).is_some() {}
                    runs.peek().is_none_or(|run| windows.start < run.start)
                });
            }
            let Ok(()) = part.index.shared(searched, (anchors, search), shared);
        }
        Ok(())
    }
}

impl<S: Store> Old<S> {
    /// Fills `shared` with the runs that a text shares with the texts of this index.
    pub fn look<'a>(
        &self,
        searched: Searched,
        buffers: (&[Anchor], &mut Search),
        shared: &'a mut Vec<Shared>,
    ) -> Result<Looked<'a>, S::Error> {
        shared.clear();
        self.index.shared(searched, buffers, shared)?;
        Ok(Looked {
            shared,
            texts: self.texts,
        })
    }
}

/// The number of anchors that are loaded at the same time.
const LOADED: usize = 32;

impl Part {
    /// Returns an empty part for the texts from a number on.
    fn emptied(mut self, from: u32) -> Self {
        self.index.units.clear();
        self.index.areas.clear();
        self.index.table.clear();
        self.anchors.clear();
        Self { from, ..self }
    }

    fn memory(&self) -> usize {
        self.index.memory() + self.anchors.capacity() * size_of::<Anchor>()
    }

    /// Adds all texts to another index.
    fn add_to<S: Store>(&self, other: &mut Index<S>) -> Result<(), S::Error> {
        let Self { index, anchors, .. } = self;
        let (mut anchors, mut loaded) = (&anchors[..], 0);
        index.areas.each(index.units.count(), |area, units| {
            if loaded == 0 {
                loaded = anchors.len().min(LOADED);
                other.table.load(
                    anchors[..loaded]
                        .iter()
                        .map(|anchor| anchor.key ^ area.kept.group),
                );
            }
            let own = anchors.partition_point(|anchor| u64::from(anchor.at) < units.end);
            let (first, rest) = anchors.split_at(own);
            (anchors, loaded) = (rest, loaded.saturating_sub(own));
            // The last unit is the border to the next area.
            let units = &index.units[units.start as usize..units.end as usize - 1];
            other.add(
                area.kept,
                area.kept_at as usize,
                units,
                (first, area.position),
            )
        })
    }
}

/// Divides the anchors of a text, such that those whose windows overlap are together. Passes them to `give`, with the units of the windows.
fn each_area<E>(
    winnowing: Winnowing,
    units: usize,
    anchors: impl Iterator<Item = Anchor>,
    mut give: impl FnMut(Range<usize>, &[Anchor]) -> Result<(), E>,
) -> Result<(), E> {
    let (window, length) = (winnowing.least(), winnowing.selected_tokens());
    let mut anchors = anchors.peekable();
    let mut own: Vec<Anchor> = Vec::new();
    while let Some(first) = anchors.next() {
        let start = (first.at as usize).saturating_sub(window - length);
        let mut end = first.at as usize + window;
        own.clear();
        own.push(first);
        while let Some(next) =
            anchors.next_if(|next| (next.at as usize).saturating_sub(window - length) <= end)
        {
            end = next.at as usize + window;
            own.push(next);
        }
        give(start..end.min(units), &own)?;
    }
    Ok(())
}
