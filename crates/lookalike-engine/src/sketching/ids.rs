//! Stores the documents' ids as written in their lines. The ids are concatenated, and each is preceded by its length.

use std::{ops::Range, sync::Arc};

use lookalike_io::{
    error::{Error, ErrorKind, Result},
    spill::{Budget, Spill, grouping::each_group},
};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::pass::parallel::Weigh;

/// Every id whose number is a multiple of this can be found directly. Any other id is found by reading on from the last such id
/// before it.
const STEP: u64 = 8;

/// The number of ids that are read at a time. Ids may be long, so all of them may not fit into memory.
const AT_A_TIME: u64 = 8 * STEP;

/// The number of consecutive documents that are processed at a time, unless their ids are long.
const STRETCH: u64 = 4096;

/// Ids by document. In addition to the ids, their positions take one byte per document, and their hashes take 8 bytes per
/// document on disk.
pub(crate) struct Ids {
    bytes: Spill<u8>,
    /// The position of each [`STEP`]th id.
    starts: Spill<u64>,
    count: u64,
    hashes: Spill<u64>,
}

/// One block's ids, concatenated.
#[derive(Debug, Default)]
pub(crate) struct BlockIds {
    pub(crate) text: String,
    pub(crate) lengths: Vec<u32>,
    pub(crate) hashes: Vec<u64>,
}

impl Weigh for BlockIds {
    fn weight(&self) -> usize {
        self.text.capacity() + self.lengths.weight() + self.hashes.weight()
    }
}

impl BlockIds {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.lengths.clear();
        self.hashes.clear();
    }

    pub(crate) fn push(&mut self, id: &str) {
        self.text.push_str(id);
        self.lengths.push(id.len() as u32);
        self.hashes.push(with_string(id, xxh3_64));
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let mut rest = self.text.as_str();
        self.lengths.iter().map(move |&length| {
            let (id, after) = rest.split_at(length as usize);
            rest = after;
            id
        })
    }

    /// Returns whether these ids can be those of `count` documents.
    pub(crate) fn fit(&self, count: usize) -> bool {
        let mut end = Some(0);
        let mut on_a_border = |&length: &u32| {
            end = end
                .and_then(|end: usize| end.checked_add(length as usize))
                .filter(|&end| self.text.is_char_boundary(end));
            end.is_some()
        };
        (self.lengths.len(), self.hashes.len()) == (count, count)
            && self.lengths.iter().all(&mut on_a_border)
            && end == Some(self.text.len())
    }

    /// Gives ids to documents without an id. `names` has one name for each of these documents.
    pub(crate) fn fill(&mut self, names: impl Iterator<Item = String>) {
        let mut filled = Self::default();
        self.iter()
            .zip(names)
            .for_each(|(id, name)| filled.push(if id.is_empty() { &name } else { id }));
        *self = filled;
    }
}

impl Ids {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        Self {
            bytes: Spill::new(budget),
            starts: Spill::new(budget),
            count: 0,
            hashes: Spill::new(budget),
        }
    }

    /// Returns the size of the stored ids in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len()
    }

    /// Returns how many consecutive documents may be processed at a time, so that their ids have about 4 MB at most.
    pub(crate) fn stretch(&self) -> u64 {
        let average = self.bytes() / self.count.max(1);
        ((STRETCH << 10) / average.max(1 << 10)).max(1)
    }

    /// Appends the ids of the next block. Uniqueness can be tested only for ids that are `checked`. Checked ids must come after
    /// all unchecked ids.
    pub(crate) fn append(&mut self, block: &BlockIds, checked: bool) -> Result<()> {
        let first = self.bytes.len();
        let mut bytes = Vec::with_capacity(block.text.len() + 2 * block.lengths.len());
        for id in block.iter() {
            if self.count.is_multiple_of(STEP) {
                self.starts.append(&[first + bytes.len() as u64])?;
            }
            push_length(id.len() as u64, &mut bytes);
            bytes.extend_from_slice(id.as_bytes());
            self.count += 1;
        }
        if checked {
            self.hashes.append(&block.hashes)?;
        }
        self.bytes.append(&bytes)
    }

    /// Returns a document's id, which is copied into `scratch`.
    pub(crate) fn get<'a>(&self, document: u64, scratch: &'a mut Vec<u8>) -> Result<&'a str> {
        let mut found = Err(damaged());
        let mut piece = Vec::new();
        self.each(document..document + 1, &mut piece, |id| {
            scratch.clear();
            scratch.extend_from_slice(id.as_bytes());
            found = Ok(());
            Ok(())
        })?;
        found.and_then(|()| text(scratch))
    }

    /// Returns all documents by the hashes of their ids, which are sorted. Memory: 32 bytes per document.
    pub(crate) fn by_hash(
        &self,
        documents: u64,
        hash: impl Fn(&str) -> u128,
    ) -> Result<Vec<(u128, u64)>> {
        let (mut rows, mut scratch) = (Vec::with_capacity(documents as usize), Vec::new());
        self.each(0..documents, &mut scratch, |id| {
            rows.push((hash(id), rows.len() as u64));
            Ok(())
        })?;
        rows.sort_unstable();
        Ok(rows)
    }

    /// Passes the ids of consecutive documents to `give`, in order. `scratch` is a buffer for reading the ids.
    pub(crate) fn each(
        &self,
        documents: Range<u64>,
        scratch: &mut Vec<u8>,
        mut give: impl FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        let (mut number, mut starts) = (documents.start, Vec::new());
        let mut start =
            |number| Ok::<_, Error>(self.starts.get(number..number + 1, &mut starts)?[0]);
        while number < documents.end {
            let (first, last) = (number / STEP, (number / AT_A_TIME + 1) * (AT_A_TIME / STEP));
            let end = if last < self.starts.len() {
                start(last)?
            } else {
                self.bytes.len()
            };
            let mut rest = self.bytes.get(start(first)?..end, scratch)?;
            for at in first * STEP..documents.end.min(last * STEP) {
                let (length, after) = take_length(rest).ok_or_else(damaged)?;
                let (id, after) = after
                    .split_at_checked(length as usize)
                    .ok_or_else(damaged)?;
                rest = after;
                if at >= number {
                    give(text(id)?)?;
                }
            }
            number = last * STEP;
        }
        Ok(())
    }

    /// Finds the first document, in input order, whose id an earlier document already has. Returns the first document with this
    /// id, followed by the document that was found. Cost: a sort of hashes; the ids themselves are compared if their hashes are
    /// equal. Unchecked ids are ignored.
    pub(crate) fn first_repeated(
        &mut self,
        budget: &Budget,
        pool: &rayon::ThreadPool,
    ) -> Result<Option<(u64, u64)>> {
        let mut repeated: Option<(u64, u64)> = None;
        let (mut scratch, mut other_scratch) = (Vec::new(), Vec::new());
        let unchecked = self.count - self.hashes.len();
        each_group(
            &self.hashes,
            budget,
            pool,
            |hash| Some(unchecked + hash),
            |group| {
                for (i, &(_, document)) in group.iter().enumerate().skip(1) {
                    if repeated.is_some_and(|(_, first)| first <= document) {
                        break;
                    }
                    let id = hash_name(self.get(document, &mut scratch)?);
                    for &(_, earlier) in &group[..i] {
                        if hash_name(self.get(earlier, &mut other_scratch)?) == id {
                            repeated = Some((earlier, document));
                            break;
                        }
                    }
                }
                Ok(())
            },
        )?;
        self.hashes.clear();
        Ok(repeated)
    }
}

/// Returns a hash of an id. Equal strings have equal hashes, however they are escaped: "é" and "\u00e9" are the same
/// string. Different JSON types have different hashes: 1 and "1" are two ids.
pub(crate) fn hash_name(id: &str) -> u128 {
    with_string(id, xxh3_128)
}

/// Returns a hash of a label. Only its text counts, not its type, because CSV has no numbers: 7 and "7" are the same label.
pub(crate) fn hash_label(label: &str) -> u128 {
    with_string(label, |text| {
        let inside = text
            .strip_prefix(b"\"")
            .and_then(|text| text.strip_suffix(b"\""));
        xxh3_128(inside.unwrap_or(text))
    })
}

/// Converts an id for a serialiser.
pub(crate) fn raw(id: &str) -> Result<&RawValue> {
    serde_json::from_str(id).map_err(|error| {
        Error::new(ErrorKind::Temporary, format!("an id was damaged: {error}")).because(error)
    })
}

/// Decodes the escape sequences of an id, and calls `what` with the bytes of the decoded id.
fn with_string<T>(id: &str, what: impl Fn(&[u8]) -> T) -> T {
    if id.contains('\\')
        && let Ok(text) = serde_json::from_str::<String>(id)
    {
        return what(format!("\"{text}\"").as_bytes());
    }
    what(id.as_bytes())
}

/// Returns a spilled id as text. The id was checked to be JSON when it was read.
fn text(id: &[u8]) -> Result<&str> {
    std::str::from_utf8(id).map_err(|_| damaged())
}

fn damaged() -> Error {
    Error::new(
        ErrorKind::Temporary,
        "a temporary file was damaged: an id could not be read back",
    )
}

/// Encodes a length with seven bits per byte, the lowest first; the last byte has its eighth bit clear (LEB128).
fn push_length(mut length: u64, into: &mut Vec<u8>) {
    while length >= 0x80 {
        into.push(length as u8 | 0x80);
        length >>= 7;
    }
    into.push(length as u8);
}

fn take_length(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut length = 0;
    for (i, &byte) in bytes.iter().enumerate().take(9) {
        length |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Some((length, &bytes[i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(names: &[String], flush: bool) -> (Ids, Arc<Budget>) {
        let budget = Budget::of(1 << 20, 0, &std::env::temp_dir());
        let mut ids = Ids::new(&budget);
        for names in names.chunks(7) {
            let mut block = BlockIds::default();
            names.iter().for_each(|name| block.push(name));
            ids.append(&block, true).unwrap();
            if flush {
                ids.bytes.flush().unwrap();
            }
        }
        (ids, budget)
    }

    proptest! {
        #[test]
        fn ids_round_trip_and_the_first_repeated_id_is_reported(numbers in prop::collection::vec(0u32..400, 1..150), flush: bool) {
            let names: Vec<String> = numbers.iter().map(|n| format!("\"{}{n}\"", "x".repeat(*n as usize))).collect();
            let (mut ids, budget) = ids(&names, flush);
            let (mut scratch, mut all) = (Vec::new(), Vec::new());
            for (document, name) in (0u64..).zip(&names) {
                prop_assert_eq!(ids.get(document, &mut scratch).unwrap(), name);
            }
            let some = names.len() as u64 / 3..names.len() as u64;
            ids.each(some.clone(), &mut scratch, |id| {
                all.push(id.to_string());
                Ok(())
            }).unwrap();
            prop_assert_eq!(&all, &names[some.start as usize..]);
            let first = |d: usize| numbers.iter().position(|n| *n == numbers[d]).unwrap();
            let expected = (0..names.len()).find(|&d| first(d) < d).map(|d| (first(d) as u64, d as u64));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            prop_assert_eq!(ids.first_repeated(&budget, &pool).unwrap(), expected);
            // Only a few ids are read at a time.
            let longest = names.iter().map(String::len).max().unwrap_or(0);
            prop_assert!(scratch.len() <= AT_A_TIME as usize * (longest + 2));
        }
    }

    #[test]
    fn ids_are_compared_by_value_and_type() {
        assert_eq!(hash_name(r#""\u00e9""#), hash_name("\"é\""));
        assert_ne!(hash_name("1"), hash_name("\"1\""));
        let (mut ids, budget) = ids(
            &[r#""\u00e9""#, "1", "\"1\"", "\"é\""].map(String::from),
            false,
        );
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        assert_eq!(ids.first_repeated(&budget, &pool).unwrap(), Some((0, 3)));
    }
}
