//! Deduplicates by a list of pairs that an earlier run found, without comparing texts.

mod reading;

use std::time::Instant;

use lookalike::{Candidates, Cluster, Config};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    memory::peak_memory,
    read::{Input, Reading, Source},
    spill::{Sorter, places::Places},
    store::shown_name,
    write::refuse_overwriting,
};

use self::reading::{Row, each_pair, restored};
use super::{
    count_lines,
    emit::Emitting,
    evidence::Listed,
    opened::{Opened, open},
    outcome::{Outcome, write},
    summary::Summary,
};
use crate::{
    config::{Observer, Outputs, RunConfig},
    deciding::listed::decide_listed,
    jobs::apply::{Applied, AppliedPairs, earlier_results},
    numbers::{Contender, Rank},
    pairing::Pairing,
    pass::open::Means,
    sketching::{Beside, IdsOnly, ids::hash_name, order::Order, sketch_looking},
};

/// Deduplicates a collection by the law over the pairs of a list, which [`pairs`](crate::pairs()) wrote. The documents of a pair are
/// candidates if their similarity in the list reaches the threshold of the configuration; all other settings for comparing documents
/// are ignored. The inputs are read twice, and texts are not compared. Memory: 32 bytes for each document, and 40 for each one that is
/// in a pair. Pairs are spilled.
///
/// # Errors
/// Fails if a line of the list is not a pair of two documents of the inputs, or has no resemblance, and for the same reasons as
/// [`dedup`](super::dedup).
pub fn dedup_listed(
    list: &str,
    config: &RunConfig,
    outputs: &Outputs,
    observer: Observer,
) -> Result<Applied> {
    without_panic(|| all_passes(list, config, outputs, observer))
}

fn all_passes(
    list: &str,
    config: &RunConfig,
    outputs: &Outputs,
    observer: Observer,
) -> Result<Applied> {
    let started = Instant::now();
    // Texts are not compared, so only the threshold counts.
    let method = Config {
        threshold: config.method.threshold,
        candidates: Candidates::Exact,
        ..Config::default()
    };
    let config = &RunConfig {
        method: Config {
            cluster: Cluster::Law,
            verify: None,
            ..method
        },
        ..config.clone()
    };
    if config.allow_repeated_ids {
        let what = "the documents of pairs cannot be found if ids are repeated";
        return Err(Error::new(ErrorKind::Config, what)
            .about(Setting("allow_repeated_ids"))
            .advise("make ids unique"));
    }
    let list = Source::new(
        list_inputs(list, config, outputs)?,
        Reading::lines(),
        &config.temp_dir,
    )?;
    let Opened {
        method,
        source,
        mut written,
        means: Means { pool, budget },
        ..
    } = open(config, outputs)?;
    let mut summary = Summary::new(&method, config);
    let beside = Beside {
        bad: written.bad.as_mut(),
        ..Beside::default()
    };
    let look = (&IdsOnly, |()| Ok(()));
    let mut table = sketch_looking(
        (config, &method),
        &source,
        &budget,
        &pool,
        beside,
        look,
        observer,
    )?;
    table.find_columns(&source, &mut written.kept, &pool, observer)?;

    let documents = table.ids.by_hash(table.documents, hash_name)?;
    let references = table.references.documents;
    let order = Order::new(&table.keys, table.documents, references, &pool)?;
    let (mut listed, mut found) = (0, Sorter::<Row>::new(&budget, 1, &pool));
    let paired = Places::none(table.documents);
    each_pair(&list, &documents, &order, |similarity, row| {
        listed += 1;
        if similarity < config.method.threshold {
            return Ok(());
        }
        row[..2].iter().for_each(|&rank| paired.insert(rank));
        found.push(row)
    })?;
    drop(documents);
    let (used, empty) = (found.len(), Places::none(table.documents));
    let paired = paired.iter().map(|rank| order.document(Rank(rank)));
    let pairing = Pairing::of_contenders(&mut table, paired, empty, &pool)?;
    let number = |rank| pairing.number(rank).unwrap_or(Contender(0));
    let matches = found
        .sorted()?
        .map(|row| row.map(|row| restored(row, number)));
    let decided = decide_listed(pairing.numbers()?, matches)?;

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
    let outcome = Outcome::of(&summary);
    write(
        &emitting,
        (&source, &pool, observer),
        written,
        outcome,
        |_| Ok(None),
        None,
    )?;
    Ok(Applied {
        documents: summary.documents,
        kept: summary.kept,
        dropped: summary.dropped,
        unread: summary.unread,
        bytes: summary.bytes,
        pairs: Some(AppliedPairs {
            threshold: config.method.threshold,
            listed,
            used,
        }),
        seconds: started.elapsed().as_secs_f64(),
        peak_memory: peak_memory(),
    })
}

/// Returns the inputs that hold the pairs.
fn list_inputs(name: &str, config: &RunConfig, outputs: &Outputs) -> Result<Vec<Input>> {
    if Reading::decisions(name)
        .format
        .is_some_and(|format| format.is_table())
    {
        let what = "with $threshold, this must be a file of pairs in JSON Lines, and it is a table";
        let advice = "name the file that `lookalike pairs` wrote, or convert the table";
        return Err(Error::new(ErrorKind::Config, what)
            .at(shown_name(name))
            .advise(advice));
    }
    let found = earlier_results(
        name,
        "pairs",
        config.inputs.iter().any(|input| input == "-"),
    )?;
    let named = [&outputs.kept, &outputs.decisions]
        .into_iter()
        .flatten()
        .map(|path| &**path);
    refuse_overwriting(&named.collect::<Vec<_>>(), &found)?;
    Ok(found)
}
