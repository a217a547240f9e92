//! Cuts repeated passages out of texts, by the law of [`lookalike::cut`].
//!
//! The first pass reads the units of all texts on all threads, and looks up what they share with
//! the texts that were cut so far (`loading.rs`). The core's `Cutter` cuts the texts one after
//! another (`deciding.rs`). If keep order is not input order, or if what texts may share does not
//! fit into memory, this pass keeps only the keys of anchors (`keys.rs`), and another pass decides
//! with the repeated ones (`rounds.rs`). Cutting a passage joins its neighbours. If a joined
//! sequence is also in a text that has no repeated anchor there, the pass is repeated with it. The
//! last pass writes the texts and the cuts (`emit.rs`).

mod asked;

pub(crate) mod options;

mod outcomes;

mod summary;

mod loading;

mod keys;

mod deciding;

mod waiting;

mod rounds;

mod sorted;

mod locating;

mod saved;

mod reported;

mod emit;

mod html;

use std::{path::Path, time::Instant};

use lookalike::{cluster::Keep, cut::CutConfig, shown::quoted};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    memory::peak_memory,
    pool::install,
    read::is_joined,
    write::{
        AddedNames, Content, Kept, LineSeries, Output, Shapes, finish, refuse_other_than_lines,
    },
};

pub use self::{
    asked::Cutting,
    reported::{CutDocument, CutPlace, TellCut},
    summary::{CutSummary, LargestSource},
};
use self::{
    emit::{Emitting, Outputs},
    html::page,
    loading::Loading,
    locating::{Locations, Needed},
    rounds::FirstPass,
    saved::{Saved, save_locations, save_missed, save_outcomes},
};
use crate::{
    config::{Observer, RunConfig},
    matching::sets::Pass,
    pass::{
        added::refuse_names,
        copy::same_number,
        destinations::Destinations,
        open::{Means, Sources, create, sources},
    },
    sketching::{
        Beside, order::Order, refuse_repeated_references, sketch_looking, without_candidates,
    },
    state::State,
};

/// Cuts repeated passages out of the documents of a collection: a passage is kept where it occurs first in keep order, and cut
/// everywhere else. What references contain is cut too. If the configuration names a field with labels, only documents with the same
/// label are compared. The records are written with the remaining texts, or with their whole texts and marks.
///
/// The result is the same for any number of threads and any memory limit. Cost: the inputs are read two or three times if the kept units
/// and their index fit into half of the memory, about 9 bytes for each token, and if keep order is input order. Otherwise, they are read
/// twice more, or rarely several times. Then only repeated passages are indexed, with about 10 bytes of memory for about 18 tokens of
/// each different one, or more if there are groups, and temporary files hold their units and half a byte for each token of the texts.
///
/// # Errors
/// Fails if the configuration is invalid, if an input cannot be read, if a line is not a record (unless bad lines are skipped),
/// or if an output cannot be written. In all these cases no file is left under an output's name.
pub fn cut(config: &RunConfig, asked: &Cutting, observer: Observer) -> Result<CutSummary> {
    without_panic(|| all_passes(config, asked, None, observer))
}

/// Does the same as [`cut`], and reports each document that is not unchanged, in input order, before the outputs appear under their
/// names. The remaining texts are reported only if they are not written to an output.
///
/// # Errors
/// Fails for the same reasons as [`cut`], and with any error that `tell` returns.
pub fn cut_reporting(
    config: &RunConfig,
    asked: &Cutting,
    tell: &mut TellCut,
    observer: Observer,
) -> Result<CutSummary> {
    without_panic(|| all_passes(config, asked, Some(tell), observer))
}

/// Returns an error if the text is put together from several fields: what remains of it could not be written into one of them.
fn refuse_joined(field: &str) -> Result<()> {
    if !is_joined(field) {
        return Ok(());
    }
    let refused = Error::new(
        ErrorKind::Config,
        format!("the text {} has several parts", quoted(field)),
    )
    .about(Setting("text_field"));
    Err(refused.advise("name one field; for several, cut one after the other"))
}

/// The memory of a thread for the units of texts, which take more than the texts themselves.
const UNITS: u64 = 12 << 20;

fn all_passes(
    config: &RunConfig,
    asked: &Cutting,
    tell: Option<&mut TellCut>,
    observer: Observer,
) -> Result<CutSummary> {
    let started = Instant::now();
    let cut = CutConfig {
        tokens: config.method.tokens,
        folds: config.method.folds,
        ..asked.cut.clone()
    };
    let rules = cut.rules()?;
    refuse_joined(&config.text_field)?;
    let method = without_candidates(&config.method)?;
    let report = config.report.as_ref().map(|report| report.path.as_path());
    let paths = [&asked.texts, &asked.cuts, &asked.attributes].map(Option::as_deref);
    let destinations = Destinations::new(
        config,
        [
            (Content::Records(config.output_format), paths[0]),
            (Content::Cuts, paths[1]),
            (Content::Attributes, paths[2]),
        ],
    )?;
    let others: Vec<&Path> = [&config.skip_bad, &config.summary]
        .into_iter()
        .flatten()
        .map(|path| path.as_path())
        .chain(report)
        .collect();
    let Sources { source, .. } = sources(config, &destinations.named(&others), || {
        let lines = [(&asked.cuts, "cuts"), (&asked.attributes, "attributes")];
        lines.into_iter().try_for_each(|(path, what)| {
            path.as_deref()
                .map_or(Ok(()), |path| refuse_other_than_lines(path, what))
        })
    })?;
    let [texts, cuts, attributes] =
        destinations.open(config, &source, (&others, source.inputs()))?;
    let shapes = texts
        .as_ref()
        .map(|texts| Shapes::new(texts, &source))
        .transpose()?;
    let names = asked
        .mark
        .as_deref()
        .filter(|_| texts.is_some())
        .map(AddedNames::marks);
    names
        .as_ref()
        .map_or(Ok(()), |names| refuse_names(names, &source))?;
    if let Some(shapes) = &shapes {
        shapes.refuse_added(names.as_ref())?;
        shapes.refuse_changed_pages(&source)?;
    }
    let open = |resume| State::open(resume, config, (method.config(), Some(&cut)), &source);
    let mut state = config.resume.as_ref().map(open).transpose()?;
    let [mut bad, mut report] = create(config, [config.skip_bad.as_deref(), report])?;
    let extra = |threads, memory| {
        let written = shapes.as_ref().map_or(0, |shapes| shapes.extra(threads));
        source.extra(threads, memory) + written + UNITS * threads as u64
    };
    let all: Vec<&Path> = paths.into_iter().flatten().chain(others).collect();
    let means = Means::new(config, &all, extra)?;
    let ahead = means.ahead();
    let lines = |series| LineSeries::new(series, ahead.1);
    let [mut cuts, mut attributes] = [
        cuts.map(lines).transpose()?,
        attributes.map(lines).transpose()?,
    ];
    let Means { pool, budget } = means;
    let begin = |(series, shapes)| Kept::new(series, shapes, &source, names.as_ref(), ahead);
    let mut texts = texts.zip(shapes).map(begin).transpose()?;

    let needed = Needed {
        places: cuts.is_some() || names.is_some() || tell.is_some() || report.is_some(),
        report: report.is_some(),
    };
    let saved = state.as_mut().map_or_else(
        || Ok(Saved::default()),
        |state| Saved::read(state, needed, &budget),
    )?;
    let decides = source.reading().fields.keep == Keep::First
        && state.as_ref().is_none_or(|state| state.sketches.len() == 0);
    let mut first = FirstPass::new(&cut, decides, saved.outcomes.is_some(), &budget)?;
    let beside = Beside {
        bad: bad.as_mut(),
        state: state.as_mut(),
        ..Beside::default()
    };
    let loading = Loading::new(&cut, None, first.searcher());
    let looking = (&loading, |loaded| first.take(&loaded, &loading));
    let table = sketch_looking(
        (config, &method),
        &source,
        &budget,
        &pool,
        beside,
        looking,
        observer,
    )?;
    let no_labels = || table.documents > 0 && table.labels.iter().all(Option::is_none);
    if let Some(field) = config.label_field.as_deref().filter(|_| no_labels()) {
        let what = format!("no document has the field {} of the groups", quoted(field));
        return Err(Error::new(ErrorKind::Config, what).advise("name a field of the records"));
    }
    table.refuse_more_than_32_bits("cutting")?;
    if !config.allow_repeated_ids {
        refuse_repeated_references(&table, &source)?;
    }
    table.find_columns(&source, &mut texts, &pool, observer)?;
    let pass = Pass {
        config,
        method: &method,
        source: &source,
        table: &table,
        pool: &pool,
        observer,
    };
    let resumed = saved.resumed(state.as_ref().and_then(|state| state.resumed));
    let (outcomes, counts) = match (saved.outcomes, &mut state) {
        (Some((outcomes, _)), Some(state)) if !outcomes.fit(table.documents)? => {
            return Err(state.other_verdicts());
        }
        (Some(decided), _) => decided,
        (None, state) => {
            let order = Order::new(
                &table.keys,
                table.documents,
                table.references.documents,
                &pool,
            )?;
            let save = |missed: &[u64]| save_missed(state.as_mut(), missed);
            let (outcomes, counts) = first
                .decided(pass, &cut, &order, saved.missed, save)?
                .finished();
            save_outcomes(state.as_mut(), &outcomes, &counts)?;
            (outcomes, counts)
        }
    };
    let locations = match saved.locations {
        Some(locations) => locations,
        None => {
            let locations = Locations::find(pass, &cut, &outcomes, needed)?;
            if !needed.report {
                save_locations(state.as_mut(), &locations)?;
            }
            locations
        }
    };
    let documents = table.documents - table.references.documents;
    let emitting = Emitting {
        pass,
        config: &cut,
        outcomes: &outcomes,
        locations: &locations,
    };
    let mut bytes = vec![0; locations.passages.len()];
    if texts.is_some() || attributes.is_some() || needed.places {
        let (names, bytes) = (names.as_ref(), report.is_some().then_some(&mut bytes[..]));
        let outputs = Outputs {
            texts: texts.as_mut(),
            names,
            cuts: cuts.as_mut(),
            attributes: attributes.as_mut(),
            tell,
            bytes,
        };
        let written = emitting.all(outputs)?;
        if texts.is_some() {
            same_number(
                documents - if names.is_some() { 0 } else { counts.dropped },
                written,
            )?;
        }
    }
    let mut summary = CutSummary {
        documents,
        unchanged: counts.unchanged,
        cut: counts.cut,
        dropped: counts.dropped,
        references: table.references.documents,
        tokens: counts.tokens,
        tokens_kept: counts.tokens - counts.tokens_cut - counts.tokens_dropped,
        tokens_cut: counts.tokens_cut,
        tokens_dropped: counts.tokens_dropped,
        cuts: counts.cuts,
        largest: locations.largest.clone(),
        window: rules.window,
        min_tokens: rules.least_tokens,
        settings: cut.clone(),
        unread: table.counts.unread.clone(),
        bytes: table.counts.line_bytes,
        above_memory: 0,
        seconds: 0.0,
        peak_memory: None,
        report: None,
        resumed,
    };
    if let Some(output) = &mut report {
        let (html, figures) = page(&emitting, &summary, &bytes)?;
        output.write(html.as_bytes())?;
        summary.report = Some(figures);
    }
    let texts = texts
        .map(|texts| install(&pool, || texts.end(&source, documents)))
        .transpose()?;
    let [cuts, attributes] = [
        cuts.map(LineSeries::end).transpose()?,
        attributes.map(LineSeries::end).transpose()?,
    ];
    [&mut bad, &mut report]
        .into_iter()
        .flatten()
        .for_each(Output::end);
    let many = [cuts, attributes, texts].into_iter().flatten().flatten();
    finish([bad, report].into_iter().chain(many.map(Some)))?;
    state.map_or(Ok(()), State::finish)?;
    summary.seconds = started.elapsed().as_secs_f64();
    summary.peak_memory = peak_memory();
    summary.above_memory = summary.peak_memory.map_or(0, |peak| budget.above(peak));
    Ok(summary)
}
