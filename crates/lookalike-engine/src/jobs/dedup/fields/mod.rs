//! Deduplicates documents that are similar in each of several fields, or in any of them.
//!
//! All matches of each field are found first, as for a list of pairs. Then the law is applied to all fields together: two documents
//! are candidates if they are candidates in each field, or in any of them, and their similarity is the least of the similarities of
//! their fields, or the greatest.

mod classes;

mod deciding;

use std::time::Instant;

use lookalike::{Cluster, Config, Method, Verify, cluster::Keep, shown::quoted, text::TokensBy, verify::Measure};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    memory::peak_memory,
    read::Source,
    spill::{Spill, places::Places},
    words,
};
use rayon::ThreadPool;

use self::{
    classes::{FieldClasses, FieldMatches},
    deciding::decide,
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
    deciding::all_matches::{Verified, verified},
    matching::finding::Finding,
    numbers::Document,
    pairing::Pairing,
    pass::{
        columns::find_columns,
        open::{Means, Sources, sources},
    },
    sketching::{self, Beside, references::References, table::Table},
};

/// Checks that documents are not stored with decisions by several fields.
pub(super) fn refuse_storing(config: &RunConfig) -> Result<()> {
    let Some(fields) = &config.other_fields else { return Ok(()) };
    let what = words!["an index compares documents by one field, so it does not work with ", setting(fields)];
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
    let names: Vec<&String> = [&config.text_field].into_iter().chain(&fields.names).collect();
    if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
        let what = words![own, format!(": the field {} is named twice", quoted(names[at]))];
        return Err(Error::new(ErrorKind::Config, what).advise("name each field once"));
    }
    let other = [
        (method.config().measure != Measure::Resemblance, words![(Setting::Measure, "containment")]),
        (config.method.min_containment.is_some(), words![Setting::MinContainment]),
        (method.verify() != Verify::Exact && config.method.verify.is_some(), words![Setting::Verify]),
        (method.verify() != Verify::Exact, words!["this ", Setting::Method, ", whose similarities are estimates"]),
        (method.config().cluster != Cluster::Law, words![Setting::Cluster]),
        (config.skip_bad.is_some(), words![Setting::SkipBad]),
        (config.resume.is_some(), words![Setting::Resume]),
        (config.report.is_some(), words!["a report"]),
        (config.method.tokens == TokensBy::Items, words![Setting::SetField]),
    ];
    if let Some((_, other)) = other.into_iter().find(|&(is_given, _)| is_given) {
        return Err(Error::new(ErrorKind::Config, words![own, " does not work with ", other]).advise("leave out one of the two"));
    }
    if !config.tables.is_empty() || !config.against_tables.is_empty() || !config.against_stored.is_empty() {
        let what = words![own, " works with the fields of files only"];
        return Err(Error::new(ErrorKind::Config, what).advise("write the data to a file, such as a Parquet file"));
    }
    Ok(())
}

/// Returns the method of each field. If documents must be similar in each of n fields, a pair is missed if it is missed in one of them.
/// So the share of pairs that a field may miss is divided by n.
fn method_of_fields(method: &Config, fields: &OtherFields) -> Result<Method> {
    let recall = match fields.similar {
        SimilarIn::Any => method.recall,
        SimilarIn::Each => 1.0 - (1.0 - method.recall) / (1 + fields.names.len()) as f64,
    };
    Ok(Method::new(Config { recall, verify: Some(Verify::Exact), ..method.clone() })?)
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
    let Opened { source, left_out, mut written, means: Means { pool, budget }, .. } = open(config, outputs)?;
    let own = setting(fields);
    if let Some(format) = source.formats().iter().flatten().find(|format| !format.has_fields()) {
        let what = words![own, format!(" compares fields of records, and an input is {}, which has none", format.name())];
        return Err(Error::new(ErrorKind::Config, what).advise("leave out this input, or compare documents by their text only"));
    }
    source.refuse_read_once(|| words![own, " reads the inputs once for each field"])?;
    let method = method_of_fields(&config.method, fields)?;
    let mut summary = Summary::new(&method, config, left_out);
    summary.method.recall = config.method.recall;
    let matching = MatchingFields { method: &method, pool: &pool, observer };

    let mut table = sketching::sketch(config, &method, &source, &budget, &pool, Beside::default(), observer)?;
    if let Some(kept) = &mut written.kept {
        find_columns(&pool, &source, kept, |block| table.info(block, &source), observer)?;
    }
    table.references = references(config, &table);
    let keys = std::mem::replace(&mut table.keys, Spill::new(&budget));
    let (first, finding) = matching.matches(config, &source, &mut table)?;
    table.keys = keys;
    let (mut classes, mut findings) = (vec![first], vec![(config.text_field.clone(), finding)]);
    for field in &fields.names {
        // Keep order is that of the first table.
        let config = RunConfig { text_field: field.clone(), keep: Some(Keep::First), label_field: None, ..config.clone() };
        let Sources { source, .. } = sources(&config, &[], || Ok(()))?;
        let mut other = sketching::sketch(&config, &method, &source, &budget, &pool, Beside::default(), observer)?;
        if other.documents != table.documents {
            return Err(source.changed(source.parts().len() - 1));
        }
        other.references = references(&config, &other);
        let (more, finding) = matching.matches(&config, &source, &mut other)?;
        classes.push(more);
        findings.push((field.clone(), finding));
    }

    let empty = Places::none(table.documents);
    let all = (0..table.documents).map(Document);
    let contenders: Vec<Document> =
        all.clone().filter(|&document| deciding::may_match(&classes, document, fields.similar)).collect();
    table.references = References { only: config.against_only, ..References::of(table.references.documents) };
    let pairing = Pairing::of_contenders(&mut table, contenders.into_iter(), empty, &pool)?;
    let is_empty = |document: &Document| classes.iter().all(|field| field.is_empty(*document));
    all.filter(is_empty).for_each(|document| pairing.empty.insert(pairing.order.rank(document).0));
    let decided = decide(&pairing, &classes, fields.similar)?;
    drop(classes);

    combine(&mut summary, fields, findings);
    let evidence = Listed(decided.likenesses);
    let emitting = Emitting::new(&table, &pairing, &evidence, &decided.verdicts, (&pool, config.keep_per_group))?;
    emitting.count(&mut summary)?;
    count_lines(&mut summary, &table);
    let others = written.decisions.is_some() || tell.is_some();
    write(&emitting, (&source, &pool, observer), written, Outcome { others, ..Outcome::of(&summary) }, |_| Ok(None), tell)?;
    summary.seconds.total = started.elapsed().as_secs_f64();
    summary.peak_memory = peak_memory();
    Ok(summary)
}

/// Returns which pairs are compared in a field. References are compared with each other too, because a document may be a copy of one
/// in this field, and not in another.
fn references(config: &RunConfig, table: &Table) -> References {
    References { only: config.against_only, among: true, ..References::of(table.references.documents) }
}

/// How the matches of a field are found.
struct MatchingFields<'a> {
    method: &'a Method,
    pool: &'a ThreadPool,
    observer: Observer<'a>,
}

impl MatchingFields<'_> {
    /// Finds all matches of a field.
    fn matches(&self, config: &RunConfig, source: &Source, table: &mut Table) -> Result<(FieldClasses, Finding)> {
        let into = |_: &Pairing| Ok(FieldMatches::new());
        let found = verified((config, self.method), source, table, self.pool, |_, _| Ok(None), into, self.observer)?;
        let Verified { pairing, matches, finding, .. } = found;
        log::info!("field {}: {} matches", quoted(&config.text_field), matches.len());
        Ok((FieldClasses::of(&pairing, matches)?, finding))
    }
}

/// Describes what was found in all fields together.
fn combine(summary: &mut Summary, fields: &OtherFields, findings: Vec<(String, Finding)>) {
    let found = findings.iter().map(|(_, finding)| finding.found_at_threshold);
    summary.finding.found_at_threshold = match fields.similar {
        SimilarIn::Any => found.reduce(|a, b| a.zip(b).map(|(a, b)| a.min(b))).flatten(),
        SimilarIn::Each => found.sum::<Option<f64>>().map(|sum| (sum - fields.names.len() as f64).max(0.0)),
    };
    let own = &mut summary.finding;
    for (_, finding) in &findings {
        own.found_from_size = own.found_from_size.max(finding.found_from_size);
        own.pairs_met += finding.pairs_met;
        own.pairs_refused += finding.pairs_refused;
        own.common += finding.common;
        own.most_common = own.most_common.max(finding.most_common);
        own.all_common += finding.all_common;
        own.above_memory = own.above_memory.max(finding.above_memory);
        own.too_large += finding.too_large;
        own.found_of_shorter.extend_from_slice(&finding.found_of_shorter);
    }
    own.found_of_shorter.sort_by_key(|short| short.shingles);
    let found = findings.into_iter().map(|(field, finding)| ComparedField { field, finding }).collect();
    summary.fields = Some(ComparedFields { similar: fields.similar, found });
}
