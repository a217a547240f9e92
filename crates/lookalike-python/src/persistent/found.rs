//! Documents that were found for many texts, as columns.

use std::{ops::Range, sync::Arc};

use arrow_array::{
    ArrayRef, Float64Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use lookalike_engine::IdKind;

use super::searching::{Answer, Passage};
use crate::collection::{
    ids::{Ids, column, field},
    stream::Rows,
};

/// What was found. A row takes 56 bytes, the bytes of both ids, and those of the passages.
pub struct FoundRows {
    queries: Ids,
    ids: Ids,
    rows: Vec<(bool, [Option<f64>; 4])>,
    /// The passages of all rows, if they are wanted, and where those of each row end.
    passages: Option<(Vec<Passage>, Vec<u64>)>,
}

/// The names of the numbers of a passage.
const PLACES: [&str; 5] = [
    "start",
    "end",
    "start_of_document",
    "end_of_document",
    "tokens",
];

impl FoundRows {
    pub fn new(passages: bool) -> Self {
        let passages = passages.then(|| (Vec::new(), Vec::new()));
        Self {
            queries: Ids::given(),
            ids: Ids::given(),
            rows: Vec::new(),
            passages,
        }
    }

    /// Adds a document that was found for the text with the id `query`, which is JSON.
    pub fn push(&mut self, query: &str, answer: Answer) {
        self.queries.push(query);
        self.ids.push(&answer.found.id.to_json());
        self.rows.push((answer.found.is_kept, answer.figures()));
        if let Some((all, ends)) = &mut self.passages {
            all.extend(answer.passages.unwrap_or_default());
            ends.push(all.len() as u64);
        }
    }

    fn fields_of_passages() -> Fields {
        let places = PLACES.map(|name| Field::new(name, DataType::Int64, false));
        places
            .into_iter()
            .chain([Field::new("text", DataType::Utf8, false)])
            .collect()
    }

    fn kinds(&self) -> [IdKind; 2] {
        [self.queries.kind(), self.ids.kind()]
    }
}

impl Rows for FoundRows {
    fn schema(&self) -> SchemaRef {
        let [query, id] = self.kinds();
        let mut fields = vec![
            field("query", query, false),
            field("id", id, false),
            Field::new("verdict", DataType::Utf8, false),
        ];
        let figures = [
            "similarity",
            "resemblance",
            "containment",
            "containment_of_document",
        ];
        fields
            .extend(figures.map(|name| Field::new(name, DataType::Float64, name != "similarity")));
        if self.passages.is_some() {
            let item = Field::new("item", DataType::Struct(Self::fields_of_passages()), false);
            fields.push(Field::new(
                "passages",
                DataType::List(Arc::new(item)),
                false,
            ));
        }
        Arc::new(Schema::new(fields))
    }

    fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    fn batch(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let [query, id] = self.kinds();
        let own = &self.rows[rows.start as usize..rows.end as usize];
        let ids = |ids: &Ids, kind| {
            column(
                kind,
                rows.clone()
                    .map(|row| Some(ids.written(row)))
                    .collect::<Vec<_>>()
                    .into_iter(),
            )
        };
        let mut columns: Vec<ArrayRef> = vec![ids(&self.queries, query), ids(&self.ids, id)];
        let verdicts = own
            .iter()
            .map(|(is_kept, _)| Some(if *is_kept { "kept" } else { "dropped" }));
        columns.push(Arc::new(verdicts.collect::<StringArray>()));
        for which in 0..4 {
            columns.push(Arc::new(
                own.iter()
                    .map(|(_, figures)| figures[which])
                    .collect::<Float64Array>(),
            ));
        }
        if let Some((all, ends)) = &self.passages {
            let end =
                |row: u64| row.checked_sub(1).map_or(0, |before| ends[before as usize]) as usize;
            let passages = &all[end(rows.start)..end(rows.end)];
            let numbers = (0..PLACES.len()).map(|which| -> ArrayRef {
                Arc::new(Int64Array::from_iter_values(
                    passages
                        .iter()
                        .map(|passage| passage.places()[which] as i64),
                ))
            });
            let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
                passages.iter().map(|passage| &passage.text),
            ));
            let values = StructArray::try_new(
                Self::fields_of_passages(),
                numbers.chain([texts]).collect(),
                None,
            )?;
            let offsets =
                OffsetBuffer::from_lengths(rows.clone().map(|row| end(row + 1) - end(row)));
            let item = Arc::new(Field::new(
                "item",
                DataType::Struct(Self::fields_of_passages()),
                false,
            ));
            columns.push(Arc::new(ListArray::try_new(
                item,
                offsets,
                Arc::new(values),
                None,
            )?));
        }
        RecordBatch::try_new(self.schema(), columns)
    }
}
