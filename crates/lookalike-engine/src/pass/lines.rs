//! Reads files of JSON Lines that runs or other programs wrote, and says which line is wrong.

use std::{borrow::Cow, path::Path};

use lookalike::shown::{cut, quoted};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::{Block, Blocks, Input, Naming, Reading, Source, each_block},
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What a line says, or what is wrong with it and what to do, for behind `path:line: `.
pub(crate) type Checked<T> = std::result::Result<T, String>;

/// Reads a line as an object; `example` is what a message shows.
pub(crate) fn parse<'a, T: Deserialize<'a>>(line: &'a [u8], example: &str) -> Checked<T> {
    let whole = |what: &str| format!("{what}; each line must be one JSON object: {example}");
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err(whole("not a JSON object"));
    }
    serde_json::from_slice(line).map_err(|error| {
        let words = error.to_string();
        whole(&format!("not understood: {}", cut(words.split(" at line 1 column ").next().unwrap_or_default())))
    })
}

/// An id of decisions as the collection has it: a table with ids of several types has them as JSON.
pub(crate) fn as_written<'a>(id: &'a RawValue, column: &str, block: &Block) -> Checked<Cow<'a, RawValue>> {
    if !block.rows().is_some_and(|rows| rows.is_json(column)) {
        return Ok(Cow::Borrowed(id));
    }
    let inner = serde_json::from_str(id.get()).and_then(RawValue::from_string);
    inner
        .map(Cow::Owned)
        .map_err(|_| format!("{} is no id; the column {} says that it holds JSON", cut(id.get()), quoted(column)))
}

/// Gives each line of a file; see [`each_line_of`].
pub(crate) fn each_line(
    path: &Path,
    reading: Reading,
    temp_dir: &Path,
    mut give: impl FnMut(&[u8], &Block) -> Checked<()>,
) -> Result<()> {
    let source = Source::new(vec![Input::File(path.into())], reading, temp_dir)?;
    each_line_of(&source, |line, block, _| give(line, block))
}

/// Gives each line that is not blank, or a table's rows as such lines, with its block and the record's number; what is wrong with one is
/// told with its place.
pub(crate) fn each_line_of(source: &Source, mut give: impl FnMut(&[u8], &Block, u64) -> Checked<()>) -> Result<()> {
    let mut room = Vec::new();
    each_block(Blocks::new(source).whole(true), |block, first_line| {
        let given = block.each_object(&mut room, |at, line| {
            let at = at as u64;
            give(line, block, first_line + at).map_err(|what| {
                // The lines of a table were made from its rows, so they are UTF-8.
                let reading = source.reading_of(block.tag().part);
                let encoding = block.rows().is_none().then(|| block.not_utf8(at as usize, reading, Naming::Nothing)).flatten();
                Error::on_line(ErrorKind::Record, at, encoding.map_or(what, |fault| fault.to_string()))
            })
        });
        given.map_err(|error| error.placed(|record| source.place(block.tag().part, first_line + record)))?;
        Ok(true)
    })
}
