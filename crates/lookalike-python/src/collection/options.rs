//! Keywords of a run → the engine's configuration, by the names of the command's flags and with its defaults.

use std::{path::PathBuf, str::FromStr};

use lookalike::{Candidates, Config, Method, Shared, cluster::Keep, verify::Measure};
use lookalike_engine::{Format, Html, Outputs, Resume, RunConfig};
use pyo3::{prelude::*, types::PyDict};
use serde::Deserialize;

use crate::{
    config::{config, keyed, object},
    error::{raise, refused},
};

/// What decides the answer of a run, besides shingles.
pub const RUN: &[&str] = &["measure", "threshold", "recall", "candidates", "verify", "cluster"];

/// How a run is done; none of it changes what is decided about a document that is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    inputs: Vec<String>,
    against: Vec<String>,
    against_only: bool,
    drop_holders: bool,
    text: String,
    id: String,
    keep: Option<String>,
    format: Option<Format>,
    delimiter: Option<String>,
    encoding: Option<String>,
    gitignore: bool,
    html: Option<Html>,
    skip_bad: Option<PathBuf>,
    allow_repeated_ids: bool,
    threads: usize,
    memory: Option<Size>,
    temp_dir: Option<PathBuf>,
    resume: Option<PathBuf>,
    output: Option<PathBuf>,
    label: bool,
    label_prefix: String,
    decisions: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let RunConfig { against_only, drop_holders, text_field, id_field, allow_repeated_ids, threads, .. } =
            RunConfig::default();
        Self {
            inputs: Vec::new(),
            against: Vec::new(),
            against_only,
            drop_holders,
            text: text_field,
            id: id_field,
            keep: None,
            format: None,
            delimiter: None,
            encoding: None,
            gitignore: false,
            html: None,
            skip_bad: None,
            allow_repeated_ids,
            threads,
            memory: None,
            temp_dir: None,
            resume: None,
            output: None,
            label: false,
            label_prefix: String::new(),
            decisions: None,
        }
    }
}

/// Bytes, or a size in words.
#[derive(Deserialize)]
#[serde(untagged)]
enum Size {
    Bytes(u64),
    Words(String),
}

/// The least memory with which a run keeps what it is asked.
const LEAST_MEMORY: u64 = 64 * bytesize::MB;

impl Size {
    fn bytes(&self) -> PyResult<u64> {
        let bytes = match self {
            Self::Bytes(bytes) => Some(*bytes),
            Self::Words(words) => words.parse::<bytesize::ByteSize>().ok().map(|size| size.as_u64()),
        };
        bytes.filter(|&bytes| bytes >= LEAST_MEMORY).ok_or_else(|| {
            raise("ConfigError", "memory= is a number of bytes or a size such as \"512M\" or \"8G\", of 64 MB or more".into())
        })
    }
}

impl Options {
    /// Reads the keywords.
    ///
    /// # Errors
    /// `ConfigError` for a value that does not fit.
    pub fn of(keywords: &Bound<'_, PyDict>) -> PyResult<Self> {
        keyed(object(keywords)?)
    }

    /// What `dedup` writes.
    pub fn outputs(&self) -> Outputs {
        let label = self.label.then(|| self.label_prefix.clone());
        Outputs { kept: self.output.clone(), label, decisions: self.decisions.clone(), ..Outputs::default() }
    }

    /// The run's configuration, and its method checked.
    ///
    /// # Errors
    /// `ConfigError`, and the exceptions of the core's kinds.
    pub fn run(&self, of: &str, keywords: &Bound<'_, PyDict>) -> PyResult<RunConfig> {
        let mut method = config(of, RUN, Some(keywords))?;
        // As the command has it: bands find what resembles, not what contains.
        if method.measure == Measure::Containment && !keywords.contains("candidates")? {
            method.candidates = Candidates::Shared(Shared::default());
        }
        Method::new(Config { ..method.clone() }).map_err(refused)?;
        let keep = self.keep.as_deref().map(Keep::from_str).transpose();
        let keep = keep.map_err(|words| raise("ConfigError", format!("keep={words}")))?;
        let default = RunConfig::default();
        Ok(RunConfig {
            inputs: self.inputs.clone(),
            against: self.against.clone(),
            against_only: self.against_only,
            drop_holders: self.drop_holders,
            method,
            keep,
            format: self.format,
            delimiter: self.delimiter.as_deref().map(delimiter).transpose()?,
            encoding: self.encoding.clone(),
            gitignore: self.gitignore,
            html: self.html,
            text_field: self.text.clone(),
            id_field: self.id.clone(),
            allow_repeated_ids: self.allow_repeated_ids,
            skip_bad: self.skip_bad.clone(),
            threads: self.threads,
            memory: self.memory.as_ref().map(Size::bytes).transpose()?,
            temp_dir: self.temp_dir.clone().unwrap_or(default.temp_dir),
            resume: self.resume.as_ref().map(Resume::in_folder),
            ..default
        })
    }
}

fn delimiter(given: &str) -> PyResult<u8> {
    match given.as_bytes() {
        &[one] if one != b'"' && one.is_ascii() && (one == b'\t' || !one.is_ascii_control()) => Ok(one),
        _ => Err(raise("ConfigError", "delimiter= is one character of ASCII that is no quote".into())),
    }
}
