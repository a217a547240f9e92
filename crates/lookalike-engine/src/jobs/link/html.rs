//! The page to look at: pairs field by field, and the distribution of scores.

use std::collections::BTreeSet;

use lookalike::fingerprint::finish;
use lookalike_applications::records::{Linker, Scored};
use lookalike_io::{error::Result, write::plain};
use lookalike_report::Page;
use serde::Serialize;
use serde_json::Value;

use super::{
    collections::shown_names,
    fields::{LinkExplained, explained},
    records::Gathered,
};
use crate::{
    config::RunConfig,
    reporting::collecting::{failure, without_times},
};

/// The number of pairs next to each threshold, and of pairs from all scores, that the page has.
const NEAR: usize = 500;
const SPREAD: usize = 1000;

/// The number of bars in the histogram of scores.
const BARS: usize = 100;

/// The number of pairs in a block of data.
const BLOCK: usize = 250;

/// The pairs of the page, chosen while all pairs pass.
pub(super) struct Picked {
    thresholds: [f64; 2],
    /// For each threshold, the nearest pairs: their distance to it in ten-thousandths, and their records.
    near: [BTreeSet<(u32, u32, u32)>; 2],
    /// Pairs in the order of a hash, so that the choice does not depend on the place in the input.
    spread: BTreeSet<(u64, u32, u32)>,
    scores: Vec<u64>,
}

impl Picked {
    pub(super) fn new(linker: &Linker) -> Self {
        let thresholds = [linker.config().most(), linker.config().least()];
        Self { thresholds, near: [BTreeSet::new(), BTreeSet::new()], spread: BTreeSet::new(), scores: vec![0; BARS] }
    }

    pub(super) fn take(&mut self, linker: &Linker, &Scored { a, b, score }: &Scored) {
        let score = linker.share(score);
        self.scores[((score * BARS as f64 + 1e-9) as usize).min(BARS - 1)] += 1;
        for (near, threshold) in self.near.iter_mut().zip(self.thresholds) {
            near.insert((((score - threshold).abs() * 1e4).round() as u32, a, b));
            if near.len() > NEAR {
                near.pop_last();
            }
        }
        self.spread.insert((finish(u64::from(a) << 32 | u64::from(b)), a, b));
        if self.spread.len() > SPREAD {
            self.spread.pop_last();
        }
    }
}

/// The data of the page; `web/src/views/link.tsx` has the same types.
#[derive(Serialize)]
struct Data<'a, S> {
    program: &'static str,
    command: &'static str,
    inputs: Vec<String>,
    /// The lowest score of a match, and of a possible match.
    thresholds: [f64; 2],
    summary: &'a S,
    /// How many pairs have a score from each hundredth to the next.
    scores: &'a [u64],
    /// The number of pairs in each block `pairs-0`, `pairs-1` and so on.
    counts: Vec<usize>,
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
    picked: &Picked,
    summary: &impl Serialize,
) -> Result<(String, u64)> {
    let near = picked.near.iter().flatten().map(|&(_, a, b)| (a, b));
    let chosen: BTreeSet<(u32, u32)> = near.chain(picked.spread.iter().map(|&(_, a, b)| (a, b))).collect();
    let chosen: Vec<(u32, u32)> = chosen.into_iter().collect();
    let mut blocks = Page::new();
    let mut counts = Vec::new();
    for (number, block) in chosen.chunks(BLOCK).enumerate() {
        let pairs: Result<Vec<Value>> = block.iter().map(|&(a, b)| shown(&explained(gathered, linker, a, b)?)).collect();
        blocks.add(&format!("pairs-{number}"), &pairs?).map_err(failure)?;
        counts.push(block.len());
    }
    let inputs = shown_names(config);
    let title = format!("{} – lookalike link", inputs.join(", "));
    let (program, thresholds) = (env!("CARGO_PKG_VERSION"), picked.thresholds);
    let summary = &without_times(summary)?;
    let data = Data { program, command: "link", inputs, thresholds, summary, scores: &picked.scores, counts };
    let mut page = Page::new();
    page.add("report", &data).map_err(failure)?;
    page.append(blocks);
    Ok((page.html(&title), chosen.len() as u64))
}
