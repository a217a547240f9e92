//! Scratch buffers for reading records.

#[cfg(feature = "warc")]
use crate::read::crawl;
use crate::read::{csv, documents::Pages, left_out::LeftOut};

/// The buffers for records that must be converted before they can be read.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) line: String,
    pub(crate) text: String,
    pub(crate) plain: String,
    pub(crate) page: String,
    pub(crate) pages: Pages,
    pub(crate) cells: csv::Scratch,
    /// The values of three fields: the id, the field that decides which document is kept, and the label.
    pub(crate) values: [String; 3],
    #[cfg(feature = "warc")]
    pub(crate) crawl: crawl::Scratch,
    /// The records that were left out.
    pub(crate) left_out: Option<LeftOut>,
}

impl Scratch {
    /// Returns the number of pages that were too large to be searched for a main part, counted since the last call of this
    /// method.
    pub fn take_too_large(&mut self) -> u64 {
        self.pages.take_too_large()
    }

    /// Returns the records that were left out since the last call of this method.
    pub fn take_left_out(&mut self) -> Option<LeftOut> {
        self.left_out.take()
    }
}
