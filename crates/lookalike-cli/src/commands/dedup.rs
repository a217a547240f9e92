//! `lookalike dedup`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use lookalike::{Candidates, Cluster, Verify, shown::quoted, verify::Measure};
use lookalike_engine::{
    DedupOptions, DedupPlan, Outputs, PerGroup, SimilarIn, Summary, decisions_name, dedup,
};
use lookalike_indexing::open_references;

use super::index::NewIndex;
use crate::{
    config::ConfigFile,
    found::{
        above, anchors, described, excluded, found, hints, left_out, percent, preset, removed,
        resumed, too_large,
    },
    front::Flags,
    output::{BOLD, DIM, bytes, count, counted, name, warnings},
    report::Report,
};

/// Drop near-duplicate documents and keep one from each group
///
/// Documents are considered in keep order (the order that --keep determines). A document is dropped if its similarity to an
/// already kept document reaches the threshold. The most similar kept document becomes its representative. By default, similarity
/// is the exact resemblance of the two sets of shingles (see --measure and --shingle), and every dropped document is itself
/// similar to its representative, not only through a chain of other documents. --measure, --verify, --method simhash (which
/// implies --verify sketch) and --cluster change these rules, and the summary then says so. Only candidate pairs, which are
/// likely to be similar, are compared (see --method and --recall).
///
/// Kept records are written byte for byte as they were read. The decisions are one JSON line per document, in input order: id,
/// verdict (kept, dropped), reason (of a kept document: unique, representative or empty; of a dropped document: exact, near,
/// contained or holds, where holds means that the document contains its representative), representative, resemblance, containment
/// (the share of this text that the representative contains), containment_of_representative, cluster_size. Two more fields are
/// optional: estimated and reference. The field estimated is true if the resemblance or containment was estimated from sketches
/// rather than counted. If the representative is a reference document (see --against), the field reference gives the
/// representative's file and line (file:line): its id is not enough, because a kept document may have the same id. If the name of
/// the decisions file ends with .parquet, .arrow or .arrows, the decisions are written as a Parquet or Arrow table with these
/// fields as columns. By default, the decisions are written beside the kept records. Without -o, only the summary is written, and
/// the decisions if --decisions is given.
///
/// With --against, reference documents precede all others in keep order, regardless of --keep, and all of them are kept. So a
/// document is dropped if it is identical or similar to a reference document or to a document that was kept before.
///
/// With --label, nothing is dropped. Every record is written with four more fields, which state the decision about it: cluster
/// (the id of the record's representative, or the record's own id if it has no representative), verdict, representative, and
/// similarity (the resemblance; with --measure containment, the containment). Use `lookalike apply` to drop documents later,
/// based on the decisions.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike dedup news.jsonl -o kept.jsonl\n  \
    lookalike dedup 'crawl/*.jsonl.zst' -o kept.jsonl.zst --keep longest\n  \
    lookalike dedup s3://crawl/2026-10/ -o s3://clean/2026-10/kept.jsonl.zst\n  \
    lookalike dedup crawl/ -o clean/\n  \
    lookalike dedup news.parquet -o 'part-{:05}.parquet' --rows-per-file 1000000\n  \
    lookalike dedup november.jsonl --against october.jsonl -o new.jsonl\n  \
    lookalike dedup train.jsonl --against tests/ --against-only --measure containment --drop-holders -o clean.jsonl\n  \
    lookalike dedup news.jsonl --label -o labelled.jsonl\n  \
    lookalike dedup users.jsonl --set-field films --threshold 0.2 --decisions alike.jsonl\n  \
    zcat dump.gz | lookalike dedup - -o - --text-field body | wc -l"
)]
pub struct Dedup {
    #[command(flatten)]
    options: DedupOptions,
    #[command(flatten)]
    file: ConfigFile,
    /// Print the summary as JSON
    ///
    /// The summary is printed on standard output, or on standard error if another output is written to standard output.
    #[arg(long)]
    json: bool,
}

/// Returns the name of the decisions file beside the kept records: `kept.jsonl.zst` → `kept.decisions.jsonl.zst`. Returns `None`
/// if the kept records are written to standard output, a device or a pipe.
fn decisions_beside(kept: &Path) -> Option<PathBuf> {
    let open = ["-", "/dev", "/proc"]
        .iter()
        .any(|open| kept.starts_with(open));
    if open
        || kept
            .metadata()
            .is_ok_and(|there| !there.is_file() && !there.is_dir())
    {
        return None;
    }
    kept.file_name().map(|_| decisions_name(kept))
}

impl Dedup {
    /// Returns the plan of the run, with its references opened.
    pub fn plan(&self) -> anyhow::Result<DedupPlan> {
        let mut plan = self.options.plan(false, Ok)?;
        open_references(&mut plan.run)?;
        Ok(plan)
    }

    /// Returns the names of the kept records' and of the decisions' files for a job array, whose tasks write these files.
    pub fn outputs_of_array(&self) -> anyhow::Result<(&Path, Option<PathBuf>)> {
        let options = &self.options;
        let refused = [
            (
                options.label,
                "--label",
                "run `lookalike dedup` on one machine to label records",
            ),
            (options.dry_run, "--dry-run", "leave it out"),
            (
                self.file.is_given(),
                "--config",
                "give the flags themselves, because each task reads them",
            ),
            (self.json, "--json", "give it to `lookalike stage status`"),
            (
                options.page.report.is_some(),
                "--report",
                "use `lookalike dedup` on one machine, for example on a sample",
            ),
            (
                options.saved.resume.is_some(),
                "--resume",
                "leave it out: a task that is run again continues the job array",
            ),
            (
                options.index.is_some(),
                "--index",
                "create an index with `lookalike index create`",
            ),
            (
                !options.more.and_field.is_empty() || !options.more.or_field.is_empty(),
                "--and-field or --or-field",
                "use `lookalike dedup` on one machine",
            ),
            (
                options.size.most() != 1,
                "--drop or --keep-per-group",
                "use `lookalike dedup` on one machine",
            ),
            (
                options.files.limit().is_some(),
                "--rows-per-file or --bytes-per-file",
                "each task writes one file",
            ),
            (
                options.files.output_format.is_some(),
                "--output-format",
                "run `lookalike dedup` on one machine to convert records",
            ),
            (
                options.execution.summary.is_some(),
                "--summary",
                "use `lookalike stage status FOLDER --json`",
            ),
        ];
        if let Some((_, flag, advice)) = refused.into_iter().find(|&(given, ..)| given) {
            anyhow::bail!("{flag} does not work in a job array; {advice}");
        }
        let Some(kept) = &options.output else {
            anyhow::bail!(
                "the kept records need a name; give one with -o, such as -o 'clean/kept-{{}}.jsonl'"
            );
        };
        let beside = if options.no_decisions {
            None
        } else {
            decisions_beside(kept)
        };
        Ok((kept, options.decisions.clone().or(beside)))
    }

    /// Returns whether messages other than errors are unwanted.
    pub fn is_quiet(&self) -> bool {
        self.options.execution.quiet
    }

    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        self.file.fill(&mut self.options)?;
        let DedupPlan {
            run: config,
            mut outputs,
        } = self.plan()?;
        let options = &self.options;
        let quiet = options.execution.quiet;
        let beside = outputs
            .kept
            .as_deref()
            .filter(|_| !options.no_decisions)
            .and_then(decisions_beside);
        outputs.decisions = outputs.decisions.or(beside);
        let page = options.page.report.as_deref();
        let summary = config.summary.as_deref().filter(|_| !outputs.dry_run);
        let run = Report::new("dedup")
            .over(&options.inputs)
            .inputs("against", &options.references.against)
            .output("kept", outputs.kept.as_deref())
            .output("decisions", outputs.decisions.as_deref())
            .output("report", page)
            .output("index", options.index.as_deref())
            .begin(summary, self.json, quiet)?;
        let index = options
            .index
            .as_deref()
            .map(|folder| NewIndex::create(folder, &config))
            .transpose()?;
        let summary = run.observed(|observer| match &index {
            Some(index) if !outputs.dry_run => index.dedup(&config, &outputs, observer),
            _ => dedup(&config, &outputs, observer),
        })?;
        warnings(&summary.unread.bad_examples, Flags::Others, quiet);
        index
            .filter(|_| !outputs.dry_run)
            .map_or(Ok(()), NewIndex::finish)?;
        run.end(&summary, || self.page(&summary, &outputs))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the summary as text.
    fn page(&self, s: &Summary, outputs: &Outputs) -> String {
        let options = &self.options;
        let share = format!(
            "{:.1} %",
            100.0 * s.dropped as f64 / s.documents.max(1) as f64
        );
        // A resumed run has no timing for the part that it skipped.
        let rate = match s.resumed {
            Some(_) => String::new(),
            None => format!(
                " ({:.0} MB/s)",
                s.bytes as f64 / 1e6 / s.seconds.total.max(1e-9)
            ),
        };
        let similar = similar(s);
        let documents = counted(s.documents, "document");
        let (kept, dropped) = (count(s.kept), count(s.dropped));
        let exact = counted(s.dropped_exact, "exact duplicate");
        let (leading, largest, empty) = (
            count(s.representatives),
            count(s.largest_group),
            count(s.empty),
        );
        let represent = if s.representatives == 1 {
            "represents"
        } else {
            "represent"
        };
        let groups = s.per_group.unwrap_or(PerGroup {
            keep: 1,
            kept_too: 0,
            dropped_too: 0,
        });
        let unique =
            count(s.kept + groups.dropped_too - groups.kept_too - s.representatives - s.empty);
        let mut lines = vec![
            format!(
                "{BOLD}{documents}{BOLD:#} in = {BOLD}{kept}{BOLD:#} kept + {BOLD}{dropped}{BOLD:#} dropped ({share})"
            ),
            format!("  dropped  {exact} (after normalisation), {similar}"),
            format!(
                "  kept     {leading} {represent} dropped duplicates (largest group {largest}), {unique} unique, {empty} empty"
            ),
        ];
        if groups.keep == 0 {
            lines[1] += &format!(
                ", {} of these duplicates",
                counted(groups.dropped_too, "representative")
            );
            lines[2] =
                format!("  kept     {unique} unique, {empty} empty (largest group {largest})");
        } else if groups.keep > 1 {
            lines[2] = format!(
                "  kept     {leading} {represent} a group (largest group {largest}), {} of the same groups, {unique} unique, \
                 {empty} empty",
                counted(groups.kept_too, "other document")
            );
        }
        match s.method.cluster {
            Cluster::Law => {}
            Cluster::Components => {
                lines.push("  groups   connected components: a member need not be similar to its representative".into())
            }
            Cluster::Greedy(_) => {
                lines.push("  groups   greedy clusters, from estimates: a member need not be similar to the first member".into())
            }
        }
        if let Some(against) = &s.against {
            let (references, dropped) = (
                counted(against.documents, "reference document"),
                count(against.dropped),
            );
            let others = if against.only {
                "inputs were not compared with each other".into()
            } else {
                format!(
                    "{} as matches of a kept document",
                    count(s.dropped - against.dropped)
                )
            };
            lines.insert(
                1,
                format!(
                    "  against  {references}: {dropped} dropped as matches of a reference, {others}"
                ),
            );
        }
        let candidates = counted(s.finding.pairs_met, "candidate pair");
        match &s.fields {
            None => lines.push(format!("  found    {}", found(&s.finding, &s.method))),
            Some(fields) => {
                lines.extend(fields.found.iter().map(|one| {
                    let found = found(&one.finding, &s.method);
                    format!("  found    in {}: {found}", quoted(&one.field))
                }));
                let together = s.finding.found_at_threshold;
                lines.extend(together.map(|found| {
                    format!("  found    together: expected recall {}", percent(found))
                }));
            }
        }
        lines.push(format!("  pairs    {candidates} {}", checked(s)));
        lines.extend(preset(&s.method).map(|words| format!("  preset   {words}")));
        lines.extend(anchors(&s.finding).map(|words| format!("  anchors  {words}")));
        lines.extend(
            excluded(&s.finding)
                .into_iter()
                .map(|words| format!("  excluded {words}")),
        );
        lines.extend(too_large(s.finding.too_large).map(|words| format!("  html     {words}")));
        lines.extend(above(&s.finding).map(|words| format!("  memory   {words}")));
        lines.extend(hints(&s.finding).map(|words| format!("  hint     {words}")));
        if s.unread.bad_lines > 0 {
            let file = options
                .inputs
                .records
                .skip_bad
                .as_deref()
                .map_or(String::new(), name);
            let written = if outputs.dry_run {
                "would be written"
            } else {
                "written"
            };
            lines.push(format!(
                "  bad      {} skipped, {written} to {file}",
                counted(s.unread.bad_lines, "line")
            ));
        }
        lines.extend(left_out(&s.unread.left_out).map(|words| format!("  skipped  {words}")));
        if s.without_id == s.documents && s.documents > 0 {
            let field = quoted(options.inputs.records.fields.id());
            lines.push(format!(
                "  ids      no record has the field {field}: ids are file:line"
            ));
        }
        lines.extend(s.resumed.as_ref().map(resumed));
        let memory = s.peak_memory.map_or(String::new(), |peak| {
            format!(", peak memory {}", bytes(peak))
        });
        lines.push(format!(
            "  time     {:.2} s for {}{rate}{memory}",
            s.seconds.total,
            bytes(s.bytes)
        ));
        if outputs.dry_run {
            lines.push(format!("  {DIM}dry run: nothing was written{DIM:#}"));
        } else {
            let named = |path: &&PathBuf| path.as_os_str() != "-";
            let records = if outputs.label.is_some() {
                "all records, labelled,"
            } else {
                "kept records"
            };
            let written = [
                (records, &outputs.kept),
                ("decisions", &outputs.decisions),
                ("an index of all documents", &self.options.index),
            ];
            let written = written
                .into_iter()
                .filter_map(|(what, path)| Some((what, path.as_ref().filter(named)?)));
            lines
                .extend(written.map(|(what, path)| format!("  written  {what} to {}", name(path))));
            let page = options
                .page
                .report
                .as_ref()
                .filter(named)
                .zip(s.report.as_ref());
            lines.extend(page.map(|(path, figures)| {
                format!("  report   {}: {}", name(path), described(figures))
            }));
        }
        lines.extend(removed(&options.saved));
        lines.join("\n")
    }
}

/// Describes the dropped documents that are not exact duplicates.
fn similar(s: &Summary) -> String {
    let (near, threshold) = (count(s.dropped_near), s.method.threshold);
    match (s.verify, s.method.measure, &s.method.candidates) {
        _ if s.method.cluster == Cluster::Components => {
            format!("{near} connected by a chain of similar pairs")
        }
        _ if matches!(s.method.cluster, Cluster::Greedy(_)) => {
            format!("{near} in the greedy cluster of a kept document")
        }
        (Verify::Exact, Measure::Resemblance, _) => {
            let fields = s.fields.as_ref().map_or("", |fields| match fields.similar {
                SimilarIn::Each => " in each field",
                SimilarIn::Any => " in a field",
            });
            let contained = s
                .method
                .min_containment
                .map(|least| format!(", containment >= {least}"))
                .unwrap_or_default();
            let near = counted(s.dropped_near, "near-duplicate");
            format!("{near} (verified similarity >= {threshold}{fields}{contained})")
        }
        (Verify::Exact, Measure::Containment, _)
            if s.against.is_some_and(|against| against.holders) =>
        {
            let others = if s.against.is_some_and(|against| against.only) {
                ""
            } else {
                " or contained in a kept document"
            };
            format!("{near} containing a reference{others} (verified containment >= {threshold})")
        }
        (Verify::Exact, Measure::Containment, _) => {
            format!("{near} contained in a kept document (verified containment >= {threshold})")
        }
        (Verify::Sketch, _, Candidates::SimHash(_)) => {
            format!("{near} with a similar SimHash (few bits differ, similarity not measured)")
        }
        (Verify::Sketch, _, Candidates::Sentences(_)) => {
            format!("{near} with the same longest sentences (similarity not measured)")
        }
        (Verify::Sketch, Measure::Resemblance, _) => {
            format!(
                "{} (estimated similarity >= {threshold})",
                counted(s.dropped_near, "near-duplicate")
            )
        }
        (Verify::Sketch, Measure::Containment, _) => {
            format!("{near} contained in a kept document (estimated containment >= {threshold})")
        }
        (Verify::None, _, _) => format!("{near} candidates of a kept document (not verified)"),
    }
}

/// Describes how candidate pairs were verified.
fn checked(s: &Summary) -> &'static str {
    match s.verify {
        Verify::None => "not verified",
        Verify::Exact if !matches!(s.method.cluster, Cluster::Greedy(_)) => "verified",
        Verify::Exact | Verify::Sketch => "compared by sketches",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_written_next_to_the_kept_records() {
        let beside =
            |kept: &str| decisions_beside(Path::new(kept)).map(|path| path.display().to_string());
        for (kept, decisions) in [
            ("kept.jsonl", Some("kept.decisions.jsonl")),
            ("a/b.c.ndjson.gz", Some("a/b.c.decisions.jsonl.gz")),
            ("kept.jsonl.zst", Some("kept.decisions.jsonl.zst")),
            (
                "s3://b/a/kept.jsonl.zst",
                Some("s3://b/a/kept.decisions.jsonl.zst"),
            ),
            ("kept.jsonl.xz", Some("kept.decisions.jsonl.xz")),
            ("kept", Some("kept.decisions.jsonl")),
            ("-", None),
            ("/dev/null", None),
        ] {
            assert_eq!(beside(kept).as_deref(), decisions, "{kept}");
        }
    }
}
