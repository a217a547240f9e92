//! `lookalike mirrors`.

mod history;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use lookalike_applications::mirrors::ShareOf;
use lookalike_engine::{
    MirrorOutputs, Mirroring, MirrorsOptions, MirrorsSummary, RunConfig, mirrors, shown_name,
};
use lookalike_options::Given;

use crate::{
    config::ConfigFile,
    found::{above, found, notes, page_size},
    front::Flags,
    output::{BOLD, count, counted, quiet, warnings},
    report::Report,
};

/// Find sites that mirror each other, and match their pages
///
/// A site is a host or a folder. Two sites are a pair if at least a given share (--share) of each site's pages has a match in the
/// other site. Prints one JSON line per pair, the best first: a, b, pages_a and pages_b, matched_a (how many pages of site a have
/// a match in site b) and matched_b, share_a and share_b, counterparts (pages that correspond one to one) and same_path (the
/// counterparts that have the same path in both sites).
///
/// With --pages, all pairs of corresponding pages are written: a, b, site_a, site_b, resemblance, same_path. Corresponding pages
/// are chosen among the matches: first those with the same path, then the more similar ones. Each page has at most one
/// counterpart per site, so pages that share a template are not all paired with each other.
///
/// Pages without text, such as those whose content is in scripts, match if they have the same bytes at the same path. The summary
/// counts such pages. If no site mirrors another, the summary names the closest pair.
///
/// Three or more collections are crawls of the same sites, the oldest first. Then one JSON line is printed for each page: id (the
/// last), first and last (the crawls that have the page, numbered from 1) and events. Each event has crawl, event (appeared,
/// unchanged, changed, moved, disappeared or returned), id, resemblance (to the page in the crawl before) and by (match,
/// similarity or path: why both are the same page). Use --history for two crawls.
///
/// Every match reaches the threshold, and its similarity is counted exactly. Candidates are found by sketches, which miss a share
/// of the pairs; the summary reports the expected recall (see `lookalike curve`).
///
/// The exit code is 1 if no site mirrors another, unless a collection is empty.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike mirrors old-crawl.warc.gz new-crawl.warc.gz --pages moved.jsonl --unmatched gone.jsonl\n  \
    lookalike mirrors docs-1.0 docs-2.0 --depth 0 --html main\n  \
    lookalike mirrors crawl.jsonl --id-field url --share-of either > mirrors.jsonl\n  \
    lookalike mirrors pages.jsonl --by field:release\n  \
    lookalike mirrors old.warc.gz new.warc.gz --changed --pages pages.jsonl\n  \
    lookalike mirrors march.warc.gz april.warc.gz may.warc.gz > history.jsonl"
)]
pub struct Mirrors {
    /// First collection: a file, folder, quoted glob or URL
    ///
    /// The collection is read like an input of `dedup` (- for standard input).
    #[arg(value_name = "A")]
    a: String,
    /// Second collection [default: compare the sites of A with each other]
    ///
    /// The same id may occur in both collections.
    #[arg(value_name = "B")]
    b: Option<String>,
    /// More crawls: follow each page through A, B, C and so on
    #[arg(value_name = "C")]
    more: Vec<String>,
    /// Follow each page from A to B, as with three collections or more
    ///
    /// Prints what happened to each page instead of pairs of sites.
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    options: MirrorsOptions,
    #[command(flatten)]
    file: ConfigFile,
    /// Print the summary as JSON on standard error, even with -q
    #[arg(long)]
    json: bool,
}

impl Mirrors {
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        self.file.fill(&mut self.options)?;
        if self.history || !self.more.is_empty() {
            return self.follow();
        }
        let standard =
            |path: &Option<PathBuf>| path.as_deref().is_some_and(|path| path == Path::new("-"));
        if self.options.output.is_none() || standard(&self.options.output) {
            let others = [
                ("--pages", &self.options.pages),
                ("--unmatched", &self.options.unmatched),
                ("--skip-bad", &self.options.records.skip_bad),
                ("--report", &self.options.page.report),
            ];
            if let Some((flag, _)) = others.into_iter().find(|(_, path)| standard(path)) {
                anyhow::bail!(
                    "{flag} -: pairs of sites already use standard output; name a file for them with -o, or a file for {flag}"
                );
            }
        }
        if let Some(b) = self.b.as_ref().filter(|b| is_same(&self.a, b)) {
            anyhow::bail!(
                "{}: is both A and B; leave B out to compare the sites of A with each other",
                shown_name(b)
            );
        }
        let (config, asked) = self.plan()?;
        let (options, quiet) = (&self.options, self.options.execution.quiet);
        let outputs = MirrorOutputs {
            sites: options.output.as_deref(),
            pages: options.pages.as_deref(),
            unmatched: options.unmatched.as_deref(),
        };
        let run = Report::new("mirrors")
            .inputs("a", [&self.a])
            .inputs("b", &self.b)
            .output("bad_lines", options.records.skip_bad.as_deref())
            .output("sites", Some(outputs.sites.unwrap_or(Path::new("-"))))
            .output("pages", outputs.pages)
            .output("unmatched", outputs.unmatched)
            .output("report", options.page.report.as_deref())
            .begin(config.summary.as_deref(), self.json, quiet)?;
        let summary = run.observed(|observer| mirrors(&config, &asked, outputs, observer))?;
        warnings(&summary.unread.bad_examples, Flags::Mirrors, quiet);
        run.end_on_stderr(&summary, || {
            let mut lines = vec![page(&summary)];
            if summary.site_pairs == 0 {
                lines.push(none(&summary, &asked));
            }
            lines.extend(textless(&summary));
            lines.push(format!(
                "found: {}",
                found(&summary.finding, &config.method)
            ));
            let common = summary.common_pages.filter(|&common| common > 0);
            lines.extend(common.map(|common| {
                format!(
                    "excluded: {} with matches on more sites than --common-sites allows",
                    counted(common, "page")
                )
            }));
            lines.extend(notes(&config.method, &summary.finding, &summary.unread));
            let page = summary.report.iter();
            lines.extend(page.map(|figures| format!("report: {}", page_size(figures))));
            lines.extend(above(&summary.finding).map(|words| {
                let pairs = if summary.site_pairs >= MANY {
                    "; pairs of sites cannot be spilled either: see --common-sites"
                } else {
                    ""
                };
                format!("memory: {words}{pairs}")
            }));
            lines.join("\n")
        })?;
        Ok(ExitCode::from(u8::from(
            summary.site_pairs == 0 && summary.pages_a > 0 && summary.pages_b != Some(0),
        )))
    }

    /// Returns the configuration of a run over A and B, and the options for finding mirrors.
    fn plan(&self) -> anyhow::Result<(RunConfig, Mirroring)> {
        let (config, asked) = self
            .options
            .plan(&Given::of(&self.options), self.b.is_some())?;
        let (against, inputs) = match &self.b {
            Some(b) => (vec![self.a.clone()], vec![b.clone()]),
            None => (Vec::new(), vec![self.a.clone()]),
        };
        Ok((
            RunConfig {
                against,
                inputs,
                ..config
            },
            asked,
        ))
    }
}

/// If there are at least this many pairs of sites, the pairs take a noticeable part of a run's memory.
const MANY: u64 = 1 << 20;

/// Returns whether two names are the same file or folder.
fn is_same(a: &str, b: &str) -> bool {
    let real = |name: &str| Path::new(name).canonicalize().ok();
    a == b || real(a).is_some_and(|a| real(b) == Some(a))
}

/// Returns the name of a site for a table, at most 40 characters long.
fn short(name: &str) -> String {
    const MOST: usize = 40;
    let name = quiet(name);
    match name.char_indices().nth(MOST) {
        None => name,
        Some(_) => name.chars().take(MOST - 1).chain(['…']).collect(),
    }
}

fn pairs(number: u64, of: &str) -> String {
    format!("{} of {of}", counted(number, "pair"))
}

/// Describes why no two sites are a pair, and what to do.
fn none(summary: &MirrorsSummary, asked: &Mirroring) -> String {
    let empty = match (summary.pages_a, summary.pages_b) {
        (0, None) => Some("the collection has"),
        (0, Some(0)) => Some("both collections have"),
        (0, _) => Some("the first collection has"),
        (_, Some(0)) => Some("the second collection has"),
        _ => None,
    };
    if let Some(empty) = empty {
        return format!(
            "{empty} no pages, so there is nothing to match: name files or folders with pages"
        );
    }
    let paths = match summary.shared_paths {
        Some(paths) if paths > 0 => {
            let are = if paths == 1 { "is" } else { "are" };
            let sites = if summary.pages_b.is_some() {
                "in both collections"
            } else {
                "on two sites or more"
            };
            format!("; {} {are} {sites}", counted(paths, "path"))
        }
        _ => String::new(),
    };
    let Some(closest) = &summary.closest else {
        return format!(
            "no page has a match on another site{paths}: lower --threshold, or compare less of each page with --html main"
        );
    };
    let (a, b) = (closest.share_a, closest.share_b);
    let share = match asked.of {
        ShareOf::Both => a.min(b),
        ShareOf::Either => a.max(b),
        ShareOf::A => a,
        ShareOf::B => b,
    };
    let either = if asked.of == ShareOf::Both && a.max(b) >= asked.share {
        ", --share-of either for a site that is a part of another"
    } else {
        ""
    };
    format!(
        "the closest pair is {} and {}: {} of {} ({:.1} %) and {} of {} ({:.1} %) have a match{paths}; give --share {}{either}, or a lower \
         --threshold",
        short(&closest.a),
        short(&closest.b),
        count(closest.matched_a),
        counted(closest.pages_a, "page"),
        100.0 * a,
        count(closest.matched_b),
        count(closest.pages_b),
        100.0 * b,
        below(share),
    )
}

/// Returns a value for `--share` that is not above the given share, with as few digits as possible.
fn below(share: f64) -> String {
    let digits = (1..6)
        .find(|&digits| share * 10f64.powi(digits) >= 10.0)
        .unwrap_or(6);
    let unit = 10f64.powi(digits);
    format!("{}", (share * unit).floor() / unit)
}

/// Describes how many pages have no text to compare.
fn textless(summary: &MirrorsSummary) -> Option<String> {
    let (pages, alike) = (summary.textless, summary.textless_alike);
    (pages > 0).then(|| {
        let are = if pages == 1 { "has" } else { "have" };
        let same = match alike {
            0 => "no page of another site has the same bytes at the same path".into(),
            alike => format!(
                "{} of them match because another site has the same bytes at the same path",
                count(alike)
            ),
        };
        format!(
            "empty: {} {are} no text to compare; {same}",
            counted(pages, "page")
        )
    })
}

/// Returns the summary as text, with the best pairs in a table.
fn page(summary: &MirrorsSummary) -> String {
    let of = |pages: u64, sites: u64| {
        format!("{} of {}", counted(pages, "page"), counted(sites, "site"))
    };
    let against = match (summary.pages_b, summary.sites_b) {
        (Some(pages), Some(sites)) => format!(" against {}", of(pages, sites)),
        _ => String::new(),
    };
    let mut page = format!(
        "{} among {}{against}; {} matched one to one, {} of them at the same path",
        pairs(summary.site_pairs, "sites"),
        of(summary.pages_a, summary.sites_a),
        pairs(summary.counterparts, "pages"),
        count(summary.same_path),
    );
    if let Some(unmatched) = summary.unmatched {
        page += &format!("; {} without a counterpart", counted(unmatched, "page"));
    }
    if let (Some(changed), Some(by_path)) = (summary.changed, summary.changed_by_path) {
        let added = pairs(changed, "pages");
        page += &format!(
            "\nsecond round: {added} that changed a lot, {} of them only at the same path",
            count(by_path)
        );
    }
    if summary.first.is_empty() {
        return page;
    }
    let names: Vec<[String; 2]> = summary
        .first
        .iter()
        .map(|line| [short(&line.a), short(&line.b)])
        .collect();
    let [wide_a, wide_b] = [0, 1].map(|of| {
        names
            .iter()
            .map(|names| names[of].chars().count())
            .max()
            .unwrap_or(0)
    });
    page += &format!(
        "\n\n{BOLD}{:<wide_a$}  {:<wide_b$}  {:>9}  {:>9}  {:>7}  {:>7}  {:>10}  {:>9}{BOLD:#}\n",
        "a", "b", "pages a", "pages b", "share a", "share b", "one to one", "same path"
    );
    for (line, [a, b]) in summary.first.iter().zip(&names) {
        page += &format!(
            "{:<wide_a$}  {:<wide_b$}  {:>9}  {:>9}  {:>5.1} %  {:>5.1} %  {:>10}  {:>9}\n",
            a,
            b,
            count(line.pages_a),
            count(line.pages_b),
            100.0 * line.share_a,
            100.0 * line.share_b,
            count(line.counterparts),
            count(line.same_path),
        );
    }
    let more = summary.site_pairs - summary.first.len() as u64;
    if more > 0 {
        page += &format!("and {} more\n", count(more));
    }
    page
}
