//! The places of cuts, stored compactly and returned as columns.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use arrow_array::{ArrayRef, Int64Array, LargeStringArray, RecordBatch, StringArray, UInt32Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lookalike_engine::{CutDocument, IdKind, Representative};
use numpy::PyArray1;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    collection::{
        ids::{self, Ids},
        references::References,
        stream::{Columns, Rows},
    },
    pickles::{Pickled, pickled, unpickled},
};

/// The cuts of a run. They take 64 bytes each, 16 more for each document that has one, and about 100 for each source. The ids take
/// additional memory.
#[derive(Serialize, Deserialize)]
pub struct Store {
    /// Whether the ids of the documents are numbers of rows.
    are_numbered: bool,
    /// Whether the run had references.
    against: bool,
    /// The documents with cuts, in input order: their rows and whether they are dropped.
    documents: Vec<(u64, bool)>,
    ids: Ids,
    cuts: Vec<Cut>,
    /// What replaces the characters of a cut, if anything.
    inserts: BTreeMap<u64, String>,
    /// The documents of the collection that keep what was cut.
    sources: References,
    references: References,
}

/// A cut, in characters.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Cut {
    /// The number of the document among those with cuts.
    document: u64,
    start: u64,
    end: u64,
    /// The number of the source among the sources, or among the references.
    source: u64,
    source_start: u64,
    source_end: u64,
    tokens: u32,
    is_of_reference: bool,
}

impl Store {
    pub fn new(ids: &Ids, against: bool) -> Self {
        Self {
            are_numbered: matches!(ids, Ids::Rows),
            against,
            documents: Vec::new(),
            ids: Ids::given(),
            cuts: Vec::new(),
            inserts: BTreeMap::new(),
            sources: References::default(),
            references: References::default(),
        }
    }

    /// Adds the cuts of a document.
    pub fn push(&mut self, document: &CutDocument) {
        if document.cuts.is_empty() && !document.is_dropped {
            return;
        }
        let number = self.documents.len() as u64;
        self.documents.push((document.row, document.is_dropped));
        self.ids.push(document.id);
        for cut in document.cuts {
            let place = cut.reference.as_deref();
            let source = Representative {
                row: cut.source_row,
                id: cut.source.get(),
                place,
            };
            let source = match place {
                Some(place) => self.references.number(source, place),
                None => self.sources.number(source, ""),
            };
            if !cut.insert.is_empty() {
                self.inserts
                    .insert(self.cuts.len() as u64, cut.insert.to_string());
            }
            self.cuts.push(Cut {
                document: number,
                start: cut.start as u64,
                end: cut.end as u64,
                source,
                source_start: cut.source_start as u64,
                source_end: cut.source_end as u64,
                tokens: cut.tokens,
                is_of_reference: place.is_some(),
            });
        }
    }

    /// Returns the kind of the column that contains the ids of documents.
    fn kind(&self) -> IdKind {
        if self.are_numbered {
            IdKind::Integers
        } else {
            self.ids.kind_with(self.sources.ids())
        }
    }

    /// Returns the kind of the column that contains the ids of sources.
    fn kind_of_sources(&self) -> IdKind {
        if self.references.ids().is_empty() {
            self.kind()
        } else {
            self.kind().with(self.references.ids().kind())
        }
    }

    /// Returns whether all parts are consistent. This is checked for a store that is read from a pickle.
    fn is_whole(&self) -> bool {
        let (documents, sources, references) = (
            self.documents.len(),
            self.sources.len(),
            self.references.len(),
        );
        let is_there = |cut: &Cut| {
            let count = if cut.is_of_reference {
                references
            } else {
                sources
            };
            cut.document < documents as u64 && count.is_some_and(|count| cut.source < count)
        };
        self.ids.are(documents)
            && sources.is_some()
            && references.is_some()
            && self.cuts.iter().all(is_there)
    }
}

/// The cuts of a run, as `CutReport` uses them.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub struct Cuts {
    store: Arc<Store>,
}

impl Cuts {
    pub fn of(store: Store) -> Self {
        Self {
            store: Arc::new(store),
        }
    }
}

#[pymethods]
impl Cuts {
    fn __len__(&self) -> usize {
        self.store.cuts.len()
    }

    /// Returns the rows of the documents from which something was cut, and that are not dropped.
    fn cut<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.rows(py, false)
    }

    /// Returns the rows of the documents that are dropped.
    fn dropped<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.rows(py, true)
    }

    /// Returns a table with one row per cut.
    fn columns(&self) -> Columns {
        Columns::of(Arc::new(All(self.store.clone())))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Pickled<'py> {
        pickled::<Self>(py, &*self.store)
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        unpickled(bytes, Store::is_whole).map(Self::of)
    }
}

impl Cuts {
    fn rows<'py>(&self, py: Python<'py>, are_dropped: bool) -> Bound<'py, PyArray1<i64>> {
        let rows = self
            .store
            .documents
            .iter()
            .filter(|(_, is_dropped)| *is_dropped == are_dropped);
        PyArray1::from_iter(py, rows.map(|&(row, _)| row as i64))
    }
}

/// All cuts, one row each.
struct All(Arc<Store>);

impl Rows for All {
    fn schema(&self) -> SchemaRef {
        let whole = |name: &str| Field::new(name, DataType::Int64, false);
        let mut fields = vec![
            whole("row"),
            ids::field("id", self.0.kind(), false),
            Field::new("verdict", DataType::Utf8, false),
            whole("start"),
            whole("end"),
            Field::new("insert", DataType::LargeUtf8, true),
            Field::new("tokens", DataType::UInt32, false),
            ids::field("source", self.0.kind_of_sources(), false),
            Field::new("source_row", DataType::Int64, true),
            whole("source_start"),
            whole("source_end"),
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
        self.0.cuts.len() as u64
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let store = &self.0;
        let cuts = &store.cuts[rows.start as usize..rows.end as usize];
        let whole = |of: fn(&Cut) -> u64| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(
                cuts.iter().map(|cut| of(cut) as i64),
            ))
        };
        let document = |cut: &Cut| store.documents[cut.document as usize];
        let source_id = |cut: &Cut| {
            if cut.is_of_reference {
                store.references.ids().written(cut.source)
            } else {
                store.sources.ids().written(cut.source)
            }
        };
        let source_row =
            |cut: &Cut| (!cut.is_of_reference).then(|| store.sources.row(cut.source) as i64);
        let verdict = |cut: &Cut| if document(cut).1 { "dropped" } else { "cut" };
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(
                cuts.iter().map(|cut| document(cut).0 as i64),
            )),
            ids::column(
                store.kind(),
                cuts.iter().map(|cut| Some(store.ids.written(cut.document))),
            ),
            Arc::new(StringArray::from_iter_values(cuts.iter().map(verdict))),
            whole(|cut| cut.start),
            whole(|cut| cut.end),
            Arc::new(
                rows.map(|number| store.inserts.get(&number))
                    .collect::<LargeStringArray>(),
            ),
            Arc::new(UInt32Array::from_iter_values(
                cuts.iter().map(|cut| cut.tokens),
            )),
            ids::column(
                store.kind_of_sources(),
                cuts.iter().map(|cut| Some(source_id(cut))),
            ),
            Arc::new(cuts.iter().map(source_row).collect::<Int64Array>()),
            whole(|cut| cut.source_start),
            whole(|cut| cut.source_end),
        ];
        if store.against {
            let places = cuts.iter().map(|cut| {
                cut.is_of_reference
                    .then(|| store.references.place(cut.source))
            });
            let rows = cuts.iter().map(|cut| {
                cut.is_of_reference
                    .then(|| store.references.row(cut.source) as i64)
            });
            columns.extend([
                Arc::new(places.collect::<StringArray>()) as ArrayRef,
                Arc::new(rows.collect::<Int64Array>()),
            ]);
        }
        RecordBatch::try_new(self.schema(), columns)
    }
}
