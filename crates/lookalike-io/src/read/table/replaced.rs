//! Rows with other texts.

use std::{collections::BTreeMap, sync::Arc};

use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, LargeBinaryArray,
    LargeStringArray, PrimitiveArray, RecordBatch, RunArray, StringArray, StringViewArray,
    StructArray,
    cast::AsArray,
    types::{
        ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, RunEndIndexType,
        UInt8Type, UInt16Type, UInt32Type, UInt64Type,
    },
};
use arrow_schema::{ArrowError, DataType};

type Texts<'a> = [Option<&'a str>];

/// Returns a batch with other values in the column at a path through structs. The column's type does not change; a dictionary gets
/// the distinct texts.
///
/// # Errors
/// Fails if there is no such column of texts, or if a dictionary has too few keys for the texts.
pub(super) fn with_texts(
    batch: &RecordBatch,
    path: &[String],
    texts: &Texts,
) -> Result<RecordBatch, ArrowError> {
    let none = || ArrowError::SchemaError(format!("there is no column {}", path.join(".")));
    let (first, rest) = path.split_first().ok_or_else(none)?;
    let at = batch.schema_ref().index_of(first)?;
    let mut columns = batch.columns().to_vec();
    columns[at] = inside(&columns[at], rest, texts)?;
    RecordBatch::try_new(batch.schema(), columns)
}

fn inside(array: &ArrayRef, path: &[String], texts: &Texts) -> Result<ArrayRef, ArrowError> {
    let Some((first, rest)) = path.split_first() else {
        return of_type(array.data_type(), texts);
    };
    let (fields, mut arrays, nulls) = array.as_struct().clone().into_parts();
    let at = fields.find(first).map(|(at, _)| at);
    let at = at.ok_or_else(|| ArrowError::SchemaError(format!("there is no column {first}")))?;
    arrays[at] = inside(&arrays[at], rest, texts)?;
    Ok(Arc::new(StructArray::try_new(fields, arrays, nulls)?))
}

fn of_type(kind: &DataType, texts: &Texts) -> Result<ArrayRef, ArrowError> {
    let bytes = texts.iter().map(|text| text.map(str::as_bytes));
    Ok(match kind {
        DataType::Utf8 => Arc::new(StringArray::from_iter(texts)),
        DataType::LargeUtf8 => Arc::new(LargeStringArray::from_iter(texts)),
        DataType::Utf8View => Arc::new(StringViewArray::from_iter(texts)),
        DataType::Binary => Arc::new(BinaryArray::from_iter(bytes)),
        DataType::LargeBinary => Arc::new(LargeBinaryArray::from_iter(bytes)),
        DataType::BinaryView => Arc::new(BinaryViewArray::from_iter(bytes)),
        DataType::Dictionary(keys, values) => match **keys {
            DataType::Int8 => dictionary::<Int8Type>(values, texts)?,
            DataType::Int16 => dictionary::<Int16Type>(values, texts)?,
            DataType::Int32 => dictionary::<Int32Type>(values, texts)?,
            DataType::Int64 => dictionary::<Int64Type>(values, texts)?,
            DataType::UInt8 => dictionary::<UInt8Type>(values, texts)?,
            DataType::UInt16 => dictionary::<UInt16Type>(values, texts)?,
            DataType::UInt32 => dictionary::<UInt32Type>(values, texts)?,
            _ => dictionary::<UInt64Type>(values, texts)?,
        },
        DataType::RunEndEncoded(ends, values) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(values.data_type(), texts)?,
            DataType::Int32 => runs::<Int32Type>(values.data_type(), texts)?,
            _ => runs::<Int64Type>(values.data_type(), texts)?,
        },
        other => {
            return Err(ArrowError::CastError(format!(
                "{other} is not a type of texts"
            )));
        }
    })
}

fn dictionary<K: ArrowDictionaryKeyType>(
    values: &DataType,
    texts: &Texts,
) -> Result<ArrayRef, ArrowError>
where
    K::Native: TryFrom<usize>,
{
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut distinct = Vec::new();
    let key = |text| {
        let Some(text) = text else { return Ok(None) };
        let number = *numbers.entry(text).or_insert_with(|| {
            distinct.push(Some(text));
            distinct.len() - 1
        });
        K::Native::try_from(number)
            .map(Some)
            .map_err(|_| ArrowError::DictionaryKeyOverflowError)
    };
    let keys = texts
        .iter()
        .copied()
        .map(key)
        .collect::<Result<PrimitiveArray<K>, _>>()?;
    Ok(Arc::new(DictionaryArray::try_new(
        keys,
        of_type(values, &distinct)?,
    )?))
}

fn runs<E: RunEndIndexType>(values: &DataType, texts: &Texts) -> Result<ArrayRef, ArrowError>
where
    E::Native: TryFrom<usize>,
{
    // Each row is a run: few of the texts are equal.
    let end = |end| E::Native::try_from(end).map_err(|_| ArrowError::RunEndIndexOverflowError);
    let ends = (1..=texts.len())
        .map(|row| end(row).map(Some))
        .collect::<Result<PrimitiveArray<E>, _>>()?;
    Ok(Arc::new(RunArray::try_new(
        &ends,
        &*of_type(values, texts)?,
    )?))
}
