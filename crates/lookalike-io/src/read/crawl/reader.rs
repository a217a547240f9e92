//! WARC (ISO 28500; 0.17, 1.0, 1.1) over decompressed bytes: records one by one, as they stand, and the documents in them.
//!
//! What is a document: what a server answered with a status of 200 to 299, in HTML or another text type; a `resource` or
//! `conversion` (WET files) of such a type. All else is passed over and counted by kind ([`Skip`](super::Skip)).

use std::io::Read;

use lookalike::shown::{cut, quoted};

use super::{
    fields::{Field, Fields},
    record::WarcRecord,
};
use crate::{
    error::{Error, ErrorKind, Result},
    store::shown_name,
};

/// The longest record that is read, and the longest header.
const LONGEST: u64 = 2 << 30;
const LONGEST_HEADER: usize = 1 << 20;

/// The fewest bytes asked for at once.
const PIECE: usize = 64 << 10;

/// Reads records into one buffer, used again for the next: memory is that of the longest record.
#[derive(Debug)]
pub struct WarcReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// The part of the buffer that was read and not given.
    start: usize,
    filled: usize,
    /// Where `start` is in the file.
    offset: u64,
    records: u64,
    ended: bool,
    fields: Fields,
}

impl<R: Read> WarcReader<R> {
    /// At the beginning of a file, decompressed.
    pub fn new(input: R) -> Self {
        let (buffer, fields) = (Vec::new(), Fields::default());
        Self { input, buffer, start: 0, filled: 0, offset: 0, records: 0, ended: false, fields }
    }

    /// The next record, or none at the end. `path` names the file in errors.
    ///
    /// # Errors
    /// When the file cannot be read, is not WARC, or a record is not as long as it says; the message has the record's number and
    /// place. Nothing may be read then any more.
    pub fn next(&mut self, path: &str) -> Result<Option<WarcRecord<'_>>> {
        self.skip_line_ends(path)?;
        if !self.has(1, path)? {
            return Ok(None);
        }
        self.records += 1;
        let header = self.header_end(path)?;
        let length = self.content_length(header, path)?;
        let end = header + length;
        if !self.has(end, path)? {
            let there = self.filled - self.start - header;
            let uri = self.fields.get(Field::TargetUri).map_or(String::new(), |uri| format!(" ({})", cut(&shown_name(uri))));
            let problem = format!(
                "the file ends after {there} of its {length} bytes of content{uri}: it is truncated, or the Content-Length is wrong; \
                 copy or download it again"
            );
            return Err(self.refused(path, &problem));
        }
        // The line ends behind it are the record's.
        let mut whole = end;
        while self.has(whole + 1, path)? && matches!(self.buffer[self.start + whole], b'\r' | b'\n') {
            whole += 1;
        }
        self.has(whole + 5, path)?;
        let behind = &self.buffer[self.start + whole..self.filled];
        if !(behind.is_empty() || behind.starts_with(b"WARC/")) {
            let problem = format!(
                "no record begins behind its {length} bytes of content: its Content-Length is wrong; write the file again with \
                 another program, or cut the record out"
            );
            return Err(self.refused(path, &problem));
        }
        let start = self.start;
        self.start += whole;
        self.offset += whole as u64;
        Ok(Some(WarcRecord { bytes: &self.buffer[start..start + whole], content: (header, end), fields: &self.fields }))
    }

    /// The file begins with a record, or empty lines.
    fn skip_line_ends(&mut self, path: &str) -> Result<()> {
        while self.records == 0 && self.has(1, path)? && matches!(self.buffer[self.start], b'\r' | b'\n') {
            self.start += 1;
            self.offset += 1;
        }
        Ok(())
    }

    /// Where the header ends that begins at the start: behind its empty line.
    fn header_end(&mut self, path: &str) -> Result<usize> {
        self.has(5, path)?;
        if !self.buffer[self.start..self.filled].starts_with(b"WARC/") {
            return Err(self.refused(path, "it does not begin with WARC/: is this WARC, and not ARC or something else?"));
        }
        let mut searched = 0;
        loop {
            let read = &self.buffer[self.start..self.filled];
            while let Some(distance) = memchr::memchr(b'\n', &read[searched..]) {
                searched += distance + 1;
                let line = &read[searched..];
                if line.starts_with(b"\n") || line.starts_with(b"\r\n") {
                    return Ok(searched + if line[0] == b'\n' { 1 } else { 2 });
                }
                if line.is_empty() || line == b"\r" {
                    // The line's end may come with the next bytes.
                    searched -= 1;
                    break;
                }
            }
            let more = self.filled - self.start + 1;
            if more > LONGEST_HEADER {
                return Err(self.refused(path, "its header has no end in 1 MiB: is this WARC?"));
            }
            if !self.has(more, path)? {
                return Err(self.refused(path, "the file ends in its header: it is truncated; copy or download it again"));
            }
        }
    }

    /// Reads the header's fields.
    fn content_length(&mut self, header: usize, path: &str) -> Result<usize> {
        let bytes = &self.buffer[self.start..self.start + header];
        let version = memchr::memchr(b'\n', bytes).map_or(header, |end| end + 1);
        self.fields.read(&bytes[version..]);
        let length = self.fields.get(Field::ContentLength);
        let problem = match length.map(|length| (length, length.parse::<u64>())) {
            Some((_, Ok(length))) if length <= LONGEST => return Ok(length as usize),
            Some((_, Ok(length))) => {
                let uri = self.fields.get(Field::TargetUri).map_or(String::new(), |uri| format!(" ({})", cut(&shown_name(uri))));
                format!("its content is {length} bytes long{uri}: no more than 2 GiB are read; cut the record out")
            }
            Some((length, Err(_))) => format!("its Content-Length {} is no number of bytes", quoted(length)),
            None => "it has no Content-Length".into(),
        };
        Err(self.refused(path, &problem))
    }

    /// Reads until so many bytes are there from the start on. Whether they are: else the file ended.
    fn has(&mut self, count: usize, path: &str) -> Result<bool> {
        while self.filled - self.start < count && !self.ended {
            if self.start > 0 && self.start + count.max(PIECE) > self.buffer.len() {
                self.buffer.copy_within(self.start..self.filled, 0);
                (self.start, self.filled) = (0, self.filled - self.start);
            }
            if self.filled == self.buffer.len() {
                // What a record says of its length is not believed further than what came of it.
                let wanted = (self.start + count).min(self.filled * 2).max(self.filled + PIECE);
                self.buffer.resize(wanted, 0);
            }
            match self.input.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::reading(path, &error)),
            }
        }
        Ok(self.filled - self.start >= count)
    }

    fn refused(&self, path: &str, problem: &str) -> Error {
        let (record, offset) = (self.records, self.offset);
        let what = format!("record {record}, at byte {offset} of the decompressed file: {problem}");
        Error::new(ErrorKind::Input, what).at(path).at_byte(offset)
    }
}
