//! Divides a stream of CSV records, or of the elements of a JSON array, into blocks. Records that are lines are not handled here.

use std::{
    collections::VecDeque,
    io::{Cursor, ErrorKind, Read},
    ops::Range,
    sync::Arc,
};

use super::{
    buffer::{Buffer, Failure, LONGEST},
    bytes::Reader,
    csv::{Columns, RecordEnds, Utf16, begins_blank, detect, is_blank, separator},
    format::{LOOK, foreign},
    json::Elements,
    reading::Reading,
};
use crate::error::{Error, Place};

/// The number of bytes per read.
const PIECE: usize = 64 << 10;

/// The state of the search for the ends of records.
enum Ends {
    /// CSV, with the columns if they are known already.
    Cells(RecordEnds, Option<Arc<Columns>>),
    Elements(Elements),
}

/// Reads the first bytes of an input.
fn beginning(reader: &mut Reader) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    reader.take(LOOK as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// An input of records that can only be read sequentially. Each block begins where the block before it ended. A block has the
/// records that begin within a span (a fixed number of bytes) from the start of its first record. Which records are in which
/// block therefore depends on the bytes of the input alone.
pub(crate) struct RecordStream {
    reader: Reader,
    /// The name of the input in messages.
    name: String,
    ends: Ends,
    /// The index of the next block.
    pub(crate) index: u64,
    /// The bytes that are read but not yet returned, and the records in them.
    rest: Vec<u8>,
    found: VecDeque<Found>,
    /// The number of bytes of the input that have been read.
    fed: u64,
    /// For CSV, the position in the input where the next record begins.
    next: u64,
    ended: bool,
}

/// A record that has been read.
struct Found {
    /// The position in the input where the record begins.
    start: u64,
    /// The record's range in the bytes that are read but not yet returned.
    place: Range<usize>,
}

impl RecordStream {
    /// Creates the stream of an array's elements.
    pub(crate) fn elements(reader: Reader, name: &str) -> Self {
        Self::new(reader, name, Ends::Elements(Elements::new()))
    }

    /// Creates the stream of a CSV file's records, and reads the header. The ending of `name` may decide the delimiter.
    pub(crate) fn cells(
        mut reader: Reader,
        name: &str,
        reading: &Reading,
    ) -> Result<Self, Failure> {
        let mut start = beginning(&mut reader)?;
        // If the user gave the format, nothing has checked yet whether the file is of a kind that this program cannot read.
        if let Some(reported) = foreign::reported(&start, name) {
            return Err(Failure::Reported(reported.at(name)));
        }
        let utf16 = Utf16::of(&start, reading.encoding);
        if let Some(order) = utf16 {
            reader = Box::new(order.reader(Cursor::new(start).chain(reader), name));
            start = beginning(&mut reader)?;
        }
        let said = separator(&start);
        let delimiter = reading
            .delimiter
            .or(said.map(|(delimiter, _)| delimiter))
            .unwrap_or_else(|| detect(name, &start));
        let reader = Box::new(Cursor::new(start).chain(reader));
        let mut stream = Self::new(reader, name, Ends::Cells(RecordEnds::new(delimiter), None));
        let mut bytes = Vec::new();
        let before = said.map_or(0, |(_, length)| length);
        let is_header = |record: &Found| record.place.end > before;
        while !stream.found.back().is_some_and(is_header) && !stream.ended {
            stream.read(&mut bytes)?;
        }
        // The line that declares the delimiter is stored together with the header.
        while stream
            .found
            .front()
            .is_some_and(|record| !is_header(record))
        {
            stream.found.pop_front();
        }
        let header = stream
            .found
            .pop_front()
            .map_or(bytes.len(), |header| header.place.end);
        let first = if before == 0 {
            &bytes[..header]
        } else {
            &bytes[before..header]
        };
        if begins_blank(first) && stream.is_blank_from(&bytes[header..])? {
            let marks = if before > 0 {
                before
            } else {
                first.trim_ascii_end().len()
            };
            if marks > 0 {
                let columns = Columns::without_header(&bytes[..marks], delimiter, utf16);
                stream.ends = Ends::Cells(RecordEnds::new(delimiter), Some(Arc::new(columns)));
            }
            return Ok(stream);
        }
        stream.rest = bytes.split_off(header);
        stream.found.iter_mut().for_each(|record| {
            record.place = record.place.start - header..record.place.end - header
        });
        let columns = Columns::of(
            &bytes,
            before,
            (delimiter, utf16),
            &reading.fields,
            reading.encoding,
        )
        .map_err(Failure::Reported)?;
        stream.ends = match stream.ends {
            Ends::Cells(ends, _) => Ends::Cells(ends, Some(Arc::new(columns))),
            ends => ends,
        };
        Ok(stream)
    }

    /// Returns whether these bytes and the rest of the file contain only line ends. If they do, the file has been read to its
    /// end.
    fn is_blank_from(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        let (mut buffer, mut is_all_blank) = (vec![0; PIECE], is_blank(bytes));
        while is_all_blank && !self.ended {
            match self.reader.read(&mut buffer) {
                Ok(n) => (self.ended, is_all_blank) = (n == 0, is_blank(&buffer[..n])),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if is_all_blank {
            self.found.clear();
        }
        Ok(is_all_blank)
    }

    fn new(reader: Reader, name: &str, ends: Ends) -> Self {
        Self {
            reader,
            name: name.into(),
            ends,
            index: 0,
            rest: Vec::new(),
            found: VecDeque::new(),
            fed: 0,
            next: 0,
            ended: false,
        }
    }

    /// Reads some bytes of the input after those in `bytes`, and finds the records that end in them.
    fn read(&mut self, bytes: &mut Vec<u8>) -> Result<(), Failure> {
        let before = bytes.len();
        if before > LONGEST {
            let wrong = Error::record("a record is longer than 2 GiB").at(&*self.name);
            return Err(Failure::Reported(
                wrong.advise("check for a quote or bracket that is not closed"),
            ));
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
        let Self {
            ends,
            found,
            fed,
            next,
            ended,
            name,
            ..
        } = self;
        // The number of bytes of the input that are no longer in the buffer.
        let gone = *fed - before as u64;
        *fed += (bytes.len() - before) as u64;
        let mut push = |record: Range<u64>| {
            let place = (record.start - gone) as usize..(record.end - gone) as usize;
            found.push_back(Found {
                start: record.start,
                place,
            });
        };
        // Lines are counted from the start of the file here, not of a block.
        let reported =
            |error: Error| Failure::Reported(error.placed(|line| Place::line(&**name, line + 1)));
        match ends {
            Ends::Cells(ends, _) => {
                let mut take = |end: u64| {
                    let start = std::mem::replace(next, end);
                    if end > start {
                        push(start..end);
                    }
                };
                ends.feed(&bytes[before..], &mut take);
                if *ended {
                    ends.finish().map_err(reported)?;
                    take(*fed);
                }
            }
            Ends::Elements(elements) => {
                elements.feed(&bytes[before..], push).map_err(reported)?;
                if *ended {
                    elements.finish().map_err(reported)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the columns in the header of a CSV file, or `None` if the file has only line ends.
    pub(crate) fn columns(&self) -> Option<&Arc<Columns>> {
        if let Ends::Cells(_, columns) = &self.ends {
            columns.as_ref()
        } else {
            None
        }
    }

    /// Returns whether the records are elements of an array.
    pub(crate) fn is_array(&self) -> bool {
        matches!(self.ends, Ends::Elements(_))
    }

    /// Discards the white space before and after the elements of a block, because such white space may have any length. White
    /// space between the elements of one block is kept, so that blocks do not depend on how much is read at once.
    fn forget_space(&self, bytes: &mut Vec<u8>, span: u64) {
        let Ends::Elements(elements) = &self.ends else {
            return;
        };
        if !elements.is_open()
            && self
                .found
                .front()
                .is_none_or(|first| self.fed >= first.start + span)
        {
            bytes.truncate(self.found.back().map_or(0, |last| last.place.end));
        }
    }

    /// Fills `buffer` with the next records: those that begin within a span of bytes from the start of the first record.
    pub(crate) fn cut(&mut self, buffer: &mut Buffer, span: usize) -> Result<(), Failure> {
        buffer.index = self.index;
        self.index += 1;
        let mut bytes = buffer.emptied();
        bytes.append(&mut self.rest);
        let span = span as u64;
        // Read one record more than fits, to know whether the block is the last.
        while !self.ended
            && (self.found.front().zip(self.found.back()))
                .is_none_or(|(first, last)| last.start < first.start + span)
        {
            self.read(&mut bytes)?;
            self.forget_space(&mut bytes, span);
        }
        let (mut given, end) = (0, self.found.front().map_or(0, |first| first.start + span));
        while let Some(record) = self.found.front().filter(|record| record.start < end) {
            given = record.place.end;
            buffer.push(record.place.clone());
            self.found.pop_front();
        }
        buffer.last = self.ended && self.found.is_empty();
        self.rest.extend_from_slice(&bytes[given..]);
        self.found
            .iter_mut()
            .for_each(|record| record.place = record.place.start - given..record.place.end - given);
        buffer.fill(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use proptest::prelude::*;

    use super::*;

    /// A reader that returns a limited number of bytes at a time.
    struct Pieces(Cursor<Vec<u8>>, usize);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn blocks(array: &str, span: usize, piece: usize) -> Vec<Vec<String>> {
        let reader = Box::new(Pieces(Cursor::new(array.into()), piece));
        let (mut stream, mut buffer, mut found) = (
            RecordStream::elements(reader, ""),
            Buffer::default(),
            Vec::new(),
        );
        loop {
            stream.cut(&mut buffer, span).unwrap();
            found.push(
                (0..buffer.len())
                    .map(|at| String::from_utf8(buffer.raw(at).to_vec()).unwrap())
                    .collect(),
            );
            if buffer.last {
                return found;
            }
        }
    }

    proptest! {
        /// The blocks do not depend on how much is read at once, or on the white space around the elements.
        #[test]
        fn a_block_has_the_elements_that_begin_in_its_span(
            elements in prop::collection::vec(("[ \n]{0,40}", "\\{[a-z]{0,9}\\}", "[ \n]{0,40}"), 0..12),
            around in ("[ \n]{0,40}", "[ \n]{0,40}"),
            span in 1usize..60,
            piece in 1usize..30,
        ) {
            let (mut array, mut expected, mut end) = (format!("{}[", around.0), Vec::<Vec<String>>::new(), 0);
            for (number, (before, element, after)) in elements.iter().enumerate() {
                array += if number > 0 { "," } else { "" };
                array += before;
                if array.len() >= end {
                    end = array.len() + span;
                    expected.push(Vec::new());
                }
                expected.last_mut().unwrap().push(element.clone());
                array += &format!("{element}{after}");
            }
            array += &format!("]{}", around.1);
            if expected.is_empty() {
                expected.push(Vec::new());
            }
            prop_assert_eq!(blocks(&array, span, piece), expected);
        }
    }
}
