//! What cannot be a job array, or would give another answer than one run.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use lookalike_io::{
    disk::folder_of,
    error::{Error, ErrorKind, Result},
    read::{Input, later_input},
    store,
    write::{are_rows, refuse_overwriting},
};

use super::names::{MARK, of_shard};
use crate::config::RunConfig;

/// Returns an error if the tasks cannot write these outputs.
pub(super) fn refuse_outputs(
    config: &RunConfig,
    (kept, decisions): (&Path, Option<&Path>),
    inputs: &[Input],
    (folder, shards): (&Path, usize),
) -> Result<()> {
    let named = [
        (Some(kept), "kept records"),
        (decisions, "decisions"),
        (config.skip_bad.as_deref(), "bad lines"),
    ];
    let named: Vec<(&Path, &str)> = named
        .into_iter()
        .filter_map(|(path, what)| Some((path?, what)))
        .collect();
    named
        .iter()
        .try_for_each(|(path, what)| refuse_without_mark(path, what))?;
    if let Some(path) = decisions.filter(|path| are_rows(path, "decisions").unwrap_or(false)) {
        let refused = Error::new(
            ErrorKind::Config,
            "the decisions of a job array are written as lines, not as a table",
        );
        return Err(refused
            .at(path.display().to_string())
            .advise("give a name that ends with .jsonl"));
    }
    let outputs: Vec<&Path> = named.into_iter().map(|(path, _)| path).collect();
    refuse_overwritten(&outputs, shards, inputs)?;
    refuse_relative(&outputs, inputs)?;
    refuse_later_inputs(&outputs, config, (folder, shards))
}

/// Returns an error if an output is relative to the folder in which a task is started, and no input is: a task that is started in
/// another folder would find its inputs, and write its outputs there.
fn refuse_relative(outputs: &[&Path], inputs: &[Input]) -> Result<()> {
    let is_absolute =
        |path: &Path| path.is_absolute() || store::is_url(&path.display().to_string());
    if !inputs
        .iter()
        .all(|input| is_absolute(Path::new(&input.name())))
    {
        return Ok(());
    }
    let Some(output) = outputs.iter().find(|output| !is_absolute(output)) else {
        return Ok(());
    };
    let what = "is relative to the folder in which a task is started, but the inputs are not";
    Err(Error::new(ErrorKind::Config, what)
        .at(output.display().to_string())
        .advise("give its absolute path"))
}

/// Returns an error if what a task writes would be an input of the tasks after it.
fn refuse_later_inputs(
    outputs: &[&Path],
    config: &RunConfig,
    (folder, shards): (&Path, usize),
) -> Result<()> {
    let names = || config.inputs.iter().chain(&config.against);
    let refuse = |path: &Path, what: String| {
        let refused = Error::new(ErrorKind::Config, what).at(path.display().to_string());
        Err(refused.advise("choose another folder"))
    };
    for path in outputs.iter().map(|path| of_shard(path, 0, shards)) {
        if let Some(name) = later_input(names(), &path) {
            return refuse(
                &path,
                format!("the input {name} includes this output, so later tasks would read it"),
            );
        }
    }
    // The stage *decide* gathers documents there.
    match later_input(names(), &folder.join("decide/00000/documents.jsonl.zst")) {
        None => Ok(()),
        Some(name) => refuse(
            folder,
            format!(
                "the input {name} includes the folder of the plan, so later tasks would read its files"
            ),
        ),
    }
}

/// Returns an error if an output of a task would overwrite an input, or another output of the same task.
fn refuse_overwritten(outputs: &[&Path], shards: usize, inputs: &[Input]) -> Result<()> {
    let of_task = |shard: usize| {
        outputs
            .iter()
            .map(move |path| of_shard(path, shard, shards))
    };
    let first: Vec<PathBuf> = of_task(0).collect();
    refuse_overwriting(
        &first.iter().map(PathBuf::as_path).collect::<Vec<_>>(),
        inputs,
    )?;
    // Only a file that exists can be an input, so a run with many tasks compares few names.
    let names: HashSet<String> = inputs.iter().map(Input::name).collect();
    let there = |path: &PathBuf| path.exists() || names.contains(&path.display().to_string());
    let others: Vec<PathBuf> = (1..shards).flat_map(of_task).filter(there).collect();
    others
        .iter()
        .try_for_each(|path| refuse_overwriting(&[path], inputs))
}

/// Returns an error if the name of an output does not say where the shard is to be put.
fn refuse_without_mark(path: &Path, what: &str) -> Result<()> {
    let name = path.display().to_string();
    if name.matches(MARK).count() == 1 {
        return refuse_without_folder(path);
    }
    let refused = Error::new(
        ErrorKind::Config,
        format!("each task writes a file of its own for the {what}"),
    )
    .at(&name);
    Err(refused.advise(
        "give a name with one {}, such as clean/kept-{}.jsonl; each task puts its shard there",
    ))
}

/// Returns an error if the folder of an output does not exist. Otherwise only the tasks of the last stage would notice it.
fn refuse_without_folder(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    if store::is_url(&path.display().to_string()) || folder.is_dir() {
        return Ok(());
    }
    let refused =
        Error::new(ErrorKind::Output, "its folder does not exist").at(path.display().to_string());
    Err(refused.advise("create it first"))
}

/// Returns an error for inputs that other processes cannot read, or not again.
pub(super) fn refuse_once_readable(input: &Input) -> Result<()> {
    let what = match input {
        Input::File(path) if path.is_file() => return Ok(()),
        Input::Files(_) | Input::Object(_) => return Ok(()),
        Input::Command(..) => "the output of a command",
        Input::Stdin | Input::File(_) => "a pipe",
        Input::Table(_) => "a table in memory",
        Input::Stored(_) => "an index",
    };
    let refused = Error::new(
        ErrorKind::Input,
        format!("the tasks of a job array cannot read {what}"),
    )
    .at(input.name());
    Err(refused.advise("write it to a file, and name the file"))
}
