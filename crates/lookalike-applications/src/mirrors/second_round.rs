//! Pairs the pages of two sites that have no counterpart after the first round: pages whose text changed a lot.
//!
//! A page that was rewritten does not reach the threshold of a match, but it still shares some sentences with the page that it was,
//! and it is usually at the same path. Among the pages of two sites that are known to mirror each other, this is good evidence.
//! Among all pages of two collections, it would not be.

use std::cmp::Ordering;

use lookalike::verify::{Measure, Overlap};

use super::{Counterpart, Evidence};

/// A page that has no counterpart yet.
#[derive(Debug, Clone)]
pub struct Remaining {
    /// The page's identifier, unique in its collection.
    pub page: u64,
    /// A hash of the path inside the site.
    pub path: u64,
    /// The page's shingles, sorted; empty if the page has no text.
    pub set: Vec<u64>,
}

/// A shingle that occurs on more remaining pages than this is part of a template, and a path that more remaining pages have than
/// this identifies no page. Without this limit, the pages of a template would all be compared with each other.
pub const COMMON: usize = 64;

/// Returns pairs of pages of two sites, sorted by the number of the first page. Each page is in at most one pair. `a` and `b` are
/// the remaining pages of the two sites, sorted by number.
///
/// Pairs are accepted in this order, if both pages are free:
///
/// 1. pages with the same path and a resemblance of at least `least`
/// 2. other pages with a resemblance of at least `least` that share a shingle that occurs on at most [`COMMON`] of the pages of
///    `b` that were free after step 1
/// 3. pages with the same path, whatever their resemblance ([`Evidence::Path`])
///
/// Within each step, pairs with a higher resemblance come first, then pairs of earlier pages. Paths that more than [`COMMON`] of
/// the pages of `a` or of `b` have are not used.
///
/// Cost: a sort of the shingles of `b`, a search for each shingle of `a`, and a merge of two sets for each pair of pages that
/// share enough shingles. Memory: 16 bytes for each shingle of `b`, and 24 for each pair with a resemblance of at least `least`.
pub fn second_round(a: &[Remaining], b: &[Remaining], least: f64) -> Vec<Counterpart> {
    let mut round = Round { a, b, free_a: vec![true; a.len()], free_b: vec![true; b.len()], found: Vec::new() };
    let same = same_paths(a, b);
    let figures = |&(i, j): &(usize, usize)| Edge { i, j, resemblance: Overlap::of(&a[i].set, &b[j].set).resemblance() };
    let same: Vec<Edge> = same.iter().map(figures).collect();
    let (alike, others): (Vec<Edge>, Vec<Edge>) = same.into_iter().partition(|edge| edge.resemblance >= least);
    round.accept(alike, Evidence::Similarity);
    let similar = round.similar(least);
    round.accept(similar, Evidence::Similarity);
    round.accept(others, Evidence::Path);
    let mut found = round.found;
    found.sort_unstable_by_key(|pair| pair.a);
    found
}

/// Two pages by their positions in `a` and `b`.
struct Edge {
    i: usize,
    j: usize,
    resemblance: f64,
}

impl Edge {
    fn order(&self, other: &Self) -> Ordering {
        other.resemblance.total_cmp(&self.resemblance).then((self.i, self.j).cmp(&(other.i, other.j)))
    }
}

struct Round<'a> {
    a: &'a [Remaining],
    b: &'a [Remaining],
    free_a: Vec<bool>,
    free_b: Vec<bool>,
    found: Vec<Counterpart>,
}

impl Round<'_> {
    fn accept(&mut self, mut edges: Vec<Edge>, evidence: Evidence) {
        edges.sort_unstable_by(Edge::order);
        for Edge { i, j, resemblance } in edges {
            if self.free_a[i] && self.free_b[j] {
                (self.free_a[i], self.free_b[j]) = (false, false);
                let (a, b) = (&self.a[i], &self.b[j]);
                self.found.push(Counterpart { a: a.page, b: b.page, resemblance, same_path: a.path == b.path, evidence });
            }
        }
    }

    /// Returns the free pages that have a resemblance of at least `least` and share a shingle that is not common.
    fn similar(&self, least: f64) -> Vec<Edge> {
        let free = (0..self.b.len()).filter(|&j| self.free_b[j]);
        let mut postings: Vec<(u64, usize)> = free.flat_map(|j| self.b[j].set.iter().map(move |&shingle| (shingle, j))).collect();
        postings.sort_unstable();
        let (mut shared, mut met, mut edges) = (vec![0u64; self.b.len()], Vec::new(), Vec::new());
        for (i, a) in self.a.iter().enumerate().filter(|(i, _)| self.free_a[*i]) {
            let (mut common, mut rest) = (0, postings.as_slice());
            for &shingle in &a.set {
                rest = &rest[rest.partition_point(|posting| posting.0 < shingle)..];
                // One more than the limit shows that a shingle is common.
                let pages = rest.iter().take(COMMON + 1).take_while(|posting| posting.0 == shingle);
                let pages = &rest[..pages.count()];
                if pages.len() > COMMON {
                    common += 1;
                    continue;
                }
                for &(_, j) in pages {
                    if shared[j] == 0 {
                        met.push(j);
                    }
                    shared[j] += 1;
                }
            }
            for j in met.drain(..) {
                let (set, most) = (&self.b[j].set, std::mem::take(&mut shared[j]) + common);
                let needed = Measure::Resemblance.needed(a.set.len() as u64, set.len() as u64, least);
                if needed.is_some_and(|needed| needed <= most)
                    && let Some(overlap) = Measure::Resemblance.at_least(&a.set, set, least)
                {
                    edges.push(Edge { i, j, resemblance: overlap.resemblance() });
                }
            }
        }
        edges
    }
}

/// Returns the positions of pages with the same path, unless too many pages have this path.
fn same_paths(a: &[Remaining], b: &[Remaining]) -> Vec<(usize, usize)> {
    let by_path = |pages: &[Remaining]| {
        let mut rows: Vec<(u64, usize)> = pages.iter().map(|page| page.path).zip(0..).collect();
        rows.sort_unstable();
        rows
    };
    let (of_a, of_b) = (by_path(a), by_path(b));
    let (mut same, mut rest) = (Vec::new(), of_b.as_slice());
    for pages in of_a.chunk_by(|p, q| p.0 == q.0) {
        rest = &rest[rest.partition_point(|row| row.0 < pages[0].0)..];
        let others = &rest[..rest.partition_point(|row| row.0 == pages[0].0)];
        if pages.len() <= COMMON && others.len() <= COMMON {
            same.extend(pages.iter().flat_map(|p| others.iter().map(move |q| (p.1, q.1))));
        }
    }
    same
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Compares every page with every other, step by step as documented.
    fn twin(a: &[Remaining], b: &[Remaining], least: f64) -> Vec<Counterpart> {
        let (mut of_a, mut of_b) = (BTreeSet::new(), BTreeSet::new());
        let mut found = Vec::new();
        let resemblance = |p: &Remaining, q: &Remaining| {
            let (p, q): (BTreeSet<u64>, BTreeSet<u64>) = (p.set.iter().copied().collect(), q.set.iter().copied().collect());
            let whole = p.union(&q).count();
            if whole == 0 { 0.0 } else { p.intersection(&q).count() as f64 / whole as f64 }
        };
        let many = |pages: &[Remaining], path: u64| pages.iter().filter(|page| page.path == path).count() > COMMON;
        for step in 1..=3 {
            let free: Vec<&Remaining> = b.iter().filter(|q| !of_b.contains(&q.page)).collect();
            let rare = |shingle: &u64| free.iter().filter(|q| q.set.contains(shingle)).count() <= COMMON;
            let mut pairs = Vec::new();
            for p in a {
                for q in b {
                    let resemblance = resemblance(p, q);
                    let same_path = p.path == q.path && !many(a, p.path) && !many(b, p.path);
                    let wanted = match step {
                        1 => same_path && resemblance >= least,
                        2 => resemblance >= least && p.set.iter().any(|shingle| q.set.contains(shingle) && rare(shingle)),
                        _ => same_path,
                    };
                    if wanted {
                        let evidence = if step == 3 { Evidence::Path } else { Evidence::Similarity };
                        pairs.push(Counterpart { a: p.page, b: q.page, resemblance, same_path: p.path == q.path, evidence });
                    }
                }
            }
            pairs.sort_by(|x, y| y.resemblance.total_cmp(&x.resemblance).then((x.a, x.b).cmp(&(y.a, y.b))));
            for pair in pairs {
                if !of_a.contains(&pair.a) && !of_b.contains(&pair.b) {
                    of_a.insert(pair.a);
                    of_b.insert(pair.b);
                    found.push(pair);
                }
            }
        }
        found.sort_by_key(|pair| pair.a);
        found
    }

    fn pages(most: usize) -> impl Strategy<Value = Vec<Remaining>> {
        let page = (0u64..9, prop::collection::btree_set(0u64..30, 0..12));
        prop::collection::vec(page, 0..most).prop_map(|pages| {
            let page =
                |((path, set), page): ((u64, BTreeSet<u64>), u64)| Remaining { page, path, set: set.into_iter().collect() };
            pages.into_iter().zip(10..).map(page).collect()
        })
    }

    proptest! {
        #[test]
        fn the_second_round_is_a_greedy_choice_among_all_pairs(
            a in pages(20),
            b in pages(20),
            least in prop::sample::select(vec![0.05, 0.2, 0.3, 0.5, 1.0]),
        ) {
            prop_assert_eq!(second_round(&a, &b, least), twin(&a, &b, least));
        }

        /// With this number of pages, some shingles and some paths are common.
        #[test]
        fn common_shingles_and_paths_pair_no_pages(a in pages(20), b in pages(200)) {
            prop_assert_eq!(second_round(&a, &b, 0.1), twin(&a, &b, 0.1));
            prop_assert_eq!(second_round(&b, &a, 0.1), twin(&b, &a, 0.1));
        }
    }

    #[test]
    fn each_step_has_its_pages() {
        let page = |page, path, set: &[u64]| Remaining { page, path, set: set.to_vec() };
        let old = [page(0, 1, &[1, 2, 3, 4]), page(1, 2, &[5, 6, 7, 8]), page(2, 3, &[9]), page(3, 4, &[]), page(4, 5, &[20])];
        let new =
            [page(0, 1, &[3, 4, 30, 31]), page(1, 9, &[5, 6, 7, 32]), page(2, 3, &[33]), page(3, 4, &[]), page(4, 6, &[21])];
        let found: Vec<_> =
            second_round(&old, &new, 0.3).iter().map(|pair| (pair.a, pair.b, pair.same_path, pair.evidence)).collect();
        let (similar, path) = (Evidence::Similarity, Evidence::Path);
        assert_eq!(found, [(0, 0, true, similar), (1, 1, false, similar), (2, 2, true, path), (3, 3, true, path)]);
    }
}
