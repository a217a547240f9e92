//! Changed decisions as columns.

use std::{ops::Range, sync::Arc};

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use lookalike_engine::IdKind;
use lookalike_index::{Change, Decided};

use crate::collection::{
    ids::{Ids, column, field},
    stream::Rows,
};

/// Changed decisions. They take about 20 bytes each, 24 more for each decision to drop a document, and the bytes of the ids.
pub struct Changes {
    /// The numbers of the changes, if they are known.
    numbers: Option<Vec<u64>>,
    ids: Ids,
    before: Side,
    after: Side,
}

/// The decisions before or after the changes.
struct Side {
    /// For each change, whether there was a decision, and which.
    verdicts: Vec<Option<&'static str>>,
    /// The decisions to drop a document: the row, and the similarity.
    dropped: Vec<(u64, Option<f64>)>,
    /// The representatives of these.
    representatives: Ids,
}

impl Side {
    fn new() -> Self {
        Self {
            verdicts: Vec::new(),
            dropped: Vec::new(),
            representatives: Ids::given(),
        }
    }

    fn push(&mut self, decided: Option<&Decided>) {
        let row = self.verdicts.len() as u64;
        self.verdicts.push(decided.map(|decided| match decided {
            Decided::Kept => "kept",
            Decided::Dropped {
                representative,
                similarity,
            } => {
                self.dropped.push((row, *similarity));
                self.representatives.push(&representative.to_json());
                "dropped"
            }
        }));
    }

    /// Returns the columns of a range of rows.
    fn columns(&self, rows: Range<u64>, kind: IdKind) -> [ArrayRef; 3] {
        let verdicts = self.verdicts[rows.start as usize..rows.end as usize]
            .iter()
            .copied()
            .collect::<StringArray>();
        let first = self.dropped.partition_point(|(row, _)| *row < rows.start);
        let each = || {
            let mut dropped = (first as u64..).zip(&self.dropped[first..]).peekable();
            rows.clone()
                .map(move |row| dropped.next_if(|(_, (of, _))| *of == row))
        };
        let representatives = each().map(|dropped| Some(self.representatives.written(dropped?.0)));
        let similarities = each().map(|dropped| dropped?.1.1).collect::<Float64Array>();
        [
            Arc::new(verdicts),
            column(kind, representatives),
            Arc::new(similarities),
        ]
    }
}

impl Changes {
    /// Creates an empty list. With `numbered`, the changes have numbers.
    pub fn new(numbered: bool) -> Self {
        Self {
            numbers: numbered.then(Vec::new),
            ids: Ids::given(),
            before: Side::new(),
            after: Side::new(),
        }
    }

    pub fn push(&mut self, number: u64, change: &Change) {
        if let Some(numbers) = &mut self.numbers {
            numbers.push(number);
        }
        self.ids.push(&change.id.to_json());
        self.before.push(change.before.as_ref());
        self.after.push(change.after.as_ref());
    }

    /// Returns the kind of all columns of ids.
    fn kind(&self) -> IdKind {
        let sides = [&self.before.representatives, &self.after.representatives];
        sides.into_iter().fold(self.ids.kind(), |kind, others| {
            if others.is_empty() {
                kind
            } else {
                kind.with(others.kind())
            }
        })
    }
}

impl Rows for Changes {
    fn schema(&self) -> SchemaRef {
        let kind = self.kind();
        let number = self
            .numbers
            .as_ref()
            .map(|_| Field::new("change", DataType::UInt64, false));
        let fields = [
            field("id", kind, false),
            Field::new("before", DataType::Utf8, true),
            field("before_representative", kind, true),
            Field::new("before_similarity", DataType::Float64, true),
            Field::new("after", DataType::Utf8, true),
            field("after_representative", kind, true),
            Field::new("after_similarity", DataType::Float64, true),
        ];
        Arc::new(Schema::new(
            number.into_iter().chain(fields).collect::<Vec<_>>(),
        ))
    }

    fn len(&self) -> u64 {
        self.before.verdicts.len() as u64
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let kind = self.kind();
        let own = rows.start as usize..rows.end as usize;
        let mut columns: Vec<ArrayRef> = Vec::new();
        if let Some(numbers) = &self.numbers {
            columns.push(Arc::new(UInt64Array::from(numbers[own].to_vec())));
        }
        columns.push(column(
            kind,
            rows.clone().map(|row| Some(self.ids.written(row))),
        ));
        columns.extend(self.before.columns(rows.clone(), kind));
        columns.extend(self.after.columns(rows, kind));
        RecordBatch::try_new(self.schema(), columns)
    }
}
