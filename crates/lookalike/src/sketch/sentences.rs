//! KSentence (the survey of text deduplication, section 4): texts whose k longest sentences are the same are treated as copies.
//!
//! The method is strict and fast: there are few wrong pairs, but two copies are not found if one of their long sentences was
//! changed. It suits pages made from one template, and texts with different headers, footers and captions around the same body.
//! It does not suit copies whose lines are wrapped at different widths: a line break ends a sentence.

use std::cmp::Reverse;

use crate::{
    error::{ErrorKind, Result},
    fingerprint::{Digest, DigestBy},
    text::{Folds, Span, Tokens, TokensBy, canonicalise, sentences},
};

/// A function that computes a digest of the longest sentences of a text.
///
/// The length of a sentence is the number of letters, digits and marks in its canonical form; a sentence without any is ignored.
/// The k longest sentences are joined in order of decreasing length, with those of equal length in the text's order. What is
/// digested depends on the hash function:
///
/// - with [`DigestBy::Xxh3`], their canonical forms ([`TokensBy::Auto`]) with a line feed after each. So case, width, punctuation
///   and white space do not matter, and the order of paragraphs matters only for sentences of equal length;
/// - with [`DigestBy::Md5`], their UTF-8 bytes exactly as in the text, without the marks that end them and without anything
///   between them. These are exactly the survey's steps. Another program that follows these steps makes equal fingerprints if it
///   cuts sentences at the same places and chooses the same k sentences in the same order.
///
/// If a text has fewer than k sentences, all are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KSentence {
    k: usize,
    by: DigestBy,
    folds: Folds,
}

impl KSentence {
    /// Creates a digest function of the `k` longest sentences.
    ///
    /// # Errors
    /// Fails if `k` is 0.
    pub fn new(k: usize, by: DigestBy) -> Result<Self> {
        if k == 0 {
            return Err(ErrorKind::Sentences.into());
        }
        Ok(Self {
            k,
            by,
            folds: Folds::default(),
        })
    }

    /// Returns the same function, except that it applies `folds` when it makes canonical forms.
    pub fn folded(self, folds: Folds) -> Self {
        Self { folds, ..self }
    }

    /// Returns k, the number of sentences that are digested.
    pub fn sentences(self) -> usize {
        self.k
    }

    /// Returns the hash function.
    pub fn by(self) -> DigestBy {
        self.by
    }

    /// Returns the digest of a text, or `None` if it has no letter and no digit. `tokens` is a scratch buffer.
    ///
    /// Cost: two passes over the text, a sort of its sentences, and a third pass over the k longest.
    pub fn digest(self, text: &str, tokens: &mut Tokens) -> Option<Digest> {
        let longest = self.longest(text, tokens);
        let mut bytes = Vec::new();
        for (_, span) in &longest {
            let sentence = &text[span.start..span.end];
            match self.by {
                DigestBy::Md5 => bytes.extend_from_slice(sentence.as_bytes()),
                DigestBy::Xxh3 => {
                    canonicalise(sentence, TokensBy::Auto, self.folds, tokens);
                    bytes.extend_from_slice(tokens.text());
                    bytes.push(b'\n');
                }
            }
        }
        (!bytes.is_empty()).then(|| self.by.digest(&bytes))
    }

    /// Returns the sentences that are digested: the k longest, in order of decreasing length. Each has its length and its place
    /// in the text.
    pub fn longest(self, text: &str, tokens: &mut Tokens) -> Vec<(usize, Span)> {
        let mut longest: Vec<(usize, Span)> = sentences(text)
            .map(|span| {
                canonicalise(
                    &text[span.start..span.end],
                    TokensBy::Auto,
                    self.folds,
                    tokens,
                );
                (length(tokens), span)
            })
            .filter(|&(length, _)| length > 0)
            .collect();
        longest.sort_by_key(|&(length, _)| Reverse(length));
        longest.truncate(self.k);
        longest
    }

    /// Returns the digest of a text, with the parameters needed to compare it.
    pub fn sketch(self, text: &str) -> KSentenceSketch {
        KSentenceSketch {
            digest: self.digest(text, &mut Tokens::new()),
            of: self,
        }
    }
}

/// Returns the number of characters in all tokens: the bytes that begin a character, minus the spaces between tokens.
fn length(tokens: &Tokens) -> usize {
    let begins = tokens
        .text()
        .iter()
        .filter(|&&byte| byte & 0xc0 != 0x80)
        .count();
    begins - tokens.len().saturating_sub(1)
}

/// A digest of longest sentences, with the parameters by which it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KSentenceSketch {
    digest: Option<Digest>,
    of: KSentence,
}

impl KSentenceSketch {
    /// Returns the digest, or `None` for a text without a letter or digit.
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// Returns whether the longest sentences are the same. A text without any sentences is not the same as any other text.
    ///
    /// # Errors
    /// Fails if the other sketch has a different number of sentences, a different hash function or different folds.
    pub fn same(&self, other: &Self) -> Result<bool> {
        if self.of != other.of {
            return Err(ErrorKind::UnlikeSketches {
                left: self.describe(),
                right: other.describe(),
            }
            .into());
        }
        Ok(self.digest.is_some() && self.digest == other.digest)
    }

    fn describe(&self) -> String {
        let by = match self.of.by {
            DigestBy::Xxh3 => "XXH3",
            DigestBy::Md5 => "MD5",
        };
        format!("a digest of the {} longest sentences by {by}", self.of.k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(k: usize, by: DigestBy, text: &str) -> KSentenceSketch {
        KSentence::new(k, by).unwrap().sketch(text)
    }

    fn same(k: usize, a: &str, b: &str) -> bool {
        sketch(k, DigestBy::Xxh3, a)
            .same(&sketch(k, DigestBy::Xxh3, b))
            .unwrap()
    }

    const POEM: &str = "静夜思\n李白\n床前明月光，疑是地上霜。举头望明月，低头思故乡啊。";
    const NEWS: &str = "News. The council met on Tuesday and decided nothing at all. It rained all day. Nobody was surprised by either. Bye!";

    #[test]
    fn edits_that_change_a_digest_and_edits_that_do_not() {
        for (k, text, change, to, equal) in [
            (2, POEM, "李白", "杜甫", true),
            (2, POEM, "静夜思\n", "", true),
            (2, POEM, "，", "", true),
            (2, POEM, "。", "!\n", true),
            (2, POEM, "霜", "雪", false),
            (2, POEM, "啊", "", false),
            (1, POEM, "霜", "雪", true),
            (4, POEM, "李白", "杜甫", false),
            (2, NEWS, "It rained", "It snowed", true),
            (2, NEWS, "The council", "THE  ＣＯＵＮＣＩＬ", true),
            (2, NEWS, "Bye!", "Good bye!\n© 1999", true),
            (2, NEWS, "Tuesday", "Monday", false),
            (2, NEWS, "either", "neither", false),
            (3, NEWS, "It rained", "It snowed", false),
        ] {
            let changed = text.replacen(change, to, usize::MAX);
            assert_ne!(changed, text);
            assert_eq!(same(k, text, &changed), equal, "{change} → {to} at k = {k}");
        }
    }

    #[test]
    fn longest_first_and_equals_by_position() {
        let joined = |k, text, joined: &str| {
            let expected = DigestBy::Md5.digest(joined.as_bytes());
            assert_eq!(
                sketch(k, DigestBy::Md5, text).digest(),
                Some(expected),
                "{text}"
            );
        };
        let text = "One. Three. Second. Fourth.";
        let longest = KSentence::new(2, DigestBy::Md5)
            .unwrap()
            .longest(text, &mut Tokens::new());
        assert_eq!(
            longest
                .iter()
                .map(|(length, span)| (*length, &text[span.start..span.end]))
                .collect::<Vec<_>>(),
            [(6, "Second"), (6, "Fourth")]
        );
        joined(2, text, "SecondFourth");
        joined(3, "One. Three. Second. Fourth.", "SecondFourthThree");
        // The length counts letters: "a, b, c, d" has four, though it is ten characters long.
        joined(1, "a, b, c, d! Fifth.", "Fifth");
        joined(
            1,
            "他来了，真的来了。This one is seven",
            "This one is seven",
        );
        joined(
            9,
            "「二番目に長い文。」\nもっとも長い文はこれです！",
            "もっとも長い文はこれです「二番目に長い文",
        );
    }

    #[test]
    fn md5_is_of_the_unchanged_text() {
        for (text, md5) in [
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("  message digest.\n", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("床前明月光", "e45ed64a84373ab02d22656c34b0d3c9"),
            ("明月。\n床前明月光！", "f9b6784f9ec23cb6b5d83df7f9139ba7"),
        ] {
            assert_eq!(
                format!("{:032x}", sketch(3, DigestBy::Md5, text).digest().unwrap()),
                md5,
                "{text}"
            );
        }
    }

    #[test]
    fn digests_are_frozen() {
        for (k, text, bytes, digest) in [
            (
                2,
                POEM,
                "举 头 望 明 月 低 头 思 故 乡 啊\n床 前 明 月 光 疑 是 地 上 霜\n",
                0x88bcc1dcd091d209b57134bf9a67665c,
            ),
            (
                3,
                NEWS,
                "the council met on tuesday and decided nothing at all\nnobody was surprised by either\nit rained all day\n",
                0x13952316b1187a76c038f49bfb0a1973,
            ),
        ] {
            assert_eq!(sketch(k, DigestBy::Xxh3, text).digest(), Some(digest));
            assert_eq!(DigestBy::Xxh3.digest(bytes.as_bytes()), digest);
        }
    }

    #[test]
    fn paragraphs_may_change_places_but_sentences_may_not_run_together() {
        assert!(same(
            3,
            "First paragraph here.\n\nAnother one.",
            "Another one.\n\nFirst paragraph here."
        ));
        assert!(same(5, "only one", "Only  one!"));
        assert!(!same(2, "Rose b! Ed", "Rose bed"));
    }

    #[test]
    fn an_empty_text_matches_no_text_not_even_itself() {
        for text in ["", " \n", "?! 。\n***"] {
            for by in [DigestBy::Xxh3, DigestBy::Md5] {
                assert_eq!(sketch(3, by, text).digest(), None);
            }
            assert!(!same(3, text, text));
        }
    }

    #[test]
    fn incompatible_sketches_are_refused_and_both_named() {
        let error = sketch(3, DigestBy::Xxh3, "a")
            .same(&sketch(5, DigestBy::Md5, "a"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("3 longest sentences by XXH3")
                && error.contains("5 longest sentences by MD5"),
            "{error}"
        );
        assert!(matches!(
            KSentence::new(0, DigestBy::Md5).unwrap_err().kind(),
            ErrorKind::Sentences
        ));
    }
}
