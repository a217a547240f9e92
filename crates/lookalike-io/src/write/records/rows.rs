//! Writes the kept rows of tables as a table.

use std::{str::FromStr, sync::Arc};

use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, FieldRef, Schema};

use super::labels::{Label, LabelNames, taken};
use crate::{
    error::{Error, Result},
    read::{
        Layout, RecordBatch, Source,
        table::{Format, Rows},
    },
    write::{
        decisions::{plain, verdict},
        output::Output,
        table::{TableOutput, format, one_schema, refuse_others},
    },
};

/// A table that is being written.
pub(crate) struct KeptRows {
    output: TableOutput<Output>,
    labels: Option<RowLabels>,
}

/// Labels of rows. They are added as four columns after the columns of the rows.
#[derive(Debug, Clone)]
pub struct RowLabels {
    fields: [FieldRef; 4],
    clusters: Vec<String>,
    representatives: Vec<Option<String>>,
    similarities: Vec<Option<f64>>,
}

impl RowLabels {
    /// Creates empty labels. Their ids are whole numbers if the ids of all tables are whole numbers, otherwise strings.
    fn new(names: &LabelNames, source: &Source) -> Self {
        let tables = source.layouts();
        let kind = |id: &Option<DataType>| id.clone().filter(DataType::is_integer);
        let first = tables.first().and_then(|table| kind(&table.id));
        let same = source.references() == 0 && tables.iter().all(|table| kind(&table.id) == first);
        let unsigned = first.as_ref().is_some_and(DataType::is_unsigned_integer);
        let ids = match first {
            Some(_) if same && unsigned => DataType::UInt64,
            Some(_) if same => DataType::Int64,
            _ => DataType::Utf8,
        };
        let [cluster, verdict, representative, similarity] = names.all();
        let field = |name: &str, kind, nullable| Arc::new(Field::new(name, kind, nullable));
        Self {
            fields: [
                field(cluster, ids.clone(), false),
                field(verdict, DataType::Utf8, false),
                field(representative, ids, true),
                field(similarity, DataType::Float64, true),
            ],
            clusters: Vec::new(),
            representatives: Vec::new(),
            similarities: Vec::new(),
        }
    }

    /// Adds the label of the next row.
    pub fn push(&mut self, label: &Label) {
        self.clusters.push(plain(label.cluster).into());
        self.representatives.push(label.representative.map(|id| plain(id).into()));
        self.similarities.push(label.similarity);
    }

    /// Returns the rows with these numbers, together with their labels; each row must have a label.
    pub fn onto(&mut self, rows: &Rows, records: &[usize]) -> Result<RecordBatch> {
        let mut mask = vec![false; rows.len()];
        records.iter().for_each(|&at| mask[at] = true);
        let batch = rows.masked(&mask)?;
        let (clusters, representatives) = (self.clusters.iter().map(|id| Some(&**id)), self.representatives.iter());
        let verdicts = self.representatives.iter().map(|id| Some(verdict(id.as_deref())));
        let labels: [ArrayRef; 4] = [
            ids(self.fields[0].data_type(), clusters)?,
            Arc::new(StringArray::from_iter(verdicts)),
            ids(self.fields[2].data_type(), representatives.map(Option::as_deref))?,
            Arc::new(Float64Array::from_iter(self.similarities.drain(..))),
        ];
        self.clusters.clear();
        self.representatives.clear();
        let schema = batch.schema();
        let fields: Vec<FieldRef> = schema.fields().iter().chain(&self.fields).cloned().collect();
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        let columns = batch.columns().iter().chain(&labels).cloned().collect();
        RecordBatch::try_new(Arc::new(schema), columns).map_err(|error| Error::failure(error.to_string()))
    }
}

/// Returns ids as a column of whole numbers, or of strings.
fn ids<'a>(kind: &DataType, ids: impl Iterator<Item = Option<&'a str>>) -> Result<ArrayRef> {
    fn numbers<'a, T: FromStr>(ids: impl Iterator<Item = Option<&'a str>>) -> Result<Vec<Option<T>>> {
        let other = |id: &str| Error::failure(format!("{id} is not a whole number"));
        ids.map(|id| id.map(|id| id.parse().map_err(|_| other(id))).transpose()).collect()
    }
    Ok(match kind {
        DataType::Int64 => Arc::new(Int64Array::from(numbers(ids)?)),
        DataType::UInt64 => Arc::new(UInt64Array::from(numbers(ids)?)),
        _ => Arc::new(StringArray::from_iter(ids)),
    })
}

/// Rejects names that columns already have.
pub fn refuse_table_names(names: &LabelNames, source: &Source) -> Result<()> {
    for table in source.layouts() {
        let has = |name: &&String| table.layout.schema.column_with_name(name).is_some();
        if let Some(name) = names.all().iter().find(has) {
            return Err(taken("column", name).at(table.name));
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
    pub(crate) fn new(output: Output, source: &Source, labels: Option<&LabelNames>, ahead: usize) -> Result<Self> {
        let (name, mut layout) = (output.name().to_owned(), layout(source)?);
        let text = source.layouts().first().map_or(Vec::new(), |table| table.text.to_vec());
        let labels = labels.map(|names| RowLabels::new(names, source));
        if let Some(labels) = &labels {
            let fields: Vec<FieldRef> = layout.schema.fields().iter().chain(&labels.fields).cloned().collect();
            layout.schema = Arc::new(Schema::new_with_metadata(fields, layout.schema.metadata().clone()));
        }
        let output = TableOutput::new(output, &name, format(&name), &layout, &text, ahead)?;
        Ok(Self { output, labels })
    }

    pub(crate) fn push(&mut self, rows: RecordBatch) -> Result<()> {
        self.output.push(rows)
    }

    /// Returns empty labels for rows, if labels were requested.
    pub(crate) fn labels(&self) -> Option<RowLabels> {
        self.labels.clone()
    }

    /// Writes the remaining rows. Call this method on the thread pool, which shares the work.
    pub(crate) fn end(self) -> Result<Output> {
        self.output.finish()
    }
}
