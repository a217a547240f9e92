//! One structure for a run, whatever front it was asked for by; today that is the command's flags.

use std::{
    num::NonZeroUsize,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use lookalike::{Config, cluster::Keep};
use lookalike_io::{
    disk::{File, WINDOW},
    error::{Error, ErrorKind, Result, Setting},
    format::{Format, Html},
    input_table::InputTable,
    memory::free_memory,
    read::{self, Expanded, Input, Inputs},
    spill::Budget,
    store,
    write::LEAST_AHEAD,
};
use serde::Serialize;

/// All that decides a run.
#[derive(Debug, Clone)]
pub struct RunConfig {
    /// Files, folders, globs, or `-` for standard input, in order.
    pub inputs: Vec<String>,
    /// Commands for the shell whose output is an input, behind the others: run once for each pass, with the same output.
    pub input_commands: Vec<String>,
    /// Tables in memory, inputs behind the others.
    pub tables: Vec<InputTable>,
    /// References, named as inputs are: [`dedup`](crate::dedup()) compares the inputs with their documents too, which come first
    /// in keep order, are all kept, and are neither written nor decided about; [`pairs`](crate::pairs()) gives the pairs of a
    /// reference document and another. Nothing else reads them.
    pub against: Vec<String>,
    /// Tables in memory, references behind the others.
    pub against_tables: Vec<InputTable>,
    /// Compare with references only: no two documents of the inputs with each other.
    pub against_only: bool,
    /// Where containment is measured: a document goes for a reference document that it contains, as a training text for a test
    /// item, and not for one that contains it.
    pub drop_holders: bool,
    /// How documents are compared.
    pub method: Config,
    /// Which document of a group stays; none for the first, or for containment the longest.
    pub keep: Option<Keep>,
    /// Of folders, leave out what `.gitignore` files say.
    pub gitignore: bool,
    /// Read all splits of a data set, such as train and test, that a folder holds; else such a folder is refused as an input.
    pub all_splits: bool,
    /// What all inputs hold; none for what their names and first bytes say.
    pub format: Option<Format>,
    /// The character between the fields of CSV; none for what a file's ending or header says.
    pub delimiter: Option<u8>,
    /// Texts are pages of HTML, and this is what is taken of them; of files that are pages all that is to be seen unless it is said.
    pub html: Option<Html>,
    /// The label of the encoding of CSV and documents that is not UTF-8.
    pub encoding: Option<String>,
    /// The field with the text.
    pub text_field: String,
    /// The field with the id.
    pub id_field: String,
    /// The most matches that [`pairs`](crate::pairs()) lists of each document, the most similar ones; none for all pairs, each once.
    /// A run has no other use for it.
    pub nearest: Option<NonZeroUsize>,
    /// The field with a label, equal for documents that belong together: what [`enrol`](crate::enrol) gives as groups. A run
    /// has no other use for it.
    pub label_field: Option<String>,
    /// Let equal ids pass.
    pub allow_repeated_ids: bool,
    /// Where bad lines go; without it the first one stops the run.
    pub skip_bad: Option<PathBuf>,
    /// The file in which the caller puts the run's summary when the run is done ([`LateOutput`](crate::LateOutput)). The run does not write it, and
    /// refuses it where it would overwrite an input or another output.
    pub summary: Option<PathBuf>,
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// Bytes of memory that the run may take; none for half of what is free. Beyond it what a run holds goes to temporary files.
    /// Less than 64 MB cannot be kept.
    pub memory: Option<u64>,
    /// Where temporary files go.
    pub temp_dir: PathBuf,
    /// Where [`dedup`](crate::dedup()) keeps what it has done, so that another run can go on from there; none for a run that begins
    /// anew whenever it is begun.
    pub resume: Option<Resume>,
    /// Kept documents of a bucket from which on it is looked through by an index: no answer depends on it, so it is for tests.
    #[doc(hidden)]
    pub crowd: usize,
}

/// How a run can be continued.
#[derive(Debug, Clone)]
pub struct Resume {
    /// The folder of its state: new, empty, or with the state of an earlier run of the same configuration over the same inputs,
    /// which is then continued. A run that comes to its end takes its files away again.
    pub folder: PathBuf,
    /// Bytes of input after which what was done is brought to the disk.
    pub part: u64,
}

impl Resume {
    /// A state in a folder, brought to the disk every 256 MiB of input. Also every ten seconds, whatever was read.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), part: 256 << 20 }
    }
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            input_commands: Vec::new(),
            tables: Vec::new(),
            against: Vec::new(),
            against_tables: Vec::new(),
            against_only: false,
            drop_holders: false,
            method: Config::default(),
            keep: None,
            gitignore: false,
            all_splits: false,
            format: None,
            delimiter: None,
            encoding: None,
            html: None,
            text_field: "text".into(),
            id_field: "id".into(),
            nearest: None,
            label_field: None,
            allow_repeated_ids: false,
            skip_bad: None,
            summary: None,
            threads: 0,
            memory: None,
            temp_dir: std::env::temp_dir(),
            resume: None,
            crowd: CROWD,
        }
    }
}

/// Kept documents of a bucket from which on an index is worth it: asking one costs some 5 µs for a text of 300 shingles, each
/// document of a bucket 5 ns where the b-bit sketches differ and 2 µs where they agree.
const CROWD: usize = 256;

/// What a run takes besides what grows with its documents: the program, blocks that are read and written, buffers.
const FIXED: u64 = 56 << 20;
const FIXED_PER_THREAD: u64 = 8 << 20;

/// Windows of an output that may wait for the disk where there is memory. Lines come in bursts, and none while a round is being decided: with 16 the disk
/// goes on meanwhile, and a run over a gigabyte takes a tenth less; 32 are no better.
const FAR_AHEAD: usize = 16;

/// Bytes of a run's memory for each window that may wait.
const MEMORY_A_WINDOW: u64 = 64 << 20;

/// Windows that a large output of a run with so much memory may have waiting.
pub(crate) fn windows_ahead(memory: u64) -> usize {
    ((memory / MEMORY_A_WINDOW) as usize).clamp(LEAST_AHEAD, FAR_AHEAD)
}

/// Bytes of a run's memory for each row group of a table that is encoded beside others.
const MEMORY_A_GROUP: u64 = 512 << 20;

/// Row groups that a table's output has in memory, at most: one a thread is enough.
pub(crate) fn row_groups_ahead(memory: u64, threads: usize) -> usize {
    ((memory / MEMORY_A_GROUP) as usize).clamp(1, threads)
}

/// Where the system does not tell what is free.
const USUAL_MEMORY: u64 = 2 << 30;

impl RunConfig {
    /// What the run's stores may hold, when it writes these outputs; reading and writing take so many bytes `besides` what they
    /// usually do, of all that the run may take.
    ///
    /// # Errors
    /// A folder for temporary files that was named, and where none can be made: told now, and not when memory is full, hours later.
    pub(crate) fn budget(&self, threads: usize, outputs: &[&Path], besides: impl FnOnce(u64) -> u64) -> Result<Arc<Budget>> {
        if self.temp_dir != std::env::temp_dir() {
            File::temporary(&self.temp_dir).map_err(|error| Error::temporary(&self.temp_dir, &error))?;
        }
        let memory = self.memory.unwrap_or_else(|| free_memory().map_or(USUAL_MEMORY, |free| free / 2));
        // Of kept lines and of decisions.
        let ahead = 2 * (windows_ahead(memory) - LEAST_AHEAD) as u64 * WINDOW as u64;
        // Each thread may have an object open, and a part of it on the way besides what all have together.
        let remote = self.inputs.iter().chain(&self.against).any(|name| store::is_url(name));
        let fetched = if remote { store::AHEAD + store::PART * threads as u64 } else { 0 };
        let uploads = outputs.iter().filter(|path| path.to_str().is_some_and(store::is_url)).count() as u64;
        let sent = uploads * store::UPLOAD_PART * (store::UPLOADS + 1);
        let budget = Budget::of(
            memory,
            FIXED + FIXED_PER_THREAD * threads as u64 + ahead + fetched + sent + besides(memory),
            &self.temp_dir,
        );
        log::info!(
            "threads: {threads}; memory: {:.1} MB, {:.1} MB of it for what grows with the documents",
            memory as f64 / 1e6,
            budget.limit() as f64 / 1e6
        );
        Ok(budget)
    }

    /// Refuses folders that are URLs: what a run keeps for itself, it keeps on this machine.
    ///
    /// # Errors
    /// Names the first.
    pub(crate) fn refuse_remote_folders(&self) -> Result<()> {
        store::refuse_url(Setting::TempDir, "folder", &self.temp_dir)?;
        self.resume.as_ref().map_or(Ok(()), |resume| store::refuse_url(Setting::Resume, "folder", &resume.folder))
    }

    /// The inputs in the order given, commands behind them, tables last; inside a folder or a glob in the order of names.
    ///
    /// # Errors
    /// A name that nothing has, or that stands twice; a folder of the run's own that is a URL.
    pub(crate) fn expand(&self) -> Result<Vec<Input>> {
        // Before anything is read or made.
        self.refuse_remote_folders()?;
        read::expand(self.asked())
    }

    /// The references, and behind them the inputs.
    ///
    /// # Errors
    /// As [`Self::expand`]; what is both a reference and an input.
    pub(crate) fn expand_with_references(&self) -> Result<Expanded> {
        self.refuse_remote_folders()?;
        read::expand_with_references(self.asked())
    }

    fn asked(&self) -> Inputs<'_> {
        Inputs {
            names: &self.inputs,
            commands: &self.input_commands,
            tables: &self.tables,
            against: &self.against,
            against_tables: &self.against_tables,
            format: self.format,
            gitignore: self.gitignore,
            all_splits: self.all_splits,
        }
    }

    /// Whether there are references.
    pub(crate) fn has_references(&self) -> bool {
        !self.against.is_empty() || !self.against_tables.is_empty()
    }

    /// Which document of a group stays. Of texts that contain each other it is the whole that should, not the excerpt. Where
    /// they are not compared with each other, it does not matter.
    pub fn keep(&self) -> Keep {
        self.keep.clone().unwrap_or(match self.against_only {
            true => Keep::First,
            false => Keep::usual(self.method.measure),
        })
    }
}

/// Where a run has got to, for a progress bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Bytes of the input files, or documents, done.
    pub done: u64,
    /// Of how many; 0 when nobody knows.
    pub total: u64,
    /// What the run will take, told once in the first pass and once in the one that settles, early, where the size of the input is
    /// known.
    pub estimate: Option<Estimate>,
}

impl Progress {
    pub(crate) fn new(stage: Stage, done: u64, total: u64) -> Self {
        Self { stage, done, total, estimate: None }
    }

    /// Tells the observer.
    ///
    /// # Errors
    /// The observer wants the run no more.
    pub(crate) fn tell(self, observer: Observer) -> Result<()> {
        match observer(self) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::new(ErrorKind::Interrupted, "interrupted")),
        }
    }
}

/// What a run will take, by what the first seconds of a pass took. Rough: how much is alike is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// In the first pass, seconds from start to end; in the one that settles, those that it still takes.
    pub seconds: u64,
    /// Documents.
    pub documents: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of temporary files.
    pub disk: u64,
}

/// The passes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// First pass: every text to its sketch. In bytes.
    Sketching,
    /// Band keys to buckets. In bands.
    Pairing,
    /// Shared fingerprints counted. In documents.
    Counting,
    /// Second pass: the shingle sets of documents that may match. In bytes.
    Loading,
    /// Second pass where input order is keep order: sets made, decided about, kept lines written. In bytes.
    Settling,
    /// Going down keep order. In documents.
    Deciding,
    /// All documents against a sample of them. In bytes.
    Comparing,
    /// Last pass: writing. In bytes.
    Writing,
    /// Records read for their fields. In bytes.
    Gathering,
    /// Candidate pairs of records scored, of one key of a block. In pairs.
    Scoring,
}

/// Is told where a run has got to, and says whether it goes on; called often, from any thread. Where it says
/// [`Break`](ControlFlow::Break) the run ends with an error of the kind [`Interrupted`](lookalike_io::error::ErrorKind::Interrupted),
/// and leaves nothing behind.
pub type Observer<'a> = &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync);

/// An observer that ignores progress and never ends the run.
pub const UNOBSERVED: Observer<'static> = &|_| ControlFlow::Continue(());
