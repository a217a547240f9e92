//! Fetches several ranges of an object together.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use object_store::coalesce_ranges;

use super::{
    fetching::{Taker, fetch},
    object::Object,
    runtime::wait,
};
use crate::error::{Error, ErrorKind, Result};

/// Ranges at most this far apart are fetched in one request.
const NEAR: u64 = 1 << 20;

impl Object {
    /// Returns ranges of the object, in the given order. Nearby ranges are fetched in one request, and several requests run in
    /// parallel.
    ///
    /// # Errors
    /// Fails if a range is not within the object, if the server does not support ranges, or if a request fails.
    pub(crate) fn read_ranges(self: &Arc<Self>, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        if let Some(range) = ranges
            .iter()
            .find(|range| range.start > range.end || range.end > self.size())
        {
            let what = format!(
                "has {} bytes, but needs {}: the file is truncated",
                self.size(),
                range.end
            );
            return Err(Error::new(ErrorKind::Input, what).at(self.url()));
        }
        if !self.is_ranged() {
            let refused = Error::new(ErrorKind::Input, "the server does not send parts of a file")
                .at(self.url());
            return Err(refused.advise("download it first"));
        }
        // Empty ranges need no request.
        let asked: Vec<_> = ranges
            .iter()
            .filter(|range| !range.is_empty())
            .cloned()
            .collect();
        let fetched = wait(coalesce_ranges(
            &asked,
            |range| self.clone().bytes(range),
            NEAR,
        ))??;
        let mut fetched = fetched.into_iter();
        Ok(ranges
            .iter()
            .map(|range| {
                if range.is_empty() {
                    None
                } else {
                    fetched.next()
                }
                .unwrap_or_default()
            })
            .collect())
    }

    /// Returns one range of the object.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "for formats whose parts are read by position")
    )]
    pub(crate) fn read_at(self: &Arc<Self>, range: Range<u64>) -> Result<Bytes> {
        self.read_ranges(&[range])
            .map(|mut read| read.pop().unwrap_or_default())
    }

    async fn bytes(self: Arc<Self>, range: Range<u64>) -> Result<Bytes> {
        let mut all = Vec::with_capacity((range.end - range.start) as usize);
        fetch(&self, range, Taker::All(&mut all)).await?;
        Ok(all.into())
    }
}
