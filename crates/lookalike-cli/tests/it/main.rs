//! Tests the command as a user runs it: each test has its own folder, runs the binary there, and checks its output and the files
//! it leaves.

mod against;
mod anchors;
mod archives;
mod audit;
mod concurrent;
mod config;
mod converted;
mod copies;
mod coverage;
mod curve_and_compare;
mod cut;
mod cut_marks;
mod cut_resume;
mod dedup;
mod dependencies;
mod empty;
mod errors;
mod eval;
mod foreign;
mod formats;
mod golden;
mod index;
mod input_commands;
mod labels;
mod left_out;
mod limits;
mod link;
mod link_dry_run;
mod link_labelled;
mod link_learned;
mod link_looking;
mod link_tables;
mod methods;
mod minutiae;
mod mirrors;
mod mirrors_later;
mod other_fields;
mod pairs;
mod pairs_applied;
mod passages;
mod per_group;
mod plans;
mod readme;
mod report_pages;
mod reports;
mod resume;
mod schema;
mod secrets;
mod sets;
mod several_outputs;
mod sketch;
mod stage;
mod tables;
mod text_parts;
mod texts;
mod verbose;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

/// A folder that a test works in.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), bytes).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns all names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command
            .current_dir(self.folder.path())
            .args(arguments.split_whitespace())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }
}

/// The exit code and the output of a run.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns the text of a snapshot: exit code, standard output, and standard error without the line with the time.
    pub(crate) fn shown(&self) -> String {
        let err: String = self
            .err
            .lines()
            .filter(|line| !line.starts_with("  time "))
            .map(|line| format!("{line}\n"))
            .collect();
        format!(
            "exit {}\n--- stdout\n{}--- stderr\n{err}",
            self.code, self.out
        )
    }
}

/// Returns the path of a file of the project's test data.
pub(crate) fn testdata(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(name)
        .canonicalize()
        .unwrap()
        .display()
        .to_string()
}

/// Three documents, of which two are similar.
pub(crate) const SMALL: &str = r#"{"id": "first", "text": "The quick brown fox jumps over the lazy dog near the old river bank at dawn today."}
{"id": 2, "text": "Something else entirely: a note about nothing in particular, written for no one.", "extra": [1, 2.50]}
{"text": "the quick brown fox jumps over the lazy dog near the old river bank at dawn today, yes"}
"#;
