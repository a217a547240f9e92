//! Stop words: what people say in a language whatever they speak of. Articles are full of them; menus, logos and advertisements
//! are not.

use std::{fmt, str::FromStr, sync::LazyLock};

use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Folds, Tokens, TokensBy, canonicalise};
use crate::error::{Error, ErrorKind, Result};

/// A language of which stop words are known, by its ISO 639-1 code, such as `en`.
///
/// The lists are those of NLTK (Danish, Dutch, English, Finnish, French, German, Italian, Norwegian, Portuguese, Russian, Spanish,
/// Swedish and others, mostly a hundred to three hundred words), of other languages those of Stopwords ISO. Modern Greek stands there
/// without accents: fold them. Needs the feature `stop-words`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Language(&'static str);

impl Language {
    /// All of them, by code.
    pub fn all() -> impl Iterator<Item = Self> {
        codes().iter().copied().map(Self)
    }

    /// Its code.
    pub fn code(self) -> &'static str {
        self.0
    }

    /// Its stop words that are one token each when texts are cut so, in canonical form: `don't` is two words by default, and no
    /// Chinese word of two characters is a token unless a dictionary says so.
    ///
    /// # Panics
    /// As [`canonicalise`].
    pub fn stop_words(self, by: TokensBy, folds: Folds) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        self.each_stop_word(by, folds, |word| words.push(String::from_utf8_lossy(word.text()).into_owned()));
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Gives each of them as the one token that it is, some of them several times.
    pub(crate) fn each_stop_word(self, by: TokensBy, folds: Folds, mut give: impl FnMut(&Tokens)) {
        let mut tokens = Tokens::new();
        for word in words_of(self.0) {
            canonicalise(word, by, folds, &mut tokens);
            if tokens.len() == 1 {
                give(&tokens);
            }
        }
    }
}

impl FromStr for Language {
    type Err = Error;

    /// # Errors
    /// [`ErrorKind::Language`], and [`ErrorKind::NotBuilt`] without the feature `stop-words`.
    fn from_str(code: &str) -> Result<Self> {
        if codes().is_empty() {
            return Err(ErrorKind::NotBuilt { what: "the lists of stop words", feature: "stop-words" }.into());
        }
        let known = codes().iter().find(|known| **known == code);
        known.map(|known| Self(known)).ok_or_else(|| ErrorKind::Language(code.into()).into())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// The lists: lines of words, each language's behind its code in brackets. Text, and not tables of words, which took a megabyte of
/// the program.
#[cfg(feature = "stop-words")]
const LISTS: &str = include_str!("stop_words/lists.txt");

#[cfg(not(feature = "stop-words"))]
const LISTS: &str = "";

/// The code in a line that begins a list.
fn code_in(line: &'static str) -> Option<&'static str> {
    line.strip_prefix('[')?.strip_suffix(']')
}

fn codes() -> &'static [&'static str] {
    static CODES: LazyLock<Vec<&str>> = LazyLock::new(|| LISTS.lines().filter_map(code_in).collect());
    &CODES
}

fn words_of(code: &str) -> impl Iterator<Item = &'static str> {
    let behind = LISTS.lines().skip_while(move |line| code_in(line) != Some(code)).skip(1);
    behind.take_while(|line| code_in(line).is_none())
}

#[cfg(all(test, feature = "stop-words"))]
mod tests {
    use super::*;

    #[test]
    fn languages_have_their_words() {
        for (code, some) in [
            ("en", ["the", "of", "that"]),
            ("de", ["der", "nicht", "für"]),
            ("fr", ["les", "dans", "à"]),
            ("ru", ["и", "не", "что"]),
            ("el", ["και", "το", "των"]),
            ("zh", ["在", "的", "是"]),
            ("pl", ["nie", "że", "się"]),
            ("hi", ["और", "है", "में"]),
        ] {
            let words = code.parse::<Language>().unwrap().stop_words(TokensBy::Auto, Folds::default());
            let missing: Vec<_> = some.iter().filter(|word| !words.iter().any(|known| known == *word)).collect();
            assert!(missing.is_empty(), "{code}: {missing:?} of {words:?}");
            assert!(words.iter().all(|word| !word.contains(' ')), "{code}");
        }
    }

    #[test]
    fn the_lists_are_frozen() {
        let words: usize = Language::all().map(|language| words_of(language.code()).count()).sum();
        assert_eq!(
            (Language::all().count(), words, xxhash_rust::xxh3::xxh3_64(LISTS.as_bytes())),
            (67, 19_833, 14_004_594_732_789_778_743)
        );
    }

    #[test]
    fn words_are_folded_as_texts_are() {
        let folds = Folds { accents: true, ..Folds::default() };
        let words = Language("fr").stop_words(TokensBy::Auto, folds);
        assert!(words.contains(&"a".into()) && !words.contains(&"à".into()));
    }

    #[test]
    fn languages_that_are_not_known_are_refused() {
        let words = "english".parse::<Language>().unwrap_err().to_string();
        assert!(words.contains("\"english\"") && words.contains(" en,"), "{words}");
        assert!(serde_json::from_str::<Language>("\"xx\"").is_err());
        assert_eq!(serde_json::to_string(&Language("en")).unwrap(), "\"en\"");
    }
}
