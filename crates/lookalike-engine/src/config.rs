//! Defines the configuration of a run, which the command and the Python package fill in.

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
    format::{Format, Html, OutputFormat},
    input_table::InputTable,
    memory::free_memory,
    read::{self, Expanded, Input, StoredRecords},
    spill::Budget,
    store, words,
    write::{LEAST_AHEAD, Limit},
};
use lookalike_options::{
    Delimiter, Execution, Floor, Inputs, MoreFields, Page, RecordFiles, References, ReportPage,
    SavedProgress, Size,
};
use serde::Serialize;

/// Everything that determines a run.
#[derive(Debug, Clone)]
pub struct RunConfig {
    /// Files, folders, globs, or `-` for standard input, in order.
    pub inputs: Vec<String>,
    /// Shell commands. The output of each command is an input, and is read after the files, folders and globs. Each command runs
    /// once per pass and must print the same output every time.
    pub input_commands: Vec<String>,
    /// In-memory tables. They are inputs too, and are read after all other inputs.
    pub tables: Vec<InputTable>,
    /// References, named in the same way as inputs. [`dedup`](crate::dedup()) also compares the inputs with the documents of
    /// references. Reference documents come first in keep order (the order in which documents are considered) and are all kept.
    /// They are not written to the outputs, and no decision is made about them. [`pairs`](crate::pairs()) lists the pairs that
    /// consist of a reference document and a document of the inputs. `mirrors` and `passages` also compare references with
    /// inputs, and [`link`](crate::link()) links them. Runs of other kinds do not read references.
    pub against: Vec<String>,
    /// In-memory tables. They are references too, and are read after all other references.
    pub against_tables: Vec<InputTable>,
    /// Records that another part of the program stores, such as an index. They are references too, and are read after all other
    /// references.
    pub against_stored: Vec<Arc<dyn StoredRecords>>,
    /// Compare with references only: no two documents of the inputs are compared with each other.
    pub against_only: bool,
    /// Drop a document that contains a reference document, such as a training text that contains a test item. A document that is
    /// contained in a reference document is then not dropped. This setting requires that containment is counted exactly.
    pub drop_holders: bool,
    /// How documents are compared.
    pub method: Config,
    /// Which document of a group is kept. With `None` it is the first document or, if containment is measured, the longest
    /// document.
    pub keep: Option<Keep>,
    /// The greatest number of documents that [`dedup`](crate::dedup()) keeps of each group of several documents. The law keeps 1. With 0,
    /// all documents that have a duplicate are dropped. With more, the first documents of each group in keep order are kept. References
    /// count as documents of their groups.
    pub keep_per_group: u32,
    /// Skip the files that `.gitignore` files exclude, when inputs are folders.
    pub gitignore: bool,
    /// Read all splits of a data set that a folder holds, such as train and test. Without this setting, such a folder is refused
    /// as an input.
    pub all_splits: bool,
    /// The format of all inputs; `None` to detect it from names and first bytes.
    pub format: Option<Format>,
    /// The character between the fields of CSV; `None` to detect it from a file's extension or header.
    pub delimiter: Option<u8>,
    /// Treat texts as HTML and extract this part of them. By default, the visible text is extracted from files that are HTML
    /// pages.
    pub html: Option<Html>,
    /// The label of the encoding of CSV and document files, if it is not UTF-8.
    pub encoding: Option<String>,
    /// The field with the text.
    pub text_field: String,
    /// The field of references with the text; `None` for that of the inputs.
    pub against_text_field: Option<String>,
    /// More fields with texts, for [`dedup`](crate::dedup()). Each is compared with the same field of other documents. `None` if
    /// documents are compared by one field.
    pub other_fields: Option<OtherFields>,
    /// The field with the id.
    pub id_field: String,
    /// The maximum number of matches that [`pairs`](crate::pairs()) lists for each document. The most similar matches are listed.
    /// With `None`, all pairs are listed, each once. Runs of other kinds ignore this.
    pub nearest: Option<NonZeroUsize>,
    /// The field with a label, equal for documents that belong together: [`enrol`](crate::enrol) returns these labels as groups.
    /// Runs of other kinds ignore it.
    pub label_field: Option<String>,
    /// Allow duplicate ids.
    pub allow_repeated_ids: bool,
    /// The file that receives bad lines; without it the first bad line stops the run.
    pub skip_bad: Option<PathBuf>,
    /// The file in which the caller puts the run's summary when the run is done ([`LateOutput`](crate::LateOutput)). The run
    /// itself does not write this file, but it is an error if the file would overwrite an input or another output.
    pub summary: Option<PathBuf>,
    /// The format of the records that are written. Without it, the name of an output selects the format, or it is that of the inputs.
    pub output_format: Option<OutputFormat>,
    /// The largest size of an output of records, whose name then has a number, such as `part-{:05}.jsonl`; `None` for one output, or an
    /// output for each input if its name is a folder.
    pub limit: Option<Limit>,
    /// The report that a run writes in addition to its other outputs, such as [`dedup`](crate::dedup()), [`pairs`](crate::pairs()) or
    /// [`cut`](crate::cut()); `None` for none. The first two also count documents by [`label_field`](Self::label_field).
    pub report: Option<ReportConfig>,
    /// Number of threads; 0 for one per core.
    pub threads: usize,
    /// Memory limit in bytes; `None` for half of the free memory. Data beyond it goes to temporary files. A limit below 64 MB
    /// cannot be met.
    pub memory: Option<u64>,
    /// The folder for temporary files.
    pub temp_dir: PathBuf,
    /// Where [`dedup`](crate::dedup()) and [`cut`](crate::cut()) save their progress, so that another run can resume from there; `None`
    /// for a run that always starts from the beginning.
    pub resume: Option<Resume>,
    /// The minimum number of kept documents in a bucket that is searched with an index. The number does not change which
    /// documents are kept or which pairs are listed. The field exists for tests, which need small buckets with an index.
    #[doc(hidden)]
    pub crowd: usize,
    /// The number of bytes in a block of lines; `None` for the usual number. The field exists for tests, which need many blocks of few
    /// lines.
    #[doc(hidden)]
    pub block: Option<usize>,
}

/// What to write. No output appears under its name before all outputs are complete.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// The kept records: an output, where `-` is standard output; a folder, which gets an output for each input, or copies of the kept
    /// documents; or numbered outputs, if the configuration has a [limit](RunConfig::limit).
    pub kept: Option<PathBuf>,
    /// Write every record to the `kept` output, not only the kept records, and add four fields to each. The name of each field is
    /// this prefix followed by `cluster`, `verdict`, `representative` or `similarity`.
    pub label: Option<String>,
    /// The decisions; `-` for standard output. The decisions are written as a table if the name has the extension of a table
    /// (`.parquet`, `.arrow`, `.arrows`), and otherwise as JSON Lines.
    pub decisions: Option<PathBuf>,
    /// Check that all outputs can be written, but write nothing.
    pub dry_run: bool,
}

/// Fields that are compared in addition to the field with the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherFields {
    /// The names of the fields.
    pub names: Vec<String>,
    /// In which of all fields two documents must be similar.
    pub similar: SimilarIn,
    /// If they must be similar in each: the field in which pairs are found first, where 0 is the text field; `None` for the field with
    /// the fewest. Answers do not depend on it. Only tests set it.
    pub enumerated: Option<usize>,
}

/// In which of several fields two documents must be similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SimilarIn {
    /// In each of them: the similarity of two documents is the least of the similarities of their fields.
    Each,
    /// In at least one of them: the similarity of two documents is the greatest of the similarities of their fields.
    Any,
}

/// A report: one HTML file that shows the groups, the pairs and the texts of a run. It opens from disk, without a network.
#[derive(Debug, Clone)]
pub struct ReportConfig {
    /// The file; `-` for standard output.
    pub path: PathBuf,
    /// The least similarity of the pairs in the report of [`dedup`](crate::dedup()), down to which the threshold can be moved in
    /// the page; `None` for 0.2 below the threshold. These pairs are found in a pass of their own.
    pub floor: Option<f64>,
}

/// How a run can be resumed.
#[derive(Debug, Clone)]
pub struct Resume {
    /// The folder of the run's state. The folder does not exist yet, is empty, or contains the state of an earlier run with the
    /// same configuration and the same inputs; that run is then resumed. When a run completes, it deletes its files in the
    /// folder.
    pub folder: PathBuf,
    /// Progress is synced to the disk each time this number of input bytes has been read.
    pub part: u64,
}

impl Resume {
    /// Returns settings that save the state in this folder. Progress is synced to the disk every 256 MiB of input, and also every
    /// ten seconds if less was read.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            part: 256 << 20,
        }
    }
}

impl Resume {
    /// Returns how a run with these options can be resumed.
    pub(crate) fn of(saved: &SavedProgress) -> Option<Self> {
        saved.resume.as_ref().map(|folder| {
            let usual = Self::in_folder(folder);
            Self {
                part: saved.resume_part.unwrap_or(usual.part),
                ..usual
            }
        })
    }
}

impl OtherFields {
    /// Returns the fields that the options name, if there are any.
    pub(crate) fn of(fields: &MoreFields) -> Option<Self> {
        let (names, similar) = match (&*fields.and_field, &*fields.or_field) {
            ([], []) => return None,
            ([], names) => (names, SimilarIn::Any),
            (names, _) => (names, SimilarIn::Each),
        };
        Some(Self {
            names: names.to_vec(),
            similar,
            enumerated: None,
        })
    }
}

impl ReportConfig {
    /// Returns the report that the options name, if there is one.
    pub fn at(page: &Page) -> Option<Self> {
        page.report.clone().map(|path| Self { path, floor: None })
    }

    /// Returns the report that the options name, if there is one, of a run with this method.
    ///
    /// # Errors
    /// Fails if the floor is not above 0 and at most the threshold.
    pub(crate) fn of(page: &ReportPage, floor: &Floor, method: &Config) -> Result<Option<Self>> {
        let (floor, threshold) = (floor.report_floor, method.threshold);
        if let Some(floor) = floor.filter(|floor| !(*floor > 0.0 && *floor <= threshold)) {
            let range =
                format!(" must be above 0 and at most the threshold {threshold}, got {floor}");
            return Err(Error::new(
                ErrorKind::Config,
                words!["$report_floor", range],
            ));
        }
        Ok(page.report.clone().map(|path| Self { path, floor }))
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
            against_stored: Vec::new(),
            against_only: false,
            drop_holders: false,
            method: Config::default(),
            keep: None,
            keep_per_group: 1,
            gitignore: false,
            all_splits: false,
            format: None,
            delimiter: None,
            encoding: None,
            html: None,
            text_field: "text".into(),
            against_text_field: None,
            other_fields: None,
            id_field: "id".into(),
            nearest: None,
            label_field: None,
            allow_repeated_ids: false,
            skip_bad: None,
            summary: None,
            output_format: None,
            limit: None,
            report: None,
            threads: 0,
            memory: None,
            temp_dir: std::env::temp_dir(),
            resume: None,
            crowd: CROWD,
            block: None,
        }
    }
}

/// The minimum number of kept documents in a bucket for which an index is worthwhile. An index query costs about 5 µs for a text
/// of 300 shingles. Without an index, the text is compared with each kept document of the bucket, which costs 5 ns if the b-bit
/// sketches of the two differ and 2 µs if they agree.
const CROWD: usize = 256;

/// The part of a run's memory that does not grow with the number of documents: the program, blocks that are read and written,
/// buffers.
const FIXED: u64 = 56 << 20;
const FIXED_PER_THREAD: u64 = 8 << 20;

/// The maximum number of windows (write buffers) of an output that may wait for the disk if there is enough memory. Lines are
/// produced in bursts, and no lines are produced while the documents of a round (several blocks of the input) are being decided.
/// With 16 windows the disk keeps writing during that time, and a run over a gigabyte takes a tenth less time. With 32 windows
/// the run is no faster.
const FAR_AHEAD: usize = 16;

/// The memory limit is divided by this number of bytes to get the number of an output's windows (write buffers) that may wait for
/// the disk.
const MEMORY_PER_WINDOW: u64 = 64 << 20;

/// Returns how many windows (write buffers) of a large output may wait for the disk, given the run's memory limit.
pub(crate) fn windows_ahead(memory: u64) -> usize {
    ((memory / MEMORY_PER_WINDOW) as usize).clamp(LEAST_AHEAD, FAR_AHEAD)
}

/// The memory limit is divided by this number of bytes to get the number of a table's row groups that are encoded in parallel.
const MEMORY_PER_GROUP: u64 = 512 << 20;

/// Returns how many row groups a table's output may have in memory: at most one per thread, because more would not make the
/// output faster.
pub(crate) fn row_groups_ahead(memory: u64, threads: usize) -> usize {
    ((memory / MEMORY_PER_GROUP) as usize).clamp(1, threads)
}

/// The memory limit if the system does not report how much memory is free.
const USUAL_MEMORY: u64 = 2 << 30;

impl RunConfig {
    /// Returns the configuration of a run over these inputs.
    pub fn of(inputs: &Inputs, execution: &Execution, method: Config) -> Self {
        let records = &inputs.records;
        Self {
            inputs: inputs.inputs.clone(),
            input_commands: inputs.input_command.clone(),
            method,
            format: records.format,
            gitignore: records.gitignore,
            html: records.html,
            text_field: records.fields.text().into(),
            id_field: records.fields.id().into(),
            skip_bad: records.skip_bad.clone(),
            ..Self::reading(&records.files, execution)
        }
    }

    /// Returns the configuration of a run that reads such files.
    pub(crate) fn reading(files: &RecordFiles, execution: &Execution) -> Self {
        let usual = Self::default();
        Self {
            all_splits: files.all_splits,
            delimiter: files.delimiter.map(|Delimiter(byte)| byte),
            encoding: files.encoding.clone(),
            allow_repeated_ids: files.allow_repeated_ids,
            summary: execution.summary.clone(),
            threads: execution.threads.unwrap_or(usual.threads),
            memory: execution.memory.map(|Size(bytes)| bytes),
            temp_dir: execution.temp_dir.clone().unwrap_or(usual.temp_dir),
            ..usual
        }
    }

    /// Returns the configuration of a run over these inputs, which are compared with references.
    pub(crate) fn against(
        references: &References,
        inputs: &Inputs,
        execution: &Execution,
        method: Config,
    ) -> Self {
        Self {
            against: references.against.clone(),
            against_text_field: references.against_text_field.clone(),
            ..Self::of(inputs, execution, method)
        }
    }

    /// Returns the memory budget of the run's stores, for a run that writes these outputs. `extra` takes the run's memory limit,
    /// and returns how many bytes reading and writing need in addition to the bytes that this function counts.
    ///
    /// # Errors
    /// Fails if a folder for temporary files was given explicitly and no file can be created in it. The error is reported now,
    /// and not hours later when memory is full.
    pub(crate) fn budget(
        &self,
        threads: usize,
        outputs: &[&Path],
        extra: impl FnOnce(u64) -> u64,
    ) -> Result<Arc<Budget>> {
        if self.temp_dir != std::env::temp_dir() {
            File::temporary(&self.temp_dir)
                .map_err(|error| Error::temporary(&self.temp_dir, &error))?;
        }
        let memory = self
            .memory
            .unwrap_or_else(|| free_memory().map_or(USUAL_MEMORY, |free| free / 2));
        // Two outputs may have windows (write buffers) that wait for the disk: the kept lines and the decisions.
        let ahead = 2 * (windows_ahead(memory) - LEAST_AHEAD) as u64 * WINDOW as u64;
        // Each thread may have one remote object open, and may be transferring one part of it. The memory for this part is needed
        // in addition to the memory that all threads share.
        let remote = self
            .inputs
            .iter()
            .chain(&self.against)
            .any(|name| store::is_url(name));
        let fetched = if remote {
            store::AHEAD + store::PART * threads as u64
        } else {
            0
        };
        let uploads = outputs
            .iter()
            .filter(|path| path.to_str().is_some_and(store::is_url))
            .count() as u64;
        let sent = uploads * store::UPLOAD_PART * (store::UPLOADS + 1);
        let budget = Budget::of(
            memory,
            FIXED + FIXED_PER_THREAD * threads as u64 + ahead + fetched + sent + extra(memory),
            &self.temp_dir,
        );
        log::info!(
            "threads: {threads}; memory: {:.1} MB, {:.1} MB of it for data that grows with the documents",
            memory as f64 / 1e6,
            budget.limit() as f64 / 1e6
        );
        Ok(budget)
    }

    /// Checks that none of the run's own folders is a URL: the run's internal files must be on this machine.
    ///
    /// # Errors
    /// Fails if one of these folders is a URL. The error names the first such folder.
    pub(crate) fn refuse_remote_folders(&self) -> Result<()> {
        store::refuse_url(Setting("temp_dir"), "folder", &self.temp_dir)?;
        self.resume.as_ref().map_or(Ok(()), |resume| {
            store::refuse_url(Setting("resume"), "folder", &resume.folder)
        })
    }

    /// Returns the inputs in the order given, then commands, then tables. The files of a folder or a glob are in the order of
    /// their names.
    ///
    /// # Errors
    /// Fails if a name does not exist or occurs twice, or if one of the run's own folders is a URL.
    pub(crate) fn expand(&self) -> Result<Vec<Input>> {
        // The folders are checked before anything is read or created.
        self.refuse_remote_folders()?;
        read::expand(self.asked())
    }

    /// Returns the references, followed by the inputs.
    ///
    /// # Errors
    /// Fails for the same reasons as [`Self::expand`]; also if a file or table is named both as a reference and as an input.
    pub(crate) fn expand_with_references(&self) -> Result<Expanded> {
        self.refuse_remote_folders()?;
        read::expand_with_references(self.asked())
    }

    /// Returns the inputs of several collections, and the number of inputs of each.
    ///
    /// # Errors
    /// Fails for the same reasons as [`Self::expand`].
    pub(crate) fn expand_collections(
        &self,
        collections: &[(&[String], &[InputTable])],
    ) -> Result<(Expanded, Vec<usize>)> {
        self.refuse_remote_folders()?;
        read::expand_collections(self.asked(), collections)
    }

    fn asked(&self) -> read::Inputs<'_> {
        read::Inputs {
            names: &self.inputs,
            commands: &self.input_commands,
            tables: &self.tables,
            against: &self.against,
            against_tables: &self.against_tables,
            against_stored: &self.against_stored,
            format: self.format,
            gitignore: self.gitignore,
            all_splits: self.all_splits,
        }
    }

    /// Returns whether there are references.
    pub(crate) fn has_references(&self) -> bool {
        !self.against.is_empty()
            || !self.against_tables.is_empty()
            || !self.against_stored.is_empty()
    }

    /// Returns which document of a group is kept. If containment is measured, the default is the longest document, so that the
    /// whole text is kept rather than an excerpt. If the inputs are not compared with each other, the choice does not matter.
    pub fn keep(&self) -> Keep {
        self.keep.clone().unwrap_or(if self.against_only {
            Keep::First
        } else {
            Keep::usual(self.method.measure)
        })
    }
}

/// The progress of a run, for a progress bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// Bytes of the input files, or documents, that have been processed.
    pub done: u64,
    /// The total number of bytes or documents; 0 if it is unknown.
    pub total: u64,
    /// An estimate of the time, memory and disk space that the run will take. If the size of the input is known, the estimate is
    /// reported early: once in the first pass, and once in the pass that decides.
    pub estimate: Option<Estimate>,
}

impl Progress {
    pub(crate) fn new(stage: Stage, done: u64, total: u64) -> Self {
        Self {
            stage,
            done,
            total,
            estimate: None,
        }
    }

    /// Reports this progress to the observer.
    ///
    /// # Errors
    /// Fails if the observer cancelled the run.
    pub(crate) fn tell(self, observer: Observer) -> Result<()> {
        match observer(self) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::new(ErrorKind::Interrupted, "interrupted")),
        }
    }
}

/// The time, memory and disk space that a run will take, extrapolated from the beginning of a pass. The estimate is rough,
/// because it is not known yet how similar the documents are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// In the first pass, the run's total time in seconds; in the pass that decides, the remaining time in seconds.
    pub seconds: u64,
    /// Documents.
    pub documents: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of temporary files.
    pub disk: u64,
}

/// The passes of a run, and the unit in which the progress of each is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// First pass: computes every text's sketch. Measured in bytes.
    Sketching,
    /// Groups keys, such as those of bands, into buckets, and finds the documents that may match. Measured in steps: two for each
    /// column of keys.
    Pairing,
    /// Counts shared fingerprints. Measured in documents.
    Counting,
    /// Second pass: loads the shingle sets of documents that may match. Measured in bytes.
    Loading,
    /// Second pass of a run that considers documents in input order: makes shingle sets, decides which documents are kept, and
    /// writes kept lines. Measured in bytes.
    Streaming,
    /// Decides which documents are kept, in keep order. Measured in documents.
    Deciding,
    /// Compares all documents with a sample of the documents. Measured in bytes.
    Comparing,
    /// Reads the units of texts, and cuts repeated passages. Measured in bytes.
    Cutting,
    /// Finds where passages that were cut are kept. Measured in bytes.
    Locating,
    /// Last pass: writes the outputs. Measured in bytes.
    Writing,
    /// Reads records for their fields. Measured in bytes.
    Gathering,
    /// Learns how much evidence fields give, from candidate pairs of records. Measured in pairs, as [`Scoring`](Self::Scoring).
    Learning,
    /// Scores candidate pairs of records. The pairs come from columns of blocking keys (values that two records must share), one
    /// column after the other. Measured in pairs. Their number is estimated from the keys of some records, until the stage ends.
    Scoring,
}

/// A callback that receives the progress of a run and returns whether to continue. It is called often, from any thread. If it
/// returns [`Break`](ControlFlow::Break), the run ends with an error of the kind
/// [`Interrupted`](lookalike_io::error::ErrorKind::Interrupted) and leaves no files.
pub type Observer<'a> = &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync);

/// An observer that ignores progress and never cancels the run.
pub const UNOBSERVED: Observer<'static> = &|_| ControlFlow::Continue(());
