//! Two records → a score, and what it makes of them.

use serde::Serialize;

use super::{
    blocks::Block,
    config::{BlockConfig, FieldConfig, Kind, LinkConfig, Missing},
    kinds::{self, Room},
    table::Records,
};
use crate::error::{Error, Result};

/// A configuration, checked: what normalises values, tells candidates, and scores pairs.
///
/// The source (*Mining of Massive Datasets*, section 3.8.1) gives each of name, address and phone up to 100 points. Here a field has a
/// weight, 100 by default, and gives as many points of it as its values are alike; the score is the share of the points that the fields
/// might have given, in ten thousandths, so that what is written is what was compared with the thresholds.
#[derive(Debug, Clone)]
pub struct Linker {
    config: LinkConfig,
    blocks: Vec<Block>,
}

/// What a score makes of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// At least `match`.
    Match,
    /// At least `possible`.
    Possible,
    /// Less.
    Not,
}

/// What a field gives a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Points {
    /// Both have it.
    Given(f64),
    /// It is missing, and this share of its weight is said to be its worth.
    Missing(f64),
    /// It is missing, and left out.
    LeftOut,
}

impl Linker {
    /// Checks a configuration.
    ///
    /// # Errors
    /// No field, or two of one name; a weight, a threshold, a share or a floor that cannot be; settings that do not go together; a
    /// block of a field that there is not.
    pub fn new(mut config: LinkConfig) -> Result<Self> {
        check(&config)?;
        if config.blocks.is_empty() {
            config.blocks = config.fields.iter().map(|field| BlockConfig::equal(&[&field.name])).collect();
        }
        let blocks = config.blocks.iter().zip(1..).map(|(block, number)| Block::new(block, number, &config.fields));
        Ok(Self { blocks: blocks.collect::<Result<_>>()?, config })
    }

    /// The configuration, with the blocks that stand for none.
    pub fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// The ways to be candidates.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Appends the normal form of a field's value; nothing for one that says nothing, which is a missing one.
    pub fn normalise(&self, field: usize, value: &str, room: &mut Room, into: &mut String) {
        kinds::normalise(&self.config.fields[field], value, room, into);
    }

    /// The first block that makes two records candidates. The slow way, for one pair.
    pub fn meeting(&self, records: &Records, a: u32, b: u32) -> Option<usize> {
        self.blocks.iter().position(|block| block.joins(records, a, b))
    }

    /// How alike two records are in a field, from 0 to 1, before the floor; none where one has not got it.
    pub fn similarity(&self, records: &Records, field: usize, a: u32, b: u32) -> Option<f64> {
        let (a, b) = (records.get(a, field), records.get(b, field));
        (!a.is_empty() && !b.is_empty()).then(|| kinds::similarity(&self.config.fields[field], a, b))
    }

    /// What a field gives two records.
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

    /// The score of two records, from 0 to 1. None where no field counts.
    pub fn score(&self, records: &Records, a: u32, b: u32) -> Option<f64> {
        self.score_from(records, a, b, 0.0)
    }

    /// The same, and none also for one below `least`: fields are only compared as long as it can be reached.
    pub fn score_from(&self, records: &Records, a: u32, b: u32, least: f64) -> Option<f64> {
        let fields = &self.config.fields;
        let both = |field| !records.get(a, field).is_empty() && !records.get(b, field).is_empty();
        let counts = |field: usize| both(field) || fields[field].missing.unwrap_or(self.config.missing) != Missing::Skip;
        let whole: f64 = (0..fields.len()).filter(|&field| counts(field)).map(|field| fields[field].weight).sum();
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
        let score = (points / whole * 10_000.0).round() / 10_000.0;
        (score >= least).then_some(score)
    }

    /// What a score makes of a pair.
    pub fn verdict(&self, score: f64) -> Verdict {
        match score {
            _ if score >= self.config.matches => Verdict::Match,
            _ if score >= self.config.least() => Verdict::Possible,
            _ => Verdict::Not,
        }
    }
}

/// Beyond what rounding may add to a score.
const ROUNDING: f64 = 1e-4;

fn above(floor: f64, similarity: f64) -> f64 {
    ((similarity - floor) / (1.0 - floor)).max(0.0)
}

fn check(config: &LinkConfig) -> Result<()> {
    let wrong = |what: String| Err(Error::Link(what));
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    let LinkConfig { matches, missing, fields, .. } = config;
    // Written so that NaN fails.
    if !(*matches > 0.0 && *matches <= 1.0) {
        return wrong(format!("match = {matches} is no score to ask for: give a number above 0 and up to 1, such as 0.85"));
    }
    let possible = config.least();
    if !(possible > 0.0 && possible <= 1.0) {
        return wrong(format!("possible = {possible} is no score to ask for: give a number above 0 and up to 1, such as 0.75"));
    }
    if possible > *matches {
        let default = if *matches == LinkConfig::usual_match() { ", which is the default" } else { "" };
        return wrong(format!(
            "possible = {possible} is above match = {matches}{default}: a possible match has a lower score than a match; exchange them, or give both the same"
        ));
    }
    if fields.is_empty() {
        return wrong("no field: name at least one to compare, with [[field]], its name and its type".into());
    }
    if let Missing::Share(share) = *missing
        && !is_share(share)
    {
        return wrong(format!("missing = {share} is no share: give a number from 0 to 1, or \"skip\""));
    }
    for (at, field) in fields.iter().enumerate() {
        let FieldConfig { name, weight, floor, .. } = field;
        if name.is_empty() || field.from.iter().any(String::is_empty) {
            return wrong(format!("field {} has no name: give one", at + 1));
        }
        if let Some(twice) = field.from.iter().enumerate().find_map(|(at, path)| field.from[..at].contains(path).then_some(path))
        {
            return wrong(format!("field {name:?}: from has {twice:?} twice: leave one out"));
        }
        if fields[..at].iter().any(|other| other.name == *name) {
            return wrong(format!("field {name:?} stands twice: give each a name of its own, and say with from where it stands"));
        }
        if !(*weight > 0.0 && *weight <= 1e6) {
            return wrong(format!("field {name:?}: weight = {weight} cannot be: give a number above 0, such as 100"));
        }
        if !(0.0..1.0).contains(floor) {
            return wrong(format!("field {name:?}: floor = {floor} leaves nothing to tell: give a number from 0 to below 1"));
        }
        if let Some(Missing::Share(share)) = field.missing
            && !is_share(share)
        {
            return wrong(format!("field {name:?}: missing = {share} is no share: give a number from 0 to 1, or \"skip\""));
        }
        if field.within.is_some() && field.kind != Kind::Number {
            return wrong(format!("field {name:?}: within goes with type = \"number\": leave it out"));
        }
        if field.within.is_some_and(|within| !(within > 0.0 && within.is_finite())) {
            return wrong(format!("field {name:?}: within must be a number above 0"));
        }
        if field.compare.is_some() && (field.within.is_some() || field.month_first) {
            let what = if field.within.is_some() { "within" } else { "month_first" };
            return wrong(format!("field {name:?}: {what} is of the type's own way of comparing: leave out compare, or {what}"));
        }
        if field.month_first && field.kind != Kind::Date {
            return wrong(format!("field {name:?}: month_first goes with type = \"date\": leave it out"));
        }
    }
    Ok(())
}
