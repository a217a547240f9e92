//! Pairs the pages of consecutive crawls, and follows them.

use lookalike_applications::mirrors::{Counterpart, Event, Happened, Histories, Likes, Mirrors};
use lookalike_io::error::Result;
use xxhash_rust::xxh3::xxh3_64;

use super::crawls::Crawls;
use crate::{
    jobs::mirrors::{groups::Groups, remaining::RemainingPages, sites::Sites},
    matching::sets::Pass,
};

/// The steps from each crawl to the next.
pub(super) struct Steps<'a> {
    pub(super) groups: &'a Groups<'a>,
    pub(super) sites: &'a Sites,
    pub(super) crawls: &'a Crawls,
    /// The matches between groups; `None` while a step uses them.
    pub(super) likes: Option<Likes>,
}

impl Steps<'_> {
    /// Loads the pages that the second round compares: the pages without a counterpart, in all steps.
    pub(super) fn load(&mut self, pass: Pass, least: f64) -> Result<RemainingPages> {
        let mut all = Vec::new();
        self.each_step(|this, crawl, counterparts| {
            for (a, b) in this.remaining(crawl, counterparts) {
                all.extend(a);
                all.extend(b);
            }
            Ok(())
        })?;
        RemainingPages::load(pass, all, least)
    }

    /// Passes all events to `give`, crawl by crawl, with the crawl from 0. Pages are numbered over all crawls.
    pub(super) fn each(
        &mut self,
        remaining: &mut RemainingPages,
        mut give: impl FnMut(usize, Happened) -> Result<()>,
    ) -> Result<()> {
        let names: Vec<u64> = self
            .sites
            .names
            .iter()
            .map(|name| xxh3_64(name.as_bytes()))
            .collect();
        let address = |sites: &Sites, page: u64| {
            let site = names[sites.of[page as usize] as usize];
            u128::from(site) << 64 | u128::from(sites.paths[page as usize])
        };
        let mut histories = Histories::default();
        let first = self.crawls.documents(0);
        let sites = self.sites;
        histories.add(
            first.end,
            &[],
            |_| 0,
            |page| address(sites, page),
            |happened| give(0, happened),
        )?;
        self.each_step(|this, crawl, counterparts| {
            let mut all = counterparts.to_vec();
            for (a, mut b) in this.remaining(crawl, counterparts) {
                // A page that comes back is not the successor of another page that disappears now.
                b.retain(|&page| !histories.is_gone(address(sites, page)));
                all.extend(remaining.pair(sites, &a, &b)?);
            }
            all.sort_unstable_by_key(|pair| pair.a);
            // Histories number the pages of each crawl from 0.
            let (old, new) = (
                this.crawls.documents(crawl - 1),
                this.crawls.documents(crawl),
            );
            all.iter_mut()
                .for_each(|pair| (pair.a, pair.b) = (pair.a - old.start, pair.b - new.start));
            histories.add(
                new.end - new.start,
                &all,
                |page| address(sites, old.start + page),
                |page| address(sites, new.start + page),
                |mut happened| {
                    let gone = happened.event == Event::Disappeared;
                    happened.page += if gone { old.start } else { new.start };
                    give(crawl, happened)
                },
            )
        })
    }

    /// Calls `take` for each crawl except the first, with the pairs of a page of the crawl before and a page of this crawl that
    /// the first round found, sorted by the first page.
    fn each_step(
        &mut self,
        mut take: impl FnMut(&Self, usize, &[Counterpart]) -> Result<()>,
    ) -> Result<()> {
        let Some(mut likes) = self.likes.take() else {
            return Ok(());
        };
        for crawl in 1..self.crawls.len() {
            let [a, b] =
                [crawl - 1, crawl].map(|crawl| self.groups.side(self.crawls.documents(crawl)));
            let mirrors = Mirrors::new(a, Some(b), likes);
            let counterparts = mirrors.successors();
            likes = mirrors.into_likes();
            take(self, crawl, &counterparts)?;
        }
        self.likes = Some(likes);
        Ok(())
    }

    /// Returns the pages that have no counterpart, sorted, for each site that has such pages in the crawl and in the crawl before.
    fn remaining(&self, crawl: usize, counterparts: &[Counterpart]) -> Vec<(Vec<u64>, Vec<u64>)> {
        let mut paired: [Vec<u64>; 2] = [
            counterparts.iter().map(|pair| pair.a).collect(),
            counterparts.iter().map(|pair| pair.b).collect(),
        ];
        paired[1].sort_unstable();
        let [old, new] = [(crawl - 1, &paired[0]), (crawl, &paired[1])].map(
            |(crawl, paired): (_, &Vec<u64>)| {
                let free = self
                    .crawls
                    .documents(crawl)
                    .filter(|page| paired.binary_search(page).is_err());
                let mut pages: Vec<(u32, u64)> = free
                    .map(|page| (self.sites.of[page as usize], page))
                    .collect();
                pages.sort_unstable();
                pages
            },
        );
        let (mut found, mut rest) = (Vec::new(), new.as_slice());
        let pages = |rows: &[(u32, u64)]| rows.iter().map(|row| row.1).collect();
        for of_site in old.chunk_by(|p, q| p.0 == q.0) {
            let site = of_site[0].0;
            rest = &rest[rest.partition_point(|row| row.0 < site)..];
            let others = &rest[..rest.partition_point(|row| row.0 == site)];
            if !others.is_empty() {
                found.push((pages(of_site), pages(others)));
            }
        }
        found
    }
}
