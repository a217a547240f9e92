//! The columns of an output.

use std::collections::BTreeMap;

use super::{
    super::added::{AddedNames, Kind},
    types::Type,
    values::Fields,
};
use crate::{error::Result, read::Source};

/// The columns of an output: the fields of all records, in the order in which they first occur, and the fields that are added.
#[derive(Debug, Clone, Default)]
pub struct Heading {
    pub(super) columns: Vec<(String, Type)>,
    /// The place of each name.
    pub(super) places: BTreeMap<String, usize>,
}

impl Heading {
    pub(super) fn of(columns: Vec<(String, Type)>) -> Self {
        let places = columns
            .iter()
            .map(|(name, _)| name.clone())
            .zip(0..)
            .collect();
        Self { columns, places }
    }

    /// Returns the columns for records with these fields. `documents` is the number of records.
    ///
    /// # Errors
    /// Fails if the values of a field have several types, or if a field has the name of an added one.
    pub(super) fn new(
        fields: &Fields,
        documents: u64,
        added: Option<&AddedNames>,
        source: &Source,
    ) -> Result<Self> {
        let mut columns = fields.types().map_err(|refused| refused.error(source))?;
        if let Some(names) = added {
            refuse_taken(fields, names)?;
            // The ids of documents without an id of their own are strings, and those of references may be.
            let whole = fields
                .whole_numbers(&source.reading().fields.id)
                .filter(|(_, count)| *count == documents && source.references() == 0);
            let id = || whole.as_ref().map_or(Type::Text, |(kind, _)| kind.clone());
            let types = match names.kind() {
                Kind::Labels => vec![id(), Type::Text, id(), Type::Float],
                Kind::Marks => vec![Type::Text, Type::List(Box::new(span(id())))],
            };
            columns.extend(names.all().iter().cloned().zip(types));
        }
        Ok(Self::of(columns))
    }

    /// Returns the columns of records with these fields, whatever their types are.
    ///
    /// # Errors
    /// Fails if a field has the name of an added one.
    pub(super) fn of_names(fields: &Fields, added: Option<&AddedNames>) -> Result<Self> {
        added.map_or(Ok(()), |names| refuse_taken(fields, names))?;
        let names = fields
            .names()
            .iter()
            .chain(added.into_iter().flat_map(AddedNames::all));
        Ok(Self::of(
            names.map(|name| (name.clone(), Type::Text)).collect(),
        ))
    }
}

fn refuse_taken(fields: &Fields, names: &AddedNames) -> Result<()> {
    let taken = names
        .all()
        .iter()
        .find(|name| fields.names().contains(name));
    taken.map_or(Ok(()), |name| Err(names.taken("field", name)))
}

/// Returns the type of the spans of marks.
fn span(id: Type) -> Type {
    let whole = |name: &str| (name.to_string(), Type::Signed);
    Type::Object(vec![
        whole("start"),
        whole("end"),
        ("insert".into(), Type::Text),
        whole("tokens"),
        ("source".into(), id),
        whole("source_start"),
        whole("source_end"),
    ])
}
