//! A stream of records that are no lines → blocks: CSV, and the elements of an array.

use std::{
    collections::VecDeque,
    io::{Cursor, ErrorKind, Read},
    ops::Range,
    sync::Arc,
};

use super::{
    array::Elements,
    block::{Block, Records},
    cells::Columns,
    cut::{Failure, LONGEST},
    delimited::{RecordEnds, detect},
    format::LOOK,
    open::Reader,
    reading::Reading,
    utf16::Utf16,
};
use crate::error::{Error, ErrorKind as Kind};

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// Where records end.
enum Ends {
    /// With the columns, once they are known.
    Cells(RecordEnds, Option<Arc<Columns>>),
    Elements(Elements),
}

/// The first bytes of an input.
fn beginning(reader: &mut Reader) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(LOOK as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// An input of records that can only be read on. A block has the records behind those of the block before it, as many as fill
/// a span: so blocks depend on the bytes alone.
pub(super) struct RecordStream {
    reader: Reader,
    /// What messages call the input.
    name: String,
    ends: Ends,
    /// The next block.
    pub(super) index: u64,
    /// What was read and is not given yet, and where it begins in the input.
    rest: Vec<u8>,
    at: u64,
    /// Records that lie in it.
    found: VecDeque<Range<u64>>,
    ended: bool,
}

impl RecordStream {
    /// The elements of an array.
    pub(super) fn elements(reader: Reader, name: &str) -> Self {
        Self::new(reader, name, Ends::Elements(Elements::new()))
    }

    /// The records of a CSV file, of which the header is read. `name` tells the delimiter, if its ending does.
    pub(super) fn cells(mut reader: Reader, name: &str, reading: &Reading) -> Result<Self, Failure> {
        let mut start = beginning(&mut reader)?;
        if matches!(*start, [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..]) {
            let message = format!("{name}: is UTF-32, which is not read; write it as UTF-8, as with: iconv -f UTF-32 -t UTF-8");
            return Err(Failure::Told(Error::new(Kind::Input, message)));
        }
        let utf16 = Utf16::of(&start, reading.encoding);
        if let Some(order) = utf16 {
            reader = Box::new(order.reader(Cursor::new(start).chain(reader), name));
            start = beginning(&mut reader)?;
        }
        let delimiter = reading.delimiter.unwrap_or_else(|| detect(name, &start));
        let reader = Box::new(Cursor::new(start).chain(reader));
        let mut stream = Self::new(reader, name, Ends::Cells(RecordEnds::new(delimiter), None));
        let mut bytes = Vec::new();
        while stream.found.is_empty() && !stream.ended {
            stream.read(&mut bytes)?;
        }
        let Some(header) = stream.found.pop_front() else { return Ok(stream) };
        stream.at = header.end;
        stream.rest = bytes.split_off(header.end as usize);
        let columns = Columns::of(&bytes, (delimiter, utf16), &reading.fields).map_err(Failure::Told)?;
        stream.ends = match stream.ends {
            Ends::Cells(ends, _) => Ends::Cells(ends, Some(Arc::new(columns))),
            ends => ends,
        };
        Ok(stream)
    }

    fn new(reader: Reader, name: &str, ends: Ends) -> Self {
        Self { reader, name: name.into(), ends, index: 0, rest: Vec::new(), at: 0, found: VecDeque::new(), ended: false }
    }

    /// Reads some bytes behind those of the input from [`at`](Self::at) on, and finds the records that end in them.
    fn read(&mut self, bytes: &mut Vec<u8>) -> Result<(), Failure> {
        let before = bytes.len();
        if before > LONGEST {
            return Err(Failure::Told(Error::new(
                Kind::Record,
                "a record longer than 2 GiB; is a quote or a bracket left open?",
            )));
        }
        bytes.resize(before + PIECE, 0);
        let read = loop {
            match self.reader.read(&mut bytes[before..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        let Self { ends, found, at, ended, name, .. } = self;
        // Lines are the file's here, not those of a block.
        let told = |error: Error| Failure::Told(error.placed(|line| format!("{name}:{}", line + 1)));
        match ends {
            Ends::Cells(ends, _) => {
                let mut take = |end: u64| {
                    let start = found.back().map_or(*at, |last| last.end);
                    if end > start {
                        found.push_back(start..end);
                    }
                };
                ends.feed(&bytes[before..], &mut take);
                if *ended {
                    ends.finish().map_err(told)?;
                    take(*at + bytes.len() as u64);
                }
            }
            Ends::Elements(elements) => {
                elements.feed(&bytes[before..], |place| found.push_back(place)).map_err(told)?;
                if *ended {
                    elements.finish().map_err(told)?;
                }
            }
        }
        Ok(())
    }

    /// Of a CSV file, the columns that its header names; none of one that is empty.
    pub(super) fn columns(&self) -> Option<&Arc<Columns>> {
        if let Ends::Cells(_, columns) = &self.ends { columns.as_ref() } else { None }
    }

    /// Fills `block` with the next records: at least a span of bytes, if there are so many.
    pub(super) fn cut(&mut self, block: &mut Block, span: usize) -> Result<(), Failure> {
        block.index = self.index;
        self.index += 1;
        let mut bytes = block.emptied();
        bytes.append(&mut self.rest);
        // One record more than fill it, to know whether the block is the last.
        while !self.ended && self.found.back().is_none_or(|last| last.start < self.at + span as u64) {
            self.read(&mut bytes)?;
        }
        let mut given = 0;
        while given < span
            && let Some(record) = self.found.pop_front()
        {
            given = (record.end - self.at) as usize;
            block.push((record.start - self.at) as usize..given);
        }
        block.last = self.ended && self.found.is_empty();
        // White space behind the last element is of no use.
        self.rest.extend_from_slice(&bytes[given..]);
        self.at += given as u64;
        let kind = match &self.ends {
            Ends::Cells(_, columns) => columns.as_ref().map_or(Records::Lines, |columns| Records::Cells(columns.clone())),
            Ends::Elements(_) => Records::Elements,
        };
        block.fill(bytes, kind);
        Ok(())
    }
}
