//! Which pairs share enough of their sampled shingles, or a super-shingle, by the size of the texts.

use anyhow::Context;
use clap::{Args, ValueEnum};
use lookalike::{Candidates, Config, ErrorKind, Method, Shared, sketch::Modulus, verify::Measure};
use serde::Serialize;

use super::{Curve, json};
use crate::{
    args::{CandidatesBy, MeasureBy, modulus},
    output::{BOLD, DIM, count},
};

#[derive(Args)]
pub(super) struct Sharing {
    /// By what samples of shingles documents meet [default: bands; for containment, shared]
    #[arg(long, value_enum, help_heading = "Sampled shingles")]
    candidates: Option<CandidatesBy>,
    /// What is measured of two texts
    #[arg(long, value_enum, default_value_t = MeasureBy::Resemblance, help_heading = "Sampled shingles")]
    #[arg(conflicts_with_all = ["sample_size", "degree", "distance"])]
    measure: MeasureBy,
    /// Of shared and super: sample one shingle in M, a power of two, of every text, instead of what the threshold and the recall
    /// choose
    #[arg(long, value_name = "M", help_heading = "Sampled shingles")]
    #[arg(conflicts_with_all = ["sample_size", "degree", "distance"])]
    modulus: Option<u64>,
    /// Of super: sampled shingles in a super-shingle, instead of what the threshold and the recall choose
    #[arg(long, value_name = "W", help_heading = "Sampled shingles")]
    #[arg(conflicts_with_all = ["sample_size", "degree", "distance"])]
    run_length: Option<usize>,
}

/// Texts that are told of, in shingles.
const SIZES: [usize; 6] = [5, 10, 20, 50, 100, 1000];

#[derive(Serialize)]
struct Report {
    threshold: f64,
    recall: f64,
    measure: Measure,
    modulus: Modulus,
    /// Sampled shingles of a super-shingle, where those are shared.
    run_length: Option<usize>,
    found: Vec<Found>,
}

#[derive(Serialize)]
struct Found {
    shingles: usize,
    found: f64,
}

impl Sharing {
    /// The asked way of sharing sampled shingles; none where bands are asked about. Flags of another way are refused.
    pub(super) fn candidates(&self, asked: &Curve) -> anyhow::Result<Option<CandidatesBy>> {
        let way = self.candidates.unwrap_or(match self.measure {
            MeasureBy::Resemblance => CandidatesBy::Bands,
            MeasureBy::Containment => CandidatesBy::Shared,
        });
        let is_super = way == CandidatesBy::Super;
        let is_bands = way == CandidatesBy::Bands;
        for (flag, given, fits, meant) in [
            ("--bands", asked.bands.are_given(), is_bands, "bands"),
            ("--at", !asked.at.is_empty(), is_bands, "bands"),
            ("--modulus", self.modulus.is_some(), !is_bands, "shared or --candidates super"),
            ("--run-length", self.run_length.is_some(), is_super, "super"),
        ] {
            if given && !fits {
                let this = way.to_possible_value().map_or(String::new(), |value| value.get_name().into());
                anyhow::bail!(
                    "{flag} goes with --candidates {meant}, and this is --candidates {this}: give that, or leave {flag} out"
                );
            }
        }
        match (way, self.measure) {
            (CandidatesBy::Bands | CandidatesBy::Super, MeasureBy::Containment) => {
                Err(lookalike::Error::from(ErrorKind::NoContainment)).context("--measure containment")
            }
            (CandidatesBy::Bands, MeasureBy::Resemblance) => Ok(None),
            _ => Ok(Some(way)),
        }
    }

    pub(super) fn page(&self, way: CandidatesBy, asked: &Curve) -> anyhow::Result<String> {
        let shared = Shared {
            modulus: self.modulus.map(modulus).transpose()?,
            super_shingles: way == CandidatesBy::Super,
            run: self.run_length,
            ..Shared::default()
        };
        let Curve { threshold, recall, .. } = *asked;
        let measure = self.measure.into();
        let method =
            Method::new(Config { measure, threshold, recall, candidates: Candidates::Shared(shared), ..Config::default() })?;
        #[expect(clippy::expect_used, reason = "it was asked for three lines above")]
        let (sharing, run_length) = method.sharing().expect("candidates by shared shingles");
        let found = |&shingles: &usize| Some(Found { shingles, found: method.found_at_threshold_of_size(shingles)? });
        let report = Report {
            threshold,
            recall,
            measure,
            modulus: sharing.modulus(),
            run_length,
            found: SIZES.iter().filter_map(found).collect(),
        };
        if asked.json {
            return json(&report);
        }
        let (of, each) = match measure {
            Measure::Resemblance => ("resemblance", "that either text has"),
            Measure::Containment => ("containment", "of the smaller text"),
        };
        let mut page = format!(
            "{BOLD}{}{BOLD:#}: pairs at {of} {threshold} that are found (asked: {recall})\n\n\
             {BOLD}shingles  P(found){BOLD:#}  {DIM}shingles: those {each}{DIM:#}\n",
            method.found_by(),
        );
        for Found { shingles, found } in &report.found {
            page += &format!("{:>8}  {found:.6}\n", count(*shingles as u64));
        }
        Ok(page)
    }
}
