//! The main job: a collection in, what is kept and why out.

pub(crate) mod summary;

pub(crate) mod emit;

mod label;

pub(crate) mod opened;

use std::time::Instant;

use lookalike::{Candidates, Cluster, Method};
use lookalike_io::{
    error::{ErrorKind, Result, without_panic},
    memory::peak_memory,
    write::{Output, finish},
};
use rayon::ThreadPool;

use self::{
    emit::{Emitting, Tell},
    opened::{Opened, Outputs, Written, open},
    summary::Summary,
};
use crate::{
    config::{Observer, RunConfig},
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
    pairing::{Pairing, greedy, shared::Counted, verdicts::Verdicts},
    pass::{copy::same_number, open::Means},
    sketching::{self, Beside, table::Table},
    state::State,
};

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
    let Opened { method, source, left_out, mut state, mut written, means: Means { pool, budget } } = open(config, outputs)?;
    let mut summary = Summary::new(&method, config, left_out);
    let mut clock = Clock(Instant::now());
    let mut table = {
        let beside = Beside { bad: written.bad.as_mut(), state: state.as_mut(), ..Beside::default() };
        sketching::sketch(config, &method, &source, &budget, &pool, beside, observer)?
    };
    summary.seconds.sketching = clock.lap();

    let Found { pairing, meetings, counted } = find(&method, &mut table, &pool, observer)?;
    summary.seconds.pairing = clock.lap();

    let pass = Pass { config, method: &method, source: &source, table: &table, pool: &pool, observer };
    let matcher = Matcher::new(&method, &table.lists, &pairing);
    let at_once =
        config.method.cluster == Cluster::Law && pairing.order.is_input() && config.method.candidates != Candidates::All;
    let mut lines = None;
    let others = written.decisions.is_some() || written.bad.is_some() || tell.is_some();
    let verdicts = match meetings {
        Met::Pairs(meetings) if at_once => {
            let (verdicts, count) = settle_at_once(pass, &matcher, meetings, &mut written, others, state.as_mut())?;
            lines = written.names.is_none().then_some(count);
            summary.seconds.settling = clock.lap();
            verdicts
        }
        meetings => {
            let sets = sets::of_contenders(pass, &pairing)?;
            summary.seconds.loading = clock.lap();
            let verdicts = decide(pass, &matcher, meetings, sets)?;
            summary.seconds.deciding = clock.lap();
            verdicts
        }
    };
    summary.finding.count(&counted, &matcher, &table);

    let emitting = Emitting::new(&table, &pairing, &matcher, &verdicts, &pool)?;
    emitting.count(&mut summary)?;
    write(&emitting, pass, written, (lines, others), &summary, tell)?;
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

/// What the sketches say.
struct Found {
    pairing: Pairing,
    meetings: Met,
    counted: Counted,
}

/// How documents may belong together.
enum Met {
    /// The first of each contender's group: greedy clusters need no more.
    Groups(Vec<u32>),
    /// Pairs of documents that may be candidates.
    Pairs(Meetings),
}

/// Sketches → which documents may be similar.
fn find(method: &Method, table: &mut Table, pool: &ThreadPool, observer: Observer) -> Result<Found> {
    let mut pairing = Pairing::new(table, pool)?;
    let (meetings, counted) = match method.config().cluster {
        Cluster::Greedy(by) => {
            let (first_of, counted) = greedy::group(by, method.config().threshold, table, &mut pairing)?;
            (Met::Groups(first_of), counted)
        }
        Cluster::Law | Cluster::Components => {
            let (meetings, counted) = Meetings::new(method, table, &mut pairing, None, pool, observer)?;
            (Met::Pairs(meetings), counted)
        }
    };
    Ok(Found { pairing, meetings, counted })
}

/// Makes the contenders' sets, decides about them and writes the kept records, all in one pass over the input. Possible where input
/// order is keep order. Records with labels are not written here. Returns the number of records written.
fn settle_at_once(
    pass: Pass,
    matcher: &Matcher,
    meetings: Meetings,
    written: &mut Written,
    others: bool,
    state: Option<&mut State>,
) -> Result<(Verdicts, u64)> {
    // A label is only known when all is decided: a later pass writes records with theirs.
    let mut none = None;
    let now = if written.names.is_some() { &mut none } else { &mut written.kept };
    settle(pass, matcher, meetings.links(matcher.pairing.numbers()?), now, others, state)
}

/// Contenders' sets → what is kept.
fn decide(pass: Pass, matcher: &Matcher, meetings: Met, mut sets: Sets) -> Result<Verdicts> {
    let (method, pool) = (pass.method, pass.pool);
    let meetings = match meetings {
        Met::Groups(first_of) => return measure_dropped(first_of.into_iter(), matcher, &sets, pool),
        Met::Pairs(meetings) => meetings.join(method, matcher.pairing, &sets)?,
    };
    match method.config().cluster {
        Cluster::Components => {
            let joining = meetings.joining(pass.config.crowd, matcher, &mut sets, &pass.table.budget, pool)?;
            components(&meetings, joining.as_ref(), matcher, &sets, pool)
        }
        Cluster::Law | Cluster::Greedy(_) => decide_all(pass, matcher, meetings.links(matcher.pairing.numbers()?), sets),
    }
}

/// Writes what was decided, tells it, and lets all outputs appear under their names. `lines` are the kept records that are written
/// already; `others` says that more than these is wanted.
fn write(
    emitting: &Emitting,
    pass: Pass,
    mut written: Written,
    (lines, others): (Option<u64>, bool),
    summary: &Summary,
    tell: Option<&mut Tell>,
) -> Result<()> {
    let Pass { source, pool, observer, .. } = pass;
    if let Some(output) = &mut written.kept {
        let whole = match (&written.names, lines) {
            (Some(names), _) => emitting.labelled(source, names, output, observer),
            (None, Some(lines)) => same_number(summary.kept, lines),
            (None, None) => emitting.kept_lines(source, output, summary.kept, observer),
        };
        // Who read the kept lines has had enough of them; the other outputs are still wanted.
        if whole.as_ref().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) && others {
            written.kept = None;
        } else {
            whole?;
        }
    }
    let Written { kept, mut decisions, decision_rows, mut bad, groups, .. } = written;
    let kept = pool.install(|| kept.map(|kept| kept.end(summary.documents)).transpose())?;
    bad.iter_mut().for_each(Output::end);
    if let Some(output) = &mut decisions {
        match decision_rows {
            false => emitting.decisions(source, output)?,
            true => decisions = decisions.take().map(|output| emitting.decision_rows(source, output, groups)).transpose()?,
        }
    }
    if let Some(tell) = tell {
        emitting.tell(source, tell)?;
    }
    finish([bad, decisions, kept])
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
