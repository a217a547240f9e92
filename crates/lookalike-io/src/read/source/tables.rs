//! The inputs that are tables.

#[cfg(feature = "tables")]
use std::{panic::resume_unwind, thread};

#[cfg(feature = "tables")]
use crate::read::{
    bytes::{Packing, START},
    table::{Ranges, TableFile},
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{input::Input, json::Fields, table::Table},
};

/// The number of tables that are opened in parallel. If tables in a store were opened one after the other, the run would wait a
/// round trip for each of them.
#[cfg(feature = "tables")]
const OPENED: usize = 16;

/// Opens the inputs that are tables. For every other input, the entry in the result is `None`.
#[cfg(feature = "tables")]
pub(crate) fn open(
    inputs: &[Input],
    formats: &[Option<Format>],
    fields: &Fields,
) -> Result<Vec<Option<Table>>> {
    let mut tables: Vec<Option<Table>> = inputs.iter().map(|_| None).collect();
    let is_table = |&at: &usize| formats[at].is_some_and(Format::is_table);
    let those: Vec<usize> = (0..inputs.len()).filter(is_table).collect();
    for some in those.chunks(OPENED) {
        let opened: Vec<Result<Table>> = thread::scope(|scope| {
            let started: Vec<_> = some
                .iter()
                .map(|&at| scope.spawn(move || open_one(&inputs[at], fields)))
                .collect();
            started
                .into_iter()
                .map(|opened| opened.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        for (&at, table) in some.iter().zip(opened) {
            tables[at] = Some(table?);
        }
    }
    Ok(tables)
}

#[cfg(feature = "tables")]
fn open_one(input: &Input, fields: &Fields) -> Result<Table> {
    let name = input.name();
    let file = match input {
        Input::File(path) => of_ranges(Ranges::of_file(path, &name)?)?,
        #[cfg(feature = "cloud")]
        Input::Object(object) => of_ranges(Ranges::object(object.clone()))?,
        Input::Table(table) => TableFile::in_memory(table),
        _ => return Err(unseekable(&name)),
    };
    Table::of(&name, file, fields)
}

#[cfg(feature = "tables")]
fn of_ranges(ranges: Ranges) -> Result<TableFile> {
    let start = ranges.read(0..ranges.size().min(START as u64))?;
    match Packing::of(&start, ranges.name())? {
        Packing::Plain => TableFile::open(ranges),
        _ => {
            let what = "is compressed as a whole, but a table needs random access";
            let refused = Error::new(ErrorKind::Input, what).at(ranges.name());
            Err(refused
                .advise("decompress it first; its columns can be compressed inside the file"))
        }
    }
}

/// Returns the error for a table that can only be read sequentially.
#[cfg(feature = "tables")]
pub(crate) fn unseekable(name: &str) -> Error {
    let refused = Error::new(
        ErrorKind::Input,
        "is a table (Parquet or Arrow), which needs random access",
    )
    .at(name);
    refused.advise("save it to a file first, and name that file")
}

/// Returns an error if an input is a table, because this build cannot read tables. Otherwise, returns a list with one `None` for
/// each input.
#[cfg(not(feature = "tables"))]
pub(crate) fn open(
    inputs: &[Input],
    formats: &[Option<Format>],
    _: &Fields,
) -> Result<Vec<Option<Table>>> {
    match inputs
        .iter()
        .zip(formats)
        .find(|(_, format)| format.is_some_and(Format::is_table))
    {
        Some((input, _)) => Err(unseekable(&input.name())),
        None => Ok(inputs.iter().map(|_| None).collect()),
    }
}

/// Returns the error for a table in a build without tables.
#[cfg(not(feature = "tables"))]
pub(crate) fn unseekable(name: &str) -> Error {
    Error::new(
        ErrorKind::Input,
        "is a table, but this lookalike was built without tables (the cargo feature `tables`)",
    )
    .at(name)
}
