//! Stop words: the frequent words of a language, which occur whatever the subject. Articles are full of them; menus, logos and
//! advertisements are not.

use std::{fmt, str::FromStr, sync::LazyLock};

use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Folds, Tokens, TokensBy, canonicalise};
use crate::error::{Error, ErrorKind, Result};

/// A language that has a list of stop words, identified by its ISO 639-1 code, such as `en`.
///
/// The lists are those of NLTK (Danish, Dutch, English, Finnish, French, German, Italian, Norwegian, Portuguese, Russian,
/// Spanish, Swedish and others, mostly a hundred to three hundred words). For other languages, the lists are those of Stopwords
/// ISO. The Modern Greek words are listed without accents, so they match only if accents are folded. This type needs the feature
/// `stop-words`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Language(&'static str);

impl Language {
    /// Returns all languages, ordered by code.
    pub fn all() -> impl Iterator<Item = Self> {
        codes().iter().copied().map(Self)
    }

    /// Returns the language's code.
    pub fn code(self) -> &'static str {
        self.0
    }

    /// Returns, in canonical form, those stop words of the language that are exactly one token if the tokens are made as `by`
    /// says. By default, `don't` is two tokens. A Chinese word of two characters is one token only if texts are cut by a
    /// dictionary.
    ///
    /// # Panics
    /// Panics under the same conditions as [`canonicalise`].
    pub fn stop_words(self, by: TokensBy, folds: Folds) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        self.each_stop_word(by, folds, |word| {
            words.push(String::from_utf8_lossy(word.text()).into_owned())
        });
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Passes each stop word that is a single token to `give`; some are passed several times.
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
    /// Fails with [`ErrorKind::Language`] for an unknown code, and with [`ErrorKind::NotBuilt`] without the feature `stop-words`.
    fn from_str(code: &str) -> Result<Self> {
        if codes().is_empty() {
            return Err(ErrorKind::NotBuilt {
                what: "the list of stop words",
                feature: "stop-words",
            }
            .into());
        }
        let known = codes().iter().find(|known| **known == code);
        known
            .map(|known| Self(known))
            .ok_or_else(|| ErrorKind::Language(code.into()).into())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

/// The lists: one word per line, with a language's code in brackets before its words. They are stored as text, because tables of
/// words made the program a megabyte larger.
#[cfg(feature = "stop-words")]
const LISTS: &str = include_str!("stop_words/lists.txt");

#[cfg(not(feature = "stop-words"))]
const LISTS: &str = "";

/// Returns the code if a line begins a list.
fn code_in(line: &'static str) -> Option<&'static str> {
    line.strip_prefix('[')?.strip_suffix(']')
}

fn codes() -> &'static [&'static str] {
    static CODES: LazyLock<Vec<&str>> =
        LazyLock::new(|| LISTS.lines().filter_map(code_in).collect());
    &CODES
}

fn words_of(code: &str) -> impl Iterator<Item = &'static str> {
    let after = LISTS
        .lines()
        .skip_while(move |line| code_in(line) != Some(code))
        .skip(1);
    after.take_while(|line| code_in(line).is_none())
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
            let words = code
                .parse::<Language>()
                .unwrap()
                .stop_words(TokensBy::Auto, Folds::default());
            let missing: Vec<_> = some
                .iter()
                .filter(|word| !words.iter().any(|known| known == *word))
                .collect();
            assert!(missing.is_empty(), "{code}: {missing:?} of {words:?}");
            assert!(words.iter().all(|word| !word.contains(' ')), "{code}");
        }
    }

    #[test]
    fn the_lists_are_frozen() {
        let words: usize = Language::all()
            .map(|language| words_of(language.code()).count())
            .sum();
        assert_eq!(
            (
                Language::all().count(),
                words,
                xxhash_rust::xxh3::xxh3_64(LISTS.as_bytes())
            ),
            (67, 19_833, 14_004_594_732_789_778_743)
        );
    }

    #[test]
    fn words_are_folded_as_texts_are() {
        let folds = Folds {
            accents: true,
            ..Folds::default()
        };
        let words = Language("fr").stop_words(TokensBy::Auto, folds);
        assert!(words.contains(&"a".into()) && !words.contains(&"à".into()));
    }

    #[test]
    fn unknown_languages_are_refused() {
        let words = "english".parse::<Language>().unwrap_err().to_string();
        assert!(
            words.contains("\"english\"") && words.contains(" en,"),
            "{words}"
        );
        assert!(serde_json::from_str::<Language>("\"xx\"").is_err());
        assert_eq!(serde_json::to_string(&Language("en")).unwrap(), "\"en\"");
    }
}
