//! Reads JSON Lines files that runs or other programs wrote, and reports which line is invalid.

use std::{borrow::Cow, path::Path};

use lookalike::shown::{cut, quoted};
use lookalike_io::{
    error::{Error, Result, Setting, Words},
    read::{Block, Blocks, Input, Naming, Reading, Source, each_block},
    words,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Parses a line as an object. `example` describes a valid line in error messages.
pub(crate) fn parse<'a, T: Deserialize<'a>>(line: &'a [u8], example: &str) -> Result<T> {
    let whole = |wrong: Error| wrong.advise(format!("each line must be one JSON object: {example}"));
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err(whole(Error::record("not a JSON object")));
    }
    serde_json::from_slice(line).map_err(|error| {
        // A byte position in the line is useless unless the line is shown.
        let words = error.to_string();
        let words = words.split(" at line 1 column ").next().unwrap_or_default();
        whole(Error::record(format!("cannot be parsed: {}", cut(words))).because(error))
    })
}

/// Returns the id of a decision as the id is written in the collection. A table whose ids have several types stores each id as
/// JSON, which is parsed here.
pub(crate) fn as_written<'a>(id: &'a RawValue, column: &str, block: &Block) -> Result<Cow<'a, RawValue>> {
    if !block.rows().is_some_and(|rows| rows.is_json(column)) {
        return Ok(Cow::Borrowed(id));
    }
    let inner = serde_json::from_str(id.get()).and_then(RawValue::from_string);
    inner.map(Cow::Owned).map_err(|_| {
        let wrong = Error::record(format!("{} is not an id", cut(id.get()))).in_field(column);
        wrong.advise(format!("the metadata of the column {} says that its values are JSON", quoted(column)))
    })
}

/// Returns the error for an id that is neither a string nor a number.
pub(crate) fn no_id(id: &RawValue) -> Error {
    Error::record(format!("{} is not an id", cut(id.get()))).advise("an id must be a string or a number")
}

/// Returns the error for an id that an earlier record already has.
pub(crate) fn repeated_id(id: &str) -> Error {
    Error::record(format!("id {} was already used", cut(id))).advise(make_unique())
}

/// Returns the advice for an id that several records have.
pub(crate) fn make_unique() -> Words {
    words!["make ids unique, or allow repeated ids with ", Setting::AllowRepeatedIds]
}

/// Passes each line of a file to `give`; see [`each_line_of`].
pub(crate) fn each_line(
    path: &Path,
    reading: Reading,
    temp_dir: &Path,
    mut give: impl FnMut(&[u8], &Block) -> Result<()>,
) -> Result<()> {
    let source = Source::new(vec![Input::File(path.into())], reading, temp_dir)?;
    each_line_of(&source, |line, block, _| give(line, block))
}

/// Calls `give` with each line that is not blank, the line's block and the record's number. Rows of a table are passed as lines.
/// Errors are reported with their place.
pub(crate) fn each_line_of(source: &Source, mut give: impl FnMut(&[u8], &Block, u64) -> Result<()>) -> Result<()> {
    let mut scratch = Vec::new();
    each_block(Blocks::new(source).whole(true), |block, first_line| {
        let given = block.each_object(&mut scratch, |at, line| {
            let at = at as u64;
            give(line, block, first_line + at).map_err(|wrong| {
                // The lines of a table were made from its rows, so they are UTF-8.
                let reading = source.reading_of(block.tag().part);
                let encoding = block.rows().is_none().then(|| block.not_utf8(at as usize, reading, Naming::Nothing)).flatten();
                encoding.unwrap_or(wrong).of_line(at)
            })
        });
        given.map_err(|error| error.placed(|record| source.place(block.tag().part, first_line + record)))?;
        Ok(true)
    })
}
