//! Compares prints by their triangles: finds the prints that share triangles with a print, without comparing all pairs.

use super::{index::Index, ranking::Ranked, triangles::Triangles, turn::Minutia};

/// How prints are compared by triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// How minutiae are turned into triangles.
    pub triangles: Triangles,
    /// A triangle that more prints have finds no print, and does not count in scores. Without a limit (`usize::MAX`), the time grows
    /// with the square of the number of prints, because prints have more triangles in common by chance.
    pub common: usize,
}

impl Default for Neighbours {
    fn default() -> Self {
        Self {
            triangles: Triangles::default(),
            common: usize::MAX,
        }
    }
}

/// Prints with an index of their triangles.
#[derive(Debug)]
pub struct Near {
    index: Index,
    /// The total weight of each print's triangles.
    weights: Vec<f64>,
    common: usize,
}

/// Buffers of a search, which can be used for all searches of a thread.
#[derive(Debug, Default)]
pub struct NearScratch {
    shared: Vec<f64>,
    met: Vec<u32>,
}

impl Near {
    /// Computes the triangles of all prints. Takes about 150 kB for a print of 40 minutiae.
    pub fn new(prints: &[Vec<Minutia>], by: &Neighbours) -> Self {
        Self::of_sets(
            prints.iter().map(|print| by.triangles.set(print)).collect(),
            by.common,
        )
    }

    /// Like [`new`](Self::new), for sets of triangles that the caller has computed, for example on several threads. They take most of the
    /// time.
    pub fn of_sets(sets: Vec<Vec<u64>>, common: usize) -> Self {
        let prints = sets.len() as u32;
        let index = Index::new(sets);
        let counted = |print: u32| index.having(print).filter(|having| having.len() <= common);
        let weights = (0..prints)
            .map(|print| counted(print).map(weight).sum())
            .collect();
        Self {
            index,
            weights,
            common,
        }
    }

    /// Returns the prints before `b` that share a triangle with it, in ascending order. The score is the total weight of the
    /// triangles that both prints have, divided by the geometric mean of both prints' total weights. The weight of a triangle that n
    /// prints have is 1 / n².
    ///
    /// Cost: one step for each triangle of `b` and each print that has it, if the triangle is not too common. We rejected a search for
    /// only the best pairs, in which rare triangles find candidates and bounds reject most of them (a prefix filter, as in Bayardo, Ma,
    /// Srikant 2007). Among 1,000 prints, it must still read 37 % of the 76,000 entries of a print to find the best 1 % of all pairs,
    /// and sorting the triangles of a print takes longer than reading all entries: twice the time in all, also with 4,000 prints.
    pub fn before(&self, b: u32, scratch: &mut NearScratch) -> Vec<Ranked> {
        let mut found = self.sharing(b, |having| having.iter().take_while(|&&a| a < b), scratch);
        found.sort_unstable_by_key(|pair| pair.a);
        found
    }

    /// Returns the prints that share most with `b`, before or after it, the highest score first; at most `most` of them. Among equal
    /// scores, earlier prints come first. In each pair, `b` is this print.
    pub fn nearest(&self, b: u32, most: usize, scratch: &mut NearScratch) -> Vec<Ranked> {
        let mut found = self.sharing(b, |having| having.iter().filter(|&&a| a != b), scratch);
        let order = |p: &Ranked, q: &Ranked| q.score.total_cmp(&p.score).then(p.a.cmp(&q.a));
        if found.len() > most {
            found.select_nth_unstable_by(most, order);
            found.truncate(most);
        }
        found.sort_unstable_by(order);
        found
    }

    fn sharing<'a, I: Iterator<Item = &'a u32>>(
        &'a self,
        b: u32,
        others: impl Fn(&'a [u32]) -> I,
        scratch: &mut NearScratch,
    ) -> Vec<Ranked> {
        let NearScratch { shared, met } = scratch;
        shared.resize(self.weights.len().max(shared.len()), 0.0);
        for having in self
            .index
            .having(b)
            .filter(|having| having.len() <= self.common)
        {
            let weight = weight(having);
            for &a in others(having) {
                if shared[a as usize] == 0.0 {
                    met.push(a);
                }
                shared[a as usize] += weight;
            }
        }
        let whole = |a: u32| (self.weights[a as usize] * self.weights[b as usize]).sqrt();
        met.drain(..)
            .map(|a| Ranked {
                a,
                b,
                score: std::mem::take(&mut shared[a as usize]) / whole(a),
            })
            .collect()
    }
}

/// Returns the weight of a triangle that the given prints have. The weight is 1 / n² for n prints. We rejected 1 / n: the best
/// tenth of the pairs then contains 786 of the genuine pairs in the FVC databases instead of 826. We also rejected the logarithm
/// of the share of prints: the best tenth then contains about as many genuine pairs as with 1 / n.
fn weight(having: &[u32]) -> f64 {
    let prints = having.len() as f64;
    1.0 / (prints * prints)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn prints() -> impl Strategy<Value = Vec<Vec<Minutia>>> {
        // The prints are parts of one pattern, so they share triangles.
        let minutia =
            (0i32..200, 0i32..200, any::<u8>()).prop_map(|(x, y, angle)| Minutia { x, y, angle });
        let parts = prop::collection::vec((0usize..12, 3usize..12), 0..9);
        (prop::collection::vec(minutia, 24), parts).prop_map(|(pattern, parts)| {
            parts
                .into_iter()
                .map(|(start, count)| pattern[start..start + count].to_vec())
                .collect()
        })
    }

    /// Computes the score of two prints from their sets, as documented.
    fn twin(sets: &[Vec<u64>], common: usize, a: usize, b: usize) -> f64 {
        let prints = |element: &u64| sets.iter().filter(|set| set.contains(element)).count();
        let weight = |element: &u64| {
            if prints(element) <= common {
                (prints(element) as f64).powi(-2)
            } else {
                0.0
            }
        };
        let whole = |at: usize| sets[at].iter().map(weight).sum::<f64>();
        let shared: f64 = sets[b]
            .iter()
            .filter(|element| sets[a].contains(element))
            .map(weight)
            .sum();
        if shared == 0.0 {
            0.0
        } else {
            shared / (whole(a) * whole(b)).sqrt()
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(48)))]

        #[test]
        fn scores_match_the_definition(
            prints in prints(), common in prop::sample::select(vec![1, 2, 4, usize::MAX]), most in 0usize..9
        ) {
            let by = Neighbours { common, ..Neighbours::default() };
            let sets: Vec<Vec<u64>> = prints.iter().map(|print| by.triangles.set(print)).collect();
            let (near, mut scratch) = (Near::new(&prints, &by), NearScratch::default());
            for b in 0..prints.len() {
                let scores: Vec<f64> = (0..prints.len()).map(|a| if a == b { 0.0 } else { twin(&sets, common, a, b) }).collect();
                let before = near.before(b as u32, &mut scratch);
                let expected: Vec<u32> = (0..b as u32).filter(|&a| scores[a as usize] > 0.0).collect();
                prop_assert_eq!(before.iter().map(|pair| pair.a).collect::<Vec<_>>(), expected);
                let nearest = near.nearest(b as u32, most, &mut scratch);
                prop_assert_eq!(nearest.len(), scores.iter().filter(|&&score| score > 0.0).count().min(most));
                prop_assert!(nearest.is_sorted_by(|p, q| p.score >= q.score));
                let least = nearest.last().map_or(0.0, |pair| pair.score);
                for pair in before.iter().chain(&nearest) {
                    prop_assert_eq!(pair.b, b as u32);
                    prop_assert!((pair.score - scores[pair.a as usize]).abs() < 1e-9);
                }
                let listed = |a: &usize| nearest.iter().any(|pair| pair.a == *a as u32);
                prop_assert!(most == 0 || (0..prints.len()).filter(|a| !listed(a)).all(|a| scores[a] <= least + 1e-9));
            }
        }
    }
}
