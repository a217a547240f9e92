//! What is audited, and how much of it is compared.

use serde::{Deserialize, Serialize};

/// The settings of an audit.
#[derive(Debug, Clone)]
pub struct Auditing {
    /// The result that is audited.
    pub result: AuditedResult,
    /// The number of random kept documents that are compared with all documents.
    pub sample: u32,
    /// The maximum number of removed documents that are compared with all documents because the candidate search found no similar kept
    /// document. If more remain, a random sample of this size is compared.
    pub recheck: u32,
    /// The number of worst cases of each kind.
    pub worst: usize,
}

/// The result of a deduplication by any program: which documents of a collection it removed.
#[derive(Debug, Clone, Default)]
pub struct AuditedResult {
    /// Files, folders, globs or URLs.
    pub names: Vec<String>,
    /// What the rows are; `None` to recognise it by their fields.
    pub kind: Option<ResultKind>,
    /// The field with the document's id or position; `None` to recognise it.
    pub id_field: Option<String>,
    /// The field with the cluster; `None` to recognise it.
    pub cluster_field: Option<String>,
    /// The field that says whether a document was kept; `None` to recognise it.
    pub kept_field: Option<String>,
    /// The field with the kept document that a removed one duplicates; `None` to recognise it.
    pub representative_field: Option<String>,
    /// Documents are numbered by their position in the inputs, from 0, instead of being named by their ids.
    pub by_position: bool,
}

/// What the rows of a result are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResultKind {
    /// The documents that were removed. All others were kept.
    Removed,
    /// The documents that were kept. All others were removed.
    Kept,
    /// Documents with their clusters. The first document of a cluster in input order was kept, and the others were removed.
    Clusters,
    /// Pairs of duplicates. Documents that are connected by pairs are a cluster.
    Pairs,
    /// Documents with a verdict, or with the document that they duplicate.
    Decisions,
}
