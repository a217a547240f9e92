//! Frozen test vectors. Changing one changes the format: every stored sketch and index would become invalid.

use super::*;
use crate::{
    shingle::Shingling,
    text::{Folds, Tokens, TokensBy, canonicalise},
};

fn hashes(text: &str, by: TokensBy) -> (Digest, Vec<u64>) {
    let (mut tokens, mut hashes) = (Tokens::new(), Vec::new());
    canonicalise(text, by, Folds::default(), &mut tokens);
    token_hashes(&tokens, &mut hashes);
    (digest(&tokens), hashes)
}

#[test]
fn digests_and_fingerprints_are_frozen() {
    let mut lines = String::new();
    for text in [
        "",
        "a",
        "A rose is a rose is a rose!",
        "internationalisation, eight-by1",
        "かきがき 漢字 Straße",
        "한국어 naïve ½",
    ] {
        let (digest, hashes) = hashes(text, TokensBy::Auto);
        let set = fingerprint_set(
            text,
            TokensBy::Auto,
            Folds::default(),
            Shingling::new(5).unwrap(),
        );
        lines += &format!(
            "{digest:032x} {:016x?} {:016x?}\n",
            hashes.first().unwrap_or(&0),
            set
        );
    }
    assert_eq!(lines.trim(), include_str!("golden.txt").trim());
}

#[test]
fn no_two_of_a_million_short_tokens_collide() {
    let text: String = (0..1_000_000).map(|i| format!("{i:x} ")).collect();
    let (_, mut hashes) = hashes(&text, TokensBy::Auto);
    assert_eq!(hashes.len(), 1_000_000);
    sort_distinct(&mut hashes);
    assert_eq!(hashes.len(), 1_000_000);
}

#[test]
fn a_token_differs_from_one_with_trailing_zeros() {
    let distinct = |text: &str| {
        let (_, mut hashes) = hashes(text, TokensBy::Auto);
        sort_distinct(&mut hashes);
        hashes.len()
    };
    assert_eq!(
        distinct("a a0 aa aaaaaaaa aaaaaaaaa aaaaaaaaaaaaaaaa aaaaaaaaaaaaaaaaa"),
        7
    );
}

#[test]
fn items_are_frozen() {
    let (digest, hashes) = hashes(
        r#"[7, "7", "eight by", -2.5, "a longer item than most"]"#,
        TokensBy::Items,
    );
    assert_eq!(digest, 283666704277620870109341605354351860551);
    let frozen = [
        11150189153412188827,
        2104103675470009230,
        16391809018720105056,
        14775175584987301535,
        10078760156779035767,
    ];
    assert_eq!(hashes, frozen);
}

/// The examples given in the papers and books.
mod of_the_sources {
    use super::*;

    fn set(text: &str, by: TokensBy, k: usize) -> Vec<u64> {
        fingerprint_set(text, by, Folds::default(), Shingling::new(k).unwrap())
    }

    /// Broder 1997, section 2: the 4-shingles of "a rose is a rose is a rose" are a bag of five and a set of three.
    #[test]
    fn a_rose_is_a_rose() {
        let rose = "a rose is a rose is a rose";
        let (_, tokens) = hashes(rose, TokensBy::Auto);
        let mut bag = Vec::new();
        fingerprints(&tokens, Shingling::new(4).unwrap(), &mut bag);
        assert_eq!(bag.len(), 5);
        assert_eq!(set(rose, TokensBy::Auto, 4).len(), 3);
        // Option A labels each occurrence, so its set has as many members as the bag.
        let mut labelled = bag.clone();
        label_occurrences(&mut labelled);
        sort_distinct(&mut labelled);
        assert_eq!(labelled.len(), 5);
    }

    /// Broder 1997, section 2: the resemblance of "a rose is a rose is a rose" and "a rose is a flower which is a rose", for each
    /// shingle size and option. Under option A at size 1, a permutation of the words has a resemblance of 1 to the text.
    #[test]
    fn a_rose_and_a_flower() {
        let resemblance = |a: &str, b: &str, k: usize, labelled: bool| {
            let [a, b] = [a, b].map(|text| {
                let (_, tokens) = hashes(text, TokensBy::Auto);
                let mut set = Vec::new();
                fingerprints(&tokens, Shingling::new(k).unwrap(), &mut set);
                if labelled {
                    label_occurrences(&mut set);
                }
                sort_distinct(&mut set);
                set
            });
            let shared = a.iter().filter(|x| b.contains(x)).count();
            shared as f64 / (a.len() + b.len() - shared) as f64
        };
        let (rose, flower) = (
            "a rose is a rose is a rose",
            "a rose is a flower which is a rose",
        );
        for (k, option_a, option_b) in [(1, 0.7, 0.6), (2, 0.5, 0.5), (3, 0.3, 3.0 / 7.0)] {
            assert_eq!(
                resemblance(rose, flower, k, true),
                option_a,
                "option A, w = {k}"
            );
            assert_eq!(
                resemblance(rose, flower, k, false),
                option_b,
                "option B, w = {k}"
            );
        }
        assert_eq!(
            resemblance("rose a rose is a rose is a", rose, 1, true),
            1.0
        );
        assert!(resemblance("rose a rose is a rose is a", rose, 2, true) < 1.0);
    }

    /// LSH notes: "Nadal" and "Nadia" have six different 2-grams, two of which are in both words.
    #[test]
    fn nadal_and_nadia() {
        let (a, b) = (
            set("Nadal", TokensBy::Chars, 2),
            set("Nadia", TokensBy::Chars, 2),
        );
        let shared = a.iter().filter(|x| b.contains(x)).count();
        assert_eq!((shared, a.len() + b.len() - shared), (2, 6));
    }

    /// Mining of Massive Datasets: replacing "which" by "that" changes exactly the seven 3-grams that overlap it. (The second
    /// text has only six 3-grams that the first lacks, because "that" is a letter shorter.)
    #[test]
    fn which_and_that() {
        let which = set("The dog which chased the cat", TokensBy::Chars, 3);
        let that = set("The dog that chased the cat", TokensBy::Chars, 3);
        assert_eq!(which.iter().filter(|x| !that.contains(x)).count(), 7);
    }

    /// LSH notes: the 2-shingles of abcab are {ab, bc, ca}.
    #[test]
    fn abcab() {
        assert_eq!(set("abcab", TokensBy::Chars, 2).len(), 3);
    }
}
