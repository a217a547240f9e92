//! Opens the inputs and outputs of a dedup run before its first pass.

use std::path::{Path, PathBuf};

use lookalike::Method;
use lookalike_io::{
    error::Result,
    read::Source,
    write::{AddedNames, Content, Kept, Output, Series, Shapes, are_rows},
};

use super::decisions::Form;
use crate::{
    config::{Outputs, RunConfig},
    pass::{
        added::refuse_names,
        destinations::Destinations,
        open::{Means, Sources, create, sources},
    },
    sketching::references::References,
    state::State,
};

/// A run whose inputs are resolved and whose outputs are opened.
pub(super) struct Opened {
    pub(super) method: Method,
    pub(super) source: Source,
    pub(super) state: Option<State>,
    pub(super) written: Written,
    pub(super) means: Means,
}

/// The outputs of a run.
pub(super) struct Written {
    pub(super) kept: Option<Kept>,
    /// The names of the label fields, if every record is written with its labels.
    pub(super) names: Option<AddedNames>,
    pub(super) decisions: Option<Series>,
    pub(super) form: Form,
    pub(super) bad: Option<Output>,
    pub(super) report: Option<Output>,
}

/// Opens all inputs and all outputs that the configuration names.
///
/// # Errors
/// Fails if the configuration is invalid, if an input cannot be read, if an output cannot be created or would overwrite an input,
/// or if the state belongs to another run.
pub(super) fn open(config: &RunConfig, outputs: &Outputs) -> Result<Opened> {
    let method = Method::new(config.method.clone())?;
    References::check(config, &method, config.has_references())?;
    let report = config.report.as_ref().map(|report| report.path.as_path());
    let paths = [&outputs.kept, &outputs.decisions].map(Option::as_deref);
    let destinations = Destinations::new(
        config,
        [
            (Content::Records(config.output_format), paths[0]),
            (Content::Decisions, paths[1]),
        ],
    )?;
    let others: Vec<&Path> = [&config.skip_bad, &config.summary]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .chain(report)
        .collect();
    let mut decision_rows = false;
    let Sources { source, .. } = sources(config, &destinations.named(&others), || {
        let name = paths[1].filter(|_| !destinations.is_folder(1));
        decision_rows = name
            .map(|path| are_rows(path, "decisions"))
            .transpose()?
            .unwrap_or(false);
        Ok(())
    })?;
    let state = config
        .resume
        .as_ref()
        .map(|resume| State::open(resume, config, (method.config(), None), &source))
        .transpose()?;
    let [mut kept, mut decisions] =
        destinations.open(config, &source, (&others, source.inputs()))?;
    let shapes = kept
        .as_ref()
        .map(|kept| Shapes::new(kept, &source))
        .transpose()?;
    let names = outputs.label.as_deref().map(AddedNames::labels);
    names
        .as_ref()
        .map_or(Ok(()), |names| refuse_names(names, &source))?;
    shapes
        .as_ref()
        .map_or(Ok(()), |shapes| shapes.refuse_added(names.as_ref()))?;
    let [mut bad, mut report] = create(config, [config.skip_bad.as_deref(), report])?;
    if outputs.dry_run {
        (kept, decisions, bad, report) = (None, None, None, None);
    }
    let extra = |threads, memory| {
        source.extra(threads, memory) + shapes.as_ref().map_or(0, |shapes| shapes.extra(threads))
    };
    let all: Vec<&Path> = paths.into_iter().flatten().chain(others).collect();
    let means = Means::new(config, &all, extra)?;
    let ahead = means.ahead();
    let begin = |(series, shapes)| Kept::new(series, shapes, &source, names.as_ref(), ahead);
    let kept = kept.zip(shapes).map(begin).transpose()?;
    let form = Form {
        rows: decision_rows,
        ahead,
    };
    let written = Written {
        kept,
        names,
        decisions,
        form,
        bad,
        report,
    };
    Ok(Opened {
        method,
        source,
        state,
        written,
        means,
    })
}
