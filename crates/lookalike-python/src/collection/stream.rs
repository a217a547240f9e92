//! Columns that are produced while they are read. Python libraries read them through the Arrow PyCapsule interface.

use std::{ops::Range, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use arrow_select::filter::filter_record_batch;
use numpy::PyReadonlyArray1;
use pyo3::{prelude::*, types::PyCapsule};
use pyo3_arrow::{
    PyRecordBatchReader,
    error::PyArrowResult,
    ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule},
};

use super::imported::imported;

/// Returns the kept rows of data whose types pyarrow cannot filter. The result is a pyarrow reader that filters while it is read.
#[pyfunction]
pub fn filtered<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    kept: PyReadonlyArray1<'py, bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let (schema, reader) = imported("the collection", data)?;
    let (kept, mut start) = (BooleanArray::from(kept.as_array().to_vec()), 0);
    let batches = reader.map(move |batch| {
        let batch = batch?;
        let rows = batch.num_rows().min(kept.len() - start);
        let own = kept.slice(start, rows);
        start += rows;
        filter_record_batch(&batch, &own)
    });
    let batches: Box<dyn RecordBatchReader + Send> =
        Box::new(RecordBatchIterator::new(batches, schema));
    PyRecordBatchReader::new(batches).into_pyarrow(py)
}

/// Rows per batch.
const BATCH: u64 = 1 << 16;

/// A source of rows.
pub trait Rows: Send + Sync {
    /// Returns the schema of the columns.
    fn schema(&self) -> SchemaRef;
    /// Returns the number of rows.
    fn len(&self) -> u64;
    /// Returns a range of rows as one batch.
    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError>;
}

/// A table of Arrow columns, readable by any library that supports the Arrow PyCapsule interface: `pyarrow.table(columns)`,
/// `polars.DataFrame(columns)`, `pandas.DataFrame.from_arrow(columns)`.
///
/// The columns are produced while they are read, 65,536 rows at a time. They can be read any number of times.
#[pyclass(frozen, module = "lookalike")]
pub struct Columns {
    rows: Arc<dyn Rows>,
}

impl Columns {
    pub fn of(rows: Arc<dyn Rows>) -> Self {
        Self { rows }
    }

    fn field(&self) -> Field {
        Field::new(
            "",
            DataType::Struct(self.rows.schema().fields().clone()),
            false,
        )
    }
}

#[pymethods]
impl Columns {
    fn __len__(&self) -> usize {
        self.rows.len() as usize
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.rows
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, &*self.rows.schema())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let (rows, all) = (self.rows.clone(), self.rows.len());
        let batches = (0..all).step_by(BATCH as usize).map(move |start| {
            let batch = rows.batch(start..all.min(start + BATCH))?;
            Ok(Arc::new(StructArray::from(batch)) as ArrayRef)
        });
        to_stream_pycapsule(
            py,
            Box::new(ArrayIterator::new(batches, Arc::new(self.field()))),
            requested_schema,
        )
    }

    fn __repr__(&self) -> String {
        format!(
            "Columns({}, {} rows)",
            self.column_names().join(", "),
            self.rows.len()
        )
    }
}
