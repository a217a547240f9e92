//! Derives how a run reads its inputs from its configuration.

use lookalike::{
    shown::{cut, quoted},
    text::TokensBy,
};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    read::{Fields, Reading, encoding_named},
    words,
};

use crate::config::RunConfig;

/// Returns how a run reads its inputs.
pub(crate) fn reading(config: &RunConfig) -> Result<Reading> {
    let set = (config.method.tokens == TokensBy::Items).then_some(config.method.occurrences);
    let (what, option) = if set.is_some() {
        ("set", Setting("set_field"))
    } else {
        ("text", Setting("text_field"))
    };
    if config.text_field == config.id_field {
        let field = quoted(&config.text_field);
        let what = format!("field {field} cannot be both the {what} and the id");
        return Err(Error::new(ErrorKind::Config, what).advise(words![
            "check ",
            option,
            " and $id_field"
        ]));
    }
    if config.against_text_field.as_ref() == Some(&config.id_field) {
        let field = quoted(&config.id_field);
        let what = words![
            "$against_text_field",
            format!(": field {field} cannot be both the {what} and the id")
        ];
        return Err(Error::new(ErrorKind::Config, what).advise("name another field"));
    }
    let keep = config.keep();
    if keep.field() == Some(&config.text_field) {
        let keep = (Setting("keep"), cut(&keep.to_string()).into_owned());
        let what = words![
            keep,
            format!(": the {what} cannot be the field that decides which document to keep")
        ];
        return Err(Error::new(ErrorKind::Config, what).advise("name another field"));
    }
    if config.label_field.as_ref() == Some(&config.text_field) {
        let label = (Setting("label_field"), cut(&config.text_field).into_owned());
        let what = words![label, format!(": the {what} cannot be the label")];
        return Err(Error::new(ErrorKind::Config, what).advise("name another field"));
    }
    let (text, id, label) = (
        config.text_field.clone(),
        config.id_field.clone(),
        config.label_field.clone(),
    );
    let fields = Fields::new(text, set, id, keep, label);
    if config.html.is_some() && set.is_some() {
        let advice = "leave it out, or name the text with $text_field";
        return Err(Error::new(ErrorKind::Config, "$html: a set is not a page").advise(advice));
    }
    if config.html.is_some() && !cfg!(feature = "html") {
        let what = "$html: this lookalike was built without HTML (the cargo feature `html`)";
        return Err(Error::new(ErrorKind::Config, what));
    }
    let encoding = config.encoding.as_deref().map(encoding_named).transpose()?;
    Ok(Reading {
        format: config.format,
        delimiter: config.delimiter,
        encoding,
        html: config.html,
        text_of_references: config.against_text_field.clone(),
        ..Reading::of(fields)
    })
}
