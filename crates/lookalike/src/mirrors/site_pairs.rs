//! Which sites mirror each other: the shares of their pages that have a match.
//!
//! A page that all hosts have, as an error page or a server's first page, puts each host in a pair with each other. Such pairs are
//! not counted to be thrown away: a site of which m pages must match has one among any that are all but m - 1 of its pages, and the
//! m - 1 that are left out are those which the most sites have (the prefix filter of set joins; Chaudhuri, Ganti and Kaushik, *A
//! primitive operator for similarity joins*, 2006). No pair is lost by that.

use super::{Mirrors, Side};

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

    fn reaches(&self, share: f64, of: ShareOf) -> bool {
        match of {
            ShareOf::Both => self.lesser() >= share,
            ShareOf::Either => self.share_a().max(self.share_b()) >= share,
            ShareOf::A => self.share_a() >= share,
            ShareOf::B => self.share_b() >= share,
        }
    }
}

impl Mirrors {
    /// The pairs of sites of which such a share of pages has a match: by the lesser share, the number of matches and the sites'
    /// numbers. A pair without a match is none, however small the share.
    ///
    /// Cost: a step for each matching pair of groups and the sites of the one, another for each site of a group and the candidates
    /// of that site; 4 bytes for each group and each site that it has a match in.
    pub fn site_pairs(&self, share: f64, of: ShareOf) -> Vec<SitePair> {
        let there = Reached::new(self, self.b());
        let back = (!self.within()).then(|| Reached::new(self, self.a()));
        let back = back.as_ref().unwrap_or(&there);

        let mut pairs = Vec::new();
        if of != ShareOf::B {
            there.candidates(self.a(), share, |a, b| pairs.push((a, b)));
        }
        if matches!(of, ShareOf::B | ShareOf::Either) {
            back.candidates(self.b(), share, |b, a| pairs.push((a, b)));
        }
        if self.within() {
            pairs.retain(|(a, b)| a != b);
            pairs.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
        }
        pairs.sort_unstable();
        pairs.dedup();

        let matched_a = there.count(self.a(), &pairs);
        // Counting goes site by site, so the second ones' pairs have to stand together.
        let mut turned: Vec<((u32, u32), usize)> = pairs.iter().map(|&(a, b)| (b, a)).zip(0..).collect();
        turned.sort_unstable();
        let counted = back.count(self.b(), &turned.iter().map(|row| row.0).collect::<Vec<_>>());
        let mut matched_b = vec![0; pairs.len()];
        turned.iter().zip(counted).for_each(|(&(_, at), matched)| matched_b[at] = matched);

        let pair = |(((a, b), matched_a), matched_b)| {
            let (pages_a, pages_b) = (self.a().sites()[a as usize], self.b().sites()[b as usize]);
            SitePair { a, b, pages_a, pages_b, matched_a, matched_b }
        };
        let counted = pairs.into_iter().zip(matched_a).zip(matched_b).map(pair);
        let mut reaching: Vec<SitePair> = counted.filter(|pair| pair.reaches(share, of)).collect();
        let matches = |pair: &SitePair| pair.matched_a + pair.matched_b;
        reaching.sort_by(|p, q| {
            let shares = q.lesser().total_cmp(&p.lesser());
            shares.then(matches(q).cmp(&matches(p))).then((p.a, p.b).cmp(&(q.a, q.b)))
        });
        reaching
    }
}

/// The sites of a side in which each group has a match.
struct Reached {
    sites: Vec<u32>,
    starts: Vec<usize>,
}

impl Reached {
    fn new(mirrors: &Mirrors, side: &Side) -> Self {
        let (mut sites, mut starts, mut of_group) = (Vec::new(), vec![0], Vec::new());
        for group in 0..mirrors.likes.groups() {
            of_group.clear();
            of_group.extend(mirrors.likes.of(group).iter().flat_map(|&(other, _)| side.sites_of(other)));
            of_group.sort_unstable();
            of_group.dedup();
            sites.extend_from_slice(&of_group);
            starts.push(sites.len());
        }
        Self { sites, starts }
    }

    /// Ascending.
    fn of(&self, group: u32) -> &[u32] {
        let group = group as usize;
        &self.sites[self.starts[group]..self.starts[group + 1]]
    }

    /// Gives each site with those in which such a share of its pages may have a match; some several times.
    fn candidates(&self, side: &Side, share: f64, mut give: impl FnMut(u32, u32)) {
        let mut groups = Vec::new();
        for (site, &pages) in (0..).zip(side.sites()) {
            groups.clear();
            groups.extend(side.groups_of(site).map(|group| (self.of(group).len(), group)));
            groups.sort_unstable();
            // A fraction less than it takes, so that no rounding loses a pair.
            let needed = (share * pages as f64 - 1e-6).ceil().max(1.0) as u64;
            let mut left_out = 0;
            let common = groups.iter().rev().take_while(|&&(_, group)| {
                left_out += side.of(group, site).len() as u64;
                left_out < needed
            });
            let rare = groups.len() - common.count();
            groups[..rare].iter().for_each(|&(_, group)| self.of(group).iter().for_each(|&other| give(site, other)));
        }
    }

    /// How many pages of the first site of each pair have a match in the second; pairs are sorted.
    fn count(&self, side: &Side, pairs: &[(u32, u32)]) -> Vec<u64> {
        let mut counts = vec![0; pairs.len()];
        let mut start = 0;
        for pairs in pairs.chunk_by(|p, q| p.0 == q.0) {
            let (site, counts) = (pairs[0].0, &mut counts[start..start + pairs.len()]);
            for group in side.groups_of(site) {
                let (pages, reached) = (side.of(group, site).len() as u64, self.of(group));
                // Whichever are fewer are looked for among the others.
                if reached.len() < pairs.len() {
                    let found = reached.iter().filter_map(|other| pairs.binary_search_by_key(other, |pair| pair.1).ok());
                    found.for_each(|at| counts[at] += pages);
                } else {
                    let found = pairs.iter().zip(counts.iter_mut()).filter(|(pair, _)| reached.binary_search(&pair.1).is_ok());
                    found.for_each(|(_, count)| *count += pages);
                }
            }
            start += pairs.len();
        }
        counts
    }
}
