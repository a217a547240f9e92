//! Reads the texts, ids, labels and keys of a batch's rows.

use std::{fmt, sync::Arc};

use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, StructArray,
    cast::AsArray,
    types::{Int16Type, Int32Type, Int64Type},
};
use arrow_buffer::NullBuffer;
use arrow_data::ArrayData;
use arrow_schema::DataType;
use lookalike::{shown::quoted, text::Text};

use super::{
    Columns, Nulls,
    columns::{Column, Document},
    joined, json, lists, replaced,
    values::{not_finite, write_json, write_string},
    write_json_lines,
};
use crate::{
    error::{Error, Result},
    input_table::JSON,
    read::json::{Fault, Fields, Found, keys, no_id, no_label, sets},
};

/// A batch in which the chosen columns have been located. Creating it costs nothing per row, unless the texts are in a
/// dictionary: then it costs one index per row.
pub struct Rows {
    batch: RecordBatch,
    columns: Arc<Document>,
    text: Values,
    id: Option<Values>,
    keep: Option<Values>,
    label: Option<Values>,
}

/// The values of a column.
struct Values {
    plain: Plain,
    /// The index of each row's value, if the values are stored in a dictionary or as runs of equal values.
    indexes: Option<Vec<usize>>,
    /// Which rows have a value. A row has no value if the value or a struct around it is null.
    there: Option<NullBuffer>,
    /// Whether the values are already JSON.
    is_json: bool,
}

/// Values, one after the other.
enum Plain {
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    Utf8View(StringViewArray),
    Binary(BinaryArray),
    LargeBinary(LargeBinaryArray),
    BinaryView(BinaryViewArray),
    /// Values that are not texts.
    Other(ArrayRef),
    /// Lists, and all of their items.
    Lists(ArrayRef, Box<Values>),
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}

impl Rows {
    /// Finds the chosen columns in a batch. The batch may have all columns of the table, or only the chosen ones.
    ///
    /// # Errors
    /// Fails if the batch is from another table, or if the columns are not those of documents.
    pub fn new(batch: RecordBatch, columns: &Columns) -> Result<Self> {
        let columns = columns
            .document()
            .ok_or_else(|| Error::failure("the columns are not those of documents"))?;
        let values = |column: &Column| {
            let found = column.of(&batch).map(|(array, around)| Values {
                is_json: column.is_json,
                ..Values::of(array, &around)
            });
            found.ok_or_else(|| {
                Error::failure(format!("a batch has no column {}", quoted(&column.name)))
            })
        };
        Ok(Self {
            text: if columns.parts.is_empty() {
                values(&columns.text)?
            } else {
                Values::of(&joined::texts(&batch, &columns.parts)?, &[])
            },
            id: columns.id.as_ref().map(values).transpose()?,
            keep: columns.keep.as_ref().map(values).transpose()?,
            label: columns.label.as_ref().map(values).transpose()?,
            columns: columns.clone(),
            batch,
        })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.batch.num_rows()
    }

    /// Returns a row's text without copying it.
    ///
    /// # Errors
    /// Fails if the text is null, or if its bytes are not UTF-8.
    #[inline]
    pub fn text(&self, row: usize) -> std::result::Result<&str, Fault> {
        let field = &self.columns.text.name;
        let Some(at) = self.text.place(row) else {
            let wrong = Fault::record(format!("field {} is null, not a text", quoted(field)))
                .in_field(&**field);
            return Err(wrong.advise("give a string, or name another field with $text_field"));
        };
        self.text
            .plain
            .text(at)
            .unwrap_or(Ok(""))
            .map_err(|at| invalid(field, at))
    }

    /// Returns a row's set as a JSON array. A set that is a list is written to `scratch`.
    ///
    /// # Errors
    /// Fails if the set is null, if its bytes are not UTF-8, or if an item is neither a string nor a number.
    pub fn set<'a>(
        &'a self,
        row: usize,
        scratch: &'a mut String,
        fields: &Fields,
    ) -> std::result::Result<&'a str, Fault> {
        let field = &self.columns.text.name;
        let Some(at) = self.text.place(row) else {
            let wrong = Fault::record(format!("field {} is null, not a set", quoted(field)))
                .in_field(&**field);
            let advice = "give a list of strings or numbers, or name another field with $set_field";
            return Err(wrong.advise(advice));
        };
        let Plain::Lists(lists, items) = &self.text.plain else {
            let array = self.text(row)?;
            sets::check(array, fields)?;
            return Ok(array);
        };
        scratch.clear();
        scratch.push('[');
        for (item, number) in lists::range(lists, at).zip(1..) {
            if number > 1 {
                scratch.push(',');
            }
            if !items.json(field, item, scratch)? {
                let what = items.what(item);
                let what = format!("field {} has {what} as item {number}", quoted(field));
                let advice = "the items of a set must be strings and numbers; leave it out";
                return Err(Fault::record(what).in_field(&**field).advise(advice));
            }
        }
        scratch.push(']');
        Ok(scratch)
    }

    /// Returns the number of bytes of a row's text; 0 if it is not a text. For a list, this is the number of bytes of its
    /// strings, plus eight for each item.
    pub fn text_len(&self, row: usize) -> usize {
        self.text.length(row)
    }

    /// Writes a row's id as JSON, a string or a number. Writes nothing if the table has no id column.
    ///
    /// # Errors
    /// Fails if the id is null, is a number that is not finite, or has bytes that are not UTF-8.
    pub fn id(&self, row: usize, out: &mut String) -> std::result::Result<(), Fault> {
        out.clear();
        let (Some(values), Some(column)) = (&self.id, &self.columns.id) else {
            return Ok(());
        };
        let field = &column.name;
        let refused = |what: &str| {
            Fault::record(format!("field {} is {what}", quoted(field)))
                .in_field(&**field)
                .advise(no_id())
        };
        if values.json(field, row, out)? {
            Ok(())
        } else {
            Err(refused(values.what(row)))
        }
    }

    /// Writes a row's label as JSON. Writes nothing if the label is absent or null.
    ///
    /// # Errors
    /// Fails if the label is a number that is not finite, or has bytes that are not UTF-8.
    pub fn label(&self, row: usize, out: &mut String) -> std::result::Result<(), Fault> {
        out.clear();
        let (Some(values), Some(column)) = (&self.label, &self.columns.label) else {
            return Ok(());
        };
        let field = &column.name;
        if values.place(row).is_none() || values.json(field, row, out)? {
            return Ok(());
        }
        let what = values.what(row);
        Err(Fault::record(format!("field {} is {what}", quoted(field)))
            .in_field(&**field)
            .advise(no_label()))
    }

    /// Returns a row's key, by the same rules as for JSON Lines. Overwrites `scratch`.
    ///
    /// # Errors
    /// Fails if the value cannot be used for the keep order.
    pub fn key(
        &self,
        row: usize,
        text: &str,
        scratch: &mut String,
    ) -> std::result::Result<u64, Fault> {
        scratch.clear();
        if let (Some(values), Some(column)) = (&self.keep, &self.columns.keep)
            && !values.json(&column.name, row, scratch)?
        {
            return Err(keys::unfit(
                &self.columns.order,
                &format!("is {}", values.what(row)),
            ));
        }
        let keep = self.keep.is_some().then_some(&**scratch);
        keys::key(
            (&self.columns.order, self.columns.set),
            &Found {
                text: Text::Plain(text),
                surplus: 0,
                id: None,
                keep,
                label: None,
            },
        )
    }

    /// Returns the rows for which the mask is true, with all their columns.
    ///
    /// # Errors
    /// Fails if the mask and the batch have different lengths.
    pub fn masked(&self, mask: &[bool]) -> Result<RecordBatch> {
        json::filter(&self.batch, &mask.to_vec().into())
    }

    /// Appends the rows for which the mask is true, with all their columns, as JSON Lines.
    ///
    /// # Errors
    /// Fails if JSON cannot represent a value or a type; the error contains the number of the row, counted from 0 in the batch.
    pub fn masked_lines(&self, mask: &[bool], out: &mut Vec<u8>) -> Result<()> {
        lines_of(&self.masked(mask)?, mask, out)
    }

    /// Does the same as [`masked_lines`](Self::masked_lines), with other texts, as [`with_texts`](Self::with_texts).
    ///
    /// # Errors
    /// Fails for the same reasons as both functions.
    pub fn lines_with_texts(
        &self,
        texts: &[Option<String>],
        mask: &[bool],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        lines_of(&self.with_texts(texts, mask)?, mask, out)
    }

    /// Returns the rows for which `mask` is true, with the texts that are given instead of their own; `None` keeps the row's text.
    ///
    /// # Errors
    /// Fails if the texts cannot be stored in the type of the column. The error has no advice.
    pub fn with_texts(
        &self,
        texts: &[Option<impl AsRef<str>>],
        mask: &[bool],
    ) -> Result<RecordBatch> {
        let own = |row| {
            self.text
                .place(row)
                .and_then(|at| self.text.plain.text(at))
                .and_then(std::result::Result::ok)
        };
        let given = texts.iter().map(|text| text.as_ref().map(AsRef::as_ref));
        let all: Vec<Option<&str>> = given
            .enumerate()
            .map(|(row, text)| text.or_else(|| own(row)))
            .collect();
        let batch = replaced::with_texts(&self.batch, &self.columns.text.path, &all);
        let batch = batch.map_err(|error| {
            let field = &self.columns.text.name;
            let what = format!(
                "the remaining texts cannot be stored in column {}: {error}",
                quoted(field)
            );
            Error::record(what).in_field(&**field)
        })?;
        json::filter(&batch, &mask.to_vec().into())
    }

    /// Returns whether a column's metadata says that its strings are JSON.
    pub fn is_json(&self, column: &str) -> bool {
        self.batch
            .schema_ref()
            .field_with_name(column)
            .is_ok_and(|field| field.metadata().contains_key(JSON))
    }

    /// Appends a row, with all its columns, as one JSON object and a newline.
    ///
    /// # Errors
    /// Fails if JSON cannot represent a value or a type; the error contains the number of the row, counted from 0 in the batch.
    pub fn json_line(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        let batch = self.batch.slice(row, 1);
        let refused = |error| json::unwritable(&batch, &error).1.of_line(row as u64);
        write_json_lines(&batch, Nulls::Written, out).map_err(refused)
    }
}

/// Returns the rows of a batch for which `mask` is true, with the texts that are given instead of their own, as
/// [`Rows::with_texts`] does. `field` is the name of the texts' column, or its path through structs; `name` is that of the table, for
/// messages.
///
/// # Errors
/// Fails if there is no such column of texts, or for the same reasons as that function.
pub fn with_texts(
    name: &str,
    batch: &RecordBatch,
    field: &str,
    texts: &[Option<impl AsRef<str>>],
    mask: &[bool],
) -> Result<RecordBatch> {
    let rows = Rows::new(
        batch.clone(),
        &Columns::of_texts(name, &batch.schema(), field)?,
    )?;
    let made = if texts.iter().all(Option::is_none) {
        rows.masked(mask)
    } else {
        rows.with_texts(texts, mask)
    };
    made.map_err(|error| error.at(name))
}

/// Appends rows as JSON Lines. They are the rows of a batch for which `mask` is true.
fn lines_of(masked: &RecordBatch, mask: &[bool], out: &mut Vec<u8>) -> Result<()> {
    write_json_lines(masked, Nulls::Written, out).map_err(|error| {
        let (row, why) = json::unwritable(masked, &error);
        let place = mask
            .iter()
            .enumerate()
            .filter(|(_, wanted)| **wanted)
            .nth(row);
        why.of_line(place.map_or(0, |(at, _)| at as u64))
    })
}

/// Returns the approximate size of a batch's rows in bytes. The size of a view includes the data to which it points.
pub(crate) fn size(batch: &RecordBatch) -> usize {
    let column = |array: &ArrayRef| match array.data_type() {
        DataType::Utf8View | DataType::BinaryView => 16 * array.len() + viewed(&array.to_data()),
        _ => array
            .to_data()
            .get_slice_memory_size()
            .unwrap_or_else(|_| array.get_array_memory_size()),
    };
    batch.columns().iter().map(column).sum()
}

/// Returns the number of bytes to which the views of a batch point. Lists are counted as a whole, also those of a slice.
pub(crate) fn viewed_bytes(batch: &RecordBatch) -> usize {
    let columns = batch.columns().iter();
    columns.map(|column| viewed(&column.to_data())).sum()
}

fn viewed(data: &ArrayData) -> usize {
    let views: &[u128] = match data.data_type() {
        DataType::Utf8View | DataType::BinaryView => data.buffers()[0].typed_data(),
        _ => &[],
    };
    // The first 32 bits of a view are its length.
    let own = views.iter().skip(data.offset()).take(data.len());
    own.map(|&view| view as u32 as usize).sum::<usize>()
        + data.child_data().iter().map(viewed).sum::<usize>()
}

/// Returns the number of bytes of all texts of a batch or, if records with fields are read, of all their values.
pub(crate) fn text_bytes(batch: &RecordBatch, columns: &Columns) -> Result<u64> {
    if columns.document().is_none() {
        return Ok(size(&columns.project(batch)?) as u64);
    }
    let rows = Rows::new(batch.clone(), columns)?;
    Ok((0..rows.len()).map(|row| rows.text_len(row) as u64).sum())
}

impl Values {
    fn of(array: &ArrayRef, around: &[&StructArray]) -> Self {
        let (values, indexes) = match array.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                // If a dictionary has no values, no row has a value, so these indexes are never used.
                let indexes = if dictionary.values().is_empty() {
                    vec![0; array.len()]
                } else {
                    dictionary.normalized_keys()
                };
                (dictionary.values().clone(), Some(indexes))
            }
            DataType::RunEndEncoded(ends, _) => runs(array, ends.data_type()),
            _ => (array.clone(), None),
        };
        let own = array.logical_nulls();
        let there = around.iter().fold(own, |all, outer| {
            NullBuffer::union(all.as_ref(), outer.nulls())
        });
        Self {
            plain: Plain::of(values),
            indexes,
            there: there.filter(|there| there.null_count() > 0),
            is_json: false,
        }
    }

    /// Returns the index of a row's value, or none if the row has no value.
    #[inline]
    fn place(&self, row: usize) -> Option<usize> {
        if self.there.as_ref().is_some_and(|there| there.is_null(row)) {
            return None;
        }
        Some(self.indexes.as_ref().map_or(row, |indexes| indexes[row]))
    }

    /// Returns the number of bytes of a row's text, or 0 if it is not a text.
    fn length(&self, row: usize) -> usize {
        self.place(row).map_or(0, |at| self.plain.length(at))
    }

    /// Appends a row's value as JSON. Returns false and appends nothing if the row has no value, or if JSON cannot represent it.
    fn json(&self, field: &str, row: usize, out: &mut String) -> std::result::Result<bool, Fault> {
        let Some(at) = self.place(row) else {
            return Ok(false);
        };
        Ok(match (self.plain.text(at), &self.plain) {
            (Some(Ok(json)), _) if self.is_json => {
                out.push_str(json);
                true
            }
            (Some(text), _) => {
                write_string(text.map_err(|at| invalid(field, at))?, out);
                true
            }
            (None, Plain::Other(array)) => write_json(array, at, out),
            (None, _) => false,
        })
    }

    /// Describes a value that JSON cannot represent.
    fn what(&self, row: usize) -> &'static str {
        match (self.place(row), &self.plain) {
            (None, _) => "null",
            (Some(at), Plain::Other(array)) if array.data_type().is_floating() => {
                not_finite(array, at)
            }
            _ => "a time beyond the year 9999",
        }
    }
}

fn runs(array: &ArrayRef, ends: &DataType) -> (ArrayRef, Option<Vec<usize>>) {
    macro_rules! indexes {
        ($kind:ty) => {{
            let runs = array.as_run::<$kind>();
            let ends = runs.run_ends();
            (
                runs.values().clone(),
                Some(
                    (0..array.len())
                        .map(|row| ends.get_physical_index(row))
                        .collect(),
                ),
            )
        }};
    }
    match ends {
        DataType::Int16 => indexes!(Int16Type),
        DataType::Int32 => indexes!(Int32Type),
        _ => indexes!(Int64Type),
    }
}

impl Plain {
    fn of(array: ArrayRef) -> Self {
        match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string().clone()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string().clone()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view().clone()),
            DataType::Binary => Self::Binary(array.as_binary().clone()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary().clone()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view().clone()),
            _ => match lists::items(&array) {
                Some(items) => {
                    let items = Box::new(Values::of(items, &[]));
                    Self::Lists(array, items)
                }
                None => Self::Other(array),
            },
        }
    }

    /// Returns a text, or the position where its bytes are not UTF-8, or none if the value is not a text.
    #[inline]
    fn text(&self, at: usize) -> Option<std::result::Result<&str, usize>> {
        Some(match self {
            Self::Utf8(array) => Ok(array.value(at)),
            Self::LargeUtf8(array) => Ok(array.value(at)),
            Self::Utf8View(array) => Ok(array.value(at)),
            Self::Binary(array) => checked(array.value(at)),
            Self::LargeBinary(array) => checked(array.value(at)),
            Self::BinaryView(array) => checked(array.value(at)),
            Self::Other(_) | Self::Lists(..) => return None,
        })
    }

    fn length(&self, at: usize) -> usize {
        match self {
            Self::Utf8(array) => array.value(at).len(),
            Self::LargeUtf8(array) => array.value(at).len(),
            Self::Utf8View(array) => array.value(at).len(),
            Self::Binary(array) => array.value(at).len(),
            Self::LargeBinary(array) => array.value(at).len(),
            Self::BinaryView(array) => array.value(at).len(),
            Self::Other(_) => 0,
            Self::Lists(lists, items) => lists::range(lists, at)
                .map(|item| 8 + items.length(item))
                .sum(),
        }
    }
}

fn checked(bytes: &[u8]) -> std::result::Result<&str, usize> {
    simdutf8::compat::from_utf8(bytes).map_err(|error| error.valid_up_to() + 1)
}

fn invalid(field: &str, at: usize) -> Fault {
    let wrong = Fault::record(format!(
        "field {} has invalid UTF-8 at byte {at}",
        quoted(field)
    ));
    let wrong = wrong.in_field(field).at_byte(at as u64);
    wrong.advise("convert it to UTF-8, or name another field with $text_field")
}
