//! Pages of two crawls → which sites mirror each other, and which page stands for which.

use std::{
    collections::BTreeMap,
    num::NonZeroU128,
    path::{Path, PathBuf},
};

use lookalike::{
    Cluster, Config, Method, Verify,
    mirrors::{Counterpart, Likes, Mirrors, Page, ShareOf, Side, SitePair},
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    finding::Finding,
    ids::raw,
    opening::{Opened, open},
    pairing::Pairing,
    references::References,
    sites::{SiteBy, Sites, SitesBy},
    sketching::{self, Beside},
    table::Table,
    verifying::{ANY, Classes, PairFigures, Verified, verified},
};
use crate::{
    config::{Observer, RunConfig},
    error::{Error, ErrorKind, Result, without_panic},
    read::{Input, LeftOut},
    write::{Output, finish},
};

/// What is asked of mirrors.
#[derive(Debug, Clone)]
pub struct Mirroring {
    /// What a site is.
    pub sites: SitesBy,
    /// The share of its pages that must have a match.
    pub share: f64,
    /// Of which of the two sites.
    pub of: ShareOf,
    /// Every pair of pages that match, and not one to one.
    pub all_pairs: bool,
}

/// Where mirrors are written: JSON Lines, plain or compressed.
#[derive(Debug, Clone, Copy, Default)]
pub struct MirrorOutputs<'a> {
    /// Pairs of sites; none for standard output.
    pub sites: Option<&'a Path>,
    /// Pairs of pages.
    pub pages: Option<&'a Path>,
    /// Pages without a counterpart.
    pub unmatched: Option<&'a Path>,
}

/// A line of the output: two sites.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteLine {
    /// The site of the first collection.
    pub a: String,
    /// That of the second.
    pub b: String,
    /// Pages of `a`.
    pub pages_a: u64,
    /// Pages of `b`.
    pub pages_b: u64,
    /// Pages of `a` with a match in `b`.
    pub matched_a: u64,
    /// Pages of `b` with a match in `a`.
    pub matched_b: u64,
    /// `matched_a` / `pages_a`.
    pub share_a: f64,
    /// `matched_b` / `pages_b`.
    pub share_b: f64,
    /// Pages that have a counterpart of their own.
    pub counterparts: u64,
    /// Of these, pairs with the same path in both sites.
    pub same_path: u64,
}

/// A line of pairs of pages.
#[derive(Serialize)]
struct PageLine<'a> {
    a: &'a RawValue,
    b: &'a RawValue,
    site_a: &'a str,
    site_b: &'a str,
    resemblance: f64,
    same_path: bool,
}

/// A line of pages without a counterpart.
#[derive(Serialize)]
struct AloneLine<'a> {
    id: &'a RawValue,
    /// Of which collection the page is.
    of: &'static str,
    site: &'a str,
    /// The site that mirrors its own; null where none does.
    mirror: Option<&'a str>,
    /// Whether a page there is like it, and stands for another.
    alike: bool,
}

/// What was looked at and found.
#[derive(Debug, Clone, Serialize)]
pub struct MirrorsSummary {
    /// Pages of the first collection.
    pub pages_a: u64,
    /// Of the second, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_b: Option<u64>,
    /// Sites of the first collection.
    pub sites_a: u64,
    /// Of the second, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sites_b: Option<u64>,
    /// Pairs of sites written.
    pub site_pairs: u64,
    /// Pairs of pages that stand for each other, one to one.
    pub counterparts: u64,
    /// Of these, with the same path in both sites.
    pub same_path: u64,
    /// Pairs of pages written, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_pairs: Option<u64>,
    /// Pages without a counterpart, where they were asked for: once for each mirror of their site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmatched: Option<u64>,
    /// The first pairs of sites.
    #[serde(skip)]
    pub first: Vec<SiteLine>,
    /// How candidates were found.
    #[serde(flatten)]
    pub finding: Finding,
    /// Lines set aside as no records.
    pub bad_lines: u64,
    /// The first of them, told.
    pub bad_examples: Vec<String>,
    /// Files of folders that were not read; none where all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

/// Pairs of sites that a summary has.
const FIRST: usize = 20;

/// Pairs up sites: those of the references, the first collection, with those of the inputs, the second; without references those of
/// the inputs with each other. Pages match that reach the configuration's threshold, counted exactly.
///
/// Two passes over the input. Memory: as for a list of pairs, and 12 bytes a page, 24 more for each that has a match.
///
/// # Errors
/// As [`pairs`](super::pairs::pairs); a page that has no site; a collection without pages, or that is named as both.
pub fn mirrors(config: &RunConfig, asked: &Mirroring, outputs: MirrorOutputs, observer: Observer) -> Result<MirrorsSummary> {
    without_panic(|| all_passes(config, asked, outputs, observer))
}

fn all_passes(config: &RunConfig, asked: &Mirroring, outputs: MirrorOutputs, observer: Observer) -> Result<MirrorsSummary> {
    let mut config = config.clone();
    if let SiteBy::Field(field) = &asked.sites.by {
        if *field == config.text_field {
            let message = format!("--by field:{field}: the text cannot be what says the site; name another field");
            return Err(Error::new(ErrorKind::Config, message));
        }
        config.label_field = Some(field.clone());
    }
    if !(0.0..=1.0).contains(&asked.share) {
        let message = format!("--share {}: is no share of pages; give a number from 0 to 1, such as 0.5", asked.share);
        return Err(Error::new(ErrorKind::Config, message));
    }
    let within = !config.has_references();
    let (verify, cluster) = (Some(Verify::Exact), Cluster::Law);
    let method = Method::new(Config { verify, cluster, ..config.method.clone() })?;
    let stdout = PathBuf::from("-");
    let paths = [Some(outputs.sites.unwrap_or(&stdout)), outputs.pages, outputs.unmatched];
    let Opened { source, references, left_out, outputs: written, mut bad, pool, budget } = open(&config, paths, "mirrors")?;
    let mut labels: BTreeMap<NonZeroU128, Box<str>> = BTreeMap::new();
    let by_field = config.label_field.is_some();
    let beside = Beside { bad: bad.as_mut(), labels: Some(&mut labels).filter(|_| by_field), ..Beside::default() };
    let mut table = sketching::sketch(&config, &method, &source, &budget, &pool, beside, observer)?;
    if !within && table.references.documents == 0 {
        let names: Vec<String> = source.inputs()[..references].iter().map(Input::name).collect();
        let message = format!("{}: no pages: the first collection is empty, or has only blank or bad lines", names.join(", "));
        return Err(Error::new(ErrorKind::Input, message));
    }
    let sites = Sites::new(&asked.sites, &table, &labels, &source)?;
    if let ([only], true) = (&*sites.names, within) {
        return Err(alone(only, &asked.sites.by));
    }
    // A page of the second that is a copy of one of the first is like whatever that is like.
    table.references = References { only: !within, among: true, ..table.references };
    let first = table.references;
    let class = |document: u64| match within {
        true => sites.of[document as usize],
        false => u32::from(first.contains(document)),
    };
    let verified = verified(&config, &method, &source, &mut table, &pool, |pairing| classes(pairing, class).map(Some), observer)?;
    let Verified { pairing, matches, finding, .. } = verified;
    let matched = matched(&sites, &table, &pairing, &matches)?;
    drop(matches);

    let writing = Writing { table: &table, sites: &sites, mirrors: &matched, first, asked };
    let [sites_to, pages_to, alone_to] = written;
    let mut to = Outputs { sites: sites_to, pages: pages_to, alone: alone_to };
    let told = writing.write(&mut to)?;
    finish([bad, to.pages, to.alone, to.sites])?;
    let sites_of = |side: &Side| side.sites().iter().filter(|&&pages| pages > 0).count() as u64;
    Ok(MirrorsSummary {
        pages_a: if within { table.documents } else { first.documents },
        pages_b: (!within).then(|| table.documents - first.documents),
        sites_a: sites_of(matched.a()),
        sites_b: (!within).then(|| sites_of(matched.b())),
        site_pairs: told.site_pairs,
        counterparts: told.counterparts,
        same_path: told.same_path,
        page_pairs: outputs.pages.is_some().then_some(told.page_pairs),
        unmatched: outputs.unmatched.is_some().then_some(told.alone),
        first: told.first,
        finding,
        bad_lines: table.counts.bad_lines,
        bad_examples: table.counts.bad_examples.clone(),
        left_out,
    })
}

/// The failure of one collection that is one site.
fn alone(site: &str, by: &SiteBy) -> Error {
    let advice = match by {
        SiteBy::Name | SiteBy::Folder => "name a second collection, or take more folders for a site's name with --depth",
        SiteBy::Host => "name a second collection, or choose --by folder",
        SiteBy::Field(_) => "name a second collection, or another field",
    };
    Error::new(ErrorKind::Input, format!("all pages are of one site, {site:?}, which cannot mirror itself: {advice}"))
}

/// What two contenders must not both be all of, to be compared: of one site, or of one collection.
fn classes(pairing: &Pairing, class: impl Fn(u64) -> u32) -> Result<Classes> {
    let mut classes: Classes = (0..pairing.numbers()?).map(|number| class(pairing.document(number))).collect();
    for (copy, leader) in pairing.copies_of_contenders() {
        let of_leader = &mut classes[leader as usize];
        if *of_leader != class(pairing.order.document(copy)) {
            *of_leader = ANY;
        }
    }
    Ok(classes)
}

/// What matches, by groups of equal pages: contenders with their copies.
fn matched(sites: &Sites, table: &Table, pairing: &Pairing, matches: &[(u32, u32, PairFigures)]) -> Result<Mirrors> {
    let groups = pairing.numbers()?;
    let resemblance = |figures: &PairFigures| match figures {
        PairFigures::Counted(figures) => figures.resemblance,
        PairFigures::Resemblance { resemblance } => *resemblance,
        PairFigures::Containment { .. } | PairFigures::Unknown {} => 0.0,
    };
    let likes: Vec<(u32, u32, f64)> = matches.iter().map(|(a, b, figures)| (*a, *b, resemblance(figures))).collect();
    let mut in_question = vec![false; groups as usize];
    matches.iter().for_each(|&(a, b, _)| [a, b].into_iter().for_each(|number| in_question[number as usize] = true));
    pairing.copies_of_contenders().for_each(|(_, leader)| in_question[leader as usize] = true);
    let side = |documents: std::ops::Range<u64>| {
        let (mut pages, mut counts) = (Vec::new(), vec![0; sites.names.len()]);
        for page in documents {
            let site = sites.of[page as usize];
            counts[site as usize] += 1;
            let rank = pairing.order.rank(page);
            let group = pairing.number(pairing.leader(rank).unwrap_or(rank));
            if let Some(group) = group.filter(|&group| in_question[group as usize]) {
                pages.push(Page { group, site, page, path: sites.paths[page as usize] });
            }
        }
        table.budget.hold(size_of_val(&*pages));
        Side::new(groups, pages, counts)
    };
    let References { documents: first, only, .. } = table.references;
    let (a, b) = match only {
        true => (side(0..first), Some(side(first..table.documents))),
        false => (side(0..table.documents), None),
    };
    Ok(Mirrors::new(a, b, Likes::new(groups, &likes)))
}

struct Outputs {
    sites: Option<Output>,
    pages: Option<Output>,
    alone: Option<Output>,
}

/// What was written.
#[derive(Default)]
struct Told {
    site_pairs: u64,
    counterparts: u64,
    same_path: u64,
    page_pairs: u64,
    alone: u64,
    first: Vec<SiteLine>,
}

struct Writing<'a> {
    table: &'a Table,
    sites: &'a Sites,
    mirrors: &'a Mirrors,
    first: References,
    asked: &'a Mirroring,
}

impl Writing<'_> {
    fn write(&self, to: &mut Outputs) -> Result<Told> {
        let mut told = Told::default();
        let pairs = self.mirrors.site_pairs(self.asked.share, self.asked.of);
        let pages = to.alone.as_ref().map(|_| self.pages_of_sites());
        for pair in &pairs {
            let counterparts = self.mirrors.counterparts(pair.a, pair.b);
            if let Some(output) = &mut to.pages {
                let mut write = |page: Counterpart| {
                    told.page_pairs += 1;
                    self.page(pair, page, output)
                };
                match self.asked.all_pairs {
                    true => self.mirrors.each_match(pair.a, pair.b, write)?,
                    false => counterparts.iter().try_for_each(|&page| write(page))?,
                }
            }
            if let (Some(output), Some(pages)) = (&mut to.alone, &pages) {
                told.alone += self.alone_in(pair, &counterparts, pages, output)?;
            }
            let line = self.site(pair, &counterparts);
            told.counterparts += line.counterparts;
            told.same_path += line.same_path;
            to.sites.iter_mut().try_for_each(|output| write_line(&line, output))?;
            if told.first.len() < FIRST {
                told.first.push(line);
            }
        }
        if let (Some(output), Some(pages)) = (&mut to.alone, &pages) {
            told.alone += self.without_mirror(&pairs, pages, output)?;
        }
        told.site_pairs = pairs.len() as u64;
        Ok(told)
    }

    fn name(&self, site: u32) -> &str {
        &self.sites.names[site as usize]
    }

    fn site(&self, pair: &SitePair, counterparts: &[Counterpart]) -> SiteLine {
        SiteLine {
            a: self.name(pair.a).into(),
            b: self.name(pair.b).into(),
            pages_a: pair.pages_a,
            pages_b: pair.pages_b,
            matched_a: pair.matched_a,
            matched_b: pair.matched_b,
            share_a: pair.share_a(),
            share_b: pair.share_b(),
            counterparts: counterparts.len() as u64,
            same_path: counterparts.iter().filter(|page| page.same_path).count() as u64,
        }
    }

    fn page(&self, pair: &SitePair, page: Counterpart, output: &mut Output) -> Result<()> {
        let (mut id_a, mut id_b) = (Vec::new(), Vec::new());
        let line = PageLine {
            a: raw(self.table.ids.get(page.a, &mut id_a)?)?,
            b: raw(self.table.ids.get(page.b, &mut id_b)?)?,
            site_a: self.name(pair.a),
            site_b: self.name(pair.b),
            resemblance: page.resemblance,
            same_path: page.same_path,
        };
        write_line(&line, output)
    }

    /// All pages by collection, from 0, and site.
    fn pages_of_sites(&self) -> Vec<(u32, u32, u64)> {
        let pages = self.sites.of.iter().zip(0..);
        let mut pages: Vec<_> = pages.map(|(&site, page)| (self.collection(page), site, page)).collect();
        self.table.budget.hold(size_of_val(&*pages));
        pages.sort_unstable();
        pages
    }

    fn collection(&self, page: u64) -> u32 {
        u32::from(self.first.only && !self.first.contains(page))
    }

    /// Writes the pages of two sites that have no counterpart in the other. Gives their number.
    fn alone_in(
        &self,
        pair: &SitePair,
        counterparts: &[Counterpart],
        pages: &[(u32, u32, u64)],
        output: &mut Output,
    ) -> Result<u64> {
        let [like_a, like_b] = self.mirrors.alike(pair.a, pair.b);
        let mut paired = [counterparts.iter().map(|page| page.a).collect(), counterparts.iter().map(|page| page.b).collect()];
        if self.asked.all_pairs {
            paired = [like_a.clone(), like_b.clone()];
        }
        let [paired_a, mut paired_b]: [Vec<u64>; 2] = paired;
        paired_b.sort_unstable();
        let second = u32::from(self.first.only);
        let mut count = 0;
        for (collection, site, mirror, paired, like) in
            [(0, pair.a, pair.b, paired_a, like_a), (second, pair.b, pair.a, paired_b, like_b)]
        {
            for &(_, _, page) in run(pages, collection, site) {
                if paired.binary_search(&page).is_err() {
                    self.alone(page, site, Some(mirror), like.binary_search(&page).is_ok(), output)?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }

    /// Writes the pages of sites that are in no pair. Gives their number.
    fn without_mirror(&self, pairs: &[SitePair], pages: &[(u32, u32, u64)], output: &mut Output) -> Result<u64> {
        let second = u32::from(self.first.only);
        let mut mirrored: Vec<(u32, u32)> = pairs.iter().flat_map(|pair| [(0, pair.a), (second, pair.b)]).collect();
        mirrored.sort_unstable();
        let rest = pages.iter().filter(|page| mirrored.binary_search(&(page.0, page.1)).is_err());
        let mut count = 0;
        for &(_, site, page) in rest {
            self.alone(page, site, None, false, output)?;
            count += 1;
        }
        Ok(count)
    }

    fn alone(&self, page: u64, site: u32, mirror: Option<u32>, alike: bool, output: &mut Output) -> Result<()> {
        let mut id = Vec::new();
        let line = AloneLine {
            id: raw(self.table.ids.get(page, &mut id)?)?,
            of: if self.collection(page) == 0 { "a" } else { "b" },
            site: self.name(site),
            mirror: mirror.map(|site| self.name(site)),
            alike,
        };
        write_line(&line, output)
    }
}

/// The pages of a site.
fn run(pages: &[(u32, u32, u64)], collection: u32, site: u32) -> &[(u32, u32, u64)] {
    let start = pages.partition_point(|page| (page.0, page.1) < (collection, site));
    let count = pages[start..].partition_point(|page| (page.0, page.1) == (collection, site));
    &pages[start..start + count]
}

fn write_line(line: &impl Serialize, output: &mut Output) -> Result<()> {
    let mut bytes = serde_json::to_vec(line).map_err(|error| Error::new(ErrorKind::Output, error.to_string()))?;
    bytes.push(b'\n');
    output.write(&bytes)
}
