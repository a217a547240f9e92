//! Keywords of a run → the engine's configuration, by way of the command's flags, with their values and defaults.

use std::ffi::OsString;

use lookalike::Method;
use lookalike_cli::asked;
use lookalike_engine::{Outputs, RunConfig};
use pyo3::{prelude::*, types::PyDict};
use serde_json::{Map, Value};

use crate::{
    config::{laid_over, not_asked, object, parted},
    error::refused,
};

/// A run that is asked for, and what it writes.
pub struct Options {
    pub run: RunConfig,
    pub outputs: Outputs,
}

impl Options {
    /// Reads the keywords of `dedup`, `pairs` or `apply`, with `inputs` and `against` among them, the names that are read.
    ///
    /// # Errors
    /// `ConfigError`, and the exceptions of the core's kinds.
    pub fn of(command: &str, keywords: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut fields = object(keywords)?;
        let inputs = names(&mut fields, "inputs");
        let against = names(&mut fields, "against");
        let commands = names(&mut fields, "input_command");
        fields_of_records(&mut fields)?;
        let (mut flags, own) = parted(fields)?;
        if command == "dedup" || command == "pairs" {
            // What is in memory is no flag, and some flags go with others.
            flags.push("--against=-".into());
        }
        flags.extend(commands.iter().map(|command| OsString::from(format!("--input-command={command}"))));
        flags.extend(["--".into(), "-".into()]);
        let (run, outputs) = match command {
            "dedup" => asked::dedup(flags).map_err(not_asked)?,
            "pairs" => (asked::pairs(flags).map_err(not_asked)?, Outputs::default()),
            _ => {
                // Its decisions come first.
                flags.push("-".into());
                (asked::apply(flags).map_err(not_asked)?, Outputs::default())
            }
        };
        let method = laid_over(run.method, own)?;
        Method::new(method.clone()).map_err(refused)?;
        Ok(Self { run: RunConfig { inputs, against, method, ..run }, outputs })
    }
}

/// Takes a list of names out of the fields; a name alone is a list of one.
fn names(fields: &mut Map<String, Value>, name: &str) -> Vec<String> {
    match fields.remove(name) {
        Some(Value::Array(several)) => several.into_iter().filter_map(|one| Some(one.as_str()?.to_owned())).collect(),
        Some(Value::String(one)) => vec![one],
        _ => Vec::new(),
    }
}

/// Names the fields of a record as the flags do.
///
/// # Errors
/// `ConfigError` for two names of what is compared.
fn fields_of_records(fields: &mut Map<String, Value>) -> PyResult<()> {
    if let Some(id) = fields.remove("id") {
        fields.insert("id_field".into(), id);
    }
    let text = fields.remove("text");
    if fields.get("tokens").and_then(Value::as_str) == Some("items") {
        fields.remove("tokens");
        fields.entry("set_field").or_insert_with(|| text.unwrap_or_else(|| "text".into()));
    } else if let (Some(text), false) = (text, fields.contains_key("set_field")) {
        fields.insert("text_field".into(), text);
    }
    Ok(())
}
