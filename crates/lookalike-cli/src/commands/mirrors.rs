//! `lookalike mirrors`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use lookalike::{Config, Verify};
use lookalike_applications::mirrors::ShareOf;
use lookalike_engine::{MirrorOutputs, Mirroring, MirrorsSummary, RunConfig, SiteBy, SitesBy, mirrors, shown_name};

use crate::{
    args::{FindArgs, InputArgs, RecordArgs, RunArgs, ShingleArgs, run_config},
    found::{above, anchors, aside, found, left_out, preset, too_large},
    front::Flags,
    output::{BOLD, Bars, count, counted, quiet, say, warnings},
    report::{self, Report},
};

/// Find sites that mirror each other, and which page stands for which
///
/// A site is a host or a folder. Two sites are a pair when a share of the pages of both has a match in the other. One JSON line a
/// pair, the best first: a, b, pages_a and pages_b, matched_a (the pages of a with a match in b) and matched_b, share_a and share_b,
/// counterparts (pages that stand for each other, one to one) and same_path (those of them with the same path in both sites).
///
/// With --pages every two pages that stand for each other are written: a, b, site_a, site_b, resemblance, same_path. Of all matches
/// those with the same path come first, then the more alike, and each page has one counterpart in a site at most, so that pages that
/// are all of one template are not all in pairs with each other.
///
/// Pages without text, such as those whose content is in scripts, match where the same path has the same bytes; the summary counts them. When
/// no site mirrors another, it names the pair that comes closest.
///
/// Matches reach the threshold by exact count. Candidates come from sketches and miss a share of the pairs, which the last line
/// tells (see `lookalike curve`).
///
/// Exit code 1 when no site mirrors another, unless a collection is empty.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike mirrors old-crawl.warc.gz new-crawl.warc.gz --pages moved.jsonl --unmatched gone.jsonl\n  \
    lookalike mirrors docs-1.0 docs-2.0 --depth 0 --html main\n  \
    lookalike mirrors crawl.jsonl --id-field url --share-of either > mirrors.jsonl\n  \
    lookalike mirrors pages.jsonl --by field:release"
)]
pub struct Mirrors {
    /// The first collection: a file, a folder, a quoted glob, or a URL of them, or - for standard input, read as by `dedup`
    #[arg(value_name = "A")]
    a: String,
    /// The second, named likewise; without it sites of A are compared with each other. Ids may be in both
    #[arg(value_name = "B")]
    b: Option<String>,
    /// Write pairs of sites to FILE, or the object of a URL, instead of standard output; .gz, .zst, .bz2, .xz, .lz4 and .br are
    /// compressed
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write pairs of pages to FILE
    #[arg(long, value_name = "FILE")]
    pages: Option<PathBuf>,
    /// Write pages without a counterpart to FILE: id, of (a or b), site, mirror (null where the site has none), alike (whether a page
    /// there is like it, and stands for another)
    #[arg(long, value_name = "FILE")]
    unmatched: Option<PathBuf>,
    /// Let --pages have every pair of pages that match, not one to one
    #[arg(long, requires = "pages")]
    all_pairs: bool,
    /// Print a summary as JSON on standard error, also with -q
    #[arg(long)]
    json: bool,
    /// What a site is: host, folder, or field:NAME [default: the host of pages that are called by URLs, as those of WARC are, the
    /// folder of others]. Pages are called by their ids, files of a folder by their paths in it
    #[arg(long, value_name = "WHAT", value_parser = site_by, help_heading = "Sites")]
    by: Option<SiteBy>,
    /// Folders that make a site's name, from the outermost: with 2 all below guide/start is one site, with 0 all of a collection, or of
    /// a host
    #[arg(long, value_name = "N", default_value_t = SitesBy::default().depth, help_heading = "Sites")]
    depth: usize,
    /// Take www.example.com and example.com for one host
    #[arg(long, help_heading = "Sites")]
    fold_www: bool,
    /// The share of its pages that must have a match
    #[arg(long, value_name = "S", default_value_t = 0.5, allow_negative_numbers = true, help_heading = "Sites")]
    share: f64,
    /// Of which of two sites
    #[arg(long, value_enum, default_value_t = Of::Both, help_heading = "Sites")]
    share_of: Of,
    /// Set pages aside that have matches on more than N sites, such as a registrar's first page or an error page: they make no pair of
    /// sites. In pairs that other pages make they count [default: none; n sites with the same pages are n² / 2 pairs, 24 bytes each]
    #[arg(long, value_name = "N", help_heading = "Sites")]
    common_sites: Option<usize>,
    /// Pages match that reach this resemblance, or containment of either in the other [default: 0.8, unless --preset sets it]
    #[arg(long, short, value_name = "T", allow_negative_numbers = true, help_heading = "Comparing")]
    threshold: Option<f64>,
    #[command(flatten)]
    records: RecordArgs,
    #[command(flatten)]
    find: FindArgs,
    #[command(flatten)]
    shingles: ShingleArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Of which of two sites a share is asked.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Of {
    /// of both
    Both,
    /// of one at least: also of a site that is a part of another
    Either,
    /// of the one in A
    A,
    /// of the one in B
    B,
}

impl From<Of> for ShareOf {
    fn from(of: Of) -> Self {
        match of {
            Of::Both => Self::Both,
            Of::Either => Self::Either,
            Of::A => Self::A,
            Of::B => Self::B,
        }
    }
}

fn site_by(given: &str) -> Result<SiteBy, String> {
    match (given, given.strip_prefix("field:")) {
        ("host", _) => Ok(SiteBy::Host),
        ("folder", _) => Ok(SiteBy::Folder),
        (_, Some(field)) if !field.is_empty() => Ok(SiteBy::Field(field.into())),
        _ => Err("give host, folder, or field:NAME".into()),
    }
}

impl Mirrors {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.b.is_none() && matches!(self.share_of, Of::A | Of::B) {
            anyhow::bail!("--share-of a and b go with two collections: name the second, or choose both or either");
        }
        let standard = |path: &Option<PathBuf>| path.as_deref().is_some_and(|path| path == Path::new("-"));
        if self.output.is_none() || standard(&self.output) {
            let others = [("--pages", &self.pages), ("--unmatched", &self.unmatched), ("--skip-bad", &self.records.skip_bad)];
            if let Some((flag, _)) = others.into_iter().find(|(_, path)| standard(path)) {
                anyhow::bail!("{flag} -: pairs of sites go to standard output: name a file for them with -o, or one for {flag}");
            }
        }
        if let Some(b) = self.b.as_ref().filter(|b| is_same(&self.a, b)) {
            anyhow::bail!("{}: named as A and as B; without B, sites of A are compared with each other", shown_name(b));
        }
        let method = self.records.fields.of_sets(self.find.config(&self.shingles)?)?;
        let threshold = self.threshold.unwrap_or(method.threshold);
        let method = Config { threshold, verify: Some(Verify::Exact), ..method };
        let report = Report::new("mirrors").inputs("a", [&self.a]).inputs("b", &self.b);
        let report = report.output("bad_lines", self.records.skip_bad.as_deref());
        let report = report.output("sites", Some(self.output.as_deref().unwrap_or(Path::new("-"))));
        let report = report.output("pages", self.pages.as_deref()).output("unmatched", self.unmatched.as_deref());
        let (against, inputs) = match self.b {
            Some(b) => (vec![self.a], vec![b]),
            None => (Vec::new(), vec![self.a]),
        };
        let input = InputArgs { inputs, input_command: Vec::new(), records: self.records };
        let config = RunConfig { against, ..run_config(&input, &self.run, method) };
        let asked = Mirroring {
            sites: SitesBy { by: self.by.unwrap_or_default(), depth: self.depth, fold_www: self.fold_www },
            share: self.share,
            common_sites: self.common_sites,
            of: self.share_of.into(),
            all_pairs: self.all_pairs,
        };
        let outputs =
            MirrorOutputs { sites: self.output.as_deref(), pages: self.pages.as_deref(), unmatched: self.unmatched.as_deref() };
        let file = report::open(config.summary.as_deref())?;
        let bars = Bars::new(self.run.quiet);
        let done = mirrors(&config, &asked, outputs, &|progress| bars.observe(progress));
        bars.clear();
        let summary = done?;
        warnings(&summary.bad_examples, Flags::Mirrors, self.run.quiet);
        if self.json {
            say(report.json(&summary)?.trim_end());
        } else if !self.run.quiet {
            say(&page(&summary));
            if summary.site_pairs == 0 {
                say(&none(&summary, &asked));
            }
            textless(&summary).iter().for_each(|words| say(words));
            say(&format!("found: {}", found(&summary.finding, &config.method)));
            if let Some(common) = summary.common_pages.filter(|&common| common > 0) {
                say(&format!("set aside: {} with matches on more sites than --common-sites says", counted(common, "page")));
            }
            preset(&config.method).iter().for_each(|words| say(&format!("preset: {words}")));
            anchors(&summary.finding).iter().for_each(|words| say(&format!("anchors: {words}")));
            aside(&summary.finding).iter().for_each(|words| say(&format!("set aside: {words}")));
            summary.left_out.iter().for_each(|left| say(&format!("left out: {}", left_out(left))));
            too_large(summary.finding.too_large).iter().for_each(|words| say(&format!("html: {words}")));
            let many = summary.site_pairs >= MANY;
            above(&summary.finding).iter().for_each(|words| match many {
                true => say(&format!("memory: {words}; nor can pairs of sites: see --common-sites")),
                false => say(&format!("memory: {words}")),
            });
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::from(u8::from(summary.site_pairs == 0 && summary.pages_a > 0 && summary.pages_b != Some(0))))
    }
}

/// So many pairs of sites are a part of what a run needs.
const MANY: u64 = 1 << 20;

/// Whether two names are of one file or folder.
fn is_same(a: &str, b: &str) -> bool {
    let real = |name: &str| Path::new(name).canonicalize().ok();
    a == b || real(a).is_some_and(|a| real(b) == Some(a))
}

/// A site's name for a table, of 40 characters at most.
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

/// Why no two sites are a pair, and what to do.
fn none(summary: &MirrorsSummary, asked: &Mirroring) -> String {
    let empty = match (summary.pages_a, summary.pages_b) {
        (0, None) => Some("the collection has"),
        (0, Some(0)) => Some("both collections have"),
        (0, _) => Some("the first collection has"),
        (_, Some(0)) => Some("the second collection has"),
        _ => None,
    };
    if let Some(empty) = empty {
        return format!("{empty} no pages, so there is nothing to match: name files or folders with pages");
    }
    let paths = match summary.shared_paths {
        Some(paths) if paths > 0 => {
            let are = if paths == 1 { "is" } else { "are" };
            let sites = if summary.pages_b.is_some() { "in both collections" } else { "on two sites or more" };
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

/// A share to ask for that reaches one, with the digits that it takes.
fn below(share: f64) -> String {
    let digits = (1..6).find(|&digits| share * 10f64.powi(digits) >= 10.0).unwrap_or(6);
    let unit = 10f64.powi(digits);
    format!("{}", (share * unit).floor() / unit)
}

/// How many pages have no text to be compared by.
fn textless(summary: &MirrorsSummary) -> Option<String> {
    let (pages, alike) = (summary.textless, summary.textless_alike);
    (pages > 0).then(|| {
        let are = if pages == 1 { "has" } else { "have" };
        let same = match alike {
            0 => "none has the same bytes at the same path of another site".into(),
            alike => format!("{} of them match by the same bytes at the same path of another site", count(alike)),
        };
        format!("empty: {} {are} no text to compare; {same}", counted(pages, "page"))
    })
}

/// What was found, in words, and the best pairs in a table.
fn page(summary: &MirrorsSummary) -> String {
    let of = |pages: u64, sites: u64| format!("{} of {}", counted(pages, "page"), counted(sites, "site"));
    let against = match (summary.pages_b, summary.sites_b) {
        (Some(pages), Some(sites)) => format!(" against {}", of(pages, sites)),
        _ => String::new(),
    };
    let mut page = format!(
        "{} among {}{against}; {} one to one, {} of them at the same path",
        pairs(summary.site_pairs, "sites"),
        of(summary.pages_a, summary.sites_a),
        pairs(summary.counterparts, "pages"),
        count(summary.same_path),
    );
    if let Some(unmatched) = summary.unmatched {
        page += &format!("; {} without a counterpart", counted(unmatched, "page"));
    }
    if summary.first.is_empty() {
        return page;
    }
    let names: Vec<[String; 2]> = summary.first.iter().map(|line| [short(&line.a), short(&line.b)]).collect();
    let [wide_a, wide_b] = [0, 1].map(|of| names.iter().map(|names| names[of].chars().count()).max().unwrap_or(0));
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
