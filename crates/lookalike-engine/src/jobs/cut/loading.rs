//! Reads the units of texts, and the sequences by which equal windows are found.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use lookalike::{
    Simd,
    cut::{
        Anchor, Anchoring, CutConfig, Looked, Repeated, Searching, Shared, UnitReader, Units,
        Within,
    },
};
use lookalike_io::{error::Result, spill::SpilledSearcher};

use crate::{
    pass::parallel::Weigh,
    sketching::{Look, Seen},
    state::{Taken, put},
};

/// The units of a block's documents.
#[derive(Default)]
pub(super) struct Loaded {
    hashes: Vec<u64>,
    /// The numbers of tokens in the units; empty if each unit is a token.
    tokens: Vec<u32>,
    /// The lines of the units; empty unless only whole lines are cut.
    lines: Vec<u32>,
    pub(super) anchors: Vec<Anchor>,
    /// The runs that the documents share with kept texts.
    shared: Vec<Shared>,
    /// The keys of the anchors that an earlier run found in the block. The run saved nothing else.
    pub(super) saved_keys: Vec<u64>,
    heads: Vec<Head>,
}

/// What is known about a document without its units.
#[derive(Clone, Copy)]
pub(super) struct Head {
    /// The numbers of units and anchors that are loaded.
    units: u32,
    anchors: u32,
    /// The number of runs that the document shares with the first kept texts, and the number of these texts, if they were searched.
    shared: Option<(u32, u32)>,
    /// Whether the document repeats a window.
    has_repeats: bool,
    /// Whether the document has a repeated anchor. If it has none, its units are not loaded.
    pub(super) is_loaded: bool,
    pub(super) is_reference: bool,
    /// The document's group, unless each document is a group of its own.
    pub(super) group: u64,
    /// The number of tokens.
    pub(super) tokens: u64,
}

impl Weigh for Loaded {
    fn weight(&self) -> usize {
        self.hashes.weight()
            + self.tokens.weight()
            + self.lines.weight()
            + self.anchors.weight()
            + self.heads.weight()
            + self.shared.weight()
    }
}

impl Loaded {
    /// Passes each document to `give`, with its units and what was found.
    pub(super) fn each(
        &self,
        mut give: impl FnMut(Head, Units, Found) -> Result<()>,
    ) -> Result<()> {
        let (mut start, mut first, mut shared) = (0, 0, &self.shared[..]);
        self.heads.iter().try_for_each(|&head| {
            let range = start..start + head.units as usize;
            let anchors = &self.anchors[first..first + head.anchors as usize];
            (start, first) = (range.end, first + anchors.len());
            let units = Units {
                hashes: &self.hashes[range.clone()],
                tokens: (!self.tokens.is_empty()).then(|| &self.tokens[range.clone()]),
                lines: (!self.lines.is_empty()).then(|| &self.lines[range]),
            };
            let looked = head.shared.map(|(count, texts)| {
                let (own, rest) = shared.split_at(count as usize);
                shared = rest;
                Looked { shared: own, texts }
            });
            give(
                head,
                units,
                Found {
                    anchors,
                    has_repeats: head.has_repeats,
                    looked,
                },
            )
        })
    }
}

/// What was found in a document.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) anchors: &'a [Anchor],
    /// Whether the document repeats a window.
    pub(super) has_repeats: bool,
    /// What the document shares with kept texts.
    pub(super) looked: Option<Looked<'a>>,
}

/// Reads units.
pub(super) struct Loading<'a> {
    config: &'a CutConfig,
    window: usize,
    simd: Simd,
    /// The keys of all anchors that are repeated, if they are known. Then, only documents with such an anchor are loaded.
    repeated: Option<Arc<Repeated>>,
    /// Searches the texts that are kept so far.
    searcher: Option<SpilledSearcher>,
    /// Whether units are not needed, only anchors.
    only_anchors: AtomicBool,
}

/// What a thread keeps between texts.
#[derive(Default)]
pub(super) struct Worker {
    reader: UnitReader,
    anchoring: Anchoring,
    searching: Searching,
}

impl<'a> Loading<'a> {
    pub(super) fn new(
        config: &'a CutConfig,
        repeated: Option<Arc<Repeated>>,
        searcher: Option<SpilledSearcher>,
    ) -> Self {
        Self {
            config,
            window: config.window(),
            simd: Simd::detect(),
            repeated,
            searcher,
            only_anchors: AtomicBool::new(false),
        }
    }

    /// Loads only the anchors of the texts that follow.
    pub(super) fn load_only_anchors(&self) {
        self.only_anchors.store(true, Ordering::Relaxed);
    }
}

impl Look for Loading<'_> {
    type Worker = Worker;
    type Found = Loaded;
    const SKETCHES: bool = false;

    fn look(
        &self,
        Seen {
            text,
            label,
            is_reference,
        }: Seen,
        worker: &mut Worker,
        found: &mut Loaded,
    ) -> Result<()> {
        let Worker {
            reader,
            anchoring,
            searching,
        } = worker;
        let units = reader.units(self.simd, text, self.config);
        let anchoring = anchoring.of_text(units.hashes, self.window, self.repeated.as_deref())?;
        let (anchors, has_repeats) = (anchoring.anchors(), anchoring.has_repeats());
        let is_loaded = self.repeated.is_none() || anchors.iter().any(Anchor::is_repeated);
        let group = match self.config.within {
            Within::Document => 0,
            Within::All => label.map_or(0, |label| label.get() as u64),
        };
        let tokens = units.tokens(0..units.hashes.len()) as u64;
        let mut head = Head {
            units: 0,
            anchors: 0,
            shared: None,
            has_repeats,
            is_loaded,
            is_reference,
            group,
            tokens,
        };
        if self.only_anchors.load(Ordering::Relaxed) {
            found.anchors.extend_from_slice(anchors);
            return Ok(());
        }
        if is_loaded {
            let searcher = self.searcher.as_ref().filter(|_| !is_reference);
            let looked =
                searcher.map(|searcher| searcher.search(units, anchoring, group, searching));
            if let Some(Looked { shared, texts }) = looked.transpose()?.flatten() {
                head.shared = Some((shared.len() as u32, texts));
                found.shared.extend_from_slice(shared);
            }
            let Units {
                hashes,
                tokens,
                lines,
            } = units;
            (head.units, head.anchors) = (hashes.len() as u32, anchors.len() as u32);
            found.hashes.extend_from_slice(hashes);
            found.tokens.extend_from_slice(tokens.unwrap_or_default());
            found.lines.extend_from_slice(lines.unwrap_or_default());
            found.anchors.extend_from_slice(anchors);
        }
        found.heads.push(head);
        Ok(())
    }

    /// A run that decides documents during the first pass cannot continue in the middle of it: all texts would have to be read again,
    /// for what they may share. That costs more than to start again.
    fn can_continue(&self) -> bool {
        self.only_anchors.load(Ordering::Relaxed)
    }

    fn save(found: &Loaded, record: &mut Vec<u8>) {
        put(
            record,
            &found.anchors.iter().map(Anchor::key).collect::<Vec<_>>(),
        );
    }

    fn saved(record: &mut Taken) -> Option<Loaded> {
        Some(Loaded {
            saved_keys: record.many()?,
            ..Loaded::default()
        })
    }
}
