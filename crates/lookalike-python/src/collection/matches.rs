//! Similar pairs, returned as columns and as lines.

use std::{
    io::{self, Write},
    ops::Range,
    sync::Arc,
};

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lookalike_engine::{Pair, PairFigures};
use pyo3::{prelude::*, types::PyBytes};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    ids::{self, Ids, named},
    stream::{Columns, Rows},
};
use crate::pickles::{Pickled, pickled, unpickled};

/// The similar pairs of a run. They take 72 bytes per pair, and the bytes of the ids of both sides.
#[derive(Serialize, Deserialize)]
pub struct Store {
    a: Ids,
    b: Ids,
    rows: Vec<([u64; 2], PairFigures)>,
    /// Which document of each pair is a reference: the first (0) or the second (1).
    reference: Option<usize>,
}

impl Store {
    /// Creates an empty store. If `numbered`, all ids are row numbers, except the ids of references.
    pub fn new(numbered: bool, reference: Option<usize>) -> Self {
        let ids = |which| {
            if numbered && reference != Some(which) {
                Ids::Rows
            } else {
                Ids::given()
            }
        };
        Self {
            a: ids(0),
            b: ids(1),
            rows: Vec::new(),
            reference,
        }
    }

    /// Completes the store after the last pair. Documents are numbered after all references, so this method subtracts
    /// `references` from the documents' rows, which then count from 0. Without references, it gives both id columns the same
    /// type.
    pub fn ends(&mut self, references: u64) {
        match self.reference {
            Some(which) => self
                .rows
                .iter_mut()
                .for_each(|(documents, _)| documents[1 - which] -= references),
            None => self.a.agree(&mut self.b),
        }
    }

    pub fn push(&mut self, pair: &Pair, numbers: [u64; 2]) {
        self.a.push(pair.a.get());
        self.b.push(pair.b.get());
        self.rows.push((numbers, pair.figures));
    }

    /// Returns the index of a document's id in `ids`: its row if ids are row numbers, otherwise the number of the pair.
    fn place(ids: &Ids, pair: usize, document: u64) -> u64 {
        if matches!(ids, Ids::Rows) {
            document
        } else {
            pair as u64
        }
    }

    /// Returns whether all parts are consistent. This is checked for a store that is read from a pickle.
    fn is_whole(&self) -> bool {
        self.a.are(self.rows.len()) && self.b.are(self.rows.len())
    }

    fn lines(&self, out: &mut impl Write) -> io::Result<()> {
        let (mut scratch, mut other) = (String::new(), String::new());
        for (pair, &([a, b], figures)) in self.rows.iter().enumerate() {
            let a: &RawValue =
                serde_json::from_str(self.a.json(Self::place(&self.a, pair, a), &mut scratch))?;
            let b = serde_json::from_str(self.b.json(Self::place(&self.b, pair, b), &mut other))?;
            serde_json::to_writer(&mut *out, &Pair { a, b, figures })?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// The similar pairs that `lookalike.pairs` finds.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Pairs {
    store: Arc<Store>,
}

impl Pairs {
    pub fn of(store: Store) -> Self {
        Self {
            store: Arc::new(store),
        }
    }
}

#[pymethods]
impl Pairs {
    fn __len__(&self) -> usize {
        self.store.rows.len()
    }

    /// Returns a table with one row per pair.
    fn columns(&self) -> Columns {
        Columns::of(Arc::new(All(self.store.clone())))
    }

    /// Returns the rows from `start` up to, but not including, `end`. A row has the same values as in the table that `columns`
    /// returns.
    fn rows<'py>(&self, py: Python<'py>, start: usize, end: usize) -> PyResult<Vec<Row<'py>>> {
        let (store, mut scratch) = (&*self.store, String::new());
        let end = end.min(store.rows.len());
        let mut id = |ids: &Ids, pair, document| {
            named(
                py,
                ids.json(Store::place(ids, pair, document), &mut scratch),
            )
        };
        let row = |pair: usize| {
            let ([a, b], own) = store.rows[pair];
            let (measured, counted) = figures(own);
            let count = |which: usize| counted.map(|counted| counted[which]);
            let ids = [id(&store.a, pair, a)?, id(&store.b, pair, b)?];
            Ok((ids, [a, b], measured, [0, 1, 2].map(count)))
        };
        (start.min(end)..end).map(row).collect()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py> {
        pickled::<Self>(py, &*self.store)
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        unpickled(bytes, Store::is_whole).map(Self::of)
    }

    /// Returns the lines of the command's output.
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut lines = Vec::new();
        py.detach(|| self.store.lines(&mut lines))?;
        Ok(PyBytes::new(py, &lines))
    }
}

/// Both ids, both rows, the measured similarities, and the counts.
type Row<'py> = (
    [Bound<'py, PyAny>; 2],
    [u64; 2],
    [Option<f64>; 3],
    [Option<u64>; 3],
);

struct All(Arc<Store>);

/// Returns the measured or estimated values of a pair: first the resemblance and both containments, then the intersection and
/// both sizes.
fn figures(figures: PairFigures) -> ([Option<f64>; 3], Option<[u64; 3]>) {
    match figures {
        PairFigures::Counted(f) => (
            [f.resemblance, f.containment_ab, f.containment_ba].map(Some),
            Some([f.intersection, f.size_a, f.size_b]),
        ),
        PairFigures::Resemblance { resemblance } => ([Some(resemblance), None, None], None),
        PairFigures::Containment {
            containment_ab,
            containment_ba,
        } => ([None, Some(containment_ab), Some(containment_ba)], None),
        PairFigures::Unknown {} => ([None; 3], None),
    }
}

const MEASURED: [&str; 3] = ["resemblance", "containment_ab", "containment_ba"];
const COUNTED: [&str; 3] = ["intersection", "size_a", "size_b"];

impl Rows for All {
    fn schema(&self) -> SchemaRef {
        let mut fields = vec![
            ids::field("a", self.0.a.kind(), false),
            ids::field("b", self.0.b.kind(), false),
            Field::new("row_a", DataType::Int64, false),
            Field::new("row_b", DataType::Int64, false),
        ];
        fields.extend(MEASURED.map(|name| Field::new(name, DataType::Float64, true)));
        fields.extend(COUNTED.map(|name| Field::new(name, DataType::UInt64, true)));
        Arc::new(Schema::new(fields))
    }

    fn len(&self) -> u64 {
        self.0.rows.len() as u64
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let places = rows.start as usize..rows.end as usize;
        let pairs = &self.0.rows[places.clone()];
        let ids = |ids: &Ids, which: usize| -> ArrayRef {
            let at = places.clone().zip(pairs);
            ids.column(
                at.map(|(pair, (documents, _))| Some(Store::place(ids, pair, documents[which]))),
            )
        };
        let numbers = |which: usize| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(
                pairs.iter().map(|(documents, _)| documents[which] as i64),
            ))
        };
        let mut columns = vec![ids(&self.0.a, 0), ids(&self.0.b, 1), numbers(0), numbers(1)];
        for which in 0..3 {
            columns.push(Arc::new(
                pairs
                    .iter()
                    .map(|pair| figures(pair.1).0[which])
                    .collect::<Float64Array>(),
            ));
        }
        for which in 0..3 {
            columns.push(Arc::new(
                pairs
                    .iter()
                    .map(|pair| Some(figures(pair.1).1?[which]))
                    .collect::<UInt64Array>(),
            ));
        }
        RecordBatch::try_new(self.schema(), columns)
    }
}
