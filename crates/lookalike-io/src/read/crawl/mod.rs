//! Crawls (WARC): records one by one, and the documents in them.

mod fields;

mod record;

mod reader;

mod stream;

pub(crate) use self::{
    reader::WarcReader,
    record::{Room, Skip},
    stream::CrawlStream,
};

#[cfg(test)]
mod tests;
