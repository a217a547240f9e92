//! Converts texts in memory to Arrow, without a copy if they are Arrow data already.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
    sync::Arc,
};

use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, cast::AsArray};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use lookalike::shown::quoted;
use lookalike_engine::{InputTable, JSON, Nulls, write_json_lines};
use numpy::PyArray1;
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyList},
};

use super::{
    imported::{Refused, imported, unreadable},
    lists::{self, List},
};
use crate::error::{failed, of_file};

/// Approximate bytes of text per batch. Each thread processes one batch at a time.
const PIECE: usize = 4 << 20;

/// The texts of a collection in memory, and the other columns that a run reads.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Texts {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    rows: u64,
    /// The name of the column of row numbers, if one was added.
    numbers: Option<String>,
}

#[pymethods]
impl Texts {
    /// Creates a collection from lists of equal length, by column name. The `text` column holds strings, other columns hold
    /// strings and numbers. The strings are copied once. Messages refer to the collection as `called`. With `sets`, the strings
    /// are JSON arrays.
    #[staticmethod]
    #[pyo3(signature = (called, text, columns, sets = false, skip_bad = false))]
    fn of_lists(
        called: &str,
        text: &str,
        columns: &Bound<'_, PyDict>,
        sets: bool,
        skip_bad: bool,
    ) -> PyResult<Self> {
        let columns = by_name(columns)?;
        let Some((_, texts)) = columns.iter().find(|(name, _)| name == text) else {
            return Err(PyValueError::new_err(format!("no column {}", quoted(text))));
        };
        let texts = List {
            called,
            name: text,
            items: texts,
            skip_bad,
        };
        let others = columns.iter().filter(|(name, _)| name != text);
        let others = others
            .map(|(name, items)| {
                List {
                    called,
                    name,
                    items,
                    skip_bad,
                }
                .column()
            })
            .collect::<PyResult<Vec<_>>>()?;
        let fields = others
            .iter()
            .map(|(field, _)| field.clone())
            .chain([lists::text_field(text, sets)]);
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let (mut batches, mut start, rows) = (Vec::new(), 0, texts.items.len());
        while start < rows {
            let (text, end) = texts.texts(start, PIECE)?;
            let extra = others
                .iter()
                .map(|(_, column)| column.slice(start, end - start));
            let columns = extra.chain([Arc::new(text) as ArrayRef]).collect();
            batches.push(
                RecordBatch::try_new(schema.clone(), columns)
                    .map_err(|error| unreadable(called, &error))?,
            );
            start = end;
        }
        Ok(Self {
            schema,
            batches,
            rows: rows as u64,
            numbers: None,
        })
    }

    /// Creates a collection of records from lists of equal length, by column name. The lists may hold values of any type that JSON
    /// has.
    #[staticmethod]
    fn of_records(called: &str, columns: &Bound<'_, PyDict>, rows: u64) -> PyResult<Self> {
        let column = |(name, items): (String, Bound<'_, PyList>)| {
            List {
                called,
                name: &name,
                items: &items,
                skip_bad: false,
            }
            .json_column()
        };
        let columns = by_name(columns)?
            .into_iter()
            .map(column)
            .collect::<PyResult<Vec<_>>>()?;
        let (fields, columns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
        let schema = Arc::new(Schema::new(fields));
        let batches = if columns.is_empty() {
            Vec::new()
        } else {
            vec![
                RecordBatch::try_new(schema.clone(), columns)
                    .map_err(|error| unreadable(called, &error))?,
            ]
        };
        Ok(Self {
            schema,
            batches,
            rows,
            numbers: None,
        })
    }

    /// Returns the collection with additional columns given as lists, whose values may have any type that JSON has.
    fn with_records(&self, called: &str, columns: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut all = Self {
            schema: self.schema.clone(),
            batches: self.batches.clone(),
            rows: self.rows,
            numbers: None,
        };
        for (name, items) in by_name(columns)? {
            let (field, column) = List {
                called,
                name: &name,
                items: &items,
                skip_bad: false,
            }
            .json_column()?;
            all = all
                .with(field, &column)
                .map_err(|error| unreadable(called, &error))?;
        }
        Ok(all)
    }

    /// Creates a collection from an object that has `__arrow_c_stream__` or `__arrow_c_array__`, without a copy, and from
    /// additional columns given as lists.
    #[staticmethod]
    #[pyo3(signature = (called, text, data, lists = None, sets = false, skip_bad = false))]
    fn of_arrow(
        py: Python<'_>,
        called: &str,
        text: &str,
        data: &Bound<'_, PyAny>,
        lists: Option<&Bound<'_, PyDict>>,
        sets: bool,
        skip_bad: bool,
    ) -> PyResult<Self> {
        let (schema, reader) = imported(called, data)?;
        let batches = py.detach(|| {
            let mut batches = Vec::new();
            for batch in reader {
                cut(batch?, text, &mut batches);
            }
            Ok::<_, Refused>(batches)
        })?;
        let rows = batches.iter().map(|batch| batch.num_rows() as u64).sum();
        let mut all = Self {
            schema,
            batches,
            rows,
            numbers: None,
        };
        if rows == 0 {
            // An empty collection has no values, so its columns can have any type that the run requires.
            let fields = all
                .schema
                .fields()
                .iter()
                .map(|field| match field.data_type() {
                    DataType::Struct(_) => field.clone(),
                    _ => Arc::new(lists::nothing(field.name())),
                });
            (all.schema, all.batches) = (
                Arc::new(Schema::new(fields.collect::<Vec<_>>())),
                Vec::new(),
            );
        }
        for (name, items) in lists.map(by_name).transpose()?.unwrap_or_default() {
            let list = List {
                called,
                name: &name,
                items: &items,
                skip_bad,
            };
            let (field, column) = if name == text {
                (
                    lists::text_field(text, sets),
                    Arc::new(list.texts(0, usize::MAX)?.0) as ArrayRef,
                )
            } else {
                list.column()?
            };
            all = all
                .with(field, &column)
                .map_err(|error| unreadable(called, &error))?;
        }
        Ok(all)
    }

    /// Returns the collection with an added column of row numbers, from 0.
    fn numbered(&self, name: &str) -> PyResult<Self> {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..self.rows as i64));
        let with = self
            .with(Field::new(name, DataType::Int64, false), &numbers)
            .map_err(|error| unreadable(name, &error))?;
        Ok(Self {
            numbers: Some(name.into()),
            ..with
        })
    }

    /// Returns the collection with an added column of ids, one for each row.
    ///
    /// Raises `ValueError` if the number of ids differs from the number of rows.
    fn identified(&self, called: &str, name: &str, ids: &Bound<'_, PyList>) -> PyResult<Self> {
        if ids.len() as u64 != self.rows {
            let words = format!(
                "got {} ids for {} documents; give one id for each document",
                ids.len(),
                self.rows
            );
            return Err(PyValueError::new_err(words));
        }
        let (field, column) = List {
            called,
            name,
            items: ids,
            skip_bad: false,
        }
        .column()?;
        self.with(field, &column)
            .map_err(|error| unreadable(called, &error))
    }

    /// Returns the rows in which all the named fields have a value, and a mask of these rows. A value of a binary field must also
    /// be UTF-8. Returns None if all rows qualify.
    fn usable<'py>(
        &self,
        py: Python<'py>,
        fields: Vec<String>,
    ) -> PyResult<Option<(Self, Bound<'py, PyArray1<bool>>)>> {
        let masks = py.detach(|| {
            self.batches
                .iter()
                .map(|batch| usable(batch, &fields))
                .collect::<Vec<_>>()
        });
        if masks.iter().all(|mask| mask.true_count() == mask.len()) {
            return Ok(None);
        }
        let batches = self
            .batches
            .iter()
            .zip(&masks)
            .map(|(batch, mask)| filter_record_batch(batch, mask));
        let batches = batches
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| unreadable("the collection", &error))?;
        let rows = batches.iter().map(|batch| batch.num_rows() as u64).sum();
        let kept = masks
            .iter()
            .flat_map(|mask| mask.values().iter())
            .collect::<Vec<_>>();
        Ok(Some((
            Self {
                schema: self.schema.clone(),
                batches,
                rows,
                numbers: None,
            },
            PyArray1::from_vec(py, kept),
        )))
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// Writes these columns as JSON Lines.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || {
            let out = File::create(&path).map_err(|error| of_file(&path, &error))?;
            let mut out = BufWriter::with_capacity(1 << 20, out);
            let lines = |error: ArrowError| unreadable("the collection", &error);
            for batch in &self.batches {
                self.write_lines(batch, &mut out)
                    .map_err(|error| match error {
                        ArrowError::IoError(_, error) => of_file(&path, &error),
                        other => lines(other),
                    })?;
            }
            out.flush().map_err(|error| of_file(&path, &error))
        };
        py.detach(write)
    }

    fn __len__(&self) -> usize {
        self.len()
    }
}

impl Texts {
    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.rows as usize
    }

    /// Returns the collection with one more column.
    fn with(&self, field: Field, column: &ArrayRef) -> Result<Self, ArrowError> {
        let fields = self
            .schema
            .fields()
            .iter()
            .cloned()
            .chain([Arc::new(field)]);
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        // If the collection has no other column, the new column alone determines the number of rows.
        if self.schema.fields().is_empty() {
            let batch = RecordBatch::try_new(schema.clone(), vec![column.clone()])?;
            let (mut batches, rows) = (Vec::new(), batch.num_rows() as u64);
            cut(batch, schema.field(0).name(), &mut batches);
            return Ok(Self {
                schema,
                batches,
                rows,
                numbers: None,
            });
        }
        let (mut batches, mut start) = (Vec::new(), 0);
        for batch in &self.batches {
            let columns = batch
                .columns()
                .iter()
                .cloned()
                .chain([column.slice(start, batch.num_rows())])
                .collect();
            batches.push(RecordBatch::try_new(schema.clone(), columns)?);
            start += batch.num_rows();
        }
        Ok(Self {
            schema,
            batches,
            rows: self.rows,
            numbers: self.numbers.clone(),
        })
    }

    /// Writes the rows of a batch. Values that are JSON already are written unchanged.
    fn write_lines(&self, batch: &RecordBatch, out: &mut impl Write) -> Result<(), ArrowError> {
        let is_json = |at: &usize| self.schema.field(*at).metadata().contains_key(JSON);
        let (raw, plain): (Vec<usize>, Vec<usize>) = (0..batch.num_columns()).partition(is_json);
        let mut lines = Vec::new();
        write_json_lines(&batch.project(&plain)?, Nulls::LeftOut, &mut lines)?;
        for (row, line) in lines.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let mut before = b'{';
            for &at in &raw {
                let values = batch.column(at).as_string::<i64>();
                if values.is_valid(row) {
                    write!(
                        out,
                        "{}{}:{}",
                        before as char,
                        serde_json::Value::from(self.schema.field(at).name().as_str()),
                        values.value(row)
                    )?;
                    before = b',';
                }
            }
            let rest = line.strip_prefix(b"{").unwrap_or(line);
            if before == b'{' || !rest.starts_with(b"}") {
                out.write_all(&[before])?;
            }
            out.write_all(rest)?;
        }
        Ok(())
    }

    /// Returns the collection as an input of a run.
    pub fn input(&self, name: &str) -> PyResult<InputTable> {
        InputTable::new(name, self.schema.clone(), self.batches.clone()).map_err(failed)
    }

    /// Returns whether the ids are row numbers.
    pub fn is_numbered(&self) -> bool {
        self.numbers.is_some()
    }
}

/// Texts in memory, and their name in messages.
pub type Named<'py> = (String, PyRef<'py, Texts>);

/// Returns collections as inputs of a run.
pub fn tables<'py>(texts: impl IntoIterator<Item = Named<'py>>) -> PyResult<Vec<InputTable>> {
    texts
        .into_iter()
        .map(|(name, texts)| texts.input(&name))
        .collect()
}

/// Returns the mask of the rows in which all fields have a value.
fn usable(batch: &RecordBatch, fields: &[String]) -> BooleanArray {
    let mut mask = BooleanBuffer::new_set(batch.num_rows());
    for name in fields {
        let (mut column, mut steps) = (batch.column_by_name(name), name.split('.'));
        if column.is_none() {
            column = steps.next().and_then(|first| batch.column_by_name(first));
        } else {
            steps.by_ref().for_each(drop);
        }
        while let Some(own) = column {
            if let Some(nulls) = own.logical_nulls() {
                mask = &mask & nulls.inner();
            }
            if let Some(texts) = utf8(own) {
                mask = &mask & &texts;
            }
            let structs = own.as_struct_opt();
            column = steps.next().and_then(|step| structs?.column_by_name(step));
        }
    }
    BooleanArray::new(mask, None)
}

/// Returns which values of a binary column are UTF-8, or `None` for columns of other types.
fn utf8(column: &ArrayRef) -> Option<BooleanBuffer> {
    let is_utf8 =
        |bytes: Option<&[u8]>| bytes.is_none_or(|bytes| std::str::from_utf8(bytes).is_ok());
    match column.data_type() {
        DataType::Binary => Some(column.as_binary::<i32>().iter().map(is_utf8).collect()),
        DataType::LargeBinary => Some(column.as_binary::<i64>().iter().map(is_utf8).collect()),
        DataType::BinaryView => Some(column.as_binary_view().iter().map(is_utf8).collect()),
        _ => None,
    }
}

/// Splits a batch with large texts, so that several threads can share the work.
fn cut(batch: RecordBatch, text: &str, into: &mut Vec<RecordBatch>) {
    // A text that is put together from several columns has no column of its name.
    let bytes = batch
        .column_by_name(text)
        .map_or_else(|| batch.columns().iter().map(text_bytes).sum(), text_bytes);
    let pieces = (bytes / PIECE).clamp(1, batch.num_rows().max(1));
    let rows = batch.num_rows().div_ceil(pieces).max(1);
    into.extend(
        (0..batch.num_rows())
            .step_by(rows)
            .map(|start| batch.slice(start, rows.min(batch.num_rows() - start))),
    );
}

/// Returns the number of bytes of a column's texts, or an estimate if that number is expensive to compute for the column's type.
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
        DataType::Utf8View => column
            .as_string_view()
            .lengths()
            .map(|length| length as usize)
            .sum(),
        _ => column.get_array_memory_size(),
    }
}

/// Returns the names of the columns, each with its list.
fn by_name<'py>(columns: &Bound<'py, PyDict>) -> PyResult<Vec<(String, Bound<'py, PyList>)>> {
    let list = |(name, list): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
        Ok((name.extract()?, list.cast_into::<PyList>()?))
    };
    columns.iter().map(list).collect()
}
