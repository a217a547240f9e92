//! The plan of a job array: the run's arguments, and which task reads which inputs.

mod names;

mod refused;

use std::{ops::Range, path::Path};

use lookalike::Method;
use lookalike_io::{
    disk::{File, make_private_folder},
    error::{Error, ErrorKind, Result},
    read::{Expanded, Input, Source},
    store,
    write::{Output, Shape, finish},
};
use serde::{Deserialize, Serialize};

pub(super) use self::names::{of_all, of_shard};
use self::refused::{refuse_once_readable, refuse_outputs};
use crate::{
    config::RunConfig, parts::keys::refuse_other_than_keys, pass::reading::reading,
    sketching::references::References, state::manifest::Manifest,
};

/// The file of the plan.
const PLAN: &str = "plan.json";

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
    /// The format of the kept records.
    pub(super) shape: Shape,
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
    let Plan {
        config,
        kept,
        shards,
        ..
    } = plan;
    let method = Method::new(config.method.clone())?;
    References::check(config, &method, config.has_references())?;
    refuse_other_than_keys(&method)?;
    store::refuse_url("the folder of the plan", "folder", folder)?;
    if !(1..=MOST_SHARDS).contains(&shards) {
        return Err(Error::new(
            ErrorKind::Config,
            format!("{shards} shards: there can be 1 to {MOST_SHARDS}"),
        ));
    }
    let Expanded {
        inputs,
        references,
        left_out,
    } = config.expand_with_references()?;
    left_out
        .iter()
        .for_each(|left| log::warn!("left out: {left}"));
    inputs.iter().try_for_each(refuse_once_readable)?;
    refuse_outputs(config, (kept, plan.decisions), &inputs, (folder, shards))?;
    let source = Source::with_references(
        inputs.clone(),
        references,
        reading(config)?,
        &config.temp_dir,
    )?;
    // All outputs have the same shape. A task that saw only its own inputs could choose another one.
    let shape = Shape::of(kept, &source)?;
    drop(source);
    let run = Manifest::of(config, method.config(), None, &inputs, references)?;
    let sizes: Vec<u64> = run.sizes().map(|(_, size)| size).collect();
    let (of_references, of_inputs) = sizes.split_at(references);
    let (first_references, first_inputs) =
        (divided(of_references, shards), divided(of_inputs, shards));
    let planned = Planned {
        arguments: plan.arguments,
        shards,
        shape,
        references,
        first_inputs,
        first_references,
        run,
    };
    // Arguments may contain secrets, such as the signature of a URL.
    make_folder(folder)?;
    let path = folder.join(PLAN);
    if path.exists() {
        let there = Planned::open(folder)?;
        if there.digest()? == planned.digest()? {
            return Ok(there);
        }
        let refused = Error::new(
            ErrorKind::Config,
            "has the plan of another run, or one of its inputs has changed",
        );
        return Err(refused
            .at(folder.display().to_string())
            .advise("give a new folder"));
    }
    let mut output = Output::create(&path, 1)?;
    output.write(
        &serde_json::to_vec_pretty(&planned).map_err(|error| Error::failure(error.to_string()))?,
    )?;
    finish([Some(output)])?;
    Ok(planned)
}

/// Makes a folder of the job array, if it does not exist.
pub(super) fn make_folder(folder: &Path) -> Result<()> {
    make_private_folder(folder).map_err(|error| {
        let refused = Error::new(
            ErrorKind::Output,
            format!("cannot be made a folder: {error}"),
        );
        refused
            .at(folder.display().to_string())
            .advise("plan in a folder in which all tasks can write")
    })
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
        let even =
            middles.partition_point(|middle| middle * (shares as u128) < 2 * share as u128 * total);
        // One input more than the share before, and one input or more for each share from here on.
        let least = (before + 1).min(sizes.len());
        before = even
            .min(sizes.len().saturating_sub(shares - share))
            .max(least);
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
                let what = Error::new(ErrorKind::Config, "there is no plan")
                    .at(folder.display().to_string());
                what.advise("write one with `lookalike stage plan`")
            }
            _ => Error::reading(&name, &error),
        })?;
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut { file }, &mut bytes)
            .map_err(|error| Error::reading(&name, &error))?;
        let damaged = || {
            let refused = Error::new(
                ErrorKind::Config,
                "is not a plan of this version of lookalike, or is damaged",
            )
            .at(&*name);
            refused.advise("plan again in a new folder")
        };
        let planned: Self =
            serde_json::from_slice(&bytes).map_err(|error| damaged().because(error))?;
        if let Some(other) = planned.run.other_version() {
            let what = format!(
                "was written by lookalike {other}; this is {}",
                env!("CARGO_PKG_VERSION")
            );
            return Err(Error::new(ErrorKind::Config, what)
                .at(&*name)
                .advise("use one version for all tasks of a run"));
        }
        let inputs = planned
            .run
            .sizes()
            .count()
            .checked_sub(planned.references)
            .ok_or_else(damaged)?;
        let divides = |firsts: &[usize], all: usize| {
            firsts.len() + 1 == planned.shards
                && firsts.is_sorted()
                && firsts.last().is_none_or(|&last| last <= all)
        };
        if divides(&planned.first_inputs, inputs)
            && divides(&planned.first_references, planned.references)
        {
            return Ok(planned);
        }
        Err(damaged())
    }

    /// Returns the first input that is not a reference, from which a task without inputs takes the columns of its outputs.
    pub(super) fn first_input(&self, config: &RunConfig) -> Result<Option<Input>> {
        let Expanded {
            inputs, references, ..
        } = config.expand_with_references()?;
        Ok(inputs.into_iter().nth(references))
    }

    /// Returns the number of inputs without references, and the number of tasks that have an input.
    pub fn busy(&self) -> (usize, usize) {
        let inputs = self.run.sizes().count() - self.references;
        let busy = (0..self.shards)
            .filter(|&shard| !share(&self.first_inputs, shard, inputs).is_empty())
            .count();
        (inputs, busy)
    }

    /// Returns a digest that all files of the run contain.
    pub(super) fn digest(&self) -> Result<u64> {
        let Self {
            shards,
            shape,
            first_inputs,
            first_references,
            run,
            arguments,
            ..
        } = self;
        let all = (
            shards,
            shape,
            first_inputs,
            first_references,
            arguments,
            run.digest()?,
        );
        Ok(xxhash_rust::xxh3::xxh3_64(
            &serde_json::to_vec(&all).map_err(|error| Error::failure(error.to_string()))?,
        ))
    }

    /// Returns the inputs of a task, references first, and the number of references.
    ///
    /// # Errors
    /// Fails if the inputs of the task are not those that were planned.
    pub(super) fn inputs(
        &self,
        config: &RunConfig,
        shard: usize,
        folder: &Path,
    ) -> Result<(Vec<Input>, usize)> {
        let Expanded {
            inputs, references, ..
        } = config.expand_with_references()?;
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
        let numbers: Vec<usize> = of_references
            .clone()
            .chain(of_inputs.start + references..of_inputs.end + references)
            .collect();
        let own: Vec<Input> = numbers.iter().map(|&input| inputs[input].clone()).collect();
        let method = Method::new(config.method.clone())?;
        let now = Manifest::of(config, method.config(), None, &own, references)?;
        self.run
            .of_some(numbers)?
            .refuse_other(&now, &format!("the plan in {}", folder.display()))?;
        Ok((own, of_references.len()))
    }
}

fn share(firsts: &[usize], shard: usize, end: usize) -> Range<usize> {
    let start = if shard == 0 { 0 } else { firsts[shard - 1] };
    start..firsts.get(shard).copied().unwrap_or(end)
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
