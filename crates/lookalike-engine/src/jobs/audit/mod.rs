//! Audits the result of a deduplication by any program: which removals are justified by a similar document that was kept, and which
//! similar documents were both kept.
//!
//! All counts are exact, except where the summary says that they are estimated from a sample. The search for candidates only saves time:
//! a removed document for which it finds no similar kept document is compared with all documents.

pub(crate) mod asked;

pub(crate) mod options;

mod result;

mod matching;

mod comparing;

mod bars;

mod removals;

mod kept;

mod clusters;

mod worst;

mod lines;

mod summary;

use std::path::Path;

use lookalike::{Cluster, Config, Method, Verify, cluster::Keep};
use lookalike_io::{
    error::{Error, ErrorKind, Result, without_panic},
    write::finish,
};

use self::{
    asked::Auditing,
    clusters::Clusters,
    comparing::{Asked, Wanted, compare},
    kept::KeptSample,
    removals::Removed,
    result::{IdIndex, OpenedResult},
};
pub use self::{
    bars::SimilarityBar,
    clusters::{AuditedCluster, ClusterFigures},
    kept::KeptFigures,
    removals::{Cause, NamedFigures, RemovalFigures},
    result::ResultFigures,
    summary::AuditSummary,
    worst::{WorstMissed, WorstRemoval},
};
use crate::{
    config::{Observer, RunConfig},
    jobs::audit::removals::Removal,
    matching::sets::Pass,
    pass::open::{Means, Opened, open},
    sketching::{self, Beside},
};

/// Audits a result over the documents of the configuration's inputs, and writes a line for each removed document to `output`. Similarity
/// is counted exactly with the configuration's measure, shingles and threshold. The result is the same for any number of threads.
///
/// # Errors
/// Fails if an input or the result cannot be read, if ids are ambiguous, or if no row of the result names a document of the inputs.
pub fn audit(
    config: &RunConfig,
    asked: &Auditing,
    output: Option<&Path>,
    observer: Observer,
) -> Result<AuditSummary> {
    without_panic(|| all_passes(config, asked, output, observer))
}

fn all_passes(
    config: &RunConfig,
    asked: &Auditing,
    output: Option<&Path>,
    observer: Observer,
) -> Result<AuditSummary> {
    let (verify, cluster) = (Some(Verify::Exact), Cluster::Law);
    let method = Method::new(Config {
        verify,
        cluster,
        ..config.method.clone()
    })?;
    let beside = [
        output,
        config.skip_bad.as_deref(),
        config.summary.as_deref(),
    ];
    let result = OpenedResult::new(
        &asked.result,
        config,
        &beside.into_iter().flatten().collect::<Vec<_>>(),
    )?;
    let by_position = result.by_position();
    if by_position && config.skip_bad.is_some() {
        let what = "$skip_bad: documents are numbered by position, and skipped lines would change the positions";
        return Err(Error::new(ErrorKind::Config, what)
            .advise("repair the lines, or name documents by their ids"));
    }
    // Keep order does not matter here, and numbers of documents are positions in the inputs.
    let allow_repeated_ids = by_position || config.allow_repeated_ids;
    let config = &RunConfig {
        keep: Some(Keep::First),
        allow_repeated_ids,
        ..config.clone()
    };
    let Opened {
        sources,
        outputs: [mut lines],
        mut bad,
        means: Means { pool, budget },
    } = open(config, [output], "the removals")?;
    let source = &sources.source;
    let beside = Beside {
        bad: bad.as_mut(),
        ..Beside::default()
    };
    let mut table = sketching::sketch(config, &method, source, &budget, &pool, beside, observer)?;
    table.refuse_more_than_32_bits("an audit")?;
    let outcome = result.read(&IdIndex::new(&table, by_position)?)?;

    let (threshold, seed) = (method.config().threshold, method.config().seed);
    let mut found = matching::find(
        (config, &method),
        source,
        &mut table,
        &outcome,
        &pool,
        observer,
    )?;
    let removed = Removed::new(&outcome, &mut found, threshold, asked.recheck, seed);
    let mut kept = KeptSample::new(&outcome, &found, (asked.sample, asked.worst), seed);
    let clusters = Clusters::new(&outcome, &found, seed);

    let mut probes = [removed.checked.as_slice(), &kept.documents].concat();
    probes.sort_unstable();
    let named = removed.named(&outcome, &found).zip(0..);
    let mut pairs: Vec<Wanted> = named
        .map(|((document, other), number)| Wanted {
            document,
            other,
            number,
        })
        .collect();
    let either_from = pairs.len() as u32;
    pairs.extend(
        clusters
            .iter()
            .flat_map(|clusters| clusters.wanted(either_from)),
    );
    pairs.sort_unstable();
    let pass = Pass {
        config,
        method: &method,
        source,
        table: &table,
        pool: &pool,
        observer,
    };
    let wanted = Asked {
        probes: &probes,
        pairs: &pairs,
        either_from,
    };
    let compared = compare(pass, &outcome, &wanted, |missed| {
        kept.take(probes[missed.probe as usize], missed)
    })?;

    let probed = |document: u32| {
        probes
            .binary_search(&document)
            .ok()
            .map(|number| compared.probed[number])
    };
    let (to_named, of_clusters) = compared.similarities.split_at(either_from as usize);
    let removals: Vec<Removal> = removed.judge((&outcome, &found), threshold, probed, to_named);
    let (worst_removals, worst_missed) = worst::worst(pass, &removals, &kept.worst(), asked.worst)?;
    if let Some(lines) = &mut lines {
        lines::write(lines, &removals, &outcome, &table)?;
    }
    let summary = AuditSummary {
        documents: table.documents,
        kept: table.documents - removals.len() as u64,
        removed: removals.len() as u64,
        empty: found.empty.iter().filter(|empty| **empty).count() as u64,
        threshold,
        measure: method.config().measure,
        removals: RemovalFigures::new(&removals, &removed, &outcome, threshold),
        missed: kept.figures(threshold),
        clusters: clusters
            .map(|clusters| clusters.figures(of_clusters, threshold, &table))
            .transpose()?,
        worst_removals,
        worst_missed,
        unread: table.counts.unread.clone(),
        result: outcome.figures,
    };
    finish([bad, lines])?;
    Ok(summary)
}
