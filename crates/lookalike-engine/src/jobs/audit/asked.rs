//! What is audited, and how much of it is compared.

use lookalike::choices;

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

choices! {
    /// What the rows of a result are.
    pub enum ResultKind {
        /// the documents that were removed
        ///
        /// All others were kept.
        Removed = "removed",
        /// the documents that were kept
        ///
        /// All others were removed.
        Kept = "kept",
        /// documents with their clusters; the first one of each cluster was kept
        Clusters = "clusters",
        /// pairs of duplicates
        ///
        /// Documents that are connected by pairs are a cluster.
        Pairs = "pairs",
        /// documents with verdicts, or with the documents that are kept instead
        Decisions = "decisions",
    }
}
