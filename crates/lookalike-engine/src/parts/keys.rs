//! Writes the keys of documents: two documents can be candidates only if they have a key in common.

use lookalike::{
    Candidates, Cluster, Method, Scratch,
    fingerprint::{EMPTY_DIGEST, finish},
    text::Text,
};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::{Blocks, Scratch as ReadScratch},
};

use crate::{
    config::RunConfig,
    pass::{
        open::{pool, sources},
        parallel::{Weigh, in_order},
    },
    sketching::ids::hash_name,
};

/// The number of bits of an id's hash that are not used. The hash has 128 bits, and a node is the upper 48 of them.
const UNUSED: u32 = u128::BITS - 48;

/// The column of the keys that are made from digests, for a method without other keys.
const DIGESTS: u8 = 254;

/// The column of empty texts, whose key is 0.
pub(super) const EMPTY: u8 = 255;

/// The bytes of a node.
pub(crate) const NODE: usize = 6;

/// The bytes of a row: the column of a key, the key and a node. Numbers are little-endian.
pub(super) const ROW: usize = 1 + 4 + NODE;

/// Returns the node of the document with this id: a number of 48 bits. The id is a JSON string or number.
pub fn node(id: &str) -> u64 {
    (hash_name(id) >> UNUSED) as u64
}

/// Sketches all documents of the inputs of `config`, and returns one row per document and key, divided into `shards` by the key.
///
/// Cost: the time of the first pass of a run; 11 bytes per row, which is 231 bytes per document with the default 21 bands.
///
/// # Errors
/// Fails if the configuration is invalid, or if its candidates are not found by keys; if an input cannot be read; or if a record
/// has no text or no id.
pub fn keys(config: &RunConfig, shards: usize) -> Result<Vec<Vec<u8>>> {
    let method = Method::new(config.method.clone())?;
    refuse_other_than_keys(&method)?;
    let source = sources(config, &[], || Ok(()))?.source;
    let shards = shards.max(1);
    let mut all = vec![Vec::new(); shards];
    in_order(
        &pool(config.threads)?,
        Blocks::new(&source),
        |block, (read_scratch, scratch): &mut (ReadScratch, Scratch)| {
            let mut rows = Rows(vec![Vec::new(); shards]);
            for at in 0..block.len() {
                let record = block.record(at, source.reading_of(block.part), read_scratch);
                let Some(record) = record.map_err(|fault| fault.of_line(at as u64))? else {
                    continue;
                };
                if record.id.is_empty() {
                    return Err(Error::record(
                        "no id, by which other machines would know this document",
                    )
                    .of_line(at as u64));
                }
                rows.add(&Keys::of(&method, record.text, scratch), node(record.id));
            }
            Ok(rows)
        },
        |rows: Rows| {
            all.iter_mut()
                .zip(&rows.0)
                .for_each(|(all, rows)| all.extend_from_slice(rows));
            Ok(())
        },
    )?;
    Ok(all)
}

/// Refuses the methods by which documents can become candidates without having a key in common, and those with more keys than a row
/// can number.
pub(crate) fn refuse_other_than_keys(method: &Method) -> Result<()> {
    let config = method.config();
    if method.columns() > usize::from(DIGESTS) {
        let what = format!(
            "{} keys per document are too many to divide a collection; {DIGESTS} are possible",
            method.columns()
        );
        return Err(Error::new(ErrorKind::Config, what).advise("use fewer bands, with fewer rows"));
    }
    let why = match (&config.cluster, &config.candidates) {
        (Cluster::Greedy(_), _) => {
            "greedy clusters are not divided over machines, because each document is compared with all clusters"
        }
        (_, Candidates::Shared(_)) => {
            "candidates that share sampled shingles are not divided over machines, because they depend on how many documents of the \
             whole collection have a shingle"
        }
        (_, Candidates::All) => "a comparison of all pairs is not divided over machines",
        _ => return Ok(()),
    };
    Err(Error::new(ErrorKind::Config, why)
        .advise("use candidates that are found by keys, such as bands"))
}

/// The keys of a document.
pub(crate) enum Keys {
    /// The text is empty.
    Empty,
    /// The method has no other keys than digests.
    Digest(u32),
    /// One key per column.
    Columns(Vec<u32>),
}

impl Keys {
    /// Sketches a text.
    pub(crate) fn of(method: &Method, text: Text, scratch: &mut Scratch) -> Self {
        method.sketch(text, scratch);
        match (scratch.digest, &scratch.keys) {
            (EMPTY_DIGEST, _) => Self::Empty,
            (digest, keys) if keys.is_empty() => Self::Digest(digest as u32),
            (_, keys) => Self::Columns(keys.to_vec()),
        }
    }
}

/// The rows of documents, by shard.
pub(crate) struct Rows(pub(crate) Vec<Vec<u8>>);

impl Rows {
    /// Adds the rows of a document.
    pub(crate) fn add(&mut self, keys: &Keys, node: u64) {
        match keys {
            Keys::Empty => self.add_row(EMPTY, 0, node),
            Keys::Digest(digest) => self.add_row(DIGESTS, *digest, node),
            Keys::Columns(keys) => (0..)
                .zip(keys)
                .for_each(|(column, &key)| self.add_row(column, key, node)),
        }
    }

    fn add_row(&mut self, column: u8, key: u32, node: u64) {
        let mixed = finish(u64::from(key) << 8 | u64::from(column));
        let shard = share(mixed, self.0.len());
        let rows = &mut self.0[shard];
        rows.push(column);
        rows.extend(key.to_le_bytes());
        rows.extend(node_bytes(node));
    }
}

/// Returns the shard of a hash: the upper half of the product of the hash and the number of shards. This spreads hashes evenly,
/// without a division.
pub(crate) fn share(hash: u64, shards: usize) -> usize {
    ((u128::from(hash) * shards as u128) >> u64::BITS) as usize
}

/// Returns the bytes of a node in a row.
pub(crate) fn node_bytes(node: u64) -> [u8; NODE] {
    let mut bytes = [0; NODE];
    bytes.copy_from_slice(&node.to_le_bytes()[..NODE]);
    bytes
}

/// Reads a node from its bytes in a row.
pub(crate) fn node_of(bytes: &[u8; NODE]) -> u64 {
    let mut whole = [0; 8];
    whole[..NODE].copy_from_slice(bytes);
    u64::from_le_bytes(whole)
}

impl Weigh for Rows {
    fn weight(&self) -> usize {
        self.0.iter().map(Vec::capacity).sum()
    }
}
