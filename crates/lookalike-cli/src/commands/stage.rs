//! `lookalike stage`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use lookalike_engine::{
    RunConfig,
    stages::{ArrayStage, Plan, Planned, Status, plan, run_task, status},
};

use super::dedup::Dedup;
use crate::{
    found::left_out,
    output::{BOLD, Bars, count, counted, name, print_data, say},
    report::Report,
};

/// Run dedup as a job array: as many tasks that share a folder
///
/// The tasks can run on any machines that share FOLDER and the inputs, for instance under Slurm or Kubernetes. The result is that
/// of one `lookalike dedup` over all inputs. The stages run one after the other, and the tasks of a stage in any order:
///
/// 1. plan: divides the inputs among the tasks (run once). Everything after -- is given to `lookalike dedup`.
/// 2. sketch: sketches the documents of the task's inputs.
/// 3. pair: finds documents that have a key of their sketches in common.
/// 4. join: divides the documents into parts that do not depend on each other (run once, without --shard).
/// 5. place: brings the documents of each part together.
/// 6. decide: decides which documents are kept.
/// 7. emit: writes the kept records and the decisions of the task's inputs.
///
/// The names of -o, --decisions and --skip-bad have a {} where each task puts its number, such as 00003-of-00016. The lines of all
/// tasks, in the order of the files' names, are those of a run on one machine. Each CSV file has its own header, and each table is
/// complete.
///
/// A task writes its result under a final name only when it is complete, and a task that is already done does nothing. So tasks
/// that failed or were killed can be run again, and so can a whole stage. status shows how far the run is.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    lookalike stage plan work --shards 16 -- 'crawl/*.jsonl.zst' -o 'clean/kept-{}.jsonl.zst'\n  \
    lookalike stage sketch work --shard 3/16\n  \
    lookalike stage join work\n  \
    lookalike stage status work")]
pub struct Stage {
    /// What to do
    #[arg(value_enum, value_name = "STAGE")]
    stage: StageBy,
    /// The folder that all tasks share
    folder: PathBuf,
    /// The task to run, counted from 0, and the number of tasks, such as 3/16
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,
    /// With plan: the number of tasks of each stage
    #[arg(long, value_name = "N")]
    shards: Option<usize>,
    /// With status: print the status as JSON
    #[arg(long)]
    json: bool,
    /// With plan, after --: the inputs and flags of `lookalike dedup`
    #[arg(last = true, value_name = "DEDUP")]
    dedup: Vec<String>,
}

/// What `stage` can do.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StageBy {
    /// divide the inputs among tasks
    Plan,
    /// sketch documents
    Sketch,
    /// find documents with a common key
    Pair,
    /// divide the documents into parts
    Join,
    /// bring the documents of each part together
    Place,
    /// decide which documents are kept
    Decide,
    /// write kept records and decisions
    Emit,
    /// show how far the run is
    Status,
}

fn shard(given: &str) -> Result<(usize, usize), String> {
    let parsed = given
        .split_once('/')
        .and_then(|(shard, shards)| Some((shard.parse().ok()?, shards.parse().ok()?)));
    let parsed = parsed.filter(|(shard, shards)| shard < shards);
    parsed.ok_or_else(|| {
        "write the task, counted from 0, and the number of tasks, such as 3/16".into()
    })
}

impl Stage {
    /// Runs the stage. `dedup` parses the arguments of `lookalike dedup`.
    pub fn run(
        self,
        dedup: impl Fn(&[String]) -> anyhow::Result<Dedup>,
    ) -> anyhow::Result<ExitCode> {
        self.refuse_misplaced()?;
        let stage = match self.stage {
            StageBy::Plan => return self.plan(&dedup(&self.dedup)?),
            StageBy::Status => return self.status(),
            StageBy::Sketch => ArrayStage::Sketch,
            StageBy::Pair => ArrayStage::Pair,
            StageBy::Join => ArrayStage::Join,
            StageBy::Place => ArrayStage::Place,
            StageBy::Decide => ArrayStage::Decide,
            StageBy::Emit => ArrayStage::Emit,
        };
        let planned = Planned::open(&self.folder)?;
        let shard = self.task(stage, planned.shards)?;
        let dedup = dedup(&planned.arguments)?;
        let (kept, decisions) = dedup.outputs_of_array()?;
        let config = dedup.plan()?.run;
        allow_more_files();
        let bars = Bars::new(dedup.is_quiet());
        let done = run_task(
            (stage, shard),
            (&planned, &self.folder),
            &config,
            (kept, decisions.as_deref()),
            &|progress| bars.observe(progress),
        );
        bars.clear();
        let what = if done? { "done" } else { "was done before" };
        if !dedup.is_quiet() {
            say(&format!(
                "{} {shard} of {}: {what}",
                stage.name(),
                stage.tasks(planned.shards)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns an error if a flag belongs to another stage.
    fn refuse_misplaced(&self) -> anyhow::Result<()> {
        let plan = self.stage == StageBy::Plan;
        let single = matches!(self.stage, StageBy::Plan | StageBy::Join | StageBy::Status);
        for (given, fits, flag, of) in [
            (self.shards.is_some(), plan, "--shards", "plan"),
            (
                !self.dedup.is_empty(),
                plan,
                "-- with arguments of dedup",
                "plan",
            ),
            (self.json, self.stage == StageBy::Status, "--json", "status"),
            (
                self.shard.is_some(),
                !single,
                "--shard",
                "sketch, pair, place, decide and emit",
            ),
        ] {
            if given && !fits {
                anyhow::bail!("{flag} works only with {of}; leave it out");
            }
        }
        if plan && (self.shards.is_none() || self.dedup.is_empty()) {
            anyhow::bail!(
                "a plan needs the number of tasks and the arguments of dedup; for instance: lookalike stage plan work --shards 16 -- \
                 'crawl/*.jsonl' -o 'clean/kept-{{}}.jsonl'"
            );
        }
        Ok(())
    }

    /// Returns the task to run.
    fn task(&self, stage: ArrayStage, shards: usize) -> anyhow::Result<usize> {
        match self.shard {
            None if stage == ArrayStage::Join => Ok(0),
            None => anyhow::bail!(
                "which task? Give one of 0/{shards} to {}/{shards} with --shard",
                shards - 1
            ),
            Some((shard, of)) if of == shards => Ok(shard),
            Some((_, of)) => anyhow::bail!(
                "--shard: the plan has {shards} tasks, not {of}; write --shard I/{shards}"
            ),
        }
    }

    fn plan(&self, dedup: &Dedup) -> anyhow::Result<ExitCode> {
        let (kept, decisions) = dedup.outputs_of_array()?;
        let config: RunConfig = dedup.plan()?.run;
        let wanted = Plan {
            config: &config,
            kept,
            decisions: decisions.as_deref(),
            arguments: self.dedup.clone(),
            shards: self.shards.unwrap_or(1),
        };
        let planned = plan(wanted, &self.folder)?;
        if !dedup.is_quiet() {
            say(&self.planned(&planned));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the words about a plan.
    fn planned(&self, planned: &Planned) -> String {
        let (inputs, busy) = planned.busy();
        let mut lines = vec![format!(
            "{BOLD}{}{BOLD:#} for {} tasks, in {}",
            counted(inputs as u64, "input"),
            planned.shards,
            name(&self.folder)
        )];
        if busy < planned.shards {
            lines.push(format!(
                "  hint     only {} of the tasks have an input, because inputs are not divided; divide large files for more",
                count(busy as u64)
            ));
        }
        lines.push(format!(
            "  next     lookalike stage sketch {} --shard 0/{}, and so on",
            name(&self.folder),
            planned.shards
        ));
        lines.join("\n")
    }

    fn status(&self) -> anyhow::Result<ExitCode> {
        let status = status(&Planned::open(&self.folder)?, &self.folder)?;
        if self.json {
            print_data(&Report::new("stage").json(&status)?)?;
        } else {
            print_data(&(page(&status, &self.folder) + "\n"))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Raises the number of files that this process may open to what the system allows. The stage *emit* merges one file of each task of
/// *decide*, and many systems allow only 1,024 unless a process asks for more.
fn allow_more_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        // If this fails, the stage reports the file that it could not open.
        let _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: maximum,
                maximum,
            },
        );
    }
}

/// Returns the status as text.
fn page(status: &Status, folder: &Path) -> String {
    let mut lines: Vec<String> = status
        .stages
        .iter()
        .map(|stage| {
            let done = stage.tasks - stage.missing.len();
            let missing = match stage.missing.as_slice() {
                [] => String::new(),
                some if some.len() == stage.tasks => String::new(),
                some => {
                    let shown: Vec<String> = some.iter().take(5).map(usize::to_string).collect();
                    let more = if some.len() > 5 { ", ..." } else { "" };
                    format!("; missing: {}{more}", shown.join(", "))
                }
            };
            format!(
                "  {:<8} {done} of {} done{missing}",
                stage.stage.name(),
                stage.tasks
            )
        })
        .collect();
    let counts = &status.counts;
    let share = 100.0 * counts.dropped as f64 / counts.documents.max(1) as f64;
    let whole = status.stages.iter().all(|stage| stage.missing.is_empty());
    let so_far = if whole { "" } else { " so far" };
    lines.insert(
        0,
        format!(
            "{} in = {} kept + {} dropped ({share:.1} %){so_far}, in {}",
            counted(counts.documents, "document"),
            count(counts.kept),
            count(counts.dropped),
            name(folder)
        ),
    );
    if counts.bad_lines > 0 {
        lines.push(format!(
            "  skipped  {}",
            counted(counts.bad_lines, "bad line")
        ));
    }
    lines.extend(left_out(&counts.left_out).map(|words| format!("  skipped  {words}")));
    lines.join("\n")
}
