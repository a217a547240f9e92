//! What a run of dedup has before its first pass.

use std::path::{Path, PathBuf};

use lookalike::Method;
use lookalike_io::{
    error::Result,
    read::{LeftOut, Source},
    write::{Kept, LabelNames, Output, Shape, are_rows},
};

use super::label::refuse_names;
use crate::{
    config::{RunConfig, row_groups_ahead},
    pass::open::{Means, Sources, create, sources},
    sketching::references::References,
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

/// A run whose inputs are found and whose outputs are in the making.
pub(super) struct Opened {
    pub(super) method: Method,
    pub(super) source: Source,
    pub(super) left_out: Option<LeftOut>,
    pub(super) state: Option<State>,
    pub(super) written: Written,
    pub(super) means: Means,
}

/// What a run writes.
pub(super) struct Written {
    pub(super) kept: Option<Kept>,
    /// The names of the labels, where every record is written with its own.
    pub(super) names: Option<LabelNames>,
    pub(super) decisions: Option<Output>,
    /// Decisions are rows of a table.
    pub(super) decision_rows: bool,
    pub(super) bad: Option<Output>,
    /// Row groups of a table that may be encoded at the same time.
    pub(super) groups: usize,
}

/// Opens all that is named.
///
/// # Errors
/// A configuration that cannot be; an input that cannot be read; an output that would overwrite one or cannot be made; a state that is
/// another run's.
pub(super) fn open(config: &RunConfig, outputs: &Outputs) -> Result<Opened> {
    let method = Method::new(config.method.clone())?;
    References::check(config, &method)?;
    let paths = [&outputs.kept, &outputs.decisions, &config.skip_bad, &config.summary];
    let named: Vec<&Path> = paths.into_iter().flatten().map(PathBuf::as_path).collect();
    let mut decision_rows = false;
    let Sources { source, left_out, .. } = sources(config, &named, || {
        decision_rows = outputs.decisions.as_deref().map(are_rows).transpose()?.unwrap_or(false);
        Ok(())
    })?;
    let state = config.resume.as_ref().map(|resume| State::open(resume, config, method.config(), &source)).transpose()?;
    let [mut kept] = create(config, [outputs.kept.as_deref()])?;
    let shape = outputs.kept.as_deref().map(|path| Shape::of(path, &source)).transpose()?;
    let names = outputs.label.as_deref().map(LabelNames::new);
    names.as_ref().map_or(Ok(()), |names| refuse_names(names, &source))?;
    let [mut decisions, mut bad] = create(config, [outputs.decisions.as_deref(), config.skip_bad.as_deref()])?;
    if outputs.dry_run {
        (kept, decisions, bad) = (None, None, None);
    }
    let besides = |threads, memory| source.besides(threads, memory) + shape.map_or(0, |shape: Shape| shape.besides(threads));
    let means = Means::new(config, &named, besides)?;
    means.run_ahead([&mut kept, &mut decisions]);
    let groups = row_groups_ahead(means.budget.memory(), means.pool.current_num_threads());
    let begin = |(output, shape)| Kept::new(output, shape, &source, names.as_ref(), groups);
    let kept = kept.zip(shape).map(begin).transpose()?;
    let written = Written { kept, names, decisions, decision_rows, bad, groups };
    Ok(Opened { method, source, left_out, state, written, means })
}
