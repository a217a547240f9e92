//! Chinese words, cut by a dictionary (jieba's).
//!
//! Successive Han characters form a *run*, whatever separators are between them, and a run is cut into the words whose
//! frequencies have the greatest product. Cutting a run at separators too, as word segmenters usually do, was tried. A text
//! broken into lines of 40 characters then had a resemblance of 0.81 to the unbroken one, since line ends fall inside words.
//! Without cutting at separators, the resemblance is 1 (measured on the Universal Declaration of Human Rights, with 5 words per
//! shingle). Words that span a separator are rare (3 in 1516 tokens) and the same in every copy.
//!
//! Characters that are in no word are tokens of their own. Guessing words that the dictionary lacks (jieba's hidden Markov model)
//! was tried. In Tang poems, it joined a quarter of the tokens by guesses. It was no faster, and it lowered the resemblance
//! between the text with broken lines and the unbroken one to 0.80.
//!
//! The result is deterministic, with one exception: products of frequencies are compared by their logarithms. So if two cuts have
//! the same product to 15 digits, two machines whose `ln` rounds differently could choose different cuts. Ties go to the longer
//! word.

use super::tokens::{Open, Tokens};

/// The number of bytes of a run that are cut in one step, so that a huge text needs no huge buffer. The cut at the end of a step
/// breaks at most one word in ten thousand.
pub(super) const RUN: usize = 1 << 16;

/// Cuts the run into tokens.
pub(super) fn flush(tokens: &mut Tokens) {
    if tokens.run.is_empty() {
        return;
    }
    let mut run = std::mem::take(&mut tokens.run);
    for word in cut(&run) {
        tokens.begin(Open::Solo);
        word.chars().for_each(|c| tokens.extend(c));
    }
    run.clear();
    tokens.run = run;
}

/// Returns the words of a run. Loading the dictionary takes 0.1 s, once.
#[cfg(feature = "jieba")]
#[expect(
    clippy::expect_used,
    reason = "the dictionary is part of the program, and a test reads it"
)]
pub(super) fn cut(run: &str) -> impl Iterator<Item = &str> {
    use std::sync::LazyLock;

    use jieba_rs::Jieba;

    static JIEBA: LazyLock<Jieba> = LazyLock::new(|| {
        Jieba::with_dict(&mut words().as_bytes()).expect("the built-in dictionary is valid")
    });
    JIEBA.cut(run, false).into_iter().map(|token| token.word)
}

/// Returns the dictionary: one line for each word with its frequency, ordered by word.
///
/// The dictionary is jieba's (MIT). The crate jieba-rs includes the same dictionary, and another for parts of speech. The crate
/// packs both during the build with a second copy of zstd, which took 15 s of processor time of a release build and added 2.5 MB
/// to the program. The file used here lists all words first, and then all frequencies. Each word is stored as its difference from
/// the previous word: a letter for the number of leading characters that the two share (A for none), and then the rest of the
/// word. This file is a quarter smaller than one with a word and its frequency in each line.
#[cfg(feature = "jieba")]
#[expect(
    clippy::expect_used,
    reason = "the dictionary is part of the program, and a test reads it"
)]
fn words() -> String {
    use std::io::Read;

    let mut packed = String::new();
    let mut unpacker = flate2::read::GzDecoder::new(&include_bytes!("dictionary/words.txt.gz")[..]);
    unpacker
        .read_to_string(&mut packed)
        .expect("the built-in dictionary is valid");
    let (words, frequencies): (Vec<_>, Vec<_>) = packed
        .lines()
        .partition(|line| line.starts_with(|c: char| !c.is_ascii_digit()));
    let (mut word, mut lines) = (String::new(), String::with_capacity(2 * packed.len()));
    for (line, frequency) in words.into_iter().zip(frequencies) {
        let same = usize::from(line.as_bytes()[0] - b'A');
        let end = word
            .char_indices()
            .nth(same)
            .map_or(word.len(), |(at, _)| at);
        word.replace_range(end.., &line[1..]);
        lines.extend([&word, " ", frequency, "\n"]);
    }
    lines
}

/// This is never called: without the dictionary, `TokensBy::check` returns an error.
#[cfg(not(feature = "jieba"))]
pub(super) fn cut(_: &str) -> impl Iterator<Item = &str> {
    std::iter::empty()
}

#[cfg(all(test, feature = "jieba"))]
mod tests {
    use super::*;

    #[test]
    fn the_dictionary_is_frozen() {
        let words = words();
        assert_eq!(
            (
                words.lines().count(),
                xxhash_rust::xxh3::xxh3_64(words.as_bytes())
            ),
            (349_045, 6_410_083_466_913_795_717)
        );
    }
}
