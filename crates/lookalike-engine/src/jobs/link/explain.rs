//! Why two records are a match, or none.

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

/// What two records are compared by.
#[derive(Debug, Clone, Serialize)]
pub struct LinkExplained {
    /// The first record's id, as it stands in the record.
    pub a: Box<RawValue>,
    /// The second's.
    pub b: Box<RawValue>,
    /// Each field, in the configuration's order.
    pub fields: Vec<FieldExplained>,
    /// The sum of the fields' points.
    pub points: f64,
    /// What it might be: the weights of the fields that count.
    pub of: f64,
    /// The score, which is the share of the points; none where no field counts.
    pub score: Option<f64>,
    /// What it makes of the pair.
    pub verdict: Verdict,
    /// Each way to be candidates.
    pub blocks: Vec<BlockExplained>,
}

/// What a block makes of two records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlockExplained {
    /// What it asks for.
    pub block: String,
    /// Whether they have that.
    pub joins: bool,
    /// They are candidates only where no more records than these have it: it is not counted here how many have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u32>,
}

/// What a field says of two records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldExplained {
    /// Its name.
    pub field: String,
    /// The first record's normal form; empty where it is missing.
    pub a: String,
    /// The second's.
    pub b: String,
    /// How alike they are, from 0 to 1; none where one is missing.
    pub similarity: Option<f64>,
    /// What that gives; none where the field is left out.
    pub points: Option<f64>,
    /// What it might give.
    pub weight: f64,
}

/// Reads records and tells why two of them, named by their ids, match or not; of two collections one of each.
///
/// # Errors
/// As [`link`](crate::jobs::link::link); ids that no records have, or one twice.
pub fn explain_link(config: &RunConfig, asked: &Link, [a, b]: [&str; 2]) -> Result<LinkExplained> {
    without_panic(|| {
        let linker = Linker::new(asked.config.clone()).map_err(refused)?;
        let gathered = gather(config, (&linker, None), &pool(config.threads)?, UNOBSERVED)?;
        let a = find(&gathered, a, 0)?;
        let b = find(&gathered, b, usize::from(gathered.are_two()))?;
        if a == b {
            let what = words![(Setting::Explain, cut(gathered.id(a)).into_owned()), ": the same record twice"];
            return Err(Error::new(ErrorKind::Input, what).advise("a pair is two"));
        }
        explained(&gathered, &linker, a, b)
    })
}

/// An id is a string or a number: what was typed is looked for as a string first.
fn find(gathered: &Gathered, id: &str, collection: usize) -> Result<u32> {
    let string = gathered.find(&serde_json::Value::from(id).to_string(), collection);
    string.or_else(|| gathered.find(id, collection)).ok_or_else(|| {
        let of = match (gathered.are_two(), collection) {
            (false, _) => "",
            (true, 0) => " of the first collection",
            (true, _) => " of the second collection",
        };
        let what = words![(Setting::Explain, cut(id).into_owned()), format!(": no record{of} has this id")];
        Error::new(ErrorKind::Input, what).advise("give two as they stand in the records")
    })
}

fn explained(gathered: &Gathered, linker: &Linker, a: u32, b: u32) -> Result<LinkExplained> {
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
