//! Finds the sketches of two documents that a user names.

use lookalike::stored::{SketchParameters, StoredSketch};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::{Reading, Source},
    store::shown_name,
};

use super::{header::of_all, rows::each_row};
use crate::{config::RunConfig, pass::by_id::all_found};

/// Returns the parameters of a collection of sketches and the sketches of the documents with these ids, in the order of `ids`; or
/// `None` if the inputs are not files of sketches. An id is given as a user would type it: a string with or without its quotes, or a
/// number as it is written. If several documents have the same id, the first counts.
///
/// # Errors
/// Fails if one of the ids belongs to no document, or if a file cannot be read.
pub fn find_sketches(
    config: &RunConfig,
    ids: &[&str],
) -> Result<Option<(SketchParameters, Vec<StoredSketch>)>> {
    let inputs = config.expand()?;
    let Some(parameters) = of_all(&inputs, 0)? else {
        return Ok(None);
    };
    let source = Source::new(inputs, Reading::sketches(), &config.temp_dir)?;
    let mut found: Vec<Option<StoredSketch>> = vec![None; ids.len()];
    each_row(&source, |_, row| {
        let plain = serde_json::from_str::<String>(row.id.get()).ok();
        let is = |wanted: &str| wanted == row.id.get() || Some(wanted) == plain.as_deref();
        let wanted = found
            .iter_mut()
            .zip(ids)
            .filter(|(sketch, id)| sketch.is_none() && is(id));
        wanted.for_each(|(sketch, _)| *sketch = Some(row.sketch.clone()));
        Ok(())
    })?;
    Ok(Some((parameters, all_found(found, ids, &config.inputs)?)))
}

/// Returns the parameters and the sketches of several files that have one document each; or `None` if the first of them is not a file
/// of sketches.
///
/// # Errors
/// Fails if the parameters of two files differ, or if a file has no document or several.
pub fn sole_sketches(names: &[&str]) -> Result<Option<(SketchParameters, Vec<StoredSketch>)>> {
    let config = RunConfig {
        inputs: names.iter().map(|&name| name.into()).collect(),
        ..RunConfig::default()
    };
    let Ok(inputs) = config.expand() else {
        return Ok(None);
    };
    let Some(parameters) = of_all(&inputs, 0)? else {
        return Ok(None);
    };
    let sketch = |input: &lookalike_io::read::Input| {
        let source = Source::new(vec![input.clone()], Reading::sketches(), &config.temp_dir)?;
        let (mut sketch, mut documents) = (None, 0);
        each_row(&source, |_, row| {
            documents += 1;
            sketch = Some(row.sketch);
            Ok(())
        })?;
        let several = || {
            let what = format!("has the sketches of {documents} documents, but one is needed");
            Error::new(ErrorKind::Input, what)
                .at(shown_name(&input.name()))
                .advise("name the collection with --in, and give two ids")
        };
        sketch.filter(|_| documents == 1).ok_or_else(several)
    };
    Ok(Some((
        parameters,
        inputs.iter().map(sketch).collect::<Result<_>>()?,
    )))
}

/// Returns the parameters that all files of sketches have, or `None` if the files are not files of sketches.
///
/// # Errors
/// Fails if the parameters of two files differ.
pub fn sketch_parameters(config: &RunConfig) -> Result<Option<SketchParameters>> {
    of_all(&config.expand()?, 0)
}
