//! The data of the page; `web/src/data/cuts.ts` has the same types. Ids are strings, because JavaScript would round long numbers.

use serde::Serialize;
use serde_json::Value;

/// Everything except documents, which are in blocks of their own.
#[derive(Serialize)]
pub(super) struct Data {
    pub(super) program: &'static str,
    pub(super) command: &'static str,
    pub(super) inputs: Vec<String>,
    pub(super) references: Vec<String>,
    pub(super) summary: Value,
    /// The order in which documents were cut, as in `--keep`.
    pub(super) keep: String,
    /// The field of the groups within which documents were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<String>,
    /// The passages that were cut most.
    pub(super) passages: Vec<PassageData>,
    /// The number of documents in each block `documents-0`, `documents-1` and so on.
    pub(super) counts: Vec<usize>,
    /// Passages that are not in the page.
    pub(super) other_passages: u64,
}

/// A passage that was cut out of many documents.
#[derive(Serialize)]
pub(super) struct PassageData {
    /// The document that keeps it.
    pub(super) id: String,
    /// The place of that document, if it is a reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reference: Option<String>,
    pub(super) text: String,
    /// The length of the whole passage in characters, if only its beginning is in the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) whole: Option<u64>,
    pub(super) documents: u64,
    pub(super) tokens: u64,
    /// The number of bytes that were cut.
    pub(super) bytes: u64,
}

/// A document from which something was cut.
#[derive(Serialize)]
pub(super) struct DocumentData {
    pub(super) id: String,
    /// Its place in the input.
    pub(super) place: String,
    pub(super) verdict: &'static str,
    pub(super) text: String,
    /// The length of the whole text in characters, if only its beginning is in the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) whole: Option<u64>,
    /// The cuts in the text that is in the page.
    pub(super) cuts: Vec<CutData>,
    /// The number of tokens that are cut out of the whole text.
    pub(super) tokens: u64,
}

/// A cut, and where the words are kept.
#[derive(Serialize)]
pub(super) struct CutData {
    /// The first removed UTF-16 code unit.
    pub(super) start: usize,
    /// One past the last removed one.
    pub(super) end: usize,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) insert: Box<str>,
    pub(super) tokens: u32,
    pub(super) source: String,
    /// The place of the source, if it is a reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reference: Option<Box<str>>,
    /// The place of the kept words in characters.
    pub(super) source_start: usize,
    pub(super) source_end: usize,
    /// What is before the kept words, these words, and what is after them.
    pub(super) quote: [String; 3],
    /// The number of the passage that the kept words belong to, if the page has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) passage: Option<usize>,
}
