//! Links the records of one or two collections: finds pairs of records that are, or may be, about the same thing.
//!
//! This job does not use the passes over texts. The normalised fields of all records are in memory
//! (`reading/`). Candidates are records with equal keys (`pairing/`); the settings define several
//! kinds of keys, called *blocks*.

pub(crate) mod asked;

pub(crate) mod options;

pub(crate) mod file;

pub(crate) mod reading;

pub(crate) mod pairing;

pub(crate) mod distances;

pub(crate) mod fields;

mod lines;

pub(crate) mod judging;

pub(crate) mod looking;

pub(crate) mod learning;

mod beginning;

pub(crate) mod summary;

mod html;

mod work;

pub(crate) mod explain;

pub(crate) mod plan;

pub(crate) mod suggest;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use lookalike_applications::records::{ClusterBy, Weights};
use lookalike_io::{
    error::{Result, without_panic},
    memory::peak_memory,
    read::Input,
    write::{Output, finish, refuse_other_than_lines, refuse_overwriting},
};

use self::{
    asked::Link,
    beginning::{Begun, begin, check},
    html::Picked,
    judging::Judged,
    learning::{estimated::Learned, labelled::Taught},
    lines::write_clusters,
    looking::{
        clusters::{self, Weakest},
        groups,
        scores::{Scale, Scores},
        thresholds::{Reaching, ThresholdsBy},
        unlinkable::Unlinkable,
    },
    reading::collections::all_inputs,
    summary::LinkSummary,
    work::{Candidates, Decided, Work},
};
use crate::{
    config::{Observer, RunConfig},
    pass::open::create,
    reporting::ReportFigures,
};

/// Reads records, scores candidate pairs, and writes the pairs that match or may match, by default to standard output. The output
/// is JSON Lines, sorted by the records' positions in the input. Memory per record: 8 bytes for its normal forms, 4 for each
/// field, and the characters of the normal forms; 12 bytes for its id, the characters of the id, and about 30 bytes for looking
/// up the id; 4 bytes for each key that a block gives it; 4 for its cluster; 16 with `--label`; 5 if pairs are one to one; and 16
/// while the weakest links of clusters are found. Everything else goes to temporary files when memory is short: 24 bytes for each key while its block is processed, 12 for each match or possible
/// match, and 12 more for each match. The output is the same for any memory limit and any number of threads.
///
/// # Errors
/// Fails if the configuration is invalid, if an input cannot be read, if a record or a value is invalid, if an id occurs twice,
/// if a field occurs in no record, if the ground truth names records that do not exist, or if an output cannot be written.
pub fn link(
    config: &RunConfig,
    asked: &Link,
    output: Option<&Path>,
    observer: Observer,
) -> Result<LinkSummary> {
    without_panic(|| {
        all(
            config,
            asked,
            output.unwrap_or(&PathBuf::from("-")),
            observer,
        )
    })
}

fn all(config: &RunConfig, asked: &Link, output: &Path, observer: Observer) -> Result<LinkSummary> {
    let linker = check(config, asked)?;
    let named = refuse_outputs(config, asked, output)?;
    let report = config.report.as_ref().map(|report| report.path.as_path());
    let Begun {
        pool,
        gathered,
        truth,
        budget,
        taught,
        ..
    } = begin(config, asked, linker, &named, observer)?;
    let Taught {
        linker,
        labels,
        held_out,
    } = taught;
    let mut output = Output::create(output, config.threads)?;
    let [mut roll, mut report] = create(config, [asked.clusters.as_deref(), report])?;
    let mut picked = report.is_some().then(|| Picked::new(&linker));

    let truth = truth.as_ref();
    let work = Work {
        asked,
        linker: &linker,
        gathered: &gathered,
        truth,
        budget: &budget,
        pool: &pool,
    };
    let mut scores = Scores::new(Scale::of(&linker));
    let Candidates {
        pairs,
        blocks,
        right,
    } = work.find(&mut scores, observer)?;
    let Decided {
        counts,
        representatives,
        distances,
        links,
    } = work.decide(pairs, &mut scores, &mut output, picked.as_mut())?;
    let true_pairs = truth.map_or(0, |truth| truth.matches(&gathered));
    let reaching = match (linker.config().weights, truth) {
        (Weights::Labelled, _) => {
            held_out.map(|held_out| Reaching::new(&held_out, ThresholdsBy::HeldOut, true_pairs))
        }
        (_, Some(_)) => Some(Reaching::new(&scores, ThresholdsBy::Labels, true_pairs)),
        (Weights::Learned, None) if linker.model().is_some() => {
            Some(Reaching::new(&scores, ThresholdsBy::Model, 0))
        }
        (Weights::Learned | Weights::Points, None) => None,
    };
    let sizes = sizes(&representatives);
    if let Some(roll) = &mut roll {
        write_clusters(&representatives, &sizes, &gathered, roll)?;
    }
    budget.hold(Weakest::SIZE * representatives.len());
    let mut weakest = Weakest::new(
        &representatives,
        linker.config().clusters == ClusterBy::Greedy,
    );
    for link in links.sorted()? {
        let [lacks, a, b] = link?;
        weakest.add([a, b, u32::MAX - lacks]);
    }
    let cluster_sizes = clusters::by_size(&sizes);
    let mut summary = LinkSummary {
        records: gathered.records.len() as u64,
        records_a: gathered.second().map(u64::from),
        one_to_one: linker.is_one_to_one(),
        possible_pairs: gathered.pairs(),
        candidates: blocks.iter().map(|block| block.candidates).sum(),
        scores: scores.histogram(),
        thresholds: reaching
            .as_ref()
            .map(|reaching| reaching.table(linker.config().most())),
        matches: counts.matches,
        possible: counts.possible,
        written: if asked.matches_only {
            counts.matches
        } else {
            counts.matches + counts.possible
        },
        clusters: cluster_sizes.iter().map(|of| of.clusters).sum(),
        clustered: cluster_sizes
            .iter()
            .map(|of| u64::from(of.size) * of.clusters)
            .sum(),
        cluster_sizes,
        largest_clusters: clusters::largest(&sizes, &weakest, &gathered, &linker)?,
        unlinkable: Unlinkable::find(&gathered, &linker, &pool)?,
        judged: truth.map(|truth| {
            Judged::new(
                (truth, true_pairs),
                &gathered,
                right,
                &counts,
                &representatives,
            )
        }),
        blocks,
        learned: Learned::of(&linker, labels),
        right: distances.map(|distances| distances.shares(gathered.second())),
        above_memory: peak_memory().map_or(0, |peak| budget.above(peak)),
        report: None,
    };
    if let (Some(report), Some(picked)) = (&mut report, &picked) {
        let started = Instant::now();
        let curve = reaching.as_ref().map_or_else(Vec::new, Reaching::curve);
        let groups = groups::groups(&sizes, &representatives, &weakest);
        let found = html::Found {
            picked,
            curve: &curve,
            groups: &groups,
            summary: &summary,
        };
        let (html, pairs) = html::page(config, &gathered, &linker, &found)?;
        report.write(html.as_bytes())?;
        let (bytes, seconds) = (html.len() as u64, started.elapsed().as_secs_f64());
        summary.report = Some(ReportFigures {
            bytes,
            pairs: Some(pairs),
            floor: None,
            left_out: 0,
            without_text: 0,
            seconds,
        });
    }
    finish([Some(output), roll, report])?;
    Ok(summary)
}

/// Returns the paths of the pairs, and of the clusters and the summary if these are requested. Returns an error if an output is a
/// table or would overwrite a file that the run reads.
fn refuse_outputs<'a>(
    config: &'a RunConfig,
    asked: &'a Link,
    output: &'a Path,
) -> Result<Vec<&'a Path>> {
    let report = config.report.as_ref().map(|report| report.path.as_path());
    let outputs: Vec<&Path> = [
        Some(output),
        asked.clusters.as_deref(),
        config.summary.as_deref(),
        report,
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut inputs = all_inputs(config)?;
    let others = asked
        .truth
        .iter()
        .chain(&asked.config_path)
        .filter(|path| *path != Path::new("-"));
    inputs.extend(others.cloned().map(Input::File));
    refuse_overwriting(&outputs, &inputs)?;
    refuse_other_than_lines(output, "pairs")?;
    asked
        .clusters
        .as_deref()
        .map_or(Ok(()), |path| refuse_other_than_lines(path, "clusters"))?;
    Ok(outputs)
}

/// Returns the number of records in each cluster, at the index of the cluster's first record. The number is 0 at the indexes of
/// all other records.
fn sizes(representatives: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0; representatives.len()];
    representatives
        .iter()
        .for_each(|&representative| sizes[representative as usize] += 1);
    sizes
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lookalike_applications::records::{BlockConfig, FieldConfig, Kind, LinkConfig, OneToOne};
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;
    use crate::config::UNOBSERVED;

    /// Links records that have a name and a town each. Returns the pairs, the clusters and the summary.
    fn linked(
        records: &[(u8, u8)],
        asked: &Link,
        memory: Option<u64>,
        threads: usize,
    ) -> [String; 3] {
        let folder = TempDir::new().unwrap();
        let name = |file: &str| folder.path().join(file).to_str().unwrap().to_owned();
        let line =
            |(name, town): &(u8, u8)| format!("{{\"name\":\"Ann {name}\",\"town\":\"{town}\"}}\n");
        let lines: Vec<String> = records.iter().map(line).collect();
        let (first, second) = lines.split_at(lines.len() / 3);
        let two = asked.config.blocks.len() == 1;
        fs::write(name("a"), first.concat()).unwrap();
        fs::write(
            name("b"),
            if two { second.concat() } else { lines.concat() },
        )
        .unwrap();
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
        let asked = Link {
            clusters: Some(name("clusters").into()),
            ..asked.clone()
        };
        let summary = link(&config, &asked, Some(Path::new(&name("pairs"))), UNOBSERVED).unwrap();
        let summary = LinkSummary {
            above_memory: 0,
            ..summary
        };
        // Records without an id are named by their file and line. The path of the folder, which is different in each run, is
        // removed.
        let without = |text: String| text.replace(&name(""), "");
        let read = |file: &str| without(fs::read_to_string(name(file)).unwrap());
        [
            read("pairs"),
            read("clusters"),
            without(serde_json::to_string(&summary).unwrap()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(24)))]

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
