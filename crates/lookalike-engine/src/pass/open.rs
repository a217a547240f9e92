//! What a run has before its first pass: its inputs, its outputs in the making, its threads, its memory.

use std::{path::Path, sync::Arc};

use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::{Expanded, LeftOut, Source},
    spill::Budget,
    write::{Output, refuse_other_than_lines, refuse_overwriting},
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::reading::reading;
use crate::config::{RunConfig, windows_ahead};

/// A run that lists something about its inputs, and about references where there are any.
pub(crate) struct Opened<const N: usize> {
    pub(crate) source: Source,
    /// How many of the inputs are references.
    pub(crate) references: usize,
    pub(crate) left_out: Option<LeftOut>,
    /// JSON Lines; none where nothing is written.
    pub(crate) outputs: [Option<Output>; N],
    /// Where bad lines go.
    pub(crate) bad: Option<Output>,
    pub(crate) pool: ThreadPool,
    pub(crate) budget: Arc<Budget>,
}

/// Opens all that is named; `what` is in the lines that are written.
///
/// # Errors
/// An input that cannot be read, an output that would overwrite one or is named as a table, threads or memory that cannot be.
pub(crate) fn open<const N: usize>(config: &RunConfig, paths: [Option<&Path>; N], what: &str) -> Result<Opened<N>> {
    let Expanded { inputs, references, left_out } = config.expand_with_references()?;
    let named: Vec<&Path> = config.skip_bad.as_deref().into_iter().chain(paths.into_iter().flatten()).collect();
    refuse_overwriting(&named, &inputs)?;
    paths.into_iter().flatten().try_for_each(|path| refuse_other_than_lines(path, what))?;
    let source = Source::with_references(inputs, references, reading(config)?, &config.temp_dir)?;
    let create = |path: Option<&Path>| path.map(|path| Output::create(path, config.threads)).transpose();
    let mut outputs = [const { None }; N];
    for (output, path) in outputs.iter_mut().zip(paths) {
        *output = create(path)?;
    }
    let bad = create(config.skip_bad.as_deref())?;
    let pool = pool(config.threads)?;
    let threads = pool.current_num_threads();
    let budget = config.budget(threads, &named, |memory| source.besides(threads, memory))?;
    outputs.iter_mut().flatten().for_each(|output| output.run_ahead(windows_ahead(budget.memory())));
    Ok(Opened { source, references, left_out, outputs, bad, pool, budget })
}

/// Far more than cores help; thousands take longer to start than most runs.
const MOST_THREADS: usize = 512;

/// Threads for a run; 0 for one a core.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool> {
    if threads > MOST_THREADS {
        return Err(Error::new(
            ErrorKind::Config,
            format!("{threads} threads are not possible: give at most {MOST_THREADS}, or 0 for one a core"),
        ));
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| Error::new(ErrorKind::Config, format!("{threads} threads cannot be started: {error}; ask for fewer")))
}
