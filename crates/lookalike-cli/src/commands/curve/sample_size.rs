//! How many sampled shingles estimate a resemblance well enough, or how well so many do (Broder 1997, section 4.2).

use anyhow::Context;
use clap::Args;
use lookalike::{Error, ErrorKind, sketch::size};
use serde::Serialize;

use super::asked::{Asked, json, small};
use crate::output::{BOLD, DIM, count, counted};

#[derive(Args)]
pub(super) struct SampleSize {
    /// Tell how many sampled shingles estimate a resemblance to within a margin: the one that --at names, or any
    #[arg(long, help_heading = "How large a sketch")]
    sample_size: bool,
    /// The margin: how far an estimate may be off
    #[arg(long, value_name = "EPS", default_value_t = 0.05, allow_negative_numbers = true, requires = "sample_size")]
    #[arg(help_heading = "How large a sketch")]
    within: f64,
    /// How probable it must be that an estimate is within the margin
    #[arg(long, value_name = "P", default_value_t = 0.95, allow_negative_numbers = true, requires = "sample_size")]
    #[arg(help_heading = "How large a sketch")]
    confidence: f64,
    /// Tell how probably S sampled shingles estimate to within the margin, instead of how many it takes
    #[arg(long, value_name = "S", requires = "sample_size", conflicts_with = "confidence")]
    #[arg(help_heading = "How large a sketch")]
    sketch: Option<usize>,
    /// Also say how probable it is that any pair of N documents that resembles by less than 0.5 is estimated at more than 0.9; without
    /// --sketch, how many sampled shingles keep that below what --confidence leaves
    #[arg(long, value_name = "N", requires = "sample_size", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(help_heading = "How large a sketch")]
    documents: Option<u64>,
}

/// What a collection asks for.
#[derive(Serialize)]
struct Collection {
    documents: u64,
    pairs: f64,
    /// Sampled shingles.
    sketch: usize,
    /// At most how probably any pair below 0.5 is estimated above 0.9.
    half_taken_for_more_than_nine_tenths: f64,
}

/// Resemblances that are not to be taken for each other (Broder 1997, section 4.2).
const HALF: f64 = 0.5;
const NINE_TENTHS: f64 = 0.9;

impl Collection {
    fn new(documents: u64, sketch: usize) -> Self {
        let anywhere = size::overestimated_anywhere(sketch, HALF, NINE_TENTHS, documents);
        Self { documents, pairs: size::pairs(documents), sketch, half_taken_for_more_than_nine_tenths: anywhere }
    }

    fn words(&self) -> String {
        if self.pairs == 0.0 {
            return "one document has no pair; give --documents 2 or more\n".into();
        }
        let pairs = match self.pairs {
            1.0 => "the one pair".into(),
            some if some < 1e9 => format!("any of the {} pairs", count(some as u64)),
            many => format!("any of the {many:.1e} pairs"),
        };
        format!(
            "{pairs} of {} documents that resembles by less than 0.5 is estimated by {} at more than 0.9\n\
             with probability {BOLD}{}{BOLD:#} at most\n",
            count(self.documents),
            count(self.sketch as u64),
            small(self.half_taken_for_more_than_nine_tenths),
        )
    }
}

/// What samples it takes.
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
    /// None is any.
    resemblance: Option<f64>,
    sketch: usize,
}

/// What a sample tells.
#[derive(Serialize)]
struct Precision {
    sketch: usize,
    within: f64,
    probabilities: Vec<Probability>,
    /// At most how probably a pair below 0.5 is estimated above 0.9.
    half_taken_for_more_than_nine_tenths: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<Collection>,
}

#[derive(Serialize)]
struct Probability {
    /// None is any.
    resemblance: Option<f64>,
    probability: f64,
}

impl SampleSize {
    pub(super) fn is_asked(&self) -> bool {
        self.sample_size
    }

    pub(super) fn page(&self, asked: &Asked) -> anyhow::Result<String> {
        let resemblances: Vec<Option<f64>> = match asked.at.is_empty() {
            true => vec![None],
            false => asked.at.iter().copied().map(Some).collect(),
        };
        match self.sketch {
            None => self.sizes(&resemblances, asked.json),
            Some(sketch) => self.precision(sketch, &resemblances, asked.json),
        }
    }

    fn sizes(&self, resemblances: &[Option<f64>], as_json: bool) -> anyhow::Result<String> {
        let Self { within, confidence, .. } = *self;
        let size = |&resemblance: &Option<f64>| {
            let sketch = size::smallest_sample(resemblance, within, confidence)
                .with_context(|| format!("--within {within} --confidence {confidence}"))?;
            Ok(Size { resemblance, sketch })
        };
        let sizes = resemblances.iter().map(size).collect::<anyhow::Result<_>>()?;
        let collection = |documents| {
            let sketch = size::smallest_for_collection(HALF, NINE_TENTHS, documents, 1.0 - confidence)
                .with_context(|| format!("--documents {documents} --confidence {confidence}"))?;
            Ok::<_, anyhow::Error>(Collection::new(documents, sketch))
        };
        let collection = self.documents.map(collection).transpose()?;
        let report = Sizes { within, confidence, sizes, collection };
        if as_json {
            return json(&report);
        }
        let mut page = format!(
            "{BOLD}sampled shingles, at least, that estimate a resemblance to within {within} with probability {confidence}{BOLD:#}\n\
             {DIM}Broder 1997, section 4.2{DIM:#}\n\n{BOLD}resemblance  shingles{BOLD:#}\n"
        );
        for Size { resemblance, sketch } in &report.sizes {
            page += &format!("{:>11}  {:>8}\n", name(*resemblance), count(*sketch as u64));
        }
        if let Some(collection) = &report.collection {
            page += &format!(
                "\n{BOLD}sampled shingles, at least, for {}: {}{BOLD:#}\n{}",
                counted(collection.documents, "document"),
                count(collection.sketch as u64),
                collection.words()
            );
        }
        Ok(page)
    }

    fn precision(&self, sketch: usize, resemblances: &[Option<f64>], as_json: bool) -> anyhow::Result<String> {
        let within = self.within;
        match sketch {
            0 => return Err(Error::from(ErrorKind::EmptySample)).context("--sketch 0"),
            more if more > size::MAX_SAMPLE => {
                anyhow::bail!("--sketch {more}: more than is reckoned with; give a number up to {}", size::MAX_SAMPLE)
            }
            _ => {}
        }
        size::check(None, within).with_context(|| format!("--within {within}"))?;
        let probability = |&resemblance: &Option<f64>| Probability {
            resemblance,
            probability: resemblance.map_or_else(|| size::within_at_worst(sketch, within), |r| size::within(sketch, r, within)),
        };
        let report = Precision {
            sketch,
            within,
            probabilities: resemblances.iter().map(probability).collect(),
            half_taken_for_more_than_nine_tenths: size::overestimated_above(sketch, HALF, NINE_TENTHS),
            collection: self.documents.map(|documents| Collection::new(documents, sketch)),
        };
        if as_json {
            return json(&report);
        }
        let mut page = format!(
            "{BOLD}how probably {} sampled shingles estimate a resemblance to within {within}{BOLD:#}\n\
             {DIM}Broder 1997, section 4.2{DIM:#}\n\n{BOLD}resemblance  probability{BOLD:#}\n",
            count(sketch as u64)
        );
        for Probability { resemblance, probability } in &report.probabilities {
            page += &format!("{:>11}  {probability:>11.6}\n", name(*resemblance));
        }
        page += &format!(
            "\na pair that resembles by less than 0.5 is estimated at more than 0.9 with probability {BOLD}{}{BOLD:#} at most\n",
            small(report.half_taken_for_more_than_nine_tenths)
        );
        page += &report.collection.as_ref().map_or_else(
            || format!("{DIM}of one pair; give --documents for all pairs of a collection{DIM:#}\n"),
            Collection::words,
        );
        Ok(page)
    }
}

fn name(resemblance: Option<f64>) -> String {
    resemblance.map_or("any".into(), |r| r.to_string())
}
