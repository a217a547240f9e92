//! Deduplicates by a list of pairs that an earlier run found, without comparing texts.

mod reading;

use std::time::Instant;

use lookalike::{Candidates, Cluster, Config};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    memory::peak_memory,
    read::{Input, Reading, Source},
    spill::places::Places,
    store::shown_name,
    words,
    write::refuse_overwriting,
};

use self::reading::each_pair;
use super::{
    count_lines,
    emit::Emitting,
    evidence::Listed,
    opened::{Opened, Outputs, open},
    outcome::{Outcome, write},
    summary::Summary,
};
use crate::{
    config::{Observer, RunConfig},
    deciding::listed::{Match, decide_listed},
    jobs::apply::{Applied, AppliedPairs, earlier_results},
    numbers::{Contender, Document},
    pairing::Pairing,
    pass::{columns::find_columns, open::Means},
    sketching::{Beside, IdsOnly, ids::hash_name, sketch_looking},
};

/// Deduplicates a collection by the law over the pairs of a list, which [`pairs`](crate::pairs()) wrote. The documents of a pair are
/// candidates if their similarity in the list reaches the threshold of the configuration; all other settings for comparing documents
/// are ignored. The inputs are read twice, and texts are not compared. Memory: 32 bytes for each document, and 56 for each pair that is
/// used.
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
            .about(Setting::AllowRepeatedIds)
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
        left_out,
        mut written,
        means: Means { pool, budget },
        ..
    } = open(config, outputs)?;
    let mut summary = Summary::new(&method, config, left_out);
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
    if let Some(kept) = &mut written.kept {
        find_columns(
            &pool,
            &source,
            kept,
            |block| table.info(block, &source),
            observer,
        )?;
    }

    let documents = table.ids.by_hash(table.documents, hash_name)?;
    let (mut listed, mut found) = (0, Vec::new());
    each_pair(&list, &documents, |pair| {
        listed += 1;
        if pair.similarity >= config.method.threshold {
            found.push(pair);
        }
        Ok(())
    })?;
    drop(documents);
    let (empty, paired) = (
        Places::none(table.documents),
        found.iter().flat_map(|pair| pair.documents).map(Document),
    );
    let pairing = Pairing::of_contenders(&mut table, paired, empty, &pool)?;
    let number = |document| {
        pairing
            .number(pairing.order.rank(Document(document)))
            .unwrap_or(Contender(0))
    };
    let matches: Vec<Match> = found.iter().map(|pair| pair.ordered(number)).collect();
    let used = matches.len() as u64;
    let decided = decide_listed(pairing.numbers()?, matches);

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
    let outcome = Outcome {
        others: written.decisions.is_some() || written.bad.is_some(),
        ..Outcome::of(&summary)
    };
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
        bad_lines: summary.bad_lines,
        bad_examples: summary.bad_examples,
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
        let what = words![
            "with ",
            Setting::Threshold,
            ", this must be a file of pairs in JSON Lines, and it is a table"
        ];
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
