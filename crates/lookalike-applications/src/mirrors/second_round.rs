//! Pairs the pages of two sites that have no counterpart after the first round: pages whose text changed a lot.
//!
//! A page that was rewritten does not reach the threshold of a match, but it still shares some sentences with the page that it was,
//! and it is usually at the same path. Among the pages of two sites that are known to mirror each other, this is good evidence.
//! Among all pages of two collections, it would not be.

use lookalike::verify::Overlap;

use super::{
    Counterpart, Evidence,
    remaining::{COMMON, Edge, Remaining, ShingleSets},
    similar_pages::similar_pages,
};

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
/// Cost: a sort of the shingles of `b`, a search for each shingle of `a`, and a merge of two sets for each pair of pages that may
/// share enough shingles: at most [`COMMON`] pages for each shingle of a page of `a`. Memory: 16 bytes for each shingle of `b`, up to
/// 400 for each page of `a`, and 24 for each pair of pages with the same path.
///
/// # Errors
/// Fails if a set cannot be read.
pub fn second_round<S: ShingleSets>(
    a: &[Remaining],
    b: &[Remaining],
    sets: &S,
    least: f64,
) -> Result<Vec<Counterpart>, S::Error> {
    let mut round = Round {
        a,
        b,
        free_a: vec![true; a.len()],
        free_b: vec![true; b.len()],
        found: Vec::new(),
    };
    let [mut of_a, mut of_b] = [Vec::new(), Vec::new()];
    let mut same = Vec::new();
    for (i, j) in same_paths(a, b) {
        let overlap = Overlap::of(
            sets.set(a[i].page, &mut of_a)?,
            sets.set(b[j].page, &mut of_b)?,
        );
        same.push(Edge {
            i,
            j,
            resemblance: overlap.resemblance(),
        });
    }
    let (alike, others): (Vec<Edge>, Vec<Edge>) =
        same.into_iter().partition(|edge| edge.resemblance >= least);
    round.accept(alike, Evidence::Similarity);
    let free = |free: &[bool]| (0..free.len()).filter(|&at| free[at]).collect();
    let similar = similar_pages(
        [a, b],
        [free(&round.free_a), free(&round.free_b)],
        sets,
        least,
    )?;
    round.accept(similar, Evidence::Similarity);
    round.accept(others, Evidence::Path);
    let mut found = round.found;
    found.sort_unstable_by_key(|pair| pair.a);
    Ok(found)
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
                self.found.push(Counterpart {
                    a: a.page,
                    b: b.page,
                    resemblance,
                    same_path: a.path == b.path,
                    evidence,
                });
            }
        }
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
            same.extend(
                pages
                    .iter()
                    .flat_map(|p| others.iter().map(move |q| (p.1, q.1))),
            );
        }
    }
    same
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        convert::Infallible,
    };

    use proptest::prelude::*;

    use super::*;

    /// A page and its set.
    #[derive(Debug)]
    struct WithSet {
        page: u64,
        path: u64,
        set: Vec<u64>,
    }

    /// The sets of two sites. The pages of the second site are numbered from [`OF_B`].
    struct InMemory(BTreeMap<u64, Vec<u64>>);

    const OF_B: u64 = 1000;

    impl ShingleSets for InMemory {
        type Error = Infallible;

        fn set<'a>(
            &'a self,
            page: u64,
            scratch: &'a mut Vec<u64>,
        ) -> Result<&'a [u64], Infallible> {
            scratch.clone_from(&self.0[&page]);
            Ok(scratch)
        }
    }

    fn found(a: &[WithSet], b: &[WithSet], least: f64) -> Vec<Counterpart> {
        let remaining = |pages: &[WithSet], from: u64| -> Vec<Remaining> {
            pages
                .iter()
                .map(|&WithSet { page, path, .. }| Remaining {
                    page: from + page,
                    path,
                })
                .collect()
        };
        let sets = |pages: &[WithSet], from: u64| {
            pages
                .iter()
                .map(|page| (from + page.page, page.set.clone()))
                .collect::<Vec<_>>()
        };
        let all = InMemory(sets(a, 0).into_iter().chain(sets(b, OF_B)).collect());
        let Ok(mut found) = second_round(&remaining(a, 0), &remaining(b, OF_B), &all, least);
        found.iter_mut().for_each(|pair| pair.b -= OF_B);
        found
    }

    /// Compares every page with every other, step by step as documented.
    fn twin(a: &[WithSet], b: &[WithSet], least: f64) -> Vec<Counterpart> {
        let (mut of_a, mut of_b) = (BTreeSet::new(), BTreeSet::new());
        let mut found = Vec::new();
        let resemblance = |p: &WithSet, q: &WithSet| {
            let (p, q): (BTreeSet<u64>, BTreeSet<u64>) = (
                p.set.iter().copied().collect(),
                q.set.iter().copied().collect(),
            );
            let whole = p.union(&q).count();
            if whole == 0 {
                0.0
            } else {
                p.intersection(&q).count() as f64 / whole as f64
            }
        };
        let many = |pages: &[WithSet], path: u64| {
            pages.iter().filter(|page| page.path == path).count() > COMMON
        };
        for step in 1..=3 {
            let free: Vec<&WithSet> = b.iter().filter(|q| !of_b.contains(&q.page)).collect();
            let rare =
                |shingle: &u64| free.iter().filter(|q| q.set.contains(shingle)).count() <= COMMON;
            let mut pairs = Vec::new();
            for p in a {
                for q in b {
                    let resemblance = resemblance(p, q);
                    let same_path = p.path == q.path && !many(a, p.path) && !many(b, p.path);
                    let wanted = match step {
                        1 => same_path && resemblance >= least,
                        2 => {
                            resemblance >= least
                                && p.set
                                    .iter()
                                    .any(|shingle| q.set.contains(shingle) && rare(shingle))
                        }
                        _ => same_path,
                    };
                    if wanted {
                        let evidence = if step == 3 {
                            Evidence::Path
                        } else {
                            Evidence::Similarity
                        };
                        pairs.push(Counterpart {
                            a: p.page,
                            b: q.page,
                            resemblance,
                            same_path: p.path == q.path,
                            evidence,
                        });
                    }
                }
            }
            pairs.sort_by(|x, y| {
                y.resemblance
                    .total_cmp(&x.resemblance)
                    .then((x.a, x.b).cmp(&(y.a, y.b)))
            });
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

    fn pages(most: usize) -> impl Strategy<Value = Vec<WithSet>> {
        let page = (0u64..9, prop::collection::btree_set(0u64..30, 0..12));
        prop::collection::vec(page, 0..most).prop_map(|pages| {
            let page = |((path, set), page): ((u64, BTreeSet<u64>), u64)| WithSet {
                page,
                path,
                set: set.into_iter().collect(),
            };
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
            prop_assert_eq!(found(&a, &b, least), twin(&a, &b, least));
        }

        /// With this number of pages, some shingles and some paths are common.
        #[test]
        fn common_shingles_and_paths_pair_no_pages(a in pages(20), b in pages(200)) {
            prop_assert_eq!(found(&a, &b, 0.1), twin(&a, &b, 0.1));
            prop_assert_eq!(found(&b, &a, 0.1), twin(&b, &a, 0.1));
        }
    }

    #[test]
    fn each_step_has_its_pages() {
        let page = |page, path, set: &[u64]| WithSet {
            page,
            path,
            set: set.to_vec(),
        };
        let old = [
            page(0, 1, &[1, 2, 3, 4]),
            page(1, 2, &[5, 6, 7, 8]),
            page(2, 3, &[9]),
            page(3, 4, &[]),
            page(4, 5, &[20]),
        ];
        let new = [
            page(0, 1, &[3, 4, 30, 31]),
            page(1, 9, &[5, 6, 7, 32]),
            page(2, 3, &[33]),
            page(3, 4, &[]),
            page(4, 6, &[21]),
        ];
        let pairs: Vec<_> = found(&old, &new, 0.3)
            .iter()
            .map(|pair| (pair.a, pair.b, pair.same_path, pair.evidence))
            .collect();
        let (similar, path) = (Evidence::Similarity, Evidence::Path);
        assert_eq!(
            pairs,
            [
                (0, 0, true, similar),
                (1, 1, false, similar),
                (2, 2, true, path),
                (3, 3, true, path)
            ]
        );
    }
}
