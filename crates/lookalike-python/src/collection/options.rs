//! Converts the keywords of a run to the engine's configuration. The keywords are the options of the command, so they have the same
//! values and defaults.

use lookalike::{Config, Method};
use lookalike_applications::records::LinkConfig;
use lookalike_engine::{
    ApplyOptions, AuditOptions, Auditing, Cards, CutOptions, Cutting, DedupOptions, DedupPlan,
    Error, Link, LinkOptions, MinutiaeOptions, Mirroring, MirrorsOptions, Outputs, PairsOptions,
    RunConfig, SECOND_ROUND,
};
use lookalike_options::Given;
use pyo3::{prelude::*, types::PyDict};
use serde_json::{Map, Value};

use crate::{
    config::{Table, object},
    error::{failed, refused},
};

/// Reads the keywords of `dedup`. `references` says whether there are references in memory.
///
/// # Errors
/// Fails with `ConfigError` or, if the core reports an error, with the matching exception.
pub fn of_dedup(keywords: &Bound<'_, PyDict>, references: bool) -> PyResult<DedupPlan> {
    let table = table(object(keywords)?)?;
    // An invalid field is reported with its keyword.
    table.over(Config::default())?;
    let change = |method| {
        table
            .over(method)
            .map_err(|error| Error::failure(error.to_string()))
    };
    let options = table.options::<DedupOptions>()?;
    options.plan(references, change).map_err(failed)
}

/// Reads the keywords of `pairs`.
///
/// # Errors
/// Fails in the same cases as [`of_dedup`].
pub fn of_pairs(keywords: &Bound<'_, PyDict>, references: bool) -> PyResult<RunConfig> {
    let table = table(object(keywords)?)?;
    checked(
        table
            .options::<PairsOptions>()?
            .plan(references)
            .map_err(failed)?,
        &table,
    )
}

/// Reads the keywords of `apply`, and returns the outputs if documents are decided from a list of pairs.
///
/// # Errors
/// Fails in the same cases as [`of_dedup`].
pub fn of_apply(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Option<Outputs>)> {
    let table = table(object(keywords)?)?;
    let (run, outputs) = table.options::<ApplyOptions>()?.plan().map_err(failed)?;
    Ok((checked(run, &table)?, outputs))
}

/// Reads the keywords of `mirrors` and `history`. `inputs` and `against` have the names of the collections.
///
/// # Errors
/// Fails in the same cases as [`of_dedup`].
pub fn of_mirrors(keywords: &Bound<'_, PyDict>, two: bool) -> PyResult<(RunConfig, Mirroring)> {
    let mut fields = object(keywords)?;
    let (inputs, against) = (names(&mut fields, "inputs"), names(&mut fields, "against"));
    match fields.get("changed") {
        Some(Value::Bool(true)) => drop(fields.insert("changed".into(), SECOND_ROUND.into())),
        Some(Value::Bool(false)) => drop(fields.remove("changed")),
        _ => {}
    }
    let table = table(fields)?;
    let options = table.options::<MirrorsOptions>()?;
    // The pairs of pages are always returned.
    let given = Given::of(&options).and("pages", true);
    let (run, mirroring) = options.plan(&given, two).map_err(failed)?;
    let run = RunConfig {
        inputs,
        against,
        ..checked(run, &table)?
    };
    Ok((run, mirroring))
}

/// Reads the keywords of `cut`.
///
/// # Errors
/// Fails in the same cases as [`of_dedup`].
pub fn of_cut(keywords: &Bound<'_, PyDict>, references: bool) -> PyResult<(RunConfig, Cutting)> {
    let table = table(object(keywords)?)?;
    let (run, cutting) = table
        .options::<CutOptions>()?
        .plan(references)
        .map_err(failed)?;
    Ok((checked(run, &table)?, cutting))
}

/// Reads the keywords of `link`. The request has no fields and blocks.
///
/// # Errors
/// Fails in the same cases as [`of_dedup`].
pub fn of_link(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Link)> {
    let mut fields = object(keywords)?;
    renamed(&mut fields, &[("labels", "label")]);
    let (inputs, against) = (names(&mut fields, "inputs"), names(&mut fields, "against"));
    let table = table(fields)?;
    table.only_options("link")?;
    let options = table.options::<LinkOptions>()?;
    let planned = options.plan(LinkConfig::default(), &Given::of(&options));
    let (run, link) = planned.map_err(failed)?;
    let run = RunConfig {
        inputs,
        against,
        ..run
    };
    Ok((run, link))
}

/// Reads the keywords of `minutiae`.
///
/// # Errors
/// Fails in the same cases as [`of_dedup`].
pub fn of_minutiae(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Cards)> {
    let mut fields = object(keywords)?;
    renamed(
        &mut fields,
        &[("minutiae", "minutiae_field"), ("labels", "label")],
    );
    if let Some(Value::String(columns)) = fields.get("columns") {
        let columns: Vec<_> = columns.split(',').map(Value::from).collect();
        fields.insert("columns".into(), columns.into());
    }
    let inputs = names(&mut fields, "inputs");
    let table = table(fields)?;
    table.only_options("minutiae")?;
    let options = table.options::<MinutiaeOptions>()?;
    let (run, cards) = options.plan(&Given::of(&options)).map_err(failed)?;
    Ok((RunConfig { inputs, ..run }, cards))
}

/// Reads the keywords of `audit`. They include `result`, which has the names of the result.
///
/// # Errors
/// Fails in the same cases as [`of_dedup`].
pub fn of_audit(keywords: &Bound<'_, PyDict>) -> PyResult<(RunConfig, Auditing)> {
    let mut fields = object(keywords)?;
    let results = names(&mut fields, "result");
    renamed(&mut fields, &[("kind", "result"), ("inputs", "texts")]);
    let table = table(fields)?;
    let (run, auditing) = table
        .options::<AuditOptions>()?
        .plan(results)
        .map_err(failed)?;
    Ok((checked(run, &table)?, auditing))
}

fn table(mut fields: Map<String, Value>) -> PyResult<Table> {
    fields_of_records(&mut fields);
    Table::of(fields)
}

/// Returns a run with the fields that are given in the form of the core's configuration, if its method is valid.
fn checked(run: RunConfig, table: &Table) -> PyResult<RunConfig> {
    let method = table.over(run.method)?;
    Method::new(method.clone()).map_err(refused)?;
    Ok(RunConfig { method, ..run })
}

/// Gives keywords the names of the options.
fn renamed(fields: &mut Map<String, Value>, names: &[(&str, &str)]) {
    for &(keyword, option) in names {
        if let Some(value) = fields.remove(keyword) {
            fields.insert(option.into(), value);
        }
    }
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

/// Replaces the keywords `id` and `text`, which name the fields of a record, with the names of the options.
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
