//! How texts are compared.

use lookalike::{
    Config, FingerprintBy, Occurrences, Preset, choices,
    text::{Difference, Folds, Language, TokensBy},
    verify::Measure,
};
use lookalike_io::error::{Error, ErrorKind, Result};

use crate::{choice, choice_of, options, refuse, refuse_other};

/// The tokens of texts. Sets have none.
const OF_TEXTS: &[TokensBy] = &[
    TokensBy::Auto,
    TokensBy::Words,
    TokensBy::Chars,
    TokensBy::Jieba,
    TokensBy::Lines,
];

options! {
/// How texts become shingles.
pub struct Shingling {
    /// Use the settings for a kind of text; explicit flags override them
    #[arg(long, value_parser = choice::<Preset>(), value_name = "KIND", help_heading = "Comparison")]
    pub preset: Option<Preset>,
    /// Unit of text that shingles are made of [default: auto]
    #[arg(long, value_parser = choice_of(OF_TEXTS), help_heading = "Comparison")]
    pub tokens: Option<TokensBy>,
    #[command(flatten)]
    pub folding: Folding,
    /// Tokens per shingle [default: 5 (lines: 2; with --anchors: 3; sets: 1)]
    ///
    /// A shingle is a run of consecutive tokens. Documents are compared by the shingles that they share. If tokens are
    /// characters, use 8 to 10.
    #[arg(long, value_name = "K", help_heading = "Comparison")]
    pub shingle: Option<usize>,
    /// Use only shingles that start with a stop word of these languages
    ///
    /// Give languages such as en or en,de. Menus and advertisements are ignored, because they have few stop words, while articles
    /// have many. A text with few stop words is compared by all its shingles, and the summary counts such texts.
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',', help_heading = "Comparison")]
    pub anchors: Vec<Language>,
    /// How to count a shingle that occurs several times in a text [default: once]
    #[arg(long, value_parser = choice::<Occurrences>(), help_heading = "Comparison")]
    pub occurrences: Option<Occurrences>,
    /// How a shingle is hashed to a number [default: rolling]
    #[arg(long, value_parser = choice::<FingerprintKind>(), help_heading = "Comparison")]
    pub fingerprint: Option<FingerprintKind>,
    /// For --fingerprint rabin: bits of the hash, 16 to 64 [default: 64]
    #[arg(long, value_name = "BITS", help_heading = "Comparison")]
    pub degree: Option<u32>,
    /// Seed for all random choices [default: 1]
    ///
    /// A different seed may find different pairs near the threshold.
    #[arg(long, value_name = "SEED", help_heading = "Comparison")]
    pub seed: Option<u64>,
}

/// Which differences are ignored.
pub struct Folding {
    /// Ignore these differences when comparing (comma-separated)
    #[arg(long, value_parser = choice::<Difference>(), value_name = "WHAT", value_delimiter = ',', help_heading = "Comparison")]
    pub fold: Vec<Difference>,
}

/// When documents are similar.
pub struct Similarity {
    /// Minimum similarity of duplicates, above 0 and at most 1 [default: 0.8]
    ///
    /// A --preset may set another default.
    #[arg(long, short, value_name = "T", allow_negative_numbers = true, help_heading = "Comparison")]
    pub threshold: Option<f64>,
    /// Similarity measure [default: resemblance]
    #[arg(long, value_parser = choice::<Measure>(), help_heading = "Comparison")]
    pub measure: Option<Measure>,
    #[command(flatten)]
    pub shingling: Shingling,
}

/// The fields that are compared in addition to the text.
pub struct MoreFields {
    /// Drop a document only if it is also similar in this field
    ///
    /// Documents are compared by --text-field and by each --and-field, and their similarity is the least of these. A document without a
    /// word in one of the fields is kept. Repeat the flag for more fields. Compare --text-field title,body, which makes one text of both
    /// fields.
    #[arg(long, value_name = "FIELD", help_heading = "Comparison")]
    pub and_field: Vec<String>,
    /// Drop a document also if it is similar in this field instead
    ///
    /// Documents are compared by --text-field and by each --or-field, and their similarity is the greatest of these. Repeat the flag for
    /// more fields.
    #[arg(long, value_name = "FIELD", help_heading = "Comparison")]
    pub or_field: Vec<String>,
}
}

choices! {
    /// Hash functions for shingles.
    pub enum FingerprintKind {
        /// a rolling hash of the tokens' hashes
        Rolling = "rolling",
        /// Rabin's fingerprint, computed in units of 8 bytes: a word of more than 8 bytes counts as several tokens, so a shingle may
        /// have fewer words than tokens
        Rabin = "rabin",
    }
}

impl Folding {
    /// Returns the differences.
    pub fn folds(&self) -> Folds {
        Folds::ignoring(&self.fold)
    }
}

/// Turns a configuration for texts into one for sets.
///
/// # Errors
/// Fails if the configuration says what a token is.
pub fn as_sets(config: Config) -> Result<Config> {
    if config.tokens != TokensBy::Auto {
        let what = "$tokens: the items of a set are compared as they are, each separately";
        return Err(Error::new(ErrorKind::Config, what).advise("leave it out, or compare texts"));
    }
    Ok(Config {
        tokens: TokensBy::Items,
        ..config
    })
}

impl Shingling {
    /// Returns a configuration with these settings, and those of the preset or the defaults.
    ///
    /// # Errors
    /// Fails if settings are given that do not work together.
    pub fn config(&self) -> Result<Config> {
        refuse_other("tokens", self.tokens, OF_TEXTS)?;
        let base = self.preset.map_or_else(Config::default, Preset::config);
        let fingerprint = match (self.fingerprint, self.degree) {
            (Some(FingerprintKind::Rabin), degree) => FingerprintBy::Rabin {
                degree: degree.unwrap_or(64),
            },
            (_, None) => FingerprintBy::Rolling,
            (_, Some(_)) => {
                let what = "$degree only works with $fingerprint=rabin";
                return Err(refuse(what, "give both, or neither"));
            }
        };
        Ok(Config {
            tokens: self.tokens.unwrap_or(base.tokens),
            folds: self.folding.folds(),
            shingle: self.shingle.or(base.shingle),
            anchors: self.anchors.clone(),
            occurrences: self.occurrences.unwrap_or(base.occurrences),
            fingerprint,
            seed: self.seed.unwrap_or(base.seed),
            ..base
        })
    }
}

impl Similarity {
    /// Returns a configuration with these settings.
    ///
    /// # Errors
    /// Fails if settings are given that do not work together.
    pub fn config(&self) -> Result<Config> {
        let base = self.shingling.config()?;
        Ok(Config {
            threshold: self.threshold.unwrap_or(base.threshold),
            measure: self.measure.unwrap_or(base.measure),
            ..base
        })
    }
}
