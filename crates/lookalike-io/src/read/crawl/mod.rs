//! Crawls (WARC): single records, and the documents in them.

mod fields;

mod record;

mod reader;

mod stream;

pub(crate) use self::{
    reader::WarcReader,
    record::{Scratch, Skip},
    stream::CrawlStream,
};

#[cfg(test)]
mod tests;
