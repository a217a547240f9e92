//! The one-to-one pairs with the greatest total score, within a set of records that are connected by pairs.

use super::matching::{Matching, Scored};

/// The largest work for which an assignment is computed: the square of the number of records on the smaller side, times the number on the
/// larger side. 128 records on each side take a few milliseconds.
const MOST_WORK: usize = 1 << 21;

/// Chooses one-to-one pairs in a component. `pairs` have their weights, which are at least 1, and are in the order of [`Matching::takes`]; the
/// record of the first collection comes first in each pair. Greedy pairs are replaced if another choice has a greater total weight (the
/// assignment problem, Kuhn 1955). Components that are too large keep their greedy pairs. Cost: the cube of the number of records.
pub fn assign(pairs: &[(Scored, u32)], matching: &mut Matching) -> Vec<usize> {
    let greedy: Vec<usize> = (0..pairs.len())
        .filter(|&at| matching.takes(&pairs[at].0))
        .collect();
    // A record that is in all pairs can be in one only, and the best one comes first.
    if greedy.len() == pairs.len() || pairs.len() < 3 {
        return greedy;
    }
    let side = |of: fn(&Scored) -> u32| {
        let mut records: Vec<u32> = pairs.iter().map(|(pair, _)| of(pair)).collect();
        records.sort_unstable();
        records.dedup();
        records
    };
    let (first, second) = (side(|pair| pair.a), side(|pair| pair.b));
    let swapped = first.len() > second.len();
    let (few, many) = if swapped {
        (&second, &first)
    } else {
        (&first, &second)
    };
    if few.len() < 2 || few.len() * few.len() * many.len() > MOST_WORK {
        return greedy;
    }
    let place = |pair: &Scored| {
        let (row, column) = if swapped {
            (pair.b, pair.a)
        } else {
            (pair.a, pair.b)
        };
        few.partition_point(|&record| record < row) * many.len()
            + many.partition_point(|&record| record < column)
    };
    let mut weights = vec![0; few.len() * many.len()];
    pairs
        .iter()
        .for_each(|(pair, weight)| weights[place(pair)] = i64::from(*weight));
    let columns = assignment(&weights, many.len());
    let is_chosen = |at: &usize| {
        let place = place(&pairs[*at].0);
        columns[place / many.len()] == place % many.len()
    };
    let best: Vec<usize> = (0..pairs.len()).filter(is_chosen).collect();
    let total = |chosen: &[usize]| chosen.iter().map(|&at| u64::from(pairs[at].1)).sum::<u64>();
    if total(&best) > total(&greedy) {
        matching.replace(
            greedy.iter().map(|&at| &pairs[at].0),
            best.iter().map(|&at| &pairs[at].0),
        );
        best
    } else {
        greedy
    }
}

/// Returns a column for each row, so that the sum of the weights is as large as possible: the Hungarian method, one row at a time, along
/// shortest paths of reduced costs. There are at most as many rows as columns.
fn assignment(weights: &[i64], columns: usize) -> Vec<usize> {
    let rows = weights.len() / columns;
    // Rows and columns are numbered from 1; column 0 is where a new row begins.
    let (mut of_row, mut of_column) = (vec![0i64; rows + 1], vec![0i64; columns + 1]);
    let (mut owner, mut way) = (vec![0usize; columns + 1], vec![0usize; columns + 1]);
    for row in 1..=rows {
        owner[0] = row;
        let (mut slack, mut seen) = (vec![i64::MAX; columns + 1], vec![false; columns + 1]);
        let mut at = 0;
        while owner[at] != 0 {
            seen[at] = true;
            let current = owner[at];
            let (mut step, mut next) = (i64::MAX, 0);
            for column in (1..=columns).filter(|&column| !seen[column]) {
                let cost = -weights[(current - 1) * columns + column - 1]
                    - of_row[current]
                    - of_column[column];
                if cost < slack[column] {
                    (slack[column], way[column]) = (cost, at);
                }
                if slack[column] < step {
                    (step, next) = (slack[column], column);
                }
            }
            for column in 0..=columns {
                if seen[column] {
                    of_row[owner[column]] += step;
                    of_column[column] -= step;
                } else if column > 0 {
                    slack[column] -= step;
                }
            }
            at = next;
        }
        while at != 0 {
            owner[at] = owner[way[at]];
            at = way[at];
        }
    }
    let mut chosen = vec![0; rows];
    for (column, &row) in owner
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, row)| **row > 0)
    {
        chosen[row - 1] = column - 1;
    }
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the greatest total weight of one-to-one pairs, by trying all choices.
    fn best(pairs: &[(Scored, u32)], taken: &mut Vec<u32>) -> u64 {
        let Some(((pair, weight), rest)) = pairs.split_first() else {
            return 0;
        };
        let without = best(rest, taken);
        if taken.contains(&pair.a) || taken.contains(&pair.b) {
            return without;
        }
        taken.extend([pair.a, pair.b]);
        let with = u64::from(*weight) + best(rest, taken);
        taken.truncate(taken.len() - 2);
        with.max(without)
    }

    #[test]
    fn two_good_pairs_are_better_than_the_best_one() {
        let pair = |a, b, weight| {
            (
                Scored {
                    a,
                    b,
                    score: f64::from(weight),
                },
                weight,
            )
        };
        let pairs = [pair(0, 2, 10), pair(0, 3, 9), pair(1, 2, 9)];
        let mut matching = Matching::new(4);
        assert_eq!(assign(&pairs, &mut matching), [1, 2]);
        assert!(!matching.takes(&pairs[0].0), "the records are taken");
        assert_eq!(
            assign(
                &[pair(0, 2, 10), pair(0, 3, 4), pair(1, 2, 5)],
                &mut Matching::new(4)
            ),
            [0],
            "a greater total"
        );
    }

    proptest! {
        #[test]
        fn the_total_is_the_greatest(weights in prop::collection::btree_map((0u32..5, 5u32..11), 1u32..9, 0..14)) {
            let mut pairs: Vec<(Scored, u32)> =
                weights.into_iter().map(|((a, b), weight)| (Scored { a, b, score: f64::from(weight) }, weight)).collect();
            pairs.sort_by_key(|(pair, weight)| (std::cmp::Reverse(*weight), pair.a, pair.b));
            let mut matching = Matching::new(11);
            let chosen = assign(&pairs, &mut matching);
            let total: u64 = chosen.iter().map(|&at| u64::from(pairs[at].1)).sum();
            prop_assert_eq!(total, best(&pairs, &mut Vec::new()));
            let mut records: Vec<u32> = chosen.iter().flat_map(|&at| [pairs[at].0.a, pairs[at].0.b]).collect();
            let all = records.len();
            records.sort_unstable();
            records.dedup();
            prop_assert_eq!(records.len(), all, "a record is in two pairs");
            for record in 0..11u32 {
                prop_assert_eq!(matching.is_taken(record), records.contains(&record));
            }
        }
    }
}
