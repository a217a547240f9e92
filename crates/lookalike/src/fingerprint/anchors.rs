//! Anchored shingles: those that begin with a stop word (Leskovec, Rajaraman, Ullman, *Mining of Massive Datasets*, section 3.8.6,
//! on news; Theobald, Siddharth, Paepcke 2008, SpotSigs).
//!
//! A page of news is an article among menus, logos and advertisements. Prose has a stop word every few words, the rest hardly any:
//! a set of the shingles that begin with one is nearly all of the article, and pages with one article and unlike surroundings
//! resemble each other more than pages with like surroundings and unlike articles.

use super::{digest::digest_of_hashes, mix::finish, token_hashes};
use crate::text::{Folds, Language, TokensBy};

/// The stop words of some languages, by the hashes of their tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchors {
    /// Sorted.
    hashes: Vec<u64>,
    /// A bit for the upper bits of each: most tokens are told by it.
    sieve: Vec<u64>,
}

/// Bits of a hash that the sieve looks at: 4096 places for some hundred words.
const SIEVE: u32 = 12;

impl Anchors {
    /// The stop words of `languages` as texts that are cut and folded so have them.
    ///
    /// # Panics
    /// As [`canonicalise`](crate::text::canonicalise).
    pub fn new(languages: &[Language], by: TokensBy, folds: Folds) -> Self {
        let (mut one, mut hashes) = (Vec::new(), Vec::new());
        for language in languages {
            language.each_stop_word(by, folds, |word| {
                token_hashes(word, &mut one);
                hashes.extend_from_slice(&one);
            });
        }
        hashes.sort_unstable();
        hashes.dedup();
        let mut sieve = vec![0; 1 << (SIEVE - 6)];
        for hash in &hashes {
            let at = hash >> (64 - SIEVE);
            sieve[(at >> 6) as usize] |= 1 << (at & 63);
        }
        Self { hashes, sieve }
    }

    /// Whether a shingle may begin with this token.
    #[inline]
    pub fn has(&self, token_hash: u64) -> bool {
        let at = token_hash >> (64 - SIEVE);
        self.sieve[(at >> 6) as usize] >> (at & 63) & 1 == 1 && self.hashes.binary_search(&token_hash).is_ok()
    }

    /// Of the fingerprints of all windows of a text, in their order, leaves those whose window begins with a stop word. Where none
    /// does the text has one shingle, the whole, as one has that is shorter than a shingle: it is nobody's but its copies'.
    ///
    /// Cost: a look at each token. Frozen.
    pub fn keep(&self, token_hashes: &[u64], fingerprints: &mut Vec<u64>) {
        // One window is the whole already.
        if fingerprints.len() <= 1 {
            return;
        }
        let mut starts = token_hashes.iter();
        fingerprints.retain(|_| starts.next().is_some_and(|&start| self.has(start)));
        if fingerprints.is_empty() {
            fingerprints.push(finish(digest_of_hashes(token_hashes) as u64));
        }
    }
}

#[cfg(all(test, feature = "stop-words"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        fingerprint::fingerprints,
        shingle::Shingling,
        text::{Tokens, canonicalise},
    };

    fn tokens(text: &str) -> Vec<u64> {
        let (mut tokens, mut hashes) = (Tokens::new(), Vec::new());
        canonicalise(text, TokensBy::Auto, Folds::default(), &mut tokens);
        token_hashes(&tokens, &mut hashes);
        hashes
    }

    fn anchors() -> Anchors {
        Anchors::new(&["en".parse().unwrap()], TokensBy::Auto, Folds::default())
    }

    fn kept(text: &str, k: usize) -> Vec<u64> {
        let (hashes, mut all) = (tokens(text), Vec::new());
        fingerprints(&hashes, Shingling::new(k).unwrap(), &mut all);
        anchors().keep(&hashes, &mut all);
        all
    }

    /// The one fingerprint of a text of k words or fewer.
    fn one(text: &str, k: usize) -> u64 {
        let mut all = Vec::new();
        fingerprints(&tokens(text), Shingling::new(k).unwrap(), &mut all);
        assert_eq!(all.len(), 1);
        all[0]
    }

    #[test]
    fn the_example_of_the_book() {
        let text = "I recommend that you buy Sudzo for your laundry.";
        let expected = ["I recommend that", "that you buy", "you buy Sudzo", "for your laundry"];
        assert_eq!(kept(text, 3), expected.map(|shingle| one(shingle, 3)));
        // An advertisement has none, and is what it is.
        assert_eq!(kept("Buy Sudzo", 3), [one("Buy Sudzo", 3)]);
        let [whole] = kept("Buy Sudzo today, laundry sparkles", 3)[..] else { panic!("one shingle") };
        assert_ne!(kept("Buy Sudzo today, laundry sparkle", 3), [whole]);
        assert_eq!(kept("buy SUDZO today: laundry sparkles", 3), [whole]);
        assert!(kept("?", 3).is_empty());
    }

    /// The lists are a part of what is compared.
    #[test]
    fn anchors_are_frozen() {
        let hash = |code: &str| {
            let anchors = Anchors::new(&[code.parse().unwrap()], TokensBy::Auto, Folds::default());
            (anchors.hashes.len(), anchors.hashes.iter().fold(0, |sum: u64, hash| finish(sum ^ hash)))
        };
        let frozen =
            [(153, 392637745873064012), (231, 10581822483810039189), (157, 3060902780559754235), (174, 16018250135167799226)];
        assert_eq!(["en", "de", "fr", "zh"].map(hash), frozen);
    }

    proptest! {
        #[test]
        fn shingles_are_those_that_begin_with_a_stop_word(
            words in prop::collection::vec(prop::sample::select(vec!["the", "of", "and", "Sudzo", "laundry", "buy", "it", "x1"]), 0..40),
            k in 1usize..5,
        ) {
            let text = words.join(" ");
            let mut expected: Vec<u64> = words
                .windows(k)
                .filter(|window| ["the", "of", "and", "it"].contains(&window[0]))
                .map(|window| one(&window.join(" "), k))
                .collect();
            let found = kept(&text, k);
            if expected.is_empty() && !words.is_empty() {
                prop_assert_eq!(found.len(), 1);
                expected = found.clone();
            }
            prop_assert_eq!(found, expected);
        }
    }
}
