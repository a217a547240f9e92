//! The data that the first pass keeps for every document.

use std::{num::NonZeroU128, sync::Arc};

use lookalike::{Method, fingerprint::Digest};
use lookalike_io::{
    error::{self, Error, ErrorKind, Result},
    read::{Block, BlockInfo, BlockInfos, LeftOut, Source, Unread},
    spill::{Budget, Spill},
    write::Kept,
};
use rayon::ThreadPool;

use super::{
    ids::{BlockIds, Ids},
    references::References,
    sampled::{BlockSamples, SampledFingerprints},
    signs::Signs,
    sizes::Sizes,
};
use crate::{
    config::Observer,
    pass::{
        columns::find_columns,
        parallel::{Place, Weigh},
    },
};

/// The data that a run keeps for every document. With 21 bands this is 84 bytes for the keys, 128 for the b-bit sketch, 16 for
/// the digest, 8 for the id's hash, and the id itself. All of it remains in memory if the memory limit allows.
pub(crate) struct Table {
    pub(crate) blocks: BlockInfos,
    pub(crate) documents: u64,
    /// Which documents are references. References are the first documents.
    pub(crate) references: References,
    /// The number of the source's parts that are references. References are the first parts.
    pub(crate) reference_parts: usize,
    pub(crate) digests: Spill<Digest>,
    /// The fixed-size sketches, `stride` bytes each.
    pub(crate) bits: Spill<u8>,
    pub(crate) stride: usize,
    pub(crate) columns: Vec<Spill<u32>>,
    /// Sampled fingerprints; empty if candidates are not found by sampled fingerprints.
    pub(crate) samples: SampledFingerprints,
    /// The keys by which documents are sorted into keep order (the order in which they are considered); empty if keep order is
    /// input order.
    pub(crate) keys: Spill<u64>,
    /// The number of texts for each number of shingles; empty if a text's number of shingles does not affect which pairs are
    /// found.
    pub(crate) sizes: Sizes,
    /// Each document's label, if labels are requested; `None` for a document without a label.
    pub(crate) labels: Vec<Option<NonZeroU128>>,
    pub(crate) ids: Ids,
    pub(crate) counts: Counts,
    pub(crate) budget: Arc<Budget>,
}

/// Counts from the first pass.
#[derive(Debug, Default, Clone)]
pub(crate) struct Counts {
    pub(crate) line_bytes: u64,
    pub(crate) blank_lines: u64,
    pub(crate) unread: Unread,
    /// Documents without an id of their own, excluding references.
    pub(crate) without_id: u64,
    /// Documents that are compared by all their shingles because they have too few anchors (stop words at which shingles begin),
    /// excluding references.
    pub(crate) few_anchors: u64,
    /// Pages that were too large for finding their main part.
    pub(crate) too_large: u64,
    /// Signs that an option would help, counted in the texts. Texts of references are not counted.
    pub(crate) signs: Signs,
}

/// One block's part of the table.
pub(crate) struct Sketched {
    pub(crate) info: BlockInfo,
    pub(crate) digests: Vec<Digest>,
    pub(crate) bits: Vec<u8>,
    pub(crate) columns: Vec<Vec<u32>>,
    pub(crate) samples: BlockSamples,
    pub(crate) keys: Vec<u64>,
    /// Each text's number of shingles, if this number affects which pairs are found.
    pub(crate) sizes: Vec<u32>,
    pub(crate) labels: Vec<Option<NonZeroU128>>,
    /// The hashes and the texts of the block's labels; each label occurs at least once. Empty if texts of labels are not wanted.
    pub(crate) label_names: Vec<(NonZeroU128, Box<str>)>,
    pub(crate) ids: BlockIds,
    /// Documents without text, by their numbers in the block, with the hashes of their bytes, if these are wanted.
    pub(crate) textless: Vec<(u32, u128)>,
    pub(crate) without_id: u64,
    pub(crate) few_anchors: u64,
    pub(crate) signs: Signs,
    /// Pages that were too large for finding their main part.
    pub(crate) too_large: u64,
    /// The records, and the documents that are files, that were left out.
    pub(crate) left_out: Option<LeftOut>,
    /// The bad lines and their number.
    pub(crate) bad_lines: Vec<u8>,
    pub(crate) bad_count: u64,
    /// The errors of the first [`BAD_EXAMPLES`](lookalike_io::read::BAD_EXAMPLES) bad lines, each with its number in the block.
    pub(crate) bad_messages: Vec<(u32, Error)>,
    pub(crate) line_bytes: u64,
}

impl Weigh for Sketched {
    fn weight(&self) -> usize {
        let columns: usize = self.columns.iter().map(Weigh::weight).sum();
        let sketches = self.digests.weight() + self.bits.weight() + columns + self.samples.weight();
        sketches
            + self.keys.weight()
            + self.sizes.weight()
            + self.labels.weight()
            + self.label_names.weight()
            + self.ids.weight()
            + size_of_val(&*self.textless)
            + self.bad_lines.weight()
    }
}

impl Sketched {
    pub(crate) fn new(method: &Method) -> Self {
        Self {
            info: BlockInfo::default(),
            digests: Vec::new(),
            bits: Vec::new(),
            columns: vec![Vec::new(); method.columns()],
            samples: BlockSamples::default(),
            keys: Vec::new(),
            sizes: Vec::new(),
            labels: Vec::new(),
            label_names: Vec::new(),
            ids: BlockIds::default(),
            textless: Vec::new(),
            without_id: 0,
            few_anchors: 0,
            signs: Signs::default(),
            too_large: 0,
            left_out: None,
            bad_lines: Vec::new(),
            bad_count: 0,
            bad_messages: Vec::new(),
            line_bytes: 0,
        }
    }

    /// Empties the results, but keeps the allocated memory.
    fn clear(&mut self) {
        self.info = BlockInfo::default();
        self.digests.clear();
        self.bits.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.samples.clear();
        self.keys.clear();
        self.sizes.clear();
        self.labels.clear();
        self.label_names.clear();
        self.ids.clear();
        self.textless.clear();
        self.bad_lines.clear();
        self.bad_messages.clear();
        (self.bad_count, self.without_id, self.few_anchors) = (0, 0, 0);
        (self.too_large, self.line_bytes, self.signs) = (0, 0, Signs::default());
    }

    /// Fills in the data that depends on the block's position: line numbers, and the ids of documents without an id.
    pub(crate) fn place_at(&mut self, place: Place) {
        self.info.first_line = place.first_line;
        for (record, fault) in std::mem::take(&mut self.bad_messages) {
            self.bad_messages
                .push((record, fault.at_place(place.of(record.into()))));
        }
        if self.without_id > 0 {
            let named = |line: u64| {
                serde_json::Value::String(place.of(line - place.first_line).to_string()).to_string()
            };
            self.ids.fill(self.info.document_lines().map(named));
        }
    }
}

impl Table {
    pub(crate) fn new(method: &Method, budget: &Arc<Budget>) -> Self {
        Self {
            blocks: BlockInfos::new(budget),
            documents: 0,
            references: References::default(),
            reference_parts: 0,
            digests: Spill::new(budget),
            bits: Spill::new(budget),
            stride: method.stride(),
            columns: (0..method.columns()).map(|_| Spill::new(budget)).collect(),
            samples: SampledFingerprints::new(budget),
            keys: Spill::new(budget),
            sizes: Sizes::default(),
            labels: Vec::new(),
            ids: Ids::new(budget),
            counts: Counts::default(),
            budget: budget.clone(),
        }
    }

    /// Appends the next block's documents, and empties `sketched` for reuse. If `checked` is true, the uniqueness of the
    /// documents' ids can be tested later. Ids of references are never checked in this way, because they may be repeated: several
    /// test sets may each number their items from zero, and most outputs give the place of a reference in addition to its id. For
    /// the other outputs, `refuse_repeated_references` tests the ids of references.
    pub(crate) fn add(&mut self, sketched: &mut Sketched, checked: bool) -> Result<()> {
        let Sketched {
            info,
            digests,
            bits,
            columns,
            samples,
            keys,
            sizes,
            labels,
            ids,
            bad_count,
            bad_messages,
            ..
        } = sketched;
        let (without_id, few_anchors, line_bytes) = (
            sketched.without_id,
            sketched.few_anchors,
            sketched.line_bytes,
        );
        info.first_document = self.documents;
        self.documents += digests.len() as u64;
        let is_reference = info.part < self.reference_parts;
        if is_reference {
            self.references.documents = self.documents;
        } else {
            self.counts.without_id += without_id;
            self.counts.few_anchors += few_anchors;
            self.counts.signs.add(&sketched.signs);
        }
        self.counts.too_large += sketched.too_large;
        self.counts.line_bytes += line_bytes;
        let unread = &mut self.counts.unread;
        unread.add_bad(
            *bad_count,
            bad_messages.drain(..).map(|(_, message)| message),
        );
        let left_out = LeftOut::add(&mut unread.left_out, sketched.left_out.take());
        self.counts.blank_lines += info.skipped.len().saturating_sub(*bad_count + left_out);
        self.digests.append(digests)?;
        self.bits.append(bits)?;
        self.columns
            .iter_mut()
            .zip(columns)
            .try_for_each(|(all, more)| all.append(more))?;
        self.keys.append(keys)?;
        self.sizes.add(sizes);
        self.budget.hold(size_of_val(&**labels));
        self.labels.append(labels);
        self.samples.append(samples)?;
        self.ids.append(ids, checked && !is_reference)?;
        self.blocks.push(info)?;
        sketched.clear();
        Ok(())
    }

    /// Returns the size in bytes of everything that is kept, in memory or in files.
    pub(crate) fn bytes(&self) -> u64 {
        let per_document = 16 + self.stride as u64 + 4 * self.columns.len() as u64 + 8;
        self.documents * per_document
            + 8 * self.keys.len()
            + self.ids.bytes()
            + self.samples.bytes()
    }

    /// Returns what the first pass recorded about a block that is now read again.
    ///
    /// # Errors
    /// Fails if the first pass did not find this block, which means that the input was changed.
    pub(crate) fn info(&self, block: &Block, source: &Source) -> Result<BlockInfo> {
        self.blocks
            .get(block.number)?
            .ok_or_else(|| source.changed(block.part))
    }

    /// Finds the columns of the output of kept records, if they are converted.
    ///
    /// # Errors
    /// Fails like [`find_columns`].
    pub(crate) fn find_columns(
        &self,
        source: &Source,
        kept: &mut Option<Kept>,
        pool: &ThreadPool,
        observer: Observer,
    ) -> Result<()> {
        kept.as_mut().map_or(Ok(()), |kept| {
            let info = |block: &Block| self.info(block, source);
            find_columns(pool, source, kept, info, observer)
        })
    }

    /// Returns the place of a document: `file:line`.
    pub(crate) fn place(&self, document: u64, source: &Source) -> Result<error::Place> {
        let block = self
            .blocks
            .get(self.blocks.of_document(document))?
            .unwrap_or_default();
        Ok(source.place(block.part, block.line_of(document)))
    }

    /// Returns the number of a document's input, references first, and the number of its record there, from 1; 0 if the input is a
    /// folder of documents.
    pub(crate) fn record(&self, document: u64, source: &Source) -> Result<(u32, u64)> {
        let block = self
            .blocks
            .get(self.blocks.of_document(document))?
            .unwrap_or_default();
        let place = source.place(block.part, block.line_of(document));
        Ok((
            source.parts()[block.part].input() as u32,
            place.line.unwrap_or(0),
        ))
    }

    /// Returns an error if there are more documents than 32 bits can number. Used by jobs that do not support more.
    pub(crate) fn refuse_more_than_32_bits(&self, what: &str) -> Result<()> {
        if self.documents < u64::from(u32::MAX) {
            return Ok(());
        }
        let message = format!(
            "{what} is possible with at most 4,294,967,294 documents, got {}",
            self.documents
        );
        Err(Error::new(ErrorKind::Input, message))
    }
}
