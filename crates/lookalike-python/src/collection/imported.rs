//! Arrow data from other libraries, imported through the PyCapsule interface. Each batch is checked before other code reads it.

use std::fmt;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use lookalike_engine::{check_batch, quietly};
use pyo3::{exceptions::PyException, prelude::*};
use pyo3_arrow::input::AnyRecordBatch;

use crate::error::{failed, raise};

/// The reason why data is refused. It is converted to a Python exception as soon as this thread holds the
/// interpreter's lock.
pub enum Refused {
    /// Arrow's message for data that this build does not understand, preceded by the name of the collection.
    Unreadable(String, String),
    /// The data is damaged.
    Failed(lookalike_engine::Error),
}

impl From<Refused> for PyErr {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unreadable(called, what) => unreadable(&called, &what),
            Refused::Failed(error) => failed(error),
        }
    }
}

impl From<Refused> for ArrowError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unreadable(called, what) => Self::CDataInterface(format!("{called}: {what}")),
            Refused::Failed(error) => Self::CDataInterface(error.to_string()),
        }
    }
}

/// Returns the schema and the batches of an object that has `__arrow_c_stream__` or `__arrow_c_array__`, without a copy. Messages
/// refer to the collection as `called`.
///
/// # Errors
/// Fails with `InputError` if this build does not understand the data, or if the conversion panics.
pub fn imported(called: &str, data: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Batches)> {
    let py = data.py();
    let opened = quietly(|| {
        let reader = data
            .extract::<AnyRecordBatch>()
            .and_then(|data| data.into_reader())?;
        Ok((reader.schema(), reader))
    });
    let opened =
        opened.unwrap_or_else(|panic| Err(unreadable(called, &lookalike_engine::said(&*panic))));
    let (schema, reader) = opened.map_err(|error: PyErr| {
        if error.is_instance_of::<PyException>(py) {
            unreadable(called, &error.value(py))
        } else {
            error
        }
    })?;
    Ok((
        schema,
        Batches {
            called: called.into(),
            reader: Some(reader),
            number: 0,
        },
    ))
}

/// An iterator over batches that checks each batch before it returns it.
pub struct Batches {
    called: String,
    /// `None` after a failure.
    reader: Option<Box<dyn RecordBatchReader + Send>>,
    number: usize,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, Refused>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = self.reader.as_mut()?;
        let unreadable = |what: String| Refused::Unreadable(self.called.clone(), what);
        let next = match quietly(|| reader.next()) {
            Ok(next) => next.map(|batch| batch.map_err(|error| unreadable(error.to_string()))),
            Err(panic) => Some(Err(unreadable(lookalike_engine::said(&*panic).into()))),
        };
        let next = next.map(|batch| {
            let batch = batch?;
            check_batch(&self.called, self.number, &batch).map_err(Refused::Failed)?;
            Ok(batch)
        });
        self.number += 1;
        if !matches!(next, Some(Ok(_))) {
            self.reader = None;
        }
        next
    }
}

/// Returns the exception for data that this build does not understand.
pub fn unreadable(called: &str, error: &impl fmt::Display) -> PyErr {
    raise(
        "InputError",
        format!(
            "{called}: has columns that cannot be read ({error}); convert them to strings or numbers first"
        ),
    )
}
