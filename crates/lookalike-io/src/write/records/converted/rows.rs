//! Makes rows of a table from records.

use std::{collections::BTreeMap, str::FromStr, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, ListArray, NullArray, PrimitiveArray, StringArray, StructArray,
    builder::StringBuilder,
    types::{ArrowPrimitiveType, Float64Type, Int64Type, UInt64Type},
};
use arrow_buffer::{BooleanBufferBuilder, NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use lookalike::shown::quoted;
use serde_json::value::RawValue;

use super::{super::rows::KeptRows, heading::Heading, types::Type};
use crate::{
    error::{Error, ErrorKind, Result},
    format::OutputFormat,
    read::{Layout, RecordBatch, Shape, Source, fields_of, string_of, table::TableLayout},
    write::output::Output,
};

/// Begins a table with these columns.
///
/// # Errors
/// Fails if the format has no such columns, or if the table cannot be written.
pub(in super::super) fn begin(
    output: Output,
    asked: Option<OutputFormat>,
    heading: &Heading,
    source: &Source,
    ahead: usize,
) -> Result<KeptRows> {
    let layout = Layout {
        schema: schema(heading),
        metadata: Vec::new(),
        group_rows: None,
        types: None,
        dictionaries: Vec::new(),
    };
    // The text of a document is in the field `text`, which is the usual name of the field.
    let text: Vec<String> = source
        .reading()
        .fields
        .text
        .split('.')
        .map(String::from)
        .collect();
    KeptRows::of_layout(output, asked, &layout, &text, ahead)
}

fn schema(heading: &Heading) -> SchemaRef {
    Arc::new(Schema::new(fields(&heading.columns)))
}

/// Returns records, which are JSON Lines, as rows. A field that is null or missing is null.
///
/// Returns none if a record is not what the columns were found in.
pub(in super::super) fn rows_of<'l>(
    heading: &Heading,
    lines: impl Iterator<Item = &'l [u8]>,
) -> Option<RecordBatch> {
    let mut rows = Objects::new(&heading.columns);
    for line in lines {
        rows.push(Some(line))?;
    }
    let (columns, _) = rows.finished()?;
    RecordBatch::try_new(schema(heading), columns).ok()
}

/// Returns the names of the columns of an input, which are written as CSV, or none if the input is not a table.
///
/// # Errors
/// Fails with the first column that has lists, structs or maps.
pub(super) fn table_names(source: &Source, input: usize) -> Result<Option<Vec<String>>> {
    let tables = source.layouts_of(input..input + 1);
    let Some(TableLayout {
        name,
        layout: Layout { schema, .. },
        ..
    }) = tables.first()
    else {
        return Ok(None);
    };
    let cell_name = |field: &FieldRef| {
        if has_parts(field.data_type()) {
            let what = format!(
                "column {} is {}, which CSV cannot store",
                quoted(field.name()),
                field.data_type()
            );
            let refused = Error::new(ErrorKind::Output, what)
                .at(*name)
                .in_field(field.name());
            Err(refused.advise("leave the column out, or write JSON Lines (.jsonl)"))
        } else {
            Ok(field.name().clone())
        }
    };
    schema
        .fields()
        .iter()
        .map(cell_name)
        .collect::<Result<_>>()
        .map(Some)
}

fn has_parts(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => has_parts(values),
        DataType::RunEndEncoded(_, values) => has_parts(values.data_type()),
        other => other.is_nested(),
    }
}

fn fields(columns: &[(String, Type)]) -> Fields {
    columns
        .iter()
        .map(|(name, kind)| Field::new(name, arrow_type(kind), true))
        .collect()
}

fn arrow_type(kind: &Type) -> DataType {
    match kind {
        Type::Null => DataType::Null,
        Type::Bool => DataType::Boolean,
        Type::Signed => DataType::Int64,
        Type::Unsigned => DataType::UInt64,
        Type::Float => DataType::Float64,
        Type::Text => DataType::Utf8,
        Type::List(items) => DataType::List(item(items)),
        Type::Object(columns) => DataType::Struct(fields(columns)),
    }
}

fn item(kind: &Type) -> FieldRef {
    Arc::new(Field::new("item", arrow_type(kind), true))
}

/// A column that is being filled.
enum Column {
    Null(usize),
    Bool(BooleanBufferBuilder, NullBufferBuilder),
    Signed(Vec<i64>, NullBufferBuilder),
    Unsigned(Vec<u64>, NullBufferBuilder),
    Float(Vec<f64>, NullBufferBuilder),
    Text(StringBuilder),
    List(FieldRef, Vec<usize>, NullBufferBuilder, Box<Column>),
    Object(Fields, Objects),
}

/// Objects, by their fields.
struct Objects {
    names: Vec<String>,
    places: BTreeMap<String, usize>,
    columns: Vec<Column>,
    nulls: NullBufferBuilder,
    /// The number of the last object that has a value in each column.
    filled: Vec<usize>,
    count: usize,
}

fn nulls() -> NullBufferBuilder {
    NullBufferBuilder::new(0)
}

impl Objects {
    fn new(columns: &[(String, Type)]) -> Self {
        let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        let places = names.iter().cloned().zip(0..).collect();
        let filled = vec![0; names.len()];
        let columns = columns.iter().map(|(_, kind)| Column::new(kind)).collect();
        Self {
            names,
            places,
            columns,
            nulls: nulls(),
            filled,
            count: 0,
        }
    }

    fn push(&mut self, object: Option<&[u8]>) -> Option<()> {
        let Self {
            names,
            places,
            columns,
            nulls,
            filled,
            count,
        } = self;
        *count += 1;
        nulls.append(object.is_some());
        let mut next = 0;
        for (name, value) in object.map_or(Some(Vec::new()), |object| fields_of(object).ok())? {
            // Most records have the same fields in the same order.
            let is_named = |at: &usize| names.get(*at).is_some_and(|column| *column == name);
            let at = Some(next)
                .filter(is_named)
                .or_else(|| places.get(&*name).copied())?;
            if std::mem::replace(&mut filled[at], *count) == *count {
                return None;
            }
            columns[at].push(Some(value))?;
            next = at + 1;
        }
        let empty = columns
            .iter_mut()
            .zip(filled)
            .filter(|(_, filled)| **filled < *count);
        empty
            .map(|(column, _)| column)
            .try_for_each(|column| column.push(None))
    }

    fn finished(mut self) -> Option<(Vec<ArrayRef>, NullBufferBuilder)> {
        let columns = self
            .columns
            .into_iter()
            .map(Column::finished)
            .collect::<Option<_>>()?;
        Some((columns, std::mem::replace(&mut self.nulls, nulls())))
    }
}

impl Column {
    fn new(kind: &Type) -> Self {
        match kind {
            Type::Null => Self::Null(0),
            Type::Bool => Self::Bool(BooleanBufferBuilder::new(0), nulls()),
            Type::Signed => Self::Signed(Vec::new(), nulls()),
            Type::Unsigned => Self::Unsigned(Vec::new(), nulls()),
            Type::Float => Self::Float(Vec::new(), nulls()),
            Type::Text => Self::Text(StringBuilder::new()),
            Type::List(items) => {
                Self::List(item(items), Vec::new(), nulls(), Box::new(Self::new(items)))
            }
            Type::Object(columns) => Self::Object(fields(columns), Objects::new(columns)),
        }
    }

    /// Adds a value. Returns none if it has another type.
    fn push(&mut self, value: Option<&RawValue>) -> Option<()> {
        let value = value
            .map(RawValue::get)
            .filter(|value| Shape::of(value) != Shape::Null);
        match self {
            Self::Null(count) => {
                *count += 1;
                value.is_none().then_some(())?;
            }
            Self::Bool(values, nulls) => {
                nulls.append(value.is_some());
                values.append(value.map_or(Some(false), |value| value.parse().ok())?);
            }
            Self::Signed(values, nulls) => push_number(value, values, nulls)?,
            Self::Unsigned(values, nulls) => push_number(value, values, nulls)?,
            Self::Float(values, nulls) => push_number(value, values, nulls)?,
            Self::Text(values) => match value.map(|value| (Shape::of(value), value)) {
                None => values.append_null(),
                Some((Shape::Text, value)) => values.append_value(string_of(value).ok()?),
                // An id is a string or a number.
                Some((Shape::Number, value)) => values.append_value(value),
                Some(_) => return None,
            },
            Self::List(_, lengths, nulls, values) => {
                nulls.append(value.is_some());
                let items: Vec<&RawValue> =
                    value.map_or(Some(Vec::new()), |value| serde_json::from_str(value).ok())?;
                lengths.push(items.len());
                items
                    .into_iter()
                    .try_for_each(|item| values.push(Some(item)))?;
            }
            Self::Object(_, objects) => objects.push(value.map(str::as_bytes))?,
        }
        Some(())
    }

    fn finished(self) -> Option<ArrayRef> {
        Some(match self {
            Self::Null(count) => Arc::new(NullArray::new(count)),
            Self::Bool(mut values, mut nulls) => {
                Arc::new(BooleanArray::new(values.finish(), nulls.finish()))
            }
            Self::Signed(values, nulls) => numbers::<Int64Type>(values, nulls),
            Self::Unsigned(values, nulls) => numbers::<UInt64Type>(values, nulls),
            Self::Float(values, nulls) => numbers::<Float64Type>(values, nulls),
            Self::Text(mut values) => {
                let texts: StringArray = values.finish();
                Arc::new(texts)
            }
            Self::List(item, lengths, mut nulls, values) => {
                let offsets = OffsetBuffer::from_lengths(lengths);
                Arc::new(
                    ListArray::try_new(item, offsets, values.finished()?, nulls.finish()).ok()?,
                )
            }
            Self::Object(fields, objects) => {
                let count = objects.count;
                let (columns, mut nulls) = objects.finished()?;
                Arc::new(
                    StructArray::try_new_with_length(fields, columns, nulls.finish(), count)
                        .ok()?,
                )
            }
        })
    }
}

fn push_number<T: Default + FromStr>(
    value: Option<&str>,
    values: &mut Vec<T>,
    nulls: &mut NullBufferBuilder,
) -> Option<()> {
    // Numbers without a sign are not parsed with one.
    let value = value.map(|value| if value == "-0" { "0" } else { value });
    nulls.append(value.is_some());
    values.push(value.map_or(Some(T::default()), |value| value.parse().ok())?);
    Some(())
}

fn numbers<T: ArrowPrimitiveType>(
    values: Vec<T::Native>,
    mut nulls: NullBufferBuilder,
) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), nulls.finish()))
}
