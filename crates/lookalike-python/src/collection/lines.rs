//! JSON Lines that a run wrote, as columns: results that have no store of their own.

use std::{collections::HashMap, fs, ops::Range, path::PathBuf, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, LargeStringArray, RecordBatch, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lookalike::shown::quoted;
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyString},
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    ids::{self, Ids},
    stream::{Columns, Rows},
};
use crate::error::of_file;

/// Lines of one kind, and their fields as columns.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Lines {
    bytes: Vec<u8>,
    columns: Arc<Whole>,
}

#[pymethods]
impl Lines {
    /// Reads a file of JSON Lines. Each column is given by the name of a field and its kind: `id`, `str`, `float`, `int` or
    /// `bool`. A field that a line does not have is null.
    #[staticmethod]
    fn read(path: PathBuf, columns: Vec<(String, Bound<'_, PyString>)>) -> PyResult<Self> {
        let bytes = fs::read(&path).map_err(|error| of_file(&path, &error))?;
        let wrong = |error: &dyn std::fmt::Display| {
            PyValueError::new_err(format!("{}: {error}", path.display()))
        };
        let lines = bytes
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        let rows: Vec<Row> = lines
            .map(serde_json::from_slice)
            .collect::<Result<_, _>>()
            .map_err(|error| wrong(&error))?;
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, kind) in columns {
            let (field, array) = column(&name, kind.to_str()?, &rows)?;
            fields.push(field);
            arrays.push(array);
        }
        let batch = batch_of(fields, arrays, rows.len()).map_err(|error| wrong(&error))?;
        Ok(Self::of(bytes, batch))
    }

    fn __len__(&self) -> usize {
        self.columns.0.num_rows()
    }

    /// Returns a table with one row per line.
    fn columns(&self) -> Columns {
        Columns::of(self.columns.clone())
    }

    /// Returns the lines.
    fn lines<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }
}

impl Lines {
    /// Creates lines and the columns of their fields.
    pub fn of(bytes: Vec<u8>, columns: RecordBatch) -> Self {
        Self {
            bytes,
            columns: Arc::new(Whole(columns)),
        }
    }
}

/// Returns columns of this number of rows as one batch.
pub fn batch_of(
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
    rows: usize,
) -> Result<RecordBatch, ArrowError> {
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
}

/// The fields of a line. Values remain JSON, because numbers that are ids must not be rounded.
type Row<'a> = HashMap<&'a str, &'a RawValue>;

/// Returns a column of the values of a field.
fn column(name: &str, kind: &str, rows: &[Row]) -> PyResult<(Field, ArrayRef)> {
    let values = || {
        rows.iter().map(|row| {
            row.get(name)
                .map(|value| value.get())
                .filter(|&json| json != "null")
        })
    };
    let (own, array): (DataType, ArrayRef) = match kind {
        "id" => {
            let (mut given, mut count, mut places) =
                (Ids::given(), 0, Vec::with_capacity(rows.len()));
            for id in values() {
                places.push(id.map(|_| count));
                if let Some(id) = id {
                    given.push(id);
                    count += 1;
                }
            }
            return Ok((
                ids::field(name, given.kind(), true),
                given.column(places.into_iter()),
            ));
        }
        "str" => (
            DataType::LargeUtf8,
            Arc::new(values().map(parsed::<String>).collect::<LargeStringArray>()),
        ),
        "float" => (
            DataType::Float64,
            Arc::new(values().map(parsed::<f64>).collect::<Float64Array>()),
        ),
        "int" => (
            DataType::UInt64,
            Arc::new(values().map(parsed::<u64>).collect::<UInt64Array>()),
        ),
        "bool" => (
            DataType::Boolean,
            Arc::new(values().map(parsed::<bool>).collect::<BooleanArray>()),
        ),
        other => {
            return Err(PyValueError::new_err(format!(
                "no kind of column {}",
                quoted(other)
            )));
        }
    };
    Ok((Field::new(name, own, true), array))
}

fn parsed<T: DeserializeOwned>(json: Option<&str>) -> Option<T> {
    json.and_then(|json| serde_json::from_str(json).ok())
}

/// All rows as one batch.
struct Whole(RecordBatch);

impl Rows for Whole {
    fn schema(&self) -> SchemaRef {
        self.0.schema()
    }

    fn len(&self) -> u64 {
        self.0.num_rows() as u64
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        Ok(self
            .0
            .slice(rows.start as usize, (rows.end - rows.start) as usize))
    }
}
