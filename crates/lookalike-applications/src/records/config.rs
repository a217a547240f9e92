//! What is asked of a linkage: fields, candidates, thresholds. As `link.toml` has it.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

/// Which records are compared, by what, and what a match is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// From this score on a pair is a match.
    #[serde(rename = "match", default = "LinkConfig::usual_match")]
    pub matches: f64,
    /// From this score on, and below `match`, it is a possible one. None for 0.75, or `match` where that is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub possible: Option<f64>,
    /// Each record is in one pair at most: the pairs with the best scores stand.
    #[serde(default)]
    pub one_to_one: bool,
    /// How matches make clusters.
    #[serde(default)]
    pub clusters: ClusterBy,
    /// What a field is worth that one of the two records has not.
    #[serde(default)]
    pub missing: Missing,
    /// What is compared.
    #[serde(rename = "field", default)]
    pub fields: Vec<FieldConfig>,
    /// How candidates are found; none for equality of any one field.
    #[serde(rename = "block", default)]
    pub blocks: Vec<BlockConfig>,
}

impl LinkConfig {
    /// Two of three fields alike, and a third that is not all different.
    pub(super) const fn usual_match() -> f64 {
        0.85
    }

    /// From which score on a pair is a possible match.
    pub fn least(&self) -> f64 {
        self.possible.unwrap_or(self.matches.min(0.75))
    }
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            matches: Self::usual_match(),
            possible: None,
            one_to_one: false,
            clusters: ClusterBy::default(),
            missing: Missing::default(),
            fields: Vec::new(),
            blocks: Vec::new(),
        }
    }
}

/// How matches make clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClusterBy {
    /// Connected components: matches of matches belong together.
    #[default]
    Components,
    /// Going down the records, each joins the earlier one that leads a cluster and matches it best, or else leads one: whoever is in
    /// a cluster matches its first record.
    Greedy,
}

/// What a field is worth that one of two records, or both, have not.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Missing {
    /// It is left out, and the other fields decide: neither its points nor its weight count.
    #[default]
    Skip,
    /// This share of its weight, which counts as any other field's does.
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

/// One thing that records are compared by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldConfig {
    /// What it is called, in blocks and in the output.
    pub name: String,
    /// Where it stands in a record, `address.city` for what stands inside; several are joined by a space. None for its name.
    #[serde(default, deserialize_with = "names", skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// What it is: decides how values are normalised and compared.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Another way of comparing than the type's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compare: Option<Compare>,
    /// Points of a pair with the same value. The source has 100 for each field.
    #[serde(default = "FieldConfig::usual_weight")]
    pub weight: f64,
    /// A similarity up to which values are taken for different and get nothing; what is above is stretched over 0 to 1.
    #[serde(default)]
    pub floor: f64,
    /// What it is worth where it is missing; none for what is said for all fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// Of numbers: so far apart, they are not similar at all; nearer, in proportion. None for a share of the larger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// Of dates such as 3/4/1998: the month comes first.
    #[serde(default)]
    pub month_first: bool,
}

impl FieldConfig {
    const fn usual_weight() -> f64 {
        100.0
    }

    /// A field of this name and type, with all else as usual.
    pub fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.into(),
            from: Vec::new(),
            kind,
            compare: None,
            weight: Self::usual_weight(),
            floor: 0.0,
            missing: None,
            within: None,
            month_first: false,
        }
    }

    /// Where it stands in a record.
    pub fn paths(&self) -> &[String] {
        if self.from.is_empty() { std::slice::from_ref(&self.name) } else { &self.from }
    }
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Of people or firms: canonical words; apostrophes are left out.
    Name,
    /// Canonical words, the usual ones abbreviated: street, st., str. → st.
    Address,
    /// Digits; an extension is left out, country codes count less.
    Phone,
    /// Year, month and day, however they are written.
    Date,
    /// The first number that stands there; the point is a point, and commas are between thousands.
    Number,
    /// Canonical words.
    Text,
    /// Of numbers and signs, such as 12-345/B: letters and digits without what separates them, compared by typing errors.
    Code,
    /// Canonical words, the same or not.
    Exact,
}

/// How two strings are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compare {
    /// Jaro-Winkler, of the values as they stand or of their words in order, whichever is higher.
    JaroWinkler,
    /// Typing errors: 1 − distance / the longer's length; two neighbours exchanged are one error (optimal string alignment).
    Edits,
    /// Common characters in order: 1 − insertions and deletions / both lengths, as they stand or words in order, whichever is higher.
    Ratio,
    /// Words in common, of all (Jaccard).
    Words,
    /// Words in common, of those of the shorter.
    Shorter,
    /// Each word with the one most like it (Monge and Elkan 1996), both ways, a repeated word once; an initial is like a word that
    /// begins with it, and words of digits are the same or not. Of values of more than 1,000 words all are the same or not.
    Soft,
    /// Runs of three characters in common, of all (Jaccard).
    Trigrams,
    /// The same, or not.
    Exact,
}

/// A way to be candidates: what two records must share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockConfig {
    /// These, all of them, are the same.
    #[serde(default, deserialize_with = "parts", skip_serializing_if = "Vec::is_empty")]
    pub equal: Vec<Part>,
    /// Or else: runs of characters of this field resemble each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similar: Option<String>,
    /// Characters in a run; 3 where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ngrams: Option<usize>,
    /// The resemblance of the sets of runs at which `recall` is promised; 0.6 where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The share of pairs at the threshold that are found; 0.95 where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    /// Records of one value, or of `similar` in one bucket of a band, beyond which it is passed over, because it says too little:
    /// the pairs are counted, and told. None for no such limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
}

impl BlockConfig {
    /// Records with the same in all of these fields.
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

    /// Records whose values of a field resemble each other.
    pub fn similar(field: &str, threshold: f64) -> Self {
        Self { similar: Some(field.into()), threshold: Some(threshold), ..Self::equal(&[]) }
    }
}

/// What of a field must be the same: all, by its name alone, or a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The field's name.
    pub field: String,
    /// What of its value.
    pub take: Take,
    /// Only so many characters from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<usize>,
    /// Only so many characters from the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suffix: Option<usize>,
}

/// What is taken of a normalised value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// All of it.
    #[default]
    Whole,
    /// Its first word.
    FirstWord,
    /// Its last word.
    LastWord,
    /// Its longest word; of several the first.
    LongestWord,
    /// Its words in alphabetical order.
    SortedWords,
    /// How its words sound: the American Soundex code of each.
    Sound,
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Told {
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
                let Told { field, take, prefix, suffix } = Told::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Part { field, take, prefix, suffix })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// The names of fields that a value is of: one, or a list of at least one.
fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "the name of a field of the records, or a list of such")]
    enum Told {
        One(String),
        Several(Vec<String>),
    }
    match Told::deserialize(deserializer)? {
        Told::One(name) => Ok(vec![name]),
        Told::Several(names) if names.is_empty() => {
            Err(de::Error::custom("from is an empty list: give the name of a field of the records, or leave it out"))
        }
        Told::Several(names) => Ok(names),
    }
}

/// One part by itself, or a list.
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
