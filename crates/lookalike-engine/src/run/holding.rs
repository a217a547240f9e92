//! Texts that others are compared with: they and the hashes of their tokens, and an index of what runs are found by.

use std::{ops::Range, sync::Arc};

use lookalike::{
    Method, Scratch,
    runs::{Entry, RunIndex, Selected, Winnowing},
};
use rayon::slice::ParallelSliceMut;

use super::{
    loading::Pass,
    parallel::{Weigh, in_order},
    table::Table,
};
use crate::{
    config::{Progress, Stage},
    error::{Error, ErrorKind, Result},
    read::{Blocks, Room},
    spill::Spill,
};

/// The texts of some documents that come first, 16 bytes of memory each besides what may go to temporary files.
pub(super) struct Held {
    texts: Spill<u8>,
    tokens: Spill<u64>,
    /// Where each text and its tokens begin, and the last end.
    starts: Vec<[u64; 2]>,
}

/// One block's.
#[derive(Default)]
struct Loaded {
    texts: String,
    tokens: Vec<u64>,
    /// Bytes and tokens of each.
    lengths: Vec<[u64; 2]>,
    selected: Vec<(u32, Selected)>,
}

impl Weigh for Loaded {
    fn weight(&self) -> usize {
        self.texts.capacity() + self.tokens.weight() + self.lengths.weight() + self.selected.weight()
    }
}

#[derive(Default)]
struct Worker {
    room: Room,
    scratch: Scratch,
    plain: String,
    windows: Vec<u64>,
    selected: Vec<Selected>,
}

impl Held {
    /// Reads the texts, and makes the index, in which windows of more than `common` texts are left out.
    pub(super) fn load(pass: Pass, blocks: Blocks, winnowing: Winnowing, common: u32) -> Result<(Self, RunIndex)> {
        let Pass { method, source, table, pool, observer, .. } = pass;
        let mut held = Self::new(table);
        let mut entries: Vec<Entry> = Vec::new();
        in_order(
            pool,
            blocks,
            |block, worker: &mut Worker| {
                let mut loaded = Loaded::default();
                table.info(block, source)?.each_document(block, source, |_, at| {
                    let record = block.same_record(at, source, &mut worker.room)?;
                    loaded.take(
                        method,
                        winnowing,
                        record.text.decode(&mut worker.plain),
                        (&mut worker.scratch, &mut worker.windows, &mut worker.selected),
                    );
                    Ok(())
                })?;
                Ok(loaded)
            },
            |loaded| {
                observer(Progress::new(Stage::Loading, source.read(), source.total()));
                let first = held.len() as u32;
                let numbered = loaded.selected.iter().map(|&(text, Selected { key, at })| Entry { key, text: first + text, at });
                let before = entries.capacity();
                entries.extend(numbered);
                table.budget.hold((entries.capacity() - before) * size_of::<Entry>());
                held.append(&loaded)
            },
        )?;
        pool.install(|| entries.par_sort_unstable());
        Ok((held, RunIndex::new(entries, winnowing, common)))
    }

    fn new(table: &Table) -> Self {
        Self { texts: Spill::new(&table.budget), tokens: Spill::new(&table.budget), starts: vec![[0, 0]] }
    }

    fn append(&mut self, loaded: &Loaded) -> Result<()> {
        let [mut text, mut token] = [self.texts.len(), self.tokens.len()];
        for &[bytes, tokens] in &loaded.lengths {
            (text, token) = (text + bytes, token + tokens);
            self.starts.push([text, token]);
        }
        self.texts.append(loaded.texts.as_bytes())?;
        self.tokens.append(&loaded.tokens)
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The hashes of a text's tokens; `room` is for those that lie in a file.
    pub(super) fn tokens<'a>(&'a self, number: u32, room: &'a mut Vec<u64>) -> Result<&'a [u64]> {
        self.tokens.get(self.range(number, 1), room)
    }

    /// A text.
    pub(super) fn text(&self, number: u32) -> Result<Arc<str>> {
        let mut room = Vec::new();
        let bytes = self.texts.get(self.range(number, 0), &mut room)?.to_vec();
        String::from_utf8(bytes)
            .map(Arc::from)
            .map_err(|_| Error::new(ErrorKind::Temporary, "a temporary file was damaged: a text could not be read back"))
    }

    fn range(&self, number: u32, which: usize) -> Range<u64> {
        let number = number as usize;
        self.starts[number][which]..self.starts[number + 1][which]
    }
}

impl Loaded {
    fn take(
        &mut self,
        method: &Method,
        winnowing: Winnowing,
        text: &str,
        (scratch, windows, selected): (&mut Scratch, &mut Vec<u64>, &mut Vec<Selected>),
    ) {
        method.set(text, scratch);
        winnowing.select(&scratch.token_hashes, windows, selected);
        let number = self.lengths.len() as u32;
        self.selected.extend(selected.iter().map(|&selected| (number, selected)));
        self.texts.push_str(text);
        self.tokens.extend_from_slice(&scratch.token_hashes);
        self.lengths.push([text.len() as u64, scratch.token_hashes.len() as u64]);
    }
}
