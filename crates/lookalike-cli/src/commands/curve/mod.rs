//! `lookalike curve`: computes the share of pairs that a method finds, and how good estimates are, without reading any data.

mod asked;

mod bands;

mod distance;

mod ids;

mod matrix;

mod sample_size;

mod sharing;

mod sketches;

use std::process::ExitCode;

use clap::{ArgGroup, Args};
use lookalike::Config;

use self::{
    asked::Asked, bands::Bands, distance::Distance, ids::Ids, matrix::Matrix,
    sample_size::SampleSize, sharing::Sharing, sketches::Sketches,
};
use crate::output::print;

/// Show the expected recall: the share of similar pairs that is found
///
/// The signature of a document is a list of numbers, which is cut into b bands of r rows. Two documents become candidates if they
/// agree in all rows of at least one band: P(found) = 1 − (1 − sʳ)ᵇ at similarity s. The given threshold and recall determine b
/// and r. You can also give the bands and rows to see which share of the pairs they find.
///
/// Other flags make the command answer other questions. --sample-size: how large must a sketch be for a good estimate? --degree:
/// how many shingles are lost if their ids have few bits? --distance: which pairs does SimHash find? --candidates: which pairs
/// are found by sampled shingles, for texts of several sizes? --sketches: what do the sketches in a file find? --matrix: which signatures do the given permutations or hash
/// functions produce for the given sets?
#[derive(Args)]
#[command(group = ArgGroup::new("question").args(["sample_size", "degree", "distance", "candidates", "matrix", "files"]))]
#[command(
    after_help = "Examples:\n  lookalike curve --threshold 0.7 --recall 0.995\n  \
    lookalike curve --bands 20 --rows 5 --at 0.3 --at 0.8\n  \
    lookalike curve --sample-size --within 0.05 --confidence 0.99 --at 0.8\n  \
    lookalike curve --sample-size --sketch 100 --documents 30000000\n  \
    lookalike curve --degree 32 --shingles 5000\n  \
    lookalike curve --distance 3\n  \
    lookalike curve --candidates shared --measure containment --threshold 0.9\n  \
    lookalike curve --sketches sketches.parquet --threshold 0.9\n  \
    lookalike curve --matrix rows.txt --permutation 3,4,7,6,1,2,5 --hash '2x+1 mod 5'"
)]
pub struct Curve {
    /// Minimum similarity of duplicates
    #[arg(long, short, value_name = "T", default_value_t = Config::default().threshold, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["sample_size", "degree", "matrix"])]
    threshold: f64,
    /// Share of pairs to find at the threshold
    #[arg(long, value_name = "P", default_value_t = Config::default().recall, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["sample_size", "degree", "matrix"])]
    recall: f64,
    #[command(flatten)]
    bands: Bands,
    /// Print P(found) at this similarity; can be repeated
    ///
    /// With --sample-size or --degree, the results are computed for this resemblance.
    #[arg(
        long,
        value_name = "S",
        allow_negative_numbers = true,
        conflicts_with = "matrix"
    )]
    at: Vec<f64>,
    /// Print the results as JSON
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
    #[command(flatten)]
    sketches: Sketches,
}

impl Curve {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(wrong) = self.at.iter().find(|s| !(0.0..=1.0).contains(*s)) {
            anyhow::bail!("--at {wrong}: a similarity is a number from 0 to 1");
        }
        let Self {
            threshold,
            recall,
            json,
            ..
        } = self;
        let asked = Asked {
            threshold,
            recall,
            are_bands: self.bands.are_given(),
            at: self.at,
            json,
        };
        let page = if self.matrix.is_asked() {
            self.matrix.page(json)
        } else if self.sample_size.is_asked() {
            self.sample_size.page(&asked)
        } else if let Some(degree) = self.ids.degree {
            self.ids.page(degree, &asked)
        } else if let Some(distance) = self.distance.distance {
            self.distance.page(distance, &asked)
        } else if self.sketches.are_named() {
            self.sketches.page(&asked)
        } else if let Some(candidates) = self.sharing.candidates(&asked)? {
            self.sharing.page(candidates, &asked)
        } else {
            self.bands.page(&asked)
        };
        print(&page?)?;
        Ok(ExitCode::SUCCESS)
    }
}
