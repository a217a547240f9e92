//! Signature matrices, computed row by row with functions that the caller gives (*Mining of Massive Datasets*, sections 3.3.2 to
//! 3.3.5). These matrices are for study, and for checking numbers by hand. The program uses [`MinHash`](super::MinHash), which
//! draws its functions itself.
//!
//! The characteristic matrix has a row for each element and a column for each set. A function gives each row a number: a
//! permutation gives the row's place in the permuted order, and a hash function gives its hash value. For each function, a set's
//! signature has the smallest number among the set's rows.

/// Signatures under construction: a minimum for each function and each set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureMatrix {
    sets: usize,
    /// Ordered by function, then by set.
    minima: Vec<Option<u64>>,
}

impl SignatureMatrix {
    /// Creates the signatures of `sets` sets by `functions` functions, before any row is added.
    pub fn new(functions: usize, sets: usize) -> Self {
        Self {
            sets,
            minima: vec![None; functions * sets],
        }
    }

    /// Adds a row, given its number under each function and which sets contain it. The order of rows does not matter.
    ///
    /// # Panics
    /// Panics if `members` does not have one element per set, or `numbers` does not have one per function.
    pub fn take(&mut self, numbers: &[u64], members: &[bool]) {
        assert!(
            members.len() == self.sets && numbers.len() * self.sets == self.minima.len(),
            "there must be one number per function and one member per set"
        );
        for (minima, &number) in self.minima.chunks_mut(self.sets.max(1)).zip(numbers) {
            for (least, _) in minima
                .iter_mut()
                .zip(members)
                .filter(|(_, is_member)| **is_member)
            {
                *least = Some(least.map_or(number, |least| least.min(number)));
            }
        }
    }

    /// Returns the signature matrix of a characteristic matrix. Each of `rows` shows which sets contain the row. `functions` has,
    /// for each function, the number that it gives to each row.
    ///
    /// # Panics
    /// Panics if a row does not have as many members as the first one, or a function does not have as many numbers as there are
    /// rows.
    pub fn of(rows: &[Vec<bool>], functions: &[Vec<u64>]) -> Self {
        let mut matrix = Self::new(functions.len(), rows.first().map_or(0, Vec::len));
        for (at, members) in rows.iter().enumerate() {
            matrix.take(
                &functions
                    .iter()
                    .map(|numbers| numbers[at])
                    .collect::<Vec<_>>(),
                members,
            );
        }
        matrix
    }

    /// Returns a function's value for a set: the smallest number that the function gives to a row of the set, or `None` for the
    /// empty set.
    pub fn get(&self, function: usize, set: usize) -> Option<u64> {
        self.minima[function * self.sets + set]
    }

    /// Returns the similarity of two signatures: the share of functions that give both sets the same value. The empty set is
    /// similar to nothing.
    pub fn similarity(&self, a: usize, b: usize) -> f64 {
        let functions = self.minima.chunks(self.sets.max(1));
        let agree = functions
            .clone()
            .filter(|minima| minima[a].is_some() && minima[a] == minima[b])
            .count();
        agree as f64 / functions.count().max(1) as f64
    }
}

/// Returns the numbers that the hash function h(x) = (a·x + b) mod n gives to the rows `rows`.
///
/// # Panics
/// Panics if n is 0.
pub fn linear_hash([a, b, n]: [u64; 3], rows: std::ops::Range<u64>) -> Vec<u64> {
    // The product of two 64-bit numbers plus a third one fits in 128 bits.
    rows.map(|x| ((u128::from(a) * u128::from(x) + u128::from(b)) % u128::from(n)) as u64)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(lines: &[&str]) -> Vec<Vec<bool>> {
        lines
            .iter()
            .map(|line| line.bytes().map(|byte| byte == b'1').collect())
            .collect()
    }

    fn line(matrix: &SignatureMatrix, function: usize, sets: usize) -> Vec<u64> {
        (0..sets)
            .map(|set| matrix.get(function, set).unwrap())
            .collect()
    }

    #[test]
    fn the_sources_four_columns_by_three_permutations() {
        let rows = rows(&["1010", "1001", "0101", "0101", "0101", "1010", "1010"]);
        let permutations = [
            vec![3, 4, 7, 6, 1, 2, 5],
            vec![4, 2, 1, 3, 6, 7, 5],
            vec![1, 3, 7, 6, 2, 5, 4],
        ];
        let matrix = SignatureMatrix::of(&rows, &permutations);
        assert_eq!(
            [0, 1, 2].map(|function| line(&matrix, function, 4)),
            [[2, 1, 2, 1], [2, 1, 4, 1], [1, 2, 1, 2]]
        );
        let similarities = [(0, 2), (1, 3), (0, 1), (2, 3)].map(|(a, b)| matrix.similarity(a, b));
        assert_eq!(similarities, [2.0 / 3.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn the_sources_two_hash_functions_row_by_row() {
        // h(x) = x mod 5 and g(x) = (2x + 1) mod 5 on rows 1 to 5.
        let rows = rows(&["10", "01", "11", "10", "01"]);
        let functions = [[1, 0, 5], [2, 1, 5]].map(|function| linear_hash(function, 1..6));
        assert_eq!(functions, [[1, 2, 3, 4, 0], [3, 0, 2, 4, 1]]);
        let mut matrix = SignatureMatrix::new(2, 2);
        let none = None;
        let expected = [
            [Some(1), none, Some(3), none],
            [Some(1), Some(2), Some(3), Some(0)],
            [Some(1), Some(2), Some(2), Some(0)],
            [Some(1), Some(2), Some(2), Some(0)],
            [Some(1), Some(0), Some(2), Some(0)],
        ];
        for (at, expected) in expected.into_iter().enumerate() {
            matrix.take(&functions.each_ref().map(|numbers| numbers[at]), &rows[at]);
            assert_eq!(
                [
                    matrix.get(0, 0),
                    matrix.get(0, 1),
                    matrix.get(1, 0),
                    matrix.get(1, 1)
                ],
                expected,
                "row {}",
                at + 1
            );
        }
        assert_eq!(matrix.similarity(0, 1), 0.0);
    }

    proptest! {
        #[test]
        fn a_value_is_the_least_number_of_the_sets_rows(
            rows in prop::collection::vec(prop::collection::vec(any::<bool>(), 3), 0..12),
            a in 0u64..20, b in 0u64..20, n in 1u64..20,
        ) {
            let numbers = linear_hash([a, b, n], 0..rows.len() as u64);
            let matrix = SignatureMatrix::of(&rows, std::slice::from_ref(&numbers));
            for set in 0..if rows.is_empty() { 0 } else { 3 } {
                let least = rows.iter().zip(&numbers).filter(|(row, _)| row[set]).map(|(_, &number)| number).min();
                prop_assert_eq!(matrix.get(0, set), least);
            }
        }
    }
}
