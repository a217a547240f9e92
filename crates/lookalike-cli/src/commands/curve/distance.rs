//! Computes the share of similar pairs whose SimHashes differ in few bits.

use clap::Args;
use lookalike::{
    Candidates, Config, Method, SimHashBy,
    lsh::{Blocks, Promise, Shape},
    sketch::{self, Width},
};
use serde::Serialize;

use super::asked::{Asked, OfSize, Point, by_size, promised, size_table, small};
use crate::output::{BOLD, DIM, count};

#[derive(Args)]
pub(super) struct Distance {
    /// Show the curve for SimHashes that differ in at most D bits
    ///
    /// [default: the number of bits that are expected to differ at the threshold]
    #[arg(long, value_name = "D", num_args = 0..=1, help_heading = "SimHash")]
    pub(super) distance: Option<Option<u32>>,
    /// Bits per hash, 64 or 128 [default: 64]
    #[arg(
        long,
        value_name = "BITS",
        requires = "distance",
        help_heading = "SimHash"
    )]
    bits: Option<u32>,
    /// Blocks per hash [default: --distance plus 1]
    #[arg(
        long,
        value_name = "B",
        requires = "distance",
        help_heading = "SimHash"
    )]
    blocks: Option<u32>,
}

#[derive(Serialize)]
struct Report {
    threshold: f64,
    recall: f64,
    bits: u32,
    distance: u32,
    /// The resemblance that the distance corresponds to.
    resemblance: f64,
    blocks: u32,
    tables: usize,
    /// The average number of tables in which two random hashes match.
    #[serde(rename = "random_meetings")]
    accidental_matches: f64,
    /// P(found) at the threshold, for large texts.
    found_at_threshold: f64,
    /// The lowest P(found), and the minimum number of shingles that a text must have for this bound.
    promise: Option<Promise>,
    found_by_size: Vec<OfSize>,
    /// The smallest distance that reaches the requested recall at the threshold.
    distance_for_recall: Option<u32>,
    found: Vec<Point>,
}

impl Distance {
    pub(super) fn page(&self, distance: Option<u32>, asked: &Asked) -> anyhow::Result<String> {
        let Asked {
            threshold, recall, ..
        } = *asked;
        Shape::check(threshold, recall)?;
        let width = self
            .bits
            .map(Width::try_from)
            .transpose()?
            .unwrap_or_default();
        let distance = distance.unwrap_or_else(|| sketch::distance_at(threshold, width));
        let blocks = Blocks::new(
            width,
            distance,
            self.blocks.unwrap_or(distance.saturating_add(1)),
        )?;
        let by = SimHashBy {
            bits: width,
            distance: Some(distance),
            blocks: Some(blocks.blocks()),
            ..SimHashBy::default()
        };
        let method = Method::new(Config {
            threshold,
            recall,
            candidates: Candidates::SimHash(by),
            ..Config::default()
        })?;
        let found = |s| sketch::within_distance(s, width, distance);
        let reaches =
            |&distance: &u32| sketch::within_distance(threshold, width, distance) >= recall;
        let report = Report {
            threshold,
            recall,
            bits: width.bits(),
            distance,
            resemblance: sketch::resemblance_at(distance, width),
            blocks: blocks.blocks(),
            tables: blocks.tables(),
            accidental_matches: blocks.accidental_matches(),
            found_at_threshold: found(threshold),
            promise: method.promise(),
            found_by_size: by_size(&method),
            distance_for_recall: (0..width.bits()).find(reaches),
            found: asked.points(found),
        };
        asked.page(&report, &head(&report), &report.found, found)
    }
}

fn head(r: &Report) -> String {
    let mut head = format!(
        "{BOLD}SimHashes that differ in up to {} of {} bits{BOLD:#} find {BOLD}{:.4}{BOLD:#} of the pairs at {}\n\
         {DIM}Charikar 2002, section 3; Manku, Jain, Das Sarma 2007, section 3; for large texts with equally many shingles, each once{DIM:#}\n\
         equivalent resemblance       {:.4}\n",
        r.distance, r.bits, r.found_at_threshold, r.threshold, r.resemblance,
    );
    if let Some(distance) = r.distance_for_recall {
        head += &format!(
            "bits for recall {:<12} {distance}  {DIM}for pairs at {}{DIM:#}\n",
            r.recall, r.threshold
        );
    }
    head += &format!(
        "tables                       {}  {DIM}of {} blocks{DIM:#}\n\
         tables a random pair shares  {}  {DIM}on average; more for dissimilar texts with words in common{DIM:#}\n",
        count(r.tables as u64),
        r.blocks,
        small(r.accidental_matches)
    );
    let promised = r
        .promise
        .map_or(String::new(), |promise| promised(promise) + "\n");
    head + &format!("{promised}\n{}", size_table(&r.found_by_size))
}
