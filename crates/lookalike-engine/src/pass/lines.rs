//! Reads JSON Lines files that runs or other programs wrote, and reports which line is invalid.

use std::{borrow::Cow, path::Path};

use lookalike::shown::{cut, quoted};
use lookalike_io::{
    error::{Error, Result, Words},
    read::{Block, Blocks, Input, Naming, Reading, Source, each_block},
    words,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Parses a line as an object. `example` describes a valid line in error messages.
pub(crate) fn parse<'a, T: Deserialize<'a>>(line: &'a [u8], example: &str) -> Result<T> {
    let whole =
        |wrong: Error| wrong.advise(format!("each line must be one JSON object: {example}"));
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
pub(crate) fn as_written<'a>(
    id: &'a RawValue,
    column: &str,
    block: &Block,
) -> Result<Cow<'a, RawValue>> {
    if !block.rows().is_some_and(|rows| rows.is_json(column)) {
        return Ok(Cow::Borrowed(id));
    }
    let inner = serde_json::from_str(id.get()).and_then(RawValue::from_string);
    inner.map(Cow::Owned).map_err(|_| {
        let wrong = Error::record(format!("{} is not an id", cut(id.get()))).in_field(column);
        wrong.advise(format!(
            "the metadata of the column {} says that its values are JSON",
            quoted(column)
        ))
    })
}

/// Returns whether a JSON value can be an id: a string or a number.
pub(crate) fn is_id(json: &str) -> bool {
    matches!(json.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'))
}

/// Returns the error for an id that is neither a string nor a number.
pub(crate) fn not_an_id(id: &str) -> Error {
    Error::record(format!("{} is not an id", cut(id))).advise("an id must be a string or a number")
}

/// Returns the two documents of a pair, which `find` finds by their ids.
///
/// # Errors
/// Fails if they are the same document.
pub(crate) fn two_documents<N: PartialEq>(
    ids: [&RawValue; 2],
    find: impl Fn(&RawValue) -> Result<N>,
) -> Result<[N; 2]> {
    let [a, b] = ids.map(find);
    let (a, b) = (a?, b?);
    if a == b {
        let what = format!("the pair has {} twice", cut(ids[0].get()));
        return Err(Error::record(what).advise("give two different documents"));
    }
    Ok([a, b])
}

/// Returns a similarity that was read, if it is between 0 and 1.
pub(crate) fn valid_similarity(value: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(Error::record(format!("{value} is not a similarity"))
            .advise("give a number from 0 to 1"))
    }
}

/// Returns the error for an id that an earlier record already has.
pub(crate) fn repeated_id(id: &str) -> Error {
    Error::record(format!("id {} was already used", cut(id))).advise(make_unique())
}

/// Returns the advice for an id that several records have.
pub(crate) fn make_unique() -> Words {
    words!["make ids unique, or allow repeated ids with $allow_repeated_ids"]
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
pub(crate) fn each_line_of(
    source: &Source,
    mut give: impl FnMut(&[u8], &Block, u64) -> Result<()>,
) -> Result<()> {
    let mut scratch = Vec::new();
    each_block(Blocks::new(source).whole(true), |block, first_line| {
        let given = block.each_object(&mut scratch, |at, line| {
            let at = at as u64;
            give(line, block, first_line + at).map_err(|wrong| {
                // The lines of a table were made from its rows, so they are UTF-8.
                let reading = source.reading_of(block.tag().part);
                let encoding = block
                    .rows()
                    .is_none()
                    .then(|| block.not_utf8(at as usize, reading, Naming::Nothing))
                    .flatten();
                encoding.unwrap_or(wrong).of_line(at)
            })
        });
        given.map_err(|error| {
            let part = block.tag().part;
            source.named(
                part,
                error.placed(|record| source.place(part, first_line + record)),
            )
        })?;
        Ok(true)
    })
}
