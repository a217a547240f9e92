//! Divides inputs into parts that can be read independently.

use std::io::Read;

use crate::{
    disk::File,
    format::Format,
    read::{
        bytes::{START, decompress},
        csv::{Utf16, separator},
        input::Input,
        reading::Reading,
        table::{Table, TablePart},
    },
};

/// An independently readable unit: a whole input, or one part of a table.
#[derive(Debug)]
pub struct Part {
    /// The number of the input.
    pub(crate) input: usize,
    /// The number of records that precede the part in the input.
    pub(crate) before: u64,
    /// For a table, the number of the part in it.
    pub(crate) number: usize,
}

impl Part {
    /// Returns the number of the input, counted from 0, references first.
    pub fn input(&self) -> usize {
        self.input
    }
}

/// Returns the parts of inputs, in order.
pub(crate) fn of(
    inputs: &[Input],
    formats: &[Option<Format>],
    tables: &[Option<Table>],
    reading: &Reading,
) -> Vec<Part> {
    // The header counts as a line. A record's number is therefore also its line number, unless records have several lines.
    let before = |input: usize, format: &Option<Format>| match format {
        Some(Format::Delimited) => 1 + u64::from(says_delimiter(&inputs[input], reading)),
        _ => 0,
    };
    let mut parts = Vec::new();
    for (input, format) in formats.iter().enumerate() {
        match &tables[input] {
            None => parts.push(Part {
                input,
                before: before(input, format),
                number: 0,
            }),
            Some(table) => {
                parts.extend(table.parts().map(|TablePart { number, before }| Part {
                    input,
                    before,
                    number,
                }));
            }
        }
    }
    parts
}

/// Returns whether a CSV file has a line before its header that declares the delimiter. A read error is not reported here; it is
/// reported later, when the file is read.
fn says_delimiter(input: &Input, reading: &Reading) -> bool {
    let Input::File(path) = input else {
        return false;
    };
    let mut start = Vec::new();
    let cut = |reader: &mut dyn Read, start: &mut Vec<u8>| {
        reader.take(START.max(64) as u64).read_to_end(start).is_ok()
    };
    let read = path.is_file()
        && File::open(path).is_ok_and(|file| {
            decompress(file, "").is_ok_and(|mut reader| cut(&mut reader, &mut start))
        });
    if let Some(order) = Utf16::of(&start, reading.encoding) {
        start.truncate(start.len() / 2 * 2);
        let mut text = Vec::new();
        // The bytes may end inside a surrogate pair (the two halves of one character), so an error is ignored here.
        _ = order.reader(&*start, "").read_to_end(&mut text);
        start = text;
    }
    read && separator(&start).is_some()
}
