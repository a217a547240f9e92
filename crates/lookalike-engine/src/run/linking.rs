//! Records of one collection or of two → pairs that are the same, or may be.

use std::path::{Path, PathBuf};

use lookalike::records::{LinkConfig, Linker, Points, Scored, Verdict, clusters, one_to_one};
use rayon::{ThreadPool, prelude::*};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    blocking::{self, BlockFigures},
    dedup::pool,
    gathering::Gathered,
    ids::raw,
    judging::{Judged, Truth},
};
use crate::{
    config::{Observer, RunConfig},
    error::{Error, ErrorKind, Result, without_panic},
    read::{Input, expand},
    write::{Output, finish, refuse_other_than_lines, refuse_overwriting},
};

/// What is linked by what, and what of it is wanted. The inputs are a [`RunConfig`]'s: one collection, or two, of which the pairs across
/// are wanted; its label is one that records of a person have in common, to judge by.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// Fields, candidates, thresholds.
    pub config: LinkConfig,
    /// Leave possible matches out of what is written.
    pub matches_only: bool,
    /// Where each record's cluster goes.
    pub clusters: Option<PathBuf>,
    /// True pairs, to judge by.
    pub truth: Option<PathBuf>,
    /// The file that the configuration was read from: no output may go there.
    pub config_path: Option<PathBuf>,
}

/// What was compared and found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkSummary {
    /// Records read.
    pub records: u64,
    /// Of these, of the first collection, where there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records_a: Option<u64>,
    /// Pairs of records; of two collections those across.
    pub possible_pairs: u64,
    /// Pairs that were scored.
    pub candidates: u64,
    /// Pairs of at least the score of a match.
    pub matches: u64,
    /// Pairs of at least the score of a possible match, and less than a match's.
    pub possible: u64,
    /// Pairs written.
    pub written: u64,
    /// Clusters of two records or more.
    pub clusters: u64,
    /// Records in these.
    pub clustered: u64,
    /// What each block made.
    pub blocks: Vec<BlockFigures>,
    /// How this compares with the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
}

/// Reads records, scores candidates, and writes those that match or may, by default to standard output: JSON Lines, sorted by the
/// records' places in the input. Held of each record are its normal forms, 8 bytes and 4 a field besides their characters; its id, 12
/// bytes besides its characters, and some 30 to find it by; 4 bytes for each key that a block gives it, and while a block's keys are made
/// 8 for each and 16 besides; and 16 with `--label`. A match or possible match takes 16 bytes, up to twice that while a block is scored.
///
/// # Errors
/// A configuration that cannot be; an input that cannot be read, a record or a value that is none, an id that stands twice, a field
/// that no record has; a truth about records that are not there; an output that cannot be written.
pub fn link(config: &RunConfig, asked: &Link, output: Option<&Path>, observer: Observer) -> Result<LinkSummary> {
    without_panic(|| all(config, asked, output.unwrap_or(&PathBuf::from("-")), observer))
}

pub(super) fn gather(config: &RunConfig, linker: &Linker, pool: &ThreadPool, observer: Observer) -> Result<Gathered> {
    if config.inputs.len() > 2 {
        return Err(Error::new(ErrorKind::Config, "records of more than two collections: give one, or two to link across"));
    }
    Gathered::read(config, linker, pool, observer)
}

fn all(config: &RunConfig, asked: &Link, output: &Path, observer: Observer) -> Result<LinkSummary> {
    let linker = Linker::new(asked.config.clone())?;
    if asked.truth.is_some() && (config.label_field.is_some() || config.allow_repeated_ids) {
        let message = "true pairs go by unique ids, and need no labels: give --truth without --label and --allow-repeated-ids";
        return Err(Error::new(ErrorKind::Config, message));
    }
    let outputs: Vec<&Path> = [output].into_iter().chain(asked.clusters.as_deref()).collect();
    let mut inputs = expand(config)?;
    let others = asked.truth.iter().chain(&asked.config_path).filter(|path| *path != Path::new("-"));
    inputs.extend(others.cloned().map(Input::File));
    refuse_overwriting(&outputs, &inputs)?;
    refuse_other_than_lines(output, "pairs")?;
    asked.clusters.as_deref().map_or(Ok(()), |path| refuse_other_than_lines(path, "clusters"))?;
    let pool = pool(config.threads)?;
    let mut gathered = gather(config, &linker, &pool, observer)?;
    let truth = match &asked.truth {
        Some(path) => Some(Truth::read(path, &gathered, &config.temp_dir)?),
        None => config.label_field.as_ref().map(|_| Truth::Labels(std::mem::take(&mut gathered.labels))),
    };
    let mut output = Output::create(output, config.threads)?;
    let mut roll = asked.clusters.as_deref().map(|path| Output::create(path, config.threads)).transpose()?;

    let mut found = blocking::candidates(&gathered, &linker, truth.as_ref(), linker.config().least(), &pool, observer);
    if linker.config().one_to_one {
        one_to_one(&mut found.pairs, gathered.records.len());
    }
    // Matches and possible ones are told apart whenever that is asked, and not held apart.
    let is_match = |pair: &Scored| linker.verdict(pair.score) == Verdict::Match;
    let all_found = found.pairs.len() as u64;
    let matches = found.pairs.iter().filter(|pair| is_match(pair)).count() as u64;
    let leaders = clusters(linker.config().clusters, found.pairs.iter().filter(|pair| is_match(pair)), gathered.records.len());
    write_pairs(&found.pairs, asked.matches_only, &gathered, &linker, &pool, &mut output)?;
    let sizes = sizes(&leaders);
    if let Some(roll) = &mut roll {
        write_clusters(&leaders, &sizes, &gathered, roll)?;
    }
    finish([Some(output), roll])?;
    let judge = |truth: Truth| truth.judge(&gathered, found.right, &found.pairs, is_match, &leaders);
    let several = sizes.iter().filter(|&&size| size > 1);
    Ok(LinkSummary {
        records: gathered.records.len() as u64,
        records_a: gathered.are_two().then_some(gathered.split.into()),
        possible_pairs: gathered.pairs(),
        candidates: found.blocks.iter().map(|block| block.candidates).sum(),
        matches,
        possible: all_found - matches,
        written: if asked.matches_only { matches } else { all_found },
        clusters: several.clone().count() as u64,
        clustered: several.map(|&size| u64::from(size)).sum(),
        judged: truth.map(judge),
        blocks: found.blocks,
    })
}

/// How many records each leads; 0 for those that lead none.
fn sizes(leaders: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0; leaders.len()];
    leaders.iter().for_each(|&leader| sizes[leader as usize] += 1);
    sizes
}

/// A line of the output.
#[derive(Serialize)]
struct PairLine<'a> {
    a: &'a RawValue,
    b: &'a RawValue,
    score: f64,
    verdict: Verdict,
    #[serde(serialize_with = "by_name")]
    points: Vec<(&'a str, Option<f64>)>,
}

/// As an object, in the fields' order.
fn by_name<S: serde::Serializer>(points: &[(&str, Option<f64>)], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(points.iter().copied())
}

/// Pairs that are written at once, and by one worker.
const AT_A_TIME: usize = 1 << 16;
const BY_ONE: usize = 1 << 10;

fn write_pairs(
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
            let points = linker.config().fields.iter().enumerate().map(|(at, field)| {
                let points = match linker.points(&gathered.records, at, a, b) {
                    Points::Given(points) | Points::Missing(points) => Some((points * 100.0).round() / 100.0),
                    Points::LeftOut => None,
                };
                (field.name.as_str(), points)
            });
            let line = PairLine { a: raw(gathered.id(a))?, b: raw(gathered.id(b))?, score, verdict, points: points.collect() };
            push_line(&line, &mut lines)?;
        }
        Ok(lines)
    };
    for some in pairs.chunks(AT_A_TIME) {
        let made: Vec<Result<Vec<u8>>> = pool.install(|| some.par_chunks(BY_ONE).map(lines).collect());
        made.into_iter().try_for_each(|lines| output.write(&lines?))?;
    }
    Ok(())
}

/// A line of the clusters.
#[derive(Serialize)]
struct ClusterLine<'a> {
    id: &'a RawValue,
    /// Of two collections, which the record is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    representative: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    representative_of: Option<&'static str>,
    size: u32,
}

fn write_clusters(leaders: &[u32], sizes: &[u32], gathered: &Gathered, output: &mut Output) -> Result<()> {
    let of = |record: u32| gathered.are_two().then_some(if record < gathered.split { "a" } else { "b" });
    let mut lines = Vec::new();
    for (record, &leader) in (0..).zip(leaders) {
        let line = ClusterLine {
            id: raw(gathered.id(record))?,
            of: of(record),
            representative: raw(gathered.id(leader))?,
            representative_of: of(leader),
            size: sizes[leader as usize],
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
    serde_json::to_writer(&mut *into, line).map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
    into.push(b'\n');
    Ok(())
}
