//! A crawl (WARC) → blocks of its records.

use super::{
    block::{Block, Records},
    cut::Failure,
    open::Reader,
    warc::WarcReader,
};

/// The records of a crawl. A block has those behind the ones of the block before it, as many as fill a span.
pub(super) struct CrawlStream {
    reader: WarcReader<Reader>,
    /// What messages call the input.
    name: String,
    /// The next block.
    pub(super) index: u64,
    /// The record that is read and not given yet.
    next: Vec<u8>,
}

impl CrawlStream {
    pub(super) fn new(reader: Reader, name: &str) -> Self {
        Self { reader: WarcReader::new(reader), name: name.into(), index: 0, next: Vec::new() }
    }

    /// Fills `block` with the next records: at least a span of bytes, if there are so many.
    pub(super) fn cut(&mut self, block: &mut Block, span: usize) -> Result<(), Failure> {
        block.index = self.index;
        self.index += 1;
        let mut bytes = block.emptied();
        bytes.append(&mut self.next);
        if !bytes.is_empty() {
            block.push(0..bytes.len());
        }
        block.last = loop {
            let Some(record) = self.reader.next(&self.name).map_err(Failure::Told)? else { break true };
            if bytes.len() >= span {
                self.next.extend_from_slice(record.bytes);
                break false;
            }
            let start = bytes.len();
            bytes.extend_from_slice(record.bytes);
            block.push(start..bytes.len());
        };
        block.fill(bytes, Records::Crawl);
        Ok(())
    }
}
