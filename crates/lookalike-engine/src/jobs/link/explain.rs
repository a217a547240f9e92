//! Explains why two records match or not.

use lookalike::shown::cut;
use lookalike_applications::records::{Block, Linker, Points, Verdict};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    words,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Link, gather, records::Gathered};
use crate::{
    config::{RunConfig, UNOBSERVED},
    pass::{open::pool, refused::refused},
    sketching::ids::raw,
};

/// The comparison of two records in detail.
#[derive(Debug, Clone, Serialize)]
pub struct LinkExplained {
    /// The first record's id, as written in the record.
    pub a: Box<RawValue>,
    /// The second record's id, as written in the record.
    pub b: Box<RawValue>,
    /// The result for each field, in the configuration's order.
    pub fields: Vec<FieldExplained>,
    /// The sum of the fields' points.
    pub points: f64,
    /// The maximum of this sum, which is the sum of the weights of the fields that count.
    pub of: f64,
    /// The score, which is `points` / `of`; `None` if no field counts.
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
    /// The points for this field; `None` if the field does not count.
    pub points: Option<f64>,
    /// The maximum number of points.
    pub weight: f64,
}

/// Reads records and explains why two of them match or not. The two records are given by their ids. If there are two collections,
/// `a` is in the first and `b` is in the second.
///
/// # Errors
/// Fails for the same reasons as [`link`](crate::jobs::link::link); also if one of the ids belongs to no record, or if both ids
/// belong to the same record.
pub fn explain_link(config: &RunConfig, asked: &Link, [a, b]: [&str; 2]) -> Result<LinkExplained> {
    without_panic(|| {
        let linker = Linker::new(asked.config.clone()).map_err(refused)?;
        let gathered = gather(config, (&linker, None), &pool(config.threads)?, UNOBSERVED)?;
        let a = find(&gathered, a, 0)?;
        let b = find(&gathered, b, usize::from(gathered.are_two()))?;
        if a == b {
            let what = words![(Setting::Explain, cut(gathered.id(a)).into_owned()), ": the same record twice"];
            return Err(Error::new(ErrorKind::Input, what).advise("give two different records"));
        }
        explained(&gathered, &linker, a, b)
    })
}

/// Finds a record by its id, which is a string or a number. The text that the user typed is looked up as a string first.
fn find(gathered: &Gathered, id: &str, collection: usize) -> Result<u32> {
    let string = gathered.find(&serde_json::Value::from(id).to_string(), collection);
    string.or_else(|| gathered.find(id, collection)).ok_or_else(|| {
        let of = match (gathered.are_two(), collection) {
            (false, _) => "",
            (true, 0) => " of the first collection",
            (true, _) => " of the second collection",
        };
        let what = words![(Setting::Explain, cut(id).into_owned()), format!(": no record{of} has this id")];
        Error::new(ErrorKind::Input, what).advise("give two ids as they are written in the records")
    })
}

/// Compares two records in detail.
pub(super) fn explained(gathered: &Gathered, linker: &Linker, a: u32, b: u32) -> Result<LinkExplained> {
    let records = &gathered.records;
    let field = |(at, config): (usize, &lookalike_applications::records::FieldConfig)| FieldExplained {
        field: config.name.clone(),
        a: records.get(a, at).into(),
        b: records.get(b, at).into(),
        similarity: linker.similarity(records, at, a, b),
        points: match linker.points(records, at, a, b) {
            Points::Given(points) | Points::Missing(points) => Some(points),
            Points::LeftOut => None,
        },
        weight: config.weight,
    };
    let block = |block: &Block| BlockExplained {
        block: block.name().into(),
        joins: block.joins(records, a, b),
        at_most: block.at_most(),
    };
    let score = linker.score(records, a, b);
    let fields: Vec<FieldExplained> = linker.config().fields.iter().enumerate().map(field).collect();
    let counting = || fields.iter().filter_map(|field| Some((field.points?, field.weight)));
    Ok(LinkExplained {
        points: counting().map(|(points, _)| points).sum(),
        of: counting().map(|(_, weight)| weight).sum(),
        a: raw(gathered.id(a))?.to_owned(),
        b: raw(gathered.id(b))?.to_owned(),
        fields,
        verdict: score.map_or(Verdict::Not, |score| linker.verdict(score)),
        score,
        blocks: linker.blocks().iter().map(block).collect(),
    })
}
