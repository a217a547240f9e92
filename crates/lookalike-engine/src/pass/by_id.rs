//! Finds documents by their ids.

use lookalike::shown::quoted;
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::{Blocks, Scratch, Source, each_block},
    store::shown_name,
};

use super::reading::reading;
use crate::config::RunConfig;

/// Returns the texts of the documents with these ids, in the order of `ids`. An id is given as a user would type it: a string
/// with or without its quotes, a number as it is written, or `file:line` for a record without an id. Reads until all documents
/// are found. If several documents have the same id, the first counts.
///
/// # Errors
/// Fails if one of the ids belongs to no record, or if there is an invalid line before the last document that is found.
pub fn find_texts(config: &RunConfig, ids: &[&str]) -> Result<Vec<String>> {
    let source = Source::new(config.expand()?, reading(config)?, &config.temp_dir)?;
    let mut texts: Vec<Option<String>> = vec![None; ids.len()];
    let (mut scratch, mut plain) = (Scratch::default(), String::new());
    each_block(Blocks::new(&source), |block, first_line| {
        for at in 0..block.len() {
            let place = || source.place(block.part, first_line + at as u64);
            let record = block.record(at, source.reading(), &mut scratch);
            let record = record.map_err(|fault| fault.at_place(place()))?;
            let Some(record) = record else { continue };
            let id = match serde_json::from_str::<String>(record.id) {
                Ok(text) => text,
                Err(_) if record.id.is_empty() => place().to_string(),
                Err(_) => record.id.into(),
            };
            let wanted = |(text, wanted): &(&mut Option<String>, &&str)| {
                text.is_none() && (**wanted == id || **wanted == record.id)
            };
            for (text, _) in texts.iter_mut().zip(ids).filter(wanted) {
                *text = Some(record.text.decode(&mut plain).into());
            }
            if !texts.contains(&None) {
                return Ok(false);
            }
        }
        Ok(true)
    })?;
    all_found(texts, ids, &config.inputs)
}

/// Returns what was found for each id.
///
/// # Errors
/// Fails with the first id for which nothing was found.
pub(crate) fn all_found<T>(
    found: Vec<Option<T>>,
    ids: &[&str],
    inputs: &[String],
) -> Result<Vec<T>> {
    let one = |(found, id): (Option<T>, &&str)| {
        found.ok_or_else(|| {
            let inputs: Vec<String> = inputs.iter().map(|name| shown_name(name)).collect();
            Error::new(
                ErrorKind::Input,
                format!(
                    "no document has the id {} in {}",
                    quoted(&shown_name(id)),
                    inputs.join(", ")
                ),
            )
        })
    };
    found.into_iter().zip(ids).map(one).collect()
}
