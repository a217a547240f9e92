//! The main job: reads a collection, and writes what is kept and why.

pub(crate) mod summary;

mod evidence;

mod per_group;

pub(crate) mod emit;

mod label;

mod decisions;

pub(crate) mod storing;

pub(crate) mod opened;

mod outcome;

pub(crate) mod listed;

pub(crate) mod fields;

pub(crate) mod options;

use std::time::Instant;

use lookalike::{Candidates, Cluster, Method, Scratch};
use lookalike_io::{
    error::{Result, without_panic},
    memory::peak_memory,
    read::Source,
    write::Output,
};
use rayon::ThreadPool;

use self::{
    emit::{Emitting, Tell},
    opened::{Opened, Written, open},
    outcome::{Outcome, write},
    storing::DecidedDocument,
    summary::Summary,
};
use crate::{
    config::{Observer, Outputs, RunConfig},
    deciding::{
        candidate_pairs::CandidatePairs,
        components::{components, measure_dropped},
        decide_all,
        search::FieldSearch,
        streamed::decide_rounds,
    },
    jobs::documents::InputDocument,
    matching::{
        Matcher,
        sets::{self, Pass, Sets},
    },
    pairing::{Pairing, greedy, shared::Counted, verdicts::Verdicts},
    pass::open::Means,
    reporting::{ReportFigures, collecting::Collecting, near},
    sketching::{self, Beside, table::Table},
    state::State,
};

/// Deduplicates a collection by the law (the rule for what is dropped).
///
/// # Errors
/// Fails if the configuration is invalid, if an input cannot be read, if a line is not a record (unless bad lines are skipped),
/// or if an output cannot be written. In all these cases no file is left under an output's name.
pub fn dedup(config: &RunConfig, outputs: &Outputs, observer: Observer) -> Result<Summary> {
    without_panic(|| all_passes(config, outputs, None, |_, _| Ok(()), observer))
}

/// Does the same as [`dedup`], and also passes every decision to `tell` before the outputs appear under their names.
///
/// # Errors
/// Fails for the same reasons as [`dedup`], and with any error that `tell` returns.
pub fn dedup_reporting(
    config: &RunConfig,
    outputs: &Outputs,
    tell: &mut Tell,
    observer: Observer,
) -> Result<Summary> {
    without_panic(|| all_passes(config, outputs, Some(tell), |_, _| Ok(()), observer))
}

/// Does the same as [`dedup`], and hands out all documents with the decisions about them before the outputs appear under their names.
/// There must be no references. `make` is called for every document, on all threads. `give` gets what `make` returned in input order, some
/// documents at a time, and an empty list at the end. Cost: one more pass over the inputs.
///
/// # Errors
/// Fails for the same reasons as [`dedup`], and with any error that `give` returns.
pub fn dedup_storing<T: Send>(
    config: &RunConfig,
    outputs: &Outputs,
    make: impl Fn(InputDocument, &mut Scratch) -> T + Sync,
    give: impl FnMut(Vec<DecidedDocument<T>>) -> Result<()> + Send,
    observer: Observer,
) -> Result<Summary> {
    per_group::check(config, true)?;
    config
        .other_fields
        .as_ref()
        .map_or(Ok(()), fields::refuse_storing)?;
    let store = |emitting: &Emitting, source: &Source| {
        emitting.stored((config, source), make, give, observer)
    };
    without_panic(|| all_passes(config, outputs, None, store, observer))
}

fn all_passes(
    config: &RunConfig,
    outputs: &Outputs,
    tell: Option<&mut Tell>,
    store: impl FnOnce(&Emitting, &Source) -> Result<()>,
    observer: Observer,
) -> Result<Summary> {
    let started = Instant::now();
    per_group::check(config, false)?;
    if let Some(fields) = &config.other_fields {
        return fields::all_passes(config, fields, outputs, tell, observer);
    }
    let Opened {
        method,
        source,
        mut state,
        mut written,
        means: Means { pool, budget },
    } = open(config, outputs)?;
    let mut summary = Summary::new(&method, config);
    let mut clock = Clock(Instant::now());
    let mut table = {
        let beside = Beside {
            bad: written.bad.as_mut(),
            state: state.as_mut(),
            ..Beside::default()
        };
        sketching::sketch(config, &method, &source, &budget, &pool, beside, observer)?
    };
    summary.seconds.sketching = clock.lap();
    table.find_columns(&source, &mut written.kept, &pool, observer)?;

    let Found {
        pairing,
        candidate_pairs,
        counted,
    } = find(&method, &mut table, &pool, observer)?;
    summary.seconds.pairing = clock.lap();

    let pass = Pass {
        config,
        method: &method,
        source: &source,
        table: &table,
        pool: &pool,
        observer,
    };
    let matcher = Matcher::new(&method, &table.samples, &pairing);
    let at_once = config.method.cluster == Cluster::Law
        && pairing.order.is_input()
        && config.method.candidates != Candidates::All;
    let mut lines = None;
    let verdicts = match candidate_pairs {
        Grouping::Pairs(candidate_pairs) if at_once => {
            let (verdicts, count) = decide_streamed(
                pass,
                &matcher,
                candidate_pairs,
                &mut written,
                state.as_mut(),
            )?;
            lines = (written.names.is_none() && config.keep_per_group == 1).then_some(count);
            summary.seconds.streaming = clock.lap();
            verdicts
        }
        candidate_pairs => {
            let sets = sets::of_contenders(pass, &pairing)?;
            summary.seconds.loading = clock.lap();
            let verdicts = decide(pass, &matcher, candidate_pairs, sets)?;
            summary.seconds.deciding = clock.lap();
            verdicts
        }
    };
    summary.finding.count(&counted, &matcher, &table, config);

    let emitting = Emitting::new(
        &table,
        &pairing,
        &matcher,
        &verdicts,
        (&pool, config.keep_per_group),
    )?;
    emitting.count(&mut summary)?;
    count_lines(&mut summary, &table);
    store(&emitting, &source)?;
    let outcome = Outcome {
        lines,
        ..Outcome::of(&summary)
    };
    let report = |output: &mut Output| write_report(&emitting, pass, &summary, output).map(Some);
    summary.report = write(
        &emitting,
        (&source, &pool, observer),
        written,
        outcome,
        report,
        tell,
    )?;
    if let Some(state) = state {
        summary.resumed = state.resumed;
        state.finish()?;
    }
    summary.seconds.writing = clock.lap();
    summary.seconds.total = started.elapsed().as_secs_f64();
    summary.peak_memory = peak_memory();
    Ok(summary)
}

/// The result of examining the sketches.
struct Found {
    pairing: Pairing,
    candidate_pairs: Grouping,
    counted: Counted,
}

/// What the sketches show about which documents belong together.
enum Grouping {
    /// For each contender (document that has to be compared), the first document of its group. This list is the complete result
    /// of greedy clustering, which needs no candidate pairs.
    Groups(Vec<u32>),
    /// Pairs of documents that may be candidates.
    Pairs(CandidatePairs),
}

/// Finds which documents may be similar, from their sketches.
fn find(
    method: &Method,
    table: &mut Table,
    pool: &ThreadPool,
    observer: Observer,
) -> Result<Found> {
    let mut pairing = Pairing::new(table, pool)?;
    let (candidate_pairs, counted) = match method.config().cluster {
        Cluster::Greedy(by) => {
            let (first_of, counted) =
                greedy::group(by, method.config().threshold, table, &mut pairing)?;
            (Grouping::Groups(first_of), counted)
        }
        Cluster::Law | Cluster::Components => {
            let (candidate_pairs, counted) =
                CandidatePairs::new(method, table, &mut pairing, None, pool, observer)?;
            (Grouping::Pairs(candidate_pairs), counted)
        }
    };
    Ok(Found {
        pairing,
        candidate_pairs,
        counted,
    })
}

/// Makes the contenders' sets, decides, and writes the kept records, all in one pass over the input. This is possible if keep
/// order (the order in which documents are considered) is input order. If records are written with labels, or if the law does not have
/// the last word, a later pass writes them. Returns the number of records written.
fn decide_streamed(
    pass: Pass,
    matcher: &Matcher,
    candidate_pairs: CandidatePairs,
    written: &mut Written,
    state: Option<&mut State>,
) -> Result<(Verdicts, u64)> {
    // Labels and whole groups are known only after all documents are decided.
    let mut none = None;
    let later = written.names.is_some() || pass.config.keep_per_group != 1;
    let now = if later { &mut none } else { &mut written.kept };
    decide_rounds(
        pass,
        matcher,
        candidate_pairs.links(matcher.pairing.numbers()?),
        now,
        state,
    )
}

/// Decides what is kept, from the contenders' sets.
fn decide(
    pass: Pass,
    matcher: &Matcher,
    candidate_pairs: Grouping,
    mut sets: Sets,
) -> Result<Verdicts> {
    let (method, pool) = (pass.method, pass.pool);
    let candidate_pairs = match candidate_pairs {
        Grouping::Groups(first_of) => {
            return measure_dropped(first_of.into_iter(), matcher, &sets, pool);
        }
        Grouping::Pairs(candidate_pairs) => candidate_pairs.join(method, matcher.pairing, &sets)?,
    };
    match method.config().cluster {
        Cluster::Components => {
            let joining = candidate_pairs.joining(
                pass.config.crowd,
                matcher,
                &mut sets,
                &pass.table.budget,
                pool,
            )?;
            components(&candidate_pairs, joining.as_ref(), matcher, &sets, pool)
        }
        Cluster::Law | Cluster::Greedy(_) => {
            let links = candidate_pairs.links(matcher.pairing.numbers()?);
            let search = FieldSearch::new(&pass, matcher, links, sets)?;
            decide_all(pass, vec![search])
        }
    }
}

/// Writes the report.
fn write_report(
    emitting: &Emitting,
    pass: Pass,
    summary: &Summary,
    output: &mut Output,
) -> Result<ReportFigures> {
    let started = Instant::now();
    let Pass {
        config,
        method,
        source,
        table,
        pool,
        observer,
    } = pass;
    let (rows, not_listed) = emitting.rows(summary.dropped)?;
    let asked = config.report.as_ref().and_then(|report| report.floor);
    let near = match near::floor(config, method, table.documents, asked) {
        Err(why) => Err(why),
        // Without all groups, the decisions cannot be made again.
        Ok(_) if not_listed.dropped > 0 => Err("large"),
        Ok(floor) => Ok((
            floor,
            near::find(
                config,
                method,
                floor,
                (source, &table.budget, pool),
                observer,
            )?,
        )),
    };
    let rows = Some(rows);
    let collecting = Collecting {
        config,
        method,
        source,
        pool,
        table,
        command: "dedup",
        rows,
        near,
        listed: Vec::new(),
        sites: Vec::new(),
        not_listed,
    };
    let (html, figures) = collecting.html(started, summary)?;
    output.write(html.as_bytes())?;
    Ok(figures)
}

fn count_lines(summary: &mut Summary, table: &Table) {
    summary.bytes = table.counts.line_bytes;
    summary.unread.clone_from(&table.counts.unread);
    summary.without_id = table.counts.without_id;
    summary.blank_lines = table.counts.blank_lines;
}

/// A stopwatch that measures laps of wall-clock time.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> f64 {
        let lap = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        lap
    }
}
