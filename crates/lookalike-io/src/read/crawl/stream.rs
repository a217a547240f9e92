//! Splits a crawl (WARC) into blocks of records.

use super::reader::WarcReader;
use crate::read::{
    buffer::{Buffer, Failure},
    bytes::Reader,
};

/// The records of a crawl. Each block continues where the block before it ended, and ends when it has at least a span (a fixed
/// number) of bytes.
pub(crate) struct CrawlStream {
    reader: WarcReader<Reader>,
    /// The name of the input in messages.
    name: String,
    /// The index of the next block.
    pub(crate) index: u64,
    /// The record that has been read but is not yet in a block.
    next: Vec<u8>,
}

impl CrawlStream {
    pub(crate) fn new(reader: Reader, name: &str) -> Self {
        Self {
            reader: WarcReader::new(reader),
            name: name.into(),
            index: 0,
            next: Vec::new(),
        }
    }

    /// Fills `buffer` with the next records: at least a span of bytes, unless the input ends first.
    pub(crate) fn cut(&mut self, buffer: &mut Buffer, span: usize) -> Result<(), Failure> {
        buffer.index = self.index;
        self.index += 1;
        let mut bytes = buffer.emptied();
        bytes.append(&mut self.next);
        if !bytes.is_empty() {
            buffer.push(0..bytes.len());
        }
        buffer.last = loop {
            let Some(record) = self.reader.next(&self.name).map_err(Failure::Reported)? else {
                break true;
            };
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
