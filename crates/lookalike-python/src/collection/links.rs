//! Executes record linkage. The command's lines are written into a folder and read back as columns.

use std::{
    borrow::Cow,
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow_array::{
    ArrayRef,
    builder::{Float64Builder, LargeStringBuilder, UInt64Builder},
};
use arrow_schema::{DataType, Field};
use lookalike_applications::records::suggest::Suggestion;
use lookalike_engine::{Error, Observer, RunConfig, read_link_config, suggest_link as suggested};
use pyo3::{
    prelude::*,
    types::{PyDict, PyString},
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    ids::{self, Ids},
    lines::{Lines, batch_of},
    options::of_link,
    texts::{Named, tables},
    watch::watched,
};
use crate::{
    config::{object, to_python},
    error::{failed, of_file, raise, refused_option},
};

/// Links records. One collection is given as `b`, and `a` is none. `config` is the path of a TOML file, a dictionary, or
/// none for a suggested configuration. Returns the pairs, the clusters, the summary and the configuration.
#[pyfunction]
pub fn link<'py>(
    py: Python<'py>,
    a: Option<Named<'py>>,
    b: Option<Named<'py>>,
    config: Option<Bound<'py, PyAny>>,
    options: &Bound<'py, PyDict>,
    folder: PathBuf,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Lines, Lines, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (mut run, mut asked) = of_link(options)?;
    give(&mut run, a, b)?;
    let is_given = config.is_some();
    let one_to_one = options
        .get_item("one_to_one")?
        .is_some_and(|value| !value.is_none())
        .then_some(asked.config.one_to_one);
    match config {
        None => {}
        Some(config) => match config.cast::<PyString>() {
            Ok(path) => {
                let path = PathBuf::from(path.to_str()?);
                asked.config = read_link_config(&path).map_err(failed)?;
                asked.config_path = Some(path);
            }
            Err(_) => {
                let fields = Value::Object(object(config.cast::<PyDict>()?)?);
                let read = serde_json::from_value(fields);
                asked.config =
                    read.map_err(|error| refused_option("config", format!("config= {error}")))?;
            }
        },
    }
    let (pairs, clusters) = (folder.join("pairs.jsonl"), folder.join("clusters.jsonl"));
    asked.clusters = Some(clusters.clone());
    let output = pairs.clone();
    let (summary, asked) = watched(py, progress.as_ref(), move |observer| {
        if !is_given {
            asked.config = suggestion(&run, observer)?.config();
        }
        asked.config.one_to_one = one_to_one.unwrap_or(asked.config.one_to_one);
        let summary = lookalike_engine::link(&run, &asked, Some(Path::new(&output)), observer)?;
        Ok((summary, asked))
    })?;
    let names: Vec<&str> = asked
        .config
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    let are_two = summary.records_a.is_some();
    let pairs = read(&pairs, |bytes| {
        pair_lines(bytes, &names, summary.learned.is_some(), are_two)
    })?;
    let clusters = read(&clusters, |bytes| cluster_lines(bytes, are_two))?;
    Ok((
        pairs,
        clusters,
        to_python(py, &summary)?,
        to_python(py, &asked.config)?,
    ))
}

/// Suggests a configuration. Returns it as TOML with comments, and as a dictionary.
#[pyfunction]
pub fn suggest_link<'py>(
    py: Python<'py>,
    a: Option<Named<'py>>,
    b: Option<Named<'py>>,
    options: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(String, Bound<'py, PyAny>)> {
    let (mut run, _) = of_link(options)?;
    give(&mut run, a, b)?;
    let suggestion = watched(py, progress.as_ref(), move |observer| {
        suggestion(&run, observer)
    })?;
    let text = suggestion.to_toml();
    // The dictionary has the keys of the text only.
    let config: Value =
        toml::from_str(&text).map_err(|error| raise("InternalError", error.to_string()))?;
    Ok((text, to_python(py, &config)?))
}

/// Adds collections in memory to the inputs of a run: the first collection is the references.
fn give(run: &mut RunConfig, a: Option<Named<'_>>, b: Option<Named<'_>>) -> PyResult<()> {
    (run.against_tables, run.tables) = (tables(a)?, tables(b)?);
    Ok(())
}

/// Suggests a configuration. The label is a field that is not compared.
fn suggestion(run: &RunConfig, observer: Observer<'_>) -> Result<Suggestion, Error> {
    let own = RunConfig {
        label_field: None,
        ..run.clone()
    };
    suggested(&own, run.label_field.as_deref(), None, observer)
}

/// Reads a file that a run wrote.
fn read(path: &Path, lines: impl FnOnce(Vec<u8>) -> PyResult<Lines>) -> PyResult<Lines> {
    lines(fs::read(path).map_err(|error| of_file(path, &error))?)
}

/// A line of the output of pairs.
#[derive(Deserialize)]
struct PairLine<'a> {
    #[serde(borrow)]
    a: &'a RawValue,
    #[serde(borrow)]
    b: &'a RawValue,
    score: Option<f64>,
    probability: Option<f64>,
    bits: Option<f64>,
    #[serde(borrow)]
    verdict: Cow<'a, str>,
    /// Points or weights, by the names of fields.
    #[serde(alias = "weights", default)]
    points: HashMap<String, Option<f64>>,
}

/// Returns pairs with one column for the evidence of each field.
fn pair_lines(bytes: Vec<u8>, names: &[&str], learned: bool, are_two: bool) -> PyResult<Lines> {
    let (mut a, mut b, mut verdicts, mut rows) = (
        IdColumn::new(),
        IdColumn::new(),
        LargeStringBuilder::new(),
        0,
    );
    let (mut scores, mut bits) = (Float64Builder::new(), Float64Builder::new());
    let mut evidence: Vec<Float64Builder> = names.iter().map(|_| Float64Builder::new()).collect();
    for line in lines(&bytes) {
        let line: PairLine<'_> = parsed(line)?;
        a.push(line.a);
        b.push(line.b);
        scores.append_option(line.score.or(line.probability));
        bits.append_option(line.bits);
        verdicts.append_value(&line.verdict);
        for (name, column) in names.iter().zip(&mut evidence) {
            column.append_option(line.points.get(*name).copied().flatten());
        }
        rows += 1;
    }
    if !are_two {
        // Both ids have the same type, so that both columns can be joined with the one collection.
        a.ids.agree(&mut b.ids);
    }
    let float = |name: &str| Field::new(name, DataType::Float64, true);
    let mut columns = vec![
        a.column("a"),
        b.column("b"),
        (
            float(if learned { "probability" } else { "score" }),
            array(scores),
        ),
    ];
    columns.push((
        Field::new("verdict", DataType::LargeUtf8, false),
        Arc::new(verdicts.finish()),
    ));
    if learned {
        columns.push((float("bits"), array(bits)));
    }
    let what = if learned { "weights" } else { "points" };
    columns.extend(
        names
            .iter()
            .zip(evidence)
            .map(|(name, column)| (float(&format!("{what}.{name}")), array(column))),
    );
    whole(bytes, columns, rows)
}

/// A line of the output of clusters.
#[derive(Deserialize)]
struct ClusterLine<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    of: Option<Cow<'a, str>>,
    #[serde(borrow)]
    representative: &'a RawValue,
    #[serde(borrow)]
    representative_of: Option<Cow<'a, str>>,
    size: u64,
}

/// Returns one row for each record. With two collections, there are columns for the collection of a record.
fn cluster_lines(bytes: Vec<u8>, are_two: bool) -> PyResult<Lines> {
    let (mut ids, mut representatives, mut rows) = (IdColumn::new(), IdColumn::new(), 0);
    let (mut of, mut representative_of) = (LargeStringBuilder::new(), LargeStringBuilder::new());
    let mut sizes = UInt64Builder::new();
    for line in lines(&bytes) {
        let line: ClusterLine<'_> = parsed(line)?;
        ids.push(line.id);
        representatives.push(line.representative);
        of.append_option(line.of);
        representative_of.append_option(line.representative_of);
        sizes.append_value(line.size);
        rows += 1;
    }
    ids.ids.agree(&mut representatives.ids);
    let text = |name: &str, mut column: LargeStringBuilder| -> (Field, ArrayRef) {
        (
            Field::new(name, DataType::LargeUtf8, false),
            Arc::new(column.finish()),
        )
    };
    let mut columns = vec![ids.column("id")];
    if are_two {
        columns.push(text("of", of));
    }
    columns.push(representatives.column("representative"));
    if are_two {
        columns.push(text("representative_of", representative_of));
    }
    columns.push((
        Field::new("size", DataType::UInt64, false),
        Arc::new(sizes.finish()),
    ));
    whole(bytes, columns, rows)
}

/// A column of ids, of the type that fits all of them.
struct IdColumn {
    ids: Ids,
    rows: u64,
}

impl IdColumn {
    fn new() -> Self {
        Self {
            ids: Ids::given(),
            rows: 0,
        }
    }

    fn push(&mut self, id: &RawValue) {
        self.ids.push(id.get());
        self.rows += 1;
    }

    fn column(&self, name: &str) -> (Field, ArrayRef) {
        (
            ids::field(name, self.ids.kind(), false),
            self.ids.range(0..self.rows),
        )
    }
}

fn array(mut column: Float64Builder) -> ArrayRef {
    Arc::new(column.finish())
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
}

fn parsed<'a, T: Deserialize<'a>>(line: &'a [u8]) -> PyResult<T> {
    serde_json::from_slice(line)
        .map_err(|error| raise("InternalError", format!("a line of the output: {error}")))
}

fn whole(bytes: Vec<u8>, columns: Vec<(Field, ArrayRef)>, rows: usize) -> PyResult<Lines> {
    let (fields, arrays) = columns.into_iter().unzip();
    let batch = batch_of(fields, arrays, rows)
        .map_err(|error| raise("InternalError", error.to_string()))?;
    Ok(Lines::of(bytes, batch))
}
