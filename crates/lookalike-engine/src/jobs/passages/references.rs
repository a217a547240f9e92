//! Reference texts, their token hashes, and the winnowing index used to find shared passages.

use std::{ops::Range, sync::Arc};

use lookalike::{
    Method, Scratch,
    runs::{Entry, RunIndex, Selected, Winnowing},
};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    pool::install,
    read::{Blocks, Scratch as ReadScratch},
    spill::{Spill, grouping::each_group, places::Places},
};
use rayon::{ThreadPool, slice::ParallelSliceMut};

use crate::{
    config::{Progress, Stage},
    matching::sets::Pass,
    pass::parallel::{Weigh, in_order},
    sketching::table::Table,
};

/// The held texts (the texts in the index), which are the first documents. Each takes 16 bytes of memory, in addition to data
/// that may go to temporary files. If several texts have equal tokens, only the first of them is used in comparisons of tokens.
pub(super) struct Held {
    texts: Spill<u8>,
    /// Empty for texts that are equal to an earlier text.
    tokens: Spill<u64>,
    /// The positions at which each text and its tokens begin. The last entry has the positions at which the last text and its
    /// tokens end.
    starts: Vec<[u64; 2]>,
    copies: Copies,
}

/// Texts that are equal to earlier texts.
#[derive(Default)]
struct Copies {
    /// Sorted rows. Each has the first of several texts with equal tokens, and one of its copies.
    of_first: Vec<[u32; 2]>,
}

impl Copies {
    /// Finds the copies among the first `texts` documents of a table, by their digests.
    fn new(table: &Table, texts: u64, pool: &ThreadPool) -> Result<(Self, Places)> {
        let (mut of_first, are) = (Vec::new(), Places::none(texts));
        let place = |document| (document < texts).then_some(document);
        each_group(&table.digests, &table.budget, pool, place, |group| {
            of_first.extend(
                group[1..]
                    .iter()
                    .map(|&(_, copy)| [group[0].1 as u32, copy as u32]),
            );
            group[1..].iter().for_each(|&(_, copy)| are.insert(copy));
            Ok(())
        })?;
        of_first.sort_unstable();
        table
            .budget
            .hold(size_of_val(&*of_first) + texts as usize / 8);
        Ok((Self { of_first }, are))
    }

    /// Returns the copies of a text, ascending.
    fn of(&self, text: u32) -> &[[u32; 2]] {
        let start = self.of_first.partition_point(|copy| copy[0] < text);
        let count = self.of_first[start..].partition_point(|copy| copy[0] == text);
        &self.of_first[start..start + count]
    }
}

/// The texts of one block.
#[derive(Default)]
struct Loaded {
    texts: String,
    tokens: Vec<u64>,
    /// The numbers of bytes and tokens of each text.
    lengths: Vec<[u64; 2]>,
    selected: Vec<(u32, Selected)>,
}

impl Weigh for Loaded {
    fn weight(&self) -> usize {
        self.texts.capacity()
            + self.tokens.weight()
            + self.lengths.weight()
            + self.selected.weight()
    }
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    scratch: Scratch,
    plain: String,
    windows: Vec<u64>,
    selected: Vec<Selected>,
}

impl Held {
    /// Reads the texts and builds the index. Windows that occur in more than `common` texts are left out of the index.
    pub(super) fn load(
        pass: Pass,
        blocks: Blocks,
        winnowing: Winnowing,
        common: u32,
    ) -> Result<(Self, RunIndex)> {
        let Pass {
            method,
            source,
            table,
            pool,
            observer,
            ..
        } = pass;
        let texts = if table.references.documents > 0 {
            table.references.documents
        } else {
            table.documents
        };
        let (copies, are_copies) = Copies::new(table, texts, pool)?;
        let mut held = Self::new(table, copies);
        let mut entries: Vec<Entry> = Vec::new();
        in_order(
            pool,
            blocks,
            |block, worker: &mut Worker| {
                let mut loaded = Loaded::default();
                table
                    .info(block, source)?
                    .each_document(block, source, |_, at| {
                        let record = source.same_record(block, at, &mut worker.read_scratch)?;
                        loaded.take(
                            method,
                            winnowing,
                            record.text.decode(&mut worker.plain),
                            (
                                &mut worker.scratch,
                                &mut worker.windows,
                                &mut worker.selected,
                            ),
                        );
                        Ok(())
                    })?;
                Ok(loaded)
            },
            |mut loaded| {
                Progress::new(Stage::Loading, source.read(), source.total()).tell(observer)?;
                let first = held.len() as u32;
                loaded.without_copies(|text| are_copies.contains(u64::from(first + text)));
                let numbered = loaded
                    .selected
                    .iter()
                    .map(|&(text, Selected { key, at })| Entry {
                        key,
                        text: first + text,
                        at,
                    });
                let before = entries.capacity();
                entries.extend(numbered);
                table
                    .budget
                    .hold((entries.capacity() - before) * size_of::<Entry>());
                held.append(&loaded)
            },
        )?;
        install(pool, || entries.par_sort_unstable());
        let index = RunIndex::new(entries, winnowing, common, |text| {
            1 + held.copies.of(text).len() as u32
        });
        Ok((held, index))
    }

    fn new(table: &Table, copies: Copies) -> Self {
        Self {
            texts: Spill::new(&table.budget),
            tokens: Spill::new(&table.budget),
            starts: vec![[0, 0]],
            copies,
        }
    }

    /// Returns the copies of a text that have numbers below `below`, ascending. The text must be the first of several equal
    /// texts, and is not itself returned.
    pub(super) fn copies(
        &self,
        first: u32,
        below: u32,
    ) -> impl ExactSizeIterator<Item = u32> + Clone + use<'_> {
        let all = self.copies.of(first);
        all[..all.partition_point(|copy| copy[1] < below)]
            .iter()
            .map(|copy| copy[1])
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

    /// Returns the number of texts.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the next copy of a text after a given copy.
    pub(super) fn next_copy(&self, first: u32, copy: u32) -> Option<u32> {
        let all = self.copies.of(first);
        all.get(all.partition_point(|other| other[1] <= copy))
            .map(|next| next[1])
    }

    /// Returns the hashes of a text's tokens. The text must not be equal to an earlier text. `scratch` is used if the data is in
    /// a file.
    pub(super) fn tokens<'a>(
        &'a self,
        number: u32,
        scratch: &'a mut Vec<u64>,
    ) -> Result<&'a [u64]> {
        self.tokens.get(self.range(number, 1), scratch)
    }

    /// Returns a text.
    pub(super) fn text(&self, number: u32) -> Result<Arc<str>> {
        let mut scratch = Vec::new();
        let bytes = self
            .texts
            .get(self.range(number, 0), &mut scratch)?
            .to_vec();
        String::from_utf8(bytes).map(Arc::from).map_err(|_| {
            Error::new(
                ErrorKind::Temporary,
                "a temporary file was damaged: a text could not be read back",
            )
        })
    }

    fn range(&self, number: u32, which: usize) -> Range<u64> {
        let number = number as usize;
        self.starts[number][which]..self.starts[number + 1][which]
    }
}

impl Loaded {
    /// Removes the tokens and windows of the texts for which `is_copy` returns true.
    fn without_copies(&mut self, is_copy: impl Fn(u32) -> bool) {
        self.selected.retain(|&(text, _)| !is_copy(text));
        let (mut from, mut to) = (0, 0);
        for ([_, tokens], text) in self.lengths.iter_mut().zip(0..) {
            let length = *tokens as usize;
            if is_copy(text) {
                *tokens = 0;
            } else {
                self.tokens.copy_within(from..from + length, to);
                to += length;
            }
            from += length;
        }
        self.tokens.truncate(to);
    }

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
        self.selected
            .extend(selected.iter().map(|&selected| (number, selected)));
        self.texts.push_str(text);
        self.tokens.extend_from_slice(&scratch.token_hashes);
        self.lengths
            .push([text.len() as u64, scratch.token_hashes.len() as u64]);
    }
}
