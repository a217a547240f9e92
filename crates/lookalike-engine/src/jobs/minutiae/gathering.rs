//! Reads all prints of a run: first those of records, in input order, then those of templates. A record of JSON is a print; in CSV,
//! the rows with one id are a print.

use lookalike_io::{
    error::{Error, ErrorKind, Place, Result},
    format::Format,
    read::{Blocks, Input, Naming, Reading, Scratch, Source, each_block, encoding_named},
};

use super::{
    card::{Card, Cards, Print},
    gathered::Gathered,
    rows::Rows,
    templates::Template,
};
use crate::config::RunConfig;

/// The formats from which prints are read, for messages.
const FORMATS: &str = "prints are read from JSON Lines, JSON arrays or CSV";

/// Reads the prints of all inputs and then those of all templates.
///
/// # Errors
/// Fails if an input cannot be read, if a record or row is not usable, or if an id occurs twice.
pub(super) fn gather(
    config: &RunConfig,
    asked: &Cards,
    inputs: Vec<Input>,
    templates: &[Template],
) -> Result<Vec<Card>> {
    let mut all = Gathered::new(config);
    if !inputs.is_empty() {
        records(config, asked, &open(config, inputs)?, &mut all)?;
    }
    templates
        .iter()
        .try_for_each(|template| template.add(asked, config.label_field.as_deref(), &mut all))?;
    Ok(all.cards)
}

/// Returns the cards of prints in memory, which errors call `name`.
///
/// # Errors
/// Fails if a print is not usable, or if an id occurs twice.
pub(super) fn of_memory(
    config: &RunConfig,
    asked: &Cards,
    name: &str,
    prints: Vec<Print>,
) -> Result<Vec<Card>> {
    let mut all = Gathered::new(config);
    for (print, row) in prints.into_iter().zip(0..) {
        let read = Card::of_memory(print, asked).and_then(|card| all.push(card));
        read.map_err(|wrong| wrong.at_place(Place::row(name, row)))?;
    }
    Ok(all.cards)
}

fn records(config: &RunConfig, asked: &Cards, source: &Source, all: &mut Gathered) -> Result<()> {
    let mut rows = Rows::new(config, asked);
    let (mut scratch, mut object) = (Scratch::default(), Vec::new());
    each_block(Blocks::new(source).whole(true), |block, first| {
        let (part, reading) = (block.tag().part, source.reading());
        for at in 0..block.len() {
            let record = first + at as u64;
            let mut read = || {
                let Some(object) = block.fields(at, reading, &mut scratch, &mut object)? else {
                    return Ok(());
                };
                if block.is_delimited() {
                    rows.begin(part, object)
                        .map_err(|wrong| wrong.at_place(source.place(part, 1)))?;
                    return rows.add(object, all);
                }
                let card = Card::read(object, config, asked, || source.place(part, record));
                let card =
                    card.map_err(
                        |wrong| match block.not_utf8(at, reading, Naming::Encoding) {
                            Some(encoding) => encoding,
                            None if may_be_csv(source, part, object) => {
                                wrong.advise("for CSV, give $format=csv")
                            }
                            None => wrong,
                        },
                    )?;
                all.push(card).map(drop)
            };
            read().map_err(|wrong| match wrong.place().path {
                Some(_) => wrong,
                None => wrong.at_place(source.place(part, record)),
            })?;
        }
        Ok(true)
    })
}

/// Returns whether a line that was read as JSON may be CSV: nothing named the format, and the line does not begin an object.
fn may_be_csv(source: &Source, part: usize, line: &[u8]) -> bool {
    let name = source.place(part, 1).path.unwrap_or_default();
    let is_named = source.reading().format.is_some() || Format::of_name(&name).is_some();
    !is_named && !line.trim_ascii_start().starts_with(b"{")
}

fn open(config: &RunConfig, inputs: Vec<Input>) -> Result<Source> {
    // Tables are refused before they are opened, because opening a table requires its text column.
    for input in &inputs {
        let name = input.name();
        if let Some(format) = config
            .format
            .or_else(|| Format::of_name(&name))
            .filter(|format| format.is_table())
        {
            return Err(refuse(&name, format));
        }
    }
    let encoding = config.encoding.as_deref().map(encoding_named).transpose()?;
    let reading = Reading {
        format: config.format,
        delimiter: config.delimiter,
        encoding,
        ..Reading::lines()
    };
    let source = Source::new(inputs, reading, &config.temp_dir)?;
    for (input, format) in source.inputs().iter().zip(source.formats()) {
        let is_read = format.is_none_or(|format| {
            matches!(format, Format::Lines | Format::Array | Format::Delimited)
        });
        // A folder without files is accepted as an empty collection, whatever the format.
        let is_empty = input
            .files()
            .is_some_and(|mut files| files.next().is_none());
        if let Some(format) = format.filter(|_| !is_read && !is_empty) {
            return Err(refuse(&input.name(), format));
        }
    }
    Ok(source)
}

fn refuse(name: &str, format: Format) -> Error {
    let what = format!("is {}, but {FORMATS}", format.called());
    Error::new(ErrorKind::Input, what)
        .at(name)
        .advise("convert it to one of these")
}
