//! Finds the columns of the text, the id, the label, and the keep order (the field that decides which document is kept).

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StructArray, cast::AsArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use lookalike::{Occurrences, cluster::Keep, shown::quoted};

use super::values::is_value;
use crate::{
    error::{Error, ErrorKind, Result, Setting, Words},
    input_table::JSON,
    words,
};

/// The columns that a run reads, found in a schema. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Columns(Arc<Chosen>);

#[derive(Debug)]
struct Chosen {
    text: Column,
    /// If the text is a set, how repeated items are counted.
    set: Option<Occurrences>,
    id: Option<Column>,
    keep: Option<Column>,
    label: Option<Column>,
    order: Keep,
}

/// A column: the name that the user gave, and its path through structs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) path: Vec<String>,
    /// Whether its values are already JSON.
    pub(super) is_json: bool,
}

/// The purpose of a column, such as the text or the id. It determines which types the column may have, and with which option the
/// user chooses the column.
struct Purpose {
    is: &'static str,
    option: Setting,
    fits: fn(&DataType) -> bool,
}

const TEXT: Purpose = Purpose { is: "a text must be a string", option: Setting::TextField, fits: is_text };
const SET: Purpose = Purpose { is: "a set must be a list of strings or numbers", option: Setting::SetField, fits: is_set };
const ID: Purpose = Purpose { is: "an id must be a string, a number or a time", option: Setting::IdField, fits: is_value };
const KEEP: Purpose = Purpose { is: "keep order needs a number, a date or a time", option: Setting::Keep, fits: is_value };
const LABEL: Purpose = Purpose { is: "a label must be a string or a number", option: Setting::LabelField, fits: is_value };

impl Columns {
    /// Finds columns by their names, first exactly, then as dotted paths into structs. `name` is the name of the file, for
    /// messages. The id and the label may be absent. If documents are sets, the column of the texts has the sets instead: lists, or strings with JSON arrays.
    ///
    /// # Errors
    /// Fails if the table has no column for the text, or none for the field that determines the keep order; the message then lists
    /// the columns of the table. Also fails if a column has a type that is not allowed, or if two columns have the same name.
    pub fn choose(
        name: &str,
        schema: &Schema,
        (text, set): (&str, Option<Occurrences>),
        id: &str,
        order: &Keep,
        label: Option<&str>,
    ) -> Result<Self> {
        let find = |asked: &str, purpose: &Purpose| -> Result<Option<Column>> {
            let refuse = |what: String| Error::new(ErrorKind::Input, what).at(name).in_field(asked).about(purpose.option);
            let twice = || refuse(format!("duplicate column {}", quoted(asked))).advise("rename one of the two");
            let Some((path, field)) = find(schema.fields(), asked).map_err(|Twice| twice())? else { return Ok(None) };
            if (purpose.fits)(field.data_type()) {
                return Ok(Some(Column { name: asked.into(), path, is_json: field.metadata().contains_key(JSON) }));
            }
            let (found, advice) = described(field);
            let Purpose { is, option, .. } = purpose;
            let advice = words![format!("{is}; "), advice, ", or name another column with ", *option];
            Err(refuse(format!("column {} is {found}", quoted(asked))).advise(advice))
        };
        let need = |asked: &str, purpose: &Purpose| {
            let none = || {
                let (has, option) = (named(schema), purpose.option);
                let advice = match option {
                    Setting::Keep => "name another column for keep order with ",
                    Setting::SetField => "name the column with the set with ",
                    _ => "name the column with the text with ",
                };
                let what = format!("no column {}; the table has {has}", quoted(asked));
                Error::new(ErrorKind::Input, what).at(name).in_field(asked).advise(words![advice, option])
            };
            find(asked, purpose)?.ok_or_else(none)
        };
        Ok(Self(Arc::new(Chosen {
            text: need(text, if set.is_some() { &SET } else { &TEXT })?,
            set,
            id: find(id, &ID)?,
            keep: order.field().map(|field| need(field, &KEEP)).transpose()?,
            label: label.map(|label| find(label, &LABEL)).transpose()?.flatten(),
            order: order.clone(),
        })))
    }

    pub(super) fn text(&self) -> &Column {
        &self.0.text
    }

    /// Returns how repeated items count, if texts are sets.
    pub(super) fn set(&self) -> Option<Occurrences> {
        self.0.set
    }

    /// Returns the path to the text through structs.
    pub fn text_path(&self) -> &[String] {
        &self.0.text.path
    }

    /// Returns the type of ids, or none if the table has no id column.
    pub fn id_type(&self, schema: &Schema) -> Option<DataType> {
        let (first, rest) = self.id()?.path.split_first()?;
        let mut kind = schema.field_with_name(first).ok()?.data_type();
        for name in rest {
            let DataType::Struct(fields) = kind else { return None };
            kind = fields.find(name)?.1.data_type();
        }
        Some(kind.clone())
    }

    pub(super) fn id(&self) -> Option<&Column> {
        self.0.id.as_ref()
    }

    pub(super) fn keep(&self) -> Option<&Column> {
        self.0.keep.as_ref()
    }

    pub(super) fn label(&self) -> Option<&Column> {
        self.0.label.as_ref()
    }

    pub(super) fn order(&self) -> &Keep {
        &self.0.order
    }

    /// Returns the paths of all chosen columns.
    pub(super) fn paths(&self) -> impl Iterator<Item = &[String]> {
        let Chosen { text, id, keep, label, .. } = &*self.0;
        [Some(text), id.as_ref(), keep.as_ref(), label.as_ref()].into_iter().flatten().map(|column| &*column.path)
    }

    /// Returns the indices of the schema's columns that are chosen or contain a chosen one, in ascending order.
    pub(super) fn roots(&self, schema: &Schema) -> Vec<usize> {
        let is_root = |field: &FieldRef| self.paths().any(|path| path.first() == Some(field.name()));
        (0..schema.fields().len()).filter(|&at| is_root(&schema.fields()[at])).collect()
    }

    /// Returns the batch with only the columns that are chosen or contain a chosen column.
    pub(super) fn project(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        batch.project(&self.roots(batch.schema_ref())).map_err(|error| Error::failure(error.to_string()))
    }
}

impl Column {
    /// Returns the column's values, and the structs on its path that have nulls.
    pub(super) fn of<'a>(&self, batch: &'a RecordBatch) -> Option<(&'a ArrayRef, Vec<&'a StructArray>)> {
        let (first, rest) = self.path.split_first()?;
        let mut own = batch.column_by_name(first)?;
        let mut around = Vec::new();
        for name in rest {
            let inside = own.as_struct_opt()?;
            around.push(inside);
            own = inside.column_by_name(name)?;
        }
        Some((own, around.into_iter().filter(|array| array.nulls().is_some()).collect()))
    }
}

/// The error for a name that two columns have.
struct Twice;

type Found<'a> = (Vec<String>, &'a Field);

/// Returns the column for a name: a column with exactly that name, or a dotted path.
fn find<'a>(fields: &'a Fields, asked: &str) -> std::result::Result<Option<Found<'a>>, Twice> {
    let mut named = fields.iter().filter(|field| field.name() == asked);
    if let Some(field) = named.next() {
        return if named.next().is_some() { Err(Twice) } else { Ok(Some((vec![asked.into()], field))) };
    }
    // The name of an inner field may also contain dots, so use the shortest outer name that leads to a column.
    for (at, _) in asked.match_indices('.') {
        let (first, rest) = (&asked[..at], &asked[at + 1..]);
        let mut outer = fields.iter().filter(|field| field.name() == first);
        let Some(field) = outer.next() else { continue };
        if let DataType::Struct(inner) = field.data_type()
            && let Some((mut path, found)) = find(inner, rest)?
        {
            if outer.next().is_some() {
                return Err(Twice);
            }
            path.insert(0, first.into());
            return Ok(Some((path, found)));
        }
    }
    Ok(None)
}

/// Returns whether a type can contain texts.
fn is_text(own: &DataType) -> bool {
    match own {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => is_text(values),
        DataType::RunEndEncoded(_, values) => is_text(values.data_type()),
        _ => false,
    }
}

/// Returns whether a type can contain sets.
fn is_set(own: &DataType) -> bool {
    match own {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => is_value(item.data_type()),
        DataType::ListView(item) | DataType::LargeListView(item) => is_value(item.data_type()),
        other => is_text(other),
    }
}

/// Describes the type of a column, with advice.
fn described(field: &Field) -> (String, Words) {
    let own = field.data_type();
    match own {
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => (
            format!("a list ({own})"),
            words![
                "name a list of strings or numbers with ",
                Setting::SetField,
                ", join its items into one string, or give each item its own row"
            ],
        ),
        DataType::Struct(_) => (format!("a struct ({own})"), "name a column inside it as struct.column".into()),
        DataType::Map(..) => (format!("a map ({own})"), "put the value into its own column".into()),
        DataType::FixedSizeBinary(_) => {
            let what = if field.extension_type_name() == Some("arrow.uuid") { "a UUID" } else { "bytes" };
            (format!("{what} ({own})"), "write it as a string first".into())
        }
        DataType::Boolean => ("true or false".into(), "leave it out".into()),
        DataType::Null => ("null in all rows".into(), "leave it out".into()),
        _ => (format!("of the type {own}"), "convert it first".into()),
    }
}

/// Lists the columns that a table has, because the user nearly always means one of them.
fn named(schema: &Schema) -> String {
    const SHOWN: usize = 12;
    let fields = schema.fields();
    let mut shown = fields.iter().take(SHOWN).map(|field| quoted(field.name())).collect::<Vec<_>>().join(", ");
    if fields.len() > SHOWN {
        shown += &format!(" and {} more", fields.len() - SHOWN);
    }
    if fields.is_empty() { "no columns".into() } else { format!("the columns {shown}") }
}
