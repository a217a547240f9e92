//! `lookalike minutiae`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use lookalike::shown::cut;
use lookalike_applications::minutiae::{By, Field, Model, Neighbours, Reranked, Triangles};
use lookalike_engine::{
    Cards, CardsSummary, Comparison, First, Format, RunConfig, application_error, cards,
};
use serde::Serialize;

use crate::{
    args::delimiter,
    output::{BOLD, DIM, count, counted, print, print_data, say},
    report::{self, Report},
};

/// Find fingerprint cards that may be from the same finger
///
/// A record has an id and the minutiae of a print (the points where ridges end or fork), each as [x, y, angle]. In CSV, each row
/// is one minutia, with the columns id, x, y and angle, and all rows of a file with the same id are one print. The command writes
/// one JSON line per pair of prints, the best first: a, b, score. With --by neighbours, the score is the overlap of
/// triangles of neighbouring minutiae. These triangles stay the same when a print is shifted or turned, and rare ones count more.
/// With --by grid, each print is divided into squares, and the score is the resemblance of the two sets of squares that contain
/// minutiae. The prints are not aligned first. With --by aligned, the score is the same resemblance, after one print has been
/// aligned with the other. With --sets N, the command chooses N random sets of squares, and compares only candidates: pairs of
/// prints that both have minutiae in every square of at least one of these sets.
///
/// With --label FIELD, where FIELD identifies the finger, each line reports whether both prints have the same label, and a table
/// on standard error reports how many pairs with the same label are among the best. With --model, no prints are read. Instead,
/// the command computes, by formula and by simulation, how many pairs of aligned prints become candidates with random sets of
/// squares.
///
/// With --by reranked, the nearest prints of each print (--nearest) are found by triangles, then aligned, and ranked by how many
/// minutiae agree and by the triangles. This method ranks best, and aligns only a few pairs of each print, but it does
/// not find pairs that are not among the nearest.
///
/// Whether --by neighbours or --by aligned ranks pairs better depends on the prints. If you know the finger of some prints, try
/// all ways with --label.
///
/// The exit code is 1 if no pair is written, unless the collection is empty.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike minutiae prints.jsonl --columns type,x,y,angle,quality > pairs.jsonl\n  \
    lookalike minutiae minutiae.csv --turn 360 --by reranked > pairs.jsonl\n  \
    lookalike minutiae templates/ --within position > pairs.jsonl\n  \
    lookalike minutiae prints.jsonl --by aligned --within sensor --label finger --first 5% -o pairs.jsonl\n  \
    lookalike minutiae --model --members 4"
)]
pub struct Minutiae {
    /// Prints: files, folders, quoted globs or URLs (- for standard input)
    ///
    /// The files are JSON Lines, JSON arrays or CSV, plain or compressed, or templates of ISO/IEC 19794-2 (2005 and 2011) and ANSI
    /// INCITS 378-2004, which are recognised by their first bytes. Templates have their own units, so --turn and --upwards do not
    /// apply to them. Each view is a print. Its id is the name of the file, followed by :POSITION.VIEW if there are several.
    #[arg(
        required_unless_present = "model",
        conflicts_with = "model",
        value_name = "PRINTS"
    )]
    inputs: Vec<String>,
    /// Write the pairs to FILE instead of standard output
    ///
    /// FILE can be a URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How prints are compared
    #[arg(long, value_enum, default_value_t = Way::Neighbours)]
    by: Way,
    /// Write the best N pairs, or N% of all pairs of prints
    #[arg(long, value_name = "N", default_value = "1%", value_parser = first)]
    first: First,
    /// Print the summary, or the table of --model, as JSON
    #[arg(long)]
    json: bool,
    /// Format of all inputs [default: detected by extension and first bytes]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    format: Option<CardsBy>,
    /// Read all splits of a dataset folder, such as train and test, together
    ///
    /// Without this flag, a folder with several splits is an error.
    #[arg(long, help_heading = "Input")]
    all_splits: bool,
    /// Field delimiter of CSV [default: a tab in .tsv, detected otherwise]
    ///
    /// The detected delimiter is the comma, semicolon, tab or vertical bar, whichever occurs most often in the header.
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter, help_heading = "Input")]
    delimiter: Option<u8>,
    /// Encoding of inputs that are not UTF-8, such as windows-1252 or gbk
    ///
    /// The flag applies to JSON Lines, and to CSV that is neither UTF-8 nor UTF-16.
    #[arg(long, value_name = "LABEL", help_heading = "Input")]
    encoding: Option<String>,
    /// Field with the minutiae; not used for CSV
    #[arg(
        long,
        value_name = "FIELD",
        default_value = "minutiae",
        help_heading = "Input"
    )]
    minutiae_field: String,
    /// Field or column with the id
    ///
    /// An id is a string or a number. A record without this field gets an id of the form file:line. In CSV, the rows with the same id
    /// are one print, so each row needs one.
    #[arg(
        long,
        value_name = "FIELD",
        default_value = "id",
        help_heading = "Input"
    )]
    id_field: String,
    /// Names of the values of a minutia, in order
    ///
    /// x, y and angle are used; all other values are ignored. In CSV, the header names the columns, and this flag is not used.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "x,y,angle",
        help_heading = "Input"
    )]
    columns: Vec<String>,
    /// Value of a full turn in the unit of the angles
    ///
    /// The value is 256 on ISO/IEC 19794-2 cards, and 360 for degrees.
    #[arg(
        long,
        value_name = "T",
        default_value_t = 256.0,
        help_heading = "Input"
    )]
    turn: f64,
    /// y grows upwards, as in NIST's xyt files [default: downwards, as in ISO]
    ///
    /// Angles grow counter-clockwise.
    #[arg(long, help_heading = "Input")]
    upwards: bool,
    /// Compare only prints with the same value of this field
    ///
    /// For example, FIELD can be the sensor. In CSV, all rows of a print must have the same value. Templates have the fields
    /// position, view and impression.
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    within: Option<String>,
    /// Field that identifies the finger, to evaluate the result
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    label: Option<String>,
    /// Allow duplicate ids
    #[arg(long, help_heading = "Input")]
    allow_repeated_ids: bool,
    /// Align only the K nearest prints of each print [default: all; 16 with --by reranked]
    ///
    /// This flag is for --by aligned and --by reranked. The nearest prints are found by triangles, and pairs that are not among them
    /// are not in the result. The scores of the others are the same for any number.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Triangles")]
    nearest: Option<u32>,
    /// Ignore triangles that more than N prints have [default: no limit; 50 with --by reranked and with --nearest]
    ///
    /// Such triangles say little, and without a limit, the time grows with the square of the number of prints.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Triangles")]
    common: Option<u32>,
    /// Side of a square, in pixels
    #[arg(long, value_name = "PX", default_value_t = Field::default().square, help_heading = "Grids")]
    square: u32,
    /// Margin of a square, in pixels
    ///
    /// A minutia within this distance of a border also counts in the square on the other side of this border.
    #[arg(long, value_name = "PX", default_value_t = Field::default().margin, help_heading = "Grids")]
    margin: u32,
    /// Number of random sets of squares that determine candidates
    ///
    /// Two prints are candidates if both have minutiae in all squares of at least one set. With 0, all pairs are candidates.
    /// [default: 1024; 0 with --by aligned, which compares all pairs anyway]
    #[arg(long, value_name = "N", help_heading = "Grids")]
    sets: Option<u32>,
    /// Squares per set; more squares make fewer candidates
    #[arg(long, value_name = "K", default_value_t = Field::default().members, help_heading = "Grids")]
    members: u32,
    /// Seed for all random choices
    #[arg(long, default_value_t = Field::default().seed, help_heading = "Grids")]
    seed: u64,
    #[command(flatten)]
    model: Asked,
    /// Number of threads [default: one per core]
    ///
    /// Results do not depend on the number of threads.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Execution"
    )]
    threads: usize,
    /// Write the summary as JSON to FILE at the end of the run
    ///
    /// FILE can be a URL, or - for standard output. The summary is written after the other outputs, either completely or not at
    /// all.
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Execution",
        conflicts_with = "model"
    )]
    summary: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Execution")]
    quiet: bool,
}

/// The formats of input files that contain fingerprint minutiae.
#[derive(Clone, Copy, ValueEnum)]
enum CardsBy {
    /// JSON Lines: one object per line
    Jsonl,
    /// one JSON array of objects
    Json,
    /// CSV or TSV with a header: one minutia per row
    Csv,
}

impl From<CardsBy> for Format {
    fn from(format: CardsBy) -> Self {
        match format {
            CardsBy::Jsonl => Self::Lines,
            CardsBy::Json => Self::Array,
            CardsBy::Csv => Self::Delimited,
        }
    }
}

/// The probabilities of the model.
#[derive(Args)]
struct Asked {
    /// Compute the probability that a pair becomes a candidate; needs no input
    ///
    /// Two prints become a candidate pair if both have minutiae in all squares of at least one random set. The model assumes
    /// aligned prints.
    #[arg(long, help_heading = "Model")]
    model: bool,
    /// Probability that a square has minutiae
    #[arg(long, value_name = "P", default_value_t = Model::default().share, requires = "model", help_heading = "Model")]
    share: f64,
    /// Probability that a square with minutiae also has some in another print
    ///
    /// The other print is from the same finger.
    #[arg(long, value_name = "P", default_value_t = Model::default().agreement, requires = "model", help_heading = "Model")]
    agreement: f64,
    /// Number of squares of a simulated print
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1_000_000,
        requires = "model",
        help_heading = "Model"
    )]
    squares: u32,
    /// Number of pairs to simulate: N of the same finger, N of different ones
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        requires = "model",
        help_heading = "Model"
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,
}

/// How prints are compared.
#[derive(Clone, Copy, ValueEnum)]
enum Way {
    /// by triangles of neighbouring minutiae, independent of position and rotation
    Neighbours,
    /// by squares, after one print has been aligned with the other. This method is better for some sensors, and is fast enough
    /// for up to thousands of prints, or for more with --nearest. The 255 minutiae nearest to the middle of a print determine the
    /// alignment; a print with fewer than 3 is not aligned
    Aligned,
    /// by squares, without aligning the prints
    Grid,
    /// by triangles; then the nearest prints of each print are aligned and ranked again
    Reranked,
}

fn first(given: &str) -> Result<First, String> {
    let wrong = || "give a number of pairs, or a share of all pairs such as 1%".to_string();
    match given.strip_suffix('%') {
        None => given.parse().map(First::Pairs).map_err(|_| wrong()),
        Some(share) => match share.parse::<f64>() {
            Ok(share) if (0.0..=100.0).contains(&share) => Ok(First::Share(share / 100.0)),
            _ => Err(wrong()),
        },
    }
}

impl Minutiae {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.model.model {
            let table = self.modelled()?;
            match self.json {
                true => print_data(&Report::new("minutiae").json(&table)?)?,
                false => print(&table.page())?,
            }
            return Ok(ExitCode::SUCCESS);
        }
        let report = Report::new("minutiae").inputs("input", &self.inputs);
        let report = report.output(
            "pairs",
            Some(self.output.as_deref().unwrap_or(Path::new("-"))),
        );
        let (output, json, quiet) = (self.output.clone(), self.json, self.quiet);
        let (config, asked) = self.asked()?;
        let file = report.open(config.summary.as_deref())?;
        let summary = cards(&config, &asked, output.as_deref())?;
        if json {
            say(report.json(&summary)?.trim_end());
        } else if !quiet {
            say(&page(&summary));
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::from(u8::from(
            summary.written == 0 && summary.prints > 0,
        )))
    }

    /// Returns how prints are read and compared.
    pub(crate) fn asked(self) -> anyhow::Result<(RunConfig, Cards)> {
        if let Some(missing) = ["x", "y", "angle"]
            .iter()
            .find(|name| !self.columns.iter().any(|column| column == *name))
        {
            anyhow::bail!(
                "--columns {}: no {missing}; name x, y and angle at their positions",
                cut(&self.columns.join(","))
            );
        }
        if !(self.turn.is_finite() && self.turn > 0.0) {
            anyhow::bail!(
                "--turn must be a finite number above 0, got {}; for example 256 or 360",
                self.turn
            );
        }
        if self.nearest.is_some() && !matches!(self.by, Way::Reranked | Way::Aligned) {
            anyhow::bail!(
                "--nearest only works with --by reranked and --by aligned; give one of them, or leave out --nearest"
            );
        }
        if self.common.is_some()
            && matches!(
                (self.by, self.nearest),
                (Way::Grid, _) | (Way::Aligned, None)
            )
        {
            anyhow::bail!(
                "--common is about triangles, and only works with --by neighbours, --by reranked and --nearest; leave it out"
            );
        }
        let common = self.common.map(|common| common as usize);
        let neighbours = |common: usize| Neighbours {
            triangles: Triangles::default(),
            common,
        };
        let sets = self.sets.unwrap_or(if matches!(self.by, Way::Aligned) {
            0
        } else {
            Field::default().sets
        });
        let field = Field {
            square: self.square,
            margin: self.margin,
            sets,
            members: self.members,
            seed: self.seed,
        };
        let asked = Cards {
            minutiae_field: self.minutiae_field,
            columns: self.columns,
            turn: self.turn,
            upwards: self.upwards,
            within: self.within,
            by: match self.by {
                Way::Neighbours => {
                    Comparison::Plain(By::Neighbours(neighbours(common.unwrap_or(usize::MAX))))
                }
                Way::Aligned => match self.nearest {
                    None => Comparison::Plain(By::Aligned(field)),
                    Some(nearest) => Comparison::Nearest {
                        field,
                        neighbours: neighbours(common.unwrap_or(Reranked::COMMON)),
                        nearest: nearest as usize,
                    },
                },
                Way::Grid => Comparison::Plain(By::Grid(field)),
                Way::Reranked => Comparison::Reranked {
                    neighbours: neighbours(common.unwrap_or(Reranked::COMMON)),
                    nearest: self
                        .nearest
                        .map_or(Reranked::NEAREST, |nearest| nearest as usize),
                },
            },
            first: self.first,
        };
        let config = RunConfig {
            inputs: self.inputs,
            all_splits: self.all_splits,
            format: self.format.map(Format::from),
            delimiter: self.delimiter,
            encoding: self.encoding,
            id_field: self.id_field,
            label_field: self.label,
            allow_repeated_ids: self.allow_repeated_ids,
            summary: self.summary,
            threads: self.threads,
            ..RunConfig::default()
        };
        Ok((config, asked))
    }

    fn modelled(&self) -> anyhow::Result<Modelled> {
        let Asked {
            share,
            agreement,
            squares,
            trials,
            ..
        } = self.model;
        let sets = self.sets.unwrap_or(Model::default().sets);
        let of = |members| -> anyhow::Result<ModelRow> {
            let model = Model {
                share,
                agreement,
                sets,
                members,
            };
            let simulated = model
                .simulate(squares, trials, self.seed)
                .map_err(application_error)?;
            let (one_finger, two_fingers) = (model.same(), model.other());
            Ok(ModelRow {
                members,
                one_finger,
                one_finger_simulated: simulated.same,
                two_fingers,
                two_fingers_simulated: simulated.other,
            })
        };
        let rows = (self.members..=self.members.max(5))
            .map(of)
            .collect::<anyhow::Result<_>>()?;
        Ok(Modelled {
            sets,
            share,
            agreement,
            squares,
            trials,
            rows,
        })
    }
}

/// The result of the model: how many pairs become candidates with random sets of squares.
#[derive(Serialize)]
struct Modelled {
    sets: u32,
    share: f64,
    agreement: f64,
    squares: u32,
    trials: u32,
    rows: Vec<ModelRow>,
}

/// The probability that two prints have minutiae in all squares of at least one set.
#[derive(Serialize)]
struct ModelRow {
    /// Squares per set.
    members: u32,
    one_finger: f64,
    one_finger_simulated: f64,
    two_fingers: f64,
    two_fingers_simulated: f64,
}

impl Modelled {
    fn page(&self) -> String {
        let Self {
            sets,
            share,
            agreement,
            trials,
            rows,
            ..
        } = self;
        let mut page = format!(
            "{BOLD}probability that two aligned prints share all squares of at least one of {} random sets{BOLD:#}\n\
             {DIM}a square has minutiae with probability {share}; another print of the same finger then has minutiae in it with \
             probability {agreement}; simulated: {} pairs of each kind{DIM:#}\n\n\
             {BOLD} squares per set  one finger  simulated  two fingers  simulated{BOLD:#}\n",
            count((*sets).into()),
            count((*trials).into()),
        );
        for row in rows {
            page += &format!(
                "{:>16}  {:>10.6}  {:>9.4}  {:>11.6}  {:>9.4}\n",
                row.members,
                row.one_finger,
                row.one_finger_simulated,
                row.two_fingers,
                row.two_fingers_simulated
            );
        }
        page
    }
}

/// Returns the summary as text, with a table that compares the result with the labels.
fn page(summary: &CardsSummary) -> String {
    let mut page = format!(
        "{} written, out of {} among {}; {} were candidates",
        counted(summary.written, "pair"),
        count(summary.pairs),
        counted(summary.prints, "print"),
        count(summary.candidates),
    );
    if summary.too_few > 0 {
        page += &format!(
            "\n{} with fewer than 3 minutiae: never candidates",
            counted(summary.too_few, "print")
        );
    }
    let Some(genuine) = &summary.genuine else {
        return page;
    };
    let percent =
        |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
    page += &format!(
        "\n\n{BOLD}of all pairs         pairs  of one finger  out of all {}{BOLD:#}\n",
        count(genuine.pairs)
    );
    let mut line = |name: &str, pairs: u64, found: u64| {
        page += &format!(
            "{name:<14}  {:>10}  {:>13}  {:>11}\n",
            count(pairs),
            count(found),
            percent(found, genuine.pairs)
        );
    };
    for first in &genuine.first {
        line(
            &format!("first {} %", first.share * 100.0),
            first.pairs,
            first.genuine,
        );
    }
    line("candidates", summary.candidates, genuine.candidates);
    if let Some(rate) = genuine.equal_error_rate {
        page += &format!("equal error rate: {rate:.3}");
    }
    page.truncate(page.trim_end().len());
    page
}
