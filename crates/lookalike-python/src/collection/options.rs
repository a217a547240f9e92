//! Converts the keywords of a run to the engine's configuration. The keywords are parsed as the command's flags, so they have the
//! same values and defaults.

use std::ffi::OsString;

use lookalike::Method;
use lookalike_cli::asked::{self, Refused};
use lookalike_engine::{Auditing, Cards, Cutting, Link, Mirroring, Outputs, RunConfig};
use pyo3::{prelude::*, types::PyDict};
use serde_json::{Map, Value};

use crate::{
    config::{laid_over, not_asked, object, parted},
    error::{refused, refused_option},
};

/// The configuration of a run, and its outputs.
pub struct Options {
    pub run: RunConfig,
    pub outputs: Outputs,
    /// Whether `apply` decides from a list of pairs.
    pub listed: bool,
}

impl Options {
    /// Reads the keywords of `dedup`, `pairs` or `apply`, or those of `mirrors` with [`Self::of_mirrors`]. They include `inputs` and
    /// `against`, which are the names of the inputs and references that the run reads.
    ///
    /// # Errors
    /// Fails with `ConfigError` or, if the core reports an error, with the matching exception.
    pub fn of(command: &str, keywords: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut fields = object(keywords)?;
        let several = ["and_field", "or_field"].map(|name| each(&mut fields, name));
        let mut parted = Parted::of(fields)?;
        parted.flags.extend(several.concat());
        if command == "dedup" || command == "pairs" {
            // Data in memory cannot be given as a flag, but some flags require `--against`. This placeholder satisfies them.
            parted.flags.push("--against=-".into());
        }
        let mut listed = false;
        let (run, outputs) = match command {
            "dedup" => parted.asked(&["--", "-"], asked::dedup)?,
            "pairs" => parted.asked(&["--", "-"], |flags| {
                Ok((asked::pairs(flags)?, Outputs::default()))
            })?,
            // This command also applies pairs. Its first positional argument is the decisions file.
            _ => {
                let (run, outputs) = parted.asked(&["--", "-", "-"], asked::apply)?;
                listed = outputs.is_some();
                (run, outputs.unwrap_or_default())
            }
        };
        Ok(Self {
            run,
            outputs,
            listed,
        })
    }

    /// Reads the keywords of `mirrors`.
    ///
    /// # Errors
    /// Fails in the same cases as [`Self::of`].
    pub fn of_mirrors(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Mirroring)> {
        let parted = Parted::of(object(keywords)?)?;
        // Data in memory cannot be given as an argument, and the outputs are not flags, but some flags require a second collection or
        // an output. These placeholders satisfy them.
        parted.asked(&["--pages=-", "--", "-", "-"], asked::mirrors)
    }

    /// Reads the keywords of `cut`.
    ///
    /// # Errors
    /// Fails in the same cases as [`Self::of`].
    pub fn of_cut(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Cutting)> {
        Parted::of(object(keywords)?)?.asked(&["--", "-"], asked::cut)
    }

    /// Reads the keywords of `link`. The request has no fields and blocks.
    ///
    /// # Errors
    /// Fails in the same cases as [`Self::of`].
    pub fn of_link(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Link)> {
        let mut fields = object(keywords)?;
        if let Some(label) = fields.remove("labels") {
            fields.insert("label".into(), label);
        }
        if let Some(Value::Bool(is)) = fields.get("one_to_one") {
            fields.insert("one_to_one".into(), if *is { "yes" } else { "no" }.into());
        }
        let parted = Parted::of(fields)?;
        // Data in memory cannot be given as an argument, and a configuration need not be a file. These placeholders satisfy the
        // parser.
        only_flags("link", &parted.own)?;
        parted.asked(&["--config=-", "--", "-"], asked::link)
    }

    /// Reads the keywords of `minutiae`.
    ///
    /// # Errors
    /// Fails in the same cases as [`Self::of`].
    pub fn of_minutiae(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Cards)> {
        let mut fields = object(keywords)?;
        for (keyword, flag) in [("minutiae", "minutiae_field"), ("labels", "label")] {
            if let Some(field) = fields.remove(keyword) {
                fields.insert(flag.into(), field);
            }
        }
        let parted = Parted::of(fields)?;
        only_flags("minutiae", &parted.own)?;
        // Prints in memory cannot be given as an argument, but the command requires one.
        parted.asked(&["--", "-"], asked::minutiae)
    }

    /// Reads the keywords of `audit`. They include `result`, which has the names of the result.
    ///
    /// # Errors
    /// Fails in the same cases as [`Self::of`].
    pub fn of_audit(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Auditing)> {
        let mut fields = object(keywords)?;
        let results = names(&mut fields, "result");
        if let Some(kind) = fields.remove("kind") {
            fields.insert("result".into(), kind);
        }
        // The command requires texts and a result.
        let (run, mut asked) =
            Parted::of(fields)?.asked(&["--texts=-", "--", "-"], asked::audit)?;
        asked.result.names = results;
        Ok((run, asked))
    }
}

/// The parts of keywords: the names of inputs and references, the command's flags, and fields of the core's configuration.
struct Parted {
    inputs: Vec<String>,
    against: Vec<String>,
    flags: Vec<OsString>,
    own: Map<String, Value>,
}

impl Parted {
    fn of(mut fields: Map<String, Value>) -> PyResult<Self> {
        let (inputs, against) = (names(&mut fields, "inputs"), names(&mut fields, "against"));
        let commands = each(&mut fields, "input_command");
        fields_of_records(&mut fields);
        let (mut flags, own) = parted(fields)?;
        flags.extend(commands);
        Ok(Self {
            inputs,
            against,
            flags,
            own,
        })
    }

    /// Returns what the command makes of the flags and of `more`, with these inputs, references and fields.
    fn asked<T>(
        mut self,
        more: &[&str],
        ask: impl FnOnce(Vec<OsString>) -> Result<(RunConfig, T), Refused>,
    ) -> PyResult<(RunConfig, T)> {
        self.flags.extend(more.iter().map(OsString::from));
        let (run, asked) = ask(self.flags).map_err(not_asked)?;
        let method = laid_over(run.method, self.own)?;
        Method::new(method.clone()).map_err(refused)?;
        let run = RunConfig {
            inputs: self.inputs,
            against: self.against,
            method,
            ..run
        };
        Ok((run, asked))
    }
}

/// Refuses keywords that are no flags of a function.
///
/// # Errors
/// Fails with `ConfigError`, which names the keyword.
fn only_flags(function: &str, own: &Map<String, Value>) -> PyResult<()> {
    let refused = |(name, value): (&String, &Value)| {
        refused_option(
            name,
            format!("{name}= cannot be {value}; see help(lookalike.{function})"),
        )
    };
    own.iter()
        .next()
        .map_or(Ok(()), |field| Err(refused(field)))
}

/// Removes a field that is a list, and returns a flag for each element.
fn each(fields: &mut Map<String, Value>, name: &str) -> Vec<OsString> {
    let flag = name.replace('_', "-");
    let of = |value| format!("--{flag}={value}").into();
    names(fields, name).into_iter().map(of).collect()
}

/// Removes a field that is a list of names, and returns the names. A single name counts as a list of one.
pub fn names(fields: &mut Map<String, Value>, name: &str) -> Vec<String> {
    match fields.remove(name) {
        Some(Value::Array(several)) => several
            .into_iter()
            .filter_map(|one| Some(one.as_str()?.to_owned()))
            .collect(),
        Some(Value::String(one)) => vec![one],
        _ => Vec::new(),
    }
}

/// Replaces the keywords `id` and `text`, which name the fields of a record, with the names of the command's flags.
pub fn fields_of_records(fields: &mut Map<String, Value>) {
    if let Some(id) = fields.remove("id") {
        fields.insert("id_field".into(), id);
    }
    let text = fields.remove("text");
    if fields.get("tokens").and_then(Value::as_str) == Some("items") {
        fields.remove("tokens");
        fields
            .entry("set_field")
            .or_insert_with(|| text.unwrap_or_else(|| "text".into()));
    } else if let (Some(text), false) = (text, fields.contains_key("set_field")) {
        fields.insert("text_field".into(), text);
    }
}
