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

/// The corpora that pieces are taken from.
const CORPORA: [&str; 4] = ["newsgroups20", "ota_us_versions", "licenses", "winps_docs"];
/// Bytes of pieces of each. All together stay in a core's own cache: with 16 MB in all a document took six times as long.
const EACH: usize = 256 << 10;
/// Words in a piece.
pub(super) const WORDS: usize = 3;
/// Bytes that are copied for a piece, whatever its length.
pub(super) const COPIED: usize = 32;

#[derive(Deserialize)]
struct Record {
    text: String,
}

/// Consecutive pieces of three words with whatever stands between them, white space at the end.
#[derive(Debug)]
pub struct Pool {
    pub(super) text: Vec<u8>,
    /// Where each piece starts, and the last one ends.
    pub(super) starts: Vec<u32>,
    /// Each piece's first word, hashed: an edit that leaves it as it was would leave a window as it was.
    pub(super) heads: Vec<u64>,
}

impl Pool {
    /// Cuts pieces from the corpora in a folder. Cost: 20 ms.
    ///
    /// # Errors
    /// What reading says.
    pub fn load(data: &Path) -> anyhow::Result<Self> {
        let mut pool = Self { text: Vec::new(), starts: vec![0], heads: Vec::new() };
        for name in CORPORA {
            let path = data.join(format!("{name}.jsonl.zst"));
            let file = File::open(&path)
                .with_context(|| format!("{}: the shared corpora are needed; name their folder with --data", path.display()))?;
            let end = pool.text.len() + EACH;
            for line in BufReader::new(zstd::Decoder::new(file)?).lines() {
                // Of each text a part: the pool is to have many.
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

    /// Takes a text's pieces until the pool has `end` bytes.
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

    /// The number of pieces.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }
}
