//! Writes the kept rows of tables as a table.

mod ids;

mod labels;

mod marks;

use std::{ops::Range, sync::Arc};

use arrow_array::ArrayRef;
use arrow_schema::{FieldRef, Schema};

pub use self::{labels::RowLabels, marks::RowMarks};
use super::added::{AddedNames, Kind};
use crate::{
    error::{Error, Result},
    format::OutputFormat,
    read::{Layout, RecordBatch, Source, table::Format},
    write::{
        output::Output,
        table::{TableOutput, format, one_schema, refuse_others},
    },
};

/// A table that is being written.
pub(crate) struct KeptRows(TableOutput<Output>);

/// Returns rows with more columns.
fn with_columns(
    batch: &RecordBatch,
    fields: &[FieldRef],
    columns: &[ArrayRef],
) -> Result<RecordBatch> {
    let schema = with_fields(batch.schema_ref(), fields);
    let columns = batch.columns().iter().chain(columns).cloned().collect();
    RecordBatch::try_new(Arc::new(schema), columns)
        .map_err(|error| Error::failure(error.to_string()))
}

/// Returns a schema with more fields.
fn with_fields(schema: &Schema, fields: &[FieldRef]) -> Schema {
    let all: Vec<FieldRef> = schema.fields().iter().chain(fields).cloned().collect();
    Schema::new_with_metadata(all, schema.metadata().clone())
}

/// Rejects names that columns already have.
pub fn refuse_table_names(names: &AddedNames, source: &Source) -> Result<()> {
    for table in source.layouts() {
        let has = |name: &&String| table.layout.schema.column_with_name(name).is_some();
        if let Some(name) = names.all().iter().find(has) {
            return Err(names.taken("column", name).at(table.name));
        }
    }
    Ok(())
}

/// Fails if the rows of some inputs cannot be written to one table. `name` is the name of that table; its file extension selects
/// the format, unless another one is asked for.
pub(crate) fn refuse_other_schemas(
    name: &str,
    asked: Option<OutputFormat>,
    source: &Source,
    inputs: Range<usize>,
) -> Result<()> {
    let layout = layout(source, inputs)?;
    if format_of(name, asked) == Format::Parquet {
        refuse_others(name, &layout.schema)
    } else {
        Ok(())
    }
}

/// Returns the format of a table. A reader of standard output cannot go back to the footer of an Arrow file, so it gets a stream.
fn format_of(name: &str, asked: Option<OutputFormat>) -> Format {
    match (asked, format(name)) {
        (Some(OutputFormat::Parquet), _) => Format::Parquet,
        (Some(OutputFormat::Arrow), _) if name == "-" => Format::ArrowStream,
        (Some(OutputFormat::Arrow), Format::Parquet) => Format::ArrowFile,
        (_, named) => named,
    }
}

/// Returns the size of rows in memory, in bytes.
pub(crate) fn rows_size(rows: &RecordBatch) -> usize {
    rows.get_array_memory_size()
}

/// Returns some of the rows.
pub fn sliced(rows: &RecordBatch, range: Range<usize>) -> RecordBatch {
    rows.slice(range.start, range.len())
}

/// Returns the sum of the sizes of rows in memory, up to each row. All rows of a batch count with its average size.
pub fn row_ends(rows: &RecordBatch) -> Vec<usize> {
    let size = |column: &ArrayRef| column.to_data().get_slice_memory_size().unwrap_or_default();
    let total: usize = rows.columns().iter().map(size).sum();
    (1..=rows.num_rows())
        .map(|row| row * total / rows.num_rows())
        .collect()
}

/// Returns the layout of the output: that of the first table, except that a column is nullable if it is nullable in any table.
fn layout(source: &Source, inputs: Range<usize>) -> Result<Layout> {
    let all = source.layouts_of(inputs);
    let schemas: Vec<_> = all
        .iter()
        .map(|table| (table.name, table.layout.schema.clone()))
        .collect();
    let schema = one_schema(&schemas)?;
    let none = Layout {
        schema: Arc::clone(&schema),
        metadata: Vec::new(),
        group_rows: None,
        types: None,
        dictionaries: Vec::new(),
    };
    let first = all.first().map_or(none, |table| table.layout.clone());
    Ok(Layout { schema, ..first })
}

impl KeptRows {
    /// Begins a table, in the format that is asked for, or that its file extension means, or Parquet by default. Up to `ahead` row groups are in memory.
    pub(crate) fn new(
        output: Output,
        asked: Option<OutputFormat>,
        (source, inputs): (&Source, Range<usize>),
        added: Option<&AddedNames>,
        ahead: usize,
    ) -> Result<Self> {
        let mut layout = layout(source, inputs.clone())?;
        let text = source
            .layouts_of(inputs)
            .first()
            .map_or(Vec::new(), |table| table.text.to_vec());
        if let Some(names) = added {
            let fields = match names.kind() {
                Kind::Labels => RowLabels::new(names, source).fields().to_vec(),
                Kind::Marks => RowMarks::new(names, source).fields().to_vec(),
            };
            layout.schema = Arc::new(with_fields(&layout.schema, &fields));
        }
        Self::of_layout(output, asked, &layout, &text, ahead)
    }

    /// Begins a table with this layout. `text` is the path of a column with long texts.
    pub(crate) fn of_layout(
        output: Output,
        asked: Option<OutputFormat>,
        layout: &Layout,
        text: &[String],
        ahead: usize,
    ) -> Result<Self> {
        let name = output.name().to_owned();
        let format = format_of(&name, asked);
        if format == Format::Parquet {
            refuse_others(&name, &layout.schema)?;
        }
        TableOutput::new(output, &name, format, layout, text, ahead).map(Self)
    }

    pub(crate) fn push(&mut self, rows: RecordBatch) -> Result<()> {
        self.0.push(rows)
    }

    pub(crate) fn push_some(&mut self, rows: &RecordBatch, range: Range<usize>) -> Result<()> {
        self.0.push(sliced(rows, range))
    }

    /// Writes the remaining rows. Call this method on the thread pool, which shares the work.
    pub(crate) fn end(self) -> Result<Output> {
        self.0.finish()
    }
}
