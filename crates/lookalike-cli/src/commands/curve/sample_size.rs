//! Computes how many sampled shingles give a good estimate of a resemblance, or how good the estimate from a given number is
//! (Broder 1997, section 4.2).

use anyhow::Context;
use clap::Args;
use lookalike::{Error, ErrorKind, sketch::size};
use serde::Serialize;

use super::asked::{Asked, json, small};
use crate::output::{BOLD, DIM, count, counted};

#[derive(Args)]
pub(super) struct SampleSize {
    /// Show how many sampled shingles give an estimate within a margin
    ///
    /// The answer is for the resemblance that --at gives or, without --at, for any resemblance.
    #[arg(long, help_heading = "Sketch size")]
    sample_size: bool,
    /// Margin: how far the estimate may be off
    #[arg(
        long,
        value_name = "EPS",
        default_value_t = 0.05,
        allow_negative_numbers = true,
        requires = "sample_size"
    )]
    #[arg(help_heading = "Sketch size")]
    within: f64,
    /// Minimum probability that the estimate is within the margin
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.95,
        allow_negative_numbers = true,
        requires = "sample_size"
    )]
    #[arg(help_heading = "Sketch size")]
    confidence: f64,
    /// Show the probability for S sampled shingles instead
    ///
    /// The command prints the probability that S sampled shingles give an estimate within the margin.
    #[arg(
        long,
        value_name = "S",
        requires = "sample_size",
        conflicts_with = "confidence"
    )]
    #[arg(help_heading = "Sketch size")]
    sketch: Option<usize>,
    /// Show the probability of a gross overestimate among N documents
    ///
    /// The command prints the probability that at least one pair of these documents with a resemblance below 0.5 is estimated
    /// above 0.9. Without --sketch, the answer is the number of sampled shingles that keeps this probability below 1 minus
    /// --confidence.
    #[arg(long, value_name = "N", requires = "sample_size", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(help_heading = "Sketch size")]
    documents: Option<u64>,
}

/// The result for a collection.
#[derive(Serialize)]
struct Collection {
    documents: u64,
    pairs: f64,
    /// The number of sampled shingles.
    sketch: usize,
    /// The maximum probability that at least one pair below 0.5 is estimated above 0.9.
    half_taken_for_more_than_nine_tenths: f64,
}

/// A gross overestimate is an estimate above `NINE_TENTHS` for a pair with a resemblance below `HALF` (Broder 1997, section 4.2).
const HALF: f64 = 0.5;
const NINE_TENTHS: f64 = 0.9;

impl Collection {
    fn new(documents: u64, sketch: usize) -> Self {
        let anywhere = size::overestimated_anywhere(sketch, HALF, NINE_TENTHS, documents);
        Self {
            documents,
            pairs: size::pairs(documents),
            sketch,
            half_taken_for_more_than_nine_tenths: anywhere,
        }
    }

    fn words(&self) -> String {
        if self.pairs == 0.0 {
            return "one document has no pairs; give --documents 2 or more\n".into();
        }
        let pairs = match self.pairs {
            1.0 => "the one pair".into(),
            some if some < 1e9 => format!("any of the {} pairs", count(some as u64)),
            many => format!("any of the {many:.1e} pairs"),
        };
        format!(
            "the probability that {pairs} of {} documents with resemblance < 0.5\n\
             is estimated at > 0.9 by {} sampled shingles is at most {BOLD}{}{BOLD:#}\n",
            count(self.documents),
            count(self.sketch as u64),
            small(self.half_taken_for_more_than_nine_tenths),
        )
    }
}

/// The sample sizes that are needed.
#[derive(Serialize)]
struct Sizes {
    within: f64,
    confidence: f64,
    sizes: Vec<Size>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<Collection>,
}

#[derive(Serialize)]
struct Size {
    /// The resemblance that the sizes are for; none if the sizes are large enough for every resemblance.
    resemblance: Option<f64>,
    sketch: usize,
}

/// How precise the estimates of a sample are.
#[derive(Serialize)]
struct Precision {
    sketch: usize,
    within: f64,
    probabilities: Vec<Probability>,
    /// The maximum probability that a pair below 0.5 is estimated above 0.9.
    half_taken_for_more_than_nine_tenths: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<Collection>,
}

#[derive(Serialize)]
struct Probability {
    /// The resemblance that the probability is for; none if the probability holds for every resemblance.
    resemblance: Option<f64>,
    probability: f64,
}

impl SampleSize {
    pub(super) fn is_asked(&self) -> bool {
        self.sample_size
    }

    pub(super) fn page(&self, asked: &Asked) -> anyhow::Result<String> {
        let resemblances: Vec<Option<f64>> = if asked.at.is_empty() {
            vec![None]
        } else {
            asked.at.iter().copied().map(Some).collect()
        };
        match self.sketch {
            None => self.sizes(&resemblances, asked.json),
            Some(sketch) => self.precision(sketch, &resemblances, asked.json),
        }
    }

    fn sizes(&self, resemblances: &[Option<f64>], as_json: bool) -> anyhow::Result<String> {
        let Self {
            within, confidence, ..
        } = *self;
        let size = |&resemblance: &Option<f64>| {
            let sketch = size::smallest_sample(resemblance, within, confidence)
                .with_context(|| format!("--within {within} --confidence {confidence}"))?;
            Ok(Size {
                resemblance,
                sketch,
            })
        };
        let sizes = resemblances
            .iter()
            .map(size)
            .collect::<anyhow::Result<_>>()?;
        let collection = |documents| {
            let sketch =
                size::smallest_for_collection(HALF, NINE_TENTHS, documents, 1.0 - confidence)
                    .with_context(|| {
                        format!("--documents {documents} --confidence {confidence}")
                    })?;
            Ok::<_, anyhow::Error>(Collection::new(documents, sketch))
        };
        let collection = self.documents.map(collection).transpose()?;
        let report = Sizes {
            within,
            confidence,
            sizes,
            collection,
        };
        if as_json {
            return json(&report);
        }
        let mut page = format!(
            "{BOLD}sampled shingles needed to estimate a resemblance to within {within} with probability {confidence}{BOLD:#}\n\
             {DIM}Broder 1997, section 4.2{DIM:#}\n\n{BOLD}resemblance  shingles{BOLD:#}\n"
        );
        for Size {
            resemblance,
            sketch,
        } in &report.sizes
        {
            page += &format!("{:>11}  {:>8}\n", name(*resemblance), count(*sketch as u64));
        }
        if let Some(collection) = &report.collection {
            page += &format!(
                "\n{BOLD}sampled shingles needed for {}: {}{BOLD:#}\n{}",
                counted(collection.documents, "document"),
                count(collection.sketch as u64),
                collection.words()
            );
        }
        Ok(page)
    }

    fn precision(
        &self,
        sketch: usize,
        resemblances: &[Option<f64>],
        as_json: bool,
    ) -> anyhow::Result<String> {
        let within = self.within;
        match sketch {
            0 => return Err(Error::from(ErrorKind::EmptySample)).context("--sketch 0"),
            more if more > size::MAX_SAMPLE => {
                anyhow::bail!("--sketch must be at most {}, got {more}", size::MAX_SAMPLE)
            }
            _ => {}
        }
        size::check(None, within).with_context(|| format!("--within {within}"))?;
        let probability = |&resemblance: &Option<f64>| Probability {
            resemblance,
            probability: resemblance.map_or_else(
                || size::within_at_worst(sketch, within),
                |r| size::within(sketch, r, within),
            ),
        };
        let report = Precision {
            sketch,
            within,
            probabilities: resemblances.iter().map(probability).collect(),
            half_taken_for_more_than_nine_tenths: size::overestimated_above(
                sketch,
                HALF,
                NINE_TENTHS,
            ),
            collection: self
                .documents
                .map(|documents| Collection::new(documents, sketch)),
        };
        if as_json {
            return json(&report);
        }
        let mut page = format!(
            "{BOLD}probability that {} sampled shingles estimate a resemblance to within {within}{BOLD:#}\n\
             {DIM}Broder 1997, section 4.2{DIM:#}\n\n{BOLD}resemblance  probability{BOLD:#}\n",
            count(sketch as u64)
        );
        for Probability {
            resemblance,
            probability,
        } in &report.probabilities
        {
            page += &format!("{:>11}  {probability:>11.6}\n", name(*resemblance));
        }
        page += &format!(
            "\na pair with resemblance < 0.5 is estimated at > 0.9 with a probability of at most {BOLD}{}{BOLD:#}\n",
            small(report.half_taken_for_more_than_nine_tenths)
        );
        page += &report.collection.as_ref().map_or_else(
            || {
                format!(
                    "{DIM}for one pair; give --documents for all pairs of a collection{DIM:#}\n"
                )
            },
            Collection::words,
        );
        Ok(page)
    }
}

fn name(resemblance: Option<f64>) -> String {
    resemblance.map_or("any".into(), |r| r.to_string())
}
