//! `lookalike minutiae`.

use std::{path::Path, process::ExitCode};

use clap::Args;
use lookalike_applications::minutiae::{Field, Model};
use lookalike_engine::{CardsSummary, MinutiaeOptions, RunConfig, application_error, cards};
use lookalike_options::Given;
use serde::Serialize;

use crate::{
    output::{BOLD, DIM, count, counted, print, print_data},
    report::Report,
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
    #[command(flatten)]
    options: MinutiaeOptions,
    /// Print the summary, or the table of --model, as JSON
    #[arg(long)]
    json: bool,
}

impl Minutiae {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let given = Given::of(&self.options);
        if self.options.model.model {
            given.exclusive(&[("model", &["summary"])])?;
            let table = self.modelled()?;
            if self.json {
                print_data(&Report::new("minutiae").json(&table)?)?;
            } else {
                print(&table.page())?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let output = self.options.output.as_deref();
        let (config, asked) = self.options.plan(&given)?;
        let config = RunConfig {
            inputs: self.inputs.clone(),
            ..config
        };
        let run = Report::new("minutiae")
            .inputs("input", &self.inputs)
            .output("pairs", Some(output.unwrap_or(Path::new("-"))))
            .begin(config.summary.as_deref(), self.json, self.options.quiet)?;
        let summary = cards(&config, &asked, output)?;
        run.end_on_stderr(&summary, || page(&summary))?;
        Ok(ExitCode::from(u8::from(
            summary.written == 0 && summary.prints > 0,
        )))
    }

    fn modelled(&self) -> anyhow::Result<Modelled> {
        let (usual, options) = (Model::default(), &self.options.model);
        let share = options.share.unwrap_or(usual.share);
        let agreement = options.agreement.unwrap_or(usual.agreement);
        let squares = options.squares.unwrap_or(1_000_000);
        let trials = options.trials.map_or(10_000, u32::from);
        let sets = self.options.sets.unwrap_or(usual.sets);
        let fewest = self.options.members.unwrap_or(Field::default().members);
        let seed = self.options.seed.unwrap_or(Field::default().seed);
        let of = |members| -> anyhow::Result<ModelRow> {
            let model = Model {
                share,
                agreement,
                sets,
                members,
            };
            let simulated = model
                .simulate(squares, trials, seed)
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
        let rows = (fewest..=fewest.max(5))
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
