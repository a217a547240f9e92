//! The main job: a collection in, what is kept and why out.

pub(crate) mod emit;
mod label;
pub(crate) mod summary;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use lookalike::{Candidates, Cluster, Method, Verify};
use lookalike_io::{
    error::{ErrorKind, Result, without_panic},
    memory::peak_memory,
    read::{Expanded, Source},
    write::{Kept, LabelNames, Output, Shape, are_rows, finish, refuse_overwriting},
};

use self::{
    emit::{Emitting, Tell},
    label::refuse_names,
    summary::{Against, Summary},
};
use crate::{
    config::{Observer, RunConfig, row_groups_ahead, windows_ahead},
    deciding::{
        candidate_pairs::Meetings,
        components::{components, measure_dropped},
        decide_all,
        streamed::settle,
    },
    matching::{
        Matcher,
        sets::{self, Pass, Sets},
    },
    pairing::{Pairing, greedy},
    pass::{copy::same_number, open::pool, reading::reading},
    sketching::{self, Beside, references::References, table::Table},
    state::State,
};

/// What to write. Nothing is written under its name before all of it is.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// The kept lines; `-` for standard output.
    pub kept: Option<PathBuf>,
    /// Write every record there, not only those that are kept, with four fields more, whose names begin with this: `cluster`,
    /// `verdict`, `representative` and `similarity`.
    pub label: Option<String>,
    /// The decisions: a table where the name ends so (`.parquet`, `.arrow`, `.arrows`), else JSON Lines; `-` for standard output.
    pub decisions: Option<PathBuf>,
    /// See that all could be written, and write nothing.
    pub dry_run: bool,
}

/// Deduplicates a collection by the law.
///
/// # Errors
/// A configuration that cannot be, an input that cannot be read, a line that is no record (unless bad lines are set aside),
/// an output that cannot be written. Nothing is left under an output's name then.
pub fn dedup(config: &RunConfig, outputs: &Outputs, observer: Observer) -> Result<Summary> {
    without_panic(|| all_passes(config, outputs, None, observer))
}

/// The same, and every decision is told as well, before the outputs appear under their names.
///
/// # Errors
/// As [`dedup`], and what `tell` gives.
pub fn dedup_told(config: &RunConfig, outputs: &Outputs, tell: &mut Tell, observer: Observer) -> Result<Summary> {
    without_panic(|| all_passes(config, outputs, Some(tell), observer))
}

fn all_passes(config: &RunConfig, outputs: &Outputs, tell: Option<&mut Tell>, observer: Observer) -> Result<Summary> {
    let started = Instant::now();
    let method = Method::new(config.method.clone())?;
    References::check(config, &method)?;
    let Expanded { inputs, references, left_out } = config.expand_with_references()?;
    let paths = [&outputs.kept, &outputs.decisions, &config.skip_bad];
    let named: Vec<&Path> = paths.into_iter().flatten().map(PathBuf::as_path).collect();
    refuse_overwriting(&named, &inputs)?;
    let decision_rows = outputs.decisions.as_deref().map(are_rows).transpose()?.unwrap_or(false);
    let source = Source::with_references(inputs, references, reading(config)?, &config.temp_dir)?;
    let state = config.resume.as_ref().map(|resume| State::open(resume, config, method.config(), &source));
    let mut state = state.transpose()?;
    // Opened before the work: better to hear now that a folder is missing than in an hour.
    let mut kept = outputs.kept.as_deref().map(|path| Output::create(path, config.threads)).transpose()?;
    let shape = outputs.kept.as_deref().map(|path| Shape::of(path, &source)).transpose()?;
    let names = outputs.label.as_deref().map(LabelNames::new);
    names.as_ref().map_or(Ok(()), |names| refuse_names(names, &source))?;
    let mut decisions = outputs.decisions.as_deref().map(|path| Output::create(path, config.threads)).transpose()?;
    let mut bad = config.skip_bad.as_deref().map(|path| Output::create(path, config.threads)).transpose()?;
    if outputs.dry_run {
        (kept, decisions, bad) = (None, None, None);
    }
    let pool = pool(config.threads)?;
    let mut summary = Summary::new(&method);
    (summary.keep, summary.left_out) = (config.keep().to_string(), left_out);
    summary.against = (config.has_references()).then_some(Against {
        only: config.against_only,
        holders: config.drop_holders,
        ..Against::default()
    });

    let mut clock = Clock(Instant::now());
    let threads = pool.current_num_threads();
    let besides = |memory| source.besides(threads, memory) + shape.map_or(0, |shape| shape.besides(threads));
    let budget = config.budget(threads, &named, besides)?;
    let ahead = windows_ahead(budget.memory());
    [&mut kept, &mut decisions].into_iter().flatten().for_each(|output| output.run_ahead(ahead));
    let groups = row_groups_ahead(budget.memory(), threads);
    let begin = |(output, shape)| Kept::new(output, shape, &source, names.as_ref(), groups);
    let mut kept = kept.zip(shape).map(begin).transpose()?;
    let mut table = {
        let beside = Beside { bad: bad.as_mut(), state: state.as_mut(), ..Beside::default() };
        sketching::sketch(config, &method, &source, &budget, &pool, beside, observer)?
    };
    summary.seconds.sketching = clock.lap();

    let mut pairing = Pairing::new(&mut table, &pool)?;
    let (greedy_groups, meetings, counted) = match config.method.cluster {
        Cluster::Greedy(by) => {
            let (first_of, counted) = greedy::group(by, config.method.threshold, &table, &mut pairing)?;
            (Some(first_of), Meetings::Listed(Vec::new()), counted)
        }
        Cluster::Law | Cluster::Components => {
            let (meetings, counted) = Meetings::new(&method, &mut table, &mut pairing, None, &pool, observer)?;
            (None, meetings, counted)
        }
    };
    summary.seconds.pairing = clock.lap();

    let pass = Pass { config, method: &method, source: &source, table: &table, pool: &pool, observer };
    let matcher = Matcher::new(&method, &table.lists, &pairing);
    let law = config.method.cluster == Cluster::Law;
    let mut written = None;
    let others = decisions.is_some() || bad.is_some() || tell.is_some();
    let verdicts = if law && pairing.order.is_input() && config.method.candidates != Candidates::All {
        // A label is only known when all is decided: a later pass writes records with theirs.
        let mut none = None;
        let now = if names.is_some() { &mut none } else { &mut kept };
        let (verdicts, lines) = settle(pass, &matcher, meetings.links(pairing.numbers()?), now, others, state.as_mut())?;
        written = names.is_none().then_some(lines);
        summary.seconds.settling = clock.lap();
        verdicts
    } else {
        let mut sets = match method.verify() {
            Verify::Exact => sets::load_contenders(pass, &pairing)?,
            Verify::Sketch | Verify::None => Sets::new(pairing.numbers()?, &table),
        };
        summary.seconds.loading = clock.lap();
        let verdicts = match (greedy_groups, config.method.cluster) {
            (Some(first_of), _) => measure_dropped(first_of.into_iter(), &matcher, &sets, &pool)?,
            (None, Cluster::Components) => {
                let meetings = meetings.join(&method, &pairing, &sets)?;
                let joining = meetings.joining(config.crowd, &matcher, &mut sets, &budget, &pool)?;
                components(&meetings, joining.as_ref(), &matcher, &sets, &pool)?
            }
            (None, _) => {
                let links = meetings.join(&method, &pairing, &sets)?.links(pairing.numbers()?);
                decide_all(pass, &matcher, links, sets)?
            }
        };
        summary.seconds.deciding = clock.lap();
        verdicts
    };
    summary.finding.count(&counted, &matcher, &table);

    let emitting = Emitting::new(&table, &pairing, &matcher, &verdicts, &pool)?;
    emitting.count(&mut summary)?;
    if let Some(output) = &mut kept {
        let whole = match (&names, written) {
            (Some(names), _) => emitting.labelled(&source, names, output, observer),
            (None, Some(lines)) => same_number(summary.kept, lines),
            (None, None) => emitting.kept_lines(&source, output, summary.kept, observer),
        };
        // Who read the kept lines has had enough of them; the other outputs are still wanted.
        if whole.as_ref().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) && others {
            kept = None;
        } else {
            whole?;
        }
    }
    let kept = pool.install(|| kept.map(|kept| kept.end(summary.documents)).transpose())?;
    bad.iter_mut().for_each(Output::end);
    if let Some(output) = &mut decisions {
        match decision_rows {
            false => emitting.decisions(&source, output)?,
            true => decisions = decisions.take().map(|output| emitting.decision_rows(&source, output, groups)).transpose()?,
        }
    }
    if let Some(tell) = tell {
        emitting.tell(&source, tell)?;
    }
    finish([bad, decisions, kept])?;
    if let Some(state) = state {
        summary.resumed = state.resumed;
        state.finish()?;
    }
    summary.seconds.writing = clock.lap();
    summary.seconds.total = started.elapsed().as_secs_f64();
    summary.peak_memory = peak_memory();
    count_lines(&mut summary, &table);
    Ok(summary)
}

fn count_lines(summary: &mut Summary, table: &Table) {
    summary.bytes = table.counts.line_bytes;
    summary.bad_lines = table.counts.bad_lines;
    summary.bad_examples.clone_from(&table.counts.bad_examples);
    summary.without_id = table.counts.without_id;
    summary.blank_lines = table.counts.blank_lines;
}

/// Laps of wall-clock time.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> f64 {
        let lap = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        lap
    }
}
