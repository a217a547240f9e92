//! Scratch buffers for reading records.

#[cfg(feature = "warc")]
use crate::read::crawl;
use crate::read::{csv, documents::Pages};

/// Where a record that has to be changed to be read is put.
#[derive(Debug, Default)]
pub struct Room {
    pub(crate) line: String,
    pub(crate) text: String,
    pub(crate) plain: String,
    pub(crate) page: String,
    pub(crate) pages: Pages,
    pub(crate) cells: csv::Scratch,
    /// Id, keep order's field, label.
    pub(crate) values: [String; 3],
    #[cfg(feature = "warc")]
    pub(crate) crawl: crawl::Room,
}

impl Room {
    /// How many of the pages read into it were too large to be looked for a main part, since this was asked last.
    pub fn take_too_large(&mut self) -> u64 {
        self.pages.take_too_large()
    }
}
