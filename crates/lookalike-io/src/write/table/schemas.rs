//! Merges schemas that differ only in nullability and metadata.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};

use lookalike::shown::quoted;

use crate::error::{Error, ErrorKind, Result};

/// Returns the schema of an output of several inputs. Messages use the names that are given with the inputs' schemas. The result
/// is the schema of the first input, except that a field is nullable if it is nullable in any input.
///
/// # Errors
/// Fails if the schemas differ in any other way. The error describes the first difference: the file, the column and both types.
pub fn one_schema(schemas: &[(&str, SchemaRef)]) -> Result<SchemaRef> {
    let Some((first, schema)) = schemas.first() else {
        return Ok(Arc::new(Schema::empty()));
    };
    let mut all: Vec<FieldRef> = schema.fields().iter().cloned().collect();
    for (other, theirs) in &schemas[1..] {
        let refuse = |field: &str, what: String| {
            let refused = Error::new(ErrorKind::Input, format!("{what} in {first}"))
                .at(*other)
                .in_field(field);
            Err(refused.advise("give both the same columns, or write them to two outputs"))
        };
        for (at, own) in all.iter_mut().enumerate() {
            let Some(their) = theirs.fields().get(at) else {
                return refuse(
                    own.name(),
                    format!("has no column {}, which is", quoted(own.name())),
                );
            };
            if own.name() != their.name() {
                return refuse(
                    own.name(),
                    format!(
                        "column {} is {}, but {}",
                        at + 1,
                        quoted(their.name()),
                        quoted(own.name())
                    ),
                );
            }
            match merged(own, their) {
                Some(merged) => *own = merged,
                None => {
                    return refuse(
                        own.name(),
                        format!(
                            "column {} is {}, but {}",
                            quoted(own.name()),
                            their.data_type(),
                            own.data_type()
                        ),
                    );
                }
            }
        }
        if let Some(more) = theirs.fields().get(all.len()) {
            return refuse(
                more.name(),
                format!("has a column {} that does not exist", quoted(more.name())),
            );
        }
    }
    Ok(Arc::new(Schema::new_with_metadata(
        all,
        schema.metadata().clone(),
    )))
}

/// Returns a field with the common name and type of two fields. It is nullable if either of them is nullable.
fn merged(own: &FieldRef, their: &FieldRef) -> Option<FieldRef> {
    let nullable = own.is_nullable() || their.is_nullable();
    let kind = merged_type(own.data_type(), their.data_type())?;
    Some(Arc::new(
        Field::clone(own)
            .with_data_type(kind)
            .with_nullable(nullable),
    ))
}

fn merged_type(own: &DataType, their: &DataType) -> Option<DataType> {
    use DataType::{
        Dictionary, FixedSizeList, LargeList, LargeListView, List, ListView, Map, RunEndEncoded,
        Struct,
    };
    Some(match (own, their) {
        (own, their) if own == their => own.clone(),
        (List(a), List(b)) => List(merged_item(a, b)?),
        (LargeList(a), LargeList(b)) => LargeList(merged_item(a, b)?),
        (ListView(a), ListView(b)) => ListView(merged_item(a, b)?),
        (LargeListView(a), LargeListView(b)) => LargeListView(merged_item(a, b)?),
        (FixedSizeList(a, n), FixedSizeList(b, m)) if n == m => {
            FixedSizeList(merged_item(a, b)?, *n)
        }
        (Map(a, sorted), Map(b, also)) if sorted == also => Map(merged_item(a, b)?, *sorted),
        (Dictionary(keys, a), Dictionary(others, b)) if keys == others => {
            Dictionary(keys.clone(), Box::new(merged_type(a, b)?))
        }
        (RunEndEncoded(ends, a), RunEndEncoded(others, b))
            if ends.data_type() == others.data_type() =>
        {
            RunEndEncoded(ends.clone(), merged_item(a, b)?)
        }
        (Struct(a), Struct(b)) if a.len() == b.len() => {
            let fields: Option<Fields> = a
                .iter()
                .zip(b)
                .map(|(a, b)| {
                    if a.name() == b.name() {
                        merged(a, b)
                    } else {
                        None
                    }
                })
                .collect();
            Struct(fields?)
        }
        _ => return None,
    })
}

/// Merges the fields of list items. Their names depend on the program that wrote them, and are not compared.
fn merged_item(own: &FieldRef, their: &FieldRef) -> Option<FieldRef> {
    merged(own, their)
}
