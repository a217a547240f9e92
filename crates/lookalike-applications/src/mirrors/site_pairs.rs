//! Which sites mirror each other: the shares of their pages that have a match.
//!
//! A page that all hosts have, as an error page or a server's first page, puts each host in a pair with each other. Such pairs are
//! not counted to be thrown away: a site of which m pages must match has one among any that are all but m - 1 of its pages, and the
//! m - 1 that are left out are those which the most sites have (the prefix filter of set joins; Chaudhuri, Ganti and Kaushik, *A
//! primitive operator for similarity joins*, 2006). No pair is lost by that.

use super::{Likes, Mirrors, Side};

/// Of which of a pair's two sites so large a share of pages must have a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShareOf {
    /// Of both: mirrors.
    #[default]
    Both,
    /// Of one at least: also a site that another has swallowed.
    Either,
    /// Of the first one.
    A,
    /// Of the second one.
    B,
}

/// A site of the first collection and one of the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SitePair {
    /// The first one's number.
    pub a: u32,
    /// The second one's.
    pub b: u32,
    /// Pages of the first.
    pub pages_a: u64,
    /// Pages of the second.
    pub pages_b: u64,
    /// Pages of the first with a match in the second.
    pub matched_a: u64,
    /// Pages of the second with a match in the first.
    pub matched_b: u64,
}

impl SitePair {
    /// The share of the first one's pages with a match in the second.
    pub fn share_a(&self) -> f64 {
        self.matched_a as f64 / self.pages_a as f64
    }

    /// The share of the second one's pages with a match in the first.
    pub fn share_b(&self) -> f64 {
        self.matched_b as f64 / self.pages_b as f64
    }

    /// The smaller of both shares.
    pub fn lesser(&self) -> f64 {
        self.share_a().min(self.share_b())
    }
}

/// What is kept of a pair: 24 bytes.
#[derive(Debug)]
struct Row {
    a: u32,
    b: u32,
    matched_a: u64,
    matched_b: u64,
}

/// The pairs of sites of which enough matches, the best first.
#[derive(Debug)]
pub struct SitePairs<'a> {
    mirrors: &'a Mirrors,
    rows: Vec<Row>,
    aside: u64,
}

impl SitePairs<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.rows)
    }

    /// How many pages have matches on more sites than were asked for, so that they make no pair.
    pub fn aside(&self) -> u64 {
        self.aside
    }

    /// By the lesser share, the number of matches and the sites' numbers.
    pub fn iter(&self) -> impl Iterator<Item = SitePair> {
        self.rows.iter().map(|row| self.mirrors.pair(row))
    }
}

impl Mirrors {
    /// The pairs of sites of which such a share of pages has a match. A pair without a match is none, however small the share.
    ///
    /// A page that has matches on more than `common` sites of the other side makes no pair; in a pair that another page makes, it
    /// counts. A pair is made by the pages of its `a`, or of its `b` where that is whose share is asked.
    ///
    /// Cost: for each site a step for each site that a group of it has a match in, groups that the most sites have aside, and another
    /// for each group and each of these. 4 bytes for each group and each site that it has a match in, and 24 for each pair that is
    /// given: where n sites have the same pages and no `common` is set, these are n² / 2 pairs.
    pub fn site_pairs(&self, share: f64, of: ShareOf, common: Option<usize>) -> SitePairs<'_> {
        let (mut rows, mut aside) = (Vec::new(), 0);
        let by_a = of != ShareOf::B;
        if by_a {
            let sweep = Sweep::new(self, self.a(), self.b(), share, common);
            aside += sweep.aside();
            sweep.each(|a, b, matched_a, matched_b| {
                let row = Row { a, b, matched_a, matched_b };
                if (!self.within() || a < b) && (of != ShareOf::Both || self.pair(&row).share_b() >= share) {
                    rows.push(row);
                }
            });
        }
        if matches!(of, ShareOf::B | ShareOf::Either) {
            let sweep = Sweep::new(self, self.b(), self.a(), share, common);
            aside += if by_a && self.within() { 0 } else { sweep.aside() };
            let mut found: Vec<(u32, u32)> = Vec::new();
            if by_a && common.is_some() {
                found = rows.iter().map(|row| (row.a, row.b)).collect();
                found.sort_unstable();
            }
            sweep.each(|b, a, matched_b, matched_a| {
                let row = Row { a, b, matched_a, matched_b };
                // Without pages set aside, all whose first share is enough were found by it.
                let is_found = match common {
                    None => by_a && self.pair(&row).share_a() >= share,
                    Some(_) => found.binary_search(&(a, b)).is_ok(),
                };
                if (!self.within() || a < b) && !is_found {
                    rows.push(row);
                }
            });
        }
        rows.sort_unstable_by(|p, q| {
            let shares = self.pair(q).lesser().total_cmp(&self.pair(p).lesser());
            let matches = |row: &Row| row.matched_a + row.matched_b;
            shares.then(matches(q).cmp(&matches(p))).then((p.a, p.b).cmp(&(q.a, q.b)))
        });
        SitePairs { mirrors: self, rows, aside }
    }

    /// The pair of sites with the largest share of pages that have a match, whatever it is; of equal shares the one with the most matches,
    /// then the first one. Shares are counted as `of` says. Pages with matches on more than `common` sites make no pair, so that the cost is a
    /// step for each page and each of at most so many sites.
    pub fn closest(&self, of: ShareOf, common: usize) -> Option<SitePair> {
        let share = |pair: &SitePair| match of {
            ShareOf::Both => pair.lesser(),
            ShareOf::Either => pair.share_a().max(pair.share_b()),
            ShareOf::A => pair.share_a(),
            ShareOf::B => pair.share_b(),
        };
        let mut best: Option<SitePair> = None;
        Sweep::new(self, self.a(), self.b(), 0.0, Some(common)).each(|a, b, matched_a, matched_b| {
            let pair = self.pair(&Row { a, b, matched_a, matched_b });
            let better = |best: &SitePair| {
                let matches = |pair: &SitePair| pair.matched_a + pair.matched_b;
                let by_matches = matches(&pair).cmp(&matches(best)).then((best.a, best.b).cmp(&(a, b)));
                share(&pair).total_cmp(&share(best)).then(by_matches).is_gt()
            };
            if (!self.within() || a < b) && best.as_ref().is_none_or(better) {
                best = Some(pair);
            }
        });
        best
    }

    fn pair(&self, &Row { a, b, matched_a, matched_b }: &Row) -> SitePair {
        let (pages_a, pages_b) = (self.a().sites()[a as usize], self.b().sites()[b as usize]);
        SitePair { a, b, pages_a, pages_b, matched_a, matched_b }
    }
}

/// One side's sites, one after the other, against the other's: nothing is held for more than one of them.
struct Sweep<'a> {
    likes: &'a Likes,
    side: &'a Side,
    other: &'a Side,
    share: f64,
    common: usize,
    /// The other's sites in which each group has a match, by group and number, and where each group begins.
    sites: Vec<u32>,
    starts: Vec<usize>,
}

impl<'a> Sweep<'a> {
    fn new(mirrors: &'a Mirrors, side: &'a Side, other: &'a Side, share: f64, common: Option<usize>) -> Self {
        let likes = &mirrors.likes;
        let (mut sites, mut starts, mut of_group) = (Vec::new(), vec![0], Vec::new());
        for group in 0..likes.groups() {
            of_group.clear();
            of_group.extend(likes.of(group).iter().flat_map(|&(like, _)| other.sites_of(like)));
            of_group.sort_unstable();
            of_group.dedup();
            sites.extend_from_slice(&of_group);
            starts.push(sites.len());
        }
        Self { likes, side, other, share, common: common.unwrap_or(usize::MAX), sites, starts }
    }

    /// The sites in which a group has a match, ascending.
    fn reached(&self, group: u32) -> &[u32] {
        let group = group as usize;
        &self.sites[self.starts[group]..self.starts[group + 1]]
    }

    /// How many pages are too common.
    fn aside(&self) -> u64 {
        let common = (0..self.likes.groups()).filter(|&group| self.reached(group).len() > self.common);
        common.map(|group| self.side.group(group).len() as u64).sum()
    }

    /// Gives each site with those in which enough of its pages have a match, and how many have one: of the one, and of the other.
    fn each(&self, mut give: impl FnMut(u32, u32, u64, u64)) {
        const NONE: u32 = u32::MAX;
        // Where a site stands among the candidates.
        let mut at = vec![NONE; self.other.sites().len()];
        let (mut groups, mut candidates, mut likes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for (site, &pages) in (0..).zip(self.side.sites()) {
            groups.clear();
            groups.extend(self.side.groups_of(site).map(|group| (self.reached(group).len(), group)));
            groups.sort_unstable();
            candidates.clear();
            for &(_, group) in self.rare(site, pages, &groups) {
                for &other in self.reached(group) {
                    if at[other as usize] == NONE {
                        at[other as usize] = candidates.len() as u32;
                        candidates.push(other);
                    }
                }
            }
            there.clear();
            there.resize(candidates.len(), 0);
            back.clear();
            back.resize(candidates.len(), 0);
            likes.clear();
            for &(sites, group) in groups.iter().filter(|_| !candidates.is_empty()) {
                let pages = self.side.of(group, site).len() as u64;
                likes.extend(self.likes.of(group).iter().map(|row| row.0));
                // Whichever are fewer are looked for among the others.
                if sites <= candidates.len() {
                    let found = self.reached(group).iter().map(|&other| at[other as usize]).filter(|&at| at != NONE);
                    found.for_each(|at| there[at as usize] += pages);
                } else {
                    let found = candidates.iter().zip(&mut there);
                    let found = found.filter(|(other, _)| self.reached(group).binary_search(other).is_ok());
                    found.for_each(|(_, count)| *count += pages);
                }
            }
            likes.sort_unstable();
            likes.dedup();
            for &like in &likes {
                let pages = self.other.group(like);
                if pages.len() <= candidates.len() {
                    let found = pages.iter().map(|page| at[page.site as usize]).filter(|&at| at != NONE);
                    found.for_each(|at| back[at as usize] += 1);
                } else {
                    let counts = candidates.iter().zip(&mut back);
                    counts.for_each(|(&other, count)| *count += self.other.of(like, other).len() as u64);
                }
            }
            for ((&other, &there), &back) in candidates.iter().zip(&there).zip(&back) {
                at[other as usize] = NONE;
                if there as f64 / pages as f64 >= self.share {
                    give(site, other, there, back);
                }
            }
        }
    }

    /// Of a site's groups, sorted by how many sites have a match for each, those of which every mirror has one.
    fn rare<'g>(&self, site: u32, pages: u64, groups: &'g [(usize, u32)]) -> &'g [(usize, u32)] {
        // A fraction less than it takes, so that no rounding loses a pair.
        let needed = (self.share * pages as f64 - 1e-6).ceil().max(1.0) as u64;
        let mut left_out = 0;
        let common = groups.iter().rev().take_while(|&&(_, group)| {
            left_out += self.side.of(group, site).len() as u64;
            left_out < needed
        });
        let rare = &groups[..groups.len() - common.count()];
        &rare[..rare.partition_point(|&(sites, _)| sites <= self.common)]
    }
}
