//! What a run has before its first pass: its inputs, its outputs in the making, its threads, its memory.

use std::{path::Path, sync::Arc};

use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    read::{Expanded, LeftOut, Source},
    spill::Budget,
    write::{Output, refuse_other_than_lines, refuse_overwriting},
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::reading::reading;
use crate::config::{RunConfig, windows_ahead};

/// What a run reads: references first, and behind them its inputs.
pub(crate) struct Sources {
    pub(crate) source: Source,
    /// How many of the inputs are references.
    pub(crate) references: usize,
    pub(crate) left_out: Option<LeftOut>,
}

/// Finds all that is to be read.
///
/// # Errors
/// An input that cannot be read; an output of those named that would overwrite one; what `check` refuses, before an input is opened.
pub(crate) fn sources(config: &RunConfig, named: &[&Path], check: impl FnOnce() -> Result<()>) -> Result<Sources> {
    let Expanded { inputs, references, left_out } = config.expand_with_references()?;
    refuse_overwriting(named, &inputs)?;
    check()?;
    let source = Source::with_references(inputs, references, reading(config)?, &config.temp_dir)?;
    Ok(Sources { source, references, left_out })
}

/// Opens outputs before the work starts, so that a missing folder is reported now and not in an hour.
pub(crate) fn create<const N: usize>(config: &RunConfig, paths: [Option<&Path>; N]) -> Result<[Option<Output>; N]> {
    let mut outputs = [const { None }; N];
    for (output, path) in outputs.iter_mut().zip(paths) {
        *output = path.map(|path| Output::create(path, config.threads)).transpose()?;
    }
    Ok(outputs)
}

/// The threads and the memory of a run.
pub(crate) struct Means {
    pub(crate) pool: ThreadPool,
    pub(crate) budget: Arc<Budget>,
}

impl Means {
    /// Threads and memory of a run with these outputs, which takes so much memory `besides` on so many threads in a run with so much.
    ///
    /// # Errors
    /// Threads or memory that cannot be.
    pub(crate) fn new(config: &RunConfig, named: &[&Path], besides: impl FnOnce(usize, u64) -> u64) -> Result<Self> {
        let pool = pool(config.threads)?;
        let threads = pool.current_num_threads();
        let budget = config.budget(threads, named, |memory| besides(threads, memory))?;
        Ok(Self { pool, budget })
    }

    /// Lets outputs have as much waiting for the disk as the memory allows.
    pub(crate) fn run_ahead<'a>(&self, outputs: impl IntoIterator<Item = &'a mut Option<Output>>) {
        let ahead = windows_ahead(self.budget.memory());
        outputs.into_iter().flatten().for_each(|output| output.run_ahead(ahead));
    }
}

/// A run that lists something about its inputs, and about references where there are any.
pub(crate) struct Opened<const N: usize> {
    pub(crate) sources: Sources,
    /// JSON Lines; none where nothing is written.
    pub(crate) outputs: [Option<Output>; N],
    /// Where bad lines go.
    pub(crate) bad: Option<Output>,
    pub(crate) means: Means,
}

/// Opens all that is named; `what` is in the lines that are written.
///
/// # Errors
/// An input that cannot be read, an output that would overwrite one or is named as a table, threads or memory that cannot be.
pub(crate) fn open<const N: usize>(config: &RunConfig, paths: [Option<&Path>; N], what: &str) -> Result<Opened<N>> {
    let beside = [config.skip_bad.as_deref(), config.summary.as_deref()];
    let named: Vec<&Path> = beside.into_iter().chain(paths).flatten().collect();
    let are_lines = || paths.into_iter().flatten().try_for_each(|path| refuse_other_than_lines(path, what));
    let sources = sources(config, &named, are_lines)?;
    let mut outputs = create(config, paths)?;
    let [bad] = create(config, [config.skip_bad.as_deref()])?;
    let means = Means::new(config, &named, |threads, memory| sources.source.besides(threads, memory))?;
    means.run_ahead(&mut outputs);
    Ok(Opened { sources, outputs, bad, means })
}

/// Far more than cores help; thousands take longer to start than most runs.
const MOST_THREADS: usize = 512;

/// Threads for a run; 0 for one a core.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool> {
    if threads > MOST_THREADS {
        let refused = Error::new(ErrorKind::Config, format!("{threads} threads are not possible")).about(Setting::Threads);
        return Err(refused.instead(format!("give at most {MOST_THREADS}, or 0 for one a core")));
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| {
        let what = format!("{threads} threads cannot be started: {error}");
        Error::new(ErrorKind::Config, what).about(Setting::Threads).advise("ask for fewer").because(error)
    })
}
