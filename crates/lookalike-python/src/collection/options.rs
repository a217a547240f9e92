//! Converts the keywords of a run to the engine's configuration. The keywords are parsed as the command's flags, so they have the
//! same values and defaults.

use std::ffi::OsString;

use lookalike::Method;
use lookalike_cli::asked;
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
        let [commands, and_fields, or_fields] =
            ["input_command", "and_field", "or_field"].map(|name| names(&mut fields, name));
        let Parted {
            inputs,
            against,
            mut flags,
            own,
        } = Parted::of(fields)?;
        let several = [("and-field", and_fields), ("or-field", or_fields)];
        let several = several
            .iter()
            .flat_map(|(name, fields)| fields.iter().map(move |field| format!("--{name}={field}")));
        flags.extend(several.map(OsString::from));
        if command == "dedup" || command == "pairs" {
            // Data in memory cannot be given as a flag, but some flags require `--against`. This placeholder satisfies them.
            flags.push("--against=-".into());
        }
        flags.extend(
            commands
                .iter()
                .map(|command| OsString::from(format!("--input-command={command}"))),
        );
        flags.extend(["--".into(), "-".into()]);
        let mut listed = false;
        let (run, outputs) = match command {
            "dedup" => asked::dedup(flags).map_err(not_asked)?,
            "pairs" => (asked::pairs(flags).map_err(not_asked)?, Outputs::default()),
            // This command also applies pairs.
            _ => {
                // The first positional argument of `apply` is the decisions file.
                flags.push("-".into());
                let (run, outputs) = asked::apply(flags).map_err(not_asked)?;
                listed = outputs.is_some();
                (run, outputs.unwrap_or_default())
            }
        };
        let method = laid_over(run.method, own)?;
        Method::new(method.clone()).map_err(refused)?;
        Ok(Self {
            run: RunConfig {
                inputs,
                against,
                method,
                ..run
            },
            outputs,
            listed,
        })
    }

    /// Reads the keywords of `mirrors`.
    ///
    /// # Errors
    /// Fails in the same cases as [`Self::of`].
    pub fn of_mirrors(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Mirroring)> {
        let Parted {
            inputs,
            against,
            mut flags,
            own,
        } = Parted::of(object(keywords)?)?;
        // Data in memory cannot be given as an argument, and the outputs are not flags, but some flags require a second collection or
        // an output. These placeholders satisfy them.
        flags.extend(["--pages=-", "--", "-", "-"].map(OsString::from));
        let (run, asked) = asked::mirrors(flags).map_err(not_asked)?;
        let method = laid_over(run.method, own)?;
        Method::new(method.clone()).map_err(refused)?;
        Ok((
            RunConfig {
                inputs,
                against,
                method,
                ..run
            },
            asked,
        ))
    }
}

impl Options {
    /// Reads the keywords of `cut`.
    ///
    /// # Errors
    /// Fails in the same cases as [`Self::of`].
    pub fn of_cut(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Cutting)> {
        let mut fields = object(keywords)?;
        let commands = names(&mut fields, "input_command");
        let Parted {
            inputs,
            against,
            mut flags,
            own,
        } = Parted::of(fields)?;
        flags.extend(
            commands
                .iter()
                .map(|command| OsString::from(format!("--input-command={command}"))),
        );
        flags.extend(["--", "-"].map(OsString::from));
        let (run, asked) = asked::cut(flags).map_err(not_asked)?;
        let method = laid_over(run.method, own)?;
        Ok((
            RunConfig {
                inputs,
                against,
                method,
                ..run
            },
            asked,
        ))
    }
}

impl Options {
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
        let Parted {
            inputs,
            against,
            mut flags,
            own,
        } = Parted::of(fields)?;
        // Data in memory cannot be given as an argument, and a configuration need not be a file. These placeholders satisfy the
        // parser.
        flags.extend(["--config=-", "--", "-"].map(OsString::from));
        only_flags("link", &own)?;
        let (run, asked) = asked::link(flags).map_err(not_asked)?;
        Ok((
            RunConfig {
                inputs,
                against,
                ..run
            },
            asked,
        ))
    }
}

impl Options {
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
        let Parted {
            inputs,
            mut flags,
            own,
            ..
        } = Parted::of(fields)?;
        only_flags("minutiae", &own)?;
        // Prints in memory cannot be given as an argument, but the command requires one.
        flags.extend(["--", "-"].map(OsString::from));
        let (run, asked) = asked::minutiae(flags).map_err(not_asked)?;
        Ok((RunConfig { inputs, ..run }, asked))
    }
}

impl Options {
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
        let Parted {
            inputs,
            mut flags,
            own,
            ..
        } = Parted::of(fields)?;
        // The command requires texts and a result.
        flags.extend(["--texts=-", "--", "-"].map(OsString::from));
        let (run, mut asked) = asked::audit(flags).map_err(not_asked)?;
        asked.result.names = results;
        let method = laid_over(run.method, own)?;
        Method::new(method.clone()).map_err(refused)?;
        Ok((
            RunConfig {
                inputs,
                method,
                ..run
            },
            asked,
        ))
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
        fields_of_records(&mut fields);
        let (flags, own) = parted(fields)?;
        Ok(Self {
            inputs,
            against,
            flags,
            own,
        })
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
