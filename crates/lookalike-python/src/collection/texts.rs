//! Texts in memory → Arrow, without a copy where they are Arrow already.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
    sync::Arc,
};

use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, RecordBatch, builder::LargeStringBuilder, cast::AsArray,
};
use arrow_json::LineDelimitedWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lookalike_engine::InputTable;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyFloat, PyInt, PyList, PyString},
};
use pyo3_arrow::input::AnyRecordBatch;

use crate::error::{failed, of_file};

/// Bytes of texts of a batch, about: batches are what threads take.
const PIECE: usize = 4 << 20;

/// Texts of a collection in memory, and the columns that a run reads beside them.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Texts {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    rows: u64,
    /// The column of rows' numbers that was added.
    numbers: Option<String>,
}

#[pymethods]
impl Texts {
    /// Takes lists of equal length by the names of their columns: strings for `text`, strings, whole numbers or floats for
    /// others. The strings are copied, once.
    #[staticmethod]
    fn of_lists(text: &str, columns: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut lists = Vec::new();
        for (name, list) in columns {
            lists.push((name.extract::<String>()?, list.cast_into::<PyList>().map_err(PyErr::from)?));
        }
        let Some(texts) = lists.iter().position(|(name, _)| name == text) else {
            return Err(PyValueError::new_err(format!("no column {text:?}")));
        };
        let rows = lists[texts].1.len();
        let kinds = lists.iter().enumerate().map(|(at, (name, list))| match at == texts {
            true => Ok(Kind::Strings),
            false => Kind::of(name, list),
        });
        let kinds = kinds.collect::<PyResult<Vec<_>>>()?;
        let fields = lists.iter().zip(&kinds).map(|((name, _), kind)| Field::new(name, kind.data_type(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let (mut batches, mut start) = (Vec::new(), 0);
        while start < rows {
            let (text, end) = strings(&lists[texts].0, &lists[texts].1, start, PIECE)?;
            let column = |(at, ((name, list), kind)): (usize, (&(String, Bound<'_, PyList>), &Kind))| match at == texts {
                true => Ok(Arc::new(text.clone()) as ArrayRef),
                false => kind.column(name, list, start..end),
            };
            let columns = lists.iter().zip(&kinds).enumerate().map(column).collect::<PyResult<Vec<_>>>()?;
            batches.push(RecordBatch::try_new(schema.clone(), columns).map_err(wrong)?);
            start = end;
        }
        Ok(Self { schema, batches, rows: rows as u64, numbers: None })
    }

    /// Takes what has `__arrow_c_stream__` or `__arrow_c_array__`, without a copy.
    #[staticmethod]
    fn of_arrow(py: Python<'_>, text: &str, data: AnyRecordBatch) -> PyResult<Self> {
        let reader = data.into_reader()?;
        let schema = reader.schema();
        let batches = py.detach(|| {
            let mut batches = Vec::new();
            for batch in reader {
                cut(batch?, text, &mut batches);
            }
            Ok(batches)
        });
        let batches: Vec<RecordBatch> = batches.map_err(wrong)?;
        let rows = batches.iter().map(|batch| batch.num_rows() as u64).sum();
        Ok(Self { schema, batches, rows, numbers: None })
    }

    /// The same with a column of the rows' numbers, from 0.
    fn numbered(&self, name: &str) -> PyResult<Self> {
        let fields = self.schema.fields().iter().cloned().chain([Arc::new(Field::new(name, DataType::Int64, false))]);
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let (mut batches, mut start) = (Vec::new(), 0);
        for batch in &self.batches {
            let end = start + batch.num_rows() as i64;
            let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(start..end));
            let columns = batch.columns().iter().cloned().chain([numbers]).collect();
            batches.push(RecordBatch::try_new(schema.clone(), columns).map_err(wrong)?);
            start = end;
        }
        Ok(Self { schema, batches, rows: self.rows, numbers: Some(name.into()) })
    }

    /// The columns' names.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Writes JSON Lines with these columns.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || {
            let out = BufWriter::with_capacity(1 << 20, File::create(&path).map_err(|error| of_file(&path, &error))?);
            let mut lines = LineDelimitedWriter::new(out);
            self.batches.iter().try_for_each(|batch| lines.write(batch)).and_then(|()| lines.finish()).map_err(wrong)?;
            lines.into_inner().flush().map_err(|error| of_file(&path, &error))
        };
        py.detach(write)
    }

    fn __len__(&self) -> usize {
        self.rows as usize
    }
}

impl Texts {
    /// As an input of a run.
    pub fn input(&self, name: &str) -> PyResult<InputTable> {
        InputTable::new(name, self.schema.clone(), self.batches.clone()).map_err(failed)
    }

    /// Whether ids are the rows' numbers.
    pub fn is_numbered(&self) -> bool {
        self.numbers.is_some()
    }
}

/// What a list beside the texts holds.
enum Kind {
    Strings,
    Integers,
    Floats,
}

impl Kind {
    fn of(name: &str, list: &Bound<'_, PyList>) -> PyResult<Self> {
        let Ok(first) = list.get_item(0) else { return Ok(Self::Strings) };
        if first.is_instance_of::<PyString>() {
            Ok(Self::Strings)
        } else if first.is_instance_of::<PyInt>() {
            Ok(Self::Integers)
        } else if first.is_instance_of::<PyFloat>() {
            Ok(Self::Floats)
        } else {
            let kind = first.get_type().name()?;
            Err(PyTypeError::new_err(format!("{name}[0] is {kind}: strings and numbers are taken; for others install pyarrow")))
        }
    }

    fn data_type(&self) -> DataType {
        match self {
            Self::Strings => DataType::LargeUtf8,
            Self::Integers => DataType::Int64,
            Self::Floats => DataType::Float64,
        }
    }

    fn column(&self, name: &str, list: &Bound<'_, PyList>, rows: std::ops::Range<usize>) -> PyResult<ArrayRef> {
        Ok(match self {
            Self::Strings => Arc::new(strings(name, list, rows.start, usize::MAX).map(|(all, _)| all.slice(0, rows.len()))?),
            Self::Integers => {
                Arc::new(rows.map(|row| list.get_item(row)?.extract()).collect::<PyResult<Vec<i64>>>().map(Int64Array::from)?)
            }
            Self::Floats => {
                Arc::new(rows.map(|row| list.get_item(row)?.extract()).collect::<PyResult<Vec<f64>>>().map(Float64Array::from)?)
            }
        })
    }
}

/// Copies strings of a list from a row on until they are so many bytes, and gives the row behind them.
fn strings(name: &str, list: &Bound<'_, PyList>, start: usize, bytes: usize) -> PyResult<(LargeStringArray, usize)> {
    let mut builder = LargeStringBuilder::new();
    let mut end = start;
    while end < list.len() && builder.values_slice().len() < bytes {
        let item = list.get_item(end)?;
        let Ok(text) = item.cast::<PyString>() else {
            let kind = item.get_type().name()?;
            return Err(PyTypeError::new_err(format!("{name}[{end}] is {kind}, not str")));
        };
        // Of others than ASCII Python would keep the bytes that it is asked for as long as it has the string.
        if text.call_method0("isascii")?.is_truthy()? {
            builder.append_value(text.to_str()?);
        } else {
            let encoded = text.encode_utf8()?;
            let encoded = std::str::from_utf8(encoded.as_bytes());
            builder.append_value(encoded.map_err(|error| PyValueError::new_err(error.to_string()))?);
        }
        end += 1;
    }
    Ok((builder.finish(), end))
}

/// Cuts a batch where its texts are large, so that several threads have something to take.
fn cut(batch: RecordBatch, text: &str, into: &mut Vec<RecordBatch>) {
    let bytes = batch.column_by_name(text).map_or(0, text_bytes);
    let pieces = (bytes / PIECE).clamp(1, batch.num_rows().max(1));
    let rows = batch.num_rows().div_ceil(pieces).max(1);
    into.extend((0..batch.num_rows()).step_by(rows).map(|start| batch.slice(start, rows.min(batch.num_rows() - start))));
}

/// Bytes of a column's texts, where that is known without looking at each.
fn text_bytes(column: &ArrayRef) -> usize {
    let of = |first: i64, last: i64| (last - first).max(0) as usize;
    match column.data_type() {
        DataType::Utf8 => {
            let offsets = column.as_string::<i32>().value_offsets();
            of(offsets[0].into(), offsets[column.len()].into())
        }
        DataType::LargeUtf8 => {
            let offsets = column.as_string::<i64>().value_offsets();
            of(offsets[0], offsets[column.len()])
        }
        DataType::Utf8View => column.as_string_view().lengths().map(|length| length as usize).sum(),
        _ => column.get_array_memory_size(),
    }
}

fn wrong(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
