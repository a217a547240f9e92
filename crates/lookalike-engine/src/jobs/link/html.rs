//! The page to look at: pairs field by field, and the distribution of scores.

use std::collections::BTreeSet;

use lookalike::fingerprint::finish;
use lookalike_applications::records::{Linker, Scored};
use lookalike_io::{error::Result, write::plain};
use lookalike_report::Page;
use serde::Serialize;
use serde_json::Value;

use super::{
    fields::{LinkExplained, explained},
    looking::{groups::Group, thresholds::AtThreshold, unlinkable::UnlinkableRecord},
    reading::{collections::shown_names, records::Gathered},
    summary::LinkSummary,
};
use crate::{
    config::RunConfig,
    reporting::collecting::{failure, without_times},
};

/// The number of pairs next to each threshold, and of pairs from all scores, that the page has.
const NEAR: usize = 500;
const SPREAD: usize = 1000;

/// The numbers of pairs and of clusters in a block of data.
const BLOCK: usize = 250;
const CLUSTERS: usize = 50;

/// The pairs of the page, chosen while all pairs pass.
pub(super) struct Picked {
    thresholds: [f64; 2],
    /// For each threshold, the nearest pairs: their distance to it in ten-thousandths, and their records.
    near: [BTreeSet<(u32, u32, u32)>; 2],
    /// Pairs in the order of a hash, so that the choice does not depend on the place in the input.
    spread: BTreeSet<(u64, u32, u32)>,
}

impl Picked {
    pub(super) fn new(linker: &Linker) -> Self {
        let thresholds = [linker.config().most(), linker.config().least()];
        Self {
            thresholds,
            near: [BTreeSet::new(), BTreeSet::new()],
            spread: BTreeSet::new(),
        }
    }

    pub(super) fn take(&mut self, linker: &Linker, &Scored { a, b, score }: &Scored) {
        let score = linker.share(score);
        for (near, threshold) in self.near.iter_mut().zip(self.thresholds) {
            near.insert((((score - threshold).abs() * 1e4).round() as u32, a, b));
            if near.len() > NEAR {
                near.pop_last();
            }
        }
        self.spread
            .insert((finish(u64::from(a) << 32 | u64::from(b)), a, b));
        if self.spread.len() > SPREAD {
            self.spread.pop_last();
        }
    }
}

/// The data of the page; `web/src/views/link.tsx` has the same types.
#[derive(Serialize)]
struct Data<'a> {
    program: &'static str,
    command: &'static str,
    inputs: Vec<String>,
    /// The lowest score of a match, and of a possible match.
    thresholds: [f64; 2],
    summary: Value,
    /// Precision and recall by threshold, in small steps; empty if they are not known.
    curve: &'a [AtThreshold],
    /// The number of pairs in each block `pairs-0`, `pairs-1` and so on.
    counts: Vec<usize>,
    /// The names of the fields.
    fields: Vec<&'a str>,
    /// The number of clusters in each block `clusters-0`, `clusters-1` and so on.
    cluster_counts: Vec<usize>,
    unlinkable: UnlinkableData<'a>,
}

/// Records that cannot match, with ids that are strings.
#[derive(Serialize)]
struct UnlinkableData<'a> {
    records: u64,
    share: f64,
    examples: Vec<ExampleData<'a>>,
}

#[derive(Serialize)]
struct ExampleData<'a> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'static str>,
    score: Option<f64>,
    fields: &'a [String],
}

impl<'a> ExampleData<'a> {
    fn new(
        UnlinkableRecord {
            record,
            score,
            fields,
        }: &'a UnlinkableRecord,
    ) -> Self {
        Self {
            id: plain(record.id.get()).into_owned(),
            of: record.of,
            score: *score,
            fields,
        }
    }
}

/// What the page shows.
pub(super) struct Found<'a> {
    pub(super) picked: &'a Picked,
    pub(super) curve: &'a [AtThreshold],
    pub(super) groups: &'a [Group],
    pub(super) summary: &'a LinkSummary,
}

/// Returns a pair as the page reads it: its ids are strings, because JavaScript would round long numbers.
fn shown(pair: &LinkExplained) -> Result<Value> {
    let mut value = serde_json::to_value(pair).map_err(failure)?;
    value["a"] = plain(pair.a.get()).into();
    value["b"] = plain(pair.b.get()).into();
    Ok(value)
}

/// Returns the HTML file and the number of its pairs.
pub(super) fn page(
    config: &RunConfig,
    gathered: &Gathered,
    linker: &Linker,
    &Found {
        picked,
        curve,
        groups,
        summary,
    }: &Found,
) -> Result<(String, u64)> {
    let near = picked.near.iter().flatten().map(|&(_, a, b)| (a, b));
    let weakest = groups.iter().map(Group::weakest);
    let chosen: BTreeSet<(u32, u32)> = near
        .chain(picked.spread.iter().map(|&(_, a, b)| (a, b)))
        .chain(weakest)
        .collect();
    let chosen: Vec<(u32, u32)> = chosen.into_iter().collect();
    let mut blocks = Page::new();
    let mut counts = Vec::new();
    for (number, block) in chosen.chunks(BLOCK).enumerate() {
        let pairs: Result<Vec<Value>> = block
            .iter()
            .map(|&(a, b)| shown(&explained(gathered, linker, a, b)?))
            .collect();
        blocks
            .add(&format!("pairs-{number}"), &pairs?)
            .map_err(failure)?;
        counts.push(block.len());
    }
    let mut cluster_counts = Vec::new();
    for (number, block) in groups.chunks(CLUSTERS).enumerate() {
        let clusters: Result<Vec<_>> = block
            .iter()
            .map(|group| group.shown(gathered, linker))
            .collect();
        blocks
            .add(&format!("clusters-{number}"), &clusters?)
            .map_err(failure)?;
        cluster_counts.push(block.len());
    }
    let unlinkable = &summary.unlinkable;
    let examples = unlinkable.examples.iter().map(ExampleData::new).collect();
    let unlinkable = UnlinkableData {
        records: unlinkable.records,
        share: unlinkable.share,
        examples,
    };
    let fields = linker
        .config()
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    let inputs = shown_names(config);
    let title = format!("{} – lookalike link", inputs.join(", "));
    let (program, thresholds) = (env!("CARGO_PKG_VERSION"), picked.thresholds);
    let summary = without_times(summary)?;
    let data = Data {
        program,
        command: "link",
        inputs,
        thresholds,
        summary,
        curve,
        counts,
        fields,
        cluster_counts,
        unlinkable,
    };
    let mut page = Page::new();
    page.add("report", &data).map_err(failure)?;
    page.append(blocks);
    Ok((page.html(&title), chosen.len() as u64))
}
