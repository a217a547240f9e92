//! What a run decided, held in little, given as columns and as lines.

use std::{
    io::{self, BufWriter, Write},
    ops::Range,
    path::PathBuf,
    sync::Arc,
};

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lookalike::{Reason, verify::Measure};
use lookalike_engine::{Decided, Likeness, Representative, reason_name};
use numpy::PyArray1;
use pyo3::{
    exceptions::PyIndexError,
    prelude::*,
    types::{PyBytes, PyList},
};

use super::{
    ids::{Ids, named},
    stream::{Columns, Rows},
};
use crate::error::of_file;

/// 5 bytes a document, 56 a dropped one, and the ids.
pub struct Store {
    ids: Ids,
    reasons: Vec<Reason>,
    sizes: Vec<u32>,
    /// In input order.
    dropped: Vec<Dropped>,
    measure: Measure,
}

#[derive(Clone, Copy)]
struct Dropped {
    row: u64,
    representative: u64,
    likeness: Likeness,
}

impl Dropped {
    /// What was measured.
    fn similarity(&self, measure: Measure) -> Option<f64> {
        let [resemblance, containment, _] = self.likeness.figures();
        match measure {
            Measure::Resemblance => resemblance,
            Measure::Containment => containment,
        }
    }
}

impl Store {
    pub fn new(ids: Ids, measure: Measure) -> Self {
        Self { ids, reasons: Vec::new(), sizes: Vec::new(), dropped: Vec::new(), measure }
    }

    pub fn push(&mut self, decided: &Decided) {
        let row = self.reasons.len() as u64;
        self.ids.push(decided.id);
        self.reasons.push(decided.reason);
        self.sizes.push(decided.cluster_size);
        let dropped = |r: Representative| Dropped { row, representative: r.row, likeness: decided.likeness };
        self.dropped.extend(decided.representative.map(dropped));
    }

    /// Those that were dropped, of some rows.
    fn of(&self, rows: Range<u64>) -> &[Dropped] {
        let at = |row| self.dropped.partition_point(|dropped| dropped.row < row);
        &self.dropped[at(rows.start)..at(rows.end)]
    }

    /// Something of each row's fate.
    fn each<'a, T>(&'a self, rows: Range<u64>, of: impl Fn(&Dropped) -> Option<T> + 'a) -> impl Iterator<Item = Option<T>> + 'a {
        let mut dropped = self.of(rows.clone()).iter().peekable();
        rows.map(move |row| dropped.next_if(|dropped| dropped.row == row).and_then(&of))
    }

    fn lines(&self, out: &mut impl Write) -> io::Result<()> {
        let (mut line, mut room, mut other) = (Vec::new(), String::new(), String::new());
        let mut dropped = self.dropped.iter().peekable();
        for (row, (&reason, &cluster_size)) in (0..).zip(self.reasons.iter().zip(&self.sizes)) {
            let dropped = dropped.next_if(|dropped| dropped.row == row);
            let representative = dropped.map(|dropped| dropped.representative);
            let decided = Decided {
                id: self.ids.json(row, &mut room),
                reason,
                representative: match representative {
                    None => None,
                    Some(row) => Some(Representative { row, id: self.ids.json(row, &mut other), place: None }),
                },
                likeness: dropped.map_or(Likeness::Same, |dropped| dropped.likeness),
                cluster_size,
            };
            line.clear();
            decided.write_line(&mut line).map_err(io::Error::other)?;
            out.write_all(&line)?;
        }
        Ok(())
    }
}

/// What was decided about each document, as `Report` has it.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Decisions {
    store: Arc<Store>,
}

impl Decisions {
    pub fn of(store: Store) -> Self {
        Self { store: Arc::new(store) }
    }
}

#[pymethods]
impl Decisions {
    fn __len__(&self) -> usize {
        self.store.reasons.len()
    }

    /// Which documents stay.
    fn kept<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mut kept = vec![true; self.store.reasons.len()];
        self.store.dropped.iter().for_each(|dropped| kept[dropped.row as usize] = false);
        PyArray1::from_vec(py, kept)
    }

    /// The row of each document's representative; its own where it stays.
    fn representatives<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mut rows: Vec<i64> = (0..self.store.reasons.len() as i64).collect();
        self.store.dropped.iter().for_each(|dropped| rows[dropped.row as usize] = dropped.representative as i64);
        PyArray1::from_vec(py, rows)
    }

    /// How similar each dropped document is to its representative, by what was measured; nan where nobody looked.
    fn similarities<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let measure = self.store.measure;
        let of = |dropped: &Dropped| dropped.similarity(measure).unwrap_or(f64::NAN);
        PyArray1::from_iter(py, self.store.dropped.iter().map(of))
    }

    /// A row a document.
    fn columns(&self) -> Columns {
        Columns::of(Arc::new(All(self.store.clone())))
    }

    /// A row a dropped document: its id, its representative's, and how similar they are.
    fn pairs(&self) -> Columns {
        Columns::of(Arc::new(Fates(self.store.clone())))
    }

    /// The ids of documents, by their rows.
    fn ids<'py>(&self, py: Python<'py>, rows: Vec<usize>) -> PyResult<Bound<'py, PyList>> {
        let (ids, mut room) = (&self.store.ids, String::new());
        let list = PyList::empty(py);
        for row in rows {
            if row >= self.store.reasons.len() {
                return Err(PyIndexError::new_err(format!("row {row} of {}", self.store.reasons.len())));
            }
            list.append(named(py, ids.json(row as u64, &mut room))?)?;
        }
        Ok(list)
    }

    /// The lines of the command's decisions file.
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut lines = Vec::new();
        py.detach(|| self.store.lines(&mut lines))?;
        Ok(PyBytes::new(py, &lines))
    }

    /// Writes these lines to a file.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || {
            let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(&path)?);
            self.store.lines(&mut out)?;
            out.flush()
        };
        py.detach(write).map_err(|error| of_file(&path, &error))
    }
}

/// Every document.
struct All(Arc<Store>);

impl Rows for All {
    fn schema(&self) -> SchemaRef {
        let id = self.0.ids.data_type();
        Arc::new(Schema::new(vec![
            Field::new("row", DataType::Int64, false),
            Field::new("id", id.clone(), false),
            Field::new("verdict", DataType::Utf8, false),
            Field::new("reason", DataType::Utf8, false),
            Field::new("representative", id, true),
            Field::new("representative_row", DataType::Int64, true),
            Field::new("resemblance", DataType::Float64, true),
            Field::new("containment", DataType::Float64, true),
            Field::new("containment_of_representative", DataType::Float64, true),
            Field::new("cluster_size", DataType::UInt32, false),
            Field::new("estimated", DataType::Boolean, false),
        ]))
    }

    fn len(&self) -> u64 {
        self.0.reasons.len() as u64
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let (store, places) = (&self.0, rows.start as usize..rows.end as usize);
        let verdicts = store.each(rows.clone(), |_| Some("dropped")).map(|verdict| Some(verdict.unwrap_or("kept")));
        let reasons = store.reasons[places.clone()].iter().map(|&reason| Some(reason_name(reason)));
        let figure = |which: usize| -> ArrayRef {
            let figures = store.each(rows.clone(), move |dropped| dropped.likeness.figures()[which]);
            Arc::new(figures.collect::<Float64Array>())
        };
        let estimated = store.each(rows.clone(), |dropped| Some(dropped.likeness.is_estimated()));
        let representatives = || store.each(rows.clone(), |dropped| Some(dropped.representative));
        RecordBatch::try_new(
            self.schema(),
            vec![
                Arc::new(Int64Array::from_iter_values(rows.start as i64..rows.end as i64)),
                store.ids.range(rows.clone()),
                Arc::new(verdicts.collect::<StringArray>()),
                Arc::new(reasons.collect::<StringArray>()),
                store.ids.column(representatives()),
                Arc::new(representatives().map(|row| Some(row? as i64)).collect::<Int64Array>()),
                figure(0),
                figure(1),
                figure(2),
                Arc::new(UInt32Array::from(store.sizes[places].to_vec())),
                Arc::new(estimated.map(|estimated| Some(estimated.unwrap_or(false))).collect::<BooleanArray>()),
            ],
        )
    }
}

/// Dropped documents.
struct Fates(Arc<Store>);

impl Rows for Fates {
    fn schema(&self) -> SchemaRef {
        let id = self.0.ids.data_type();
        Arc::new(Schema::new(vec![
            Field::new("dropped", id.clone(), false),
            Field::new("representative", id, false),
            Field::new("similarity", DataType::Float64, true),
        ]))
    }

    fn len(&self) -> u64 {
        self.0.dropped.len() as u64
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let dropped = &self.0.dropped[rows.start as usize..rows.end as usize];
        let similarities = dropped.iter().map(|dropped| dropped.similarity(self.0.measure));
        RecordBatch::try_new(
            self.schema(),
            vec![
                self.0.ids.column(dropped.iter().map(|dropped| Some(dropped.row))),
                self.0.ids.column(dropped.iter().map(|dropped| Some(dropped.representative))),
                Arc::new(similarities.collect::<Float64Array>()),
            ],
        )
    }
}
