//! Writes the outputs of a run whose documents are decided.

use lookalike_io::{
    error::Result,
    pool::install,
    read::Source,
    write::{Output, finish},
};
use rayon::ThreadPool;

use super::{
    emit::{Emitting, Tell},
    opened::Written,
    summary::Summary,
};
use crate::{config::Observer, pass::copy::same_number, reporting::ReportFigures};

/// What is known before the outputs are written.
pub(super) struct Outcome {
    pub(super) documents: u64,
    pub(super) kept: u64,
    /// The number of kept records, if they are already written.
    pub(super) lines: Option<u64>,
}

impl Outcome {
    /// Returns the outcome of a run that has written nothing.
    pub(super) fn of(summary: &Summary) -> Self {
        Self {
            documents: summary.documents,
            kept: summary.kept,
            lines: None,
        }
    }
}

/// Writes the kept records if they are not yet written, and the decisions, passes these to `tell`, and publishes all outputs under their
/// names. `report` writes the report.
pub(super) fn write(
    emitting: &Emitting,
    (source, pool, observer): (&Source, &ThreadPool, Observer),
    mut written: Written,
    outcome: Outcome,
    report: impl FnOnce(&mut Output) -> Result<Option<ReportFigures>>,
    tell: Option<&mut Tell>,
) -> Result<Option<ReportFigures>> {
    if let Some(output) = &mut written.kept {
        match (&written.names, outcome.lines) {
            (Some(names), _) => emitting.labelled(source, names, output, observer),
            (None, Some(lines)) => same_number(outcome.kept, lines),
            (None, None) => emitting.kept_lines(source, output, outcome.kept, observer),
        }?;
    }
    let Written {
        kept,
        decisions,
        form,
        mut bad,
        report: mut page,
        ..
    } = written;
    let kept = install(pool, || {
        kept.map(|kept| kept.end(source, outcome.documents))
            .transpose()
    })?;
    bad.iter_mut().for_each(Output::end);
    let decisions = decisions
        .map(|series| emitting.decisions(source, series, form))
        .transpose()?;
    if let Some(tell) = tell {
        emitting.tell(source, tell)?;
    }
    let figures = page.as_mut().map(report).transpose()?.flatten();
    let many = [decisions, kept].into_iter().flatten().flatten();
    finish([bad, page].into_iter().chain(many.map(Some)))?;
    Ok(figures)
}
