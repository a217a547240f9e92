//! The remaining texts of documents in memory.

use std::{ops::Range, sync::Arc};

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{DataType, Field, SchemaRef};
use lookalike_engine::with_texts as replaced;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::{
    exceptions::PyIndexError,
    prelude::*,
    types::{PyCapsule, PyList, PyString},
};
use pyo3_arrow::{
    error::PyArrowResult,
    ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule},
};

use crate::collection::imported::{Refused, imported};

/// Texts, and the rows of the documents whose texts they are, in input order.
#[pyclass(frozen, module = "lookalike._lookalike")]
#[derive(Default)]
pub struct CutTexts {
    rows: Vec<u64>,
    text: String,
    ends: Vec<usize>,
}

impl CutTexts {
    pub fn push(&mut self, row: u64, text: &str) {
        self.rows.push(row);
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    fn text(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[number]]
    }

    /// Returns a range of texts by their numbers.
    ///
    /// # Errors
    /// Fails with `IndexError` if there are fewer texts.
    fn range(&self, range: Range<usize>) -> PyResult<impl Iterator<Item = &str>> {
        if range.start > range.end || range.end > self.ends.len() {
            let words = format!(
                "texts {} to {} are out of range: there are {}",
                range.start,
                range.end,
                self.ends.len()
            );
            return Err(PyIndexError::new_err(words));
        }
        Ok(range.map(|number| self.text(number)))
    }
}

#[pymethods]
impl CutTexts {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// Returns the rows of the documents.
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.rows.iter().map(|&row| row as i64))
    }

    /// Returns the texts from one number to another.
    fn texts<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for text in self.range(start..end)? {
            list.append(PyString::new(py, text))?;
        }
        Ok(list)
    }
}

/// Rows that any library can read through the Arrow PyCapsule interface, any number of times.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct CutRows {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl CutRows {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, &*self.schema)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let kind = DataType::Struct(self.schema.fields().clone());
        let field = Field::new("", kind, false).with_metadata(self.schema.metadata().clone());
        let batches = self
            .batches
            .clone()
            .into_iter()
            .map(|batch| Ok(Arc::new(StructArray::from(batch)) as ArrayRef));
        to_stream_pycapsule(
            py,
            Box::new(ArrayIterator::new(batches, Arc::new(field))),
            requested_schema,
        )
    }
}

/// Returns the kept rows of Arrow data, of which some have other texts. These are the rows in `rows`, and their texts begin with the one
/// that has the given number. The types do not change. `column` has the name of the collection, for messages, and the column or field
/// of the texts.
#[pyfunction]
pub fn with_texts<'py>(
    py: Python<'py>,
    column: (String, String),
    data: &Bound<'py, PyAny>,
    kept: PyReadonlyArray1<'py, bool>,
    rows: PyReadonlyArray1<'py, i64>,
    texts: (PyRef<'py, CutTexts>, usize),
) -> PyResult<CutRows> {
    let ((called, field), (texts, first)) = (column, texts);
    let (schema, reader) = imported(&called, data)?;
    let (kept, rows) = (kept.as_array().to_vec(), rows.as_array().to_vec());
    let mut all: Vec<Option<&str>> = vec![None; kept.len()];
    for (row, text) in rows.iter().zip(texts.range(first..first + rows.len())?) {
        let place = usize::try_from(*row).ok().and_then(|row| all.get_mut(row));
        *place.ok_or_else(|| {
            PyIndexError::new_err(format!(
                "row {row} is out of range: there are {}",
                kept.len()
            ))
        })? = Some(text);
    }
    let batches = py.detach(|| {
        let (mut batches, mut start) = (Vec::new(), 0);
        for batch in reader {
            let batch = batch?;
            let end = kept.len().min(start + batch.num_rows());
            let made = replaced(&called, &batch, &field, &all[start..end], &kept[start..end]);
            let advice = "convert the column to strings first";
            batches.push(made.map_err(|error| Refused::Failed(error.advise(advice)))?);
            start = end;
        }
        Ok::<_, Refused>(batches)
    })?;
    Ok(CutRows { schema, batches })
}
