//! `lookalike dedup`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use lookalike::{Candidates, Cluster, Verify, shown::quoted, verify::Measure};
use lookalike_engine::{Outputs, PACKED, Resume, Resumed, RunConfig, Stage, Summary, dedup};

use crate::{
    args::{InputArgs, MethodArgs, RunArgs, run_config},
    found::{above, anchors, aside, found, left_out, preset, too_large},
    front::Flags,
    output::{BOLD, Bars, DIM, bytes, count, counted, name, print_data, say, warnings},
    report::{self, Report},
};

/// Keep one of each group of documents that are roughly the same
///
/// Going down keep order, a document is dropped when a document already kept is at least as similar to it as the
/// threshold says; its representative is the most similar kept one. By default similarity is the exact resemblance of the two
/// sets of shingles, and nothing is joined by chains: every dropped document is similar to the one that stands for it. --measure,
/// --verify (of simhash, without being asked) and --cluster change that, and the summary says so.
///
/// The kept lines are written byte for byte as they came, the decisions as one JSON line for each document, in input order:
/// id, verdict (kept, dropped), reason (unique, representative, empty; exact, near, contained, holds), representative, resemblance,
/// containment (the share of this text found in the representative), containment_of_representative, cluster_size; estimated,
/// true where the sketches say the resemblance or containment and nobody counted it; and reference, where the representative
/// stands (file:line) if it is a reference document, whose id a kept one may have too. Where FILE ends with .parquet, .arrow or
/// .arrows they are a table with these columns.
/// They stand beside the kept lines unless named otherwise. Without -o nothing but the summary, and the decisions if asked
/// for, is written.
///
/// With --against the documents of references come before all others in keep order, whatever --keep says, and all of them are
/// kept: so a document is dropped when it is the same as, or similar to, a reference document, or else one that is kept before it.
///
/// With --label nothing is dropped: every record is written, with four fields more, as the decisions have them: cluster (the id of
/// the document that stands for its group: its representative's, or its own), verdict, representative, and similarity (the
/// resemblance, of --measure containment the containment). `lookalike apply` drops later, by the decisions.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike dedup news.jsonl -o kept.jsonl\n  \
    lookalike dedup 'crawl/*.jsonl.zst' -o kept.jsonl.zst --keep longest\n  \
    lookalike dedup s3://crawl/2026-10/ -o s3://clean/2026-10/kept.jsonl.zst\n  \
    lookalike dedup november.jsonl --against october.jsonl -o new.jsonl\n  \
    lookalike dedup train.jsonl --against tests/ --against-only --measure containment --drop-holders -o clean.jsonl\n  \
    lookalike dedup news.jsonl --label -o labelled.jsonl\n  \
    lookalike dedup users.jsonl --set-field films --threshold 0.2 --decisions alike.jsonl\n  \
    zcat dump.gz | lookalike dedup - -o - --text-field body | wc -l")]
pub struct Dedup {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    against: AgainstArgs,
    /// Write the kept lines to KEPT; - is standard output, s3://, gs:// and az:// are objects; .gz, .zst, .bz2, .xz, .lz4 and .br are
    /// compressed
    #[arg(long, short, value_name = "KEPT")]
    output: Option<PathBuf>,
    /// Drop nothing: write all records to KEPT, with the fields cluster, verdict, representative and similarity behind their own
    #[arg(long, requires = "output")]
    label: bool,
    /// Of --label: what the names of the four fields begin with, such as dup_
    #[arg(long, value_name = "PREFIX", requires = "label", default_value = "", hide_default_value = true)]
    label_prefix: String,
    /// Write what was decided about each document, and why, to FILE; -, URLs and endings as for -o [default: beside KEPT, as
    /// KEPT with .decisions before its ending]
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Write no decisions beside KEPT
    #[arg(long, conflicts_with = "decisions")]
    no_decisions: bool,
    /// Do all but write: see what would be dropped, and whether the outputs could be written
    #[arg(long)]
    dry_run: bool,
    /// Print the summary as JSON, on standard output, or on standard error when a file goes to standard output
    #[arg(long)]
    json: bool,
    /// Keep what is done in FOLDER, so that the same command goes on from there when this run is ended by whatever it may be; at
    /// the end the folder is taken away
    #[arg(long, value_name = "FOLDER", help_heading = "Running", conflicts_with = "dry_run")]
    resume: Option<PathBuf>,
    /// Of --resume: bytes of input after which what is done is brought to the disk; for tests
    #[arg(long, value_name = "BYTES", requires = "resume", hide = true)]
    resume_part: Option<u64>,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Endings of kept records, which decisions do not have.
const ENDINGS: [&str; 11] =
    [".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc"];

/// What is compared with besides.
#[derive(Args)]
struct AgainstArgs {
    /// Drop what references have too: test sets, or an earlier collection. Each REF is named and read as an input is, and none is
    /// written or decided about; their ids may repeat, and be those of inputs. Every name behind the flag up to the next one is a
    /// REF: inputs stand before it
    #[arg(long, value_name = "REF", num_args = 1.., help_heading = "References")]
    against: Vec<String>,
    /// Compare with references only: documents like each other all stay
    #[arg(long, requires = "against", help_heading = "References")]
    against_only: bool,
    /// With --measure containment: drop a document that contains a reference document, as a training text contains a test item,
    /// instead of one that is contained in it
    #[arg(long, requires = "against", help_heading = "References")]
    drop_holders: bool,
}

/// The name of the decisions beside the kept lines: `kept.jsonl.zst` → `kept.decisions.jsonl.zst`. None beside standard
/// output, a device or a pipe.
fn decisions_beside(kept: &Path) -> Option<PathBuf> {
    let open = ["-", "/dev", "/proc"].iter().any(|open| kept.starts_with(open));
    if open || kept.metadata().is_ok_and(|there| !there.is_file()) {
        return None;
    }
    let name = kept.file_name()?.to_str()?;
    let packed = PACKED.into_iter().find(|ending| name.ends_with(ending)).unwrap_or("");
    let stem = name.strip_suffix(packed)?;
    let stem = ENDINGS.into_iter().find_map(|ending| stem.strip_suffix(ending)).unwrap_or(stem);
    Some(kept.with_file_name(format!("{stem}.decisions.jsonl{packed}")))
}

impl Dedup {
    /// The run that is asked for.
    pub fn config(&self) -> anyhow::Result<RunConfig> {
        let mut config = run_config(&self.input, &self.run, self.input.records.fields.of_sets(self.method.config()?)?);
        config.keep = self.method.keep.clone();
        config.against = self.against.against.clone();
        (config.against_only, config.drop_holders) = (self.against.against_only, self.against.drop_holders);
        config.resume = self.resume.as_ref().map(|folder| {
            let usual = Resume::in_folder(folder);
            Resume { part: self.resume_part.unwrap_or(usual.part), ..usual }
        });
        Ok(config)
    }

    /// The outputs that are named.
    pub fn outputs(&self) -> Outputs {
        Outputs {
            kept: self.output.clone(),
            label: self.label.then(|| self.label_prefix.clone()),
            decisions: self.decisions.clone(),
            dry_run: self.dry_run,
        }
    }

    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (config, mut outputs) = (self.config()?, self.outputs());
        let beside = self.output.as_deref().filter(|_| !self.no_decisions).and_then(decisions_beside);
        outputs.decisions = outputs.decisions.or(beside);
        let report = self.input.report(Report::new("dedup")).inputs("against", &self.against.against);
        let report = report.output("kept", outputs.kept.as_deref()).output("decisions", outputs.decisions.as_deref());
        let file = report::open(config.summary.as_deref().filter(|_| !self.dry_run))?;
        let bars = Bars::new(self.run.quiet);
        let done = dedup(&config, &outputs, &|progress| bars.observe(progress));
        bars.clear();
        let summary = done?;
        warnings(&summary.bad_examples, Flags::Others, self.run.quiet);
        let paths = [&outputs.kept, &outputs.decisions, &config.skip_bad, &config.summary];
        let to_stdout = paths.into_iter().flatten().any(|path| path.as_os_str() == "-");
        match (self.json, to_stdout) {
            (true, false) => print_data(&report.json(&summary)?)?,
            (true, true) => say(report.json(&summary)?.trim_end()),
            (false, _) if self.run.quiet => {}
            (false, _) => say(&self.page(&summary, &outputs)),
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::SUCCESS)
    }

    /// The summary that a person understands.
    fn page(&self, s: &Summary, outputs: &Outputs) -> String {
        let share = format!("{:.1} %", 100.0 * s.dropped as f64 / s.documents.max(1) as f64);
        // Of what an earlier run did nobody knows how long it took.
        let rate = match s.resumed {
            Some(_) => String::new(),
            None => format!(" ({:.0} MB/s)", s.bytes as f64 / 1e6 / s.seconds.total.max(1e-9)),
        };
        let similar = similar(s);
        let documents = counted(s.documents, "document");
        let (kept, dropped, exact, near) = (count(s.kept), count(s.dropped), count(s.dropped_exact), count(s.dropped_near));
        let (leading, largest, empty) = (count(s.representatives), count(s.largest_group), count(s.empty));
        let alone = count(s.kept - s.representatives - s.empty);
        let mut lines = vec![
            format!("{BOLD}{documents}{BOLD:#} in = {BOLD}{kept}{BOLD:#} kept + {BOLD}{dropped}{BOLD:#} dropped ({share})"),
            format!("  dropped  {exact} the same as a kept one but for form, {near} {similar}"),
            format!("  kept     {leading} with others dropped for them (largest group {largest}), {alone} alone, {empty} empty"),
        ];
        match s.method.cluster {
            Cluster::Law => {}
            Cluster::Components => {
                lines.push("  groups   are connected components: members may be unlike their representative".into())
            }
            Cluster::Greedy(_) => {
                lines.push("  groups   are greedy clusters by estimates: members may be unlike their first".into())
            }
        }
        if let Some(against) = &s.against {
            let (references, dropped) = (counted(against.documents, "reference document"), count(against.dropped));
            let others = match against.only {
                true => "documents were not compared with each other".into(),
                false => format!("{} for one that is kept", count(s.dropped - against.dropped)),
            };
            lines.insert(1, format!("  against  {references}: {dropped} dropped for one of these, {others}"));
        }
        let met = counted(s.finding.pairs_met, "pair");
        lines.push(format!("  found    {}; {met} looked at", found(&s.finding, &s.method)));
        lines.extend(preset(&s.method).map(|words| format!("  preset   {words}")));
        lines.extend(anchors(&s.finding).map(|words| format!("  anchors  {words}")));
        lines.extend(aside(&s.finding).into_iter().map(|words| format!("  aside    {words}")));
        lines.extend(too_large(s.finding.too_large).map(|words| format!("  html     {words}")));
        lines.extend(above(&s.finding).map(|words| format!("  memory   {words}")));
        if s.bad_lines > 0 {
            let file = self.input.records.skip_bad.as_deref().map_or(String::new(), name);
            let aside = if self.dry_run { "to be set aside in" } else { "set aside in" };
            lines.push(format!("  bad      {} {aside} {file}", counted(s.bad_lines, "line")));
        }
        lines.extend(s.left_out.as_ref().map(|left| format!("  left out {}", left_out(left))));
        if s.without_id == s.documents && s.documents > 0 {
            let field = quoted(&self.input.records.fields.id_field);
            lines.push(format!("  ids      no record has the field {field}: documents are called file:line"));
        }
        if let Some(resumed) = &s.resumed {
            lines.push(format!("  resumed  {}", gone_on(resumed)));
        }
        let memory = s.peak_memory.map_or(String::new(), |peak| format!(", {} of memory at most", bytes(peak)));
        lines.push(format!("  time     {:.2} s for {}{rate}{memory}", s.seconds.total, bytes(s.bytes)));
        if self.dry_run {
            lines.push(format!("  {DIM}dry run: nothing was written{DIM:#}"));
        } else {
            let named = |path: &&PathBuf| path.as_os_str() != "-";
            let records = if self.label { "all records, labelled," } else { "kept lines" };
            let written = [(records, &outputs.kept), ("decisions", &outputs.decisions)];
            let written = written.into_iter().filter_map(|(what, path)| Some((what, path.as_ref().filter(named)?)));
            lines.extend(written.map(|(what, path)| format!("  written  {what} to {}", name(path))));
        }
        if let Some(folder) = &self.resume {
            lines.push(format!("  state    no longer needed, and removed from {}", name(folder)));
        }
        lines.join("\n")
    }
}

/// Where a run has gone on.
fn gone_on(resumed: &Resumed) -> String {
    let pass = match resumed.stage {
        Stage::Sketching => "the first pass",
        Stage::Pairing => return "behind the first pass".into(),
        _ => "the second pass",
    };
    // Never "at 100 %" of what was not done.
    let share = resumed.share.map(|share| (100.0 * share).floor().min(99.0));
    share.map_or(format!("within {pass}"), |share| format!("at {share} % of {pass}"))
}

/// Why a document that is not the same as its representative was dropped.
fn similar(s: &Summary) -> String {
    let threshold = s.method.threshold;
    match (s.verify, s.method.measure, &s.method.candidates) {
        _ if s.method.cluster == Cluster::Components => "connected to it by a chain of similar pairs".into(),
        _ if matches!(s.method.cluster, Cluster::Greedy(_)) => "in its greedy cluster".into(),
        (Verify::Exact, Measure::Resemblance, _) => format!("resembling it by {threshold} or more, measured exactly"),
        (Verify::Exact, Measure::Containment, _) if s.against.is_some_and(|against| against.holders) => {
            let others = if s.against.is_some_and(|against| against.only) { "" } else { ", or contained in a kept one" };
            format!("containing it{others} by {threshold} or more, measured exactly")
        }
        (Verify::Exact, Measure::Containment, _) => format!("contained in it by {threshold} or more, measured exactly"),
        (Verify::Sketch, _, Candidates::SimHash(_)) => {
            "with a SimHash that differs from its in few bits: nothing was measured".into()
        }
        (Verify::Sketch, _, Candidates::Sentences(_)) => "with its longest sentences: nothing was measured".into(),
        (Verify::Sketch, Measure::Resemblance, _) => format!("with an estimated resemblance of {threshold} or more"),
        (Verify::Sketch, Measure::Containment, _) => format!("with an estimated containment of {threshold} or more"),
        (Verify::None, _, _) => "only as its candidates: nothing was verified".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_stand_beside_what_is_kept() {
        let beside = |kept: &str| decisions_beside(Path::new(kept)).map(|path| path.display().to_string());
        for (kept, decisions) in [
            ("kept.jsonl", Some("kept.decisions.jsonl")),
            ("a/b.c.ndjson.gz", Some("a/b.c.decisions.jsonl.gz")),
            ("kept.jsonl.zst", Some("kept.decisions.jsonl.zst")),
            ("s3://b/a/kept.jsonl.zst", Some("s3://b/a/kept.decisions.jsonl.zst")),
            ("kept.jsonl.xz", Some("kept.decisions.jsonl.xz")),
            ("kept", Some("kept.decisions.jsonl")),
            ("-", None),
            ("/dev/null", None),
        ] {
            assert_eq!(beside(kept).as_deref(), decisions, "{kept}");
        }
    }
}
