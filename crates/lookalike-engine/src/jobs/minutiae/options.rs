//! The options of `minutiae`, and its plan.

use std::{num::NonZeroU32, path::PathBuf, str::FromStr};

use lookalike::{choices, shown::cut};
use lookalike_applications::minutiae::{By, Field, Neighbours, Reranked, Triangles};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    format::Format,
    words,
};
use lookalike_options::{
    Execution, Given, Parsed, RecordFiles, choice, choice_of, options, refuse_other,
};

use super::{
    card::{Cards, First},
    comparing::Comparison,
};
use crate::config::RunConfig;

/// The values of a minutia that are read.
const COLUMNS: [&str; 3] = ["x", "y", "angle"];

/// The formats of prints.
const OF_PRINTS: &[Format] = &[Format::Lines, Format::Array, Format::Delimited];

options! {
/// The options of `minutiae`.
pub struct MinutiaeOptions {
    /// Write the pairs to FILE instead of standard output
    ///
    /// FILE can be a URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How prints are compared [default: neighbours]
    #[arg(long, value_parser = choice::<PrintsBy>())]
    pub by: Option<PrintsBy>,
    /// Write the best N pairs, or N% of all pairs of prints [default: 1%]
    #[arg(long, value_name = "N")]
    pub first: Option<Parsed<First>>,
    /// Format of all inputs [default: detected by extension and first bytes]
    #[arg(long, value_parser = choice_of(OF_PRINTS), value_name = "FORMAT", help_heading = "Input")]
    pub format: Option<Format>,
    #[command(flatten)]
    pub files: RecordFiles,
    /// Field with the minutiae; not used for CSV [default: minutiae]
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub minutiae_field: Option<String>,
    /// Field or column with the id [default: id]
    ///
    /// An id is a string or a number. A record without this field gets an id of the form file:line. In CSV, the rows with the same id
    /// are one print, so each row needs one.
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub id_field: Option<String>,
    /// Names of the values of a minutia, in order [default: x,y,angle]
    ///
    /// x, y and angle are used; all other values are ignored. In CSV, the header names the columns, and this flag is not used.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Input")]
    pub columns: Vec<String>,
    /// Value of a full turn in the unit of the angles [default: 256]
    ///
    /// The value is 256 on ISO/IEC 19794-2 cards, and 360 for degrees.
    #[arg(long, value_name = "T", help_heading = "Input")]
    pub turn: Option<f64>,
    /// y grows upwards, as in NIST's xyt files [default: downwards, as in ISO]
    ///
    /// Angles grow counter-clockwise.
    #[arg(long, help_heading = "Input")]
    pub upwards: bool,
    /// Compare only prints with the same value of this field
    ///
    /// For example, FIELD can be the sensor. In CSV, all rows of a print must have the same value. Templates have the fields
    /// position, view and impression.
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub within: Option<String>,
    /// Field that identifies the finger, to evaluate the result
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub label: Option<String>,
    /// Align only the K nearest prints of each print [default: all; 16 with --by reranked]
    ///
    /// This flag is for --by aligned and --by reranked. The nearest prints are found by triangles, and pairs that are not among them
    /// are not in the result. The scores of the others are the same for any number.
    #[arg(long, value_name = "K", help_heading = "Triangles")]
    pub nearest: Option<NonZeroU32>,
    /// Ignore triangles that more than N prints have [default: no limit; 50 with --by reranked and with --nearest]
    ///
    /// Such triangles say little, and without a limit, the time grows with the square of the number of prints.
    #[arg(long, value_name = "N", help_heading = "Triangles")]
    pub common: Option<NonZeroU32>,
    /// Side of a square, in pixels [default: 12]
    #[arg(long, value_name = "PX", help_heading = "Grids")]
    pub square: Option<u32>,
    /// Margin of a square, in pixels [default: 4]
    ///
    /// A minutia within this distance of a border also counts in the square on the other side of this border.
    #[arg(long, value_name = "PX", help_heading = "Grids")]
    pub margin: Option<u32>,
    /// Number of random sets of squares that determine candidates
    ///
    /// Two prints are candidates if both have minutiae in all squares of at least one set. With 0, all pairs are candidates.
    /// [default: 1024; 0 with --by aligned, which compares all pairs anyway]
    #[arg(long, value_name = "N", help_heading = "Grids")]
    pub sets: Option<u32>,
    /// Squares per set; more squares make fewer candidates [default: 3]
    #[arg(long, value_name = "K", help_heading = "Grids")]
    pub members: Option<u32>,
    /// Seed for all random choices [default: 1]
    #[arg(long, help_heading = "Grids")]
    pub seed: Option<u64>,
    /// Number of threads [default: one per core]
    ///
    /// Results do not depend on the number of threads.
    #[arg(long, value_name = "N", help_heading = "Execution")]
    pub threads: Option<usize>,
    /// Write the summary as JSON to FILE at the end of the run
    ///
    /// FILE can be a URL, or - for standard output. The summary is written after the other outputs, either completely or not at
    /// all.
    #[arg(long, value_name = "FILE", help_heading = "Execution")]
    pub summary: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Execution")]
    pub quiet: bool,
    #[command(flatten)]
    pub model: ModelOptions,
}

/// The probabilities of the model.
pub struct ModelOptions {
    /// Compute the probability that a pair becomes a candidate; needs no input
    ///
    /// Two prints become a candidate pair if both have minutiae in all squares of at least one random set. The model assumes
    /// aligned prints.
    #[arg(long, help_heading = "Model")]
    pub model: bool,
    /// Probability that a square has minutiae [default: 0.2]
    #[arg(long, value_name = "P", help_heading = "Model")]
    pub share: Option<f64>,
    /// Probability that a square with minutiae also has some in another print [default: 0.8]
    ///
    /// The other print is from the same finger.
    #[arg(long, value_name = "P", help_heading = "Model")]
    pub agreement: Option<f64>,
    /// Number of squares of a simulated print [default: 1000000]
    #[arg(long, value_name = "N", help_heading = "Model")]
    pub squares: Option<u32>,
    /// Number of pairs to simulate: N of the same finger, N of different ones [default: 10000]
    #[arg(long, value_name = "N", help_heading = "Model")]
    pub trials: Option<NonZeroU32>,
}
}

choices! {
    /// How prints are compared.
    pub enum PrintsBy {
        /// by triangles of neighbouring minutiae, independent of position and rotation
        Neighbours = "neighbours",
        /// by squares, after one print has been aligned with the other. This method is better for some sensors, and is fast enough
        /// for up to thousands of prints, or for more with --nearest. The 255 minutiae nearest to the middle of a print determine the
        /// alignment; a print with fewer than 3 is not aligned
        Aligned = "aligned",
        /// by squares, without aligning the prints
        Grid = "grid",
        /// by triangles; then the nearest prints of each print are aligned and ranked again
        Reranked = "reranked",
    }
}

impl FromStr for First {
    type Err = &'static str;

    fn from_str(given: &str) -> std::result::Result<Self, Self::Err> {
        let parsed = match given.strip_suffix('%') {
            None => given.parse().ok().map(Self::Pairs),
            Some(share) => {
                let share = share.parse::<f64>().ok();
                share
                    .filter(|share| (0.0..=100.0).contains(share))
                    .map(|share| Self::Share(share / 100.0))
            }
        };
        parsed.ok_or("give a number of pairs, or a share of all pairs such as 1%")
    }
}

impl MinutiaeOptions {
    /// Returns the run that these options describe, without its inputs, and how prints are read and compared.
    ///
    /// # Errors
    /// Fails if an option has a wrong value, or if options do not work together. No file is read.
    pub fn plan(&self, given: &Given) -> Result<(RunConfig, Cards)> {
        given.check()?;
        refuse_other("format", self.format, OF_PRINTS)?;
        given.required(&[("model", &["share", "agreement", "squares", "trials"])])?;
        let refuse = |words| Err(Error::new(ErrorKind::Config, words));
        let columns: Vec<String> = if self.columns.is_empty() {
            COLUMNS.map(String::from).to_vec()
        } else {
            self.columns.clone()
        };
        if let Some(missing) = COLUMNS
            .iter()
            .find(|name| !columns.iter().any(|column| column == *name))
        {
            return refuse(words![
                (Setting("columns"), cut(&columns.join(",")).into_owned()),
                format!(": no {missing}; name x, y and angle at their positions")
            ]);
        }
        let turn = self.turn.unwrap_or(256.0);
        if !(turn.is_finite() && turn > 0.0) {
            return refuse(words![
                "$turn",
                format!(" must be a finite number above 0, got {turn}; for example 256 or 360")
            ]);
        }
        let by = self.by.unwrap_or(PrintsBy::Neighbours);
        if self.nearest.is_some() && !matches!(by, PrintsBy::Reranked | PrintsBy::Aligned) {
            return refuse(words![
                "$nearest only works with $by=reranked and $by=aligned; give one of them, or leave out $nearest"
            ]);
        }
        if self.common.is_some()
            && matches!(
                (by, self.nearest),
                (PrintsBy::Grid, _) | (PrintsBy::Aligned, None)
            )
        {
            return refuse(words![
                "$common is about triangles, and only works with $by=neighbours, $by=reranked and $nearest; leave it out"
            ]);
        }
        let [common, nearest] =
            [self.common, self.nearest].map(|number| number.map(|number| number.get() as usize));
        let neighbours = |common: usize| Neighbours {
            triangles: Triangles::default(),
            common,
        };
        let usual = Field::default();
        let field = Field {
            square: self.square.unwrap_or(usual.square),
            margin: self.margin.unwrap_or(usual.margin),
            sets: self.sets.unwrap_or(if by == PrintsBy::Aligned {
                0
            } else {
                usual.sets
            }),
            members: self.members.unwrap_or(usual.members),
            seed: self.seed.unwrap_or(usual.seed),
        };
        let cards = Cards {
            minutiae_field: self
                .minutiae_field
                .clone()
                .unwrap_or_else(|| "minutiae".into()),
            columns,
            turn,
            upwards: self.upwards,
            within: self.within.clone(),
            by: match (by, nearest) {
                (PrintsBy::Neighbours, _) => {
                    Comparison::Plain(By::Neighbours(neighbours(common.unwrap_or(usize::MAX))))
                }
                (PrintsBy::Aligned, None) => Comparison::Plain(By::Aligned(field)),
                (PrintsBy::Aligned, Some(nearest)) => Comparison::Nearest {
                    field,
                    neighbours: neighbours(common.unwrap_or(Reranked::COMMON)),
                    nearest,
                },
                (PrintsBy::Grid, _) => Comparison::Plain(By::Grid(field)),
                (PrintsBy::Reranked, nearest) => Comparison::Reranked {
                    neighbours: neighbours(common.unwrap_or(Reranked::COMMON)),
                    nearest: nearest.unwrap_or(Reranked::NEAREST),
                },
            },
            first: self
                .first
                .as_ref()
                .map_or(First::Share(0.01), |Parsed(first)| *first),
        };
        let execution = Execution {
            threads: self.threads,
            summary: self.summary.clone(),
            ..Execution::default()
        };
        let usual = RunConfig::reading(&self.files, &execution);
        let run = RunConfig {
            format: self.format,
            id_field: self.id_field.clone().unwrap_or(usual.id_field),
            label_field: self.label.clone(),
            ..usual
        };
        Ok((run, cards))
    }
}
