//! The decisions as a table: a row for each document, in input order, with the columns of the decisions' lines.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, RecordBatch,
    builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder, UInt32Builder},
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::{
    ids::{IdKind, plain},
    lines::{Decided, reason_name, verdict},
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

/// Rows of a row group: some ten mebibytes in memory.
const GROUP_ROWS: usize = 1 << 17;

/// A table in the making.
pub struct DecisionRows {
    output: TableOutput<Output>,
    shape: RowsShape,
}

/// What rows are made by.
#[derive(Debug, Clone)]
pub struct RowsShape {
    schema: SchemaRef,
    kinds: Kinds,
}

impl RowsShape {
    /// Rows that are to be made.
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

/// What the ids of documents are, and of who stands for them.
#[derive(Debug, Clone, Copy)]
pub struct Kinds {
    /// Ids of documents.
    pub documents: IdKind,
    /// Ids of representatives.
    pub representatives: IdKind,
    /// Whether there are references.
    pub references: bool,
}

impl DecisionRows {
    /// Begins one in the format of its name's ending. Up to `ahead` row groups are in memory.
    pub fn new(output: Output, kinds: Kinds, ahead: usize) -> Result<Self> {
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
        let (name, schema) = (output.name().to_owned(), Arc::new(Schema::new(fields)));
        let repeats = |name: &str| matches!(name, "verdict" | "reason" | "representative" | "reference");
        let dictionaries = schema.fields().iter().map(|field| (vec![field.name().clone()], repeats(field.name())));
        let layout = Layout {
            schema: schema.clone(),
            metadata: Vec::new(),
            group_rows: Some(GROUP_ROWS),
            types: None,
            dictionaries: dictionaries.collect(),
        };
        let output = TableOutput::new(output, &name, format(&name), &layout, &[], ahead)?;
        Ok(Self { output, shape: RowsShape { schema, kinds } })
    }

    /// What its rows are made by.
    pub fn shape(&self) -> RowsShape {
        self.shape.clone()
    }

    /// Appends rows. To be called on the pool, which helps.
    pub fn push(&mut self, rows: RecordBatch) -> Result<()> {
        self.output.push(rows)
    }

    /// Writes what is left. To be called on the pool, which helps.
    pub fn end(self) -> Result<Output> {
        let mut output = self.output.finish()?;
        output.end();
        Ok(output)
    }
}

/// A column of ids; those of several kinds are JSON, and the column says so.
fn id_field(name: &str, kind: IdKind, nullable: bool) -> Field {
    let field = match kind {
        IdKind::Integers => Field::new(name, DataType::Int64, nullable),
        IdKind::Strings | IdKind::Mixed => Field::new(name, DataType::Utf8, nullable),
    };
    match kind {
        IdKind::Mixed => field.with_metadata([(JSON.into(), String::new())].into()),
        _ => field,
    }
}

/// Rows in the making.
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
    /// The next document's.
    pub fn push(&mut self, decided: &Decided) -> Result<()> {
        let representative = decided.representative;
        self.ids.push(Some(decided.id))?;
        self.verdicts.append_value(verdict(representative.map(|representative| representative.id)));
        self.reasons.append_value(reason_name(decided.reason));
        self.representatives.push(representative.map(|representative| representative.id))?;
        let figures = if representative.is_some() { decided.likeness.figures() } else { [None; 3] };
        self.figures.iter_mut().zip(figures).for_each(|(column, figure)| column.append_option(figure));
        self.sizes.append_value(decided.cluster_size);
        self.estimated.append_value(representative.is_some() && decided.likeness.is_estimated());
        self.references.append_option(representative.and_then(|representative| representative.place));
        Ok(())
    }

    /// The rows.
    pub fn batch(mut self) -> Result<RecordBatch> {
        let [resemblance, containment, of_representative] = self.figures.each_mut().map(|column| Arc::new(column.finish()));
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
        RecordBatch::try_new(self.schema, columns).map_err(|error| Error::failure(error.to_string()))
    }
}

/// Ids in the making.
enum IdColumn {
    Integers(Int64Builder),
    Strings(StringBuilder),
    Json(StringBuilder),
}

impl IdColumn {
    fn new(kind: IdKind) -> Self {
        match kind {
            IdKind::Integers => Self::Integers(Int64Builder::new()),
            IdKind::Strings => Self::Strings(StringBuilder::new()),
            IdKind::Mixed => Self::Json(StringBuilder::new()),
        }
    }

    fn push(&mut self, id: Option<&str>) -> Result<()> {
        match self {
            Self::Integers(column) => {
                let number = id.map(|id| id.parse::<i64>().map_err(|_| id)).transpose();
                let other = |id: &str| Error::failure(format!("the id {id} is no whole number"));
                column.append_option(number.map_err(other)?);
            }
            Self::Strings(column) => column.append_option(id.map(plain)),
            Self::Json(column) => column.append_option(id),
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integers(column) => Arc::new(column.finish()),
            Self::Strings(column) | Self::Json(column) => Arc::new(column.finish()),
        }
    }
}
