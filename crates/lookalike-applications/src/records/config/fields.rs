//! The fields that are compared.

use serde::{Deserialize, Deserializer, Serialize, de};

use super::numbers::{Missing, Within};

/// A field by which records are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldConfig {
    /// The name in blocks and in the output.
    pub name: String,
    /// The field's paths in a record, such as `address.city` for a nested value; several values are joined with a space. If
    /// empty, the path is the name.
    #[serde(
        default,
        deserialize_with = "names",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub from: Vec<String>,
    /// The type, which decides how values are normalised and compared.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The part of the value that is compared.
    #[serde(default, skip_serializing_if = "Take::is_whole")]
    pub take: Take,
    /// The comparison to use instead of the type's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<Compare>,
    /// The points that this field gives a pair with the same value. *Mining of Massive Datasets* (section 3.8.1) gives 100 for
    /// each field.
    #[serde(default = "FieldConfig::usual_weight")]
    pub weight: f64,
    /// The similarity up to which values count as different and get no points. Similarities above it are rescaled to the range
    /// from 0 to 1.
    #[serde(default)]
    pub floor: f64,
    /// How the field counts if it is missing. If `None`, the setting for all fields applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// For numbers and quantities: two numbers that differ by this much or more are not similar at all, and smaller differences count
    /// in proportion. If `None`, the difference may be as large as the larger number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
    /// For dates such as 3/4/1998: whether the month comes first.
    #[serde(default)]
    pub month_first: bool,
    /// Placeholders that count as missing values, such as `N/A`, as they are written in the records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<String>,
    /// With learned or labelled weights: the similarities at which the next level begins. Equal values have a level of their own. If `None`, the
    /// levels depend on the comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<f64>>,
}

impl FieldConfig {
    pub(in crate::records) const fn usual_weight() -> f64 {
        100.0
    }

    /// Returns a field with this name and type, and default settings.
    pub fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.into(),
            from: Vec::new(),
            kind,
            take: Take::Whole,
            compare: None,
            weight: Self::usual_weight(),
            floor: 0.0,
            missing: None,
            within: None,
            month_first: false,
            empty: Vec::new(),
            levels: None,
        }
    }

    /// Returns the field's paths in a record.
    pub fn paths(&self) -> &[String] {
        if self.from.is_empty() {
            std::slice::from_ref(&self.name)
        } else {
            &self.from
        }
    }
}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A name of a person or firm: canonical words without apostrophes.
    Name,
    /// An address: canonical words, with usual words abbreviated: street, st., str. → st.
    Address,
    /// A phone number: its digits without an extension; a missing country code is tolerated.
    Phone,
    /// A date: year, month and day, in any common notation.
    Date,
    /// A number: the first one in the value. The point is a decimal point, and commas separate thousands.
    Number,
    /// A number with a unit or a currency, such as 500 GB, 1,5 kg or $1,299.00: the first one in the value that has a unit, converted
    /// to the base unit of its kind. Different currencies are not converted.
    Quantity,
    /// Text: canonical words.
    Text,
    /// A code of digits and letters, such as 12-345/B. Separators are removed, and codes are compared by the number of typing
    /// errors between them.
    Code,
    /// Canonical words that are either equal or different.
    Exact,
}

/// A measure of the similarity of two strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// Jaro-Winkler of the values as given or with sorted words, whichever is higher.
    JaroWinkler,
    /// Typing errors: 1 − distance / length of the longer value. Exchanging two adjacent characters is one error (optimal string
    /// alignment).
    Edits,
    /// Common characters in order: 1 − (insertions and deletions) / (sum of both lengths). This is computed for the values as
    /// given and with sorted words, and the higher result counts.
    Ratio,
    /// The number of words that both values contain, divided by the number of words that either contains (Jaccard).
    Words,
    /// The number of words that both values contain, divided by the number of words of the value with fewer words.
    Shorter,
    /// Compares each word with the most similar word of the other value (Monge and Elkan 1996), in both directions. A repeated
    /// word counts once. An initial is similar to a word that begins with it, and words of digits are either equal or different.
    /// If a value has more than 1,000 words, all words are either equal or different.
    Soft,
    /// The number of runs of three characters that both values contain, divided by the number of runs that either contains
    /// (Jaccard).
    Trigrams,
    /// The cosine of the words by TF-IDF: words that few records have count more.
    #[serde(rename = "tfidf")]
    TfIdf,
    /// The cosine of the runs of three characters by TF-IDF.
    #[serde(rename = "tfidf-trigrams")]
    TfIdfTrigrams,
    /// Equal or different.
    Exact,
}

/// The part of a normalised value that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// The whole value.
    #[default]
    Whole,
    /// The first word.
    FirstWord,
    /// The last word.
    LastWord,
    /// The longest word; the first one if there are several.
    LongestWord,
    /// The words in alphabetical order.
    SortedWords,
    /// The sound of the words: the American Soundex code of each word.
    Sound,
    /// The word that looks most like a model number: one with letters and digits, or a long number. In a field, it may contain signs.
    Code,
    /// The words with digits.
    Numbers,
}

impl Take {
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// Reads the names of the fields that form a value: one name, or a list of at least one.
fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "the name of a field of the records, or a list of such names"
    )]
    enum Given {
        One(String),
        Several(Vec<String>),
    }
    match Given::deserialize(deserializer)? {
        Given::One(name) => Ok(vec![name]),
        Given::Several(names) if names.is_empty() => Err(de::Error::custom(
            "from is an empty list; give the name of a field of the records, or leave it out",
        )),
        Given::Several(names) => Ok(names),
    }
}
