//! Scores two records and classifies the score.

use std::sync::Arc;

use serde::Serialize;

use super::{
    blocks::Block,
    config::{BlockConfig, FieldConfig, Kind, LinkConfig, Missing, Named, OneToOne, Within},
    learned::{self, Model, Pattern},
    table::Records,
    values::{self, Scratch, TfIdf},
};
use crate::error::{Error, Result};

/// A validated configuration, which normalises values, finds candidates and scores pairs.
///
/// *Mining of Massive Datasets*, section 3.8.1, gives each of name, address and phone up to 100 points. In this linker a field
/// has a weight, 100 by default. The points that it gives are its weight multiplied by the similarity of its values. The score is
/// the share of the possible points. It is rounded to ten thousandths, so that the written score is the one that is compared with
/// the thresholds.
///
/// With learned weights, a score is the base-2 logarithm of the odds that the pair is a match, rounded to thousandths. Scores need a
/// [`Model`], which [`with_model`](Self::with_model) sets.
#[derive(Debug, Clone)]
pub struct Linker {
    config: LinkConfig,
    blocks: Vec<Block>,
    /// For each field, the similarities at which the next level begins.
    thresholds: Vec<Vec<f64>>,
    /// For each field that is compared by TF-IDF, the weights of its words. Empty if they were not counted.
    counted: Arc<[Option<TfIdf>]>,
    model: Option<Arc<Model>>,
}

/// The classification of a pair by its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The score is at least `match`.
    Match,
    /// The score is at least `possible`.
    Possible,
    /// The score is lower.
    Not,
}

/// The points that a field gives a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Points {
    /// Both records have the field.
    Given(f64),
    /// The field is missing and gets a configured share of its weight.
    Missing(f64),
    /// The field is missing and excluded.
    LeftOut,
}

impl Linker {
    /// Validates a configuration.
    ///
    /// # Errors
    /// Fails if there is no field, or if two fields have the same name. Also fails if a weight, threshold, share or floor is
    /// invalid, if settings exclude each other, or if a block has an unknown field.
    pub fn new(mut config: LinkConfig) -> Result<Self> {
        check(&config)?;
        if config.blocks.is_empty() {
            config.blocks = config
                .fields
                .iter()
                .map(|field| BlockConfig::equal(&[&field.name]))
                .collect();
        }
        let blocks = config
            .blocks
            .iter()
            .zip(1..)
            .map(|(block, number)| Block::new(block, number, &config.fields));
        let thresholds = config.fields.iter().map(learned::thresholds).collect();
        Ok(Self {
            blocks: blocks.collect::<Result<_>>()?,
            config,
            thresholds,
            counted: Arc::new([]),
            model: None,
        })
    }

    /// Counts the words of the fields that are compared by TF-IDF, in all records. Without counts, all words have the same weight.
    #[must_use]
    pub fn with_counts(self, records: &Records) -> Self {
        let of_field =
            |(field, config): (usize, &FieldConfig)| TfIdf::new(config.compare, records, field);
        Self {
            counted: self
                .config
                .fields
                .iter()
                .enumerate()
                .map(of_field)
                .collect(),
            ..self
        }
    }

    /// Decides whether each record is in at most one pair, for a configuration that leaves this to the records.
    #[must_use]
    pub fn with_one_to_one(mut self, one_to_one: bool) -> Self {
        self.config.one_to_one = if one_to_one {
            OneToOne::Yes
        } else {
            OneToOne::No
        };
        self
    }

    /// Returns whether each record is in at most one pair. `OneToOne::Auto` means that this is not decided yet.
    pub fn is_one_to_one(&self) -> bool {
        self.config.one_to_one == OneToOne::Yes
    }

    /// Returns the number of bytes that the counts take.
    pub fn size_of_counts(&self) -> usize {
        self.counted.iter().flatten().map(TfIdf::size).sum()
    }

    /// Scores pairs by a model from now on.
    #[must_use]
    pub fn with_model(self, model: Model) -> Self {
        Self {
            model: Some(Arc::new(model)),
            ..self
        }
    }

    /// Returns the model that scores pairs; `None` if points do.
    pub fn model(&self) -> Option<&Model> {
        self.model.as_deref()
    }

    /// Returns the number of levels of each field, with that of missing values.
    pub fn levels(&self) -> Vec<usize> {
        self.thresholds
            .iter()
            .map(|thresholds| thresholds.len() + 3)
            .collect()
    }

    /// Returns the levels of all fields of two records.
    pub fn pattern(&self, records: &Records, a: u32, b: u32) -> Pattern {
        Pattern::new((0..self.thresholds.len()).map(|field| self.level(records, field, a, b)))
    }

    /// Returns the level of the similarity of two records in a field; 0 if one record lacks the field.
    pub fn level(&self, records: &Records, field: usize, a: u32, b: u32) -> u8 {
        learned::level(
            &self.thresholds[field],
            self.similarity(records, field, a, b),
        )
    }

    /// Returns the configuration, with the default blocks if none were given.
    pub fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// Returns the rules for candidates.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Appends the normal form of a field's value. A value without content appends nothing and counts as missing.
    pub fn normalise(&self, field: usize, value: &str, scratch: &mut Scratch, into: &mut String) {
        values::normalise(&self.config.fields[field], value, scratch, into);
    }

    /// Returns the first block that makes two records candidates. This is slow and meant for one pair.
    pub fn shared_block(&self, records: &Records, a: u32, b: u32) -> Option<usize> {
        self.blocks
            .iter()
            .position(|block| block.joins(records, a, b))
    }

    /// Returns the similarity of two records in a field, from 0 to 1, before the field's `floor` is applied; `None` if one record
    /// lacks the field.
    pub fn similarity(&self, records: &Records, field: usize, a: u32, b: u32) -> Option<f64> {
        let (a, b) = (records.get(a, field), records.get(b, field));
        (!a.is_empty() && !b.is_empty()).then(|| match self.counted.get(field) {
            Some(Some(counts)) if a != b => counts.similarity(a, b),
            _ => values::similarity(&self.config.fields[field], a, b),
        })
    }

    /// Returns the weights that the fields have for two records by a model, in bits; `None` for a field that one record lacks.
    pub fn weights(&self, model: &Model, records: &Records, a: u32, b: u32) -> Vec<Option<f64>> {
        let pattern = self.pattern(records, a, b);
        let weight =
            |field| model.weight(field, pattern, self.same(records, field, pattern, (a, b)));
        (0..self.thresholds.len())
            .map(|field| (pattern.level(field) > 0).then(|| weight(field)))
            .collect()
    }

    /// Returns one of two records that have the same value in a field. Values that are equal in another notation are not the same.
    fn same(
        &self,
        records: &Records,
        field: usize,
        pattern: Pattern,
        (a, b): (u32, u32),
    ) -> Option<u32> {
        let is_equal = pattern.level(field) == self.thresholds[field].len() + 2;
        (is_equal && records.get(a, field) == records.get(b, field)).then_some(a)
    }

    /// Returns the points that a field gives two records.
    pub fn points(&self, records: &Records, field: usize, a: u32, b: u32) -> Points {
        let config = &self.config.fields[field];
        match self.similarity(records, field, a, b) {
            Some(similarity) => Points::Given(config.weight * above(config.floor, similarity)),
            None => match config.missing.unwrap_or(self.config.missing) {
                Missing::Skip => Points::LeftOut,
                Missing::Share(share) => Points::Missing(config.weight * share),
            },
        }
    }

    /// Returns the score of two records, from 0 to 1, or with a model in bits; `None` if no field counts.
    pub fn score(&self, records: &Records, a: u32, b: u32) -> Option<f64> {
        self.score_from(
            records,
            a,
            b,
            if self.model.is_some() {
                f64::NEG_INFINITY
            } else {
                0.0
            },
        )
    }

    /// Returns the score, or `None` if it is below `least`. Fields are compared only while `least` can still be reached.
    pub fn score_from(&self, records: &Records, a: u32, b: u32, least: f64) -> Option<f64> {
        match &self.model {
            Some(model) => self.bits_from(model, records, a, b, least),
            None => self.share_from(records, a, b, least),
        }
    }

    fn bits_from(
        &self,
        model: &Model,
        records: &Records,
        a: u32,
        b: u32,
        least: f64,
    ) -> Option<f64> {
        let (mut bits, mut pattern) = (model.prior(), Pattern::default());
        for (field, most) in model.in_order() {
            if bits + most < least - ROUNDING {
                return None;
            }
            pattern = pattern.with(field, self.level(records, field, a, b));
            bits += model.weight(field, pattern, self.same(records, field, pattern, (a, b)));
        }
        let score = (bits * PARTS_OF_A_BIT).round() / PARTS_OF_A_BIT;
        (score >= least).then_some(score)
    }

    fn share_from(&self, records: &Records, a: u32, b: u32, least: f64) -> Option<f64> {
        let fields = &self.config.fields;
        let both = |field| !records.get(a, field).is_empty() && !records.get(b, field).is_empty();
        let counts = |field: usize| {
            both(field) || fields[field].missing.unwrap_or(self.config.missing) != Missing::Skip
        };
        let whole: f64 = (0..fields.len())
            .filter(|&field| counts(field))
            .map(|field| fields[field].weight)
            .sum();
        if whole == 0.0 {
            return None;
        }
        let enough = (least - ROUNDING) * whole;
        let (mut points, mut rest) = (0.0, whole);
        for (field, config) in fields.iter().enumerate() {
            let given = match self.points(records, field, a, b) {
                Points::Given(given) | Points::Missing(given) => given,
                Points::LeftOut => continue,
            };
            points += given;
            rest -= config.weight;
            if points + rest < enough {
                return None;
            }
        }
        let score = (points / whole * PARTS).round() / PARTS;
        (score >= least).then_some(score)
    }

    /// Returns the classification of a score.
    pub fn verdict(&self, score: f64) -> Verdict {
        match self.share(score) {
            share if share >= self.config.most() => Verdict::Match,
            share if share >= self.config.least() => Verdict::Possible,
            _ => Verdict::Not,
        }
    }

    /// Returns the share of the possible points, or with a model the probability of a match, that a score means.
    pub fn share(&self, score: f64) -> f64 {
        if self.model.is_some() {
            learned::probability(score)
        } else {
            score
        }
    }

    /// Returns a score below which no pair is a possible match.
    pub fn least(&self) -> f64 {
        let least = self.config.least();
        if self.model.is_none() {
            return least;
        }
        // A little less, because of rounding; `verdict` decides.
        learned::bits(least) - 1.0 / PARTS_OF_A_BIT
    }

    /// Returns a whole number for a score, so that scores can be sorted and stored. A higher score has a higher number.
    pub fn rank(&self, score: f64) -> u32 {
        match self.model {
            Some(_) => ((score + MOST_BITS) * PARTS_OF_A_BIT)
                .round()
                .clamp(0.0, f64::from(u32::MAX)) as u32,
            None => (score * PARTS).round() as u32,
        }
    }

    /// Returns the score that has a number.
    pub fn score_of(&self, rank: u32) -> f64 {
        match self.model {
            Some(_) => (f64::from(rank) - MOST_BITS * PARTS_OF_A_BIT) / PARTS_OF_A_BIT,
            None => f64::from(rank) / PARTS,
        }
    }
}

/// A tolerance that is larger than the rounding error of a score.
const ROUNDING: f64 = 1e-3;

/// Scores are whole multiples of 1 / `PARTS`.
pub const PARTS: f64 = 10_000.0;
/// With a model, scores are whole multiples of 1 / `PARTS_OF_A_BIT` bits.
pub const PARTS_OF_A_BIT: f64 = 1000.0;

/// More bits than 32 fields can have.
const MOST_BITS: f64 = 1e6;

fn above(floor: f64, similarity: f64) -> f64 {
    ((similarity - floor) / (1.0 - floor)).max(0.0)
}

fn check(config: &LinkConfig) -> Result<()> {
    let wrong = |what: String| Err(Error::Link(what));
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    let LinkConfig {
        missing, fields, ..
    } = config;
    let matches = config.most();
    // The condition is written so that NaN fails.
    if !(matches > 0.0 && matches <= 1.0) {
        return wrong(format!(
            "match must be above 0 and at most 1, got {matches}; for example 0.85"
        ));
    }
    let possible = config.least();
    if !(possible > 0.0 && possible <= 1.0) {
        return wrong(format!(
            "possible must be above 0 and at most 1, got {possible}; for example 0.75"
        ));
    }
    if possible > matches {
        let default = if config.matches.is_none() {
            ", which is the default"
        } else {
            ""
        };
        return wrong(format!(
            "possible = {possible} is above match = {matches}{default}, but a possible match has a lower score than a match; \
             swap them, or set both to the same value"
        ));
    }
    if fields.is_empty() {
        return wrong(
            "there is no field to compare; add at least one with [[field]], its name and its type"
                .into(),
        );
    }
    if let Missing::Share(share) = *missing
        && !is_share(share)
    {
        return wrong(format!(
            "missing must be from 0 to 1 or \"skip\", got {share}"
        ));
    }
    for (at, field) in fields.iter().enumerate() {
        let FieldConfig {
            name,
            weight,
            floor,
            ..
        } = field;
        if name.is_empty() || field.from.iter().any(String::is_empty) {
            return wrong(format!("field {} has no name; give it one", at + 1));
        }
        if let Some(twice) = field
            .from
            .iter()
            .enumerate()
            .find_map(|(at, path)| field.from[..at].contains(path).then_some(path))
        {
            return wrong(format!(
                "field {name:?}: from has {twice:?} twice; remove one of the two"
            ));
        }
        if fields[..at].iter().any(|other| other.name == *name) {
            return wrong(format!(
                "duplicate field {name:?}; give each field its own name, and set `from` to the field's name in the records"
            ));
        }
        if !(*weight > 0.0 && *weight <= 1e6) {
            return wrong(format!(
                "field {name:?}: weight must be above 0 and at most 1000000, got {weight}; for example 100"
            ));
        }
        if !(0.0..1.0).contains(floor) {
            return wrong(format!(
                "field {name:?}: floor must be at least 0 and below 1, got {floor}"
            ));
        }
        if let Some(Missing::Share(share)) = field.missing
            && !is_share(share)
        {
            return wrong(format!(
                "field {name:?}: missing must be from 0 to 1 or \"skip\", got {share}"
            ));
        }
        if field.within.is_some() && !matches!(field.kind, Kind::Number | Kind::Quantity) {
            return wrong(format!(
                "field {name:?}: within only works with type = \"number\" or \"quantity\"; leave it out"
            ));
        }
        if let Some(Within::Apart(within) | Within::Share(within)) = field.within
            && !(within > 0.0 && within.is_finite())
        {
            return wrong(format!(
                "field {name:?}: within must be a number above 0, or a share such as \"10%\""
            ));
        }
        if field.compare.is_some() && (field.within.is_some() || field.month_first) {
            let what = if field.within.is_some() {
                "within"
            } else {
                "month_first"
            };
            return wrong(format!(
                "field {name:?}: {what} does not work with compare; leave out one of the two"
            ));
        }
        if field.month_first && field.kind != Kind::Date {
            return wrong(format!(
                "field {name:?}: month_first only works with type = \"date\"; leave it out"
            ));
        }
        learned::check(field)?;
        if field.levels.is_some() && config.weights.are_points() {
            return wrong(format!(
                "field {name:?}: levels only works with weights = \"learned\" or \"labelled\"; leave it out, or learn weights"
            ));
        }
        if !config.weights.are_points() {
            let points = [
                ("weight", *weight != FieldConfig::usual_weight()),
                ("floor", *floor != 0.0),
                ("missing", field.missing.is_some()),
            ];
            if let Some((setting, _)) = points.iter().find(|(_, is_given)| *is_given) {
                return wrong(format!(
                    "field {name:?}: {setting} does not work with weights = \"{}\"; leave out one of the two",
                    Named(config.weights)
                ));
            }
        }
    }
    if !config.weights.are_points() && *missing != Missing::Skip {
        return wrong(format!(
            "missing does not work with weights = \"{}\", for which a missing value is no evidence; leave it out",
            Named(config.weights)
        ));
    }
    if !config.weights.are_points() && fields.len() > Pattern::FIELDS {
        return wrong(format!(
            "weights can be learned for at most {} fields, got {}",
            Pattern::FIELDS,
            fields.len()
        ));
    }
    Ok(())
}
