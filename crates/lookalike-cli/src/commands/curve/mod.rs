//! `lookalike curve`: what is found and what is estimated, reckoned before anything is read.

mod bands;

mod distance;

mod ids;

mod matrix;

mod sample_size;

mod sharing;

use std::process::ExitCode;

use clap::{ArgGroup, Args};
use lookalike::{Config, Method, lsh::Promise};
use serde::Serialize;
use textplots::{Chart, Plot, Shape as Line};

use self::{bands::Bands, distance::Distance, ids::Ids, matrix::Matrix, sample_size::SampleSize, sharing::Sharing};
use crate::output::{BOLD, DIM, count, print};

/// Show which share of the similar pairs is found
///
/// Two documents become candidates when all rows of one band of their signatures agree: P(found) = 1 − (1 − sʳ)ᵇ at
/// similarity s. The threshold and the recall that you ask for choose b bands of r rows; or give them and see what they find.
///
/// Other questions: how large a sketch estimates well enough (--sample-size), what short ids of shingles lose (--degree), which
/// pairs SimHash finds (--distance), which ones sampled shingles find, by the size of the texts (--candidates), and what signatures
/// given permutations or hash functions make of given sets (--matrix).
#[derive(Args)]
#[command(group = ArgGroup::new("question").args(["sample_size", "degree", "distance", "candidates", "matrix"]))]
#[command(after_help = "Examples:\n  lookalike curve --threshold 0.7 --recall 0.995\n  \
    lookalike curve --bands 20 --rows 5 --at 0.3 --at 0.8\n  \
    lookalike curve --sample-size --within 0.05 --confidence 0.99 --at 0.8\n  \
    lookalike curve --sample-size --sketch 100 --documents 30000000\n  \
    lookalike curve --degree 32 --shingles 5000\n  \
    lookalike curve --distance 3\n  \
    lookalike curve --candidates shared --measure containment --threshold 0.9\n  \
    lookalike curve --matrix rows.txt --permutation 3,4,7,6,1,2,5 --hash '2x+1 mod 5'")]
pub struct Curve {
    /// Similarity from which two documents are roughly the same
    #[arg(long, short, value_name = "T", default_value_t = Config::default().threshold, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["sample_size", "degree", "matrix"])]
    threshold: f64,
    /// Share of the pairs at the threshold that must be found
    #[arg(long, value_name = "P", default_value_t = Config::default().recall, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["sample_size", "degree", "matrix"])]
    recall: f64,
    #[command(flatten)]
    bands: Bands,
    /// Print P(found) at this similarity; with --sample-size or --degree, ask about this resemblance. May be given several times
    #[arg(long, value_name = "S", allow_negative_numbers = true, conflicts_with = "matrix")]
    at: Vec<f64>,
    /// Print all as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sample_size: SampleSize,
    #[command(flatten)]
    ids: Ids,
    #[command(flatten)]
    distance: Distance,
    #[command(flatten)]
    sharing: Sharing,
    #[command(flatten)]
    matrix: Matrix,
}

/// Texts for which P(found) is shown, in shingles.
const SIZES: [usize; 9] = [4, 5, 9, 10, 20, 50, 100, 200, 1000];

/// P(found) of pairs at the threshold by the shingles of the smaller text, at the least.
#[derive(Serialize)]
struct OfSize {
    shingles: usize,
    found: f64,
}

/// What a method finds of texts of some sizes.
fn by_size(method: &Method) -> Vec<OfSize> {
    let found = method.found_at_threshold_of_sizes();
    found.iter().flat_map(|found| SIZES.map(|shingles| OfSize { shingles, found: found(shingles) })).collect()
}

fn size_table(sizes: &[OfSize]) -> String {
    let head = format!("{BOLD}shingles  P(found){BOLD:#}  {DIM}at the least; shingles of the smaller text{DIM:#}\n");
    let lines = sizes.iter().map(|of| format!("{:>8}  {:.6}\n", count(of.shingles as u64), of.found));
    head + &lines.collect::<String>()
}

/// The promise in words.
fn promised(Promise { found, from }: Promise) -> String {
    let texts = if from == 1 { "all texts".into() } else { format!("texts of {} shingles or more", count(from as u64)) };
    format!("promised for {texts}: {BOLD}{found:.4}{BOLD:#} or more")
}

/// A point of a curve.
#[derive(Serialize)]
struct Point {
    similarity: f64,
    found: f64,
}

impl Curve {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(wrong) = self.at.iter().find(|s| !(0.0..=1.0).contains(*s)) {
            anyhow::bail!("--at {wrong}: a similarity is a number from 0 to 1");
        }
        let page = if self.matrix.is_asked() {
            self.matrix.page(self.json)
        } else if self.sample_size.is_asked() {
            self.sample_size.page(&self)
        } else if let Some(degree) = self.ids.degree {
            self.ids.page(degree, &self)
        } else if let Some(distance) = self.distance.distance {
            self.distance.page(distance, &self)
        } else if let Some(candidates) = self.sharing.candidates(&self)? {
            self.sharing.page(candidates, &self)
        } else {
            self.bands.page(&self)
        };
        print(&page?)?;
        Ok(ExitCode::SUCCESS)
    }

    /// P(found) where it is asked for, or all along.
    fn points(&self, found: impl Fn(f64) -> f64) -> Vec<Point> {
        let steps = (1..=20).map(|i| f64::from(i) / 20.0);
        let similarities: Vec<f64> = if self.at.is_empty() { steps.collect() } else { self.at.clone() };
        similarities.into_iter().map(|similarity| Point { similarity, found: found(similarity) }).collect()
    }

    /// A curve's report as it is asked for: as JSON, its points alone, or `head`, table and chart.
    fn curve_page(
        &self,
        report: &impl Serialize,
        head: &str,
        points: &[Point],
        found: impl Fn(f64) -> f64,
    ) -> anyhow::Result<String> {
        if self.json {
            return json(report);
        }
        if !self.at.is_empty() {
            return Ok(points.iter().map(|point| format!("{:.4}  {:.6}\n", point.similarity, point.found)).collect());
        }
        let mut page = format!("{head}\n{BOLD}similarity  P(found){BOLD:#}\n");
        for p in points {
            let mark = if (p.similarity - self.threshold).abs() < 1e-9 { "  ← threshold" } else { "" };
            page += &format!("      {:.2}  {:.6}{mark}\n", p.similarity, p.found);
        }
        let found = Line::Continuous(Box::new(|s| found(f64::from(s)) as f32));
        let mut chart = Chart::new_with_y_range(120, 48, 0.0, 1.0, 0.0, 1.0);
        let chart = chart.lineplot(&found);
        chart.axis();
        chart.figures();
        Ok(format!("{page}\n{chart}\n"))
    }
}

fn json(report: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}

/// A probability or a difference, with digits however small it is.
fn small(number: f64) -> String {
    if number == 0.0 || number >= 0.001 { format!("{number:.6}") } else { format!("{number:.1e}") }
}
