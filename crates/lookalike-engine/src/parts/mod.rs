//! Closed parts: how several machines decide one collection.
//!
//! A part of a collection is *closed* if it contains every document that is a candidate of one of its documents. The law (the rule
//! for what is dropped) compares a document only with its candidates, so the decisions about a closed part are the same whether
//! the rest of the collection is there or not. A run on several machines therefore needs no other algorithm than a run on one
//! machine: it divides the collection into closed parts, and each machine decides some of them with
//! [`dedup`](crate::dedup()).
//!
//! Candidates share a key of their sketches, or have equal digests. So the connected components of the graph that links all
//! documents with the same key are closed parts. They are found in three steps, which read and write bytes:
//!
//! 1. [`keys`]: sketches documents, and writes one row per key. The rows are divided into *shards* by their keys.
//! 2. [`links`]: sorts the rows of a shard, and joins the documents that have the same key. It writes one row per joined document.
//! 3. [`Joining`]: joins the results of all shards.
//!
//! In these rows, a document is a number of 48 bits, its *node*, which is a hash of its id. If two documents have the same node,
//! their parts become one part. This part is closed too, so the decisions are still the same, and no table of all ids is needed.
//! Among a billion documents, one in 280,000 shares its node with another document.
//!
//! Documents without a candidate are in no part, and are kept. The only exception is an empty text, which is a part of its own,
//! because the reason for keeping it must be reported.

pub(crate) mod keys;

mod links;

pub(crate) use self::links::Buckets;
pub use self::{
    keys::{keys, node},
    links::{Joining, Links, links},
};
