//! Opens what a run needs before its first pass: its inputs, its outputs, its threads and its memory.

use std::{path::Path, sync::Arc};

use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    read::{Expanded, Reading, Source},
    spill::Budget,
    write::{Output, refuse_other_than_lines, refuse_overwriting},
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::reading::reading;
use crate::config::{RunConfig, row_groups_ahead, windows_ahead};

/// What a run reads: references first, then its inputs.
pub(crate) struct Sources {
    pub(crate) source: Source,
    /// The number of inputs that are references.
    pub(crate) references: usize,
}

/// Finds all references and inputs that the run will read.
///
/// # Errors
/// Fails if an input cannot be read, if one of the `named` outputs would overwrite an input, or if `check` fails. `check` runs
/// before any input is opened.
pub(crate) fn sources(
    config: &RunConfig,
    named: &[&Path],
    check: impl FnOnce() -> Result<()>,
) -> Result<Sources> {
    sources_read(config, named, || check().and_then(|()| reading(config)))
}

/// Does the same as [`sources`]. `read` checks the run and returns how the inputs are read.
fn sources_read(
    config: &RunConfig,
    named: &[&Path],
    read: impl FnOnce() -> Result<Reading>,
) -> Result<Sources> {
    let Expanded {
        inputs,
        references,
        left_out,
    } = config.expand_with_references()?;
    refuse_overwriting(named, &inputs)?;
    let mut source = Source::with_references(inputs, references, read()?, &config.temp_dir)?;
    source.left_out = left_out;
    let source = match config.block {
        Some(bytes) => source.with_span(bytes),
        None => source,
    };
    Ok(Sources { source, references })
}

/// Opens outputs before the work starts, so that a missing folder is reported now and not in an hour.
pub(crate) fn create<const N: usize>(
    config: &RunConfig,
    paths: [Option<&Path>; N],
) -> Result<[Option<Output>; N]> {
    let mut outputs = [const { None }; N];
    for (output, path) in outputs.iter_mut().zip(paths) {
        *output = path
            .map(|path| Output::create(path, config.threads))
            .transpose()?;
    }
    Ok(outputs)
}

/// The threads and the memory of a run.
pub(crate) struct Means {
    pub(crate) pool: ThreadPool,
    pub(crate) budget: Arc<Budget>,
}

impl Means {
    /// Creates the threads and the memory budget of a run with these outputs. `extra` returns the additional memory that the
    /// run needs, given the number of threads and the memory limit.
    ///
    /// # Errors
    /// Fails if the number of threads or the memory limit is invalid.
    pub(crate) fn new(
        config: &RunConfig,
        named: &[&Path],
        extra: impl FnOnce(usize, u64) -> u64,
    ) -> Result<Self> {
        let pool = pool(config.threads)?;
        let threads = pool.current_num_threads();
        let budget = config.budget(threads, named, |memory| extra(threads, memory))?;
        Ok(Self { pool, budget })
    }

    /// Returns how many row groups of a table may be in memory, and how many windows of an output of records may wait for the disk.
    pub(crate) fn ahead(&self) -> (usize, usize) {
        let memory = self.budget.memory();
        (
            row_groups_ahead(memory, self.pool.current_num_threads()),
            windows_ahead(memory),
        )
    }

    /// Allows the outputs to hold more bytes in memory before they write these bytes to the disk. The allowed number grows with
    /// the memory limit of the run.
    pub(crate) fn run_ahead<'a>(&self, outputs: impl IntoIterator<Item = &'a mut Option<Output>>) {
        let ahead = windows_ahead(self.budget.memory());
        outputs
            .into_iter()
            .flatten()
            .for_each(|output| output.run_ahead(ahead));
    }
}

/// Everything that was opened for a run that lists results about its inputs, and about references if there are any.
pub(crate) struct Opened<const N: usize> {
    pub(crate) sources: Sources,
    /// JSON Lines outputs; `None` for those that are not written.
    pub(crate) outputs: [Option<Output>; N],
    /// The output for bad lines.
    pub(crate) bad: Option<Output>,
    pub(crate) means: Means,
}

/// Opens all inputs, the outputs at `paths`, and the output for bad lines. `what` names the contents of the output lines in
/// messages.
///
/// # Errors
/// Fails if an input cannot be read, if an output would overwrite an input or has the name of a table, or if the number of
/// threads or the memory limit is invalid.
pub(crate) fn open<const N: usize>(
    config: &RunConfig,
    paths: [Option<&Path>; N],
    what: &str,
) -> Result<Opened<N>> {
    open_read(config, paths, what, || reading(config))
}

/// Does the same as [`open`]; `read` returns how the inputs are read.
pub(crate) fn open_read<const N: usize>(
    config: &RunConfig,
    paths: [Option<&Path>; N],
    what: &str,
    read: impl FnOnce() -> Result<Reading>,
) -> Result<Opened<N>> {
    let report = config.report.as_ref().map(|report| report.path.as_path());
    let beside = [
        config.skip_bad.as_deref(),
        config.summary.as_deref(),
        report,
    ];
    let named: Vec<&Path> = beside.into_iter().chain(paths).flatten().collect();
    let are_lines = || {
        paths
            .into_iter()
            .flatten()
            .try_for_each(|path| refuse_other_than_lines(path, what))
    };
    let sources = sources_read(config, &named, || are_lines().and_then(|()| read()))?;
    let mut outputs = create(config, paths)?;
    let [bad] = create(config, [config.skip_bad.as_deref()])?;
    let means = Means::new(config, &named, |threads, memory| {
        sources.source.extra(threads, memory)
    })?;
    means.run_ahead(&mut outputs);
    Ok(Opened {
        sources,
        outputs,
        bad,
        means,
    })
}

/// The maximum number of threads. It is far larger than the number of cores that any run can use. Thousands of threads would take
/// longer to start than most runs last.
const MOST_THREADS: usize = 512;

/// Creates the threads for a run; 0 means one per core.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool> {
    if threads > MOST_THREADS {
        let refused = Error::new(ErrorKind::Config, format!("{threads} threads are too many"))
            .about(Setting("threads"));
        return Err(refused.advise(format!("use at most {MOST_THREADS}, or 0 for one per core")));
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| {
        let what = format!("{threads} threads cannot be started: {error}");
        Error::new(ErrorKind::Config, what)
            .about(Setting("threads"))
            .advise("use fewer")
            .because(error)
    })
}
