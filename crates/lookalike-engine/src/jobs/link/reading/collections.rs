//! The one or two collections of records that are linked.

use lookalike_io::{
    error::Result,
    format::Format,
    input_table::InputTable,
    read::{Input, Reading, RecordFields, Source, encoding_named},
    store::shown_name,
};

use crate::config::RunConfig;

/// Records from names, such as files and folders, and from tables in memory.
#[derive(Clone, Copy)]
pub(in crate::jobs::link) struct Collection<'a> {
    names: &'a [String],
    tables: &'a [InputTable],
}

/// Returns the collections: the references of the configuration, if there are any, and its inputs.
pub(in crate::jobs::link) fn collections(config: &RunConfig) -> Vec<Collection<'_>> {
    let references = Collection {
        names: &config.against,
        tables: &config.against_tables,
    };
    let inputs = Collection {
        names: &config.inputs,
        tables: &config.tables,
    };
    if config.has_references() {
        vec![references, inputs]
    } else {
        vec![inputs]
    }
}

/// Returns all inputs of all collections.
///
/// # Errors
/// Fails if a name does not exist, or if an input is given twice.
pub(in crate::jobs::link) fn all_inputs(config: &RunConfig) -> Result<Vec<Input>> {
    let collections = collections(config);
    let given: Vec<_> = collections
        .iter()
        .map(|collection| (collection.names, collection.tables))
        .collect();
    Ok(config.expand_collections(&given)?.0.inputs)
}

/// Returns the names of all collections, for messages.
pub(in crate::jobs::link) fn shown_names(config: &RunConfig) -> Vec<String> {
    collections(config).iter().map(Collection::shown).collect()
}

impl Collection<'_> {
    /// Returns the names of the collection, for messages.
    pub(in crate::jobs::link) fn shown(&self) -> String {
        let names = self.names.iter().map(|name| shown_name(name));
        names
            .chain(self.tables.iter().map(|table| table.name().into()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns whether the format of each input is known from the configuration or from its name.
    pub(in crate::jobs::link) fn says_format(&self, config: &RunConfig) -> bool {
        let named = |name: &String| Format::of_name(name).is_some();
        config.format.is_some() || self.names.iter().all(named)
    }

    /// Opens the collection, to read these fields of its records.
    ///
    /// # Errors
    /// Fails if an input does not exist, or if a table cannot be opened.
    pub(in crate::jobs::link) fn open(
        &self,
        config: &RunConfig,
        fields: RecordFields,
    ) -> Result<Source> {
        let (inputs, tables) = (self.names.into(), self.tables.into());
        let own = RunConfig {
            inputs,
            tables,
            against: Vec::new(),
            against_tables: Vec::new(),
            ..config.clone()
        };
        let encoding = config.encoding.as_deref().map(encoding_named).transpose()?;
        let reading = Reading {
            format: config.format,
            delimiter: config.delimiter,
            encoding,
            ..Reading::records(fields)
        };
        Source::new(own.expand()?, reading, &config.temp_dir)
    }
}
