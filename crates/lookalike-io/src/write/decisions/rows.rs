//! Decisions as a table: a row for each document, in input order, with the same columns as the decisions' lines.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, RecordBatch,
    builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt32Builder},
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::{
    ids::{IdKind, plain},
    lines::{Decided, reason_name},
};
use crate::{
    error::{Error, Result},
    input_table::JSON,
    read::Layout,
    write::{
        output::Output,
        table::{TableOutput, format},
    },
};

/// The number of rows in a row group: about ten mebibytes in memory.
const GROUP_ROWS: usize = 1 << 17;

/// A table that is being written.
pub struct DecisionRows(TableOutput<Output>);

/// The schema and the types of ids, from which rows are built.
#[derive(Debug, Clone)]
pub struct RowsShape {
    schema: SchemaRef,
    kinds: Kinds,
}

impl RowsShape {
    /// Creates the shape of decisions about documents with these kinds of ids.
    pub fn new(kinds: Kinds) -> Self {
        let field = |name: &str, kind, nullable| Field::new(name, kind, nullable);
        let mut fields = vec![
            id_field("id", kinds.documents, false),
            field("verdict", DataType::Utf8, false),
            field("reason", DataType::Utf8, false),
            id_field("representative", kinds.representatives, true),
            field("resemblance", DataType::Float64, true),
            field("containment", DataType::Float64, true),
            field("containment_of_representative", DataType::Float64, true),
            field("cluster_size", DataType::UInt32, false),
            field("estimated", DataType::Boolean, false),
        ];
        if kinds.references {
            fields.push(field("reference", DataType::Utf8, true));
        }
        Self {
            schema: Arc::new(Schema::new(fields)),
            kinds,
        }
    }

    /// Returns an empty builder of rows.
    pub fn rows(&self) -> RowsMade {
        RowsMade {
            schema: self.schema.clone(),
            references_too: self.kinds.references,
            ids: IdColumn::new(self.kinds.documents),
            verdicts: StringBuilder::new(),
            reasons: StringBuilder::new(),
            representatives: IdColumn::new(self.kinds.representatives),
            figures: Default::default(),
            sizes: UInt32Builder::new(),
            estimated: BooleanBuilder::new(),
            references: StringBuilder::new(),
        }
    }
}

/// The types of the ids of documents and of their representatives.
#[derive(Debug, Clone, Copy)]
pub struct Kinds {
    /// The type of documents' ids.
    pub documents: IdKind,
    /// The type of representatives' ids.
    pub representatives: IdKind,
    /// Whether there are references.
    pub references: bool,
}

impl DecisionRows {
    /// Creates a table, in the format given by its file extension. Up to `ahead` row groups are in memory.
    ///
    /// # Errors
    /// Fails if the beginning of the table cannot be written.
    pub fn new(output: Output, shape: &RowsShape, ahead: usize) -> Result<Self> {
        let (name, schema) = (output.name().to_owned(), &shape.schema);
        let repeats =
            |name: &str| matches!(name, "verdict" | "reason" | "representative" | "reference");
        let dictionaries = schema
            .fields()
            .iter()
            .map(|field| (vec![field.name().clone()], repeats(field.name())));
        let layout = Layout {
            schema: schema.clone(),
            metadata: Vec::new(),
            group_rows: Some(GROUP_ROWS),
            types: None,
            dictionaries: dictionaries.collect(),
        };
        TableOutput::new(output, &name, format(&name), &layout, &[], ahead).map(Self)
    }

    /// Appends rows. Call this method on the thread pool, which shares the work.
    pub fn push(&mut self, rows: RecordBatch) -> Result<()> {
        self.0.push(rows)
    }

    /// Writes the remaining rows. Call this method on the thread pool, which shares the work.
    pub fn end(self) -> Result<Output> {
        let mut output = self.0.finish()?;
        output.end();
        Ok(output)
    }
}

/// Returns the field of a column of ids. Ids of mixed types are JSON, and the field's metadata says so.
pub(crate) fn id_field(name: &str, kind: IdKind, nullable: bool) -> Field {
    let field = match kind {
        IdKind::Integers => Field::new(name, DataType::Int64, nullable),
        IdKind::Strings | IdKind::Mixed => Field::new(name, DataType::Utf8, nullable),
    };
    match kind {
        IdKind::Mixed => field.with_metadata([(JSON.into(), String::new())].into()),
        _ => field,
    }
}

/// Rows that are being built.
pub struct RowsMade {
    schema: SchemaRef,
    references_too: bool,
    ids: IdColumn,
    verdicts: StringBuilder,
    reasons: StringBuilder,
    representatives: IdColumn,
    figures: [Float64Builder; 3],
    sizes: UInt32Builder,
    estimated: BooleanBuilder,
    references: StringBuilder,
}

impl RowsMade {
    /// Adds the row of the next document.
    pub fn push(&mut self, decided: &Decided) -> Result<()> {
        let representative = decided.representative;
        self.ids.push(Some(decided.id))?;
        self.verdicts.append_value(decided.verdict());
        self.reasons.append_value(reason_name(decided.reason));
        self.representatives
            .push(representative.map(|representative| representative.id))?;
        let figures = if representative.is_some() {
            decided.likeness.figures()
        } else {
            [None; 3]
        };
        self.figures
            .iter_mut()
            .zip(figures)
            .for_each(|(column, figure)| column.append_option(figure));
        self.sizes.append_value(decided.cluster_size);
        self.estimated
            .append_value(representative.is_some() && decided.likeness.is_estimated());
        self.references
            .append_option(representative.and_then(|representative| representative.place));
        Ok(())
    }

    /// Returns the rows.
    pub fn batch(mut self) -> Result<RecordBatch> {
        let [resemblance, containment, of_representative] = self
            .figures
            .each_mut()
            .map(|column| Arc::new(column.finish()));
        let mut columns: Vec<ArrayRef> = vec![
            self.ids.finish(),
            Arc::new(self.verdicts.finish()),
            Arc::new(self.reasons.finish()),
            self.representatives.finish(),
            resemblance,
            containment,
            of_representative,
            Arc::new(self.sizes.finish()),
            Arc::new(self.estimated.finish()),
        ];
        if self.references_too {
            columns.push(Arc::new(self.references.finish()));
        }
        RecordBatch::try_new(self.schema, columns)
            .map_err(|error| Error::failure(error.to_string()))
    }
}

/// A column of ids that is being built.
pub(crate) enum IdColumn {
    Integers(Int64Builder),
    Strings(StringBuilder),
    Json(StringBuilder),
}

impl IdColumn {
    pub(crate) fn new(kind: IdKind) -> Self {
        match kind {
            IdKind::Integers => Self::Integers(Int64Builder::new()),
            IdKind::Strings => Self::Strings(StringBuilder::new()),
            IdKind::Mixed => Self::Json(StringBuilder::new()),
        }
    }

    /// Adds an id.
    pub(crate) fn push(&mut self, id: Option<&str>) -> Result<()> {
        match self {
            Self::Integers(column) => {
                let number = id.map(|id| id.parse::<i64>().map_err(|_| id)).transpose();
                let other = |id: &str| Error::failure(format!("the id {id} is not a whole number"));
                column.append_option(number.map_err(other)?);
            }
            Self::Strings(column) => column.append_option(id.map(plain)),
            Self::Json(column) => column.append_option(id),
        }
        Ok(())
    }

    /// Returns the ids that were added, and empties the column.
    pub(crate) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integers(column) => Arc::new(column.finish()),
            Self::Strings(column) | Self::Json(column) => Arc::new(column.finish()),
        }
    }
}
