//! Reads WARC (ISO 28500; 0.17, 1.0, 1.1) from decompressed bytes: single records as stored, and the documents in them.
//!
//! A document is an HTTP response with a status of 200 to 299, or a `resource` or `conversion` record (WET files). Its content
//! must be HTML or another text type. All other records are left out and [counted by reason](super::Skip::LeftOut).

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

/// The maximum length of a record and of a header.
const LONGEST: u64 = 2 << 30;
const LONGEST_HEADER: usize = 1 << 20;

/// The minimum number of bytes requested in one read.
const PIECE: usize = 64 << 10;

/// Reads records into one buffer, which is reused for the next record. The buffer takes as much memory as the longest record.
#[derive(Debug)]
pub struct WarcReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// The bytes of the buffer from `start` to `filled` are read but not yet returned.
    start: usize,
    filled: usize,
    /// The position of `start` in the file.
    offset: u64,
    records: u64,
    ended: bool,
    fields: Fields,
}

impl<R: Read> WarcReader<R> {
    /// Starts at the beginning of a decompressed file.
    pub fn new(input: R) -> Self {
        let (buffer, fields) = (Vec::new(), Fields::default());
        Self {
            input,
            buffer,
            start: 0,
            filled: 0,
            offset: 0,
            records: 0,
            ended: false,
            fields,
        }
    }

    /// Returns the next record, or none at the end. `path` names the file in errors.
    ///
    /// # Errors
    /// Fails if the file cannot be read, if it is not WARC, or if a record does not have its declared length. The message has the
    /// record's number and position. After an error, nothing more may be read.
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
            let uri = self
                .fields
                .get(Field::TargetUri)
                .map_or(String::new(), |uri| format!(" ({})", cut(&shown_name(uri))));
            let problem = format!(
                "the file ends after {there} of the record's {length} bytes of content{uri}: it is truncated, or the \
                 Content-Length is wrong; copy or download it again"
            );
            return Err(self.refused(path, &problem));
        }
        // The line ends after the content belong to the record.
        let mut whole = end;
        while self.has(whole + 1, path)? && matches!(self.buffer[self.start + whole], b'\r' | b'\n')
        {
            whole += 1;
        }
        self.has(whole + 5, path)?;
        let after = &self.buffer[self.start + whole..self.filled];
        if !(after.is_empty() || after.starts_with(b"WARC/")) {
            let problem = format!(
                "no record begins after its {length} bytes of content: its Content-Length is wrong; write the file again with \
                 another program, or remove the record"
            );
            return Err(self.refused(path, &problem));
        }
        let start = self.start;
        self.start += whole;
        self.offset += whole as u64;
        Ok(Some(WarcRecord {
            bytes: &self.buffer[start..start + whole],
            content: (header, end),
            fields: &self.fields,
        }))
    }

    /// Skips the empty lines with which a file may begin before its first record.
    fn skip_line_ends(&mut self, path: &str) -> Result<()> {
        while self.records == 0
            && self.has(1, path)?
            && matches!(self.buffer[self.start], b'\r' | b'\n')
        {
            self.start += 1;
            self.offset += 1;
        }
        Ok(())
    }

    /// Returns the end of the header at the start of the buffer: the position after its empty line.
    fn header_end(&mut self, path: &str) -> Result<usize> {
        self.has(5, path)?;
        if !self.buffer[self.start..self.filled].starts_with(b"WARC/") {
            return Err(
                self.refused(path, "it does not begin with WARC/; check that the file is WARC, not ARC or another format")
            );
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
                    // The rest of the empty line may be in the next bytes.
                    searched -= 1;
                    break;
                }
            }
            let more = self.filled - self.start + 1;
            if more > LONGEST_HEADER {
                return Err(self.refused(
                    path,
                    "its header does not end within 1 MiB; check that the file is WARC",
                ));
            }
            if !self.has(more, path)? {
                return Err(self.refused(
                    path,
                    "the file ends in its header: it is truncated; copy or download it again",
                ));
            }
        }
    }

    /// Reads the fields of the header, and returns the length of the content.
    fn content_length(&mut self, header: usize, path: &str) -> Result<usize> {
        let bytes = &self.buffer[self.start..self.start + header];
        let version = memchr::memchr(b'\n', bytes).map_or(header, |end| end + 1);
        self.fields.read(&bytes[version..]);
        let length = self.fields.get(Field::ContentLength);
        let problem = match length.map(|length| (length, length.parse::<u64>())) {
            Some((_, Ok(length))) if length <= LONGEST => return Ok(length as usize),
            Some((_, Ok(length))) => {
                let uri = self
                    .fields
                    .get(Field::TargetUri)
                    .map_or(String::new(), |uri| format!(" ({})", cut(&shown_name(uri))));
                format!(
                    "its content is {length} bytes long{uri}, but at most 2 GiB are read; remove the record"
                )
            }
            Some((length, Err(_))) => format!(
                "its Content-Length {} is not a number of bytes",
                quoted(length)
            ),
            None => "it has no Content-Length".into(),
        };
        Err(self.refused(path, &problem))
    }

    /// Reads until the buffer has `count` bytes from its start. Returns false if the file ends before that.
    fn has(&mut self, count: usize, path: &str) -> Result<bool> {
        while self.filled - self.start < count && !self.ended {
            if self.start > 0 && self.start + count.max(PIECE) > self.buffer.len() {
                self.buffer.copy_within(self.start..self.filled, 0);
                (self.start, self.filled) = (0, self.filled - self.start);
            }
            if self.filled == self.buffer.len() {
                // Do not trust a record's declared length: the buffer grows to at most twice the bytes that have arrived, or to
                // one piece more than these bytes if that is larger.
                let wanted = (self.start + count)
                    .min(self.filled * 2)
                    .max(self.filled + PIECE);
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
