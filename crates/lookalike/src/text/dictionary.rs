//! Words by a dictionary, for Chinese (jieba's).
//!
//! Han characters that follow one another make a *run*, whatever separators stand between them, and a run is cut into the
//! words whose frequencies have the greatest product. Cutting at separators, as segmenters for readers do, was tried: a text
//! broken into lines of 40 characters then resembles the unbroken one by 0.81 (5 words a shingle, the Universal Declaration
//! of Human Rights), since line ends fall inside words; now by 1. Words that span a separator are rare (3 in 1516 tokens) and
//! the same in every copy.
//!
//! Characters in no word stand alone. Guessing words that the dictionary has not (jieba's hidden Markov model) was tried: it
//! joins a quarter of the Tang poems' tokens by guesses, is no faster, and made the broken lines differ more (0.80).
//!
//! Deterministic: ties go to the longer word. The frequencies are compared by their logarithms, so two machines whose `ln`
//! rounds differently could cut apart where two ways tie to 15 digits.

use super::tokens::{Open, Tokens};

/// Bytes of a run that are cut at once, so that a huge text needs no huge room: it breaks one word in ten thousand at most.
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

/// The words of a run. Loading the dictionary takes 0.1 s, once.
#[cfg(feature = "jieba")]
#[expect(clippy::expect_used, reason = "the dictionary is a part of the program, and a test reads it")]
pub(super) fn cut(run: &str) -> impl Iterator<Item = &str> {
    use std::sync::LazyLock;

    use jieba_rs::Jieba;

    static JIEBA: LazyLock<Jieba> =
        LazyLock::new(|| Jieba::with_dict(&mut words().as_bytes()).expect("the dictionary is a part of the program"));
    JIEBA.cut(run, false).into_iter().map(|token| token.word)
}

/// The dictionary: lines of a word and its frequency, in the order of words.
///
/// It is jieba's (MIT). jieba-rs brings the same one, and another for parts of speech: both are packed while the program is built,
/// by a second zstd, which took 15 s of processor time of a release and put 2.5 MB into the program. Ours has all words before all
/// frequencies, and of each word what differs from the one before it, behind a letter that counts the characters that do not: A
/// for none. That is a quarter smaller than lines of both.
#[cfg(feature = "jieba")]
#[expect(clippy::expect_used, reason = "the dictionary is a part of the program, and a test reads it")]
fn words() -> String {
    use std::io::Read;

    let mut packed = String::new();
    let mut unpacker = flate2::read::GzDecoder::new(&include_bytes!("dictionary/words.txt.gz")[..]);
    unpacker.read_to_string(&mut packed).expect("the dictionary is a part of the program");
    let (words, frequencies): (Vec<_>, Vec<_>) = packed.lines().partition(|line| line.starts_with(|c: char| !c.is_ascii_digit()));
    let (mut word, mut lines) = (String::new(), String::with_capacity(2 * packed.len()));
    for (line, frequency) in words.into_iter().zip(frequencies) {
        let same = usize::from(line.as_bytes()[0] - b'A');
        let end = word.char_indices().nth(same).map_or(word.len(), |(at, _)| at);
        word.replace_range(end.., &line[1..]);
        lines.extend([&word, " ", frequency, "\n"]);
    }
    lines
}

/// Never asked: `TokensBy::check` has refused.
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
        assert_eq!((words.lines().count(), xxhash_rust::xxh3::xxh3_64(words.as_bytes())), (349_045, 6_410_083_466_913_795_717));
    }
}
