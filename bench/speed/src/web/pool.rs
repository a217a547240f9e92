//! Pieces of real text, ready to be copied into a JSON string.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
};

use anyhow::Context;
use lookalike::{
    fingerprint::token_hashes,
    text::{Folds, Tokens, TokensBy, canonicalise},
};
use serde::Deserialize;

/// The corpora that the pieces are taken from.
const CORPORA: [&str; 4] = ["newsgroups20", "ota_us_versions", "licenses", "winps_docs"];
/// Bytes of pieces per corpus. The pieces of all corpora together fit in a core's private cache: with 16 MB of pieces, a document
/// took six times as long.
const EACH: usize = 256 << 10;
/// Words in a piece.
pub(super) const WORDS: usize = 3;
/// The number of bytes that are copied for a piece, even if the piece is shorter. No piece is longer than this.
pub(super) const COPIED: usize = 32;

#[derive(Deserialize)]
struct Record {
    text: String,
}

/// Consecutive pieces of three words with everything between the words, and with white space at the end.
#[derive(Debug)]
pub struct Pool {
    pub(super) text: Vec<u8>,
    /// The start of each piece, and the end of the last one.
    pub(super) starts: Vec<u32>,
    /// The hash of each piece's first word. If an edit replaces or deletes a piece or inserts another one before it, a different
    /// piece comes at this position. That piece must begin with a different word; otherwise the edit would change one window
    /// fewer.
    pub(super) heads: Vec<u64>,
}

impl Pool {
    /// Cuts pieces from the corpora in a folder. Cost: 20 ms.
    ///
    /// # Errors
    /// Fails if a corpus cannot be read.
    pub fn load(data: &Path) -> anyhow::Result<Self> {
        let mut pool = Self {
            text: Vec::new(),
            starts: vec![0],
            heads: Vec::new(),
        };
        for name in CORPORA {
            let path = data.join(format!("{name}.jsonl.zst"));
            let file = File::open(&path).with_context(|| {
                format!(
                    "{}: the shared corpora are needed; name their folder with --data",
                    path.display()
                )
            })?;
            let end = pool.text.len() + EACH;
            for line in BufReader::new(zstd::Decoder::new(file)?).lines() {
                // Take only a part of each text, so that the pool has pieces of many texts.
                let text = serde_json::from_str::<Record>(&line?)?.text;
                pool.cut(&text, end.min(pool.text.len() + (4 << 10)))?;
                if pool.text.len() >= end {
                    break;
                }
            }
        }
        pool.text.resize(pool.text.len() + COPIED, b' ');
        Ok(pool)
    }

    /// Adds the pieces of a text until the pool has `end` bytes.
    fn cut(&mut self, text: &str, end: usize) -> anyhow::Result<()> {
        let mut tokens = Tokens::new();
        let (mut start, mut at, mut words, mut head, mut hashes) = (0, 0, 0, 0, Vec::new());
        for word in text.split_inclusive(char::is_whitespace) {
            at += word.len();
            canonicalise(word, TokensBy::Auto, Folds::default(), &mut tokens);
            if words == 0 && !tokens.is_empty() {
                token_hashes(&tokens, &mut hashes);
                head = hashes[0];
            }
            words += tokens.len();
            if words < WORDS {
                continue;
            }
            let piece = &text[start..at];
            let escaped = serde_json::to_string(piece)?;
            let escaped = &escaped[1..escaped.len() - 1];
            if words == WORDS && escaped.len() <= COPIED && piece.ends_with(char::is_whitespace) {
                self.text.extend_from_slice(escaped.as_bytes());
                self.starts.push(u32::try_from(self.text.len())?);
                self.heads.push(head);
                if self.text.len() >= end {
                    break;
                }
            }
            (start, words) = (at, 0);
        }
        Ok(())
    }

    /// Returns the number of pieces.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }
}
