//! A crawl (WARC) → blocks of its records.

use super::reader::WarcReader;
use crate::read::{
    buffer::{Buffer, Failure},
    bytes::Reader,
};

/// The records of a crawl. A block has those behind the ones of the block before it, as many as fill a span.
pub(crate) struct CrawlStream {
    reader: WarcReader<Reader>,
    /// What messages call the input.
    name: String,
    /// The next buffer.
    pub(crate) index: u64,
    /// The record that is read and not given yet.
    next: Vec<u8>,
}

impl CrawlStream {
    pub(crate) fn new(reader: Reader, name: &str) -> Self {
        Self { reader: WarcReader::new(reader), name: name.into(), index: 0, next: Vec::new() }
    }

    /// Fills `buffer` with the next records: at least a span of bytes, if there are so many.
    pub(crate) fn cut(&mut self, buffer: &mut Buffer, span: usize) -> Result<(), Failure> {
        buffer.index = self.index;
        self.index += 1;
        let mut bytes = buffer.emptied();
        bytes.append(&mut self.next);
        if !bytes.is_empty() {
            buffer.push(0..bytes.len());
        }
        buffer.last = loop {
            let Some(record) = self.reader.next(&self.name).map_err(Failure::Told)? else { break true };
            if bytes.len() >= span {
                self.next.extend_from_slice(record.bytes);
                break false;
            }
            let start = bytes.len();
            bytes.extend_from_slice(record.bytes);
            buffer.push(start..bytes.len());
        };
        buffer.fill(bytes);
        Ok(())
    }
}
