//! Writes the lines of mirrors: pairs of sites, pairs of pages, and pages without a counterpart.

use lookalike_applications::mirrors::{
    Counterpart, Evidence, Mirrors, ShareOf, SitePair, SitePairs,
};
use lookalike_io::{
    error::{Error, Result},
    write::Output,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    remaining::RemainingPages,
    sites::{Sites, SitesBy},
};
use crate::{
    numbers::Document,
    reporting::{collecting::failure, listed::Listed},
    sketching::{ids::raw, references::References, table::Table},
};

/// The options for finding mirrors.
#[derive(Debug, Clone)]
pub struct Mirroring {
    /// How pages are grouped into sites.
    pub sites: SitesBy,
    /// The share of a site's pages that must have a match.
    pub share: f64,
    /// Which of the two sites of a pair must reach the share.
    pub of: ShareOf,
    /// The maximum number of sites on which a page may have matches. A page that has matches on more than this number of sites of
    /// the other collection does not contribute to pairs of sites. With `None`, all pages contribute.
    pub common_sites: Option<usize>,
    /// Write every pair of matching pages, and not only one-to-one pairs.
    pub all_pairs: bool,
    /// The smallest resemblance of pages that the second round pairs: pages of two paired sites that have no counterpart after the
    /// first round. The second round also pairs pages with the same path. `None` if there is no second round.
    pub changed: Option<f64>,
}

/// A line of the output: a pair of sites.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SiteLine {
    /// The site of the first collection.
    pub a: String,
    /// The site of the second collection.
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
    /// Pairs of pages that are counterparts, one to one.
    pub counterparts: u64,
    /// Counterparts that have the same path on both sites.
    pub same_path: u64,
    /// Pairs of pages that the second round added, if there was one. They are not in the other figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<u64>,
}

/// A line of the output of page pairs.
#[derive(Serialize)]
struct PageLine<'a> {
    a: &'a RawValue,
    b: &'a RawValue,
    site_a: &'a str,
    site_b: &'a str,
    resemblance: f64,
    same_path: bool,
    /// Why the pages are paired, if there was a second round.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
}

/// Returns the word for the reason why two pages are paired.
pub(super) fn word(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Match => "match",
        Evidence::Similarity => "similarity",
        Evidence::Path => "path",
    }
}

/// Returns the letter for the same reason in a report.
fn letter(evidence: Evidence) -> char {
    match evidence {
        Evidence::Match => 'm',
        Evidence::Similarity => 's',
        Evidence::Path => 'p',
    }
}

/// A line of the output of pages without a counterpart.
#[derive(Serialize)]
struct AloneLine<'a> {
    id: &'a RawValue,
    /// The collection that the page belongs to.
    of: &'static str,
    site: &'a str,
    /// The site that mirrors the page's site; null if there is none.
    mirror: Option<&'a str>,
    /// Whether the mirror has a page that is similar to this page but is the counterpart of another page.
    alike: bool,
}

/// The maximum number of site pairs in a summary.
const FIRST: usize = 20;

/// Pages with matches on more sites than this are ignored in the search for the closest pair of sites. Otherwise such pages could
/// produce every pair of sites.
const COMMON: usize = 1000;

pub(super) struct Outputs {
    pub(super) sites: Option<Output>,
    pub(super) pages: Option<Output>,
    pub(super) alone: Option<Output>,
    pub(super) page: Option<PageData>,
}

/// The maximum number of pairs of sites in a page, and of pairs of pages for each pair of sites.
const SITES: usize = 500;
const PAGES: usize = 200;

/// What a page to look at shows: pairs of sites, and pairs of pages that correspond to each other, site by site.
#[derive(Default)]
pub(super) struct PageData {
    pub(super) sites: Vec<serde_json::Value>,
    pub(super) pages: Vec<Listed>,
}

impl PageData {
    /// Adds a pair of sites with its pages.
    fn take(&mut self, line: &SiteLine, counterparts: &[Counterpart]) -> Result<()> {
        if self.sites.len() == SITES {
            return Ok(());
        }
        // The least similar pages come first, because people look for what changed.
        let mut sorted: Vec<&Counterpart> = counterparts.iter().collect();
        sorted.sort_by(|x, y| {
            x.resemblance
                .total_cmp(&y.resemblance)
                .then((x.a, x.b).cmp(&(y.a, y.b)))
        });
        let listed = sorted.iter().take(PAGES).map(|page| {
            let (a, b) = (Document(page.a), Document(page.b));
            let by = line.changed.map(|_| letter(page.evidence));
            Listed {
                a,
                b,
                similarity: page.resemblance,
                counted: None,
                by,
            }
        });
        self.pages.extend(listed);
        let mut site = serde_json::to_value(line).map_err(failure)?;
        site["listed"] = sorted.len().min(PAGES).into();
        self.sites.push(site);
        Ok(())
    }
}

/// Counts of what was written.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) site_pairs: u64,
    pub(super) counterparts: u64,
    pub(super) same_path: u64,
    pub(super) changed: u64,
    pub(super) changed_by_path: u64,
    pub(super) page_pairs: u64,
    pub(super) alone: u64,
    pub(super) common: u64,
    pub(super) first: Vec<SiteLine>,
}

/// The data that lines are made from.
pub(super) struct Writing<'a> {
    pub(super) table: &'a Table,
    pub(super) sites: &'a Sites,
    pub(super) mirrors: &'a Mirrors,
    pub(super) first: References,
    pub(super) asked: &'a Mirroring,
}

/// The pages of all sites, sorted by collection and by site. Collections are numbered from 0.
type PagesOfSites = Vec<(u32, u32, u64)>;

impl Writing<'_> {
    /// Writes all lines. If there is a second round, `load` makes the shingle sets of the pages that it is given.
    pub(super) fn write(
        &self,
        to: &mut Outputs,
        load: impl FnOnce(Vec<u64>, f64) -> Result<RemainingPages>,
    ) -> Result<Counts> {
        let pairs =
            self.mirrors
                .site_pairs(self.asked.share, self.asked.of, self.asked.common_sites);
        self.table.budget.hold(pairs.bytes());
        let mut counts = Counts {
            site_pairs: pairs.len() as u64,
            common: pairs.excluded(),
            ..Counts::default()
        };
        let pages =
            (to.alone.is_some() || self.asked.changed.is_some()).then(|| self.pages_of_sites());
        let mut remaining = match (&pages, self.asked.changed) {
            (Some(pages), Some(least)) => Some(load(self.all_remaining(&pairs, pages), least)?),
            _ => None,
        };
        for ref pair in pairs.iter() {
            let mut counterparts = self.mirrors.counterparts(pair.a, pair.b);
            let mut changed = Vec::new();
            if let (Some(remaining), Some(pages)) = (&mut remaining, &pages) {
                let [a, b] = self.remaining(pair, &counterparts, pages);
                changed = remaining.pair(self.sites, &a, &b)?;
            }
            let line = self.site(pair, &counterparts, &changed);
            counts.counterparts += line.counterparts;
            counts.same_path += line.same_path;
            counts.changed += changed.len() as u64;
            counts.changed_by_path += changed
                .iter()
                .filter(|page| page.evidence == Evidence::Path)
                .count() as u64;
            counterparts.extend_from_slice(&changed);
            counterparts.sort_unstable_by_key(|page| page.a);
            if let Some(output) = &mut to.pages {
                let mut write = |page: Counterpart| {
                    counts.page_pairs += 1;
                    self.page(pair, page, output)
                };
                if self.asked.all_pairs {
                    self.mirrors.each_match(pair.a, pair.b, &mut write)?;
                    changed.iter().try_for_each(|&page| write(page))?;
                } else {
                    counterparts.iter().try_for_each(|&page| write(page))?
                }
            }
            if let (Some(output), Some(pages)) = (&mut to.alone, &pages) {
                counts.alone += self.alone_in(pair, &counterparts, pages, output)?;
            }
            to.sites
                .iter_mut()
                .try_for_each(|output| write_line(&line, output))?;
            to.page
                .iter_mut()
                .try_for_each(|page| page.take(&line, &counterparts))?;
            if counts.first.len() < FIRST {
                counts.first.push(line);
            }
        }
        if let (Some(output), Some(pages)) = (&mut to.alone, &pages) {
            counts.alone += self.without_mirror(&pairs, pages, output)?;
        }
        Ok(counts)
    }

    /// Returns the pair of sites with the largest share of matches, however small it is.
    pub(super) fn closest(&self) -> Option<SiteLine> {
        let common = self
            .asked
            .common_sites
            .map_or(COMMON, |common| common.min(COMMON));
        let pair = self.mirrors.closest(self.asked.of, common)?;
        Some(self.site(&pair, &self.mirrors.counterparts(pair.a, pair.b), &[]))
    }

    fn name(&self, site: u32) -> &str {
        &self.sites.names[site as usize]
    }

    fn site(
        &self,
        pair: &SitePair,
        counterparts: &[Counterpart],
        changed: &[Counterpart],
    ) -> SiteLine {
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
            changed: self.asked.changed.map(|_| changed.len() as u64),
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
            by: self.asked.changed.map(|_| word(page.evidence)),
        };
        write_line(&line, output)
    }

    /// Returns the pages of the two sites of a pair that have no counterpart, sorted.
    fn remaining(
        &self,
        pair: &SitePair,
        counterparts: &[Counterpart],
        pages: &PagesOfSites,
    ) -> [Vec<u64>; 2] {
        let mut paired: [Vec<u64>; 2] = [
            counterparts.iter().map(|page| page.a).collect(),
            counterparts.iter().map(|page| page.b).collect(),
        ];
        paired[1].sort_unstable();
        [(0, pair.a, &paired[0]), (self.second(), pair.b, &paired[1])].map(
            |(collection, site, paired)| {
                let pages = run(pages, collection, site).iter().map(|page| page.2);
                pages
                    .filter(|page| paired.binary_search(page).is_err())
                    .collect()
            },
        )
    }

    /// Returns the pages that the second round compares, in any order. Pages are repeated if they are in several pairs of sites.
    fn all_remaining(&self, pairs: &SitePairs, pages: &PagesOfSites) -> Vec<u64> {
        let mut all = Vec::new();
        for pair in pairs.iter() {
            let [a, b] = self.remaining(&pair, &self.mirrors.counterparts(pair.a, pair.b), pages);
            if !a.is_empty() && !b.is_empty() {
                all.extend(a);
                all.extend(b);
            }
        }
        all
    }

    /// Returns the number of the collection to which the second site of a pair belongs.
    fn second(&self) -> u32 {
        u32::from(self.first.only)
    }

    fn pages_of_sites(&self) -> PagesOfSites {
        let pages = self.sites.of.iter().zip(0..);
        let mut pages: Vec<_> = pages
            .map(|(&site, page)| (self.collection(page), site, page))
            .collect();
        self.table.budget.hold(size_of_val(&*pages));
        pages.sort_unstable();
        pages
    }

    fn collection(&self, page: u64) -> u32 {
        u32::from(self.first.only && !self.first.contains(page))
    }

    /// Writes those pages of two sites that have no counterpart on the other site. Returns the number of these pages.
    fn alone_in(
        &self,
        pair: &SitePair,
        counterparts: &[Counterpart],
        pages: &PagesOfSites,
        output: &mut Output,
    ) -> Result<u64> {
        let [like_a, like_b] = self.mirrors.alike(pair.a, pair.b);
        let mut paired: [Vec<u64>; 2] = [
            counterparts.iter().map(|page| page.a).collect(),
            counterparts.iter().map(|page| page.b).collect(),
        ];
        if self.asked.all_pairs {
            paired
                .iter_mut()
                .zip([&like_a, &like_b])
                .for_each(|(paired, like)| paired.extend(like));
            paired[0].sort_unstable();
        }
        let [paired_a, mut paired_b]: [Vec<u64>; 2] = paired;
        paired_b.sort_unstable();
        let mut count = 0;
        for (collection, site, mirror, paired, like) in [
            (0, pair.a, pair.b, paired_a, like_a),
            (self.second(), pair.b, pair.a, paired_b, like_b),
        ] {
            for &(_, _, page) in run(pages, collection, site) {
                if paired.binary_search(&page).is_err() {
                    self.alone(
                        page,
                        site,
                        Some(mirror),
                        like.binary_search(&page).is_ok(),
                        output,
                    )?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }

    /// Writes the pages of each site that is in no pair of sites. Returns the number of these pages.
    fn without_mirror(
        &self,
        pairs: &SitePairs,
        pages: &PagesOfSites,
        output: &mut Output,
    ) -> Result<u64> {
        let mut mirrored = [0, 1].map(|_| vec![false; self.sites.names.len()]);
        for pair in pairs.iter() {
            mirrored[0][pair.a as usize] = true;
            mirrored[self.second() as usize][pair.b as usize] = true;
        }
        let rest = pages
            .iter()
            .filter(|page| !mirrored[page.0 as usize][page.1 as usize]);
        let mut count = 0;
        for &(_, site, page) in rest {
            self.alone(page, site, None, false, output)?;
            count += 1;
        }
        Ok(count)
    }

    fn alone(
        &self,
        page: u64,
        site: u32,
        mirror: Option<u32>,
        alike: bool,
        output: &mut Output,
    ) -> Result<()> {
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

/// Returns the pages of a site.
fn run(pages: &[(u32, u32, u64)], collection: u32, site: u32) -> &[(u32, u32, u64)] {
    let start = pages.partition_point(|page| (page.0, page.1) < (collection, site));
    let count = pages[start..].partition_point(|page| (page.0, page.1) == (collection, site));
    &pages[start..start + count]
}

fn write_line(line: &impl Serialize, output: &mut Output) -> Result<()> {
    let mut bytes = serde_json::to_vec(line).map_err(|error| Error::failure(error.to_string()))?;
    bytes.push(b'\n');
    output.write(&bytes)
}
