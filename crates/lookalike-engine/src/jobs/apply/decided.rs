//! The decisions of an earlier run. They are looked up by the hashes of ids.

use std::borrow::Cow;

use lookalike::{cut::Edit, text::Span};
use lookalike_io::{
    error::{Error, Result},
    read::{Block, Blocks, Source},
};
use rayon::{ThreadPool, slice::ParallelSliceMut};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::edits::Edits;
use crate::{
    config::{Observer, Progress, Stage},
    pass::{
        lines::{as_written, is_id, not_an_id, parse},
        parallel::{Weigh, in_order},
    },
    sketching::ids::hash_name,
};

#[derive(Deserialize)]
pub(super) struct DecisionLine<'a> {
    #[serde(borrow)]
    pub(super) id: &'a RawValue,
    verdict: Verdict,
    /// The cuts, if the file has cuts.
    #[serde(borrow, default)]
    cuts: Option<Vec<CutLine<'a>>>,
}

/// A cut: the bytes that are removed, and the text that is inserted in their place.
#[derive(Deserialize)]
struct CutLine<'a> {
    start_byte: usize,
    end_byte: usize,
    #[serde(borrow, default)]
    insert: Cow<'a, str>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Kept,
    Cut,
    Dropped,
}

/// All decisions. Each decision is stored as the hash of its id, but the lowest bit of the hash is replaced: it is set if and
/// only if the document is kept. Rows are sorted by the hash without this bit. Decisions about the same id are in the order in
/// which they were written.
pub(super) struct Decided {
    pub(super) rows: Vec<u128>,
    /// The edits of texts, if the decisions have any.
    pub(super) edits: Option<Edits>,
}

/// The decisions of a block, and the edits of some of them.
#[derive(Default)]
struct Read {
    rows: Vec<u128>,
    cuts: Vec<(u32, Vec<Edit>)>,
}

impl Weigh for Read {
    fn weight(&self) -> usize {
        self.rows.weight()
            + self
                .cuts
                .iter()
                .map(|(_, cuts)| 32 + size_of_val(&**cuts))
                .sum::<usize>()
    }
}

impl Decided {
    pub(super) fn read(source: &Source, pool: &ThreadPool, observer: Observer) -> Result<Self> {
        let (mut rows, mut edits): (Vec<u128>, Edits) = Default::default();
        in_order(
            pool,
            Blocks::new(source),
            |block, scratch: &mut Vec<u8>| {
                let mut read = Read::default();
                block.each_object(scratch, |at, line| {
                    let (row, cuts) =
                        decision(line, block).map_err(|wrong| wrong.of_line(at as u64))?;
                    if !cuts.is_empty() {
                        read.cuts.push((read.rows.len() as u32, cuts));
                    }
                    read.rows.push(row);
                    Ok(())
                })?;
                Ok(read)
            },
            |block| {
                Progress::new(Stage::Loading, source.read(), source.total()).tell(observer)?;
                block
                    .cuts
                    .into_iter()
                    .for_each(|(line, cuts)| edits.push(rows.len() as u32 + line, cuts));
                rows.extend_from_slice(&block.rows);
                Ok(())
            },
        )?;
        if edits.is_empty() {
            rows.par_sort_by_key(|row| row >> 1);
            rows.shrink_to_fit();
            return Ok(Self { rows, edits: None });
        }
        edits.lines = (0..rows.len() as u32).collect();
        edits
            .lines
            .par_sort_by_key(|&line| rows[line as usize] >> 1);
        let rows = edits
            .lines
            .iter()
            .map(|&line| rows[line as usize])
            .collect();
        Ok(Self {
            rows,
            edits: Some(edits),
        })
    }

    pub(super) fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Returns the first row with the id that has this hash.
    pub(super) fn first(&self, hash: u128) -> Option<usize> {
        let first = self.rows.partition_point(|row| row >> 1 < hash >> 1);
        self.is_of(first, hash).then_some(first)
    }

    pub(super) fn is_of(&self, row: usize, hash: u128) -> bool {
        self.rows.get(row).is_some_and(|row| row >> 1 == hash >> 1)
    }

    pub(super) fn is_kept(&self, row: usize) -> bool {
        self.rows[row] & 1 == 1
    }

    /// Frees the memory.
    pub(super) fn forget(&mut self) {
        self.rows = Vec::new();
    }
}

/// Converts a line of decisions into a row, and returns the edits of the text.
pub(super) fn decision(line: &[u8], block: &Block) -> Result<(u128, Vec<Edit>)> {
    let line: DecisionLine = match block.rows() {
        None => parse(
            line,
            "a decision that dedup wrote, with an id and a verdict (kept or dropped)",
        )?,
        Some(_) => serde_json::from_slice(line).map_err(|_| {
            let wrong = Error::record("the row has no valid id or verdict");
            wrong.advise("the verdict must be kept or dropped, and the id a string or a number")
        })?,
    };
    let id = as_written(line.id, "id", block)?;
    if !is_id(id.get()) {
        return Err(not_an_id(id.get()));
    }
    let edit = |cut: CutLine| Edit {
        span: Span {
            start: cut.start_byte,
            end: cut.end_byte,
        },
        insert: cut.insert.into_owned(),
    };
    let edits = line.cuts.into_iter().flatten().map(edit).collect();
    Ok((
        hash_name(id.get()) & !1 | u128::from(line.verdict != Verdict::Dropped),
        edits,
    ))
}
