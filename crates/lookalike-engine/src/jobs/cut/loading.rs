//! Reads the units of texts, and the sequences by which equal windows are found.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use lookalike::{
    Simd,
    cut::{Anchor, Anchoring, CutConfig, Repeated, UnitReader, Units, Within},
};
use lookalike_io::error::Result;

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
    /// Whether anchors repeat in the document.
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
        self.hashes.weight() + self.tokens.weight() + self.lines.weight() + self.anchors.weight() + self.heads.weight()
    }
}

impl Loaded {
    /// Passes each document to `give`, with its units and anchors.
    pub(super) fn each(&self, mut give: impl FnMut(Head, Units, (&[Anchor], bool)) -> Result<()>) -> Result<()> {
        let (mut start, mut first) = (0, 0);
        self.heads.iter().try_for_each(|&head| {
            let range = start..start + head.units as usize;
            let anchors = &self.anchors[first..first + head.anchors as usize];
            (start, first) = (range.end, first + anchors.len());
            let units = Units {
                hashes: &self.hashes[range.clone()],
                tokens: (!self.tokens.is_empty()).then(|| &self.tokens[range.clone()]),
                lines: (!self.lines.is_empty()).then(|| &self.lines[range]),
            };
            give(head, units, (anchors, head.has_repeats))
        })
    }
}

/// Reads units.
pub(super) struct Loading<'a> {
    config: &'a CutConfig,
    window: usize,
    simd: Simd,
    /// The keys of all anchors that are repeated, if they are known. Then, only documents with such an anchor are loaded.
    repeated: Option<Arc<Repeated>>,
    /// Whether units are not needed, only anchors.
    only_anchors: AtomicBool,
}

/// What a thread keeps between texts.
#[derive(Default)]
pub(super) struct Worker {
    reader: UnitReader,
    anchoring: Anchoring,
}

impl<'a> Loading<'a> {
    pub(super) fn new(config: &'a CutConfig, repeated: Option<Arc<Repeated>>) -> Self {
        Self { config, window: config.window(), simd: Simd::detect(), repeated, only_anchors: AtomicBool::new(false) }
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

    fn look(&self, Seen { text, label, is_reference }: Seen, worker: &mut Worker, found: &mut Loaded) -> Result<()> {
        let Worker { reader, anchoring } = worker;
        let units = reader.units(self.simd, text, self.config);
        let (anchors, has_repeats) = anchoring.of_text(units.hashes, self.window, self.repeated.as_deref())?;
        let is_loaded = self.repeated.is_none() || anchors.iter().any(Anchor::is_repeated);
        let group = match self.config.within {
            Within::Document => 0,
            Within::All => label.map_or(0, |label| label.get() as u64),
        };
        let tokens = units.tokens(0..units.hashes.len()) as u64;
        let mut head = Head { units: 0, anchors: 0, has_repeats, is_loaded, is_reference, group, tokens };
        if self.only_anchors.load(Ordering::Relaxed) {
            found.anchors.extend_from_slice(anchors);
            return Ok(());
        }
        if is_loaded {
            let Units { hashes, tokens, lines } = units;
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
        put(record, &found.anchors.iter().map(Anchor::key).collect::<Vec<_>>());
    }

    fn saved(record: &mut Taken) -> Option<Loaded> {
        Some(Loaded { saved_keys: record.many()?, ..Loaded::default() })
    }
}
