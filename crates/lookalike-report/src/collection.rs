//! The data of a report about a collection. The page reads it as JSON; `web/src/data/types.ts` has the same types.

use lookalike::text::TokensBy;
use serde::Serialize;
use serde_json::Value;

/// Everything except texts, which are in blocks of their own.
#[derive(Debug, Default, Serialize)]
pub struct Collection {
    /// The version of the program.
    pub program: &'static str,
    /// The command: `dedup`, `pairs`, `passages` or `mirrors`.
    pub command: &'static str,
    /// The names of the inputs, as messages show them.
    pub inputs: Vec<String>,
    /// The names of the references.
    pub references: Vec<String>,
    /// How documents were compared.
    pub settings: Settings,
    /// The summary of the run, as `--json` prints it, without times and memory.
    pub summary: Value,
    /// The S-curve: resemblances, and the probability that a pair of this resemblance is found. Empty if it is not known.
    pub curve: Vec<[f64; 2]>,
    /// How many documents were kept and dropped, by input and by label.
    pub counts: Vec<Counts>,
    /// The documents that the report shows.
    pub documents: Documents,
    /// The pairs that reach the floor; for `mirrors`, the pages that correspond to each other, site by site.
    pub pairs: Pairs,
    /// For `mirrors`: the pairs of sites. Each also has `listed`, the number of its pairs of pages in `pairs`.
    pub sites: Vec<Value>,
    /// Whether the threshold can be moved in the page.
    pub slider: Slider,
    /// The places of the texts.
    pub texts: Texts,
    /// The places of the shared parts of pairs.
    pub aligned: AlignedPairs,
    /// What is left out.
    pub limits: Limits,
}

/// How documents were compared.
#[derive(Debug, Default, Serialize)]
pub struct Settings {
    /// `resemblance` or `containment`.
    pub measure: &'static str,
    /// Similarity at which a document is dropped.
    pub threshold: f64,
    /// `exact`, `sketch` or `none`: what decides whether a pair is similar.
    pub verify: &'static str,
    /// `law`, `components` or `greedy`.
    pub cluster: &'static str,
    /// The number of tokens in a shingle; for `passages`, the least number of tokens in a run.
    pub shingle: usize,
    /// What shingles and runs are made of.
    pub tokens: TokensBy,
    /// How candidates were found, in words.
    pub candidates: String,
}

/// Counts of documents, by one property.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// The field with the property; `None` for the input.
    pub field: Option<String>,
    /// The values of the property, the most frequent first.
    pub values: Vec<String>,
    /// Kept documents of each value.
    pub kept: Vec<u64>,
    /// Dropped documents of each value.
    pub dropped: Vec<u64>,
    /// Documents with other values than these: kept and dropped.
    pub others: [u64; 2],
}

/// Documents, in input order, references first: one element of each list per document.
#[derive(Debug, Default, Serialize)]
pub struct Documents {
    /// Ids: strings without quotes, or numbers as they are written.
    pub id: Vec<String>,
    /// Which ids are numbers, as positions in `id`.
    pub numbers: Vec<u32>,
    /// The number of references, which come first.
    pub references: u32,
    /// The place in the input, such as its line: the number of the input and the number of the record.
    pub input: Vec<u32>,
    /// See [`Self::input`]; 0 if the input is a folder of documents, whose ids are their names.
    pub line: Vec<u64>,
    /// A letter for the reason of the decision: unique, representative, empty, exact (x), near, contained, holds, reference (R),
    /// no decision (-).
    pub reason: String,
    /// The representative of each dropped document, as a position in these lists; -1 for a kept document.
    pub representative: Vec<i32>,
    /// The similarity of a dropped document to its representative, if it was estimated; otherwise it is in `shared`.
    pub estimated: Vec<(u32, f64)>,
    /// The number of shingles that a dropped document shares with its representative; -1 if they were not counted.
    pub shared: Vec<i64>,
    /// The number of shingles, or 0 if it is not known.
    pub shingles: Vec<u32>,
    /// The document's position in keep order among these documents; empty if this is input order.
    pub rank: Vec<u32>,
    /// For a copy, the first of the documents with the same canonical form; -1 for any other document.
    pub first_copy: Vec<i32>,
    /// The label, as a position in the list of labels; -1 for none.
    pub label: Vec<i32>,
    /// The labels.
    pub labels: Vec<String>,
}

/// The pairs that the command lists; for `dedup`, pairs of first copies that reach the floor.
#[derive(Debug, Default, Serialize)]
pub struct Pairs {
    /// The document of the pair that is first in keep order.
    pub a: Vec<u32>,
    /// The other document.
    pub b: Vec<u32>,
    /// Shingles in both; for `passages`, shared tokens, or those in regions. -1 if they were not counted.
    pub shared: Vec<i64>,
    /// For `passages`, the larger of the shares of the two texts that are in the other; for `pairs` and `mirrors`, the similarity, or
    /// NaN if it was not measured. For `dedup`, empty, because the page computes similarities.
    pub similarity: Vec<f64>,
    /// For `passages`, if regions were searched: how many regions each pair has. Otherwise empty.
    pub regions: Vec<u32>,
    /// For `mirrors`, if there was a second round: a letter for how each pair was found, by a match (m), by lower similarity (s), or
    /// only by path (p). Otherwise empty.
    pub by: String,
}

/// Whether the page can apply the law at another threshold.
#[derive(Debug, Default, Serialize)]
pub struct Slider {
    /// The least similarity of the pairs; `None` if the threshold cannot be moved.
    pub floor: Option<f64>,
    /// Why the threshold cannot be moved: `cluster`, `verify`, `holders`, `contained`, `large`, or the name of a command that decides nothing.
    pub why_not: Option<&'static str>,
    /// Documents that are compared with too many others: their decisions do not change.
    pub left_out: Vec<u32>,
}

/// Texts, in blocks called `texts-0`, `texts-1` and so on, each a list of texts.
#[derive(Debug, Default, Serialize)]
pub struct Texts {
    /// The documents whose texts are in the report, in the order of the blocks.
    pub documents: Vec<u32>,
    /// The number of texts in each block.
    pub counts: Vec<u32>,
    /// Texts of which only the beginning is in the report: the document, and the length of the whole text in characters.
    pub cut: Vec<(u32, u64)>,
}

/// The shared parts of pairs, in blocks called `aligned-0`, `aligned-1` and so on, each a list of [`Aligned`](crate::Aligned).
#[derive(Debug, Default, Serialize)]
pub struct AlignedPairs {
    /// The first document of each pair.
    pub a: Vec<u32>,
    /// The second document.
    pub b: Vec<u32>,
    /// The number of pairs in each block.
    pub counts: Vec<u32>,
}

/// What is left out of the report because there is too much of it.
#[derive(Debug, Default, Serialize)]
pub struct Limits {
    /// Whether all documents are listed, or only those in groups and pairs.
    pub all_documents: bool,
    /// The number of documents in groups and pairs whose texts are not in the report.
    pub without_text: u64,
    /// The number of pairs whose texts are in the report, and their shared parts are not.
    pub not_aligned: u64,
    /// Pairs that are not in the report.
    pub pairs: u64,
    /// Groups that are not listed, and their dropped documents.
    pub groups: u64,
    /// See [`Self::groups`].
    pub dropped: u64,
    /// Those of these documents whose texts are the same as those of their representatives.
    pub exact: u64,
}
