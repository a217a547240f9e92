//! The configuration of a linkage, as in `link.toml`: fields, candidates, thresholds.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

/// The records to compare, the fields to compare them by, and the definition of a match.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// The lowest score of a match. `None` means 0.85; if weights are learned, a probability of 0.5, or 0.25 if pairs are one to one.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<f64>,
    /// The lowest score of a possible match, for pairs whose score is below `match`. `None` means 0.75, or a probability of 0.1 if
    /// weights are learned, or `match` if that is lower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub possible: Option<f64>,
    /// The evidence that a field gives.
    #[serde(default, skip_serializing_if = "Weights::are_points")]
    pub weights: Weights,
    /// Whether each record is in at most one pair.
    #[serde(default)]
    pub one_to_one: OneToOne,
    /// The method that turns matches into clusters.
    #[serde(default)]
    pub clusters: ClusterBy,
    /// How a field counts if one of the two records lacks it.
    #[serde(default)]
    pub missing: Missing,
    /// The fields that are compared.
    #[serde(rename = "field", default)]
    pub fields: Vec<FieldConfig>,
    /// The rules that find candidates. If there are none, records that have any one field in common are candidates.
    #[serde(rename = "block", default)]
    pub blocks: Vec<BlockConfig>,
}

impl LinkConfig {
    /// Returns the lowest score of a match. A pair reaches the default if two of three fields are similar, and the third is not
    /// entirely different; with learned weights, if it is more likely a match than not. If each record is in at most one pair, a pair
    /// that remains has no better rival, so that a lower probability is enough: on papers, devices and programs, 0.25 instead of 0.5
    /// raised F1 from 0.989, 0.888 and 0.714 to 0.990, 0.891 and 0.763.
    pub fn most(&self) -> f64 {
        let usual = match (self.weights, self.one_to_one) {
            (Weights::Points, _) => 0.85,
            (_, OneToOne::Yes) => 0.25,
            _ => 0.5,
        };
        self.matches.unwrap_or(usual)
    }

    /// Returns the lowest score of a possible match.
    pub fn least(&self) -> f64 {
        let usual = if self.weights.are_points() { 0.75 } else { 0.1 };
        self.possible.unwrap_or(self.most().min(usual))
    }
}

/// The evidence that a field gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weights {
    /// Points that the configuration gives. The score is the share of the possible points.
    #[default]
    Points,
    /// Weights that are estimated from the records. The score is the probability of a match.
    Learned,
    /// Weights that are estimated from pairs that are labelled as matches or as no matches. The score is the probability of a match.
    Labelled,
}

impl Weights {
    /// Returns whether the configuration gives the weights, so that none are estimated.
    pub fn are_points(&self) -> bool {
        *self == Self::Points
    }

    /// Returns the name that a configuration has for these weights.
    pub fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Learned => "learned",
            Self::Labelled => "labelled",
        }
    }
}

/// Whether each record is in at most one pair: written as `"auto"`, `true` or `false`, or `"yes"` or `"no"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OneToOne {
    /// If there are two collections, and neither seems to have a thing twice.
    #[default]
    Auto,
    /// Always.
    Yes,
    /// Never.
    No,
}

impl Serialize for OneToOne {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Yes => serializer.serialize_bool(true),
            Self::No => serializer.serialize_bool(false),
        }
    }
}

impl<'de> Deserialize<'de> for OneToOne {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = OneToOne;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("\"auto\", true or false")
            }

            fn visit_bool<E: de::Error>(self, is: bool) -> Result<OneToOne, E> {
                Ok(if is { OneToOne::Yes } else { OneToOne::No })
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<OneToOne, E> {
                match value {
                    "auto" => Ok(OneToOne::Auto),
                    "yes" => Ok(OneToOne::Yes),
                    "no" => Ok(OneToOne::No),
                    _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A method that turns matches into clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterBy {
    /// Connected components: matches of matches belong together.
    #[default]
    Components,
    /// Records are processed in order. Each joins the best-matching earlier record that is the first of a cluster, or starts a
    /// new cluster. So every record in a cluster matches the cluster's first record.
    Greedy,
}

/// How a field counts if one or both of the two records lack it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Missing {
    /// The field is excluded, so that only the other fields decide: neither the points nor the weight of the excluded field
    /// count.
    #[default]
    Skip,
    /// The field gets this share of its weight as points, and its weight counts as for any other field.
    Share(f64),
}

impl Serialize for Missing {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Skip => serializer.serialize_str("skip"),
            Self::Share(share) => serializer.serialize_f64(*share),
        }
    }
}

impl<'de> Deserialize<'de> for Missing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Missing;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("\"skip\", or the share of its weight that a missing field is worth, from 0 to 1")
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Missing, E> {
                if value == "skip" { Ok(Missing::Skip) } else { Err(E::invalid_value(de::Unexpected::Str(value), &self)) }
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Missing, E> {
                Ok(Missing::Share(value))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Missing, E> {
                Ok(Missing::Share(value as f64))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Missing, E> {
                Ok(Missing::Share(value as f64))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A field by which records are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldConfig {
    /// The name in blocks and in the output.
    pub name: String,
    /// The field's paths in a record, such as `address.city` for a nested value; several values are joined with a space. If
    /// empty, the path is the name.
    #[serde(default, deserialize_with = "names", skip_serializing_if = "Vec::is_empty")]
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
    /// Values that mean that one is missing, such as `N/A`, as they are written in the records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<String>,
    /// With learned weights: the similarities at which the next level begins. Equal values have a level of their own. If `None`, the
    /// levels depend on the comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<f64>>,
}

impl FieldConfig {
    pub(super) const fn usual_weight() -> f64 {
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
        if self.from.is_empty() { std::slice::from_ref(&self.name) } else { &self.from }
    }
}

/// The difference at which two numbers are not similar at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Within {
    /// A number, in the unit of the field.
    Apart(f64),
    /// A share of the larger number, written in percent: `"10%"` is 0.1.
    Share(f64),
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Apart(apart) => write!(f, "{apart}"),
            Self::Share(share) => write!(f, "{}%", 100.0 * share),
        }
    }
}

impl Serialize for Within {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Apart(apart) => serializer.serialize_f64(*apart),
            Self::Share(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Within {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Within;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, or a share of the larger number such as \"10%\"")
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Within, E> {
                let percent = value.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
                percent
                    .map(|percent| Within::Share(percent / 100.0))
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(value), &self))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Within, E> {
                Ok(Within::Apart(value))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Within, E> {
                Ok(Within::Apart(value as f64))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Within, E> {
                Ok(Within::Apart(value as f64))
            }
        }
        deserializer.deserialize_any(Either)
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

/// A rule for candidates: what two records must share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockConfig {
    /// The parts that must all be equal.
    #[serde(default, deserialize_with = "parts", skip_serializing_if = "Vec::is_empty")]
    pub equal: Vec<Part>,
    /// Alternatively, the field whose character n-grams must be similar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similar: Option<String>,
    /// The number of characters in an n-gram; 3 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ngrams: Option<usize>,
    /// The resemblance of the n-gram sets at which `recall` is promised; 0.6 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The share of pairs at the threshold that are found; 0.95 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// If more records than this have the same value, the value is skipped, because it is too common to be evidence. With
    /// `similar`, the limit applies to each bucket of a band. The skipped pairs are counted and reported. `None` means no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
}

impl BlockConfig {
    /// Returns a rule for records with equal values in all of these fields.
    pub fn equal(fields: &[&str]) -> Self {
        let part = |field: &&str| Part { field: (*field).into(), take: Take::Whole, prefix: None, suffix: None };
        Self {
            equal: fields.iter().map(part).collect(),
            similar: None,
            ngrams: None,
            threshold: None,
            recall: None,
            at_most: None,
        }
    }

    /// Returns a rule for records with similar values of a field.
    pub fn similar(field: &str, threshold: f64) -> Self {
        Self { similar: Some(field.into()), threshold: Some(threshold), ..Self::equal(&[]) }
    }
}

/// The part of a field that must be equal: the whole value if only the name is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The name of the field.
    pub field: String,
    /// The part of the field's value.
    pub take: Take,
    /// The number of characters to use from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<usize>,
    /// The number of characters to use from the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suffix: Option<usize>,
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

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Given {
            field: String,
            #[serde(default)]
            take: Take,
            prefix: Option<usize>,
            suffix: Option<usize>,
        }
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Part;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a field's name, or a table such as { field = \"surname\", prefix = 4 }")
            }

            fn visit_str<E: de::Error>(self, field: &str) -> Result<Part, E> {
                Ok(Part { field: field.into(), take: Take::Whole, prefix: None, suffix: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Part, A::Error> {
                let Given { field, take, prefix, suffix } = Given::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Part { field, take, prefix, suffix })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Reads the names of the fields that form a value: one name, or a list of at least one.
fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "the name of a field of the records, or a list of such names")]
    enum Given {
        One(String),
        Several(Vec<String>),
    }
    match Given::deserialize(deserializer)? {
        Given::One(name) => Ok(vec![name]),
        Given::Several(names) if names.is_empty() => {
            Err(de::Error::custom("from is an empty list; give the name of a field of the records, or leave it out"))
        }
        Given::Several(names) => Ok(names),
    }
}

/// Reads a single part or a list of parts.
fn parts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Part>, D::Error> {
    struct Either;
    impl<'de> Visitor<'de> for Either {
        type Value = Vec<Part>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("the name of a field, or a list of names and of tables such as { field = \"surname\", prefix = 4 }")
        }

        fn visit_str<E: de::Error>(self, field: &str) -> Result<Self::Value, E> {
            Ok(vec![Part { field: field.into(), take: Take::Whole, prefix: None, suffix: None }])
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            Ok(vec![Part::deserialize(MapAccessDeserializer::new(map))?])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(part) = parts.next_element()? {
                all.push(part);
            }
            Ok(all)
        }
    }
    deserializer.deserialize_any(Either)
}
