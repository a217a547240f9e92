//! Which columns hold the text, the id, what keep order reads, and the label.

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

/// The columns that a run reads, found in a schema. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Columns(Arc<Chosen>);

#[derive(Debug)]
struct Chosen {
    text: Column,
    /// Where the text is a set.
    set: Option<Occurrences>,
    id: Option<Column>,
    keep: Option<Column>,
    label: Option<Column>,
    order: Keep,
}

/// A column: as it was asked for, and the way to it through structs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) path: Vec<String>,
    /// Its values are JSON already.
    pub(super) is_json: bool,
}

/// What a column is chosen for: what it must be, and the option that names another.
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
    /// Finds columns by their names, first as they stand, then as dotted paths into structs. `name` is the file's, for messages. An
    /// id and a label may be absent. A text may be a set: a list, or a string with a JSON array.
    ///
    /// # Errors
    /// An absent text or an absent field for keep order: names the columns there are. A type that cannot be, a name that stands
    /// twice.
    pub fn choose(
        name: &str,
        schema: &Schema,
        (text, set): (&str, Option<Occurrences>),
        id: &str,
        order: &Keep,
        label: Option<&str>,
    ) -> Result<Self> {
        let find = |asked: &str, purpose: &Purpose| -> Result<Option<Column>> {
            let refuse = |what: String| {
                let what = format!("column {} {what}", quoted(asked));
                Error::new(ErrorKind::Input, what).at(name).in_field(asked).about(purpose.option)
            };
            let twice = || refuse("stands twice".into()).advise("rename one of the two");
            let Some((path, field)) = find(schema.fields(), asked).map_err(|Twice| twice())? else { return Ok(None) };
            if (purpose.fits)(field.data_type()) {
                return Ok(Some(Column { name: asked.into(), path, is_json: field.metadata().contains_key(JSON) }));
            }
            let (found, advice) = described(field);
            let Purpose { is, option, .. } = purpose;
            let advice = words![format!("{is}: "), advice, ", or name another column with ", *option];
            Err(refuse(format!("is {found}")).advise(advice))
        };
        let need = |asked: &str, purpose: &Purpose| {
            let none = || {
                let (has, option) = (named(schema), purpose.option);
                let advice = match option {
                    Setting::Keep => "keep order looks at another with ",
                    Setting::SetField => "name the one with the set with ",
                    _ => "name the one with the text with ",
                };
                let what = format!("no column {}; the table has {has}", quoted(asked));
                Error::new(ErrorKind::Input, what).at(name).in_field(asked).instead(words![advice, option])
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

    /// Where texts are sets, what their items count.
    pub(super) fn set(&self) -> Option<Occurrences> {
        self.0.set
    }

    /// The way to the text through structs.
    pub fn text_path(&self) -> &[String] {
        &self.0.text.path
    }

    /// What ids are; none where the table has no such column.
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

    /// The ways to all that were chosen.
    pub(super) fn paths(&self) -> impl Iterator<Item = &[String]> {
        let Chosen { text, id, keep, label, .. } = &*self.0;
        [Some(text), id.as_ref(), keep.as_ref(), label.as_ref()].into_iter().flatten().map(|column| &*column.path)
    }

    /// The numbers of the schema's columns that are chosen, or in which something is, ascending.
    pub(super) fn roots(&self, schema: &Schema) -> Vec<usize> {
        let is_root = |field: &FieldRef| self.paths().any(|path| path.first() == Some(field.name()));
        (0..schema.fields().len()).filter(|&at| is_root(&schema.fields()[at])).collect()
    }

    /// The columns that are chosen, or in which something is.
    pub(super) fn project(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        batch.project(&self.roots(batch.schema_ref())).map_err(|error| Error::failure(error.to_string()))
    }
}

impl Column {
    /// The column's values, and whether each struct on the way to it is there.
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

/// A name that two columns have.
struct Twice;

type Found<'a> = (Vec<String>, &'a Field);

/// The column of a name: one that is called so, or a dotted path.
fn find<'a>(fields: &'a Fields, asked: &str) -> std::result::Result<Option<Found<'a>>, Twice> {
    let mut named = fields.iter().filter(|field| field.name() == asked);
    if let Some(field) = named.next() {
        return if named.next().is_some() { Err(Twice) } else { Ok(Some((vec![asked.into()], field))) };
    }
    // A name inside may have dots too: the shortest first name that leads somewhere.
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

/// What could hold texts.
fn is_text(own: &DataType) -> bool {
    match own {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => is_text(values),
        DataType::RunEndEncoded(_, values) => is_text(values.data_type()),
        _ => false,
    }
}

/// What could hold sets.
fn is_set(own: &DataType) -> bool {
    match own {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => is_value(item.data_type()),
        DataType::ListView(item) | DataType::LargeListView(item) => is_value(item.data_type()),
        other => is_text(other),
    }
}

/// What a column is, and what can be done about it.
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
                ", join its items to one string, or give each a row"
            ],
        ),
        DataType::Struct(_) => (format!("a struct ({own})"), "name a column inside as struct.column".into()),
        DataType::Map(..) => (format!("a map ({own})"), "put the value into a column of its own".into()),
        DataType::FixedSizeBinary(_) => {
            let what = if field.extension_type_name() == Some("arrow.uuid") { "a UUID" } else { "bytes" };
            (format!("{what} ({own})"), "write it as a string first".into())
        }
        DataType::Boolean => ("true or false".into(), "leave it out".into()),
        DataType::Null => ("null in all rows".into(), "leave it out".into()),
        _ => (format!("of the type {own}"), "convert it first".into()),
    }
}

/// Names the columns that a table does have: nearly always one of them was meant.
fn named(schema: &Schema) -> String {
    const SHOWN: usize = 12;
    let fields = schema.fields();
    let mut shown = fields.iter().take(SHOWN).map(|field| quoted(field.name())).collect::<Vec<_>>().join(", ");
    if fields.len() > SHOWN {
        shown += &format!(" and {} more", fields.len() - SHOWN);
    }
    if fields.is_empty() { "no columns".into() } else { format!("the columns {shown}") }
}
