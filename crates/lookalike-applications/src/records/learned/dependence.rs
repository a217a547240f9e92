//! Fields that depend on each other in pairs that are no matches: two restaurants of one town are more often in one street.
//!
//! Without this, the evidence of such fields counts twice, and neighbours count as matches. Each field may depend on one other: the
//! tree of dependences that explains most (Chow and Liu 1968).

use super::patterns::Pattern;

/// The field on which each field depends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parents {
    of: Vec<Option<usize>>,
    /// The fields, each after its parent.
    order: Vec<usize>,
}

/// Fields whose mutual information is smaller than this, in nats, count as independent.
const LEAST: f64 = 1e-4;

/// With fewer pairs that have values of both fields, two fields count as independent.
const FEW: f64 = 100.0;

/// As long as fewer pairs than this are expected to have two levels, they count as nearly independent.
const STRENGTH: f64 = 5.0;

impl Parents {
    /// No field depends on another.
    pub(super) fn none(fields: usize) -> Self {
        Self {
            of: vec![None; fields],
            order: (0..fields).collect(),
        }
    }

    /// Finds the dependences of pairs with these patterns and weights.
    pub(super) fn find(levels: &[usize], pairs: &[(Pattern, f64)]) -> Self {
        let fields = levels.len();
        let mut edges = Vec::new();
        for a in 0..fields {
            for b in a + 1..fields {
                let mut together = vec![vec![0.0; levels[b]]; levels[a]];
                pairs.iter().for_each(|(pattern, count)| {
                    together[pattern.level(a)][pattern.level(b)] += count
                });
                let information = information(&together);
                if information > LEAST {
                    edges.push((information, a, b));
                }
            }
        }
        edges.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let mut tree: Vec<usize> = (0..fields).collect();
        let mut neighbours = vec![Vec::new(); fields];
        for (_, a, b) in edges {
            let (of_a, of_b) = (tree[a], tree[b]);
            if of_a != of_b {
                tree.iter_mut()
                    .filter(|tree| **tree == of_b)
                    .for_each(|tree| *tree = of_a);
                neighbours[a].push(b);
                neighbours[b].push(a);
            }
        }
        let mut parents = Self {
            of: vec![None; fields],
            order: Vec::with_capacity(fields),
        };
        for root in 0..fields {
            let mut waiting = vec![(root, None)];
            while let Some((field, parent)) = waiting.pop() {
                if parents.order.contains(&field) {
                    continue;
                }
                parents.of[field] = parent;
                parents.order.push(field);
                waiting.extend(neighbours[field].iter().map(|&next| (next, Some(field))));
            }
        }
        parents
    }

    pub(super) fn of(&self, field: usize) -> Option<usize> {
        self.of[field]
    }

    /// Returns the fields, each after its parent.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }
}

/// Returns the mutual information of two fields in nats, without what is expected of independent ones by chance. Missing values do not
/// count.
fn information(together: &[Vec<f64>]) -> f64 {
    let rows: Vec<f64> = together[1..]
        .iter()
        .map(|row| row[1..].iter().sum())
        .collect();
    let columns: Vec<f64> = (1..together[0].len())
        .map(|column| together[1..].iter().map(|row| row[column]).sum())
        .collect();
    let all: f64 = rows.iter().sum();
    if all < FEW {
        return 0.0;
    }
    let mut sum = 0.0;
    for (row, of_row) in together[1..].iter().zip(&rows) {
        for (count, of_column) in row[1..].iter().zip(&columns) {
            if *count > 0.0 {
                sum += count / all * (count * all / (of_row * of_column)).ln();
            }
        }
    }
    let present = |sums: &[f64]| {
        sums.iter()
            .filter(|sum| **sum > 0.0)
            .count()
            .saturating_sub(1) as f64
    };
    sum - present(&rows) * present(&columns) / (2.0 * all)
}

/// Returns the shares of a field's levels for each level of its parent. Each is the share among all other pairs, times how much more
/// often the two levels occur together than by chance. The fewer pairs are expected, the more this factor is drawn to 1.
pub(super) fn lifts(together: &[Vec<f64>], others: &[f64]) -> Vec<Vec<f64>> {
    let of_row = |(level, row): (usize, &Vec<f64>)| {
        if level == 0 {
            return others.to_vec();
        }
        let all: f64 = row[1..].iter().sum();
        let lifted = row
            .iter()
            .zip(others)
            .map(|(count, share)| share * (count + STRENGTH) / (all * share + STRENGTH));
        let lifted: Vec<f64> = lifted.collect();
        let sum: f64 = lifted.iter().sum();
        lifted.into_iter().map(|share| share / sum).collect()
    };
    together.iter().enumerate().map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pairs of three fields, of which the first two are equal nine times of ten, and the third is independent.
    fn pairs() -> Vec<(Pattern, f64)> {
        let mut pairs = Vec::new();
        for (a, b, count) in [(1, 1, 90.0), (1, 2, 10.0), (2, 1, 10.0), (2, 2, 90.0)] {
            pairs.extend([1, 2].map(|c| (Pattern::new([a, c, b]), 10.0 * count)));
        }
        pairs
    }

    #[test]
    fn a_field_depends_on_the_one_that_tells_most_of_it() {
        let parents = Parents::find(&[3, 3, 3], &pairs());
        assert_eq!(
            (parents.of(0), parents.of(1), parents.of(2)),
            (None, None, Some(0))
        );
        assert_eq!(parents.order(), [0, 2, 1]);
        assert_eq!(Parents::find(&[3, 3, 3], &[]), Parents::none(3));
    }

    #[test]
    fn rare_levels_keep_their_share_until_there_is_evidence() {
        let others = [0.0, 0.899, 0.1, 0.001];
        let rows = lifts(
            &[vec![0.0; 4], vec![0.0, 10.0, 90.0, 0.0], vec![0.0; 4]],
            &others,
        );
        assert_eq!(rows[0], others);
        let near = |found: &[f64], expected: &[f64]| {
            found
                .iter()
                .zip(expected)
                .all(|(found, expected)| (found - expected).abs() < 1e-9)
        };
        assert!(near(&rows[2], &others), "{rows:?}");
        assert!(rows[1][2] > 0.5 && rows[1][1] < 0.4, "{rows:?}");
        assert!((0.0008..0.0015).contains(&rows[1][3]), "{rows:?}");
        assert!((rows[1].iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
