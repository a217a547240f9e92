//! `lookalike mirrors A B C …`: what happened to each page in several crawls.

use std::{path::Path, process::ExitCode};

use lookalike_engine::{
    Crawl, Following, HistorySummary, Mirroring, Setting, history, shown_name, words,
};
use lookalike_options::{Given, refuse};

use super::{Mirrors, is_same, short};
use crate::{
    found::{above, found, notes},
    front::Flags,
    output::{BOLD, count, counted, warnings},
    report::Report,
};

impl Mirrors {
    /// Follows each page through several crawls.
    pub(super) fn follow(self) -> anyhow::Result<ExitCode> {
        self.refuse_in_history()?;
        let crawls: Vec<String> = [&self.a]
            .into_iter()
            .chain(&self.b)
            .chain(&self.more)
            .cloned()
            .collect();
        if crawls.len() < 2 {
            anyhow::bail!(
                "--history needs two collections or more; name the crawls in the order in which they were made"
            );
        }
        for (at, crawl) in crawls.iter().enumerate() {
            if crawls[..at].iter().any(|earlier| is_same(earlier, crawl)) {
                anyhow::bail!(
                    "{}: is given twice; name each crawl once",
                    shown_name(crawl)
                );
            }
        }
        let (options, quiet) = (&self.options, self.options.execution.quiet);
        let output = options.output.as_deref();
        let (config, Mirroring { sites, changed, .. }) = self.plan()?;
        let named: Vec<Crawl> = crawls
            .iter()
            .map(|name| Crawl {
                inputs: vec![name.clone()],
                tables: Vec::new(),
            })
            .collect();
        let asked = Following { sites, changed };
        let run = Report::new("mirrors history")
            .inputs("crawl", &crawls)
            .output("bad_lines", options.records.skip_bad.as_deref())
            .output("histories", Some(output.unwrap_or(Path::new("-"))))
            .begin(config.summary.as_deref(), self.json, quiet)?;
        let summary =
            run.observed(|observer| history(&config, &named, &asked, output, observer))?;
        warnings(&summary.unread.bad_examples, Flags::Mirrors, quiet);
        run.end_on_stderr(&summary, || {
            let mut lines = vec![table(&summary, &crawls)];
            if summary.textless > 0 {
                let have = if summary.textless == 1 { "has" } else { "have" };
                lines.push(format!(
                    "empty: {} {have} no text to compare",
                    counted(summary.textless, "page")
                ));
            }
            lines.push(format!(
                "found: {}",
                found(&summary.finding, &config.method)
            ));
            lines.extend(notes(&config.method, &summary.finding, &summary.unread));
            lines.extend(above(&summary.finding).map(|words| format!("memory: {words}")));
            lines.join("\n")
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns an error if a flag is given that only concerns pairs of sites.
    fn refuse_in_history(&self) -> anyhow::Result<()> {
        let given = Given::of(&self.options);
        let of_pairs = [
            "pages",
            "unmatched",
            "share",
            "share_of",
            "common_sites",
            "report",
        ];
        if let Some(name) = of_pairs.into_iter().find(|name| given.has(name)) {
            let what = words![
                Setting(name),
                " is about pairs of sites, but a history compares each page with the crawl before"
            ];
            return Err(refuse(
                what,
                "leave it out, or compare two collections without --history",
            )
            .into());
        }
        let standard = |path: &Option<std::path::PathBuf>| path.as_deref() == Some(Path::new("-"));
        if (self.options.output.is_none() || standard(&self.options.output))
            && standard(&self.options.records.skip_bad)
        {
            anyhow::bail!(
                "--skip-bad -: histories already use standard output; name a file for them with -o, or a file for --skip-bad"
            );
        }
        Ok(())
    }
}

/// Returns the summary as text, with one row per crawl.
fn table(summary: &HistorySummary, crawls: &[String]) -> String {
    let mut page = format!(
        "{} in {} crawls; {} in all crawls, {} of them unchanged",
        counted(summary.histories, "page"),
        summary.crawls.len(),
        count(summary.in_all),
        count(summary.unchanged),
    );
    let names: Vec<String> = crawls.iter().map(|name| short(&shown_name(name))).collect();
    let wide = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0)
        .max("crawl".len());
    let heads = [
        "pages",
        "appeared",
        "returned",
        "unchanged",
        "changed",
        "moved",
        "disappeared",
    ];
    let head: String = heads.iter().map(|head| format!("  {head:>11}")).collect();
    page += &format!("\n\n{BOLD}{:<wide$}{head}{BOLD:#}\n", "crawl");
    for (figures, name) in summary.crawls.iter().zip(&names) {
        let counts = [
            figures.pages,
            figures.appeared,
            figures.returned,
            figures.unchanged,
            figures.changed,
            figures.moved,
            figures.disappeared,
        ];
        let cells: String = counts
            .iter()
            .map(|&number| format!("  {:>11}", count(number)))
            .collect();
        page += &format!("{name:<wide$}{cells}\n");
    }
    let second: u64 = summary
        .crawls
        .iter()
        .map(|figures| figures.second_round)
        .sum();
    if second > 0 {
        let by_path: u64 = summary.crawls.iter().map(|figures| figures.by_path).sum();
        page += &format!(
            "\nsecond round: {} that changed a lot, {} of them only at the same address\n",
            counted(second, "page"),
            count(by_path)
        );
    }
    page
}
