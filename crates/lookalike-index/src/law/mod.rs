//! Keeps the decisions of a collection up to date while documents are added and removed.
//!
//! The law considers documents in keep order, and a decision depends only on decisions about documents that come earlier. So after a
//! change, the documents that it can affect are decided again in keep order, the first one first. Whenever a document changes from
//! kept to dropped or back, the later documents that it matches join them. Each document is decided at most once per change, because
//! those that join come later than the one that is decided.

mod content;

mod settle;

pub(crate) use content::{Content, Place, Verdict};
pub(crate) use settle::{Settled, affected_by_removing, decided, settle};
