//! Similarity of two strings, from 0 to 1. It is 1 for equal strings, and does not depend on the order of the two strings.
//!
//! The measures that compare characters are those of the crate `rapidfuzz`. Before the comparison, the two strings are put in a
//! fixed order, because the result of Jaro's greedy assignment may depend on their order.

use rapidfuzz::distance::{indel, jaro_winkler, osa};

use crate::records::config::Compare;

/// Returns the similarity of two non-empty values by a measure. Cost: `JaroWinkler` and `Edits` take about 100 ns for a name.
/// `Soft` takes a few nanoseconds for each pair of a word of one value and a word of the other, except words that both values
/// have. For a pair of words with enough letters in common, `Soft` also computes the Jaro-Winkler similarity. No two values cost
/// more than about 40 ms: [`MOST_CHARACTERS`], [`SOFT_WORDS`] and [`SOFT_WORK`] are the limits.
pub fn similarity(by: Compare, a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    match by {
        Compare::JaroWinkler => as_it_stands_or_sorted(a, b, winkler),
        Compare::Edits => edits(a, b),
        Compare::Ratio => as_it_stands_or_sorted(a, b, ratio),
        Compare::Words => words(a, b, jaccard),
        Compare::Shorter => words(a, b, |shared, a, b| shared / a.min(b)),
        Compare::Soft => soft(a, b),
        Compare::Trigrams => runs(a, b, jaccard),
        // Without counts, all words and all runs have the same weight.
        Compare::TfIdf => words(a, b, cosine),
        Compare::TfIdfTrigrams => runs(a, b, cosine),
        Compare::Exact => 0.0,
    }
}

/// The number of characters of a value that are compared, from its start: the work grows with the product of two lengths. No
/// name, address or code is this long.
const MOST_CHARACTERS: usize = 4096;

/// Runs a character measure over bytes if both values are ASCII.
macro_rules! by_characters {
    ($measure:path, $a:expr, $b:expr) => {{
        let (a, b) = (start($a), start($b));
        if a.is_ascii() && b.is_ascii() {
            $measure(a.bytes(), b.bytes())
        } else {
            $measure(a.chars(), b.chars())
        }
    }};
}

/// Returns the first [`MOST_CHARACTERS`] characters of a value.
fn start(value: &str) -> &str {
    if value.len() > MOST_CHARACTERS {
        value
            .char_indices()
            .nth(MOST_CHARACTERS)
            .map_or(value, |(end, _)| &value[..end])
    } else {
        value
    }
}

/// Returns the Jaro-Winkler similarity (Winkler 1990), with 0.1 for each of up to four equal initial characters if the Jaro
/// similarity is above 0.7.
fn winkler(a: &str, b: &str) -> f64 {
    by_characters!(jaro_winkler::normalized_similarity, a, b)
}

/// Returns 1 − optimal string alignment distance / length of the longer string.
pub(super) fn edits(a: &str, b: &str) -> f64 {
    by_characters!(osa::normalized_similarity, a, b)
}

/// Returns the optimal string alignment distance: insertions, deletions, substitutions, and exchanges of neighbours.
pub(super) fn distance(a: &str, b: &str) -> usize {
    by_characters!(osa::distance, a, b)
}

fn ratio(a: &str, b: &str) -> f64 {
    by_characters!(indel::normalized_similarity, a, b)
}

/// Returns the higher result of a measure for two values as given and with sorted words.
fn as_it_stands_or_sorted(a: &str, b: &str, measure: fn(&str, &str) -> f64) -> f64 {
    let whole = measure(a, b);
    // Two single words are already sorted.
    if !a.contains(' ') && !b.contains(' ') {
        return whole;
    }
    let (a, b) = (sorted_words(a), sorted_words(b));
    if a == b {
        return 1.0;
    }
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    whole.max(measure(&a, &b))
}

/// Returns the words of a value in alphabetical order, with a space between them.
pub(super) fn sorted_words(value: &str) -> String {
    let mut words: Vec<&str> = value.split(' ').collect();
    words.sort_unstable();
    words.join(" ")
}

/// Returns the distinct words of a value, in alphabetical order.
fn distinct(value: &str) -> Vec<&str> {
    let mut words: Vec<&str> = value.split(' ').collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn jaccard(shared: f64, a: f64, b: f64) -> f64 {
    shared / (a + b - shared)
}

fn cosine(shared: f64, a: f64, b: f64) -> f64 {
    shared / (a * b).sqrt()
}

/// Counts distinct words: the words that both values have, the words of `a`, and the words of `b`. Passes these three numbers to
/// `share` and returns its result.
fn words(a: &str, b: &str, share: fn(f64, f64, f64) -> f64) -> f64 {
    let (a, b) = (distinct(a), distinct(b));
    let shared = a
        .iter()
        .filter(|word| b.binary_search(word).is_ok())
        .count();
    share(shared as f64, a.len() as f64, b.len() as f64)
}

/// The number of distinct words of a value above which words are only tested for equality.
const SOFT_WORDS: usize = 1000;

/// The largest total number of characters in the compared pairs of words of two values. Above this limit, words are only tested
/// for equality. Two texts of 900 English words take a quarter of this limit. The limit is reached only if both values have
/// hundreds of words that are made of the same letters.
const SOFT_WORK: usize = 1 << 20;

/// Returns the mean similarity of the distinct words of both values to their best partners. The similarity of each word is
/// weighted by the length of the word.
fn soft(a: &str, b: &str) -> f64 {
    let (a, b) = (distinct(a), distinct(b));
    // A word that both values have is its own partner.
    let best_at_once = |of: &[&str], others: &[&str]| -> Vec<f64> {
        of.iter()
            .map(|word| {
                if others.binary_search(word).is_ok() {
                    1.0
                } else {
                    0.0
                }
            })
            .collect()
    };
    let (mut best_a, mut best_b) = (best_at_once(&a, &b), best_at_once(&b, &a));
    if a.len().max(b.len()) <= SOFT_WORDS {
        let same = (best_a.clone(), best_b.clone());
        if !best_partners((&a, &mut best_a), (&b, &mut best_b)) {
            (best_a, best_b) = same;
        }
    }
    let length = |word: &&str| word.chars().count() as f64;
    let (mut sum, mut whole) = (0.0, 0.0);
    for (word, best) in a.iter().chain(&b).zip(best_a.iter().chain(&best_b)) {
        sum += length(word) * best;
        whole += length(word);
    }
    sum / whole
}

/// Raises each word's best similarity so far if a word of the other value is more similar. Returns false if that takes more than
/// [`SOFT_WORK`].
fn best_partners((a, best_a): (&[&str], &mut [f64]), (b, best_b): (&[&str], &mut [f64])) -> bool {
    let (letters_a, letters_b) = (
        a.iter().map(|word| Letters::of(word)),
        b.iter().map(|word| Letters::of(word)).collect::<Vec<_>>(),
    );
    let mut work = 0;
    for ((x, best_x), of_x) in a.iter().zip(best_a).zip(letters_a) {
        for ((y, best_y), of_y) in b.iter().zip(&mut *best_b).zip(&letters_b) {
            if (*best_x < 1.0 || *best_y < 1.0) && of_x.may_be_alike(of_y) {
                work += of_x.length as usize + of_y.length as usize;
                if work > SOFT_WORK {
                    return false;
                }
                let alike = words_alike(x, y);
                *best_x = best_x.max(alike);
                *best_y = best_y.max(alike);
            }
        }
    }
    true
}

/// A summary of a word that shows whether its similarity with another word can reach [`LEAST_ALIKE`].
struct Letters {
    /// The lower half has one bit for each of 32 classes of characters, set if the word has a character of that class. The upper
    /// half also has one bit for each class, set if the word has at least two characters of that class.
    has: u64,
    /// The first characters, as many as Jaro-Winkler uses.
    start: [char; 4],
    length: u32,
}

impl Letters {
    fn of(word: &str) -> Self {
        let (mut has, mut start, mut length) = (0u64, ['\0'; 4], 0u32);
        for c in word.chars().take(MOST_CHARACTERS) {
            let class = 1 << (c as u32 % 32);
            has |= if has & class == 0 { class } else { class << 32 };
            if let Some(first) = start.get_mut(length as usize) {
                *first = c;
            }
            length += 1;
        }
        Self { has, start, length }
    }

    /// Returns false only for words for which [`words_alike`] is zero. Each of the common characters in Jaro's measure can be
    /// paired with a character of the same class in the other word. The number of characters that can be paired in this way is
    /// therefore an upper limit for the common characters, and it gives an upper limit for the whole measure. One in fifty pairs
    /// of different English words passes this test, and one in 600 pairs of random words.
    fn may_be_alike(&self, other: &Self) -> bool {
        let rest = |letters: &Self| letters.length - letters.has.count_ones();
        let common = f64::from((self.has & other.has).count_ones() + rest(self).min(rest(other)));
        let (short, long) = (
            f64::from(self.length.min(other.length)),
            f64::from(self.length.max(other.length)),
        );
        let jaro = (common / short + common / long + 1.0) / 3.0;
        let prefix = self
            .start
            .iter()
            .zip(&other.start)
            .take_while(|(x, y)| x == y && **x != '\0')
            .count() as f64;
        jaro + 0.1 * prefix * (1.0 - jaro) >= LEAST_ALIKE - 1e-9 || short <= 1.0 && prefix >= 1.0
    }
}

/// `INITIAL` is the similarity of an initial to a word that begins with it. Words whose similarity is below `LEAST_ALIKE` are
/// treated as entirely different, and so are a number and any word that is not equal to it.
const INITIAL: f64 = 0.95;
const LEAST_ALIKE: f64 = 0.8;

fn words_alike(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.starts_with(|c: char| c.is_numeric()) || long.starts_with(|c: char| c.is_numeric()) {
        return 0.0;
    }
    if short.chars().nth(1).is_none() && long.starts_with(short) {
        return INITIAL;
    }
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    let alike = winkler(a, b);
    if alike < LEAST_ALIKE { 0.0 } else { alike }
}

/// Returns the runs of three characters of a value, with one space before and after it.
pub(super) fn trigrams<'a>(value: &str, padded: &'a mut String) -> Vec<&'a str> {
    padded.clear();
    padded.extend([" ", value, " "]);
    let starts: Vec<usize> = padded
        .char_indices()
        .map(|(at, _)| at)
        .chain([padded.len()])
        .collect();
    starts
        .windows(4)
        .map(|run| &padded[run[0]..run[3]])
        .collect()
}

/// Counts distinct runs of three characters, with one space before and after each value, as [`words`] counts words.
fn runs(a: &str, b: &str, share: fn(f64, f64, f64) -> f64) -> f64 {
    let (mut of_a, mut of_b) = (String::new(), String::new());
    let distinct = |mut runs: Vec<_>| {
        runs.sort_unstable();
        runs.dedup();
        runs
    };
    let (a, b): (Vec<&str>, Vec<&str>) = (
        distinct(trigrams(a, &mut of_a)),
        distinct(trigrams(b, &mut of_b)),
    );
    let shared = a
        .iter()
        .filter(|gram| b.binary_search(gram).is_ok())
        .count();
    share(shared as f64, a.len() as f64, b.len() as f64)
}

/// Returns the American Soundex code of each word, as defined by the National Archives. Letters with the same digit are coded
/// once if they are adjacent or only h or w is between them, but separately if a vowel is between them. A word with letters other
/// than a to z is its own code.
pub(super) fn sounds(value: &str) -> String {
    let codes: Vec<String> = value.split(' ').map(soundex).collect();
    codes.join(" ")
}

fn soundex(word: &str) -> String {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.into();
    }
    let class = |byte: u8| match byte {
        b'b' | b'f' | b'p' | b'v' => b'1',
        b'c' | b'g' | b'j' | b'k' | b'q' | b's' | b'x' | b'z' => b'2',
        b'd' | b't' => b'3',
        b'l' => b'4',
        b'm' | b'n' => b'5',
        b'r' => b'6',
        b'h' | b'w' => b'-',
        _ => b'0',
    };
    let mut code = String::new();
    let mut last = b'0';
    for (at, byte) in word.bytes().enumerate() {
        let class = class(byte);
        if at == 0 {
            code.push(char::from(byte));
        } else if class != b'-' && class != b'0' && class != last && code.len() < 4 {
            code.push(char::from(class));
        }
        if class != b'-' {
            last = class;
        }
    }
    while !code.is_empty() && code.len() < 4 {
        code.push('0');
    }
    code
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Compare; 10] = [
        Compare::JaroWinkler,
        Compare::Edits,
        Compare::Ratio,
        Compare::Words,
        Compare::Shorter,
        Compare::Soft,
        Compare::Trigrams,
        Compare::TfIdf,
        Compare::TfIdfTrigrams,
        Compare::Exact,
    ];

    #[test]
    fn strings_in_a_table() {
        for (by, a, b, expected) in [
            (Compare::JaroWinkler, "martha", "marhta", 0.961_111),
            (Compare::JaroWinkler, "dixon", "dicksonx", 0.813_333),
            (Compare::JaroWinkler, "ng anna", "anna ng", 1.0),
            (Compare::Edits, "waller", "wlaler", 1.0 - 1.0 / 6.0),
            (Compare::Edits, "kitten", "sitting", 1.0 - 3.0 / 7.0),
            (
                Compare::Ratio,
                "new york mets",
                "new york yankees",
                0.758_62,
            ),
            (Compare::Words, "a b c", "b c d", 0.5),
            (Compare::Words, "a a b", "a b b", 1.0),
            (
                Compare::Shorter,
                "arnie morton s",
                "arnie morton s of chicago",
                1.0,
            ),
            (
                Compare::Soft,
                "j smith",
                "john smith",
                (INITIAL * 5.0 + 10.0) / 15.0,
            ),
            (Compare::Soft, "12 high st", "13 high st", 12.0 / 16.0),
            (Compare::Soft, "high high st", "high st", 1.0),
            (
                Compare::Soft,
                "jon jonn",
                "jon",
                (3.0 + 3.0 + 4.0 * 0.941_666) / 10.0,
            ),
            (Compare::Trigrams, "abcd", "abce", 2.0 / 6.0),
            (Compare::Exact, "a", "b", 0.0),
        ] {
            let found = similarity(by, a, b);
            assert!(
                (found - expected).abs() < 1e-4,
                "{by:?} {a} {b}: {found}, {expected}"
            );
        }
    }

    /// Checks that the work is bounded: above the word limit, only equal words count.
    #[test]
    fn soft_of_long_values() {
        let text = |from: usize, to: usize| {
            (from..to)
                .map(|n| format!("w{n}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (long, other) = (text(0, 30_000), text(15_000, 45_000));
        let alike = similarity(Compare::Soft, &long, &other);
        assert!((alike - 0.5).abs() < 0.02, "{alike}");
        let repeated = "same words ".repeat(20_000);
        assert_eq!(
            similarity(Compare::Soft, repeated.trim_end(), "words same"),
            1.0
        );
    }

    /// Checks words of the same letters, which the letter summary cannot distinguish.
    #[test]
    fn soft_matching_of_many_anagrams_counts_only_equal_words() {
        let letters: Vec<char> = "abcdefghij".chars().collect();
        let word = |seed: usize| {
            let (mut left, mut seed) = (letters.clone(), seed);
            (0..letters.len())
                .map(|n| {
                    let at = seed % left.len();
                    seed /= 10 - n;
                    left.remove(at)
                })
                .collect::<String>()
        };
        let text = |first: usize| {
            (first..first + 900)
                .map(|n| word(n * 3571))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (one, other) = (text(0), text(450));
        assert_eq!(similarity(Compare::Soft, &one, &other), 0.5);
    }

    #[test]
    fn only_the_start_of_very_long_values_is_compared() {
        let (one, other) = ("ab".repeat(500_000), "ab".repeat(499_999) + "cd");
        for by in [Compare::JaroWinkler, Compare::Edits, Compare::Ratio] {
            assert_eq!(similarity(by, &one, &other), 1.0, "{by:?}");
            assert!(
                similarity(by, &one, &("x".to_owned() + &other)) < 1.0,
                "{by:?}"
            );
        }
    }

    #[test]
    fn sounds_in_a_table() {
        for (word, code) in [
            ("robert", "r163"),
            ("rupert", "r163"),
            ("ashcraft", "a261"),
            ("ashcroft", "a261"),
            ("tymczak", "t522"),
            ("pfister", "p236"),
            ("honeyman", "h555"),
            ("lee", "l000"),
            ("gutierrez", "g362"),
            ("jackson", "j250"),
            ("o brien", "o000 b650"),
            ("王", "王"),
        ] {
            assert_eq!(sounds(word), code, "{word}");
        }
    }

    /// Returns the Jaro similarity (1989) by its definition: common characters within a window, and half the transpositions.
    fn jaro_twin(a: &[char], b: &[char]) -> f64 {
        if a.is_empty() || b.is_empty() {
            return 0.0;
        }
        let window = (a.len().max(b.len()) / 2).saturating_sub(1);
        let mut used = vec![false; b.len()];
        let mut common = Vec::new();
        for (i, x) in a.iter().enumerate() {
            let range = i.saturating_sub(window)..b.len().min(i + window + 1);
            if let Some(j) = range.into_iter().find(|&j| !used[j] && b[j] == *x) {
                used[j] = true;
                common.push(*x);
            }
        }
        let m = common.len() as f64;
        if m == 0.0 {
            return 0.0;
        }
        let others = b
            .iter()
            .zip(&used)
            .filter(|(_, used)| **used)
            .map(|(y, _)| *y);
        let moved = common.iter().zip(others).filter(|(x, y)| **x != *y).count() / 2;
        (m / a.len() as f64 + m / b.len() as f64 + (m - moved as f64) / m) / 3.0
    }

    fn winkler_twin(a: &str, b: &str) -> f64 {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let jaro = jaro_twin(&a, &b);
        let prefix = a.iter().zip(&b).take(4).take_while(|(x, y)| x == y).count() as f64;
        if jaro > 0.7 {
            jaro + prefix * 0.1 * (1.0 - jaro)
        } else {
            jaro
        }
    }

    fn distance_twin(a: &str, b: &str) -> usize {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut table = vec![vec![0usize; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut least = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                };
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn alike_is_symmetric_and_within_0_and_1(a in "[a-cé1]{1,4}( [a-c1]{1,4}){0,3}", b in "[a-cé1]{1,4}( [a-c1]{1,4}){0,3}") {
            for by in ALL {
                let found = similarity(by, &a, &b);
                prop_assert_eq!(found, similarity(by, &b, &a), "{:?}", by);
                prop_assert!((0.0..=1.0).contains(&found), "{:?} {}", by, found);
                prop_assert_eq!(similarity(by, &a, &a), 1.0);
            }
        }

        #[test]
        fn words_with_too_few_letters_in_common_are_not_alike(a in "[a-e1é]{1,9}", b in "[a-e1é]{1,9}") {
            prop_assert!(words_alike(&a, &b) == 0.0 || Letters::of(&a).may_be_alike(&Letters::of(&b)), "{} {}", a, b);
            let start: String = a.chars().take(4).chain(b.chars()).collect();
            prop_assert!(words_alike(&a, &start) == 0.0 || Letters::of(&a).may_be_alike(&Letters::of(&start)), "{} {}", a, start);
        }

        /// Checks also strings of more than 64 characters, for which a different implementation is used.
        #[test]
        fn character_measures_match_their_definitions(a in "[abcdé]{1,90}", b in "[abcdé]{1,90}") {
            prop_assert!((winkler(&a, &b) - winkler_twin(&a, &b)).abs() < 1e-9, "{} {}", winkler(&a, &b), winkler_twin(&a, &b));
            prop_assert_eq!(distance(&a, &b), distance_twin(&a, &b));
        }
    }
}
