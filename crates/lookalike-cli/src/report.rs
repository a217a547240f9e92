//! The common header of all JSON summaries, and the file that a summary can be written to. `docs/summaries.schema.json` describes
//! all summaries.

use std::path::Path;

use lookalike_engine::{LateOutput, Observer, go_on_without_readers, shown_name, shown_path};
use lookalike_options::Inputs;
use serde::Serialize;

use crate::output::{Bars, print_data, say};

/// The version of the schema. The version increases when a field is removed or renamed or changes its meaning, not when a field
/// is added.
const SCHEMA: u32 = 1;

/// The header of a summary: the inputs and outputs of a run.
#[derive(Serialize)]
pub struct Report {
    schema: u32,
    version: &'static str,
    command: &'static str,
    inputs: Vec<Named>,
    outputs: Vec<Named>,
}

/// An input or an output.
#[derive(Serialize)]
struct Named {
    role: &'static str,
    /// The name in the form in which messages show it, without the secrets of a URL.
    name: String,
}

#[derive(Serialize)]
struct Whole<'a, T> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(flatten)]
    body: &'a T,
}

impl Report {
    /// Creates the report of a command.
    pub fn new(command: &'static str) -> Self {
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            command,
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Adds the inputs that a command reads, and the file for bad lines. A command line may contain a password, so its number is
    /// reported instead.
    pub fn over(self, inputs: &Inputs) -> Self {
        let commands = (1..=inputs.input_command.len()).map(|number| format!("command:{number}"));
        self.inputs("input", &inputs.inputs)
            .inputs("command", commands)
            .output("bad_lines", inputs.records.skip_bad.as_deref())
    }

    /// Adds inputs that have the same role.
    pub fn inputs(
        mut self,
        role: &'static str,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        self.inputs.extend(names.into_iter().map(|name| Named {
            role,
            name: shown_name(name.as_ref()),
        }));
        self
    }

    /// Adds an output; does nothing if `path` is `None`.
    pub fn output(mut self, role: &'static str, path: Option<&Path>) -> Self {
        self.outputs.extend(path.map(|path| Named {
            role,
            name: shown_path(path),
        }));
        self
    }

    /// Opens the file of `--summary` before the run. If there are outputs other than standard output, the run goes on when the reader of
    /// standard output closes it.
    pub fn open(&self, path: Option<&Path>) -> anyhow::Result<Option<LateOutput>> {
        let is_file = |name: &str| name != "-";
        let mut outputs = self.outputs.iter();
        let are_files = outputs.any(|output| is_file(&output.name));
        go_on_without_readers(are_files || path.is_some_and(|path| path != "-"));
        Ok(path.map(LateOutput::create).transpose()?)
    }

    /// Begins the run, with its settings for the summary.
    pub fn begin(self, summary: Option<&Path>, json: bool, quiet: bool) -> anyhow::Result<Run> {
        let file = self.open(summary)?;
        let names = self.outputs.iter().map(|output| &*output.name);
        let names = names.chain(summary.and_then(Path::to_str));
        Ok(Run {
            data_on_stdout: names.into_iter().any(|name| name == "-"),
            report: self,
            file,
            json,
            quiet,
        })
    }

    /// Returns the summary as JSON, with a final line break.
    pub fn json(&self, body: &impl Serialize) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(&Whole { report: self, body })? + "\n")
    }
}

/// Writes the file of `--summary` after the run.
pub fn write(
    file: Option<LateOutput>,
    report: &Report,
    body: &impl Serialize,
) -> anyhow::Result<()> {
    match file {
        Some(file) => Ok(file.finish(report.json(body)?.as_bytes())?),
        None => Ok(()),
    }
}

/// A run of a command, from its first progress to its summary.
pub struct Run {
    report: Report,
    /// The file of `--summary`.
    file: Option<LateOutput>,
    /// Whether an output is written to standard output.
    pub data_on_stdout: bool,
    json: bool,
    quiet: bool,
}

impl Run {
    /// Does the work of the run, with progress bars.
    pub fn observed<T, E>(&self, work: impl FnOnce(Observer) -> Result<T, E>) -> Result<T, E> {
        let bars = Bars::new(self.quiet);
        let done = work(&|progress| bars.observe(progress));
        bars.clear();
        done
    }

    /// Ends the run with its summary: as JSON on standard output, unless an output is there, or as a page on standard error.
    pub fn end(
        self,
        summary: &impl Serialize,
        page: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        if self.json && !self.data_on_stdout {
            print_data(&self.report.json(summary)?)?;
            return write(self.file, &self.report, summary);
        }
        self.end_on_stderr(summary, page)
    }

    /// Ends the run with its summary on standard error. An empty page is not printed.
    pub fn end_on_stderr(
        self,
        summary: &impl Serialize,
        page: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        if self.json {
            say(self.report.json(summary)?.trim_end());
        } else if !self.quiet {
            let page = page();
            if !page.is_empty() {
                say(&page);
            }
        }
        write(self.file, &self.report, summary)
    }
}
