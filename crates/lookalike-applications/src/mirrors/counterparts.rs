//! Matches the pages of one site with those of another, one to one.

use super::{Likes, Mirrors, Page};

/// A page of a site and its counterpart in another site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counterpart {
    /// The page of the first site.
    pub a: u64,
    /// The page of the second site.
    pub b: u64,
    /// The resemblance, |A ∩ B| / |A ∪ B|.
    pub resemblance: f64,
    /// Whether both pages have the same path inside their sites.
    pub same_path: bool,
    /// Why the pages are paired.
    pub evidence: Evidence,
}

/// Why two pages are counterparts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// They match: their resemblance reaches the threshold, or they are equal.
    Match,
    /// Second round: neither has another counterpart, and their resemblance reaches a lower threshold.
    Similarity,
    /// Second round: neither has another counterpart, and they have the same path, although their texts differ.
    Path,
}

/// Returns what the pages of a pair must have in common in a stage.
type Key = fn(&Page) -> (u64, u64);

impl Mirrors {
    /// Returns pairs of pages of two sites, sorted by the number of the first page. Each page is in at most one pair.
    ///
    /// Matches of pages with the same path come first, then matches with a higher resemblance, then matches of earlier pages. In
    /// that order, a pair is accepted if both of its pages are free. So if two pages match, at least one of them has a
    /// counterpart. If a pair is rejected, at least one of its pages is in an accepted pair that comes earlier in this order.
    ///
    /// Cost: a sort of the sites' pages and of the pairs of groups that match. The pages of a group are never compared with each
    /// other.
    pub fn counterparts(&self, a: u32, b: u32) -> Vec<Counterpart> {
        let [of_a, of_b] = self.alike_pages(a, b);
        self.in_stages(of_a, of_b, &[|page| (page.path, 0), |_| (0, 0)])
    }

    /// Returns pairs of pages of the two collections, whatever their sites, sorted by the number of the first page. Each page is
    /// in at most one pair. This shows where a page of one crawl is in the next crawl, if the sites of both collections are
    /// numbered alike: equal numbers mean the same site.
    ///
    /// Matches with the same site and path come first, then matches on the same site, then matches with the same path, then all
    /// others. Within each of these, matches with a higher resemblance come first, then matches of earlier pages. In that order,
    /// a pair is accepted if both of its pages are free. So if two pages match, at least one of them is in a pair.
    ///
    /// Cost: a few sorts of the pages and of the pairs of groups that match.
    pub fn successors(&self) -> Vec<Counterpart> {
        let (of_a, of_b) = (self.a().pages().to_vec(), self.b().pages().to_vec());
        self.in_stages(
            of_a,
            of_b,
            &[
                |page| (page.path, u64::from(page.site)),
                |page| (0, u64::from(page.site)),
                |page| (page.path, 0),
                |_| (0, 0),
            ],
        )
    }

    /// Pairs pages in stages. In each stage, only pages with the same key are paired.
    fn in_stages(&self, of_a: Vec<Page>, of_b: Vec<Page>, stages: &[Key]) -> Vec<Counterpart> {
        let (mut free_a, mut free_b, mut found) = (of_a, of_b, Vec::new());
        for key in stages {
            let sorted = |mut pages: Vec<Page>| {
                pages.sort_unstable_by_key(|page| (key(page), page.group, page.page));
                pages
            };
            let (of_a, of_b) = (sorted(free_a), sorted(free_b));
            (free_a, free_b) = (Vec::new(), Vec::new());
            let mut others = of_b.as_slice();
            for pages in of_a.chunk_by(|p, q| key(p) == key(q)) {
                let own = key(&pages[0]);
                let (before, after) =
                    others.split_at(others.partition_point(|page| key(page) < own));
                let (same, after) = after.split_at(after.partition_point(|page| key(page) == own));
                free_b.extend_from_slice(before);
                others = after;
                pair_up(
                    &self.likes,
                    pages,
                    same,
                    &mut found,
                    (&mut free_a, &mut free_b),
                );
            }
            free_b.extend_from_slice(others);
        }
        found.sort_unstable_by_key(|pair| pair.a);
        found
    }

    /// Returns, for each of the two sites, the sorted numbers of its pages that have a match in the other site.
    pub fn alike(&self, a: u32, b: u32) -> [Vec<u64>; 2] {
        self.alike_pages(a, b).map(|pages| {
            let mut pages: Vec<u64> = pages.iter().map(|page| page.page).collect();
            pages.sort_unstable();
            pages
        })
    }

    fn alike_pages(&self, a: u32, b: u32) -> [Vec<Page>; 2] {
        let (mut of_a, mut of_b): (Vec<Page>, Vec<Page>) = (Vec::new(), Vec::new());
        let mut groups = Vec::new();
        for group in self.a().groups_of(a) {
            let matching = self
                .likes
                .of(group)
                .iter()
                .map(|row| row.0)
                .filter(|&other| !self.b().of(other, b).is_empty());
            let before = groups.len();
            groups.extend(matching);
            if groups.len() > before {
                of_a.extend_from_slice(self.a().of(group, a));
            }
        }
        groups.sort_unstable();
        groups.dedup();
        groups
            .iter()
            .for_each(|&group| of_b.extend_from_slice(self.b().of(group, b)));
        [of_a, of_b]
    }

    /// Passes every pair of matching pages of two sites to `give`. The pairs are ordered by the group and number of the first
    /// page, then by the group and number of the second page.
    ///
    /// # Errors
    /// Returns the first error of `give` and stops.
    pub fn each_match<E>(
        &self,
        a: u32,
        b: u32,
        mut give: impl FnMut(Counterpart) -> Result<(), E>,
    ) -> Result<(), E> {
        for group in self.a().groups_of(a) {
            for first in self.a().of(group, a) {
                for &(other, resemblance) in self.likes.of(group) {
                    for second in self.b().of(other, b) {
                        let same_path = first.path == second.path;
                        let evidence = Evidence::Match;
                        give(Counterpart {
                            a: first.page,
                            b: second.page,
                            resemblance,
                            same_path,
                            evidence,
                        })?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Forms pairs of pages. The pages must be sorted by group and number. More similar pages are paired first, and among equally
/// similar pages the earlier ones. Pages without a partner are added to `rest_a` and `rest_b`.
fn pair_up(
    likes: &Likes,
    of_a: &[Page],
    of_b: &[Page],
    found: &mut Vec<Counterpart>,
    (rest_a, rest_b): (&mut Vec<Page>, &mut Vec<Page>),
) {
    let runs = |pages: &[Page]| -> Vec<(u32, std::ops::Range<usize>)> {
        let chunks = pages.chunk_by(|p, q| p.group == q.group);
        let run = |start: &mut usize, run: &[Page]| {
            let from = std::mem::replace(start, *start + run.len());
            Some((run[0].group, from..*start))
        };
        chunks.scan(0, run).collect()
    };
    let (runs_a, mut runs_b) = (runs(of_a), runs(of_b));
    // Each edge is (resemblance, run of `a`, run of `b`); a run consists of consecutive pages of one group.
    let mut edges: Vec<(f64, usize, usize)> = Vec::new();
    for (at, (group, _)) in runs_a.iter().enumerate() {
        let rows = likes.of(*group);
        if rows.len() < runs_b.len() {
            edges.extend(rows.iter().filter_map(|&(other, resemblance)| {
                Some((
                    resemblance,
                    at,
                    runs_b.binary_search_by_key(&other, |run| run.0).ok()?,
                ))
            }));
        } else {
            let between = runs_b
                .iter()
                .zip(0..)
                .map(|(run, of_b)| (likes.between(*group, run.0), of_b));
            edges.extend(between.filter_map(|(resemblance, of_b)| Some((resemblance?, at, of_b))));
        }
    }
    edges.sort_unstable_by(|p, q| q.0.total_cmp(&p.0).then((p.1, p.2).cmp(&(q.1, q.2))));
    let mut free_a = vec![true; of_a.len()];
    let mut free_pages: Vec<(u64, usize, usize)> = Vec::new();
    for alike in edges.chunk_by(|p, q| p.0.total_cmp(&q.0).is_eq()) {
        free_pages.clear();
        let mut start = 0;
        for edges in alike.chunk_by(|p, q| p.1 == q.1) {
            let free = runs_a[edges[0].1].1.clone().filter(|&at| free_a[at]);
            free_pages.extend(free.map(|at| (of_a[at].page, at, start)));
            start += edges.len();
        }
        free_pages.sort_unstable();
        for &(page, at, start) in &free_pages {
            let run = alike[start].1;
            let others = alike[start..]
                .iter()
                .take_while(|edge| edge.1 == run)
                .map(|edge| edge.2);
            // Pages are taken from the front of a run, so the pages that are left in a run's range are its free pages.
            let first = others
                .filter(|&other| !runs_b[other].1.is_empty())
                .min_by_key(|&other| of_b[runs_b[other].1.start].page);
            let Some(other) = first else { continue };
            let free = &mut runs_b[other].1;
            let (resemblance, same_path) = (alike[0].0, of_a[at].path == of_b[free.start].path);
            found.push(Counterpart {
                a: page,
                b: of_b[free.start].page,
                resemblance,
                same_path,
                evidence: Evidence::Match,
            });
            free_a[at] = false;
            free.start += 1;
        }
    }
    rest_a.extend(
        of_a.iter()
            .zip(free_a)
            .filter(|(_, free)| *free)
            .map(|(page, _)| *page),
    );
    rest_b.extend(runs_b.into_iter().flat_map(|(_, free)| &of_b[free]));
}
