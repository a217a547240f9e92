//! Locates the pages of a column chunk. Many files do not store the positions (the offset index is optional). But each page
//! begins with a header that says how long it is, how many values it has, and how they are encoded.

use std::{ops::Range, sync::Arc};

use parquet::file::{
    metadata::{ColumnChunkMetaData, OffsetIndexBuilder},
    page_index::offset_index::OffsetIndexMetaData,
};

use super::{
    chunks::chunk_start,
    head::{Head, Kind},
};
use crate::read::table::Ranges;

/// The number of bytes that are read first to parse a page's header. Most headers have about a hundred bytes; a header with
/// statistics of long values is longer.
const HEAD: u64 = 1 << 10;
const LONG_HEAD: u64 = 1 << 20;

/// The data pages of a column chunk.
#[derive(Clone)]
pub(crate) struct Pages {
    pub(crate) places: OffsetIndexMetaData,
    /// For each page, whether its values are in the chunk's dictionary.
    in_dictionary: Vec<bool>,
}

impl Pages {
    /// Locates the pages of a chunk with this many rows, with one small read per page. Returns none if a row can have several
    /// values, or if the chunk is invalid; the reader of the chunk then reports the error.
    pub(crate) fn locate(
        ranges: &Arc<Ranges>,
        chunk: &ColumnChunkMetaData,
        rows: u64,
    ) -> Option<Self> {
        if chunk.column_descr().max_rep_level() > 0 {
            return None;
        }
        let start = chunk_start(chunk) as u64;
        let end = start.checked_add(chunk.compressed_size() as u64)?;
        let (mut places, mut in_dictionary) = (OffsetIndexBuilder::new(), Vec::new());
        let (mut at, mut counted) = (start, 0u64);
        while at < end {
            let head = [HEAD, LONG_HEAD].into_iter().find_map(|length| {
                let bytes = ranges.read(at..end.min(at + length)).ok()?;
                Head::read(&bytes)
            })?;
            let next = at.checked_add(head.length)?.checked_add(head.compressed)?;
            if next > end {
                return None;
            }
            if let Kind::Data {
                rows,
                in_dictionary: is_in,
            } = head.kind
            {
                places.append_offset_and_size(at as i64, i32::try_from(next - at).ok()?);
                places.append_row_count(i64::try_from(rows).ok()?);
                in_dictionary.push(is_in);
                counted = counted.checked_add(rows)?;
            }
            at = next;
        }
        (counted == rows).then(|| Self {
            places: places.build(),
            in_dictionary,
        })
    }

    /// Returns the chunk for reading some of its rows. If none of these rows has a value in the dictionary, the returned chunk
    /// has no dictionary, because a dictionary may be larger than the rows.
    pub(crate) fn chunk_of(
        &self,
        chunk: &ColumnChunkMetaData,
        rows: &Range<u64>,
    ) -> ColumnChunkMetaData {
        let places = self.places.page_locations();
        let begins = |page: usize| {
            places
                .get(page)
                .map_or(u64::MAX, |place| place.first_row_index as u64)
        };
        let looked_at = |page: usize| begins(page) < rows.end && rows.start < begins(page + 1);
        let needed = (0..places.len()).any(|page| looked_at(page) && self.in_dictionary[page]);
        let (Some(first), Some(_)) = (
            places.first(),
            chunk.dictionary_page_offset().filter(|_| !needed),
        ) else {
            return chunk.clone();
        };
        let before = first.offset - chunk_start(chunk);
        let without = chunk
            .clone()
            .into_builder()
            .set_dictionary_page_offset(None)
            .set_data_page_offset(first.offset);
        without
            .set_total_compressed_size(chunk.compressed_size() - before)
            .build()
            .unwrap_or_else(|_| chunk.clone())
    }
}
