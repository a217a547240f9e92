//! The options of `audit`, and its plan.

use std::path::PathBuf;

use lookalike::{Candidates, Config};
use lookalike_io::error::Result;
use lookalike_options::{Execution, Given, Inputs, Records, Similarity, choice, options};

use super::asked::{AuditedResult, Auditing, ResultKind};
use crate::config::RunConfig;

options! {
/// The options of `audit`.
pub struct AuditOptions {
    /// Texts that the tool deduplicated: files, folders, quoted globs or URLs
    ///
    /// The inputs are read several times. Formats are those of `lookalike dedup`.
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    pub texts: Vec<String>,
    /// Write one JSON line per removal to FILE
    ///
    /// A line has the id, justified, the cause (similar, chained, not_similar, empty or unchecked), nearest (the id of the most similar
    /// kept document) and similarity. If the result names a document that is kept instead, the line also has named and named_similarity.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Compare N random kept documents with all documents, exactly [default: 1000]
    #[arg(long, value_name = "N")]
    pub sample: Option<u32>,
    /// Recheck at most N removals for which candidates show no similar document [default: 10000]
    ///
    /// These removed documents are compared with all documents, exactly. If there are more than N, a random sample is compared, and the
    /// summary shows estimates with 95 % intervals.
    #[arg(long, value_name = "N")]
    pub recheck: Option<u32>,
    /// Show N worst cases of each kind, with the beginnings of their texts [default: 3]
    #[arg(long, value_name = "N")]
    pub worst: Option<usize>,
    /// What the rows of RESULT are [default: recognised by their fields]
    #[arg(long, value_parser = choice::<ResultKind>(), value_name = "KIND", help_heading = "Result")]
    pub result: Option<ResultKind>,
    /// Field of RESULT with the document's id [default: as --id-field]
    ///
    /// Without this flag, doc_id, _curator_dedup_id and similar names are recognised, too. The number 7 and the string "7" name the same
    /// document, unless the texts have both.
    #[arg(long, value_name = "FIELD", help_heading = "Result")]
    pub result_id: Option<String>,
    /// Field of RESULT with the cluster [default: cluster, group and similar]
    ///
    /// Documents with null or -1 are in no cluster.
    #[arg(long, value_name = "FIELD", help_heading = "Result")]
    pub cluster_field: Option<String>,
    /// Field of RESULT that is true if the document was kept
    #[arg(long, value_name = "FIELD", help_heading = "Result")]
    pub kept_field: Option<String>,
    /// Field of RESULT with the document that is kept instead
    ///
    /// It is null, or the document itself, for documents that were kept.
    #[arg(long, value_name = "FIELD", help_heading = "Result")]
    pub duplicate_of_field: Option<String>,
    /// RESULT numbers documents by position: 0 is the first document of the texts
    ///
    /// Positions count over all inputs in their order. Without a field of ids, a field such as __index__ has positions anyway.
    #[arg(long, help_heading = "Result")]
    pub by_position: bool,
    #[command(flatten)]
    pub records: Records,
    #[command(flatten)]
    pub similarity: Similarity,
    #[command(flatten)]
    pub execution: Execution,
}
}

impl AuditOptions {
    /// Returns the run over the texts that these options describe, and how the result with these names is audited.
    ///
    /// # Errors
    /// Fails if an option has a wrong value, or if options do not work together. No file is read.
    pub fn plan(&self, results: Vec<String>) -> Result<(RunConfig, Auditing)> {
        Given::of(self).check()?;
        let method = self.records.fields.of_sets(self.similarity.config()?)?;
        let method = Config {
            candidates: Candidates::usual(method.measure),
            ..method
        };
        let inputs = Inputs {
            inputs: self.texts.clone(),
            records: self.records.clone(),
            ..Inputs::default()
        };
        let result = AuditedResult {
            names: results,
            kind: self.result,
            id_field: self.result_id.clone(),
            cluster_field: self.cluster_field.clone(),
            kept_field: self.kept_field.clone(),
            representative_field: self.duplicate_of_field.clone(),
            by_position: self.by_position,
        };
        let auditing = Auditing {
            result,
            sample: self.sample.unwrap_or(1000),
            recheck: self.recheck.unwrap_or(10_000),
            worst: self.worst.unwrap_or(3),
        };
        Ok((RunConfig::of(&inputs, &self.execution, method), auditing))
    }
}
