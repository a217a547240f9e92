//! The longest sentences of both texts, and the digests that `--method sentences` compares.

use std::fmt::Write;

use clap::Args;
use lookalike::{
    fingerprint::DigestBy,
    sketch::KSentence,
    text::{Folds, Tokens},
};
use lookalike_options::choice;
use serde::Serialize;

use crate::output::{BOLD, DIM, both_ends, counted};

#[derive(Args)]
pub(super) struct LongestArgs {
    /// Show the K longest sentences of both texts, and their digests
    ///
    /// These are the digests that dedup --method sentences compares.
    #[arg(
        long,
        value_name = "K",
        conflicts_with = "sets",
        help_heading = "Longest sentences"
    )]
    longest: Option<usize>,
    /// Hash of the longest sentences [default: xxh3]
    ///
    /// md5 hashes the sentences as they are in the text.
    #[arg(
        long,
        value_parser = choice::<DigestBy>(),
        requires = "longest",
        help_heading = "Longest sentences"
    )]
    digest: Option<DigestBy>,
}

/// The longest sentences of both texts.
#[derive(Serialize)]
pub(super) struct Longest {
    longest: usize,
    digest_by: DigestBy,
    /// Whether the digests are equal.
    same: bool,
    a: OfText,
    b: OfText,
}

#[derive(Serialize)]
struct OfText {
    /// The digest in hexadecimal; none for a text without a letter or digit.
    digest: Option<String>,
    sentences: Vec<Sentence>,
}

/// A sentence. The list of sentences begins with the longest one.
#[derive(Serialize)]
struct Sentence {
    /// The number of letters, digits and marks.
    length: usize,
    /// The position of the sentence's first byte in the text.
    start: usize,
    end: usize,
}

impl LongestArgs {
    /// Returns whether the longest sentences were requested.
    pub(super) fn is_asked(&self) -> bool {
        self.longest.is_some()
    }

    pub(super) fn of(
        &self,
        texts: &[String; 2],
        folds: Folds,
    ) -> lookalike::Result<Option<Longest>> {
        let Some(longest) = self.longest else {
            return Ok(None);
        };
        let digest_by = self.digest.unwrap_or_default();
        let by = KSentence::new(longest, digest_by)?.folded(folds);
        let [a, b] = texts.each_ref().map(|text| {
            let mut tokens = Tokens::new();
            let digest = by
                .digest(text, &mut tokens)
                .map(|digest| format!("{digest:032x}"));
            let sentence = |(length, span): (usize, lookalike::text::Span)| Sentence {
                length,
                start: span.start,
                end: span.end,
            };
            OfText {
                digest,
                sentences: by
                    .longest(text, &mut tokens)
                    .into_iter()
                    .map(sentence)
                    .collect(),
            }
        });
        Ok(Some(Longest {
            longest,
            digest_by,
            same: a.digest.is_some() && a.digest == b.digest,
            a,
            b,
        }))
    }
}

impl Longest {
    pub(super) fn page(&self, texts: &[String; 2], full: bool) -> String {
        let by = match self.digest_by {
            DigestBy::Md5 => "MD5",
            DigestBy::Xxh3 => "XXH3",
        };
        let verdict = if self.same {
            "the same"
        } else {
            "not the same"
        };
        let mut page = format!(
            "\n{BOLD}the {} of both, by {by}: {verdict}{BOLD:#}\n",
            counted(self.longest as u64, "longest sentence")
        );
        for (name, text, of) in [("A", &texts[0], &self.a), ("B", &texts[1], &self.b)] {
            let _ = writeln!(
                page,
                "{name}  {}",
                of.digest.as_deref().unwrap_or("no sentence")
            );
            for Sentence { length, start, end } in &of.sentences {
                let sentence = text[*start..*end]
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ");
                let _ = writeln!(
                    page,
                    "   {DIM}{length:>5}{DIM:#}  {}",
                    both_ends(&sentence, full)
                );
            }
        }
        page
    }
}
