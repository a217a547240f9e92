//! Finds the columns that a run reads: those of the text, the id, the label, and the keep order (the field that decides which
//! document is kept), or those of some fields of records.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StructArray, cast::AsArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use lookalike::{Occurrences, cluster::Keep, shown::quoted};

use super::values::is_value;
use crate::{
    error::{Error, ErrorKind, Result, Setting, Words},
    input_table::JSON,
    read::json::{Joined, Part, RecordFields},
    words,
};

/// The columns that a run reads, found in a schema. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Columns(Chosen);

#[derive(Debug, Clone)]
enum Chosen {
    Document(Arc<Document>),
    /// The paths through structs of the columns that contain the values of fields of records.
    Fields(Arc<[Vec<String>]>),
}

/// The columns of documents.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) text: Column,
    /// The parts of the text, if it is put together from several columns or from items of lists; `text` is then the column of the first.
    pub(super) parts: Vec<TextPart>,
    /// If the text is a set, how repeated items are counted.
    pub(super) set: Option<Occurrences>,
    pub(super) id: Option<Column>,
    pub(super) keep: Option<Column>,
    pub(super) label: Option<Column>,
    pub(super) order: Keep,
}

/// A column: the name that the user gave, and its path through structs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) path: Vec<String>,
    /// Whether its values are already JSON.
    pub(super) is_json: bool,
}

/// A part of a text: a column and, if it has lists, the paths inside their items. An empty path means the item itself.
#[derive(Debug)]
pub(super) struct TextPart {
    pub(super) column: Column,
    pub(super) paths: Vec<Vec<String>>,
}

/// The purpose of a column, such as the text or the id. It determines which types the column may have, and with which option the
/// user chooses the column.
struct Purpose {
    is: &'static str,
    option: Setting,
    fits: fn(&DataType) -> bool,
}

const TEXT: Purpose = Purpose {
    is: "a text must be a string",
    option: Setting("text_field"),
    fits: is_text,
};
const SET: Purpose = Purpose {
    is: "a set must be a list of strings or numbers",
    option: Setting("set_field"),
    fits: is_set,
};
/// Any column; its type is checked later.
const ANY: Purpose = Purpose {
    is: TEXT.is,
    option: Setting("text_field"),
    fits: |_| true,
};
const ID: Purpose = Purpose {
    is: "an id must be a string, a number or a time",
    option: Setting("id_field"),
    fits: is_value,
};
const KEEP: Purpose = Purpose {
    is: "keep order needs a number, a date or a time",
    option: Setting("keep"),
    fits: is_value,
};
const LABEL: Purpose = Purpose {
    is: "a label must be a string or a number",
    option: Setting("label_field"),
    fits: is_value,
};

impl Columns {
    /// Finds the columns of documents by their names, first exactly, then as dotted paths into structs. `name` is the name of the
    /// file, for messages. The id and the label may be absent. If documents are sets, the column of the texts has the sets instead:
    /// lists, or strings with JSON arrays.
    ///
    /// # Errors
    /// Fails if the table has no column for the text, or none for the field that determines the keep order; the message then lists
    /// the columns of the table. Also fails if a column has a type that is not allowed, or if two columns have the same name.
    pub fn choose(
        name: &str,
        schema: &Schema,
        (text, joined, set): (&str, Option<&Joined>, Option<Occurrences>),
        id: &str,
        order: &Keep,
        label: Option<&str>,
    ) -> Result<Self> {
        let find = |asked: &str, purpose: &Purpose| -> Result<Option<Column>> {
            let refuse = |what: String| {
                Error::new(ErrorKind::Input, what)
                    .at(name)
                    .in_field(asked)
                    .about(purpose.option)
            };
            let twice = || {
                refuse(format!("duplicate column {}", quoted(asked)))
                    .advise("rename one of the two")
            };
            let Some((path, field)) = find(schema.fields(), asked).map_err(|Twice| twice())? else {
                return Ok(None);
            };
            if (purpose.fits)(field.data_type()) {
                return Ok(Some(Column {
                    name: asked.into(),
                    path,
                    is_json: field.metadata().contains_key(JSON),
                }));
            }
            let (found, advice) = described(field);
            let Purpose { is, option, .. } = purpose;
            let advice = words![
                format!("{is}; "),
                advice,
                ", or name another column with ",
                *option
            ];
            Err(refuse(format!("column {} is {found}", quoted(asked))).advise(advice))
        };
        let need = |asked: &str, purpose: &Purpose| {
            let none = || {
                let (has, option) = (named(schema), purpose.option);
                let advice = match option {
                    Setting("keep") => "name another column for keep order with ",
                    Setting("set_field") => "name the column with the set with ",
                    _ => "name the column with the text with ",
                };
                let what = format!("no column {}; the table has {has}", quoted(asked));
                Error::new(ErrorKind::Input, what)
                    .at(name)
                    .in_field(asked)
                    .advise(words![advice, option])
            };
            find(asked, purpose)?.ok_or_else(none)
        };
        let parts = match joined {
            Some(joined) if find(text, &ANY)?.is_none() => joined
                .parts
                .iter()
                .map(|part| text_part(part, (name, schema), need))
                .collect::<Result<Vec<_>>>()?,
            _ => Vec::new(),
        };
        let text = match parts.first() {
            Some(part) => Column {
                name: text.into(),
                ..part.column.clone()
            },
            None => need(text, if set.is_some() { &SET } else { &TEXT })?,
        };
        Ok(Self(Chosen::Document(Arc::new(Document {
            text,
            parts,
            set,
            id: find(id, &ID)?,
            keep: order.field().map(|field| need(field, &KEEP)).transpose()?,
            label: label
                .map(|label| find(label, &LABEL))
                .transpose()?
                .flatten(),
            order: order.clone(),
        }))))
    }

    /// Finds the column of texts; no others are read.
    ///
    /// # Errors
    /// Fails for the same reasons as [`choose`](Self::choose).
    pub fn of_texts(name: &str, schema: &Schema, text: &str) -> Result<Self> {
        // The column of the texts also serves as the column of ids, which are not read.
        Self::choose(name, schema, (text, None, None), text, &Keep::First, None)
    }

    /// Finds the columns that may contain values of these fields: each column with the name of a field, or with a name that is the first
    /// part of a path to one.
    pub fn of_records(schema: &Schema, fields: &RecordFields) -> Self {
        let mut paths = Vec::new();
        match fields {
            RecordFields::All => paths.extend(
                schema
                    .fields()
                    .iter()
                    .map(|field| vec![field.name().clone()]),
            ),
            RecordFields::Named(names) => names
                .iter()
                .for_each(|name| leading(schema.fields(), name, &mut Vec::new(), &mut paths)),
        }
        Self(Chosen::Fields(paths.into()))
    }

    /// Returns the columns of documents, or none if records with fields are read.
    pub(super) fn document(&self) -> Option<&Arc<Document>> {
        if let Chosen::Document(document) = &self.0 {
            Some(document)
        } else {
            None
        }
    }

    /// Returns the path to the text through structs, or none if records with fields are read.
    pub fn text_path(&self) -> Option<&[String]> {
        Some(&self.document()?.text.path)
    }

    /// Returns the type of ids, or none if the table has no id column.
    pub fn id_type(&self, schema: &Schema) -> Option<DataType> {
        let (first, rest) = self.document()?.id.as_ref()?.path.split_first()?;
        let mut kind = schema.field_with_name(first).ok()?.data_type();
        for name in rest {
            let DataType::Struct(fields) = kind else {
                return None;
            };
            kind = fields.find(name)?.1.data_type();
        }
        Some(kind.clone())
    }

    /// Returns the paths of all chosen columns.
    pub(super) fn paths(&self) -> Vec<&[String]> {
        match &self.0 {
            Chosen::Document(document) => {
                let Document {
                    text,
                    parts,
                    id,
                    keep,
                    label,
                    ..
                } = &**document;
                [Some(text), id.as_ref(), keep.as_ref(), label.as_ref()]
                    .into_iter()
                    .flatten()
                    .chain(parts.iter().map(|part| &part.column))
                    .map(|column| &*column.path)
                    .collect()
            }
            Chosen::Fields(paths) => paths.iter().map(|path| &**path).collect(),
        }
    }

    /// Returns the indices of the schema's columns that are chosen or contain a chosen one, in ascending order.
    pub(super) fn roots(&self, schema: &Schema) -> Vec<usize> {
        let paths = self.paths();
        let is_root =
            |field: &FieldRef| paths.iter().any(|path| path.first() == Some(field.name()));
        (0..schema.fields().len())
            .filter(|&at| is_root(&schema.fields()[at]))
            .collect()
    }

    /// Returns the batch with only the columns that are chosen or contain a chosen column.
    pub(super) fn project(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        batch
            .project(&self.roots(batch.schema_ref()))
            .map_err(|error| Error::failure(error.to_string()))
    }
}

impl Column {
    /// Returns the column's values, and the structs on its path that have nulls.
    pub(super) fn of<'a>(
        &self,
        batch: &'a RecordBatch,
    ) -> Option<(&'a ArrayRef, Vec<&'a StructArray>)> {
        let (first, rest) = self.path.split_first()?;
        let mut own = batch.column_by_name(first)?;
        let mut around = Vec::new();
        for name in rest {
            let inside = own.as_struct_opt()?;
            around.push(inside);
            own = inside.column_by_name(name)?;
        }
        Some((
            own,
            around
                .into_iter()
                .filter(|array| array.nulls().is_some())
                .collect(),
        ))
    }
}

/// The error for a name that two columns have.
struct Twice;

type Found<'a> = (Vec<String>, &'a Field);

/// Returns the column for a name: a column with exactly that name, or a dotted path.
fn find<'a>(fields: &'a Fields, asked: &str) -> std::result::Result<Option<Found<'a>>, Twice> {
    let mut named = fields.iter().filter(|field| field.name() == asked);
    if let Some(field) = named.next() {
        return if named.next().is_some() {
            Err(Twice)
        } else {
            Ok(Some((vec![asked.into()], field)))
        };
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

/// Appends the paths of the columns that may contain the value of a field: a name may be exact, or a dotted path into structs. The
/// names of columns may contain dots too, so that several columns may fit, and which of them counts depends on the row.
fn leading(fields: &Fields, asked: &str, before: &mut Vec<String>, into: &mut Vec<Vec<String>>) {
    for field in fields {
        let Some(rest) = asked.strip_prefix(field.name().as_str()) else {
            continue;
        };
        before.push(field.name().clone());
        match (rest.strip_prefix('.'), field.data_type()) {
            (Some(inside), DataType::Struct(inner)) => leading(inner, inside, before, into),
            (Some(_), _) => into.push(before.clone()),
            (None, _) if rest.is_empty() => into.push(before.clone()),
            _ => {}
        }
        before.pop();
    }
}

/// Finds the column of a part of a text, and checks that there are strings at the end of its paths.
fn text_part(
    part: &Part,
    (name, schema): (&str, &Schema),
    need: impl Fn(&str, &Purpose) -> Result<Column>,
) -> Result<TextPart> {
    let split = |path: &String| {
        path.split('.')
            .filter(|name| !name.is_empty())
            .map(String::from)
            .collect()
    };
    let paths: Vec<Vec<String>> = part.paths[1..].iter().map(split).collect();
    let column = need(&part.paths[0], &ANY)?;
    let kind = find(schema.fields(), &part.paths[0])
        .ok()
        .flatten()
        .map(|(_, field)| field.data_type());
    if let Some((wanted, found)) = kind.and_then(|kind| unfit(kind, &paths)) {
        let what = format!(
            "column {} has the type {found}, but the text needs {wanted}",
            quoted(&part.name)
        );
        let refused = Error::new(ErrorKind::Input, what)
            .at(name)
            .in_field(&*part.name)
            .about(Setting("text_field"));
        return Err(refused.advise("name other columns with $text_field"));
    }
    Ok(TextPart {
        column: Column {
            name: part.name.clone(),
            ..column
        },
        paths,
    })
}

/// Returns what paths inside the items of lists do not find in a type: the type that is needed, and the one that is there.
fn unfit<'a>(kind: &'a DataType, paths: &[Vec<String>]) -> Option<(String, &'a DataType)> {
    let kind = if let DataType::Dictionary(_, values) = kind {
        values
    } else {
        kind
    };
    let Some((path, rest)) = paths.split_first() else {
        let fits = matches!(
            kind,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        );
        return (!fits).then(|| ("a string".into(), kind));
    };
    let (DataType::List(item)
    | DataType::LargeList(item)
    | DataType::FixedSizeList(item, _)
    | DataType::ListView(item)
    | DataType::LargeListView(item)) = kind
    else {
        return Some(("a list".into(), kind));
    };
    let mut item = item.data_type();
    for name in path {
        let inside = if let DataType::Struct(fields) = item {
            fields.find(name)
        } else {
            None
        };
        match inside {
            Some((_, field)) => item = field.data_type(),
            None => return Some((format!("items with the field {}", quoted(name)), item)),
        }
    }
    unfit(item, rest)
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
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            is_value(item.data_type())
        }
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
                "name a list of strings or numbers with $set_field, join its items into one string, or give each item its own row"
            ],
        ),
        DataType::Struct(_) => (
            format!("a struct ({own})"),
            "name a column inside it as struct.column".into(),
        ),
        DataType::Map(..) => (
            format!("a map ({own})"),
            "put the value into its own column".into(),
        ),
        DataType::FixedSizeBinary(_) => {
            let what = if field.extension_type_name() == Some("arrow.uuid") {
                "a UUID"
            } else {
                "bytes"
            };
            (
                format!("{what} ({own})"),
                "write it as a string first".into(),
            )
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
    let mut shown = fields
        .iter()
        .take(SHOWN)
        .map(|field| quoted(field.name()))
        .collect::<Vec<_>>()
        .join(", ");
    if fields.len() > SHOWN {
        shown += &format!(" and {} more", fields.len() - SHOWN);
    }
    if fields.is_empty() {
        "no columns".into()
    } else {
        format!("the columns {shown}")
    }
}
