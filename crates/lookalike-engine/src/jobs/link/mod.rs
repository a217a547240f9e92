//! Links the records of one or two collections: finds pairs of records that are, or may be, about the same thing.

pub(crate) mod distances;

mod collections;

mod records;

pub(crate) mod fields;

mod lines;

mod truth;

mod progress;

pub(crate) mod candidates;

mod rows;

mod matched;

mod numbered;

pub(crate) mod judging;

pub(crate) mod looking;

pub(crate) mod learning;

mod labelling;

pub(crate) mod explain;

pub(crate) mod plan;

mod groups;

mod html;

pub(crate) mod suggest;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use lookalike::shown::{cut, quoted};
use lookalike_applications::records::{ClusterBy, Clusters, LinkConfig, Linker, Verdict, Weights};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    memory::peak_memory,
    read::Input,
    spill::{Budget, Sorter},
    store::refuse_url,
    words,
    write::{Output, finish, refuse_other_than_lines, refuse_overwriting},
};
use rayon::ThreadPool;
use serde::Serialize;

use self::{
    candidates::{BlockFigures, Wanted, candidates},
    collections::all_inputs,
    distances::{Distances, RightShares},
    html::Picked,
    judging::{Counts, Judged},
    labelling::{Taught, taught, without_labels},
    learning::Learned,
    lines::{AT_A_TIME, write_clusters, write_pairs},
    looking::{
        clusters::{self, ClusterSize, LargeCluster, Weakest},
        scores::{Scale, ScoreHistogram, Scores},
        thresholds::{Reaching, Thresholds, ThresholdsBy},
        unlinkable::Unlinkable,
    },
    matched::{FoundPairs, prepared},
    records::Gathered,
    rows::{Row, scored},
    truth::Truth,
};
use crate::{
    config::{Observer, RunConfig, Stage},
    pass::{
        open::{create, pool},
        refused::refused,
    },
    reporting::ReportFigures,
};

/// What to link, how to link it, and which outputs are wanted. The inputs of a [`RunConfig`] are a
/// collection of records. If it has references, they are the first of two collections. With two collections, only pairs of records from different collections are wanted. The configuration's label is a
/// value that the records of one person share; it is used as ground truth.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// The fields, candidates and thresholds.
    pub config: LinkConfig,
    /// Do not write possible matches.
    pub matches_only: bool,
    /// The file for each record's cluster.
    pub clusters: Option<PathBuf>,
    /// The file of true pairs, used as ground truth.
    pub truth: Option<PathBuf>,
    /// A field with a date or a number that is not used to score pairs. The share of correct pairs is estimated from this field.
    pub right_by: Option<String>,
    /// The file that the configuration was read from: no output may overwrite it.
    pub config_path: Option<PathBuf>,
}

/// The number of records compared, and the results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkSummary {
    /// Records read.
    pub records: u64,
    /// Records of the first collection, if there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records_a: Option<u64>,
    /// Whether each record is in at most one pair.
    pub one_to_one: bool,
    /// The number of all pairs of records. If there are two collections, only pairs of records from different collections count.
    pub possible_pairs: u64,
    /// Pairs that were scored.
    pub candidates: u64,
    /// Pairs whose score reaches the threshold of a match.
    pub matches: u64,
    /// Pairs whose score reaches the threshold of a possible match, but not the threshold of a match.
    pub possible: u64,
    /// Pairs written.
    pub written: u64,
    /// Clusters of at least two records.
    pub clusters: u64,
    /// Records in these clusters.
    pub clustered: u64,
    /// How many clusters of at least two records have each size.
    pub cluster_sizes: Vec<ClusterSize>,
    /// The largest clusters.
    pub largest_clusters: Vec<LargeCluster>,
    /// Records that cannot match, because they are not even a match of themselves.
    pub unlinkable: Unlinkable,
    /// The results of each block.
    pub blocks: Vec<BlockFigures>,
    /// What was learned from the records, if weights were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned: Option<Learned>,
    /// How many pairs have each score; `None` if no pair has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreHistogram>,
    /// Precision and recall for several thresholds; `None` if there are neither labels nor learned weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
    /// The estimated share of correct pairs, by a field that is not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<RightShares>,
    /// Bytes of memory that the run used above its limit.
    pub above_memory: u64,
    /// The comparison with the ground truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<Judged>,
    /// The report; `None` if no report was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportFigures>,
}

/// Reads records, scores candidate pairs, and writes the pairs that match or may match, by default to standard output. The output
/// is JSON Lines, sorted by the records' positions in the input. Memory per record: 8 bytes for its normal forms, 4 for each
/// field, and the characters of the normal forms; 12 bytes for its id, the characters of the id, and about 30 bytes for looking
/// up the id; 4 bytes for each key that a block gives it; 4 for its cluster; and 16 with `--label`; 16 while the weakest
/// links of clusters are found. Everything else goes to
/// temporary files when memory is short: 24 bytes for each key while its block is processed, 12 for each match or possible
/// match, and 12 more for each match. The output is the same for any memory limit and any number of threads.
///
/// # Errors
/// Fails if the configuration is invalid, if an input cannot be read, if a record or a value is invalid, if an id occurs twice,
/// if a field occurs in no record, if the ground truth names records that do not exist, or if an output cannot be written.
pub fn link(config: &RunConfig, asked: &Link, output: Option<&Path>, observer: Observer) -> Result<LinkSummary> {
    without_panic(|| all(config, asked, output.unwrap_or(&PathBuf::from("-")), observer))
}

fn gather(
    config: &RunConfig,
    (linker, right_by): (&Linker, Option<&str>),
    pool: &ThreadPool,
    observer: Observer,
) -> Result<Gathered> {
    Gathered::read(config, (linker, right_by), pool, observer)
}

fn all(config: &RunConfig, asked: &Link, output: &Path, observer: Observer) -> Result<LinkSummary> {
    let linker = check(config, asked)?;
    let named = refuse_outputs(config, asked, output)?;
    let report = config.report.as_ref().map(|report| report.path.as_path());
    let pool = pool(config.threads)?;
    let mut gathered = gather(config, (&linker, asked.right_by.as_deref()), &pool, observer)?;
    let truth = truth(config, asked, &mut gathered)?;
    let budget = config.budget(pool.current_num_threads(), &named, |_| 0)?;
    budget.hold(gathered.size());
    let linker = prepared(linker, &gathered, (&budget, &pool));
    let Taught { linker, labels, held_out } = taught(linker, &gathered, truth.as_ref(), (&budget, &pool), observer)?;
    let mut output = Output::create(output, config.threads)?;
    let [mut roll, mut report] = create(config, [asked.clusters.as_deref(), report])?;
    let mut picked = report.is_some().then(|| Picked::new(&linker));

    let truth = truth.as_ref();
    let work = Work { asked, linker: &linker, gathered: &gathered, truth, budget: &budget, pool: &pool };
    let mut scores = Scores::new(Scale::of(&linker));
    let Candidates { pairs, blocks, right } = work.find(&mut scores, observer)?;
    let Decided { counts, representatives, distances, links } = work.decide(pairs, &mut scores, &mut output, picked.as_mut())?;
    let true_pairs = truth.as_ref().map_or(0, |truth| truth.matches(&gathered));
    let reaching = match (linker.config().weights, &truth) {
        (Weights::Labelled, _) => held_out.map(|held_out| Reaching::new(&held_out, ThresholdsBy::HeldOut, true_pairs)),
        (_, Some(_)) => Some(Reaching::new(&scores, ThresholdsBy::Labels, true_pairs)),
        (Weights::Learned, None) => Some(Reaching::new(&scores, ThresholdsBy::Model, 0)),
        (Weights::Points, None) => None,
    };
    let sizes = sizes(&representatives);
    if let Some(roll) = &mut roll {
        write_clusters(&representatives, &sizes, &gathered, roll)?;
    }
    budget.hold(Weakest::SIZE * representatives.len());
    let mut weakest = Weakest::new(&representatives, linker.config().clusters == ClusterBy::Greedy);
    for link in links.sorted()? {
        let [lacks, a, b] = link?;
        weakest.add([a, b, u32::MAX - lacks]);
    }
    let several = sizes.iter().filter(|&&size| size > 1);
    let mut summary = LinkSummary {
        records: gathered.records.len() as u64,
        records_a: gathered.are_two().then_some(gathered.split.into()),
        one_to_one: linker.is_one_to_one(),
        possible_pairs: gathered.pairs(),
        candidates: blocks.iter().map(|block| block.candidates).sum(),
        scores: scores.histogram(),
        thresholds: reaching.as_ref().map(|reaching| reaching.table(linker.config().most())),
        matches: counts.matches,
        possible: counts.possible,
        written: if asked.matches_only { counts.matches } else { counts.matches + counts.possible },
        clusters: several.clone().count() as u64,
        clustered: several.map(|&size| u64::from(size)).sum(),
        cluster_sizes: clusters::by_size(&sizes),
        largest_clusters: clusters::largest(&sizes, &weakest, &gathered, &linker)?,
        unlinkable: Unlinkable::find(&gathered, &linker, &pool)?,
        judged: truth.map(|truth| Judged::new(truth, &gathered, right, &counts, &representatives)),
        blocks,
        learned: Learned::of(&linker, labels),
        right: distances.map(|distances| distances.shares(gathered.are_two().then_some(gathered.split))),
        above_memory: peak_memory().map_or(0, |peak| budget.above(peak)),
        report: None,
    };
    if let (Some(report), Some(picked)) = (&mut report, &picked) {
        let started = Instant::now();
        let curve = reaching.as_ref().map_or_else(Vec::new, Reaching::curve);
        let groups = groups::groups(&sizes, &representatives, &weakest);
        let found = html::Found { picked, curve: &curve, groups: &groups, unlinkable: &summary.unlinkable, summary: &summary };
        let (html, pairs) = html::page(config, &gathered, &linker, &found)?;
        report.write(html.as_bytes())?;
        let (bytes, seconds) = (html.len() as u64, started.elapsed().as_secs_f64());
        summary.report = Some(ReportFigures { bytes, pairs: Some(pairs), floor: None, left_out: 0, without_text: 0, seconds });
    }
    finish([Some(output), roll, report])?;
    Ok(summary)
}

/// Returns the ground truth, if there is one.
fn truth(config: &RunConfig, asked: &Link, gathered: &mut Gathered) -> Result<Option<Truth>> {
    match &asked.truth {
        Some(path) => Truth::read(path, gathered, &config.temp_dir).map(Some),
        None => Ok(config.label_field.as_ref().map(|_| Truth::Labels(std::mem::take(&mut gathered.labels)))),
    }
}

/// Checks the request and returns the linker for it.
fn check(config: &RunConfig, asked: &Link) -> Result<Linker> {
    let linker = Linker::new(asked.config.clone()).map_err(refused)?;
    if asked.truth.is_some() && (config.label_field.is_some() || config.allow_repeated_ids) {
        let without = words![" without ", Setting::LabelField, " and ", Setting::AllowRepeatedIds];
        let refused = Error::new(ErrorKind::Config, "true pairs refer to unique ids and need no labels");
        return Err(refused.advise(words!["give ", Setting::Truth, without]));
    }
    asked.truth.as_deref().map_or(Ok(()), |path| refuse_url(Setting::Truth, "file", path))?;
    refuse_compared(&linker, asked.right_by.as_deref())?;
    if linker.config().weights == Weights::Labelled && asked.truth.is_none() && config.label_field.is_none() {
        return Err(without_labels());
    }
    Ok(linker)
}

/// Returns the paths of the pairs, and of the clusters and the summary if these are requested. Returns an error if an output is a
/// table or would overwrite a file that the run reads.
fn refuse_outputs<'a>(config: &'a RunConfig, asked: &'a Link, output: &'a Path) -> Result<Vec<&'a Path>> {
    let report = config.report.as_ref().map(|report| report.path.as_path());
    let outputs: Vec<&Path> =
        [Some(output), asked.clusters.as_deref(), config.summary.as_deref(), report].into_iter().flatten().collect();
    let mut inputs = all_inputs(config)?;
    let others = asked.truth.iter().chain(&asked.config_path).filter(|path| *path != Path::new("-"));
    inputs.extend(others.cloned().map(Input::File));
    refuse_overwriting(&outputs, &inputs)?;
    refuse_other_than_lines(output, "pairs")?;
    asked.clusters.as_deref().map_or(Ok(()), |path| refuse_other_than_lines(path, "clusters"))?;
    Ok(outputs)
}

/// The records, and what is needed to link them.
struct Work<'a> {
    asked: &'a Link,
    linker: &'a Linker,
    gathered: &'a Gathered,
    truth: Option<&'a Truth>,
    budget: &'a Arc<Budget>,
    pool: &'a ThreadPool,
}

/// The clusters: which records belong together.
struct Decided<'a> {
    counts: Counts,
    /// The first record of each record's cluster.
    representatives: Vec<u32>,
    distances: Option<Distances<'a>>,
    /// The matches. Those with the highest scores come first, because the first number of a row is what a score lacks.
    links: Sorter<'a, Row>,
}

/// A candidate with its score and its label.
struct Outcome {
    a: u32,
    b: u32,
    score: Option<f64>,
    label: Option<bool>,
}

/// What was found.
struct Candidates<'a> {
    /// The pairs that match or may match. The rows are sorted by their first number, then by the second, then by the third.
    pairs: Sorter<'a, Row>,
    blocks: Vec<BlockFigures>,
    /// Candidates that are labelled as matches.
    right: u64,
}

/// With a model, scores are computed down to these bits, to show how they are distributed.
const LOOKED_AT: f64 = -7.0;

impl<'a> Work<'a> {
    /// Scores candidates, and counts their scores. Without a one-to-one matching, all pairs with a label have a score, however low.
    fn find(&self, scores: &mut Scores, observer: Observer) -> Result<Candidates<'a>> {
        let (linker, one_to_one, means) = (self.linker, self.linker.is_one_to_one(), (self.budget, self.pool));
        let mut pairs = Sorter::<Row>::new(self.budget, candidates::SORTERS, self.pool);
        let mut to_match = one_to_one.then(|| FoundPairs::new(self.gathered, means));
        let least = linker.least();
        let looked_at = if linker.model().is_some() && !one_to_one { least.min(LOOKED_AT) } else { least };
        let score = |a: u32, b: u32| {
            let label = self.truth.and_then(|truth| truth.label(a, b));
            let least = if label.is_some() && !one_to_one { f64::NEG_INFINITY } else { looked_at };
            let score = linker.score_from(&self.gathered.records, a, b, least);
            (score.is_some() || label == Some(true)).then_some(Outcome { a, b, score, label })
        };
        let mut right = 0;
        let give = |Outcome { a, b, score, label }: Outcome| {
            right += u64::from(label == Some(true));
            let Some(score) = score else { return Ok(()) };
            if !one_to_one {
                scores.add(score, label, 1);
            }
            if score < least || linker.verdict(score) == Verdict::Not {
                return Ok(());
            }
            let row = [a, b, linker.rank(score)];
            match &mut to_match {
                None => pairs.push(row),
                Some(found) => found.push(row),
            }
        };
        let found = candidates((self.gathered, linker), Wanted::All, means, (observer, Stage::Scoring), score, give)?;
        if let Some(to_match) = to_match {
            pairs = to_match.matched(linker)?;
        }
        Ok(Candidates { pairs, blocks: found.blocks, right })
    }

    /// Processes the pairs in their order: writes the pairs, counts them, chooses those of the page, and joins the records of
    /// matching pairs.
    fn decide(
        &self,
        pairs: Sorter<'a, Row>,
        scores: &mut Scores,
        output: &mut Output,
        mut picked: Option<&mut Picked>,
    ) -> Result<Decided<'a>> {
        let Self { asked, linker, gathered, truth, budget, pool } = *self;
        let by = linker.config().clusters;
        let (mut counts, mut clusters) = (Counts::default(), Clusters::new(by, gathered.records.len()));
        let mut links = Sorter::<Row>::new(budget, candidates::SORTERS + 1, pool);
        let mut by_second = (by == ClusterBy::Greedy).then(|| Sorter::<Row>::new(budget, candidates::SORTERS, pool));
        let mut distances = asked.right_by.as_deref().map(|field| Distances::new(field, &gathered.values));
        let mut some = Vec::new();
        let mut sorted = pairs.sorted()?.peekable();
        while let Some(found) = sorted.next() {
            let pair = scored(linker, found?);
            let is_match = linker.verdict(pair.score) == Verdict::Match;
            let label = truth.and_then(|truth| truth.label(pair.a, pair.b));
            counts.count(is_match, label);
            if linker.is_one_to_one() {
                scores.add(pair.score, label, 1);
            }
            if let Some(picked) = &mut picked {
                picked.take(linker, &pair);
            }
            distances.iter_mut().for_each(|distances| distances.count(&pair, linker.share(pair.score), is_match));
            if is_match {
                links.push([u32::MAX - linker.rank(pair.score), pair.a, pair.b])?;
            }
            match &mut by_second {
                _ if !is_match => {}
                None => clusters.join(&pair),
                Some(rows) => {
                    rows.push([pair.b, pair.a, linker.rank(pair.score)])?;
                }
            }
            some.push(pair);
            if some.len() == AT_A_TIME || sorted.peek().is_none() {
                write_pairs(&some, asked.matches_only, gathered, linker, pool, output)?;
                some.clear();
            }
        }
        drop(sorted);
        if let Some(rows) = by_second {
            for found in rows.sorted()? {
                let [b, a, rank] = found?;
                clusters.join(&scored(linker, [a, b, rank]));
            }
        }
        Ok(Decided { counts, representatives: clusters.representatives(), distances, links })
    }
}

/// Returns an error if pairs were compared by the field `right_by`: a field that contributes to the score is no independent
/// evidence that a pair is correct.
fn refuse_compared(linker: &Linker, right_by: Option<&str>) -> Result<()> {
    let Some(name) = right_by else { return Ok(()) };
    match linker.config().fields.iter().find(|field| field.paths().iter().any(|path| path == name)) {
        None => Ok(()),
        Some(field) => {
            let asked = (Setting::RightBy, cut(name).into_owned());
            let what = words![asked, format!(": the field {} already compares it", quoted(&field.name))];
            Err(Error::new(ErrorKind::Config, what).advise("name a field that the score does not use"))
        }
    }
}

/// Returns the number of records in each cluster, at the index of the cluster's first record. The number is 0 at the indexes of
/// all other records.
fn sizes(representatives: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0; representatives.len()];
    representatives.iter().for_each(|&representative| sizes[representative as usize] += 1);
    sizes
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lookalike_applications::records::{BlockConfig, FieldConfig, Kind, OneToOne};
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;
    use crate::config::UNOBSERVED;

    /// Links records that have a name and a town each. Returns the pairs, the clusters and the summary.
    fn linked(records: &[(u8, u8)], asked: &Link, memory: Option<u64>, threads: usize) -> [String; 3] {
        let folder = TempDir::new().unwrap();
        let name = |file: &str| folder.path().join(file).to_str().unwrap().to_owned();
        let line = |(name, town): &(u8, u8)| format!("{{\"name\":\"Ann {name}\",\"town\":\"{town}\"}}\n");
        let lines: Vec<String> = records.iter().map(line).collect();
        let (first, second) = lines.split_at(lines.len() / 3);
        let two = asked.config.blocks.len() == 1;
        fs::write(name("a"), first.concat()).unwrap();
        fs::write(name("b"), if two { second.concat() } else { lines.concat() }).unwrap();
        let against = if two { vec![name("a")] } else { Vec::new() };
        let format = Some(lookalike_io::format::Format::Lines);
        let config = RunConfig {
            inputs: vec![name("b")],
            against,
            format,
            memory,
            threads,
            temp_dir: folder.path().into(),
            ..RunConfig::default()
        };
        let asked = Link { clusters: Some(name("clusters").into()), ..asked.clone() };
        let summary = link(&config, &asked, Some(Path::new(&name("pairs"))), UNOBSERVED).unwrap();
        let summary = LinkSummary { above_memory: 0, ..summary };
        // Records without an id are named by their file and line. The path of the folder, which is different in each run, is
        // removed.
        let without = |text: String| text.replace(&name(""), "");
        let read = |file: &str| without(fs::read_to_string(name(file)).unwrap());
        [read("pairs"), read("clusters"), without(serde_json::to_string(&summary).unwrap())]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn memory_and_threads_change_nothing(
            records in prop::collection::vec((0u8..20, 0u8..3), 6..400),
            two: bool,
            one_to_one: bool,
            matches_only: bool,
            greedy: bool,
        ) {
            let fields = vec![FieldConfig::new("name", Kind::Name), FieldConfig::new("town", Kind::Exact)];
            let mut blocks = vec![BlockConfig::equal(&["town"])];
            if !two {
                blocks.push(BlockConfig::equal(&["name"]));
            }
            let clusters = if greedy { ClusterBy::Greedy } else { ClusterBy::Components };
            let one_to_one = if one_to_one { OneToOne::Yes } else { OneToOne::No };
            let config = LinkConfig { fields, blocks, one_to_one, clusters, ..LinkConfig::default() };
            let asked = Link { config, matches_only, ..Link::default() };
            let usual = linked(&records, &asked, None, 1);
            // With a limit of one byte of memory, all data that can be spilled is spilled.
            prop_assert_eq!(&usual, &linked(&records, &asked, Some(1), 3));
        }
    }
}
