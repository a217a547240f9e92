//! Compares two records field by field.

use lookalike_applications::records::{
    Block, FieldConfig, Linker, Points, Verdict, learned::Model,
};
use lookalike_io::error::Result;
use serde::Serialize;
use serde_json::value::RawValue;

use super::reading::records::Gathered;
use crate::sketching::ids::raw;

/// The comparison of two records in detail.
#[derive(Debug, Clone, Serialize)]
pub struct LinkExplained {
    /// The first record's id, as written in the record.
    pub a: Box<RawValue>,
    /// The second record's id, as written in the record.
    pub b: Box<RawValue>,
    /// The result for each field, in the configuration's order.
    pub fields: Vec<FieldExplained>,
    /// The sum of the fields' points; with learned weights, in bits.
    pub points: f64,
    /// The maximum of this sum, which is the sum of the weights of the fields that count.
    pub of: f64,
    /// With learned weights, the odds of a match before the fields are compared, in bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<f64>,
    /// The score, which is `points` / `of`, or with learned weights the probability of a match; `None` if no field counts.
    pub score: Option<f64>,
    /// The verdict that follows from the score.
    pub verdict: Verdict,
    /// The result of each block.
    pub blocks: Vec<BlockExplained>,
}

/// The result of a block for two records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlockExplained {
    /// What the block requires of a pair.
    pub block: String,
    /// Whether the two records meet this requirement.
    pub joins: bool,
    /// The two records are candidates only if the value that they share occurs in at most this many records. An explanation does
    /// not count these records, so it does not check this condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
}

/// The result of a field for two records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldExplained {
    /// The field's name.
    pub field: String,
    /// The first record's normal form; empty if the value is missing.
    pub a: String,
    /// The second record's normal form; empty if the value is missing.
    pub b: String,
    /// The similarity of the two values, from 0 to 1; `None` if a value is missing.
    pub similarity: Option<f64>,
    /// The points for this field, or with learned weights its weight in bits; `None` if the field does not count.
    pub points: Option<f64>,
    /// The maximum number of points.
    pub weight: f64,
}

/// Compares two records in detail.
pub(super) fn explained(
    gathered: &Gathered,
    linker: &Linker,
    a: u32,
    b: u32,
) -> Result<LinkExplained> {
    let records = &gathered.records;
    let weights = linker
        .model()
        .map(|model| linker.weights(model, records, a, b));
    let field = |(at, config): (usize, &FieldConfig)| FieldExplained {
        field: config.name.clone(),
        a: records.get(a, at).into(),
        b: records.get(b, at).into(),
        similarity: linker.similarity(records, at, a, b),
        points: match (&weights, linker.points(records, at, a, b)) {
            (Some(weights), _) => weights[at],
            (None, Points::Given(points) | Points::Missing(points)) => Some(points),
            (None, Points::LeftOut) => None,
        },
        weight: linker.model().map_or(config.weight, |model| model.most(at)),
    };
    let block = |block: &Block| BlockExplained {
        block: block.name().into(),
        joins: block.joins(records, a, b),
        at_most: block.at_most(),
    };
    let score = linker.score(records, a, b);
    let fields: Vec<FieldExplained> = linker
        .config()
        .fields
        .iter()
        .enumerate()
        .map(field)
        .collect();
    let counting = || {
        fields
            .iter()
            .filter_map(|field| Some((field.points?, field.weight)))
    };
    Ok(LinkExplained {
        points: counting().map(|(points, _)| points).sum(),
        of: counting().map(|(_, weight)| weight).sum(),
        a: raw(gathered.id(a))?.to_owned(),
        b: raw(gathered.id(b))?.to_owned(),
        fields,
        verdict: score.map_or(Verdict::Not, |score| linker.verdict(score)),
        score: score.map(|score| linker.share(score)),
        prior: linker.model().map(Model::prior),
        blocks: linker.blocks().iter().map(block).collect(),
    })
}
