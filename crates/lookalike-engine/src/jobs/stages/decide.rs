//! The stage *decide*: decides the documents of whole parts, like a run on one machine.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use lookalike_io::{
    disk::remove,
    error::{Error, Result},
    format::Format,
    write::{Decided, Output, Representative, finish},
};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    place::{Layout, keep_of_lines},
    task::{ArrayStage, Outputs as Results, Task, own_folder},
};
use crate::{
    config::{Outputs, RunConfig},
    jobs::dedup::dedup_reporting,
};

/// The first byte of a decision's line in a result.
pub(super) const KEPT: u8 = b'k';
pub(super) const DROPPED: u8 = b'd';

pub(super) fn decide(task: &Task) -> Result<Results> {
    let [documents_path, references_path] = paths(task);
    let Gathered { counts, references } = gather(task, &documents_path, &references_path)?;
    let mut sections = task.create(ArrayStage::Decide, task.shards())?;
    if counts.iter().all(|&count| count == 0) {
        return Ok(vec![sections.end()?]);
    }
    let name = |path: PathBuf| path.display().to_string();
    let config = RunConfig {
        inputs: vec![name(documents_path)],
        input_commands: Vec::new(),
        tables: Vec::new(),
        // The file may be empty: if inputs are compared with references only, they must not be compared with each other.
        against: if task.config.has_references() {
            vec![name(references_path)]
        } else {
            Vec::new()
        },
        against_tables: Vec::new(),
        against_stored: Vec::new(),
        keep: (!task.config.against_only).then(|| keep_of_lines(&task.config.keep())),
        format: Some(Format::Lines),
        delimiter: None,
        html: None,
        encoding: None,
        text_field: "text".into(),
        against_text_field: None,
        id_field: "id".into(),
        allow_repeated_ids: true,
        skip_bad: None,
        summary: None,
        resume: None,
        ..task.config.clone()
    };
    let mut left = counts.into_iter().enumerate().peekable();
    let mut line = Vec::new();
    let mut tell = |decided: &Decided| {
        while left.next_if(|&(_, count)| count == 0).is_some() {}
        let Some((owner, count)) = left.peek_mut() else {
            return Err(too_many());
        };
        *count -= 1;
        line.clear();
        line.push(if decided.representative.is_some() {
            DROPPED
        } else {
            KEPT
        });
        let place = |found: Representative| {
            references
                .get(found.row as usize)
                .filter(|_| found.place.is_some())
        };
        let place = decided.representative.and_then(place);
        let representative = decided.representative.map(|found| match place {
            Some(place) => Representative {
                place: Some(place),
                ..found
            },
            None => found,
        });
        Decided {
            representative,
            ..*decided
        }
        .write_line(&mut line)?;
        sections.add(*owner, &line)
    };
    dedup_reporting(&config, &Outputs::default(), &mut tell, task.observer)?;
    Ok(vec![sections.end()?])
}

fn too_many() -> Error {
    Error::failure("there are more decisions than documents")
}

/// Removes the documents and references that attempts at a finished task have gathered. They would only take space, so it is not an
/// error if they cannot be removed.
pub(super) fn clean_up(folder: &Path, shard: usize, shards: usize) {
    let is_gathered = |name: &OsStr| name.to_str().is_some_and(|name| name.ends_with(GATHERED));
    let there = own_folder(folder, ArrayStage::Decide, shard, shards)
        .read_dir()
        .into_iter()
        .flatten()
        .flatten();
    for entry in there.filter(|entry| is_gathered(&entry.file_name())) {
        if let Err(error) = remove(&entry.path()) {
            log::info!("{}: {error}", entry.path().display());
        }
    }
}

/// The end of the names of gathered documents and references.
const GATHERED: &str = ".jsonl.zst";

/// Returns the paths of the documents and of the references that this attempt at a task decides. The names contain a number that
/// other attempts at the same task, which may run at the same time, do not have.
fn paths(task: &Task) -> [PathBuf; 2] {
    let now = Timestamp::now().as_nanosecond();
    let attempt = xxh3_64(format!("{now} {}", std::process::id()).as_bytes());
    let folder = task.own_folder(ArrayStage::Decide);
    ["documents", "references"].map(|what| folder.join(format!("{attempt:016x}.{what}{GATHERED}")))
}

/// What the tasks of the stage *place* had for this task.
struct Gathered {
    /// The number of documents from each of these tasks.
    counts: Vec<u64>,
    /// The place of each reference.
    references: Vec<String>,
}

/// Writes all documents and references of this task to files, in input order.
fn gather(task: &Task, documents: &Path, references: &Path) -> Result<Gathered> {
    let layout = Layout::of(task);
    let mut documents = Output::create(documents, task.config.threads)?;
    let mut references = Output::create(references, task.config.threads)?;
    let mut gathered = Gathered {
        counts: Vec::new(),
        references: Vec::new(),
    };
    for shard in 0..task.shards() {
        let mut placed = task.open(ArrayStage::Place, shard)?;
        let mut count = 0;
        placed.each(layout.documents(task.shard), |chunk| {
            count += chunk.iter().filter(|&&byte| byte == b'\n').count() as u64;
            documents.write(chunk)
        })?;
        gathered.counts.push(count);
        let damaged = placed.damaged();
        for line in placed
            .all(layout.references(task.shard))?
            .split_inclusive(|&byte| byte == b'\n')
        {
            let tab = line.iter().position(|&byte| byte == b'\t');
            let place = tab.and_then(|tab| {
                Some((serde_json::from_slice(&line[..tab]).ok()?, &line[tab + 1..]))
            });
            let Some((place, line)) = place else {
                return Err(damaged);
            };
            gathered.references.push(place);
            references.write(line)?;
        }
    }
    finish([Some(documents), Some(references)])?;
    Ok(gathered)
}
