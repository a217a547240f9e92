//! Converts keywords to the settings of an index, and to the way in which documents are read for it.

use lookalike::text::TokensBy;
use lookalike_engine::RunConfig;
use lookalike_index::{Index, OnConflict, Settings};
use lookalike_indexing::{AddOptions, CreateOptions, reading as reads, refuse_outputs, step_of};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    collection::{Named, options::fields_of_records},
    config::{Table, object},
    error::failed,
};

/// For fewer texts, starting a thread takes longer than it saves.
const FEW: usize = 64;

/// How documents are read and added.
pub struct Adding {
    pub config: RunConfig,
    pub on_conflict: OnConflict,
    /// The documents that are added in one step take about this much memory, in bytes.
    pub step: usize,
}

/// Returns the settings of a new index.
///
/// # Errors
/// Fails with `ConfigError` or, if the core reports an error, with the matching exception.
pub fn settings(keywords: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let table = Table::of(object(keywords)?)?;
    let settings = table.options::<CreateOptions>()?.plan().map_err(failed)?;
    Ok(Settings {
        config: table.over(settings.config)?,
        ..settings
    })
}

/// Returns how documents are read and added.
///
/// # Errors
/// Fails with `ConfigError` if a keyword is invalid.
pub fn reading(
    index: &Index,
    texts: Option<Named<'_>>,
    keywords: &Bound<'_, PyDict>,
) -> PyResult<Adding> {
    let mut fields = object(keywords)?;
    if index.settings().config.tokens == TokensBy::Items {
        fields.insert("tokens".into(), TokensBy::Items.to_string().into());
    }
    fields_of_records(&mut fields);
    let AddOptions {
        adding,
        on_conflict,
    } = Table::of(fields)?.options()?;
    let mut config = reads(index, &adding.inputs, &adding.execution).map_err(failed)?;
    refuse_outputs(index, &config, &[]).map_err(failed)?;
    if let Some((name, texts)) = texts {
        if config.threads == 0 && texts.len() < FEW {
            config.threads = 1;
        }
        config.tables = vec![texts.input(&name)?];
    }
    Ok(Adding {
        config,
        on_conflict: on_conflict.unwrap_or_default(),
        step: step_of(&adding.execution),
    })
}
