//! Finds which sites of two crawls mirror each other, and which pages are counterparts.
//!
//! If there are two crawls, the first one is read as references. Pairs within one site, or within
//! one of two crawls, are ignored. All copies of a page are counted in one step (`groups.rs`).

pub(crate) mod sites;

mod textless;

mod groups;

pub(crate) mod remaining;

pub(crate) mod lines;

pub(crate) mod options;

pub(crate) mod history;

use std::{
    collections::BTreeMap,
    num::NonZeroU128,
    path::{Path, PathBuf},
    time::Instant,
};

use lookalike::{
    Cluster, Config, Method, Verify,
    shown::{cut, quoted},
};
use lookalike_applications::mirrors::{Mirrors, Side};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    memory::peak_memory,
    read::Unread,
    words,
    write::finish,
};
use serde::Serialize;

use self::{
    groups::{AllMatches, Groups, classes},
    lines::{Mirroring, Outputs, PageData, SiteLine, Writing},
    remaining::RemainingPages,
    sites::{SiteBy, Sites, SitesBy},
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
    pass::open::{Means, Opened, Sources, create, open},
    reporting::{
        ReportFigures,
        collecting::{Collecting, NotListed},
    },
    sketching::{self, Beside, references::References, refuse_repeated_references},
};

/// The output paths of a mirrors run. All outputs are JSON Lines, plain or compressed.
#[derive(Debug, Clone, Copy, Default)]
pub struct MirrorOutputs<'a> {
    /// Pairs of sites; `None` for standard output.
    pub sites: Option<&'a Path>,
    /// Pairs of pages; `None` if they are not wanted.
    pub pages: Option<&'a Path>,
    /// Pages without a counterpart; `None` if they are not wanted.
    pub unmatched: Option<&'a Path>,
}

/// The number of pages compared, and the results.
#[derive(Debug, Clone, Serialize)]
pub struct MirrorsSummary {
    /// Pages of the first collection.
    pub pages_a: u64,
    /// Pages of the second collection, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_b: Option<u64>,
    /// Sites of the first collection.
    pub sites_a: u64,
    /// Sites of the second collection, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sites_b: Option<u64>,
    /// The report; `None` if no report was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportFigures>,
    /// Pairs of sites written.
    pub site_pairs: u64,
    /// Pairs of pages that are counterparts, one to one.
    pub counterparts: u64,
    /// Counterparts that have the same path on both sites.
    pub same_path: u64,
    /// Pairs of pages that the second round added, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<u64>,
    /// Pairs of the second round that have only their path in common, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_by_path: Option<u64>,
    /// Pairs of pages written, if this output was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_pairs: Option<u64>,
    /// The number of pages without a counterpart, if this output was requested. A page is counted once for each mirror of its
    /// site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmatched: Option<u64>,
    /// The number of pages that were excluded from site pairs because they have matches on too many sites, if a limit was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common_pages: Option<u64>,
    /// Pages without text: scripts, frames, images, or nothing at all.
    pub textless: u64,
    /// Textless pages with a counterpart: a page with identical bytes at the same path of another site.
    pub textless_alike: u64,
    /// If no pair of sites was found, the pair that came closest to the required share; `None` if no page has a match on another
    /// site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest: Option<SiteLine>,
    /// If no pair of sites was found, the number of paths that occur on at least two sites or, if there are two collections, in
    /// both collections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_paths: Option<u64>,
    /// The first pairs of sites in the output.
    #[serde(skip)]
    pub first: Vec<SiteLine>,
    /// How candidates were found.
    #[serde(flatten)]
    pub finding: Finding,
    /// What was not read as a document.
    #[serde(flatten)]
    pub unread: Unread,
}

/// Finds pairs of sites, each with one site of the references (the first collection) and one site of the inputs (the second).
/// Without references, it pairs the sites of the inputs with each other. Pages match if their similarity, counted exactly,
/// reaches the configuration's threshold.
///
/// With [`Mirroring::changed`], a second round pairs pages that have no counterpart in the other site of a pair.
///
/// The run makes two passes over the input, and a third one for the second round, which makes the shingle sets of the remaining pages (8 bytes per shingle, which can be spilled, and 12 per
/// page). Memory: the same as for a list of pairs; in addition 12 bytes per page, 24 for each
/// page with a match, and 32 for each page without text. Each group of equal pages takes 4 bytes for every site on which the
/// group has a match. Each pair of sites that is written takes 24 bytes. Site pairs cannot be spilled: n sites with the same
/// pages make n² / 2 site pairs. The summary reports their memory as memory above the limit; see [`Mirroring::common_sites`].
///
/// # Errors
/// Fails for the same reasons as [`pairs`](crate::jobs::pairs::pairs); also if a page has no site, if a collection has no pages,
/// or if the same collection is named twice.
pub fn mirrors(
    config: &RunConfig,
    asked: &Mirroring,
    outputs: MirrorOutputs,
    observer: Observer,
) -> Result<MirrorsSummary> {
    without_panic(|| all_passes(config, asked, outputs, observer))
}

fn all_passes(
    config: &RunConfig,
    asked: &Mirroring,
    outputs: MirrorOutputs,
    observer: Observer,
) -> Result<MirrorsSummary> {
    let (config, method) = check(config, asked)?;
    let within = !config.has_references();
    let stdout = PathBuf::from("-");
    let paths = [
        Some(outputs.sites.unwrap_or(&stdout)),
        outputs.pages,
        outputs.unmatched,
    ];
    let Opened {
        sources,
        outputs: written,
        mut bad,
        means: Means { pool, budget },
    } = open(&config, paths, "mirrors")?;
    let Sources { source, .. } = sources;
    let [mut report] = create(
        &config,
        [config.report.as_ref().map(|report| report.path.as_path())],
    )?;
    let mut labels: BTreeMap<NonZeroU128, Box<str>> = BTreeMap::new();
    let by_field = config.label_field.is_some();
    let mut pages = Vec::new();
    let labels_to = Some(&mut labels).filter(|_| by_field);
    let beside = Beside {
        bad: bad.as_mut(),
        labels: labels_to,
        textless: Some(&mut pages),
        ..Beside::default()
    };
    let mut table = sketching::sketch(&config, &method, &source, &budget, &pool, beside, observer)?;
    if !config.allow_repeated_ids {
        refuse_repeated_references(&table, &source)?;
    }
    let sites = Sites::new(&asked.sites, &table, &labels, &source)?;
    if let ([only], true) = (&*sites.names, within) {
        return Err(alone(only, &asked.sites.by, &sites));
    }
    // References are compared with each other too, because a page of the second collection may be a copy of a page of the first.
    // Such a copy matches every page of the first collection that the original matches.
    table.references = References {
        only: !within,
        among: true,
        ..table.references
    };
    let first = table.references;
    let class = |document: Document| {
        if within {
            sites.of[document.0 as usize]
        } else {
            u32::from(first.contains(document))
        }
    };
    let classes = |pairing: &Pairing, _: &mut CandidatePairs| classes(pairing, class).map(Some);
    let verified = verified(
        (&config, &method),
        &source,
        &mut table,
        &pool,
        classes,
        |_| Ok(AllMatches::new()),
        observer,
    )?;
    let Verified {
        pairing,
        matches,
        finding,
        ..
    } = verified;
    let textless = Textless::new(pages, &sites, |page| class(Document(page)), &table.budget);
    let groups = Groups::new((&sites, &table), &pairing, &matches, &textless)?;
    let (a, b) = if within {
        (groups.side(0..table.documents), None)
    } else {
        (
            groups.side(0..first.documents),
            Some(groups.side(first.documents..table.documents)),
        )
    };
    let matched = Mirrors::new(a, b, groups.likes(&matches));
    drop(matches);

    let pass = Pass {
        config: &config,
        method: &method,
        source: &source,
        table: &table,
        pool: &pool,
        observer,
    };
    let writing = Writing {
        table: &table,
        sites: &sites,
        mirrors: &matched,
        first,
        asked,
    };
    let [sites_to, pages_to, alone_to] = written;
    let mut to = Outputs {
        sites: sites_to,
        pages: pages_to,
        alone: alone_to,
        page: report.as_ref().map(|_| PageData::default()),
    };
    let reported = writing.write(&mut to, |pages, least| {
        RemainingPages::load(pass, pages, least)
    })?;
    let none = reported.site_pairs == 0;
    let closest = if none { writing.closest() } else { None };
    let shared_paths = none.then(|| sites.shared_paths((!within).then_some(first.documents)));
    let sites_of = |side: &Side| side.sites().iter().filter(|&&pages| pages > 0).count() as u64;
    let mut summary = MirrorsSummary {
        report: None,
        pages_a: if within {
            table.documents
        } else {
            first.documents
        },
        pages_b: (!within).then(|| table.documents - first.documents),
        sites_a: sites_of(matched.a()),
        sites_b: (!within).then(|| sites_of(matched.b())),
        site_pairs: reported.site_pairs,
        counterparts: reported.counterparts,
        same_path: reported.same_path,
        changed: asked.changed.map(|_| reported.changed),
        changed_by_path: asked.changed.map(|_| reported.changed_by_path),
        page_pairs: outputs.pages.is_some().then_some(reported.page_pairs),
        unmatched: outputs.unmatched.is_some().then_some(reported.alone),
        common_pages: asked.common_sites.map(|_| reported.common),
        textless: textless.pages,
        textless_alike: textless.alike.len() as u64,
        closest,
        shared_paths,
        first: reported.first,
        finding: Finding {
            above_memory: peak_memory().map_or(0, |peak| table.budget.above(peak)),
            ..finding
        },
        unread: table.counts.unread.clone(),
    };
    if let (
        Some(output),
        Some(PageData {
            sites,
            pages: listed,
        }),
    ) = (&mut report, to.page)
    {
        let (config, near) = (&config, Err("mirrors"));
        let (rows, command) = (None, "mirrors");
        let collecting = Collecting {
            config,
            method: &method,
            source: &source,
            pool: &pool,
            table: &table,
            command,
            rows,
            listed,
            sites,
            near,
            not_listed: NotListed::default(),
        };
        let (html, figures) = collecting.html(Instant::now(), &summary)?;
        output.write(html.as_bytes())?;
        summary.report = Some(figures);
    }
    finish([bad, report, to.pages, to.alone, to.sites])?;
    Ok(summary)
}

/// Returns the field that contains the site of a page, if sites are taken from a field.
fn label_field(by: &SitesBy, config: &RunConfig) -> Result<Option<String>> {
    let SiteBy::Field(field) = &by.by else {
        return Ok(config.label_field.clone());
    };
    if *field == config.text_field {
        let by = (Setting("by"), format!("field:{}", cut(field)));
        let what = words![by, ": the text cannot identify the site"];
        return Err(Error::new(ErrorKind::Config, what).advise("name another field"));
    }
    Ok(Some(field.clone()))
}

/// Checks the request, and returns how pages are read and how they are compared.
fn check(config: &RunConfig, asked: &Mirroring) -> Result<(RunConfig, Method)> {
    let config = RunConfig {
        label_field: label_field(&asked.sites, config)?,
        ..config.clone()
    };
    if !(0.0..=1.0).contains(&asked.share) {
        let what = words![
            "$share",
            format!(" must be from 0 to 1, got {}", asked.share)
        ];
        return Err(Error::new(ErrorKind::Config, what).advise("for example 0.5"));
    }
    asked.changed.map_or(Ok(()), remaining::check)?;
    let (verify, cluster) = (Some(Verify::Exact), Cluster::Law);
    let method = Method::new(Config {
        verify,
        cluster,
        ..config.method.clone()
    })?;
    Ok((config, method))
}

/// Returns the error for a single collection that has only one site.
fn alone(site: &str, by: &SiteBy, sites: &Sites) -> Error {
    let advice = match by {
        SiteBy::Host => words!["choose $by=folder to compare folders of a host"],
        SiteBy::Name if sites.of_urls => words!["choose $by=folder to compare folders of a host"],
        SiteBy::Name | SiteBy::Folder if sites.in_folders => {
            words!["use more folders in a site's name with $depth"]
        }
        SiteBy::Name | SiteBy::Folder => {
            words![
                "take sites from a field with ",
                (Setting("by"), "field:NAME")
            ]
        }
        SiteBy::Field(_) => words!["use another field"],
    };
    let what = format!(
        "all pages belong to one site, {}, which cannot mirror itself",
        quoted(site)
    );
    Error::new(ErrorKind::Input, what).advise(words!["name a second collection, or ", advice])
}
