//! What is reported about a document: its cuts, their sources, and its remaining text.

use std::mem::size_of_val;

use lookalike_io::error::Result;
use serde::Serialize;
use serde_json::value::RawValue;

/// A cut: the characters that are removed, what is inserted in their place, if anything, and the place where the words are kept. It is
/// serialised as in the cuts file.
#[derive(Debug, Clone, Serialize)]
pub struct CutPlace {
    /// The first removed character of the original text.
    pub start: usize,
    /// One past the last removed character.
    pub end: usize,
    /// The first removed byte.
    pub start_byte: usize,
    /// One past the last removed byte.
    pub end_byte: usize,
    /// The text that replaces the removed characters.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub insert: Box<str>,
    /// The number of tokens that are removed.
    pub tokens: u32,
    /// The id of the document that keeps the words, as JSON.
    pub source: Box<RawValue>,
    /// The number of that document, from 0. A reference is counted among the references, and any other document among the documents of
    /// the inputs.
    #[serde(skip)]
    pub source_row: u64,
    /// The place of that document, such as its file and line, if it is a reference. Only cuts that are reported have it.
    #[serde(skip)]
    pub reference: Option<Box<str>>,
    /// The first of these characters in the original text of the source.
    pub source_start: usize,
    /// One past the last of these characters.
    pub source_end: usize,
    /// The first of these bytes.
    pub source_start_byte: usize,
    /// One past the last of these bytes.
    pub source_end_byte: usize,
}

/// A document from which something was cut or, if texts are parts of pages, of which a part is written.
#[derive(Debug, Clone, Copy)]
pub struct CutDocument<'a> {
    /// The number of the document among the documents of the inputs, from 0.
    pub row: u64,
    /// Its id as JSON.
    pub id: &'a str,
    /// Whether too little of it is left.
    pub is_dropped: bool,
    /// The cuts, in the order of the text.
    pub cuts: &'a [CutPlace],
    /// The remaining text, unless the document is dropped, or texts are written to an output.
    pub text: Option<&'a str>,
}

/// A callback that receives each document that is not unchanged, in input order. An error that it returns ends the run.
pub type TellCut<'a> = dyn FnMut(&CutDocument) -> Result<()> + Send + 'a;

/// A document that is reported when its turn comes.
pub(super) struct Told {
    pub(super) document: u64,
    pub(super) is_dropped: bool,
    pub(super) cuts: Vec<CutPlace>,
    pub(super) text: Option<String>,
}

impl Told {
    /// Returns the approximate size in bytes.
    pub(super) fn size(&self) -> usize {
        size_of_val(self)
            + size_of_val(&*self.cuts)
            + self.text.as_ref().map_or(0, String::capacity)
    }
}
