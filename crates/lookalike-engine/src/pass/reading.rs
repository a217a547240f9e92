//! How a run reads its inputs, from what was asked for.

use lookalike::{
    shown::{cut, quoted},
    text::TokensBy,
};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::{Fields, Reading, encoding_named},
};

use crate::config::RunConfig;

/// How a run reads its inputs.
pub(crate) fn reading(config: &RunConfig) -> Result<Reading> {
    let set = (config.method.tokens == TokensBy::Items).then_some(config.method.occurrences);
    let (what, option) = if set.is_some() { ("set", "--set-field") } else { ("text", "--text-field") };
    if config.text_field == config.id_field {
        let field = quoted(&config.text_field);
        let message = format!("field {field} cannot be both the {what} and the id; see {option} and --id-field");
        return Err(Error::new(ErrorKind::Config, message));
    }
    let keep = config.keep();
    if keep.field() == Some(&config.text_field) {
        let message =
            format!("--keep {}: the {what} cannot be the field that decides; name another field", cut(&keep.to_string()));
        return Err(Error::new(ErrorKind::Config, message));
    }
    if config.label_field.as_ref() == Some(&config.text_field) {
        let message = format!("--labels {}: the {what} cannot be the label; name another field", cut(&config.text_field));
        return Err(Error::new(ErrorKind::Config, message));
    }
    let (text, id, label) = (config.text_field.clone(), config.id_field.clone(), config.label_field.clone());
    let fields = Fields::new(text, set, id, keep, label);
    if config.html.is_some() && set.is_some() {
        return Err(Error::new(ErrorKind::Config, "--html: a set is no page; leave it out, or name the text with --text-field"));
    }
    if config.html.is_some() && !cfg!(feature = "html") {
        let message = "--html: this lookalike was built without HTML (the cargo feature `html`)";
        return Err(Error::new(ErrorKind::Config, message));
    }
    let encoding = config.encoding.as_deref().map(encoding_named).transpose()?;
    Ok(Reading { format: config.format, delimiter: config.delimiter, encoding, html: config.html, ..Reading::of(fields) })
}
