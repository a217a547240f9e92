//! Which page of a site stands for which of another: one to one.

use super::{Likes, Mirrors, Page};

/// A page of a site and the one that stands for it in another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counterpart {
    /// The page of the first site.
    pub a: u64,
    /// That of the second.
    pub b: u64,
    /// |A ∩ B| / |A ∪ B|.
    pub resemblance: f64,
    /// Whether both have the same path inside their sites.
    pub same_path: bool,
}

impl Mirrors {
    /// Pairs of pages of two sites so that each page is in one pair at most, by the first one's number.
    ///
    /// Of all matches those with the same path come first, then the more alike, then those of the earlier pages; going down that
    /// order, a pair stands when both of its pages are free. So no two pages that match are left over, and of no pair that was left
    /// out would both pages have been better off.
    ///
    /// Cost: a sort of the sites' pages and of the pairs of groups that match; a group's pages are never put against each other.
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
            let (before, behind) = others.split_at(others.partition_point(|page| page.path < path));
            let (same, behind) = behind.split_at(behind.partition_point(|page| page.path == path));
            rest_b.extend_from_slice(before);
            others = behind;
            pair_up(&self.likes, pages, same, true, &mut found, (&mut rest_a, &mut rest_b));
        }
        rest_b.extend_from_slice(others);
        rest_a.sort_unstable();
        rest_b.sort_unstable();
        pair_up(&self.likes, &rest_a, &rest_b, false, &mut found, (&mut Vec::new(), &mut Vec::new()));
        found.sort_unstable_by_key(|pair| pair.a);
        found
    }

    /// The pages of each of two sites that have a match in the other, by number.
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

    /// Gives every pair of matching pages of two sites: by the first one's group and number, then the second one's.
    ///
    /// # Errors
    /// Those of `give`, which end it.
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

/// Pairs pages, both by group and number, the more alike first, then the earlier; those that are left over go to the rests.
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
    // (resemblance, run of a, run of b)
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
    let mut asking: Vec<(u64, usize, usize)> = Vec::new();
    for alike in edges.chunk_by(|p, q| p.0.total_cmp(&q.0).is_eq()) {
        asking.clear();
        let mut start = 0;
        for edges in alike.chunk_by(|p, q| p.1 == q.1) {
            let free = runs_a[edges[0].1].1.clone().filter(|&at| free_a[at]);
            asking.extend(free.map(|at| (of_a[at].page, at, start)));
            start += edges.len();
        }
        asking.sort_unstable();
        for &(page, at, start) in &asking {
            let run = alike[start].1;
            let others = alike[start..].iter().take_while(|edge| edge.1 == run).map(|edge| edge.2);
            // A run's first pages go first, so what is free of it is its rest.
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
