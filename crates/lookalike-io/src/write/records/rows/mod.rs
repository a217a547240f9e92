//! Writes the kept rows of tables as a table.

mod ids;

mod labels;

mod marks;

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{FieldRef, Schema};

pub use self::{labels::RowLabels, marks::RowMarks};
use super::added::{AddedNames, Kind};
use crate::{
    error::{Error, Result},
    read::{Layout, RecordBatch, Source, table::Format},
    write::{
        output::Output,
        table::{TableOutput, format, one_schema, refuse_others},
    },
};

/// A table that is being written.
pub(crate) struct KeptRows {
    output: TableOutput<Output>,
    added: Option<AddedColumns>,
}

/// Columns that are added after the columns of the rows.
enum AddedColumns {
    Labels(RowLabels),
    Marks(RowMarks),
}

impl AddedColumns {
    fn new(names: &AddedNames, source: &Source) -> Self {
        match names.kind() {
            Kind::Labels => Self::Labels(RowLabels::new(names, source)),
            Kind::Marks => Self::Marks(RowMarks::new(names, source)),
        }
    }

    fn fields(&self) -> &[FieldRef] {
        match self {
            Self::Labels(labels) => labels.fields(),
            Self::Marks(marks) => marks.fields(),
        }
    }
}

/// Returns rows with more columns.
fn with_columns(batch: &RecordBatch, fields: &[FieldRef], columns: &[ArrayRef]) -> Result<RecordBatch> {
    let schema = with_fields(batch.schema_ref(), fields);
    let columns = batch.columns().iter().chain(columns).cloned().collect();
    RecordBatch::try_new(Arc::new(schema), columns).map_err(|error| Error::failure(error.to_string()))
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

/// Fails if the rows of the inputs cannot be written to one table. `name` is the name of that table; its file extension selects
/// the format.
pub(crate) fn refuse_other_schemas(name: &str, source: &Source) -> Result<()> {
    let layout = layout(source)?;
    if format(name) == Format::Parquet { refuse_others(name, &layout.schema) } else { Ok(()) }
}

/// Returns the size of rows in memory, in bytes.
pub(crate) fn rows_size(rows: &RecordBatch) -> usize {
    rows.get_array_memory_size()
}

/// Returns the layout of the output: that of the first table, except that a column is nullable if it is nullable in any table.
fn layout(source: &Source) -> Result<Layout> {
    let all = source.layouts();
    let schemas: Vec<_> = all.iter().map(|table| (table.name, table.layout.schema.clone())).collect();
    let schema = one_schema(&schemas)?;
    let none =
        Layout { schema: Arc::clone(&schema), metadata: Vec::new(), group_rows: None, types: None, dictionaries: Vec::new() };
    let first = all.first().map_or(none, |table| table.layout.clone());
    Ok(Layout { schema, ..first })
}

impl KeptRows {
    /// Begins a table, in the format given by its file extension, or Parquet by default. Up to `ahead` row groups are in memory.
    pub(crate) fn new(output: Output, source: &Source, added: Option<&AddedNames>, ahead: usize) -> Result<Self> {
        let (name, mut layout) = (output.name().to_owned(), layout(source)?);
        let text = source.layouts().first().map_or(Vec::new(), |table| table.text.to_vec());
        let added = added.map(|names| AddedColumns::new(names, source));
        if let Some(added) = &added {
            layout.schema = Arc::new(with_fields(&layout.schema, added.fields()));
        }
        let output = TableOutput::new(output, &name, format(&name), &layout, &text, ahead)?;
        Ok(Self { output, added })
    }

    pub(crate) fn push(&mut self, rows: RecordBatch) -> Result<()> {
        self.output.push(rows)
    }

    /// Returns empty labels for rows, if labels were requested.
    pub(crate) fn labels(&self) -> Option<RowLabels> {
        if let Some(AddedColumns::Labels(labels)) = &self.added { Some(labels.clone()) } else { None }
    }

    /// Returns empty marks for rows, if marks were requested.
    pub(crate) fn marks(&self) -> Option<RowMarks> {
        if let Some(AddedColumns::Marks(marks)) = &self.added { Some(marks.clone()) } else { None }
    }

    /// Writes the remaining rows. Call this method on the thread pool, which shares the work.
    pub(crate) fn end(self) -> Result<Output> {
        self.output.finish()
    }
}
