//! A fixed sequence of operations, of which any can fail or be the last.

use std::path::Path;

use lookalike::{Config, fingerprint::finish};
use lookalike_index::{Change, Id, Index, NewDocument, OnConflict, Result, Settings, Store};

use super::Held;

/// The memory after which documents are written as a segment, so that segments are written and merged all the time.
pub const BUDGET: usize = 3_000;

pub fn settings() -> Settings {
    let config = Config {
        shingle: Some(1),
        threshold: 0.5,
        ..Config::default()
    };
    Settings {
        config,
        store: Store::Texts,
        keep: "first".into(),
    }
}

fn draw(seed: u64, step: u64, counter: u64) -> u64 {
    finish(seed ^ finish(step << 8 | counter))
}

/// Returns a text of few words.
fn text(random: u64) -> String {
    const WORDS: [&str; 8] = [
        "red", "green", "blue", "white", "black", "grey", "Red", "pink.",
    ];
    let words: Vec<&str> = (0..random % 8)
        .map(|at| WORDS[(random >> (8 + 3 * at)) as usize % 8])
        .collect();
    words.join(" ")
}

/// What an operation does with the documents.
#[derive(Debug, Clone)]
pub enum Step {
    Add(Vec<(i64, String, u64)>),
    Delete(Vec<i64>),
    Compact,
    Snapshot,
}

/// Returns a step that follows from the documents so far.
pub fn step(seed: u64, at: u64, held: &Held) -> Step {
    let random = draw(seed, at, 0);
    match random % 20 {
        0 => Step::Compact,
        1 => Step::Snapshot,
        2..=6 if !held.is_empty() => {
            let count = 1 + random / 20 % 3;
            Step::Delete(
                (0..count)
                    .map(|n| held[draw(seed, at, 1 + n) as usize % held.len()].0)
                    .collect(),
            )
        }
        _ => {
            let new = |n: u64| {
                (
                    100 * at as i64 + n as i64,
                    text(draw(seed, at, 10 + n)),
                    draw(seed, at, 30 + n) % 3 / 2,
                )
            };
            Step::Add((0..1 + random / 20 % 4).map(new).collect())
        }
    }
}

/// Does a step with the documents.
pub fn follow(step: &Step, held: &mut Held) {
    match step {
        Step::Add(new) => held.extend(new.iter().cloned()),
        Step::Delete(ids) => held.retain(|(id, ..)| !ids.contains(id)),
        Step::Compact | Step::Snapshot => {}
    }
}

/// Does a step with an index.
pub fn perform(step: &Step, index: &Index, snapshot: &Path) -> Result<Vec<Change>> {
    match step {
        Step::Add(new) => {
            let new: Vec<NewDocument> = new
                .iter()
                .map(|(id, text, key)| NewDocument {
                    id: (*id).into(),
                    text,
                    key: *key,
                })
                .collect();
            index.add(&new, OnConflict::Fail)
        }
        Step::Delete(ids) => index.delete(&ids.iter().copied().map(Id::Number).collect::<Vec<_>>()),
        Step::Compact => index.compact().map(|()| Vec::new()),
        Step::Snapshot => index.snapshot(snapshot).map(|()| Vec::new()),
    }
}
