//! Compares a clustering with a gold clustering. All measures are computed from one table: the number of documents that each
//! predicted group shares with each gold group.

use serde::Serialize;

use super::PairCounts;

/// The non-empty cells of the contingency table of two clusterings of the same documents.
#[derive(Debug, Clone)]
pub struct Contingency {
    documents: u64,
    /// The cells, sorted by (predicted group, gold group).
    by_predicted: Vec<Cell>,
    /// The same cells from the gold side, sorted by (gold group, predicted group).
    by_gold: Vec<Cell>,
}

/// A cell of the table. `of` is the label of a group in one clustering, and `documents` is the number of documents that this
/// group shares with one group of the other clustering.
#[derive(Debug, Clone, Copy)]
struct Cell {
    of: u32,
    documents: u64,
}

/// B-cubed precision, recall and F (Bagga & Baldwin 1998, *Algorithms for scoring coreference chains*). They are averages over
/// documents, so each document has the same weight, whatever the size of its group.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BCubed {
    /// For each document, the share of its predicted group, including itself, that is in its gold group; averaged over all
    /// documents.
    pub precision: f64,
    /// For each document, the share of its gold group, including itself, that is in its predicted group; averaged over all
    /// documents.
    pub recall: f64,
    /// The harmonic mean of precision and recall.
    pub f: f64,
}

impl Contingency {
    /// Builds the table of two labelings: document i is in group `predicted[i]` and belongs to group `gold[i]`. Labels have no
    /// order or meaning. A document that is in no group must have a label of its own. Cost: two sorts of n 64-bit numbers; 16
    /// bytes per cell in each of the two lists of cells.
    ///
    /// # Panics
    /// Panics if the labelings differ in length.
    pub fn of(predicted: &[u32], gold: &[u32]) -> Self {
        assert_eq!(
            predicted.len(),
            gold.len(),
            "both labelings must cover the same documents"
        );
        Self {
            documents: gold.len() as u64,
            by_predicted: cells(predicted, gold),
            by_gold: cells(gold, predicted),
        }
    }

    /// Returns B-cubed precision, recall and F, or `None` if there are no documents. Precision and recall are at least 1 / n,
    /// because the predicted group and the gold group of a document both contain the document itself.
    pub fn b_cubed(&self) -> Option<BCubed> {
        let mean = |cells: &[Cell]| {
            let sum: f64 = groups(cells)
                .map(|group| {
                    let squares: u128 = group
                        .iter()
                        .map(|cell| u128::from(cell.documents).pow(2))
                        .sum();
                    squares as f64 / size(group) as f64
                })
                .sum();
            sum / self.documents as f64
        };
        let (precision, recall) = (mean(&self.by_predicted), mean(&self.by_gold));
        (self.documents > 0).then(|| BCubed {
            precision,
            recall,
            f: 2.0 * precision * recall / (precision + recall),
        })
    }

    /// Returns the counts of pairs. A pair in one predicted group is a found pair; a pair in one gold group is a true pair.
    pub fn pairs(&self) -> PairCounts {
        let within = |cells: &[Cell]| groups(cells).map(|group| pairs(size(group))).sum();
        PairCounts {
            found_true: self
                .by_predicted
                .iter()
                .map(|cell| pairs(cell.documents))
                .sum(),
            found: within(&self.by_predicted),
            truth: within(&self.by_gold),
        }
    }

    /// Returns the Rand index (Rand 1971): the share of all pairs that are together in both clusterings or separate in both;
    /// `None` if there are no pairs. The index is near 1 whenever groups are small, so use it only to compare with published
    /// figures.
    pub fn rand_index(&self) -> Option<f64> {
        let (
            PairCounts {
                found_true,
                found,
                truth,
            },
            all,
        ) = (self.pairs(), pairs(self.documents));
        (all > 0).then(|| (all - (found - found_true) - (truth - found_true)) as f64 / all as f64)
    }

    /// Returns the adjusted Rand index (Hubert & Arabie 1985, equation 5). Its numerator is the number of pairs joined by both
    /// clusterings, minus the number expected if groups of these sizes are filled at random. Its denominator is the maximum
    /// possible number, minus the same expected number. The index is 1 for equal clusterings, 0 on average for random ones, and
    /// at least −½. If each clustering is one single group, or if every group of both has one document, the formula is 0 / 0. The
    /// result is then 1, because the clusterings are equal. The fraction is exact (integers of up to 2¹²⁷) and is rounded once.
    pub fn adjusted_rand_index(&self) -> f64 {
        let PairCounts {
            found_true,
            found,
            truth,
        } = self.pairs();
        let all = i128::from(pairs(self.documents));
        let (both, found, truth) = (i128::from(found_true), i128::from(found), i128::from(truth));
        let expected = found * truth;
        let most = all * (found + truth) - 2 * expected;
        if most == 0 {
            1.0
        } else {
            (2 * (all * both - expected)) as f64 / most as f64
        }
    }
}

/// Returns the cells, sorted by (first label, second label).
fn cells(first: &[u32], second: &[u32]) -> Vec<Cell> {
    let mut rows: Vec<u64> = first
        .iter()
        .zip(second)
        .map(|(&a, &b)| u64::from(a) << 32 | u64::from(b))
        .collect();
    rows.sort_unstable();
    rows.chunk_by(|x, y| x == y)
        .map(|same| Cell {
            of: (same[0] >> 32) as u32,
            documents: same.len() as u64,
        })
        .collect()
}

fn groups(cells: &[Cell]) -> impl Iterator<Item = &[Cell]> {
    cells.chunk_by(|x, y| x.of == y.of)
}

fn size(group: &[Cell]) -> u64 {
    group.iter().map(|cell| cell.documents).sum()
}

/// Returns the number of pairs of n documents, n (n − 1) / 2. Documents are numbered with 32 bits, so the result fits into 64
/// bits.
fn pairs(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns labelings for groups given as rows of counts: `rows[i][j]` documents are in predicted group i and gold group j.
    fn labelings(rows: &[&[usize]]) -> (Vec<u32>, Vec<u32>) {
        let mut labels = (Vec::new(), Vec::new());
        for (i, row) in rows.iter().enumerate() {
            for (j, &count) in row.iter().enumerate() {
                labels.0.extend(std::iter::repeat_n(i as u32, count));
                labels.1.extend(std::iter::repeat_n(j as u32, count));
            }
        }
        labels
    }

    fn of(rows: &[&[usize]]) -> Contingency {
        let (predicted, gold) = labelings(rows);
        Contingency::of(&predicted, &gold)
    }

    #[test]
    fn the_17_points_of_introduction_to_information_retrieval() {
        // Manning, Raghavan & Schütze 2008, section 16.3: three clusters of crosses, circles and diamonds.
        let table = of(&[&[5, 1, 0], &[1, 4, 1], &[2, 0, 3]]);
        let counts = table.pairs();
        assert_eq!(
            counts,
            PairCounts {
                found_true: 20,
                found: 40,
                truth: 44
            }
        );
        assert_eq!(counts.precision().unwrap().value, 0.5);
        assert!(
            (counts.recall().unwrap().value - 0.455).abs() < 5e-4
                && (counts.f1().unwrap() - 0.476).abs() < 5e-4
        );
        assert!(
            (table.rand_index().unwrap() - 0.68).abs() < 5e-3,
            "{:?}",
            table.rand_index()
        );
        // Calculated by hand: (20 − 40·44/136) / (42 − 40·44/136).
        assert!(
            (table.adjusted_rand_index() - 120.0 / 494.0).abs() < 1e-15,
            "{}",
            table.adjusted_rand_index()
        );
    }

    #[test]
    fn adjusted_rand_indices_in_a_table() {
        // Yeung & Ruzzo 2001, the worked example after Hubert & Arabie: 0.711 and 0.313.
        let table = of(&[&[1, 1, 0], &[1, 2, 1], &[0, 0, 4]]);
        assert!(
            (table.rand_index().unwrap() - 0.711).abs() < 5e-4
                && (table.adjusted_rand_index() - 0.313).abs() < 5e-4
        );
        // scikit-learn's examples, and cases of 0 / 0.
        for (predicted, gold, adjusted) in [
            (vec![0, 0, 1, 1], vec![0, 0, 1, 1], 1.0),
            (vec![0, 0, 1, 1], vec![1, 1, 0, 0], 1.0),
            (vec![0, 0, 1, 2], vec![0, 0, 1, 1], 4.0 / 7.0),
            (vec![0, 0, 1, 1], vec![0, 0, 1, 2], 4.0 / 7.0),
            (vec![0, 0, 0, 0], vec![0, 1, 2, 3], 0.0),
            (vec![0, 0, 1, 1], vec![0, 1, 0, 1], -0.5),
            (vec![7, 7, 7], vec![0, 0, 0], 1.0),
            (vec![2, 1, 0], vec![0, 1, 2], 1.0),
            (vec![5], vec![6], 1.0),
            (vec![], vec![], 1.0),
        ] {
            assert_eq!(
                Contingency::of(&predicted, &gold).adjusted_rand_index(),
                adjusted,
                "{predicted:?} {gold:?}"
            );
        }
    }

    #[test]
    fn b_cubed_in_a_table() {
        // Bagga & Baldwin 1998, section 2, with true groups of 5, 2 and 5. The result depends on which two of the three groups
        // are joined; a score that counts links cannot show this.
        for (rows, percent) in [
            ([&[5, 0, 0][..], &[0, 2, 5]], 76.0),
            ([&[5, 0, 5], &[0, 2, 0]], 58.0),
        ] {
            let scores = of(&rows).b_cubed().unwrap();
            assert_eq!(scores.recall, 1.0);
            assert!(
                (scores.precision * 100.0 - percent).abs() < 0.5,
                "{scores:?}"
            );
            assert!((scores.f - 2.0 / (1.0 / scores.precision + 1.0)).abs() < 1e-12);
        }
        assert_eq!(Contingency::of(&[], &[]).b_cubed(), None);
    }

    #[test]
    fn the_maximum_number_of_documents_does_not_overflow() {
        let all = 1u64 << 32;
        let cell = |of, documents| Cell { of, documents };
        let halves = vec![cell(0, all / 2), cell(1, all / 2)];
        for (gold, adjusted) in [
            (halves.clone(), 1.0),
            (vec![cell(0, all / 2), cell(0, all / 2)], 0.0),
        ] {
            let table = Contingency {
                documents: all,
                by_predicted: halves.clone(),
                by_gold: gold,
            };
            assert_eq!(table.adjusted_rand_index(), adjusted);
            assert_eq!(table.b_cubed().unwrap().precision, 1.0);
        }
    }

    fn chance(p: &[u32], g: &[u32]) -> (f64, f64) {
        let n = p.len();
        let mut sums = (0.0, 0.0);
        for i in 0..n {
            let (mut together, mut predicted, mut gold) = (0.0, 0.0, 0.0);
            for j in 0..n {
                predicted += f64::from(u8::from(p[i] == p[j]));
                gold += f64::from(u8::from(g[i] == g[j]));
                together += f64::from(u8::from(p[i] == p[j] && g[i] == g[j]));
            }
            sums = (sums.0 + together / predicted, sums.1 + together / gold);
        }
        (sums.0 / n as f64, sums.1 / n as f64)
    }

    proptest! {
        #[test]
        fn the_table_agrees_with_all_pairs(labels in prop::collection::vec((0u32..6, 3u32..8), 1..60)) {
            let (predicted, gold): (Vec<u32>, Vec<u32>) = labels.into_iter().unzip();
            let (n, table) = (predicted.len(), Contingency::of(&predicted, &gold));
            let (mut counts, mut apart) = (PairCounts { found_true: 0, found: 0, truth: 0 }, 0);
            for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
                let (found, truth) = (predicted[i] == predicted[j], gold[i] == gold[j]);
                counts.found += u64::from(found);
                counts.truth += u64::from(truth);
                counts.found_true += u64::from(found && truth);
                apart += u64::from(!found && !truth);
            }
            prop_assert_eq!(table.pairs(), counts);
            let all = (n * (n - 1) / 2) as f64;
            prop_assert_eq!(table.rand_index(), (n > 1).then(|| (counts.found_true + apart) as f64 / all));
            let expected = counts.found as f64 * counts.truth as f64 / all;
            let most = (counts.found + counts.truth) as f64 / 2.0;
            if most - expected > 1e-9 {
                let adjusted = (counts.found_true as f64 - expected) / (most - expected);
                prop_assert!((table.adjusted_rand_index() - adjusted).abs() < 1e-9);
            }
            let (precision, recall) = chance(&predicted, &gold);
            let scores = table.b_cubed().unwrap();
            prop_assert!((scores.precision - precision).abs() < 1e-12 && (scores.recall - recall).abs() < 1e-12);
        }

        #[test]
        fn names_of_groups_do_not_matter_and_sides_swap(labels in prop::collection::vec((0u32..6, 3u32..8), 1..60), turn: u32) {
            let (predicted, gold): (Vec<u32>, Vec<u32>) = labels.into_iter().unzip();
            let renamed: Vec<u32> = predicted.iter().map(|l| l.wrapping_mul(turn | 1)).collect();
            let (one, other) = (Contingency::of(&predicted, &gold), Contingency::of(&gold, &renamed));
            let (x, y) = (one.b_cubed().unwrap(), other.b_cubed().unwrap());
            prop_assert!((x.precision - y.recall).abs() < 1e-12 && (x.recall - y.precision).abs() < 1e-12);
            prop_assert_eq!(one.adjusted_rand_index(), other.adjusted_rand_index());
        }
    }
}
