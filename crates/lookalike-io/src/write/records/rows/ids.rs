//! Columns of ids.

use std::{str::FromStr, sync::Arc};

use arrow_array::{ArrayRef, Int64Array, StringArray, UInt64Array};
use arrow_schema::DataType;

use crate::{
    error::{Error, Result},
    read::Source,
};

/// Returns the type of a column of ids: whole numbers if the ids of all tables are whole numbers, otherwise strings.
pub(super) fn id_type(source: &Source) -> DataType {
    let tables = source.layouts();
    let kind = |id: &Option<DataType>| id.clone().filter(DataType::is_integer);
    let first = tables.first().and_then(|table| kind(&table.id));
    let same = source.references() == 0 && tables.iter().all(|table| kind(&table.id) == first);
    let unsigned = first.as_ref().is_some_and(DataType::is_unsigned_integer);
    match first {
        Some(_) if same && unsigned => DataType::UInt64,
        Some(_) if same => DataType::Int64,
        _ => DataType::Utf8,
    }
}

/// Returns ids as a column of whole numbers, or of strings.
pub(super) fn ids<'a>(
    kind: &DataType,
    ids: impl Iterator<Item = Option<&'a str>>,
) -> Result<ArrayRef> {
    fn numbers<'a, T: FromStr>(
        ids: impl Iterator<Item = Option<&'a str>>,
    ) -> Result<Vec<Option<T>>> {
        let other = |id: &str| Error::failure(format!("{id} is not a whole number"));
        ids.map(|id| id.map(|id| id.parse().map_err(|_| other(id))).transpose())
            .collect()
    }
    Ok(match kind {
        DataType::Int64 => Arc::new(Int64Array::from(numbers(ids)?)),
        DataType::UInt64 => Arc::new(UInt64Array::from(numbers(ids)?)),
        _ => Arc::new(StringArray::from_iter(ids)),
    })
}
