//! Deduplicates documents that are similar in each of several fields, or in any of them.
//!
//! A field of two documents matches if it makes them candidates (they share a band of this field, or their texts are equal) and
//! if its similarity reaches the threshold. If documents may be similar in any field, candidates are found in each field, and the
//! similarity of two documents is the greatest of those of their matching fields. If they must be similar in each field, candidates
//! are found in one field, kept if they are candidates in the other fields too, and their similarity is the least of all fields. It is
//! only a matter of speed in which field they are found first.

use std::time::Instant;

use lookalike::{
    Cluster, Config, Method, Verify, cluster::Keep, shown::quoted, text::TokensBy, verify::Measure,
};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    memory::peak_memory,
    read::Source,
    words,
};

use super::{
    count_lines,
    emit::{Emitting, Tell},
    evidence::InFields,
    opened::{Opened, open},
    outcome::{Outcome, write},
    summary::{ComparedField, ComparedFields, Summary},
};
use crate::{
    config::{Observer, OtherFields, Outputs, RunConfig, SimilarIn},
    deciding::{candidate_pairs::CandidatePairs, decide_all, search::FieldSearch},
    matching::{
        AlsoField, Matcher,
        finding::Finding,
        sets::{self, Pass},
    },
    pairing::{Pairing, fields::FieldBuckets, shared::Counted, verdicts::Verdicts},
    pass::open::{Means, Sources, sources},
    sketching::{self, Beside, references::References, table::Table},
};

/// A field whose documents are sketched.
struct SketchedField {
    config: RunConfig,
    source: Source,
    table: Table,
}

/// Refuses to store decisions by several fields.
pub(super) fn refuse_storing(fields: &OtherFields) -> Result<()> {
    let what = words![
        "an index compares documents by one field, so it does not work with ",
        setting(fields)
    ];
    let advice = words!["leave out $index or ", setting(fields)];
    Err(Error::new(ErrorKind::Config, what).advise(advice))
}

/// Returns the setting that names the other fields.
fn setting(fields: &OtherFields) -> Setting {
    match fields.similar {
        SimilarIn::Each => Setting("and_field"),
        SimilarIn::Any => Setting("or_field"),
    }
}

/// Refuses settings that do not work with several fields.
pub(super) fn check(config: &RunConfig, fields: &OtherFields, method: &Method) -> Result<()> {
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
            "$measure=containment",
        ),
        (config.method.min_containment.is_some(), "$min_containment"),
        (
            method.verify() != Verify::Exact && config.method.verify.is_some(),
            "$verify",
        ),
        (
            method.verify() != Verify::Exact,
            "this $method, whose similarities are estimates",
        ),
        (method.config().cluster != Cluster::Law, "$cluster"),
        (method.keeps_samples(), "$candidates=shared"),
        (config.skip_bad.is_some(), "$skip_bad"),
        (config.resume.is_some(), "$resume"),
        (config.report.is_some(), "$report"),
        (config.method.tokens == TokensBy::Items, "$set_field"),
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
                format.called()
            )
        ];
        return Err(Error::new(ErrorKind::Config, what)
            .advise("leave out this input, or compare documents by their text only"));
    }
    source.refuse_read_once(|| words![own, " reads the inputs once for each field"])?;
    let named = |error: Error| error.naming(Setting("text_field"), own);
    let open_field = |field: &String| {
        // Keep order is that of the first field.
        let config = RunConfig {
            text_field: field.clone(),
            against_text_field: None,
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
        recall: recall(config.method.recall, fields),
        ..config.method.clone()
    });
    let method = method.map_err(|error| {
        Error::from(error).advise(format!(
            "this is the recall of one field; {} fields with it find {} of the pairs",
            1 + fields.names.len(),
            config.method.recall
        ))
    })?;
    let mut summary = Summary::new(&method, config);
    summary.method.recall = config.method.recall;

    let sketched = |config: &RunConfig, source: &Source| {
        let beside = Beside::default();
        sketching::sketch(config, &method, source, &budget, &pool, beside, observer)
    };
    let mut table = sketched(config, &source)?;
    table.find_columns(&source, &mut written.kept, &pool, observer)?;
    let (documents, references) = (table.documents, table.references.documents);
    table.references = References {
        only: config.against_only,
        ..References::of(references)
    };
    let others = others.into_iter().map(|(config, source)| {
        let table = sketched(&config, &source).map_err(named)?;
        if table.documents == documents {
            Ok(SketchedField {
                config,
                source,
                table,
            })
        } else {
            Err(source.changed(source.parts().len() - 1))
        }
    });
    let first = SketchedField {
        config: config.clone(),
        source,
        table,
    };
    let mut sketched = [Ok(first)]
        .into_iter()
        .chain(others)
        .collect::<Result<Vec<_>>>()?;
    let tables = sketched.iter_mut().map(|field| &mut field.table).collect();
    let (pairing, buckets) = Pairing::of_fields(tables, fields.similar, &method, &pool, observer)?;
    let evidence = InFields {
        similar: fields.similar,
        equal: buckets.iter().map(FieldBuckets::equal_texts).collect(),
    };
    let passes: Vec<Pass> = sketched
        .iter()
        .map(|field| Pass {
            config: &field.config,
            method: &method,
            source: &field.source,
            table: &field.table,
            pool: &pool,
            observer,
        })
        .collect();
    let (verdicts, findings) = decide(&passes, &pairing, buckets, fields)?;
    combine(&mut summary, fields.similar, findings);
    let Pass { source, table, .. } = passes[0];
    let emitting = Emitting::new(
        table,
        &pairing,
        &evidence,
        &verdicts,
        (&pool, config.keep_per_group),
    )?;
    emitting.count(&mut summary)?;
    count_lines(&mut summary, table);
    write(
        &emitting,
        (source, &pool, observer),
        written,
        Outcome::of(&summary),
        |_| Ok(None),
        tell,
    )?;
    summary.seconds.total = started.elapsed().as_secs_f64();
    summary.peak_memory = peak_memory();
    Ok(summary)
}

/// Returns the recall of a field, so that all fields together reach the requested recall.
fn recall(requested: f64, fields: &OtherFields) -> f64 {
    match fields.similar {
        SimilarIn::Each => requested.powf(1.0 / (1 + fields.names.len()) as f64),
        SimilarIn::Any => requested,
    }
}

/// Decides all contenders. `passes` has a pass for each field.
fn decide(
    passes: &[Pass],
    pairing: &Pairing,
    buckets: Vec<FieldBuckets>,
    fields: &OtherFields,
) -> Result<(Verdicts, Vec<ComparedField>)> {
    let fewest = (0..buckets.len()).min_by_key(|&field| buckets[field].estimated_pairs());
    let mut all = Vec::new();
    for (field, (&pass, FieldBuckets { columns })) in passes.iter().zip(buckets).enumerate() {
        let matcher = Matcher::new(pass.method, &pass.table.samples, pairing).in_field(field);
        all.push((matcher, (columns, sets::of_contenders(pass, pairing)?)));
    }
    if fields.similar == SimilarIn::Each {
        let (first, found) = all.remove(fields.enumerated.or(fewest).unwrap_or(0));
        let also = all
            .into_iter()
            .map(|(matcher, (columns, sets))| AlsoField::new(matcher, &columns, sets));
        all = vec![(first.and(also.collect()), found)];
    }
    let (matchers, found): (Vec<Matcher>, Vec<_>) = all.into_iter().unzip();
    let numbers = pairing.numbers()?;
    let searches = matchers
        .iter()
        .zip(found)
        .map(|(matcher, (columns, sets))| {
            let links = CandidatePairs::Columns(columns).links(numbers);
            FieldSearch::new(&passes[0], matcher, links, sets)
        });
    let verdicts = decide_all(passes[0], searches.collect::<Result<_>>()?)?;
    let findings = passes.iter().enumerate().map(|(field, pass)| {
        // If documents must be similar in each field, their candidate pairs are those of each field.
        let matcher = &matchers[field.min(matchers.len() - 1)];
        let mut finding = Finding::new(pass.method);
        finding.count(&Counted::default(), matcher, pass.table, pass.config);
        ComparedField {
            field: pass.config.text_field.clone(),
            finding,
        }
    });
    Ok((verdicts, findings.collect()))
}

/// Describes what was found in all fields together.
fn combine(summary: &mut Summary, similar: SimilarIn, found: Vec<ComparedField>) {
    let own = &mut summary.finding;
    let shares = found.iter().map(|field| field.finding.found_at_threshold);
    own.found_at_threshold = shares
        .reduce(|a, b| {
            Some(match similar {
                SimilarIn::Each => a? * b?,
                SimilarIn::Any => a?.min(b?),
            })
        })
        .flatten();
    let counted = match similar {
        SimilarIn::Each => &found[..1],
        SimilarIn::Any => &found,
    };
    for ComparedField { finding, .. } in counted {
        own.pairs_met += finding.pairs_met;
        own.pairs_refused += finding.pairs_refused;
    }
    for ComparedField { finding, .. } in &found {
        own.found_from_size = own.found_from_size.max(finding.found_from_size);
        own.above_memory = own.above_memory.max(finding.above_memory);
        own.too_large += finding.too_large;
        own.few_anchors = own.few_anchors.zip(finding.few_anchors).map(|(a, b)| a + b);
        own.found_of_shorter
            .extend_from_slice(&finding.found_of_shorter);
    }
    own.found_of_shorter.sort_by_key(|short| short.shingles);
    summary.fields = Some(ComparedFields { similar, found });
}
