//! Marks of rows.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, ListArray, StringArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};

use super::{
    super::{
        added::{AddedNames, Kind},
        marks::{Mark, MarkedSpan},
    },
    ids::{id_type, ids},
    with_columns,
};
use crate::{
    error::{Error, Result},
    read::{RecordBatch, Source},
    write::decisions::plain,
};

/// Marks of rows. They are added as two columns after the columns of the rows: verdicts, and lists of spans.
#[derive(Debug, Clone)]
pub struct RowMarks {
    fields: [FieldRef; 2],
    span: Fields,
    marks: Vec<Mark>,
}

impl RowMarks {
    /// Returns empty marks, if marks are added to records.
    pub fn wanted(names: &AddedNames, source: &Source) -> Option<Self> {
        (names.kind() == Kind::Marks).then(|| Self::new(names, source))
    }

    /// Creates empty marks.
    pub(super) fn new(names: &AddedNames, source: &Source) -> Self {
        let field = |name: &str, kind, nullable| Arc::new(Field::new(name, kind, nullable));
        let whole = |name| field(name, DataType::Int64, false);
        let span = Fields::from_iter([
            whole("start"),
            whole("end"),
            field("insert", DataType::Utf8, true),
            whole("tokens"),
            field("source", id_type(source), false),
            whole("source_start"),
            whole("source_end"),
        ]);
        let spans = DataType::List(item(&span));
        let fields = [
            field(&names.all()[0], DataType::Utf8, false),
            field(&names.all()[1], spans, false),
        ];
        Self {
            fields,
            span,
            marks: Vec::new(),
        }
    }

    pub(super) fn fields(&self) -> &[FieldRef] {
        &self.fields
    }

    /// Adds the mark of the next row.
    pub fn push(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// Returns rows with their marks; each row must have a mark. There are no marks afterwards.
    pub(crate) fn onto(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let marks = std::mem::take(&mut self.marks);
        let spans = || marks.iter().flat_map(|mark| &mark.spans);
        let whole = |of: fn(&MarkedSpan) -> usize| -> ArrayRef {
            Arc::new(Int64Array::from_iter_values(
                spans().map(|span| of(span) as i64),
            ))
        };
        let sources: Vec<_> = spans().map(|span| plain(span.source.get())).collect();
        let columns = vec![
            whole(|span| span.start),
            whole(|span| span.end),
            Arc::new(StringArray::from_iter(spans().map(|span| {
                Some(&*span.insert).filter(|insert| !insert.is_empty())
            }))),
            whole(|span| span.tokens as usize),
            ids(
                self.span[4].data_type(),
                sources.iter().map(|source| Some(&**source)),
            )?,
            whole(|span| span.source_start),
            whole(|span| span.source_end),
        ];
        let lists = || -> std::result::Result<ListArray, ArrowError> {
            let spans = StructArray::try_new(self.span.clone(), columns, None)?;
            let lengths = OffsetBuffer::from_lengths(marks.iter().map(|mark| mark.spans.len()));
            ListArray::try_new(item(&self.span), lengths, Arc::new(spans), None)
        };
        let lists = lists().map_err(|error| Error::failure(error.to_string()))?;
        let verdicts = StringArray::from_iter_values(marks.iter().map(|mark| mark.verdict));
        with_columns(batch, &self.fields, &[Arc::new(verdicts), Arc::new(lists)])
    }
}

/// Returns the field of the items of a list of spans.
fn item(span: &Fields) -> FieldRef {
    Arc::new(Field::new("item", DataType::Struct(span.clone()), false))
}
