//! Writes links and clusters as lines.

use lookalike_applications::records::{Linker, Points, Scored, Verdict};
use lookalike_io::{
    error::{Error, Result},
    pool::{install, par_map},
    write::Output,
};
use rayon::ThreadPool;
use serde::Serialize;
use serde_json::value::RawValue;

use super::reading::records::Gathered;
use crate::sketching::ids::raw;

/// A line of the output of pairs.
#[derive(Serialize)]
struct PairLine<'a> {
    a: &'a RawValue,
    b: &'a RawValue,
    #[serde(flatten)]
    score: ScoreLine<'a>,
}

/// The evidence: points of fields, or weights in bits.
#[derive(Serialize)]
#[serde(untagged)]
enum ScoreLine<'a> {
    Points {
        score: f64,
        verdict: Verdict,
        #[serde(serialize_with = "by_name")]
        points: Vec<(&'a str, Option<f64>)>,
    },
    Weights {
        probability: f64,
        verdict: Verdict,
        bits: f64,
        #[serde(serialize_with = "by_name")]
        weights: Vec<(&'a str, Option<f64>)>,
    },
}

/// Serialises the points as an object, in the order of the fields.
fn by_name<S: serde::Serializer>(
    points: &[(&str, Option<f64>)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(points.iter().copied())
}

/// The number of pairs that are written in one step by all workers together, and the number for one worker.
pub(super) const AT_A_TIME: usize = 1 << 16;
const BY_ONE: usize = 1 << 10;

/// Writes at most [`AT_A_TIME`] pairs.
pub(super) fn write_pairs(
    pairs: &[Scored],
    matches_only: bool,
    gathered: &Gathered,
    linker: &Linker,
    pool: &ThreadPool,
    output: &mut Output,
) -> Result<()> {
    let lines = |some: &[Scored]| {
        let mut lines = Vec::new();
        for &Scored { a, b, score } in some {
            let verdict = linker.verdict(score);
            if matches_only && verdict != Verdict::Match {
                continue;
            }
            let fields = linker.config().fields.iter().enumerate();
            let score = match linker.model() {
                None => {
                    let points = fields.map(|(at, field)| {
                        let points = match linker.points(&gathered.records, at, a, b) {
                            Points::Given(points) | Points::Missing(points) => {
                                Some((points * 100.0).round() / 100.0)
                            }
                            Points::LeftOut => None,
                        };
                        (field.name.as_str(), points)
                    });
                    ScoreLine::Points {
                        score,
                        verdict,
                        points: points.collect(),
                    }
                }
                Some(model) => {
                    let weights = linker.weights(model, &gathered.records, a, b);
                    let weights = fields.zip(weights).map(|((_, field), weight)| {
                        (
                            field.name.as_str(),
                            weight.map(|weight| (weight * 100.0).round() / 100.0),
                        )
                    });
                    let probability = (linker.share(score) * 1e6).round() / 1e6;
                    ScoreLine::Weights {
                        probability,
                        verdict,
                        bits: score,
                        weights: weights.collect(),
                    }
                }
            };
            let line = PairLine {
                a: raw(gathered.id(a))?,
                b: raw(gathered.id(b))?,
                score,
            };
            push_line(&line, &mut lines)?;
        }
        Ok(lines)
    };
    let made: Vec<Result<Vec<u8>>> = install(pool, || par_map(pairs.chunks(BY_ONE), lines));
    made.into_iter().try_for_each(|lines| output.write(&lines?))
}

/// A line of the output of clusters.
#[derive(Serialize)]
struct ClusterLine<'a> {
    id: &'a RawValue,
    /// If there are two collections, the name of the one that the record belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    representative: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    representative_of: Option<&'static str>,
    size: u32,
}

/// Writes each record's cluster. `sizes` has the number of records of each cluster.
pub(super) fn write_clusters(
    representatives: &[u32],
    sizes: &[u32],
    gathered: &Gathered,
    output: &mut Output,
) -> Result<()> {
    let mut lines = Vec::new();
    for (record, &representative) in (0..).zip(representatives) {
        let line = ClusterLine {
            id: raw(gathered.id(record))?,
            of: gathered.collection_of(record),
            representative: raw(gathered.id(representative))?,
            representative_of: gathered.collection_of(representative),
            size: sizes[representative as usize],
        };
        push_line(&line, &mut lines)?;
        if lines.len() > AT_A_TIME {
            output.write(&lines)?;
            lines.clear();
        }
    }
    output.write(&lines)
}

fn push_line(line: &impl Serialize, into: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(&mut *into, line).map_err(|error| Error::failure(error.to_string()))?;
    into.push(b'\n');
    Ok(())
}
