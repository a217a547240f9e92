//! Numbers the pairs of some records.

/// Returns the two records of the pair with this number. With one collection, the pairs are those of `records` records. With two, each
/// pair has one of the first `first` records and one of the others.
pub(in crate::jobs::link) fn pair_at(
    number: u64,
    first: Option<u64>,
    records: u64,
) -> (usize, usize) {
    if let Some(first) = first {
        let seconds = (records - first).max(1);
        return (
            (number / seconds) as usize,
            (first + number % seconds) as usize,
        );
    }
    // The pairs with the later record b are those from b (b − 1) / 2 on.
    let mut b = ((1.0 + (1.0 + 8.0 * number as f64).sqrt()) / 2.0) as u64;
    while b * (b - 1) / 2 > number {
        b -= 1;
    }
    while b * (b + 1) / 2 <= number {
        b += 1;
    }
    ((number - b * (b - 1) / 2) as usize, b as usize)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_pair_has_a_number() {
        for records in 0..12u64 {
            let all: BTreeSet<_> = (0..records * records.saturating_sub(1) / 2)
                .map(|number| pair_at(number, None, records))
                .collect();
            assert_eq!(all.len() as u64, records * records.saturating_sub(1) / 2);
            assert!(all.iter().all(|&(a, b)| a < b && (b as u64) < records));
            for first in 0..=records {
                let all: BTreeSet<_> = (0..first * (records - first))
                    .map(|number| pair_at(number, Some(first), records))
                    .collect();
                assert_eq!(all.len() as u64, first * (records - first));
                assert!(all.iter().all(|&(a, b)| (a as u64) < first
                    && (b as u64) >= first
                    && (b as u64) < records));
            }
        }
    }
}
