//! Decisions of a run, stored compactly and returned as columns and as lines.

use std::{
    collections::HashMap,
    io::{self, BufWriter, Write},
    ops::Range,
    path::PathBuf,
    sync::Arc,
};

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lookalike::{Reason, verify::Measure};
use lookalike_engine::{Decided, IdKind, Likeness, Representative, reason_name};
use numpy::PyArray1;
use pyo3::{
    exceptions::PyIndexError,
    prelude::*,
    types::{PyBytes, PyList},
};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::{
    ids::{self, Ids, named},
    references::References,
    stream::{Columns, Rows},
};
use crate::{
    error::of_file,
    pickles::{Pickled, pickled, unpickled},
};

/// The decisions of a run. They take 5 bytes per document and 56 more per dropped document. The ids, and the references that are
/// representatives, take additional memory.
#[derive(Serialize, Deserialize)]
pub struct Store {
    ids: Ids,
    reasons: Vec<Reason>,
    sizes: Vec<u32>,
    /// Dropped documents, in input order.
    dropped: Vec<Dropped>,
    /// The rows whose verdict is the opposite of the law's, in input order.
    #[serde(default)]
    overruled: Vec<u64>,
    references: References,
    /// Whether the run had references.
    against: bool,
    measure: Measure,
    /// The number of ids after those of the documents. They are the ids of representatives that are not in this table.
    #[serde(default)]
    others: u64,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Dropped {
    row: u64,
    representative: Standing,
    likeness: Likeness,
}

/// The representative of a dropped document.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Standing {
    /// Another document, by its row.
    Kept(u64),
    /// One of the [`References`], by its number in that table.
    Reference(u64),
}

impl Standing {
    fn kept(self) -> Option<u64> {
        if let Self::Kept(row) = self {
            Some(row)
        } else {
            None
        }
    }

    fn reference(self) -> Option<u64> {
        if let Self::Reference(number) = self {
            Some(number)
        } else {
            None
        }
    }
}

impl Store {
    pub fn new(ids: Ids, measure: Measure, against: bool) -> Self {
        let (reasons, sizes, dropped, overruled) = Default::default();
        Self {
            ids,
            reasons,
            sizes,
            dropped,
            overruled,
            references: References::default(),
            against,
            measure,
            others: 0,
        }
    }

    pub fn push(&mut self, decided: &Decided) {
        let row = self.reasons.len() as u64;
        self.ids.push(decided.id);
        self.reasons.push(decided.reason);
        self.sizes.push(decided.cluster_size);
        if decided.overruled {
            self.overruled.push(row);
        }
        let Some(representative) = decided.representative else {
            return;
        };
        let representative = match representative.place {
            None => Standing::Kept(representative.row),
            Some(place) => Standing::Reference(self.references.number(representative, place)),
        };
        self.dropped.push(Dropped {
            row,
            representative,
            likeness: decided.likeness,
        });
    }

    /// Finds the rows of all representatives by their ids, if they were not known when the documents were added. `representatives` has
    /// the id of each dropped document's representative. Representatives that are not in this table get numbers after its rows.
    pub fn find_representatives(&mut self, representatives: &Ids) {
        let documents = self.reasons.len() as u64;
        let (mut own, mut other) = (String::new(), String::new());
        let mut rows: HashMap<u128, u64> = HashMap::new();
        let mut dropped = self.dropped.iter().map(|dropped| dropped.row).peekable();
        for row in 0..documents {
            if dropped.next_if_eq(&row).is_none() {
                rows.insert(xxh3_128(self.ids.json(row, &mut own).as_bytes()), row);
            }
        }
        for (number, dropped) in (0..).zip(&mut self.dropped) {
            let id = representatives.json(number, &mut other);
            let row = *rows.entry(xxh3_128(id.as_bytes())).or_insert_with(|| {
                self.ids.push(id);
                self.others += 1;
                documents + self.others - 1
            });
            dropped.representative = Standing::Kept(row);
        }
    }

    /// Returns the row of a representative, if it is in this table.
    fn row(&self, standing: Standing) -> Option<u64> {
        standing
            .kept()
            .filter(|&row| row < self.reasons.len() as u64)
    }

    /// Returns the similarity that was compared with the threshold.
    fn similarity(&self, dropped: &Dropped) -> Option<f64> {
        dropped
            .likeness
            .similarity(self.reasons[dropped.row as usize], self.measure)
    }

    /// Returns the kind of the column that contains the representatives' ids.
    fn kind_of_representatives(&self) -> IdKind {
        self.ids.kind_with(self.references.ids())
    }

    /// Returns the column that contains the representatives' ids.
    fn representatives(&self, of: impl Iterator<Item = Option<Standing>>) -> ArrayRef {
        if !self.against {
            return self.ids.column(of.map(|standing| standing?.kept()));
        }
        let id = |standing| match standing {
            Standing::Kept(row) => self.ids.written(row),
            Standing::Reference(number) => self.references.ids().written(number),
        };
        ids::column(
            self.kind_of_representatives(),
            of.map(|standing| standing.map(id)),
        )
    }

    /// Returns a column with the places (such as file and line) of those representatives that are references.
    fn places(&self, of: impl Iterator<Item = Option<Standing>>) -> ArrayRef {
        Arc::new(
            of.map(|standing| Some(self.references.place(standing?.reference()?)))
                .collect::<StringArray>(),
        )
    }

    /// Returns the dropped documents in a range of rows.
    fn of(&self, rows: Range<u64>) -> &[Dropped] {
        let at = |row| self.dropped.partition_point(|dropped| dropped.row < row);
        &self.dropped[at(rows.start)..at(rows.end)]
    }

    /// Yields one value per row: the result of `of` for dropped rows, `None` for kept rows.
    fn each<'a, T>(
        &'a self,
        rows: Range<u64>,
        of: impl Fn(&Dropped) -> Option<T> + 'a,
    ) -> impl Iterator<Item = Option<T>> + 'a {
        let mut dropped = self.of(rows.clone()).iter().peekable();
        rows.map(move |row| dropped.next_if(|dropped| dropped.row == row).and_then(&of))
    }

    /// Returns whether all parts are consistent. This is checked for a store that is read from a pickle.
    fn is_whole(&self) -> bool {
        let (documents, references) = (self.reasons.len() as u64, self.references.len());
        let fits = |dropped: &Dropped| match dropped.representative {
            Standing::Kept(row) => row < documents + self.others,
            Standing::Reference(number) => references.is_some_and(|count| number < count),
        };
        self.sizes.len() == self.reasons.len()
            && usize::try_from(self.others)
                .is_ok_and(|others| self.ids.are(self.reasons.len().saturating_add(others)))
            && references.is_some()
            && self
                .dropped
                .iter()
                .all(|dropped| dropped.row < documents && fits(dropped))
            && self.dropped.is_sorted_by(|a, b| a.row < b.row)
            && self.overruled.iter().all(|&row| row < documents)
            && self.overruled.is_sorted_by(|a, b| a < b)
    }

    /// Returns whether the verdict about a row is the opposite of the law's.
    fn is_overruled(&self, row: u64) -> bool {
        !self.overruled.is_empty() && self.overruled.binary_search(&row).is_ok()
    }

    fn lines(&self, out: &mut impl Write) -> io::Result<()> {
        let (mut line, mut scratch, mut other) = (Vec::new(), String::new(), String::new());
        let mut dropped = self.dropped.iter().peekable();
        for (row, (&reason, &cluster_size)) in (0..).zip(self.reasons.iter().zip(&self.sizes)) {
            let dropped = dropped.next_if(|dropped| dropped.row == row);
            let decided = Decided {
                id: self.ids.json(row, &mut scratch),
                reason,
                representative: dropped.map(|dropped| match dropped.representative {
                    Standing::Kept(row) => Representative {
                        row,
                        id: self.ids.json(row, &mut other),
                        place: None,
                    },
                    Standing::Reference(number) => self.references.get(number, &mut other),
                }),
                likeness: dropped.map_or(Likeness::Same, |dropped| dropped.likeness),
                cluster_size,
                overruled: self.is_overruled(row),
            };
            line.clear();
            decided.write_line(&mut line).map_err(io::Error::other)?;
            out.write_all(&line)?;
        }
        Ok(())
    }
}

/// The decisions about all documents, as `Report` uses them.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Decisions {
    store: Arc<Store>,
}

impl Decisions {
    pub fn of(store: Store) -> Self {
        Self {
            store: Arc::new(store),
        }
    }
}

#[pymethods]
impl Decisions {
    fn __len__(&self) -> usize {
        self.store.reasons.len()
    }

    /// Returns a mask of the kept documents: a numpy array of bool, one value per row.
    fn kept<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mut kept = vec![true; self.store.reasons.len()];
        self.store
            .dropped
            .iter()
            .for_each(|dropped| kept[dropped.row as usize] = false);
        self.store
            .overruled
            .iter()
            .for_each(|&row| kept[row as usize] ^= true);
        PyArray1::from_vec(py, kept)
    }

    /// Returns the row of each document's representative: its own row if it is kept, -1 if the representative is a reference or
    /// another document that is not in this table.
    fn representatives<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let mut rows: Vec<i64> = (0..self.store.reasons.len() as i64).collect();
        for dropped in &self.store.dropped {
            rows[dropped.row as usize] = self
                .store
                .row(dropped.representative)
                .map_or(-1, |row| row as i64);
        }
        PyArray1::from_vec(py, rows)
    }

    /// Returns how similar each dropped document is to its representative, by the run's measure; nan if this was not measured.
    fn similarities<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let of = |dropped| self.store.similarity(dropped).unwrap_or(f64::NAN);
        PyArray1::from_iter(py, self.store.dropped.iter().map(of))
    }

    /// Returns a table with one row per document.
    fn columns(&self) -> Columns {
        Columns::of(Arc::new(All(self.store.clone())))
    }

    /// Returns a table with one row per dropped document: its id, its representative's id, their similarity, and the place of the
    /// representative if it is a reference.
    fn pairs(&self) -> Columns {
        Columns::of(Arc::new(Fates(self.store.clone())))
    }

    /// Returns the ids of documents, given by their rows.
    fn ids<'py>(&self, py: Python<'py>, rows: Vec<usize>) -> PyResult<Bound<'py, PyList>> {
        let (ids, mut scratch) = (&self.store.ids, String::new());
        let list = PyList::empty(py);
        for row in rows {
            if row >= self.store.reasons.len() {
                return Err(PyIndexError::new_err(format!(
                    "row {row} is out of range: there are {} rows",
                    self.store.reasons.len()
                )));
            }
            list.append(named(py, ids.json(row as u64, &mut scratch))?)?;
        }
        Ok(list)
    }

    /// Returns the lines of the command's decisions file.
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut lines = Vec::new();
        py.detach(|| self.store.lines(&mut lines))?;
        Ok(PyBytes::new(py, &lines))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py> {
        pickled::<Self>(py, &*self.store)
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        unpickled(bytes, Store::is_whole).map(Self::of)
    }

    /// Writes the lines of the command's decisions file to `path`.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let write = || {
            let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(&path)?);
            self.store.lines(&mut out)?;
            out.flush()
        };
        py.detach(write).map_err(|error| of_file(&path, &error))
    }
}

/// All documents, one row each.
struct All(Arc<Store>);

impl Rows for All {
    fn schema(&self) -> SchemaRef {
        let mut fields = vec![
            Field::new("row", DataType::Int64, false),
            ids::field("id", self.0.ids.kind(), false),
            Field::new("verdict", DataType::Utf8, false),
            Field::new("reason", DataType::Utf8, false),
            ids::field("representative", self.0.kind_of_representatives(), true),
            Field::new("representative_row", DataType::Int64, true),
            Field::new("resemblance", DataType::Float64, true),
            Field::new("containment", DataType::Float64, true),
            Field::new("containment_of_representative", DataType::Float64, true),
            Field::new("cluster_size", DataType::UInt32, false),
            Field::new("estimated", DataType::Boolean, false),
        ];
        if self.0.against {
            fields.extend([
                Field::new("reference", DataType::Utf8, true),
                Field::new("reference_row", DataType::Int64, true),
            ]);
        }
        Arc::new(Schema::new(fields))
    }

    fn len(&self) -> u64 {
        self.0.reasons.len() as u64
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let (store, places) = (&self.0, rows.start as usize..rows.end as usize);
        let has_representative = store
            .each(rows.clone(), |_| Some(()))
            .map(|dropped| dropped.is_some());
        let verdicts = rows.clone().zip(has_representative);
        let verdicts = verdicts.map(|(row, dropped)| {
            if dropped != store.is_overruled(row) {
                "dropped"
            } else {
                "kept"
            }
        });
        let reasons = store.reasons[places.clone()]
            .iter()
            .map(|&reason| Some(reason_name(reason)));
        let figure = |which: usize| -> ArrayRef {
            let figures = store.each(rows.clone(), move |dropped| {
                dropped.likeness.figures()[which]
            });
            Arc::new(figures.collect::<Float64Array>())
        };
        let estimated = store.each(rows.clone(), |dropped| {
            Some(dropped.likeness.is_estimated())
        });
        let representatives = || store.each(rows.clone(), |dropped| Some(dropped.representative));
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(
                rows.start as i64..rows.end as i64,
            )),
            store.ids.range(rows.clone()),
            Arc::new(StringArray::from_iter_values(verdicts)),
            Arc::new(reasons.collect::<StringArray>()),
            store.representatives(representatives()),
            Arc::new(
                representatives()
                    .map(|standing| Some(store.row(standing?)? as i64))
                    .collect::<Int64Array>(),
            ),
            figure(0),
            figure(1),
            figure(2),
            Arc::new(UInt32Array::from(store.sizes[places].to_vec())),
            Arc::new(
                estimated
                    .map(|estimated| Some(estimated.unwrap_or(false)))
                    .collect::<BooleanArray>(),
            ),
        ];
        if store.against {
            let row = |standing: Standing| Some(store.references.row(standing.reference()?) as i64);
            let of_references = representatives()
                .map(|standing| row(standing?))
                .collect::<Int64Array>();
            columns.extend([store.places(representatives()), Arc::new(of_references)]);
        }
        RecordBatch::try_new(self.schema(), columns)
    }
}

/// The dropped documents, one row each.
struct Fates(Arc<Store>);

impl Rows for Fates {
    fn schema(&self) -> SchemaRef {
        let mut fields = vec![
            ids::field("dropped", self.0.ids.kind(), false),
            ids::field("representative", self.0.kind_of_representatives(), false),
            Field::new("similarity", DataType::Float64, true),
        ];
        if self.0.against {
            fields.push(Field::new("reference", DataType::Utf8, true));
        }
        Arc::new(Schema::new(fields))
    }

    fn len(&self) -> u64 {
        self.0.dropped.len() as u64
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let (store, dropped) = (
            &self.0,
            &self.0.dropped[rows.start as usize..rows.end as usize],
        );
        let representatives = || dropped.iter().map(|dropped| Some(dropped.representative));
        let similarities = dropped.iter().map(|dropped| store.similarity(dropped));
        let mut columns: Vec<ArrayRef> = vec![
            store
                .ids
                .column(dropped.iter().map(|dropped| Some(dropped.row))),
            store.representatives(representatives()),
            Arc::new(similarities.collect::<Float64Array>()),
        ];
        if store.against {
            columns.push(store.places(representatives()));
        }
        RecordBatch::try_new(self.schema(), columns)
    }
}
