//! Describes each run: its flags and its outcome. A run is a separate process, so that its time and memory can be measured.

use std::{
    ffi::OsString,
    fs::{File, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::Context;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, parser::ValueSource};
use lookalike::{
    Cluster, Config, Method, Preset, Verify, shown::quoted, text::TokensBy, verify::Measure,
};
use lookalike_engine::{read_decisions, read_pairs};
use lookalike_options::{FingerprintKind, Law, as_sets};
use serde::Deserialize;
use tempfile::TempDir;

use super::{asked::Eval, truth::Truth};
use crate::refused::words;

/// The flags of a run, checked.
pub struct Plan {
    /// The flags in short form.
    pub label: String,
    /// All flags of dedup: the run's own, and those that all runs share.
    pub flags: Vec<String>,
    /// The flags with which `lookalike pairs` finds the same pairs as this run.
    pairs: Vec<String>,
    /// Whether the run's clusters determine its pairs: two documents are a pair if they are in the same cluster. This is so for
    /// greedy clusters, which are formed without comparing pairs.
    by_clusters: bool,
}

/// The flags that a run may have.
#[derive(Parser)]
#[command(name = "--run", no_binary_name = true, disable_help_flag = true)]
struct RunFlags {
    #[command(flatten)]
    law: Law,
}

/// The methods that are evaluated by default, and whether each can measure containment. Methods that do not support the requested
/// settings are left out.
const ALL: [(&str, bool); 9] = [
    ("", true),
    ("--permutations many", false),
    ("--candidates shared", true),
    ("--candidates super", false),
    ("--method simhash", false),
    ("--method simhash --bits 128", false),
    ("--method sentences", true),
    ("--method exact", true),
    ("--method shingle", true),
];

/// The flags that `dedup` has and `pairs` does not.
const NOT_OF_PAIRS: [&str; 4] = ["cluster", "representative", "sample", "keep"];

impl Plan {
    /// Returns the requested runs, or all default runs.
    pub fn all(
        asked: &[String],
        common: &[(&'static str, String)],
        method: &Config,
    ) -> anyhow::Result<Vec<Self>> {
        let sets = method.tokens == TokensBy::Items;
        // For containment, the default method is the same as `--candidates shared`, so only the default is evaluated.
        let serves = |(flags, contains): &(&str, bool)| match method.measure {
            // Sets have no sentences, so `--method sentences` is left out for sets. `--candidates super` is left out if the
            // threshold is below 0.5, because similar texts may then differ too much in size for super-shingles.
            _ if sets && *flags == "--method sentences" => false,
            _ if method.threshold < 0.5 && *flags == "--candidates super" => false,
            Measure::Resemblance => true,
            Measure::Containment => *contains && *flags != "--candidates shared",
        };
        let every = || {
            ALL.iter()
                .filter(|one| serves(one))
                .map(|one| one.0.to_string())
                .collect()
        };
        let asked: Vec<String> = if asked.is_empty() {
            every()
        } else {
            asked.to_vec()
        };
        asked
            .iter()
            .map(|flags| {
                Self::new(flags, common, sets).with_context(|| format!("--run {}", quoted(flags)))
            })
            .collect()
    }

    fn new(flags: &str, common: &[(&'static str, String)], sets: bool) -> anyhow::Result<Self> {
        let own = RunFlags::command()
            .try_get_matches_from(flags.split_whitespace())
            .map_err(in_words)?;
        let given = |flag: &str| own.value_source(flag) == Some(ValueSource::CommandLine);
        // --degree applies only to the --fingerprint that it was given with. So if a run has its own --fingerprint, the --degree
        // that all runs share does not apply to this run.
        let superseded = |flag: &str| given(flag) || flag == "degree" && given("fingerprint");
        let mut words: Vec<(String, String)> = own_words(&own);
        words.extend(
            common
                .iter()
                .filter(|(flag, _)| !superseded(flag))
                .map(|(flag, value)| (flag.to_string(), value.clone())),
        );
        let flags = |words: &[(String, String)]| {
            words
                .iter()
                .flat_map(|(flag, value)| [format!("--{}", flag.replace('_', "-")), value.clone()])
                .collect::<Vec<_>>()
        };
        let whole = RunFlags::command()
            .try_get_matches_from(flags(&words))
            .map_err(in_words)?;
        let config = RunFlags::from_arg_matches(&whole)
            .map_err(in_words)?
            .law
            .config()?;
        let method = Method::new(if sets { as_sets(config)? } else { config })?;
        let mut of_pairs: Vec<_> = words
            .iter()
            .filter(|(flag, _)| !NOT_OF_PAIRS.contains(&flag.as_str()))
            .cloned()
            .collect();
        of_pairs.retain(|(flag, _)| flag != "verify");
        let verify = match method.verify() {
            Verify::Exact => "exact",
            Verify::Sketch => "sketch",
            Verify::None => "none",
        };
        of_pairs.push(("verify".into(), verify.into()));
        Ok(Self {
            label: label(&own),
            flags: flags(&words),
            pairs: flags(&of_pairs),
            by_clusters: matches!(method.config().cluster, Cluster::Greedy(_)),
        })
    }
}

/// Returns the given flags with their values, in the order of dedup's help.
fn own_words(own: &ArgMatches) -> Vec<(String, String)> {
    let mut words = Vec::new();
    for id in RunFlags::command()
        .get_arguments()
        .map(|argument| argument.get_id().clone())
    {
        if own.value_source(id.as_str()) == Some(ValueSource::CommandLine) {
            let values: Vec<String> = own
                .get_raw(id.as_str())
                .into_iter()
                .flatten()
                .map(|value| value.to_string_lossy().into_owned())
                .collect();
            words.push((id.to_string(), values.join(",")));
        }
    }
    words
}

/// Returns the label of a run: the value of its --candidates or, without that flag, of its --method (by default minhash),
/// followed by its other flags. For example, `--method simhash --bits 128` has the label `simhash --bits 128`.
fn label(own: &ArgMatches) -> String {
    let mut words = own_words(own);
    let mut take = |flag: &str| {
        Some(
            words
                .remove(words.iter().position(|word| word.0 == flag)?)
                .1,
        )
    };
    let (method, candidates) = (take("method"), take("candidates"));
    let mut label = candidates.or(method).unwrap_or("minhash".into());
    for (flag, value) in words {
        label += &format!(" --{} {value}", flag.replace('_', "-"));
    }
    label
}

/// Returns clap's message without the usage line, which belongs to a different command.
fn in_words(error: clap::Error) -> anyhow::Error {
    let words = words(error);
    let words = words
        .split("\n\nUsage:")
        .next()
        .unwrap_or_default()
        .trim_start_matches("error: ");
    let words = words
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("; ");
    anyhow::anyhow!(
        "{}; see lookalike dedup --help",
        words
            .split("; For more information")
            .next()
            .unwrap_or_default()
    )
}

/// The outcome of a run. Documents are identified by their positions in the input.
pub struct Outcome {
    /// Pairs that the method considers similar, with a < b, sorted and without duplicates.
    pub pairs: Vec<(u32, u32)>,
    /// The representative of each document. A kept document is its own representative.
    pub representatives: Vec<u32>,
    /// The time of each repetition, in seconds.
    pub seconds: Vec<f64>,
    pub summary: Figures,
}

/// The fields of dedup's summary that `eval` needs.
#[derive(Deserialize)]
pub struct Figures {
    pub documents: u64,
    pub dropped: u64,
    pub pairs_met: u64,
    pub peak_memory: Option<u64>,
    seconds: Seconds,
}

#[derive(Deserialize)]
struct Seconds {
    total: f64,
}

/// This program, which `eval` starts again for each run.
pub struct Child {
    /// The file of the program, and the arguments before the command.
    program: Vec<OsString>,
    /// The inputs, and the flags for reading them.
    input: Vec<OsString>,
    folder: TempDir,
}

impl Child {
    pub fn new(eval: &Eval, itself: Option<Vec<OsString>>) -> anyhow::Result<Self> {
        let found = || std::env::current_exe().map(|file| vec![file.into_os_string()]);
        let program = itself
            .map_or_else(found, Ok)
            .context("cannot find this program's own file, which is needed to start each run")?;
        let field = if eval.fields.set_field.is_some() {
            "--set-field"
        } else {
            "--text-field"
        };
        let mut input: Vec<OsString> = [field, eval.fields.text(), "--id-field", eval.fields.id()]
            .map(Into::into)
            .into();
        // If a dataset folder has several splits and `--all-splits` was not given, reading the truth has already failed with an
        // error. So it is safe to pass `--all-splits` to every run.
        input.push("--all-splits".into());
        input.extend([
            "--threads".into(),
            eval.running.threads.unwrap_or(0).to_string().into(),
            "-q".into(),
        ]);
        if let Some(folder) = &eval.running.temp_dir {
            input.extend(["--temp-dir".into(), folder.into()]);
        }
        if let Some(encoding) = &eval.encoding {
            input.extend(["--encoding".into(), encoding.into()]);
        }
        if eval.skip_bad.is_some() {
            // Reading the truth has already written the bad lines to the file of `--skip-bad`, so each run writes its bad lines
            // to /dev/null.
            input.extend(["--skip-bad", "/dev/null"].map(Into::into));
        }
        input.push("--".into());
        input.extend(eval.inputs.iter().map(Into::into));
        let temp_dir = eval.temp_dir();
        // The folder gets decisions about the data.
        let folder = tempfile::Builder::new()
            .prefix("lookalike-eval-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&temp_dir);
        let folder = folder.with_context(|| {
            format!(
                "cannot create temporary files in {}; name another folder with --temp-dir",
                temp_dir.display()
            )
        })?;
        Ok(Self {
            program,
            input,
            folder,
        })
    }

    /// Runs `dedup` as often as `repeat` says, and then `pairs` once, unless the clusters determine the pairs.
    pub fn run(&self, plan: &Plan, truth: &Truth, repeat: u32) -> anyhow::Result<Outcome> {
        self.try_run(plan, truth, repeat)
            .with_context(|| format!("the run {}", plan.label))
    }

    fn try_run(&self, plan: &Plan, truth: &Truth, repeat: u32) -> anyhow::Result<Outcome> {
        let path = |name: &str| self.folder.path().join(name);
        let (decisions, summary, pairs) = (
            path("decisions.jsonl"),
            path("summary.json"),
            path("pairs.jsonl.zst"),
        );
        let mut seconds = Vec::new();
        let mut peak = None;
        let figures = loop {
            self.start(
                "dedup",
                &plan.flags,
                &[("--decisions", &decisions)],
                Some(&summary),
            )?;
            let figures: Figures = serde_json::from_slice(&std::fs::read(&summary)?)
                .context("its summary cannot be read")?;
            seconds.push(figures.seconds.total);
            peak = peak.max(figures.peak_memory);
            if seconds.len() == repeat as usize {
                break figures;
            }
        };
        anyhow::ensure!(
            figures.documents == u64::from(truth.documents()),
            "the input has {} documents, but had {} before; run again when nothing writes to the input",
            figures.documents,
            truth.documents()
        );
        let representatives = read_decisions(&decisions, truth.roll(), self.folder.path())?;
        let pairs = if plan.by_clusters {
            within_groups(&representatives)
        } else {
            self.start("pairs", &plan.pairs, &[("--output", &pairs)], None)?;
            let measure = truth.measure();
            read_pairs(&pairs, truth.roll(), measure, self.folder.path())?
                .iter()
                .map(|pair| (pair.a, pair.b))
                .collect()
        };
        Ok(Outcome {
            pairs,
            representatives,
            seconds,
            summary: Figures {
                peak_memory: peak,
                ..figures
            },
        })
    }

    /// Runs a command to its end. Standard output is written to a file or discarded.
    fn start(
        &self,
        command: &str,
        flags: &[String],
        outputs: &[(&str, &Path)],
        to: Option<&Path>,
    ) -> anyhow::Result<()> {
        let (file, before) = self
            .program
            .split_first()
            .context("its program is not known")?;
        let mut child = Command::new(file);
        child.args(before).arg(command).args(flags);
        outputs
            .iter()
            .for_each(|(flag, path)| _ = child.arg(flag).arg(path));
        if let Some(path) = to {
            child.arg("--json").stdout(File::create(path)?);
        } else {
            child.stdout(Stdio::null());
        }
        let done = child
            .args(&self.input)
            .stdin(Stdio::null())
            .output()
            .context("its program cannot be started")?;
        match done.status.code() {
            // Exit code 1 means that no pair was found.
            Some(0 | 1) => Ok(()),
            _ => {
                let words = String::from_utf8_lossy(&done.stderr);
                let words = words.trim().trim_start_matches("error: ");
                let ended = if words.is_empty() {
                    done.status.to_string()
                } else {
                    words.into()
                };
                anyhow::bail!("{command} failed: {ended}")
            }
        }
    }
}

/// Returns all pairs of documents that have the same representative.
fn within_groups(representatives: &[u32]) -> Vec<(u32, u32)> {
    let mut rows: Vec<(u32, u32)> = representatives.iter().copied().zip(0..).collect();
    rows.sort_unstable();
    let of_group = |group: &[(u32, u32)]| -> Vec<(u32, u32)> {
        (0..group.len())
            .flat_map(|i| group[i + 1..].iter().map(move |b| (group[i].1, b.1)))
            .collect()
    };
    let mut pairs: Vec<(u32, u32)> = rows
        .chunk_by(|x, y| x.0 == y.0)
        .flat_map(of_group)
        .collect();
    pairs.sort_unstable();
    pairs
}

impl Eval {
    /// Returns the flags that all runs share, by their names in dedup, with their values.
    pub(super) fn common_words(&self) -> Vec<(&'static str, String)> {
        let shingles = &self.common.shingling;
        let base = shingles.preset.map_or_else(Config::default, Preset::config);
        let fingerprint = shingles.fingerprint.unwrap_or(FingerprintKind::Rolling);
        let mut words = vec![
            (
                "threshold",
                self.common.threshold.unwrap_or(base.threshold).to_string(),
            ),
            (
                "measure",
                self.common.measure.unwrap_or_default().to_string(),
            ),
            ("tokens", shingles.tokens.unwrap_or_default().to_string()),
            (
                "occurrences",
                shingles.occurrences.unwrap_or_default().to_string(),
            ),
            ("fingerprint", fingerprint.to_string()),
            ("seed", shingles.seed.unwrap_or(base.seed).to_string()),
        ];
        let listed = |values: Vec<String>| values.join(",");
        let fold = &shingles.folding.fold;
        if !fold.is_empty() {
            words.push((
                "fold",
                listed(fold.iter().map(ToString::to_string).collect()),
            ));
        }
        if !shingles.anchors.is_empty() {
            let anchors = shingles.anchors.iter().map(ToString::to_string);
            words.push(("anchors", listed(anchors.collect())));
        }
        words.extend(
            shingles
                .shingle
                .or(base.shingle)
                .map(|k| ("shingle", k.to_string())),
        );
        words.extend(shingles.degree.map(|degree| ("degree", degree.to_string())));
        words
    }

    /// Returns the folder for temporary files.
    pub(super) fn temp_dir(&self) -> PathBuf {
        self.running
            .temp_dir
            .clone()
            .unwrap_or_else(std::env::temp_dir)
    }
}
