//! Computes, for texts of several sizes, how likely it is that two similar texts share enough of their sampled shingles, or that
//! they share a super-shingle.

use anyhow::Context;
use clap::Args;
use lookalike::{
    Candidates, Choice, Config, ErrorKind, Method, Shared, lsh::Promise, sketch::Modulus,
    verify::Measure,
};
use lookalike_options::{CandidatesBy, choice, modulus};
use serde::Serialize;

use super::asked::{Asked, OfSize, by_size, json, promised, size_table};
use crate::output::BOLD;

#[derive(Args)]
pub(super) struct Sharing {
    /// What the documents of a candidate pair share
    ///
    /// [default: bands for resemblance, shared for containment]
    #[arg(long, value_parser = choice::<CandidatesBy>(), help_heading = "Sampled shingles")]
    candidates: Option<CandidatesBy>,
    /// Similarity measure [default: resemblance]
    #[arg(long, value_parser = choice::<Measure>(), help_heading = "Sampled shingles")]
    #[arg(conflicts_with_all = ["sample_size", "degree", "distance", "matrix"])]
    measure: Option<Measure>,
    /// For --candidates shared and super: sample one shingle in M
    ///
    /// M is a power of two and is the same for all texts. By default, the threshold and the recall determine the sampling.
    #[arg(long, value_name = "M", help_heading = "Sampled shingles")]
    #[arg(conflicts_with_all = ["sample_size", "degree", "distance", "matrix"])]
    modulus: Option<u64>,
    /// For --candidates super: sampled shingles per super-shingle
    ///
    /// By default, the threshold and the recall determine the number.
    #[arg(long, value_name = "W", help_heading = "Sampled shingles")]
    #[arg(conflicts_with_all = ["sample_size", "degree", "distance", "matrix"])]
    run_length: Option<usize>,
}

#[derive(Serialize)]
struct Report {
    threshold: f64,
    recall: f64,
    measure: Measure,
    modulus: Modulus,
    /// The number of sampled shingles in a super-shingle, if super-shingles are used.
    run_length: Option<usize>,
    /// The lowest P(found) of a pair at the threshold, and the minimum number of shingles that both texts of the pair must have
    /// for this P(found) to be promised.
    promise: Option<Promise>,
    found: Vec<OfSize>,
}

impl Sharing {
    /// Returns what the documents of a candidate pair must share, or `None` for bands. Fails if a given flag does not apply to
    /// this choice.
    pub(super) fn candidates(&self, asked: &Asked) -> anyhow::Result<Option<CandidatesBy>> {
        let measure = self.measure.unwrap_or_default();
        let way = self.candidates.unwrap_or(match measure {
            Measure::Resemblance => CandidatesBy::Bands,
            Measure::Containment => CandidatesBy::Shared,
        });
        let is_super = way == CandidatesBy::Super;
        let is_bands = way == CandidatesBy::Bands;
        for (flag, given, fits, meant) in [
            ("--bands", asked.are_bands, is_bands, "bands"),
            ("--at", !asked.at.is_empty(), is_bands, "bands"),
            (
                "--modulus",
                self.modulus.is_some(),
                !is_bands,
                "shared or --candidates super",
            ),
            ("--run-length", self.run_length.is_some(), is_super, "super"),
        ] {
            if given && !fits {
                let this = way.name();
                anyhow::bail!(
                    "{flag} only works with --candidates {meant}, not {this}; give --candidates {meant}, or leave {flag} out"
                );
            }
        }
        match (way, measure) {
            (CandidatesBy::Bands | CandidatesBy::Super, Measure::Containment) => {
                Err(lookalike::Error::from(ErrorKind::NoContainment))
                    .context("--measure containment")
            }
            (CandidatesBy::Bands, Measure::Resemblance) => Ok(None),
            _ => Ok(Some(way)),
        }
    }

    pub(super) fn page(&self, way: CandidatesBy, asked: &Asked) -> anyhow::Result<String> {
        let shared = Shared {
            modulus: self.modulus.map(modulus).transpose()?,
            super_shingles: way == CandidatesBy::Super,
            run: self.run_length,
            ..Shared::default()
        };
        let Asked {
            threshold, recall, ..
        } = *asked;
        let measure = self.measure.unwrap_or_default();
        let method = Method::new(Config {
            measure,
            threshold,
            recall,
            candidates: Candidates::Shared(shared),
            ..Config::default()
        })?;
        #[expect(clippy::expect_used, reason = "it was configured three lines above")]
        let (sharing, run_length) = method.sharing().expect("candidates by shared shingles");
        let report = Report {
            threshold,
            recall,
            measure,
            modulus: sharing.modulus(),
            run_length,
            promise: method.promise(),
            found: by_size(&method),
        };
        if asked.json {
            return json(&report);
        }
        let of = match measure {
            Measure::Resemblance => "resemblance",
            Measure::Containment => "containment",
        };
        let head = format!(
            "{BOLD}{}{BOLD:#}: share of pairs at {of} {threshold} that is found (requested: {recall})",
            method.found_by()
        );
        let promised = report
            .promise
            .map_or(String::new(), |promise| promised(promise) + "\n");
        Ok(format!("{head}\n{promised}\n{}", size_table(&report.found)))
    }
}
