//! Pairs similar pages of two sites one to one, the most similar ones first, in memory that does not depend on the number of similar
//! pairs.
//!
//! The pairs of two sites that have the same template can be so many that they do not fit into memory. But accepting pairs from the
//! most similar one down gives the only stable matching, because both pages of a pair rank it by the same similarity. So deferred
//! acceptance (Gale and Shapley 1962) finds the same pairs in any order of the pages: each page of `a` is offered to the most similar
//! page of `b` that would accept it, and again to the next one if a more similar page takes its place. A page of `a` holds only the best
//! of its pairs, and searches for others when these are used up.

use lookalike::verify::Measure;

use super::remaining::{COMMON, Edge, Remaining, ShingleSets};

/// The number of pairs that a page of `a` holds. In tests, pages with few pairs search again too.
const HELD: usize = if cfg!(test) { 2 } else { 16 };

/// Returns the pairs that are accepted of the free pages of two sites: pages with a resemblance of at least `least` that share a
/// shingle that occurs on at most [`COMMON`] of the free pages of `b`.
pub(super) fn similar_pages<S: ShingleSets>(
    pages: [&[Remaining]; 2],
    free: [Vec<usize>; 2],
    sets: &S,
    least: f64,
) -> Result<Vec<Edge>, S::Error> {
    let mut search = Search::new(pages, &free[1], sets, least)?;
    // The best pairs of each page that may still be offered, the best one last.
    let mut best: Vec<Vec<Edge>> = vec![Vec::new(); pages[0].len()];
    let mut has_more = vec![true; pages[0].len()];
    let mut unpaired: Vec<usize> = free[0].iter().rev().copied().collect();
    while let Some(i) = unpaired.pop() {
        let edge = loop {
            match best[i].pop() {
                Some(edge) if search.accepts(&edge) => break Some(edge),
                Some(_) => {}
                None if has_more[i] => (best[i], has_more[i]) = search.best(i)?,
                None => break None,
            }
        };
        if let Some(edge) = edge
            && let Some(other) = search.accepted[edge.j].replace(edge)
        {
            unpaired.push(other.i);
        }
    }
    Ok(search.accepted.into_iter().flatten().collect())
}

struct Search<'a, S> {
    pages: [&'a [Remaining]; 2],
    sets: &'a S,
    least: f64,
    /// The shingles of the free pages of `b`, sorted.
    postings: Vec<(u64, usize)>,
    /// The number of shingles of each page of `b`.
    sizes: Vec<usize>,
    /// The best pair of each page of `b` so far.
    accepted: Vec<Option<Edge>>,
    /// Scratch buffers: the number of rare shingles that each page of `b` shares, and the pages that share one.
    shared: Vec<usize>,
    sharing: Vec<usize>,
    scratch: [Vec<u64>; 2],
}

impl<'a, S: ShingleSets> Search<'a, S> {
    fn new(
        pages: [&'a [Remaining]; 2],
        free_b: &[usize],
        sets: &'a S,
        least: f64,
    ) -> Result<Self, S::Error> {
        let (mut postings, mut sizes, mut scratch) =
            (Vec::new(), vec![0; pages[1].len()], Vec::new());
        for &j in free_b {
            let set = sets.set(pages[1][j].page, &mut scratch)?;
            sizes[j] = set.len();
            postings.extend(set.iter().map(|&shingle| (shingle, j)));
        }
        postings.sort_unstable();
        let (shared, accepted) = (vec![0; pages[1].len()], vec![None; pages[1].len()]);
        Ok(Self {
            pages,
            sets,
            least,
            postings,
            sizes,
            accepted,
            shared,
            sharing: Vec::new(),
            scratch: Default::default(),
        })
    }

    /// Returns whether a page of `b` prefers this pair to the one that it has. What it does not accept now, it never accepts later.
    fn accepts(&self, edge: &Edge) -> bool {
        self.accepted[edge.j].is_none_or(|other| edge.order(&other).is_lt())
    }

    /// Returns the best pairs of a page of `a` that would be accepted now, the best one last, and whether there are more.
    fn best(&mut self, i: usize) -> Result<(Vec<Edge>, bool), S::Error> {
        let [mut of_a, mut of_b] = std::mem::take(&mut self.scratch);
        let a = self.sets.set(self.pages[0][i].page, &mut of_a)?;
        let common = self.count_shared(a);
        let mut sharing = std::mem::take(&mut self.sharing);
        let mut edges = Vec::new();
        for j in sharing.drain(..) {
            let most = std::mem::take(&mut self.shared[j]) + common;
            let needed =
                Measure::Resemblance.needed(a.len() as u64, self.sizes[j] as u64, self.least);
            // No more than this, so that pages which are already in a better pair need not be compared.
            let resemblance =
                most as f64 / (a.len() + self.sizes[j]).saturating_sub(most).max(1) as f64;
            if needed.is_some_and(|needed| needed <= most as u64)
                && self.accepts(&Edge { i, j, resemblance })
                && let b = self.sets.set(self.pages[1][j].page, &mut of_b)?
                && let Some(overlap) = Measure::Resemblance.at_least(a, b, self.least)
            {
                edges.push(Edge {
                    i,
                    j,
                    resemblance: overlap.resemblance(),
                });
            }
        }
        edges.retain(|edge| self.accepts(edge));
        edges.sort_unstable_by(Edge::order);
        let has_more = edges.len() > HELD;
        edges.truncate(HELD);
        edges.shrink_to_fit();
        edges.reverse();
        (self.sharing, self.scratch) = (sharing, [of_a, of_b]);
        Ok((edges, has_more))
    }

    /// Counts the shingles that the pages of `b` share with a set, except common ones, and returns the number of common ones.
    fn count_shared(&mut self, set: &[u64]) -> usize {
        let (mut common, mut rest) = (0, self.postings.as_slice());
        for &shingle in set {
            rest = &rest[rest.partition_point(|posting| posting.0 < shingle)..];
            // One more than the limit shows that a shingle is common.
            let pages = rest
                .iter()
                .take(COMMON + 1)
                .take_while(|posting| posting.0 == shingle);
            let pages = &rest[..pages.count()];
            if pages.len() > COMMON {
                common += 1;
                continue;
            }
            for &(_, j) in pages {
                if self.shared[j] == 0 {
                    self.sharing.push(j);
                }
                self.shared[j] += 1;
            }
        }
        common
    }
}
