//! Follows the pages of sites through several crawls: when each page appeared, moved, changed and
//! disappeared. The crawls are the inputs of one run, so each text is sketched once.

mod crawls;

mod lines;

mod steps;

use std::path::{Path, PathBuf};

use lookalike::{Cluster, Config, Method, Verify};
use lookalike_applications::mirrors::{Event, Evidence};
use lookalike_io::{
    error::{Error, ErrorKind, Result, without_panic},
    memory::peak_memory,
    read::Unread,
    spill::Sorter,
    write::finish,
};
use serde::Serialize;

pub use self::crawls::Crawl;
use self::{crawls::Crawls, lines::Lines, steps::Steps};
use super::{
    groups::{AllMatches, Groups, classes},
    label_field,
    remaining::{self, CHANGED},
    sites::{Sites, SitesBy},
    textless::Textless,
};
use crate::{
    config::{Observer, RunConfig},
    deciding::{
        all_matches::{Verified, verified},
        candidate_pairs::CandidatePairs,
    },
    matching::{finding::Finding, sets::Pass},
    numbers::Document,
    pairing::Pairing,
    sketching::{self, Beside},
};

/// The options for following pages.
#[derive(Debug, Clone, Default)]
pub struct Following {
    /// How pages are grouped into sites.
    pub sites: SitesBy,
    /// The smallest resemblance of pages of one site that the second round takes for the same page; `None` for [`CHANGED`] or, if
    /// it is lower, the threshold.
    pub changed: Option<f64>,
}

/// What happened to the pages in one crawl.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CrawlFigures {
    /// Pages of the crawl.
    pub pages: u64,
    /// Sites of the crawl.
    pub sites: u64,
    /// Pages that are in no earlier crawl.
    pub appeared: u64,
    /// Pages that had disappeared and are at the same address again.
    pub returned: u64,
    /// Pages with the same address and text as in the crawl before.
    pub unchanged: u64,
    /// Pages with the same address and another text.
    pub changed: u64,
    /// Pages with another address. Their texts may have changed too.
    pub moved: u64,
    /// Pages of the crawl before that are not in this crawl.
    pub disappeared: u64,
    /// Pages that the second round paired with a page of the crawl before. They are also in the other figures.
    pub second_round: u64,
    /// Pages that have only their address in common with the page of the crawl before. They are also in the other figures.
    pub by_path: u64,
}

/// The number of pages compared, and what happened to them.
#[derive(Debug, Clone, Serialize)]
pub struct HistorySummary {
    /// The crawls, in order.
    pub crawls: Vec<CrawlFigures>,
    /// Histories written: pages, each of which may be in several crawls.
    pub histories: u64,
    /// Pages that are in all crawls.
    pub in_all: u64,
    /// Pages that are in all crawls, with the same address and text.
    pub unchanged: u64,
    /// The smallest resemblance in the second round.
    pub least: f64,
    /// Pages without text: scripts, frames, images, or nothing at all.
    pub textless: u64,
    /// How candidates were found.
    #[serde(flatten)]
    pub finding: Finding,
    /// What was not read as a document.
    #[serde(flatten)]
    pub unread: Unread,
}

/// Writes one JSON line for each page of several crawls, in the order of first crawls and first pages: its address in each crawl, and
/// what happened to it ([`Event`]). Writes to standard output if there is no path. The crawls are compared in the given order; the
/// inputs and references of the configuration are not used.
///
/// Pages of consecutive crawls are paired one to one, first by matches
/// ([`successors`](lookalike_applications::mirrors::Mirrors::successors)), then in a second round among the pages of each site. A page
/// that disappears and returns continues its history if it is at the same address again.
///
/// The run makes three passes over all crawls. Memory: the same as for a list of pairs of all crawls; in addition 12 bytes per page,
/// 24 for each page of two crawls with a match, 8 for each page of one crawl, and about 40 for each page that disappeared. Events
/// take 32 bytes each, and can be spilled, as can the shingle sets of pages without a match.
///
/// # Errors
/// Fails for the same reasons as [`pairs`](crate::jobs::pairs::pairs); also if there are fewer than two crawls, if a page has no
/// site, or if an id occurs twice in one crawl.
pub fn history(
    config: &RunConfig,
    crawls: &[Crawl],
    asked: &Following,
    output: Option<&Path>,
    observer: Observer,
) -> Result<HistorySummary> {
    without_panic(|| all_passes(config, crawls, asked, output, observer))
}

fn all_passes(
    config: &RunConfig,
    crawls: &[Crawl],
    asked: &Following,
    output: Option<&Path>,
    observer: Observer,
) -> Result<HistorySummary> {
    if crawls.len() < 2 {
        let what = "a history needs at least two crawls";
        return Err(Error::new(ErrorKind::Config, what)
            .advise("name the crawls in the order in which they were made"));
    }
    asked.changed.map_or(Ok(()), remaining::check)?;
    let (verify, cluster) = (Some(Verify::Exact), Cluster::Law);
    let method = Method::new(Config {
        verify,
        cluster,
        ..config.method.clone()
    })?;
    let least = asked
        .changed
        .unwrap_or(CHANGED.min(method.config().threshold));
    let mut config = RunConfig {
        label_field: label_field(&asked.sites, config)?,
        ..config.clone()
    };
    // Each crawl has its own ids, so the ids of all crawls together are not unique.
    let unique = !std::mem::replace(&mut config.allow_repeated_ids, true);
    let stdout = PathBuf::from("-");
    let opened = crawls::open(&mut config, crawls, output.unwrap_or(&stdout))?;
    let crawls::OpenedCrawls {
        source,
        counts,
        mut output,
        mut bad,
        means,
    } = opened;
    let (mut labels, mut textless) = Default::default();
    let labels_to = Some(&mut labels).filter(|_| config.label_field.is_some());
    let beside = Beside {
        bad: bad.as_mut(),
        labels: labels_to,
        textless: Some(&mut textless),
        ..Beside::default()
    };
    let mut table = sketching::sketch(
        &config,
        &method,
        &source,
        &means.budget,
        &means.pool,
        beside,
        observer,
    )?;
    let crawls = Crawls::new(&counts, &table, &source)?;
    if unique {
        crawls.refuse_repeated_ids(&table, &source)?;
    }
    let sites = Sites::new(&asked.sites, &table, &labels, &source)?;
    let of = |document: Document| crawls.of(document.0);
    let classes = |pairing: &Pairing, _: &mut CandidatePairs| classes(pairing, of).map(Some);
    let all = |_: &Pairing| Ok(AllMatches::new());
    let verified = verified(
        (&config, &method),
        &source,
        &mut table,
        &means.pool,
        classes,
        all,
        observer,
    )?;
    let Verified {
        pairing,
        matches,
        finding,
        ..
    } = verified;
    let textless = Textless::new(textless, &sites, |page| crawls.of(page), &table.budget);
    let groups = Groups::new((&sites, &table), &pairing, &matches, &textless)?;
    let mut steps = Steps {
        groups: &groups,
        sites: &sites,
        crawls: &crawls,
        likes: Some(groups.likes(&matches)),
    };
    drop(matches);

    let pass = Pass {
        config: &config,
        method: &method,
        source: &source,
        table: &table,
        pool: &means.pool,
        observer,
    };
    let mut remaining = steps.load(pass, least)?;
    let mut figures = vec![CrawlFigures::default(); crawls.len()];
    figures.iter_mut().zip(0..).for_each(|(figures, crawl)| {
        (figures.pages, figures.sites) = (crawls.pages(crawl), crawls.sites(crawl, &sites));
    });
    let mut rows = Sorter::new(&table.budget, 1, &means.pool);
    steps.each(&mut remaining, |crawl, happened| {
        figures[crawl].count(
            happened.event,
            happened.counterpart.map(|counterpart| counterpart.1),
        );
        rows.push(lines::row(crawl, happened))
    })?;
    let mut lines = Lines::new(&table, &crawls);
    lines.write(rows.sorted()?, output.as_mut())?;
    let summary = HistorySummary {
        crawls: figures,
        histories: lines.count,
        in_all: lines.in_all,
        unchanged: lines.unchanged,
        least,
        textless: textless.pages,
        finding: Finding {
            above_memory: peak_memory().map_or(0, |peak| table.budget.above(peak)),
            ..finding
        },
        unread: table.counts.unread.clone(),
    };
    finish([bad, output])?;
    Ok(summary)
}

impl CrawlFigures {
    fn count(&mut self, event: Event, evidence: Option<Evidence>) {
        let count = match event {
            Event::Appeared => &mut self.appeared,
            Event::Returned => &mut self.returned,
            Event::Unchanged => &mut self.unchanged,
            Event::Changed => &mut self.changed,
            Event::Moved => &mut self.moved,
            Event::Disappeared => &mut self.disappeared,
        };
        *count += 1;
        self.second_round += u64::from(matches!(
            evidence,
            Some(Evidence::Similarity | Evidence::Path)
        ));
        self.by_path += u64::from(evidence == Some(Evidence::Path));
    }
}
