//! Deduplicates documents that are similar in each of several fields, or in any of them.
//!
//! If documents may be similar in any field, all matches of each field are found first, as for a list of pairs. Two documents are
//! candidates if they are candidates in one of the fields, and their similarity is the greatest of the similarities of their fields.
//!
//! If they must be similar in each field, matches are found only in the field with the fewest candidate pairs, and two documents are
//! candidates if they are candidates in this field. The other fields are measured when a document is compared with a kept one, and the
//! similarity is the least of all fields.

mod classes;

mod measured;

mod deciding;

mod finding;

use std::time::Instant;

use lookalike::{
    Cluster, Config, Method, Verify, cluster::Keep, shown::quoted, text::TokensBy, verify::Measure,
};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    memory::peak_memory,
    spill::{Spill, places::Places},
    words,
};

use self::{
    deciding::{ComparedBy, decide},
    finding::{Compared, Matching, SketchedField},
};
use super::{
    count_lines,
    emit::{Emitting, Tell},
    evidence::Listed,
    opened::{Opened, Outputs, open},
    outcome::{Outcome, write},
    summary::{ComparedField, ComparedFields, Summary},
};
use crate::{
    config::{Observer, OtherFields, RunConfig, SimilarIn},
    numbers::Document,
    pairing::Pairing,
    pass::{
        columns::find_columns,
        open::{Means, Sources, sources},
    },
    sketching::{self, Beside, references::References},
};

/// Checks that documents are not stored with decisions by several fields.
pub(super) fn refuse_storing(config: &RunConfig) -> Result<()> {
    let Some(fields) = &config.other_fields else {
        return Ok(());
    };
    let what = words![
        "an index compares documents by one field, so it does not work with ",
        setting(fields)
    ];
    Err(Error::new(ErrorKind::Config, what).advise("leave out one of the two"))
}

/// Returns the setting that names the other fields.
fn setting(fields: &OtherFields) -> Setting {
    match fields.similar {
        SimilarIn::Each => Setting::AndField,
        SimilarIn::Any => Setting::OrField,
    }
}

/// Refuses settings that do not work with several fields.
fn check(config: &RunConfig, fields: &OtherFields, method: &Method) -> Result<()> {
    let own = setting(fields);
    let names: Vec<&String> = [&config.text_field]
        .into_iter()
        .chain(&fields.names)
        .collect();
    if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        let what = words![
            own,
            format!(": the field {} is named twice", quoted(names[at]))
        ];
        return Err(Error::new(ErrorKind::Config, what).advise("name each field once"));
    }
    let other = [
        (
            method.config().measure != Measure::Resemblance,
            words![(Setting::Measure, "containment")],
        ),
        (
            config.method.min_containment.is_some(),
            words![Setting::MinContainment],
        ),
        (
            method.verify() != Verify::Exact && config.method.verify.is_some(),
            words![Setting::Verify],
        ),
        (
            method.verify() != Verify::Exact,
            words![
                "this ",
                Setting::Method,
                ", whose similarities are estimates"
            ],
        ),
        (
            method.config().cluster != Cluster::Law,
            words![Setting::Cluster],
        ),
        (config.skip_bad.is_some(), words![Setting::SkipBad]),
        (config.resume.is_some(), words![Setting::Resume]),
        (config.report.is_some(), words!["a report"]),
        (
            config.method.tokens == TokensBy::Items,
            words![Setting::SetField],
        ),
    ];
    if let Some((_, other)) = other.into_iter().find(|&(is_given, _)| is_given) {
        return Err(Error::new(
            ErrorKind::Config,
            words![own, " does not work with ", other],
        )
        .advise("leave out one of the two"));
    }
    if !config.against_stored.is_empty() {
        let what = words![
            own,
            " does not work with an index as references, which has one text for each document"
        ];
        return Err(Error::new(ErrorKind::Config, what).advise("name files as references"));
    }
    Ok(())
}

pub(super) fn all_passes(
    config: &RunConfig,
    fields: &OtherFields,
    outputs: &Outputs,
    tell: Option<&mut Tell>,
    observer: Observer,
) -> Result<Summary> {
    let started = Instant::now();
    check(config, fields, &Method::new(config.method.clone())?)?;
    let Opened {
        source,
        left_out,
        mut written,
        means: Means { pool, budget },
        ..
    } = open(config, outputs)?;
    let own = setting(fields);
    if let Some(format) = source
        .formats()
        .iter()
        .flatten()
        .find(|format| !format.has_fields())
    {
        let what = words![
            own,
            format!(
                " compares fields of records, and an input is {}, which has none",
                format.name()
            )
        ];
        return Err(Error::new(ErrorKind::Config, what)
            .advise("leave out this input, or compare documents by their text only"));
    }
    source.refuse_read_once(|| words![own, " reads the inputs once for each field"])?;
    let named = |error: Error| error.naming(Setting::TextField, own);
    let open_field = |field: &String| {
        // Keep order is that of the first field.
        let config = RunConfig {
            text_field: field.clone(),
            keep: Some(Keep::First),
            label_field: None,
            ..config.clone()
        };
        let Sources { source, .. } = sources(&config, &[], || Ok(())).map_err(named)?;
        Ok((config, source))
    };
    let others = fields
        .names
        .iter()
        .map(open_field)
        .collect::<Result<Vec<_>>>()?;
    let method = Method::new(Config {
        verify: Some(Verify::Exact),
        ..config.method.clone()
    })?;
    let mut summary = Summary::new(&method, config, left_out);

    let mut table = sketching::sketch(
        config,
        &method,
        &source,
        &budget,
        &pool,
        Beside::default(),
        observer,
    )?;
    if let Some(kept) = &mut written.kept {
        find_columns(
            &pool,
            &source,
            kept,
            |block| table.info(block, &source),
            observer,
        )?;
    }
    let keys = std::mem::replace(&mut table.keys, Spill::new(&budget));
    let documents = table.documents;
    let others = others.into_iter().map(|(config, source)| {
        let table = sketching::sketch(
            &config,
            &method,
            &source,
            &budget,
            &pool,
            Beside::default(),
            observer,
        )
        .map_err(named)?;
        match table.documents == documents {
            true => Ok(SketchedField {
                config,
                source,
                table,
            }),
            false => Err(source.changed(source.parts().len() - 1)),
        }
    });
    let first = SketchedField {
        config: config.clone(),
        source,
        table,
    };
    let matching = Matching {
        method: &method,
        pool: &pool,
        observer,
    };
    let Compared {
        fields: compared,
        first,
    } = match fields.similar {
        SimilarIn::Any => matching.any(first, others)?,
        SimilarIn::Each => matching.each(first, others)?,
    };
    let SketchedField {
        source, mut table, ..
    } = first;
    table.keys = keys;

    let empty = Places::none(table.documents);
    let all = (0..table.documents).map(Document);
    let contenders: Vec<Document> = all
        .clone()
        .filter(|&document| deciding::may_match(&compared, document, fields.similar))
        .collect();
    table.references = References {
        only: config.against_only,
        ..References::of(table.references.documents)
    };
    let pairing = Pairing::of_contenders(&mut table, contenders.into_iter(), empty, &pool)?;
    let is_empty = |document: &Document| compared.iter().all(|field| field.how.is_empty(*document));
    all.filter(is_empty)
        .for_each(|document| pairing.empty.insert(pairing.order.rank(document).0));
    let decided = decide(&pairing, &compared, fields.similar, observer)?;
    combine(&mut summary, fields.similar, compared);
    let evidence = Listed(decided.likenesses);
    let emitting = Emitting::new(
        &table,
        &pairing,
        &evidence,
        &decided.verdicts,
        (&pool, config.keep_per_group),
    )?;
    emitting.count(&mut summary)?;
    count_lines(&mut summary, &table);
    let others = written.decisions.is_some() || tell.is_some();
    write(
        &emitting,
        (&source, &pool, observer),
        written,
        Outcome {
            others,
            ..Outcome::of(&summary)
        },
        |_| Ok(None),
        tell,
    )?;
    summary.seconds.total = started.elapsed().as_secs_f64();
    summary.peak_memory = peak_memory();
    Ok(summary)
}

/// Describes what was found in all fields together.
fn combine(summary: &mut Summary, similar: SimilarIn, fields: Vec<ComparedBy>) {
    let findings = || fields.iter().filter_map(|field| field.how.finding());
    let found = findings().map(|finding| finding.found_at_threshold);
    // If documents must be similar in each field, only one of them has a finding.
    summary.finding.found_at_threshold = found
        .reduce(|a, b| a.zip(b).map(|(a, b)| a.min(b)))
        .flatten();
    let own = &mut summary.finding;
    for finding in findings() {
        own.found_from_size = own.found_from_size.max(finding.found_from_size);
        own.pairs_met += finding.pairs_met;
        own.pairs_refused += finding.pairs_refused;
        own.common += finding.common;
        own.most_common = own.most_common.max(finding.most_common);
        own.all_common += finding.all_common;
        own.above_memory = own.above_memory.max(finding.above_memory);
        own.too_large += finding.too_large;
        own.found_of_shorter
            .extend_from_slice(&finding.found_of_shorter);
    }
    own.found_of_shorter.sort_by_key(|short| short.shingles);
    let found = fields
        .into_iter()
        .map(|ComparedBy { name, how }| ComparedField {
            field: name,
            finding: how.into_finding(),
        })
        .collect();
    summary.fields = Some(ComparedFields { similar, found });
}
