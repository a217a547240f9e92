//! Reads inputs that can only be read sequentially, as blocks.

#[cfg(feature = "warc")]
use super::crawl::CrawlStream;
use super::{
    block::{Block, Records},
    buffer::Failure,
    documents::MemberStream,
    lines::LineStream,
    records::RecordStream,
    table::{Cut, RowBlocks},
};

/// An input that can only be read sequentially.
pub(crate) enum Stream {
    Lines(LineStream),
    Records(RecordStream),
    #[cfg(feature = "warc")]
    Crawl(CrawlStream),
    Rows(RowBlocks),
    Members(MemberStream),
}

impl Stream {
    /// Returns the index of the next block.
    pub(crate) fn index(&self) -> u64 {
        match self {
            Self::Lines(stream) => stream.index,
            Self::Records(stream) => stream.index,
            #[cfg(feature = "warc")]
            Self::Crawl(stream) => stream.index,
            Self::Rows(stream) => stream.index(),
            Self::Members(stream) => stream.index,
        }
    }

    /// Fills `block` with the next records.
    pub(crate) fn cut(&mut self, block: &mut Block, span: usize) -> Result<(), Failure> {
        let buffer = block.refill();
        let records = match self {
            Self::Lines(stream) => stream.cut(buffer, span).map(|()| Records::Lines)?,
            Self::Records(stream) => {
                stream.cut(buffer, span)?;
                match stream.columns() {
                    Some(columns) => Records::Cells(columns.clone()),
                    None if stream.is_array() => Records::Elements,
                    // If a CSV file has no header, it contains only line ends, and therefore no records.
                    None => Records::Lines,
                }
            }
            #[cfg(feature = "warc")]
            Self::Crawl(stream) => stream.cut(buffer, span).map(|()| Records::Crawl)?,
            Self::Members(stream) => {
                let first = stream.cut(buffer)?;
                Records::Files(stream.files.clone(), first)
            }
            Self::Rows(stream) => match stream.cut(buffer)? {
                None => Records::Lines,
                Some(Cut::Texts(rows)) => Records::Rows(rows),
                Some(Cut::Objects(objects)) => Records::Objects(objects),
            },
        };
        block.hold(records);
        Ok(())
    }
}
