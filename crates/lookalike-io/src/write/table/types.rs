//! Selects the Parquet types of columns. A column keeps its type from the input if this type fits the form in which the writer
//! stores the column's values.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use parquet::{
    arrow::ArrowSchemaConverter,
    basic::{LogicalType, Type as Physical},
    errors::Result,
    schema::types::{ColumnDescriptor, SchemaDescriptor, Type},
};

/// Returns the types of a table's columns. A column gets the type of the input's column with the same name and position, if this
/// type fits the form in which the values are stored. Such a type also has the properties that Arrow's types lack (a UUID, JSON,
/// a date). The types of other columns are derived from Arrow's types.
pub(super) fn types_of(schema: &SchemaRef, input: &SchemaDescriptor) -> Result<SchemaDescriptor> {
    let made = ArrowSchemaConverter::new().convert(schema)?;
    let fields = made
        .root_schema()
        .get_fields()
        .iter()
        .enumerate()
        .map(|(root, own)| {
            let had = input
                .root_schema()
                .get_fields()
                .get(root)
                .filter(|had| had.name() == own.name());
            had.filter(|_| are_written_alike(&leaves(&made, root), &leaves(input, root)))
                .unwrap_or(own)
                .clone()
        });
    let root = Type::group_type_builder(made.root_schema().name())
        .with_fields(fields.collect())
        .build()?;
    Ok(SchemaDescriptor::new(Arc::new(root)))
}

fn leaves(schema: &SchemaDescriptor, root: usize) -> Vec<&ColumnDescriptor> {
    (0..schema.num_columns())
        .filter(|&leaf| schema.get_column_root_idx(leaf) == root)
        .map(|leaf| &*schema.columns()[leaf])
        .collect()
}

fn are_written_alike(made: &[&ColumnDescriptor], had: &[&ColumnDescriptor]) -> bool {
    let alike = |(made, had): (&&ColumnDescriptor, &&ColumnDescriptor)| {
        let levels = |column: &ColumnDescriptor| {
            (
                column.max_def_level(),
                column.max_rep_level(),
                column.type_length(),
            )
        };
        let says_more = match had.logical_type_ref() {
            Some(LogicalType::Uuid | LogicalType::Json | LogicalType::Bson | LogicalType::Enum) => {
                true
            }
            same => same == made.logical_type_ref(),
        };
        // The values are Arrow's days that are stored in milliseconds; the writer converts them to plain days.
        let days = had.logical_type_ref() == Some(&LogicalType::Date)
            && made.physical_type() == Physical::INT64;
        levels(made) == levels(had)
            && (made.physical_type() == had.physical_type() && says_more || days)
    };
    made.len() == had.len() && made.iter().zip(had).all(alike)
}
