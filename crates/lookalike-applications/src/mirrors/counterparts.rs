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
}

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
        let [mut of_a, mut of_b] = self.alike_pages(a, b);
        let mut found = Vec::new();
        let by_path = |page: &Page| (page.path, page.group, page.page);
        of_a.sort_unstable_by_key(by_path);
        of_b.sort_unstable_by_key(by_path);
        let (mut rest_a, mut rest_b) = (Vec::new(), Vec::new());
        let mut others = of_b.as_slice();
        for pages in of_a.chunk_by(|p, q| p.path == q.path) {
            let path = pages[0].path;
            let (before, after) = others.split_at(others.partition_point(|page| page.path < path));
            let (same, after) = after.split_at(after.partition_point(|page| page.path == path));
            rest_b.extend_from_slice(before);
            others = after;
            pair_up(&self.likes, pages, same, true, &mut found, (&mut rest_a, &mut rest_b));
        }
        rest_b.extend_from_slice(others);
        rest_a.sort_unstable();
        rest_b.sort_unstable();
        pair_up(&self.likes, &rest_a, &rest_b, false, &mut found, (&mut Vec::new(), &mut Vec::new()));
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
            let matching = self.likes.of(group).iter().map(|row| row.0).filter(|&other| !self.b().of(other, b).is_empty());
            let before = groups.len();
            groups.extend(matching);
            if groups.len() > before {
                of_a.extend_from_slice(self.a().of(group, a));
            }
        }
        groups.sort_unstable();
        groups.dedup();
        groups.iter().for_each(|&group| of_b.extend_from_slice(self.b().of(group, b)));
        [of_a, of_b]
    }

    /// Passes every pair of matching pages of two sites to `give`. The pairs are ordered by the group and number of the first
    /// page, then by the group and number of the second page.
    ///
    /// # Errors
    /// Returns the first error of `give` and stops.
    pub fn each_match<E>(&self, a: u32, b: u32, mut give: impl FnMut(Counterpart) -> Result<(), E>) -> Result<(), E> {
        for group in self.a().groups_of(a) {
            for first in self.a().of(group, a) {
                for &(other, resemblance) in self.likes.of(group) {
                    for second in self.b().of(other, b) {
                        let same_path = first.path == second.path;
                        give(Counterpart { a: first.page, b: second.page, resemblance, same_path })?;
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
    same_path: bool,
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
                Some((resemblance, at, runs_b.binary_search_by_key(&other, |run| run.0).ok()?))
            }));
        } else {
            let between = runs_b.iter().zip(0..).map(|(run, of_b)| (likes.between(*group, run.0), of_b));
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
            let others = alike[start..].iter().take_while(|edge| edge.1 == run).map(|edge| edge.2);
            // Pages are taken from the front of a run, so the pages that are left in a run's range are its free pages.
            let first = others.filter(|&other| !runs_b[other].1.is_empty()).min_by_key(|&other| of_b[runs_b[other].1.start].page);
            let Some(other) = first else { continue };
            let free = &mut runs_b[other].1;
            found.push(Counterpart { a: page, b: of_b[free.start].page, resemblance: alike[0].0, same_path });
            free_a[at] = false;
            free.start += 1;
        }
    }
    rest_a.extend(of_a.iter().zip(free_a).filter(|(_, free)| *free).map(|(page, _)| *page));
    rest_b.extend(runs_b.into_iter().flat_map(|(_, free)| &of_b[free]));
}
