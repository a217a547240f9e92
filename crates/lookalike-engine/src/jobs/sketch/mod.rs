//! Sketches without texts: a file of sketches has everything that is needed to estimate how similar its documents are.
//!
//! A file has a row for each document: its id, its number of shingles, its digest and its sketch. The parameters of the sketches are
//! in the file's header, and sketches with different parameters are never compared ([`header`]).

pub(crate) mod header;

pub(crate) mod figures;

mod rows;

pub(crate) mod table;

mod writing;

pub(crate) mod merge;

pub(crate) mod compare;

use std::{path::Path, time::Instant};

use lookalike::{
    Method,
    stored::{SketchParameters, Sketching},
};
use lookalike_io::{
    error::{Error, Result, without_panic},
    pool::install,
    read::Unread,
    write::{Output, are_rows, finish},
};
use serde::Serialize;

use self::writing::{Writing, write};
use crate::{
    config::{Observer, RunConfig, row_groups_ahead},
    pass::open::{Means, Sources, create, sources},
    sketching::{self, Beside},
};

/// What was sketched or merged.
#[derive(Debug, Clone, Serialize)]
pub struct SketchSummary {
    /// Documents in the file of sketches.
    pub documents: u64,
    /// Documents without tokens. They are in the file and match nothing.
    pub empty: u64,
    /// The bytes of all sketches, without ids and digests.
    pub sketch_bytes: u64,
    /// The parameters of the sketches.
    pub parameters: SketchParameters,
    /// The number of files that were merged; `None` if texts were sketched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged: Option<u64>,
    /// The number of documents that are unions of several; `None` if documents are not united.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub united: Option<u64>,
    /// What was not read as a document.
    #[serde(flatten)]
    pub unread: Unread,
    /// The duration of the run.
    pub seconds: f64,
}

/// Writes the sketch of every document to a file. The file is a table if its name has the extension of a table, and otherwise JSON
/// Lines. A document without tokens is in the file too.
///
/// # Errors
/// Fails if a parameter is impossible, if an input cannot be read, if two documents have the same id (unless the configuration allows
/// it), if a line is not a record (unless bad lines are skipped), or if an output cannot be written. In all these cases nothing is
/// written.
pub fn sketch(
    config: &RunConfig,
    parameters: &SketchParameters,
    output: &Path,
    observer: Observer,
) -> Result<SketchSummary> {
    without_panic(|| all_passes(config, parameters, output, observer))
}

fn all_passes(
    config: &RunConfig,
    parameters: &SketchParameters,
    path: &Path,
    observer: Observer,
) -> Result<SketchSummary> {
    let started = Instant::now();
    let method = Method::sketching(parameters)?;
    let header = header::written(parameters)?;
    let named: Vec<&Path> = [
        Some(path),
        config.skip_bad.as_deref(),
        config.summary.as_deref(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut is_table = false;
    let Sources { source, .. } = sources(config, &named, || {
        is_table = are_rows(path, "sketches")?;
        Ok(())
    })?;
    let [output, mut bad] = create(config, [Some(path), config.skip_bad.as_deref()])?;
    let means = Means::new(config, &named, |threads, memory| {
        source.extra(threads, memory)
    })?;
    let beside = Beside {
        bad: bad.as_mut(),
        ..Beside::default()
    };
    let table = sketching::sketch(
        config,
        &method,
        &source,
        &means.budget,
        &means.pool,
        beside,
        observer,
    )?;
    let Some(output) = output else {
        return Err(Error::failure("a sketch file was not opened"));
    };
    let ahead = row_groups_ahead(means.budget.memory(), means.pool.current_num_threads());
    let writing = Writing {
        table: &table,
        method: &method,
        header: &header,
        is_table,
        ahead,
    };
    let (output, written) = install(&means.pool, || writing.all(output, observer))?;
    finish([bad, Some(output)])?;
    Ok(SketchSummary {
        documents: table.documents,
        empty: written.empty,
        sketch_bytes: written.bytes,
        parameters: parameters.clone(),
        merged: None,
        united: None,
        unread: table.counts.unread.clone(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Opens the output of a merge and writes rows to it.
fn written(
    (config, path, kind): (&RunConfig, &Path, lookalike_io::write::IdKind),
    sketching: &Sketching,
    rows: impl FnOnce(&mut dyn FnMut(&lookalike_io::write::SketchRow) -> Result<()>) -> Result<()>
    + Send,
    means: &Means,
) -> Result<Output> {
    let [output] = create(config, [Some(path)])?;
    let Some(output) = output else {
        return Err(Error::failure("a sketch file was not opened"));
    };
    let table = are_rows(path, "sketches")?.then_some(kind);
    let ahead = row_groups_ahead(means.budget.memory(), means.pool.current_num_threads());
    let header = header::written(sketching.parameters())?;
    install(&means.pool, || write(output, (&header, table, ahead), rows))
}
