//! `lookalike minutiae`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use lookalike::shown::cut;
use lookalike_applications::minutiae::{By, Field, Model, Triangles};
use lookalike_engine::{Cards, CardsSummary, First, Format, RunConfig, application_error, cards};
use serde::Serialize;

use crate::{
    output::{BOLD, DIM, count, counted, print, print_data, say},
    report::{self, Report},
};

/// Find fingerprint cards that may be of one finger
///
/// A record has an id and the minutiae of a print, [x, y, angle] each. One JSON line a pair, best first: a, b, score. By neighbours
/// the score is what the prints share of triangles of neighbouring minutiae, which no shift and no turn changes, rare ones counting
/// more; by grid it is the resemblance of the squares that have minutiae, as the prints lie, and aligned the same when one has been
/// laid onto the other. Of grids with --sets only candidates are scored: pairs with minutiae in all squares of one of so many random sets.
///
/// With --label, a field that says whose finger it is, each line tells whether both have the same, and a table on standard error how
/// many such pairs are among the first. With --model nothing is read: it tells what random sets find of prints that lie alike, by
/// formula and by simulation.
///
/// Whether neighbours or aligned ranks better depends on the prints: try both with --label where some fingers are known.
///
/// Exit code 1 when there is no pair, unless a collection is empty.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike minutiae prints.jsonl --columns type,x,y,angle,quality > pairs.jsonl\n  \
    lookalike minutiae prints.jsonl --by aligned --within sensor --label finger --first 5% -o pairs.jsonl\n  \
    lookalike minutiae --model --members 4")]
pub struct Minutiae {
    /// Prints: JSON Lines or JSON arrays, plain or compressed; files, folders, quoted globs, URLs, or - for standard input
    #[arg(required_unless_present = "model", conflicts_with = "model", value_name = "PRINTS")]
    inputs: Vec<String>,
    /// Write the pairs to FILE, or the object of a URL, instead of standard output; .gz, .zst, .bz2, .xz, .lz4 and .br are compressed
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How prints are compared
    #[arg(long, value_enum, default_value_t = Way::Neighbours)]
    by: Way,
    /// Write the best N pairs, or with % that share of all pairs of prints
    #[arg(long, value_name = "N", default_value = "1%", value_parser = first)]
    first: First,
    /// Print the summary, or the table of --model, as JSON
    #[arg(long)]
    json: bool,
    /// What all inputs hold [default: what their endings and first bytes say]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    format: Option<CardsBy>,
    /// Read all splits of a data set that a folder holds, such as train and test, as one collection. Else such a folder is refused
    #[arg(long, help_heading = "Input")]
    all_splits: bool,
    /// The field that holds the minutiae
    #[arg(long, value_name = "FIELD", default_value = "minutiae", help_heading = "Input")]
    minutiae_field: String,
    /// The field that holds the id, a string or a number; a record without one is called file:line
    #[arg(long, value_name = "FIELD", default_value = "id", help_heading = "Input")]
    id_field: String,
    /// What the values of a minutia are; x, y and angle are read, others passed over
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x,y,angle", help_heading = "Input")]
    columns: Vec<String>,
    /// What a full turn is in the unit of the angles: 256 as on ISO/IEC 19794-2 cards, 360 for degrees
    #[arg(long, value_name = "T", default_value_t = 256.0, help_heading = "Input")]
    turn: f64,
    /// y grows upwards, as in NIST's xyt files; else downwards, as on ISO cards. Angles grow counter-clockwise
    #[arg(long, help_heading = "Input")]
    upwards: bool,
    /// Compare only prints that have the same in this field, such as the sensor
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    within: Option<String>,
    /// The field that says whose finger it is, to judge by
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    label: Option<String>,
    /// Let the same id stand for several prints
    #[arg(long, help_heading = "Input")]
    allow_repeated_ids: bool,
    /// The side of a square, in pixels
    #[arg(long, value_name = "PX", default_value_t = Field::default().square, help_heading = "Grids")]
    square: u32,
    /// A minutia so near to a border counts behind it too, in pixels
    #[arg(long, value_name = "PX", default_value_t = Field::default().margin, help_heading = "Grids")]
    margin: u32,
    /// Random sets of squares, of which candidates share one; 0 makes all pairs candidates [default: 1024, and 0 where prints are
    /// aligned, since by then all pairs have been looked at]
    #[arg(long, value_name = "N", help_heading = "Grids")]
    sets: Option<u32>,
    /// Squares in a set: more make fewer candidates
    #[arg(long, value_name = "K", default_value_t = Field::default().members, help_heading = "Grids")]
    members: u32,
    /// Seed of all that is drawn at random
    #[arg(long, default_value_t = Field::default().seed, help_heading = "Grids")]
    seed: u64,
    #[command(flatten)]
    model: Asked,
    /// Threads [default: one a core]; the answer is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "Running")]
    threads: usize,
    /// Write the summary as JSON to FILE, a URL or - when the run is done, after the other outputs; it is there whole or not at all
    #[arg(long, value_name = "FILE", help_heading = "Running", conflicts_with = "model")]
    summary: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Running")]
    quiet: bool,
}

/// What inputs of prints hold.
#[derive(Clone, Copy, ValueEnum)]
enum CardsBy {
    /// JSON Lines: an object on each line
    Jsonl,
    /// one JSON array of objects
    Json,
}

impl From<CardsBy> for Format {
    fn from(format: CardsBy) -> Self {
        match format {
            CardsBy::Jsonl => Self::Lines,
            CardsBy::Json => Self::Array,
        }
    }
}

/// The model's probabilities.
#[derive(Args)]
struct Asked {
    /// Tell what random sets of squares find of prints that lie alike, and read nothing
    #[arg(long, help_heading = "The model")]
    model: bool,
    /// How probably a square has minutiae
    #[arg(long, value_name = "P", default_value_t = Model::default().share, requires = "model", help_heading = "The model")]
    share: f64,
    /// How probably a square that has minutiae in one print has them in another of the same finger
    #[arg(long, value_name = "P", default_value_t = Model::default().agreement, requires = "model", help_heading = "The model")]
    agreement: f64,
    /// Squares of the simulated prints
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "model", help_heading = "The model")]
    squares: u32,
    /// Pairs of prints to simulate, of one finger and of two
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "model", help_heading = "The model")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    trials: u32,
}

/// How prints are compared.
#[derive(Clone, Copy, ValueEnum)]
enum Way {
    /// by triangles of neighbouring minutiae, however the prints lie
    Neighbours,
    /// by squares, after one print has been laid onto the other: the better way for some sensors, for up to thousands of prints; of each
    /// print the 255 minutiae nearest to its middle say how it is laid, and a print with fewer than 3 is laid onto none
    Aligned,
    /// by squares, as the prints lie
    Grid,
}

fn first(given: &str) -> Result<First, String> {
    let wrong = || "give a number of pairs, or a share of all such as 1%".to_string();
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
        if let Some(missing) = ["x", "y", "angle"].iter().find(|name| !self.columns.iter().any(|column| column == *name)) {
            anyhow::bail!("--columns {}: no {missing}; name x, y and angle where they stand", cut(&self.columns.join(",")));
        }
        if !(self.turn.is_finite() && self.turn > 0.0) {
            anyhow::bail!("--turn {}: is no full turn; give 256, 360, or what angles come to", self.turn);
        }
        let sets = self.sets.unwrap_or(if matches!(self.by, Way::Aligned) { 0 } else { Field::default().sets });
        let field = Field { square: self.square, margin: self.margin, sets, members: self.members, seed: self.seed };
        let asked = Cards {
            minutiae_field: self.minutiae_field,
            columns: self.columns,
            turn: self.turn,
            upwards: self.upwards,
            within: self.within,
            by: match self.by {
                Way::Neighbours => By::Neighbours(Triangles::default()),
                Way::Aligned => By::Aligned(field),
                Way::Grid => By::Grid(field),
            },
            first: self.first,
        };
        let report = Report::new("minutiae").inputs("input", &self.inputs);
        let report = report.output("pairs", Some(self.output.as_deref().unwrap_or(Path::new("-"))));
        let config = RunConfig {
            inputs: self.inputs,
            all_splits: self.all_splits,
            format: self.format.map(Format::from),
            id_field: self.id_field,
            label_field: self.label,
            allow_repeated_ids: self.allow_repeated_ids,
            summary: self.summary,
            threads: self.threads,
            ..RunConfig::default()
        };
        let file = report::open(config.summary.as_deref())?;
        let summary = cards(&config, &asked, self.output.as_deref())?;
        if self.json {
            say(report.json(&summary)?.trim_end());
        } else if !self.quiet {
            say(&page(&summary));
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::from(u8::from(summary.written == 0 && summary.prints > 0)))
    }

    fn modelled(&self) -> anyhow::Result<Modelled> {
        let Asked { share, agreement, squares, trials, .. } = self.model;
        let sets = self.sets.unwrap_or(Model::default().sets);
        let of = |members| -> anyhow::Result<ModelRow> {
            let model = Model { share, agreement, sets, members };
            let simulated = model.simulate(squares, trials, self.seed).map_err(application_error)?;
            let (one_finger, two_fingers) = (model.same(), model.other());
            Ok(ModelRow {
                members,
                one_finger,
                one_finger_simulated: simulated.same,
                two_fingers,
                two_fingers_simulated: simulated.other,
            })
        };
        let rows = (self.members..=self.members.max(5)).map(of).collect::<anyhow::Result<_>>()?;
        Ok(Modelled { sets, share, agreement, squares, trials, rows })
    }
}

/// What random sets of squares find.
#[derive(Serialize)]
struct Modelled {
    sets: u32,
    share: f64,
    agreement: f64,
    squares: u32,
    trials: u32,
    rows: Vec<ModelRow>,
}

/// How probably two prints have all squares of one of the sets.
#[derive(Serialize)]
struct ModelRow {
    /// Squares in a set.
    members: u32,
    one_finger: f64,
    one_finger_simulated: f64,
    two_fingers: f64,
    two_fingers_simulated: f64,
}

impl Modelled {
    fn page(&self) -> String {
        let Self { sets, share, agreement, trials, rows, .. } = self;
        let mut page = format!(
            "{BOLD}how probably two prints that lie alike have all squares of one of {} random sets{BOLD:#}\n\
             {DIM}a square has minutiae with probability {share}, and again in another print of the finger with {agreement}; simulated: \
             {} pairs of each kind{DIM:#}\n\n\
             {BOLD}squares in a set  one finger  simulated  two fingers  simulated{BOLD:#}\n",
            count((*sets).into()),
            count((*trials).into()),
        );
        for row in rows {
            page += &format!(
                "{:>16}  {:>10.6}  {:>9.4}  {:>11.6}  {:>9.4}\n",
                row.members, row.one_finger, row.one_finger_simulated, row.two_fingers, row.two_fingers_simulated
            );
        }
        page
    }
}

/// What was found, in words, and against the labels in a table.
fn page(summary: &CardsSummary) -> String {
    let mut page = format!(
        "{} of {} of {}, of which {} were candidates",
        counted(summary.written, "pair"),
        count(summary.pairs),
        counted(summary.prints, "print"),
        count(summary.candidates),
    );
    if summary.too_few > 0 {
        page += &format!("\n{} with fewer than 3 minutiae: candidates of none", counted(summary.too_few, "print"));
    }
    let Some(genuine) = &summary.genuine else { return page };
    let percent = |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
    page += &format!("\n\n{BOLD}of all pairs         pairs  of one finger  of all {} such{BOLD:#}\n", count(genuine.pairs));
    let mut line = |name: &str, pairs: u64, found: u64| {
        page += &format!("{name:<14}  {:>10}  {:>13}  {:>11}\n", count(pairs), count(found), percent(found, genuine.pairs));
    };
    for first in &genuine.first {
        line(&format!("first {} %", first.share * 100.0), first.pairs, first.genuine);
    }
    line("candidates", summary.candidates, genuine.candidates);
    page.truncate(page.trim_end().len());
    page
}
