//! The documents' ids as they stand in their lines, one after the other, each with its length before it.

use std::{ops::Range, sync::Arc};

use lookalike_io::{
    error::{Error, ErrorKind, Result},
    spill::{Budget, Spill, grouping::each_group},
};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::pass::parallel::Weigh;

/// Ids between two that can be found without reading those before them.
const STEP: u64 = 8;

/// Ids by document. A byte a document besides the ids, for finding them; 8 more on disk, for a hash, than the ids themselves.
pub(crate) struct Ids {
    bytes: Spill<u8>,
    /// Where each [`STEP`]th begins.
    starts: Spill<u64>,
    count: u64,
    hashes: Spill<u64>,
}

/// One block's ids, one after the other.
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

    /// Whether they are those of so many documents.
    pub(crate) fn fit(&self, count: usize) -> bool {
        let mut end = Some(0);
        let mut on_a_border = |&length: &u32| {
            end = end.and_then(|end: usize| end.checked_add(length as usize)).filter(|&end| self.text.is_char_boundary(end));
            end.is_some()
        };
        (self.lengths.len(), self.hashes.len()) == (count, count)
            && self.lengths.iter().all(&mut on_a_border)
            && end == Some(self.text.len())
    }

    /// Gives ids to those that have none: `names` has one for each.
    pub(crate) fn fill(&mut self, names: impl Iterator<Item = String>) {
        let mut filled = Self::default();
        self.iter().zip(names).for_each(|(id, name)| filled.push(if id.is_empty() { &name } else { id }));
        *self = filled;
    }
}

impl Ids {
    pub(crate) fn new(budget: &Arc<Budget>) -> Self {
        Self { bytes: Spill::new(budget), starts: Spill::new(budget), count: 0, hashes: Spill::new(budget) }
    }

    /// Bytes of the ids.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.len()
    }

    /// Appends those of the next block. Whether ids are unique can only be told of those that are `checked`; they come last.
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

    /// A document's id; `room` holds it.
    pub(crate) fn get<'a>(&self, document: u64, room: &'a mut Vec<u8>) -> Result<&'a str> {
        let mut found = Err(damaged());
        let mut piece = Vec::new();
        self.each(document..document + 1, &mut piece, |id| {
            room.clear();
            room.extend_from_slice(id.as_bytes());
            found = Ok(());
            Ok(())
        })?;
        found.and_then(|()| text(room))
    }

    /// Gives the ids of consecutive documents in order. `room` holds them.
    pub(crate) fn each(&self, documents: Range<u64>, room: &mut Vec<u8>, mut give: impl FnMut(&str) -> Result<()>) -> Result<()> {
        if documents.is_empty() {
            return Ok(());
        }
        let (first, last) = (documents.start / STEP, documents.end.div_ceil(STEP));
        let mut starts = Vec::new();
        let mut start = |number| Ok::<_, Error>(self.starts.get(number..number + 1, &mut starts)?[0]);
        let end = if last < self.starts.len() { start(last)? } else { self.bytes.len() };
        let mut rest = self.bytes.get(start(first)?..end, room)?;
        for number in first * STEP..documents.end {
            let (length, after) = take_length(rest).ok_or_else(damaged)?;
            let (id, after) = after.split_at_checked(length as usize).ok_or_else(damaged)?;
            rest = after;
            if number >= documents.start {
                give(text(id)?)?;
            }
        }
        Ok(())
    }

    /// The first document, in input order, whose id an earlier one has, after the first that has it. Cost: a sort of hashes;
    /// ids themselves are compared where these are equal. Those that were not checked are left out.
    pub(crate) fn first_repeated(&mut self, budget: &Budget, pool: &rayon::ThreadPool) -> Result<Option<(u64, u64)>> {
        let mut repeated: Option<(u64, u64)> = None;
        let (mut room, mut other_room) = (Vec::new(), Vec::new());
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
                    let id = hash_name(self.get(document, &mut room)?);
                    for &(_, earlier) in &group[..i] {
                        if hash_name(self.get(earlier, &mut other_room)?) == id {
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

/// Equal for equal ids, or labels, of the same JSON type: "é" and "\u00e9" are one string; 1 and "1" are two ids.
pub(crate) fn hash_name(id: &str) -> u128 {
    with_string(id, xxh3_128)
}

/// An id as a serialiser takes it.
pub(crate) fn raw(id: &str) -> Result<&RawValue> {
    serde_json::from_str(id)
        .map_err(|error| Error::new(ErrorKind::Temporary, format!("an id was damaged: {error}")).because(error))
}

/// Does something with an id's bytes, without escapes.
fn with_string<T>(id: &str, what: impl Fn(&[u8]) -> T) -> T {
    if id.contains('\\')
        && let Ok(text) = serde_json::from_str::<String>(id)
    {
        return what(format!("\"{text}\"").as_bytes());
    }
    what(id.as_bytes())
}

/// An id that was spilled. That it is JSON was seen when it was read.
fn text(id: &[u8]) -> Result<&str> {
    std::str::from_utf8(id).map_err(|_| damaged())
}

fn damaged() -> Error {
    Error::new(ErrorKind::Temporary, "a temporary file was damaged: an id could not be read back")
}

/// Seven bits a byte, the lowest first; the last has its eighth bit clear (LEB128).
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
        fn ids_come_back_and_the_first_repeated_one_is_told(numbers in prop::collection::vec(0u32..400, 1..150), flush: bool) {
            let names: Vec<String> = numbers.iter().map(|n| format!("\"{}{n}\"", "x".repeat(*n as usize))).collect();
            let (mut ids, budget) = ids(&names, flush);
            let (mut room, mut all) = (Vec::new(), Vec::new());
            for (document, name) in (0u64..).zip(&names) {
                prop_assert_eq!(ids.get(document, &mut room).unwrap(), name);
            }
            let some = names.len() as u64 / 3..names.len() as u64;
            ids.each(some.clone(), &mut room, |id| {
                all.push(id.to_string());
                Ok(())
            }).unwrap();
            prop_assert_eq!(&all, &names[some.start as usize..]);
            let first = |d: usize| numbers.iter().position(|n| *n == numbers[d]).unwrap();
            let expected = (0..names.len()).find(|&d| first(d) < d).map(|d| (first(d) as u64, d as u64));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            prop_assert_eq!(ids.first_repeated(&budget, &pool).unwrap(), expected);
        }
    }

    #[test]
    fn strings_are_told_apart_by_what_they_mean() {
        assert_eq!(hash_name(r#""\u00e9""#), hash_name("\"é\""));
        assert_ne!(hash_name("1"), hash_name("\"1\""));
        let (mut ids, budget) = ids(&[r#""\u00e9""#, "1", "\"1\"", "\"é\""].map(String::from), false);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(ids.first_repeated(&budget, &pool).unwrap(), Some((0, 3)));
    }
}
