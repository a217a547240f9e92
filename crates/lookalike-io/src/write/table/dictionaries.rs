//! Prepares dictionaries and views for Arrow files. In an Arrow file, a column has one dictionary, which may only grow. Views are
//! written together with the whole buffers to which they point. So data that no view uses is removed from the buffers first.

use std::collections::HashMap;

use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt64Array, cast::AsArray, make_array,
    types::UInt64Type,
};
use arrow_schema::{ArrowError, DataType};
use arrow_select::{concat::concat, take::take};

use super::distinct::write_distinct;

type Result<T> = std::result::Result<T, ArrowError>;

/// The dictionaries of a file's columns, in the order of their first occurrence.
#[derive(Default)]
pub(super) struct Dictionaries(Vec<Dictionary>);

/// A growing dictionary.
struct Dictionary {
    values: ArrayRef,
    /// Maps each value to its position in this dictionary. The keys of the map are the bytes that [`write_distinct`] writes for
    /// the values.
    places: HashMap<Box<[u8]>, u64>,
    /// The array of values that was looked up most recently, and the position of each of its values in this dictionary.
    last: Option<(ArrayRef, UInt64Array)>,
}

impl Dictionaries {
    /// Returns a batch that uses the dictionaries of the file, which grow if necessary.
    pub(super) fn unite(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let mut next = 0;
        rebuilt(batch, &mut |array| {
            if !matches!(array.data_type(), DataType::Dictionary(..)) {
                return compact(array);
            }
            let at = next;
            next += 1;
            if at == self.0.len() {
                self.0
                    .push(Dictionary::new(array.as_any_dictionary().values())?);
            }
            self.0[at].unite(&array)
        })
    }
}

impl Dictionary {
    fn new(values: &ArrayRef) -> Result<Self> {
        let (mut of_places, mut bytes) = (HashMap::new(), Vec::new());
        for at in 0..values.len() {
            bytes.clear();
            write_distinct(values, at, &mut bytes)?;
            of_places
                .entry(bytes.as_slice().into())
                .or_insert(at as u64);
        }
        let own = UInt64Array::from_iter_values(0..values.len() as u64);
        Ok(Self {
            values: values.clone(),
            places: of_places,
            last: Some((values.clone(), own)),
        })
    }

    fn unite(&mut self, array: &ArrayRef) -> Result<ArrayRef> {
        let dictionary = array.as_any_dictionary();
        let places = match &self.last {
            Some((last, places)) if last.to_data().ptr_eq(&dictionary.values().to_data()) => {
                places.clone()
            }
            _ => self.places_of(dictionary.values())?,
        };
        let DataType::Dictionary(kind, _) = array.data_type() else {
            return Ok(array.clone());
        };
        let keys = numbers(dictionary.keys())?;
        let keys: UInt64Array = take(&places, &keys, None)?
            .as_primitive::<UInt64Type>()
            .clone();
        let keys = of_numbers(&keys, kind)?;
        let data = keys
            .to_data()
            .into_builder()
            .data_type(array.data_type().clone())
            .add_child_data(self.values.to_data())
            .build()?;
        Ok(make_array(data))
    }

    /// Appends the values of another dictionary that are missing in this one, and returns the positions of all its values.
    fn places_of(&mut self, values: &ArrayRef) -> Result<UInt64Array> {
        let (mut places, mut new, mut count) = (
            Vec::with_capacity(values.len()),
            Vec::new(),
            self.values.len() as u64,
        );
        let mut bytes = Vec::new();
        for at in 0..values.len() {
            bytes.clear();
            write_distinct(values, at, &mut bytes)?;
            let place = match self.places.get(bytes.as_slice()) {
                Some(&place) => place,
                None => {
                    self.places.insert(bytes.as_slice().into(), count);
                    new.push(at as u64);
                    count += 1;
                    count - 1
                }
            };
            places.push(place);
        }
        if !new.is_empty() {
            let new = take(values, &UInt64Array::from(new), None)?;
            self.values = concat(&[&self.values, &new])?;
        }
        let places = UInt64Array::from(places);
        self.last = Some((values.clone(), places.clone()));
        Ok(places)
    }
}

/// Converts keys of any type to numbers.
fn numbers(keys: &dyn Array) -> Result<UInt64Array> {
    use arrow_array::types::{
        Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    };
    macro_rules! widened {
        ($kind:ty) => {
            keys.as_primitive::<$kind>().unary(|key| key as u64)
        };
    }
    Ok(match keys.data_type() {
        DataType::Int8 => widened!(Int8Type),
        DataType::Int16 => widened!(Int16Type),
        DataType::Int32 => widened!(Int32Type),
        DataType::Int64 => widened!(Int64Type),
        DataType::UInt8 => widened!(UInt8Type),
        DataType::UInt16 => widened!(UInt16Type),
        DataType::UInt32 => widened!(UInt32Type),
        _ => widened!(UInt64Type),
    })
}

/// Converts numbers to keys of a type that can represent them.
fn of_numbers(numbers: &UInt64Array, kind: &DataType) -> Result<ArrayRef> {
    use arrow_array::types::{
        Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    };
    macro_rules! narrowed {
        ($kind:ty) => {
            std::sync::Arc::new(numbers.try_unary::<_, $kind, ArrowError>(|place| {
                place
                    .try_into()
                    .map_err(|_| ArrowError::DictionaryKeyOverflowError)
            })?)
        };
    }
    Ok(match kind {
        DataType::Int8 => narrowed!(Int8Type),
        DataType::Int16 => narrowed!(Int16Type),
        DataType::Int32 => narrowed!(Int32Type),
        DataType::Int64 => narrowed!(Int64Type),
        DataType::UInt8 => narrowed!(UInt8Type),
        DataType::UInt16 => narrowed!(UInt16Type),
        DataType::UInt32 => narrowed!(UInt32Type),
        _ => std::sync::Arc::new(numbers.clone()),
    })
}

/// Returns a batch in which the buffers of views contain no unused data.
pub(super) fn compacted(batch: &RecordBatch) -> Result<RecordBatch> {
    rebuilt(batch, &mut |array| compact(array))
}

fn compact(array: ArrayRef) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Utf8View => std::sync::Arc::new(array.as_string_view().gc()),
        DataType::BinaryView => std::sync::Arc::new(array.as_binary_view().gc()),
        _ => array,
    })
}

/// Returns whether a type is or contains a dictionary or a view, which must be changed.
fn concerns(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8View | DataType::BinaryView | DataType::Dictionary(..) => true,
        DataType::Struct(fields) => fields.iter().any(|field| concerns(field.data_type())),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _)
        | DataType::RunEndEncoded(_, item) => concerns(item.data_type()),
        _ => false,
    }
}

/// Returns a batch with each dictionary and each array of views changed, at any depth.
fn rebuilt(
    batch: &RecordBatch,
    change: &mut impl FnMut(ArrayRef) -> Result<ArrayRef>,
) -> Result<RecordBatch> {
    let columns = batch
        .columns()
        .iter()
        .map(|column| changed(column.clone(), change))
        .collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
}

fn changed(
    array: ArrayRef,
    change: &mut impl FnMut(ArrayRef) -> Result<ArrayRef>,
) -> Result<ArrayRef> {
    match array.data_type() {
        kind if !concerns(kind) => Ok(array),
        DataType::Utf8View | DataType::BinaryView | DataType::Dictionary(..) => change(array),
        _ => {
            let data = array.to_data();
            let children = data
                .child_data()
                .iter()
                .map(|child| Ok(changed(make_array(child.clone()), change)?.to_data()));
            let children = children.collect::<Result<Vec<_>>>()?;
            Ok(make_array(
                data.into_builder().child_data(children).build()?,
            ))
        }
    }
}
