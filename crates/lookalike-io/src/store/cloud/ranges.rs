//! Ranges of an object, fetched together.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use object_store::coalesce_ranges;

use super::{
    fetching::{Taker, fetch},
    object::Object,
    runtime::wait,
};
use crate::error::{Error, ErrorKind, Result};

/// Ranges that are so near to each other are asked for as one.
const NEAR: u64 = 1 << 20;

impl Object {
    /// Ranges of it, in the order given; near ones are asked for together, some at a time.
    ///
    /// # Errors
    /// A range that is not in it, a server that gives no ranges, whatever else goes wrong.
    pub(crate) fn read_ranges(self: &Arc<Self>, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        if let Some(range) = ranges.iter().find(|range| range.start > range.end || range.end > self.size()) {
            let what = format!("has {} bytes, and not those up to {}: the file is truncated", self.size(), range.end);
            return Err(Error::new(ErrorKind::Input, what).at(self.url()));
        }
        if !self.is_ranged() {
            let refused = Error::new(ErrorKind::Input, "the server gives no parts of a file").at(self.url());
            return Err(refused.advise("download it first"));
        }
        // No query is needed for an empty set.
        let asked: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).cloned().collect();
        let fetched = wait(coalesce_ranges(&asked, |range| self.clone().bytes(range), NEAR))??;
        let mut fetched = fetched.into_iter();
        Ok(ranges.iter().map(|range| if range.is_empty() { None } else { fetched.next() }.unwrap_or_default()).collect())
    }

    /// One range of it.
    #[cfg_attr(not(test), expect(dead_code, reason = "for formats whose parts are read by their places"))]
    pub(crate) fn read_at(self: &Arc<Self>, range: Range<u64>) -> Result<Bytes> {
        self.read_ranges(&[range]).map(|mut read| read.pop().unwrap_or_default())
    }

    async fn bytes(self: Arc<Self>, range: Range<u64>) -> Result<Bytes> {
        let mut all = Vec::with_capacity((range.end - range.start) as usize);
        fetch(&self, range, Taker::All(&mut all)).await?;
        Ok(all.into())
    }
}
