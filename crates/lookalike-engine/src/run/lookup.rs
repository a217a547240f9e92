//! Finding documents by their ids.

use crate::{
    config::RunConfig,
    error::{Error, ErrorKind, Result},
    read::{Record, Source, each_line, expand, is_blank},
};

/// The texts of the documents with these ids, in the order asked. An id is named as a person would: a string without its
/// quotes (or with them), a number as it is written, `file:line` for a record that has none. Reads until all are found; of a
/// repeated id the first counts.
///
/// # Errors
/// An id that no record has; whatever is wrong with a line before the last one found.
pub fn find_texts(config: &RunConfig, ids: &[&str]) -> Result<Vec<String>> {
    let source = Source::new(expand(&config.inputs, &config.input_commands)?, &config.temp_dir)?;
    let fields = super::sketching::fields(config)?;
    let mut texts: Vec<Option<String>> = vec![None; ids.len()];
    let (mut room, mut plain) = (String::new(), String::new());
    each_line(&source, |input, number, line| {
        if is_blank(line) {
            return Ok(true);
        }
        let place = || format!("{}:{number}", source.inputs()[input].name());
        let record = Record::read(line, &fields, &mut room)
            .map_err(|fault| Error::new(ErrorKind::Record, format!("{}: {fault}", place())))?;
        let id = match serde_json::from_str::<String>(record.id) {
            Ok(text) => text,
            Err(_) if record.id.is_empty() => place(),
            Err(_) => record.id.into(),
        };
        for (text, _) in
            texts.iter_mut().zip(ids).filter(|(text, wanted)| text.is_none() && (**wanted == id || **wanted == record.id))
        {
            *text = Some(record.text.decode(&mut plain).into());
        }
        Ok(texts.contains(&None))
    })?;
    let found = |(text, id): (Option<String>, &&str)| {
        text.ok_or_else(|| Error::new(ErrorKind::Input, format!("no document has the id {id:?} in {}", config.inputs.join(", "))))
    };
    texts.into_iter().zip(ids).map(found).collect()
}
