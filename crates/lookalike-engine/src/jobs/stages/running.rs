//! Runs one task, after checking that all tasks it depends on are done.

use std::path::Path;

use lookalike::Method;
use lookalike_io::{
    error::{Error, ErrorKind, Result, without_panic},
    write::finish,
};

use super::{
    decide::{self, decide},
    emit::emit,
    join::join,
    pair::pair,
    place::place,
    plan::{Planned, make_folder},
    sketch::sketch,
    task::{ArrayStage, Task, is_done, missing, own_folder},
};
use crate::config::{Observer, RunConfig};

/// Runs a task of a stage, counted from 0. `kept` and `decisions` are the outputs' names of the plan. Returns false if the task
/// was done before.
///
/// # Errors
/// Fails if a task on which this task depends is not done; if the inputs changed after they were planned; and for the reasons for
/// which [`dedup`](crate::dedup()) fails. A failed task leaves no file under a final name.
pub fn run_task(
    (stage, shard): (ArrayStage, usize),
    (planned, folder): (&Planned, &Path),
    config: &RunConfig,
    (kept, decisions): (&Path, Option<&Path>),
    observer: Observer,
) -> Result<bool> {
    let tasks = stage.tasks(planned.shards);
    if shard >= tasks {
        let what = format!(
            "{} has {tasks} tasks, from 0 to {}; there is no task {shard}",
            stage.name(),
            tasks - 1
        );
        return Err(Error::new(ErrorKind::Config, what));
    }
    let (of, plan) = ((planned, folder), planned.digest()?);
    let is_done = || is_done(of, plan, stage, shard);
    let clean_up = || {
        if stage == ArrayStage::Decide {
            decide::clean_up(folder, shard, planned.shards);
        }
    };
    if is_done()? {
        clean_up();
        return Ok(false);
    }
    for &needed in stage.needs() {
        refuse_missing(of, plan, stage, needed)?;
    }
    make_folder(&own_folder(folder, stage, shard, planned.shards))?;
    let done = without_panic(|| {
        let method = Method::new(config.method.clone())?;
        let task = Task {
            config,
            method,
            planned,
            folder,
            shard,
            observer,
            plan,
        };
        let mut outputs = match stage {
            ArrayStage::Sketch => sketch(&task)?,
            ArrayStage::Pair => pair(&task)?,
            ArrayStage::Join => join(&task)?,
            ArrayStage::Place => place(&task)?,
            ArrayStage::Decide => decide(&task)?,
            ArrayStage::Emit => emit(&task, kept, decisions)?,
        };
        // A task that is killed between the two is not done, and is run again.
        let result = outputs.pop();
        finish(outputs.into_iter().map(Some))?;
        finish([result])
    });
    // If the same task runs twice at the same time, the first one to finish removes files that the other one may still read.
    if done.is_err() && is_done()? {
        return Ok(false);
    }
    done?;
    clean_up();
    Ok(true)
}

/// The largest number of missing tasks that a message names.
const NAMED: usize = 5;

/// Returns an error if a needed stage is not complete.
fn refuse_missing(
    of: (&Planned, &Path),
    plan: u64,
    stage: ArrayStage,
    needed: ArrayStage,
) -> Result<()> {
    let missing: Vec<String> = missing(of, plan, needed)?
        .iter()
        .map(usize::to_string)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let more = if missing.len() > NAMED {
        format!(" and {} more", missing.len() - NAMED)
    } else {
        String::new()
    };
    let what = format!(
        "{} needs all {} tasks of {}, but these have not finished: {}{more}",
        stage.name(),
        needed.tasks(of.0.shards),
        needed.name(),
        missing[..missing.len().min(NAMED)].join(", ")
    );
    Err(Error::new(ErrorKind::Config, what)
        .at(of.1.display().to_string())
        .advise("run them first"))
}
