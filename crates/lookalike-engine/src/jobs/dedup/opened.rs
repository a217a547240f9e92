//! Opens the inputs and outputs of a dedup run before its first pass.

use std::path::{Path, PathBuf};

use lookalike::Method;
use lookalike_io::{
    error::Result,
    read::{LeftOut, Source},
    write::{AddedNames, Kept, Output, Shape, are_rows},
};

use crate::{
    config::{RunConfig, row_groups_ahead},
    pass::{
        added::refuse_names,
        open::{Means, Sources, create, sources},
    },
    sketching::references::References,
    state::State,
};

/// What to write. No output appears under its name before all outputs are complete.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// The kept lines; `-` for standard output.
    pub kept: Option<PathBuf>,
    /// Write every record to the `kept` output, not only the kept records, and add four fields to each. The name of each field is
    /// this prefix followed by `cluster`, `verdict`, `representative` or `similarity`.
    pub label: Option<String>,
    /// The decisions; `-` for standard output. The decisions are written as a table if the name has the extension of a table
    /// (`.parquet`, `.arrow`, `.arrows`), and otherwise as JSON Lines.
    pub decisions: Option<PathBuf>,
    /// Check that all outputs can be written, but write nothing.
    pub dry_run: bool,
}

/// A run whose inputs are resolved and whose outputs are opened.
pub(super) struct Opened {
    pub(super) method: Method,
    pub(super) source: Source,
    pub(super) left_out: Option<LeftOut>,
    pub(super) state: Option<State>,
    pub(super) written: Written,
    pub(super) means: Means,
}

/// The outputs of a run.
pub(super) struct Written {
    pub(super) kept: Option<Kept>,
    /// The names of the label fields, if every record is written with its labels.
    pub(super) names: Option<AddedNames>,
    pub(super) decisions: Option<Output>,
    /// Whether decisions are written as rows of a table.
    pub(super) decision_rows: bool,
    pub(super) bad: Option<Output>,
    pub(super) report: Option<Output>,
    /// The number of row groups of a table that may be encoded in parallel.
    pub(super) groups: usize,
}

/// Opens all inputs and all outputs that the configuration names.
///
/// # Errors
/// Fails if the configuration is invalid, if an input cannot be read, if an output cannot be created or would overwrite an input,
/// or if the state belongs to another run.
pub(super) fn open(config: &RunConfig, outputs: &Outputs) -> Result<Opened> {
    let method = Method::new(config.method.clone())?;
    References::check(config, &method)?;
    let report = config.report.as_ref().map(|report| report.path.as_path());
    let paths = [&outputs.kept, &outputs.decisions, &config.skip_bad, &config.summary];
    let named: Vec<&Path> = paths.into_iter().flatten().map(PathBuf::as_path).chain(report).collect();
    let mut decision_rows = false;
    let Sources { source, left_out, .. } = sources(config, &named, || {
        decision_rows = outputs.decisions.as_deref().map(|path| are_rows(path, "decisions")).transpose()?.unwrap_or(false);
        Ok(())
    })?;
    let state = config.resume.as_ref().map(|resume| State::open(resume, config, (method.config(), None), &source)).transpose()?;
    let [mut kept] = create(config, [outputs.kept.as_deref()])?;
    let shape = outputs.kept.as_deref().map(|path| Shape::of(path, &source)).transpose()?;
    let names = outputs.label.as_deref().map(AddedNames::labels);
    names.as_ref().map_or(Ok(()), |names| refuse_names(names, &source))?;
    let [mut decisions, mut bad, mut report] =
        create(config, [outputs.decisions.as_deref(), config.skip_bad.as_deref(), report])?;
    if outputs.dry_run {
        (kept, decisions, bad, report) = (None, None, None, None);
    }
    let extra = |threads, memory| source.extra(threads, memory) + shape.map_or(0, |shape: Shape| shape.extra(threads));
    let means = Means::new(config, &named, extra)?;
    means.run_ahead([&mut kept, &mut decisions]);
    let groups = row_groups_ahead(means.budget.memory(), means.pool.current_num_threads());
    let begin = |(output, shape)| Kept::new(output, shape, &source, names.as_ref(), groups);
    let kept = kept.zip(shape).map(begin).transpose()?;
    let written = Written { kept, names, decisions, decision_rows, bad, report, groups };
    Ok(Opened { method, source, left_out, state, written, means })
}
