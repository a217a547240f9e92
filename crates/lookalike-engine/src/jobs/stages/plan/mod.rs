//! The plan of a job array: the run's arguments, and which task reads which inputs.

use std::{
    collections::HashSet,
    ops::Range,
    path::{Path, PathBuf},
};

use lookalike::Method;
use lookalike_io::{
    disk::{File, folder_of, make_private_folder},
    error::{Error, ErrorKind, Result},
    read::{Expanded, Input},
    store,
    write::{Output, are_rows, finish, refuse_overwriting},
};
use serde::{Deserialize, Serialize};

use crate::{
    config::RunConfig, parts::keys::refuse_other_than_keys, sketching::references::References, state::manifest::Manifest,
};

/// The file of the plan.
const PLAN: &str = "plan.json";

/// The part of an output's name that is replaced by the shard.
pub(super) const MARK: &str = "{}";

/// The largest number of shards. Each task of some stages opens one file of each task of another stage.
const MOST_SHARDS: usize = 10_000;

/// A job array that is to be planned.
#[derive(Debug, Clone)]
pub struct Plan<'a> {
    /// The run.
    pub config: &'a RunConfig,
    /// The names of the kept records' files, with `{}` where the shard is to be put.
    pub kept: &'a Path,
    /// The names of the decisions' files, with `{}` where the shard is to be put. No decisions are written without it.
    pub decisions: Option<&'a Path>,
    /// What the caller needs to make the same `config` again, in another process: it is stored and returned by
    /// [`Planned::open`].
    pub arguments: Vec<String>,
    /// The number of tasks of a stage.
    pub shards: usize,
}

/// A plan, as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub struct Planned {
    /// What was given as [`Plan::arguments`].
    pub arguments: Vec<String>,
    /// The number of tasks of a stage.
    pub shards: usize,
    /// The number of inputs that are references.
    references: usize,
    /// For each task but the first, its first input and its first reference, counted from 0.
    first_inputs: Vec<usize>,
    first_references: Vec<usize>,
    run: Manifest,
}

/// Divides the inputs of a run among the tasks of a job array, and writes the plan to a folder, which is created if it does not
/// exist. Each task gets consecutive inputs, with about the same number of bytes; an input is never divided. If the folder already
/// has this plan, nothing changes.
///
/// # Errors
/// Fails if the run cannot be divided into tasks, if the folder has another plan, or if an input or the folder cannot be read.
pub fn plan(plan: Plan, folder: &Path) -> Result<Planned> {
    let Plan { config, kept, decisions, arguments, shards } = plan;
    let method = Method::new(config.method.clone())?;
    References::check(config, &method)?;
    refuse_other_than_keys(&method)?;
    store::refuse_url("the folder of the plan", "folder", folder)?;
    if !(1..=MOST_SHARDS).contains(&shards) {
        return Err(Error::new(ErrorKind::Config, format!("{shards} shards: there can be 1 to {MOST_SHARDS}")));
    }
    refuse_without_mark(kept, "kept records")?;
    decisions.map_or(Ok(()), |path| refuse_without_mark(path, "decisions"))?;
    if let Some(path) = decisions.filter(|path| are_rows(path).unwrap_or(false)) {
        let refused = Error::new(ErrorKind::Config, "the decisions of a job array are written as lines, not as a table");
        return Err(refused.at(path.display().to_string()).advise("give a name that ends with .jsonl"));
    }
    config.skip_bad.as_deref().map_or(Ok(()), |path| refuse_without_mark(path, "bad lines"))?;
    let Expanded { inputs, references, .. } = config.expand_with_references()?;
    inputs.iter().try_for_each(refuse_once_readable)?;
    let outputs: Vec<&Path> = [Some(kept), decisions, config.skip_bad.as_deref()].into_iter().flatten().collect();
    refuse_overwritten(&outputs, shards, &inputs)?;
    let run = Manifest::of(config, method.config(), &inputs, references)?;
    let sizes: Vec<u64> = run.sizes().map(|(_, size)| size).collect();
    let (of_references, of_inputs) = sizes.split_at(references);
    let (first_references, first_inputs) = (divided(of_references, shards), divided(of_inputs, shards));
    let planned = Planned { arguments, shards, references, first_inputs, first_references, run };
    // Arguments may contain secrets, such as the signature of a URL.
    make_private_folder(folder).map_err(|error| Error::temporary(folder, &error))?;
    let path = folder.join(PLAN);
    if path.exists() {
        let there = Planned::open(folder)?;
        if there.digest()? == planned.digest()? {
            return Ok(there);
        }
        let refused = Error::new(ErrorKind::Config, "has the plan of another run, or one of its inputs has changed");
        return Err(refused.at(folder.display().to_string()).advise("give a new folder"));
    }
    let mut output = Output::create(&path, 1)?;
    output.write(&serde_json::to_vec_pretty(&planned).map_err(|error| Error::failure(error.to_string()))?)?;
    finish([Some(output)])?;
    Ok(planned)
}

/// Returns an error if an output of a task would overwrite an input, or another output of the same task.
fn refuse_overwritten(outputs: &[&Path], shards: usize, inputs: &[Input]) -> Result<()> {
    let of_task = |shard: usize| outputs.iter().map(move |path| of_shard(path, shard, shards));
    let first: Vec<PathBuf> = of_task(0).collect();
    refuse_overwriting(&first.iter().map(PathBuf::as_path).collect::<Vec<_>>(), inputs)?;
    // Only a file that exists can be an input, so a run with many tasks compares few names.
    let names: HashSet<String> = inputs.iter().map(Input::name).collect();
    let there = |path: &PathBuf| path.exists() || names.contains(&path.display().to_string());
    let others: Vec<PathBuf> = (1..shards).flat_map(of_task).filter(there).collect();
    others.iter().try_for_each(|path| refuse_overwriting(&[path], inputs))
}

/// Returns an error if the name of an output does not say where the shard is to be put.
fn refuse_without_mark(path: &Path, what: &str) -> Result<()> {
    let name = path.display().to_string();
    if name.matches(MARK).count() == 1 {
        return refuse_without_folder(path);
    }
    let refused = Error::new(ErrorKind::Config, format!("each task writes a file of its own for the {what}")).at(&name);
    Err(refused.advise("give a name with one {}, such as clean/kept-{}.jsonl; each task puts its shard there"))
}

/// Returns an error if the folder of an output does not exist. Otherwise only the tasks of the last stage would notice it.
fn refuse_without_folder(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    if store::is_url(&path.display().to_string()) || folder.is_dir() {
        return Ok(());
    }
    let refused = Error::new(ErrorKind::Output, "its folder does not exist").at(path.display().to_string());
    Err(refused.advise("create it first"))
}

/// Returns an error for inputs that other processes cannot read, or not again.
fn refuse_once_readable(input: &Input) -> Result<()> {
    let what = match input {
        Input::File(path) if path.is_file() => return Ok(()),
        Input::Files(_) | Input::Object(_) => return Ok(()),
        Input::Command(..) => "the output of a command",
        Input::Stdin | Input::File(_) => "a pipe",
        Input::Table(_) => "a table in memory",
    };
    let refused = Error::new(ErrorKind::Input, format!("the tasks of a job array cannot read {what}")).at(input.name());
    Err(refused.advise("write it to a file, and name the file"))
}

/// Divides inputs of these sizes into consecutive shares of about the same size. Each share has an input, if there are enough.
/// Returns the first input of each share but the first one.
fn divided(sizes: &[u64], shares: usize) -> Vec<usize> {
    // An input without a known size counts as one byte.
    let size = |size: &u64| u128::from((*size).max(1));
    let total: u128 = sizes.iter().map(size).sum();
    let mut before = 0;
    // Twice the middle of each input; an input belongs to the share that contains its middle.
    let middles: Vec<u128> = sizes
        .iter()
        .map(|one| {
            before += size(one);
            2 * before - size(one)
        })
        .collect();
    let mut before = 0;
    let first = |share: usize| {
        let even = middles.partition_point(|middle| middle * (shares as u128) < 2 * share as u128 * total);
        // One input more than the share before, and one input or more for each share from here on.
        let least = (before + 1).min(sizes.len());
        before = even.min(sizes.len().saturating_sub(shares - share)).max(least);
        before
    };
    (1..shares).map(first).collect()
}

impl Planned {
    /// Reads the plan in a folder.
    ///
    /// # Errors
    /// Fails if there is no plan, or if it was written by another version.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(PLAN);
        let name = path.display().to_string();
        let file = File::open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let what = Error::new(ErrorKind::Config, "there is no plan").at(folder.display().to_string());
                what.advise("write one with `lookalike stage plan`")
            }
            _ => Error::reading(&name, &error),
        })?;
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut { file }, &mut bytes).map_err(|error| Error::reading(&name, &error))?;
        let damaged = || Error::new(ErrorKind::Config, "is not a plan of lookalike, or is damaged").at(&*name);
        let planned: Self = serde_json::from_slice(&bytes).map_err(|error| damaged().because(error))?;
        if let Some(other) = planned.run.other_version() {
            let what = format!("was written by lookalike {other}; this is {}", env!("CARGO_PKG_VERSION"));
            return Err(Error::new(ErrorKind::Config, what).at(&*name).advise("use one version for all tasks of a run"));
        }
        if planned.first_inputs.len() + 1 != planned.shards || planned.first_references.len() + 1 != planned.shards {
            return Err(damaged());
        }
        Ok(planned)
    }

    /// Returns the number of inputs without references, and the number of tasks that have an input.
    pub fn busy(&self) -> (usize, usize) {
        let inputs = self.run.sizes().count() - self.references;
        let busy = (0..self.shards).filter(|&shard| !share(&self.first_inputs, shard, inputs).is_empty()).count();
        (inputs, busy)
    }

    /// Returns a digest that all files of the run contain.
    pub(super) fn digest(&self) -> Result<u64> {
        let Self { shards, first_inputs, first_references, run, arguments, .. } = self;
        let all = (shards, first_inputs, first_references, arguments, run.digest()?);
        Ok(xxhash_rust::xxh3::xxh3_64(&serde_json::to_vec(&all).map_err(|error| Error::failure(error.to_string()))?))
    }

    /// Returns the inputs of a task, references first, and the number of references.
    ///
    /// # Errors
    /// Fails if the inputs of the task are not those that were planned.
    pub(super) fn inputs(&self, config: &RunConfig, shard: usize, folder: &Path) -> Result<(Vec<Input>, usize)> {
        let Expanded { inputs, references, .. } = config.expand_with_references()?;
        let planned = self.run.sizes().map(|(name, _)| name);
        if references != self.references || !inputs.iter().map(Input::name).eq(planned) {
            let what = "there are other inputs than those that were planned";
            let refused = Error::new(ErrorKind::Input, what).at(folder.display().to_string());
            return Err(refused.advise(
                "start the task in the folder in which the plan was made, and do not add or remove inputs; or plan again in a new \
                 folder",
            ));
        }
        let of_references = share(&self.first_references, shard, references);
        let of_inputs = share(&self.first_inputs, shard, inputs.len() - references);
        let numbers: Vec<usize> = of_references.clone().chain(of_inputs.start + references..of_inputs.end + references).collect();
        let own: Vec<Input> = numbers.iter().map(|&input| inputs[input].clone()).collect();
        let method = Method::new(config.method.clone())?;
        let now = Manifest::of(config, method.config(), &own, references)?;
        self.run.of_some(numbers)?.refuse_other(&now, folder)?;
        Ok((own, of_references.len()))
    }
}

fn share(firsts: &[usize], shard: usize, end: usize) -> Range<usize> {
    let start = if shard == 0 { 0 } else { firsts[shard - 1] };
    start..firsts.get(shard).copied().unwrap_or(end)
}

/// Returns the name of a task in names of files, such as `00003-of-00016`.
pub(super) fn of_all(shard: usize, shards: usize) -> String {
    format!("{shard:05}-of-{shards:05}")
}

/// Returns the name of an output of a task.
pub(super) fn of_shard(path: &Path, shard: usize, shards: usize) -> PathBuf {
    PathBuf::from(path.display().to_string().replace(MARK, &of_all(shard, shards)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shares_are_consecutive_and_even(sizes in prop::collection::vec(0u64..1000, 0..50), shares in 1usize..20) {
            let firsts = divided(&sizes, shares);
            prop_assert_eq!(firsts.len(), shares - 1);
            let all: Vec<usize> = (0..shares).flat_map(|own| share(&firsts, own, sizes.len())).collect();
            prop_assert_eq!(all, (0..sizes.len()).collect::<Vec<_>>());
            let total: u64 = sizes.iter().map(|&size| size.max(1)).sum();
            let most = sizes.iter().copied().max().unwrap_or(0);
            let busy = (0..shares).filter(|&own| !share(&firsts, own, sizes.len()).is_empty()).count();
            prop_assert_eq!(busy, shares.min(sizes.len()));
            for own in 0..shares {
                let bytes: u64 = share(&firsts, own, sizes.len()).map(|input| sizes[input].max(1)).sum();
                prop_assert!(bytes <= total / shares as u64 + most + 1);
            }
        }
    }
}
