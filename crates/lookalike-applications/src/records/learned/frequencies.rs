//! How often the values of a field occur: two records that share a rare value are more likely to match.

use lookalike::fingerprint::DigestBy;

use crate::records::table::Records;

/// How many records have the same value as a record, for each field. Memory: 4 bytes for each field of a record.
#[derive(Debug, Clone, Default)]
pub struct Frequencies {
    fields: Vec<FieldFrequencies>,
}

impl FromIterator<FieldFrequencies> for Frequencies {
    fn from_iter<I: IntoIterator<Item = FieldFrequencies>>(fields: I) -> Self {
        Self {
            fields: fields.into_iter().collect(),
        }
    }
}

/// How many records have the same value as a record, for one field.
#[derive(Debug, Clone)]
pub struct FieldFrequencies {
    /// For each record, the number of records with its value; 0 if it has none.
    counts: Vec<u32>,
    /// The number of records with a value.
    present: f64,
    /// The probability that two random records with values have the same one, if both can be the same record.
    usual: f64,
    /// The share of the pairs with two values that have equal values.
    equal: f64,
    /// The largest possible adjustment.
    most: f64,
}

/// How much of the adjustment is used. Values of different fields depend on each other (a rare town has few streets), so the whole
/// adjustment counts the same evidence twice.
const SHARE: f64 = 0.5;

/// No adjustment is larger, in bits.
const MOST: f64 = 8.0;

impl Frequencies {
    /// Counts the values of all records. If there are two collections, the second one begins at `split`. Cost: a sort for each field.
    pub fn new(records: &Records, split: Option<u32>) -> Self {
        (0..records.fields())
            .map(|field| FieldFrequencies::new(records, field, split))
            .collect()
    }

    /// Returns what is added to the weight of a field if both records have the value of record `record`, in bits.
    pub fn adjustment(&self, field: usize, record: u32) -> f64 {
        self.fields[field].adjustment(self.fields[field].counts[record as usize])
    }

    /// Returns the largest possible result of [`adjustment`](Self::adjustment).
    pub fn most(&self, field: usize) -> f64 {
        self.fields[field].most
    }

    /// Returns the share of the pairs that have equal values in a field, out of those with two values.
    pub fn equal(&self, field: usize) -> f64 {
        self.fields[field].equal
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> usize {
        self.fields.iter().map(|field| 4 * field.counts.len()).sum()
    }
}

impl FieldFrequencies {
    /// Counts the values of a field.
    pub fn new(records: &Records, field: usize, split: Option<u32>) -> Self {
        let all = 0..records.len() as u32;
        let with_value = all.filter(|&record| !records.get(record, field).is_empty());
        let mut hashed: Vec<(u64, u32)> = with_value
            .map(|record| {
                (
                    DigestBy::Xxh3.digest(records.get(record, field).as_bytes()) as u64,
                    record,
                )
            })
            .collect();
        hashed.sort_unstable();
        let mut counts = vec![0; records.len()];
        let (mut squares, mut equal) = (0.0, 0.0);
        for same in hashed.chunk_by(|a, b| a.0 == b.0) {
            same.iter()
                .for_each(|&(_, record)| counts[record as usize] = same.len() as u32);
            squares += (same.len() as f64).powi(2);
            equal += pairs(same.iter().map(|&(_, record)| record), split);
        }
        let present = hashed.len() as f64;
        let possible = pairs(hashed.iter().map(|&(_, record)| record), split);
        let usual = squares / present.powi(2).max(1.0);
        let mut made = Self {
            counts,
            present,
            usual,
            equal: equal / possible.max(1.0),
            most: 0.0,
        };
        made.most = made.adjustment(1).max(0.0);
        made
    }

    fn adjustment(&self, count: u32) -> f64 {
        // One of the records does not count, because another record that describes the same thing has its value in any case.
        let others = f64::from(count.saturating_sub(1).max(1)) / self.present;
        if others.is_finite() && self.usual > 0.0 {
            (SHARE * (self.usual / others).log2()).clamp(-MOST, MOST)
        } else {
            0.0
        }
    }
}

/// Returns the number of pairs of these records, which are from different collections if there are two.
fn pairs(records: impl Iterator<Item = u32>, split: Option<u32>) -> f64 {
    let (mut first, mut second) = (0.0, 0.0);
    records.for_each(|record| {
        *(if split.is_none_or(|split| record < split) {
            &mut first
        } else {
            &mut second
        }) += 1.0
    });
    if split.is_some() {
        first * second
    } else {
        first * (first - 1.0) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str], split: Option<u32>) -> Frequencies {
        let mut records = Records::new(1);
        values.iter().for_each(|value| records.push([*value]));
        Frequencies::new(&records, split)
    }

    #[test]
    fn rare_values_weigh_more_than_common_ones() {
        let frequencies = of(
            &[
                "smith", "smith", "smith", "smith", "smith", "kowalski", "kowalski", "",
            ],
            None,
        );
        assert!(frequencies.adjustment(0, 0) + 0.9 < frequencies.adjustment(0, 5));
        assert_eq!(frequencies.adjustment(0, 5), frequencies.most(0));
        // 29 of 49 pairs of a record with another or itself are equal; four others of seven records are called Smith.
        assert!(
            (frequencies.adjustment(0, 0) - 0.5 * (29.0 / 49.0 / (4.0 / 7.0_f64)).log2()).abs()
                < 1e-12
        );
    }

    #[test]
    fn equal_pairs_are_counted_within_one_collection_or_between_two() {
        let values = ["a", "a", "b", "a", "b", "c", ""];
        assert_eq!(of(&values, None).equal(0), 4.0 / 15.0);
        assert_eq!(of(&values, Some(3)).equal(0), 3.0 / 9.0);
        assert_eq!(of(&[], None).equal(0), 0.0);
        assert_eq!(of(&["", ""], None).adjustment(0, 1), 0.0);
    }
}
