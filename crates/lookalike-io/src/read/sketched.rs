//! Recognises files of sketches, which `lookalike sketch` writes.
//!
//! A table has the header of its sketches in its metadata. In JSON Lines, the first line is an object with the header.

use std::{collections::BTreeMap, io::Read};

use serde_json::value::RawValue;

use super::{bytes::decompress, input::Input, json::Fields, reading::Reading};
#[cfg(feature = "tables")]
use super::{
    format::LOOK,
    table::{Ranges, TableFile},
};
use crate::disk::File;
#[cfg(feature = "tables")]
use crate::format::Format;

/// The key of the header, in the metadata of a table or in the first line.
pub const SKETCHES: &str = "lookalike:sketches";

/// The maximum length of a header in JSON Lines.
const LONGEST: u64 = 1 << 16;

/// Returns the header of an input, as JSON, if the input is a file of sketches. Inputs that cannot be opened, and those that can be
/// read only once, have no header; if they are read, this reports what is wrong with them.
pub fn sketch_header(input: &Input) -> Option<String> {
    #[cfg(feature = "tables")]
    if let Some(file) = table(input) {
        let (layout, schema) = (file.layout(), file.schema());
        let of_file = layout
            .metadata
            .iter()
            .find(|(key, _)| key == SKETCHES)
            .and_then(|(_, value)| value.clone());
        return of_file.or_else(|| schema.metadata().get(SKETCHES).cloned());
    }
    let name = input.name();
    let reader = match input {
        Input::File(path) => decompress(File::open(path).ok()?, &name),
        Input::Object(object) => decompress(object.stream(), &name),
        _ => return None,
    };
    let mut start = Vec::new();
    // A decoder may fail after the first line, which is all that is needed.
    _ = reader.ok()?.take(LONGEST).read_to_end(&mut start);
    header_of_line(start.split(|&byte| byte == b'\n').next()?)
}

/// Returns the header, if a line of JSON Lines consists of one.
pub fn header_of_line(line: &[u8]) -> Option<String> {
    let line = line.trim_ascii();
    if !line.strip_prefix(b"{\"")?.starts_with(SKETCHES.as_bytes()) {
        return None;
    }
    let mut fields: BTreeMap<&str, &RawValue> = serde_json::from_slice(line).ok()?;
    fields.remove(SKETCHES).map(|header| header.get().into())
}

/// Opens an input that is a table.
#[cfg(feature = "tables")]
fn table(input: &Input) -> Option<TableFile> {
    let name = input.name();
    let ranges = match input {
        Input::File(path) => {
            let mut start = Vec::new();
            File::open(path)
                .ok()?
                .take(LOOK as u64)
                .read_to_end(&mut start)
                .ok()?;
            Format::of_table(&start)?;
            Ranges::of_file(path, &name).ok()?
        }
        #[cfg(feature = "cloud")]
        Input::Object(object) if Format::of_name(&name).is_some_and(Format::is_table) => {
            Ranges::object(object.clone())
        }
        Input::Table(table) => return Some(TableFile::in_memory(table)),
        _ => return None,
    };
    TableFile::open(ranges).ok()
}

impl Reading {
    /// Creates the settings for reading files of sketches.
    pub fn sketches() -> Self {
        Self::of(Fields::new(
            "sketch".into(),
            None,
            "id".into(),
            lookalike::cluster::Keep::First,
            None,
        ))
    }
}
