//! Anchored shingles: shingles that begin with a stop word (Leskovec, Rajaraman, Ullman, *Mining of Massive Datasets*, section
//! 3.8.6, on news; Theobald, Siddharth, Paepcke 2008, SpotSigs).
//!
//! A news page is an article among menus, logos and advertisements. Prose has a stop word every few words, while the rest has
//! hardly any. So nearly all shingles that begin with a stop word are from the article. Pages with the same article and different
//! surroundings then resemble each other more than pages with similar surroundings and different articles.
//!
//! **Texts with few anchors.** In a note on a dividend, only one word in thirty is a stop word. The few anchored shingles of such
//! a note do not distinguish it, since many other notes have the same ones. A text with few anchored shingles therefore keeps all
//! its shingles; any other text is *judged* by its anchored shingles alone ([`Anchors::judge`]). The choice depends on the text
//! alone, so similarity stays a fixed function of two documents. All shingles are fingerprinted in the same way, so an anchored
//! shingle that occurs both in an article and in a text that keeps all its shingles still counts as shared. If the two kinds of
//! text were fingerprinted differently, a text of one kind would be dissimilar to every text of the other kind, and an article
//! that quotes a note would no longer contain it.

use super::token_hashes;
use crate::{
    shingle::Shingling,
    text::{Folds, Language, TokensBy},
};

/// The stop words of some languages, stored as the hashes of their tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchors {
    /// The hashes of the stop words' tokens, sorted.
    hashes: Vec<u64>,
    /// A bitmap with one bit for each value of the upper bits of a hash. The bitmap rules out most tokens without a search in
    /// `hashes`.
    sieve: Vec<u64>,
}

/// The number of upper hash bits that index the bitmap `sieve`. The bitmap thus has 2¹² = 4096 bits, for the hashes of a few
/// hundred words.
const SIEVE: u32 = 12;

/// A text with fewer anchored shingles than this keeps all its shingles. If two different texts have so few anchored shingles,
/// they may by chance share most or even all of them. Two different briefs of forty words that follow the same pattern have fewer
/// than 20 anchored shingles and share most of them. With a limit of 10, one brief was dropped as a duplicate of the other.
const LEAST: usize = 20;

/// A text with at least this number of anchored shingles is always judged by them. This number means about 100 words of prose,
/// which is enough for an article, however long its surroundings are. In a test, the articles and the surroundings of 82 real
/// pages were recombined into new pages; 99 % of the new pages have more than 50 anchored shingles.
const ARTICLE: usize = 50;

/// If the number of anchored shingles is between the two limits, they must cover at least one token in three. A table with a
/// footnote has too little prose to be judged by the footnote alone. About 80 % of English prose is covered, about 40 % of
/// Finnish and Turkish, and less than 25 % of tables and lists of names.
const COVERED: usize = 3;

impl Anchors {
    /// Creates the anchors from the stop words of `languages`. The stop words are divided into tokens and folded in the same way
    /// as the texts.
    ///
    /// # Panics
    /// Panics under the same conditions as [`canonicalise`](crate::text::canonicalise).
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

    /// Returns whether a shingle may begin with this token.
    #[inline]
    pub fn has(&self, token_hash: u64) -> bool {
        let at = token_hash >> (64 - SIEVE);
        self.sieve[(at >> 6) as usize] >> (at & 63) & 1 == 1
            && self.hashes.binary_search(&token_hash).is_ok()
    }

    /// Returns whether a text has enough anchored shingles to be judged by them alone: 50, or at least 20 that cover a third of
    /// its tokens.
    ///
    /// Cost: one lookup per token, up to the fiftieth anchored shingle. This rule is frozen: no release changes it.
    pub fn judge(&self, token_hashes: &[u64], shingling: Shingling) -> bool {
        let (mut anchored, mut covered, mut from) = (0, 0, 0);
        for window in shingling.windows(token_hashes.len()) {
            if !self.has(token_hashes[window.start]) {
                continue;
            }
            anchored += 1;
            covered += window.end - from.max(window.start);
            from = window.end;
            if anchored == ARTICLE {
                return true;
            }
        }
        anchored >= LEAST && covered * COVERED >= token_hashes.len()
    }

    /// If the text is [judged](Self::judge) by its anchored shingles, keeps only the fingerprints of windows that begin with a
    /// stop word, and returns true. Otherwise keeps all fingerprints, and returns false. `fingerprints` must hold the
    /// fingerprints of all windows of the text, in order.
    ///
    /// Cost: two lookups per token. The result is frozen: no release changes it.
    pub fn keep(
        &self,
        token_hashes: &[u64],
        shingling: Shingling,
        fingerprints: &mut Vec<u64>,
    ) -> bool {
        let judged = self.judge(token_hashes, shingling);
        if judged {
            let mut starts = token_hashes.iter();
            fingerprints.retain(|_| starts.next().is_some_and(|&start| self.has(start)));
        }
        judged
    }
}

#[cfg(all(test, feature = "stop-words"))]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        fingerprint::{fingerprints, finish},
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

    /// Returns the fingerprints of all shingles, in order.
    fn all(text: &str, k: usize) -> Vec<u64> {
        let mut all = Vec::new();
        fingerprints(&tokens(text), Shingling::new(k).unwrap(), &mut all);
        all
    }

    fn kept(text: &str, k: usize) -> (Vec<u64>, bool) {
        let mut kept = all(text, k);
        let judged = anchors().keep(&tokens(text), Shingling::new(k).unwrap(), &mut kept);
        (kept, judged)
    }

    /// Returns the only fingerprint of a text of at most k words.
    fn one(text: &str, k: usize) -> u64 {
        let all = all(text, k);
        assert_eq!(all.len(), 1);
        all[0]
    }

    #[test]
    fn the_example_of_the_book() {
        // The sentence is repeated five times, because one copy of it is too short to be judged by its anchors.
        let text = "I recommend that you buy Sudzo for your laundry. ".repeat(5);
        let expected = [
            "I recommend that",
            "that you buy",
            "you buy Sudzo",
            "for your laundry",
            "your laundry I",
        ];
        let expected: Vec<u64> = expected
            .iter()
            .map(|shingle| one(shingle, 3))
            .cycle()
            .take(24)
            .collect();
        assert_eq!(kept(&text, 3), (expected, true));
        for short in [
            "I recommend that you buy Sudzo for your laundry.",
            "Buy Sudzo",
            "Buy Sudzo today, laundry sparkles",
            "?",
        ] {
            assert_eq!(kept(short, 3), (all(short, 3), false), "{short}");
        }
    }

    /// The two notes share the only anchored shingle that each of them has; the two tables share a footnote.
    #[test]
    fn different_notes_are_unlike() {
        let resemblance = |a: &str, b: &str| {
            let sets = [a, b].map(|text| std::collections::BTreeSet::from_iter(kept(text, 3).0));
            sets[0].intersection(&sets[1]).count() as f64 / sets[0].union(&sets[1]).count() as f64
        };
        let note = |firm: &str, cts: &str, pay: &str, record: &str| {
            format!(
                "{firm} INCREASES IN PAYOUT Qtly div {cts} cts vs {cts} cts prior Pay {pay} Record {record} Reuter"
            )
        };
        let one = note("ATLAS STEEL CORP", "44", "June One", "May Eight");
        assert!(
            resemblance(
                &one,
                &note("HUDSON FOODS INC", "12", "April 15", "March 30")
            ) < 0.2
        );
        assert!(
            resemblance(
                &one,
                &note("ATLAS STEEL CORP", "44", "June Two", "May Eight")
            ) > 0.5
        );
        let footnote = "NOTE: The results of the year before are not those that were reported, as they have been restated for the \
            sale of a unit and for the split of shares in May.";
        let table = |from: u32| {
            (from..from + 120)
                .map(|n| format!("{n}.{} mln ", n % 7))
                .collect::<String>()
                + footnote
        };
        assert!(resemblance(&table(100), &table(500)) < 0.2);
    }

    /// The stop-word lists determine which shingles are compared, so they are frozen too.
    #[test]
    fn anchors_are_frozen() {
        let hash = |code: &str| {
            let anchors = Anchors::new(&[code.parse().unwrap()], TokensBy::Auto, Folds::default());
            (
                anchors.hashes.len(),
                anchors
                    .hashes
                    .iter()
                    .fold(0, |sum: u64, hash| finish(sum ^ hash)),
            )
        };
        let frozen = [
            (153, 392637745873064012),
            (231, 10581822483810039189),
            (157, 3060902780559754235),
            (174, 16018250135167799226),
        ];
        assert_eq!(["en", "de", "fr", "zh"].map(hash), frozen);
    }

    proptest! {
        #[test]
        fn shingles_are_those_that_begin_with_a_stop_word_or_all(
            words in prop::collection::vec(prop::sample::select(vec!["the", "of", "and", "Sudzo", "laundry", "buy", "it", "x1", "x2", "x3"]), 0..160),
            sparse in prop::collection::vec(0u32..99, 0..60),
            k in 1usize..5,
        ) {
            let sparse: Vec<String> = sparse.iter().map(|n| format!("n{n}")).collect();
            let words: Vec<&str> = words.into_iter().chain(sparse.iter().map(String::as_str)).collect();
            let text = words.join(" ");
            let is_anchor = |word: &str| ["the", "of", "and", "it"].contains(&word);
            let anchored: Vec<usize> = (0..(words.len() + 1).saturating_sub(k)).filter(|&at| is_anchor(words[at])).collect();
            let covered = (0..words.len()).filter(|&at| anchored.iter().any(|&from| (from..from + k).contains(&at))).count();
            let judged = anchored.len() >= 50 || anchored.len() >= 20 && 3 * covered >= words.len();
            let shingles: Vec<u64> = if judged { anchored.iter().map(|&from| one(&words[from..from + k].join(" "), k)).collect() } else { all(&text, k) };
            prop_assert_eq!(kept(&text, k), (shingles, judged));
        }
    }
}
