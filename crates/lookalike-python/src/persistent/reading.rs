//! Converts keywords to the settings of an index, and to the way in which documents are read for it. The keywords are parsed as the
//! command's flags.

use lookalike::text::TokensBy;
use lookalike_cli::asked::{self, Asked};
use lookalike_index::{Index, Settings};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    collection::{
        Named,
        options::{fields_of_records, names},
    },
    config::{laid_over, not_asked, object, parted},
};

/// For fewer texts, starting a thread takes longer than it saves.
const FEW: usize = 64;

/// Returns the settings of a new index.
///
/// # Errors
/// Fails with `ConfigError` or, if the core reports an error, with the matching exception.
pub fn settings(keywords: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let (mut flags, own) = parted(object(keywords)?)?;
    flags.extend(["--".into(), "-".into()]);
    let settings = asked::index_create(flags).map_err(not_asked)?;
    Ok(Settings {
        config: laid_over(settings.config, own)?,
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
) -> PyResult<Asked> {
    let mut fields = object(keywords)?;
    let inputs = names(&mut fields, "inputs");
    let commands = names(&mut fields, "input_command");
    if index.settings().config.tokens == TokensBy::Items {
        fields.insert("tokens".into(), "items".into());
    }
    fields_of_records(&mut fields);
    let (mut flags, _) = parted(fields)?;
    flags.extend(
        commands
            .iter()
            .map(|command| format!("--input-command={command}").into()),
    );
    // The folder and the input are placeholders.
    flags.extend(["--".into(), "-".into(), "-".into()]);
    let mut asked = asked::index_add(index, flags).map_err(not_asked)?;
    asked.config.inputs = inputs;
    if let Some((name, texts)) = texts {
        if asked.config.threads == 0 && texts.len() < FEW {
            asked.config.threads = 1;
        }
        asked.config.tables = vec![texts.input(&name)?];
    }
    Ok(asked)
}
