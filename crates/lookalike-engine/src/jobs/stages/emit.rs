//! The stage *emit*: writes the kept records of a task's inputs, and the decisions about them.

use std::path::Path;

use lookalike::Reason;
use lookalike_io::{
    error::Result,
    pool::install,
    read::{Block, BlockInfos, LeftOut, Source},
    spill::places::Places,
    write::{Decided, Kept, Likeness, Output},
};

use super::{
    counts::Counts,
    decide::KEPT,
    documents::{Document, Documents, changed_at_end},
    place::{ALONE, Layout, ROW},
    plan::of_shard,
    sections::Opened,
    task::{ArrayStage, Outputs, Task},
};
use crate::{
    config::{Stage, row_groups_ahead},
    pass::{copy::copy_kept, reading::reading},
};

pub(super) fn emit(task: &Task, kept: &Path, decisions: Option<&Path>) -> Result<Outputs> {
    let named = |path: &Path| of_shard(path, task.shard, task.shards());
    let (source, pool) = (task.source()?, task.pool()?);
    let kept = named(kept);
    let output = Output::create(&kept, task.config.threads)?;
    let threads = pool.current_num_threads();
    let budget = task
        .config
        .budget(threads, &[&kept], |memory| source.extra(threads, memory))?;
    let groups = row_groups_ahead(budget.memory(), threads);
    let mut kept = kept_like(task, &source, output, groups)?;
    let mut decisions = decisions
        .map(|path| Output::create(&named(path), task.config.threads))
        .transpose()?;

    let mut made = Made::of(task)?;
    let mut counts = Counts::default();
    let (mut infos, mut places) = (BlockInfos::new(&budget), Vec::new());
    let mut lines = Vec::new();
    let documents = Documents {
        config: task.config,
        source: &source,
        pool: &pool,
        observer: task.observer,
        stage: Stage::Deciding,
    };
    documents.each(
        None,
        |_, _: &mut ()| (),
        |met| {
            infos.push(&met.info)?;
            counts.bad_lines += met.bad_lines;
            LeftOut::add(&mut counts.left_out, met.left_out);
            if met.of_references {
                return Ok(());
            }
            lines.clear();
            for (at, document) in (met.info.first_document..).zip(&met.documents) {
                let is_kept = made
                    .next(document, &mut lines)?
                    .ok_or_else(|| source.changed(met.info.part))?;
                counts.documents += 1;
                if is_kept {
                    counts.kept += 1;
                    places.push(at);
                }
            }
            decisions
                .as_mut()
                .map_or(Ok(()), |output| output.write(&lines))
        },
    )?;
    counts.dropped = counts.documents - counts.kept;
    if !made.is_over()? {
        return Err(changed_at_end(&source, task.folder));
    }
    let is_kept = Places::none(places.last().map_or(0, |last| last + 1));
    places.iter().for_each(|&place| is_kept.insert(place));
    let end = places.last().map_or(0, |last| last + 1);
    drop(places);
    let info = |block: &Block| {
        infos
            .get(block.number)?
            .ok_or_else(|| source.changed(block.part))
    };
    copy_kept(
        &pool,
        &source,
        info,
        |document| document < end && is_kept.contains(document),
        (&mut kept, counts.kept),
        task.observer,
    )?;
    let kept = install(&pool, || kept.end(&source, counts.documents))?;
    let counts = counts.output(
        &task.path(ArrayStage::Emit, task.shard),
        task.digest(ArrayStage::Emit),
    )?;
    Ok(kept.into_iter().chain(decisions).chain([counts]).collect())
}

/// Begins the output of the kept records. A task without inputs writes the columns of the run's first input.
fn kept_like(task: &Task, source: &Source, output: Output, groups: usize) -> Result<Kept> {
    let shape = task.planned.shape;
    if source.inputs().len() > source.references() {
        return Kept::one(output, shape, source, groups);
    }
    let first = task.planned.first_input(task.config)?.into_iter().collect();
    let model = Source::new(first, reading(task.config)?, &task.config.temp_dir)?;
    let mut kept = Kept::one(output, shape, &model, groups)?;
    kept.write_header(&model)?;
    Ok(kept)
}

/// The decisions about the documents of a task, in input order.
struct Made {
    /// The row of each document, see [`Layout::rows`].
    rows: Vec<[u8; ROW]>,
    next: usize,
    /// The decisions of each shard.
    decided: Vec<Lines>,
}

impl Made {
    fn of(task: &Task) -> Result<Self> {
        let mut placed = task.open(ArrayStage::Place, task.shard)?;
        let bytes = placed.all(Layout::of(task).rows())?;
        let (rows, rest) = bytes.as_chunks();
        if !rest.is_empty() {
            return Err(placed.damaged());
        }
        let rows = rows.to_vec();
        drop(bytes);
        let open = |shard| {
            Ok(Lines::new(
                task.open(ArrayStage::Decide, shard)?,
                task.shard,
            ))
        };
        Ok(Self {
            rows,
            next: 0,
            decided: (0..task.shards()).map(open).collect::<Result<_>>()?,
        })
    }

    /// Appends the decision about the next document, and returns whether the document is kept. Returns `None` if there was another
    /// document, or none, when the documents were placed.
    fn next(&mut self, document: &Document<()>, into: &mut Vec<u8>) -> Result<Option<bool>> {
        let Some((shard, digest)) = self
            .rows
            .get(self.next)
            .and_then(|row| row.split_first_chunk())
        else {
            return Ok(None);
        };
        if digest != document.digest.to_le_bytes() {
            return Ok(None);
        }
        self.next += 1;
        let (id, shard) = (&document.id, u32::from_le_bytes(*shard));
        if shard == ALONE {
            let (reason, likeness) = (Reason::Unique, Likeness::Same);
            Decided {
                id,
                reason,
                representative: None,
                likeness,
                cluster_size: 1,
                overruled: false,
            }
            .write_line(into)?;
            return Ok(Some(true));
        }
        let Some(line) = self
            .decided
            .get_mut(shard as usize)
            .map(Lines::next)
            .transpose()?
            .flatten()
        else {
            return Ok(None);
        };
        let Some((&verdict, line)) = line.split_first() else {
            return Ok(None);
        };
        into.extend_from_slice(line);
        Ok(Some(verdict == KEPT))
    }

    /// Returns whether all decisions were used.
    fn is_over(&mut self) -> Result<bool> {
        let mut over = self.next == self.rows.len();
        for lines in &mut self.decided {
            over &= lines.next()?.is_none();
        }
        Ok(over)
    }
}

/// The lines of a section.
struct Lines {
    opened: Opened,
    section: usize,
    next: usize,
    chunk: Vec<u8>,
    at: usize,
}

impl Lines {
    fn new(opened: Opened, section: usize) -> Self {
        Self {
            opened,
            section,
            next: 0,
            chunk: Vec::new(),
            at: 0,
        }
    }

    /// Returns the next line, with its end. Lines are never divided between chunks.
    fn next(&mut self) -> Result<Option<&[u8]>> {
        if self.at == self.chunk.len() {
            let Some(chunk) = self.opened.chunk(self.section, &mut self.next)? else {
                return Ok(None);
            };
            (self.chunk, self.at) = (chunk, 0);
        }
        let start = self.at;
        self.at = self.chunk[start..]
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(self.chunk.len(), |end| start + end + 1);
        Ok(Some(&self.chunk[start..self.at]))
    }
}
