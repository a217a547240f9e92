//! The cosine of TF-IDF vectors: words that few records have count more than common ones (Cohen, Ravikumar and Fienberg 2003,
//! section 2).

use lookalike::fingerprint::{DigestBy, Lookup};

use super::strings::trigrams;
use crate::records::{config::Compare, table::Records};

/// The weights of the words of a field, or of its runs of three characters. Memory: about 20 bytes for each different one.
#[derive(Debug, Clone)]
pub(in crate::records) struct TfIdf {
    by: By,
    /// By the digest of a word. The words themselves are compared, so that two words with the same digest only share a weight.
    weights: Lookup<u64, f64>,
    /// The weight of a word that no record has.
    most: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    Words,
    Trigrams,
}

impl TfIdf {
    /// Counts the records that have each word. A word that n of N records have gets the weight ln(1 + N / n). Returns `None` if the
    /// comparison needs no counts. Cost: the size of the field's values.
    pub(in crate::records) fn new(
        compare: Option<Compare>,
        records: &Records,
        field: usize,
    ) -> Option<Self> {
        let by = match compare? {
            Compare::TfIdf => By::Words,
            Compare::TfIdfTrigrams => By::Trigrams,
            _ => return None,
        };
        let mut counts: Lookup<u64, u32> = Lookup::default();
        let (mut present, mut padded) = (0u32, String::new());
        for record in 0..records.len() as u32 {
            let value = records.get(record, field);
            if value.is_empty() {
                continue;
            }
            present += 1;
            for (term, _) in by.terms(value, &mut padded) {
                *counts.entry(digest(term)).or_default() += 1;
            }
        }
        let weight = |count: u32| (1.0 + f64::from(present) / f64::from(count)).ln();
        let most = weight(1);
        Some(Self {
            by,
            weights: counts
                .into_iter()
                .map(|(term, count)| (term, weight(count)))
                .collect(),
            most,
        })
    }

    /// Returns the number of bytes of the table.
    pub(in crate::records) fn size(&self) -> usize {
        self.weights.capacity() * (size_of::<(u64, f64)>() + 1)
    }

    /// Returns the cosine of two values, from 0 to 1.
    pub(in crate::records) fn similarity(&self, a: &str, b: &str) -> f64 {
        let (mut of_a, mut of_b) = (String::new(), String::new());
        let (a, b) = (self.weighted(a, &mut of_a), self.weighted(b, &mut of_b));
        let length =
            |terms: &[(&str, f64)]| terms.iter().map(|(_, weight)| weight.powi(2)).sum::<f64>();
        let (mut shared, mut at) = (0.0, 0);
        for term in &a {
            at += b[at..].partition_point(|other| other.0 < term.0);
            if let Some(other) = b.get(at).filter(|other| other.0 == term.0) {
                shared += term.1 * other.1;
            }
        }
        (shared / (length(&a) * length(&b)).sqrt()).min(1.0)
    }

    /// Returns the different words or runs of a value in order, with their weights.
    fn weighted<'a>(&self, value: &'a str, padded: &'a mut String) -> Vec<(&'a str, f64)> {
        let weight = |term| {
            self.weights
                .get(&digest(term))
                .copied()
                .unwrap_or(self.most)
        };
        let terms = self.by.terms(value, padded).into_iter();
        terms
            .map(|(term, count)| (term, weight(term) * f64::from(1 + count).ln()))
            .collect()
    }
}

impl By {
    /// Returns the different words or runs of a value in order, and how often each occurs.
    fn terms<'a>(self, value: &'a str, padded: &'a mut String) -> Vec<(&'a str, u32)> {
        let mut all: Vec<&str> = match self {
            Self::Words => value.split(' ').collect(),
            Self::Trigrams => trigrams(value, padded),
        };
        all.sort_unstable();
        all.chunk_by(|a, b| a == b)
            .map(|same| (same[0], same.len() as u32))
            .collect()
    }
}

fn digest(term: &str) -> u64 {
    DigestBy::Xxh3.digest(term.as_bytes()) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn records(values: &[&str]) -> Records {
        let mut records = Records::new(1);
        values.iter().for_each(|value| records.push([*value]));
        records
    }

    #[test]
    fn a_rare_word_counts_more_than_a_common_one() {
        let records = records(&[
            "black kettle k200",
            "black toaster t9",
            "black kettle k300",
            "",
            "black lamp",
        ]);
        let words = TfIdf::new(Some(Compare::TfIdf), &records, 0).unwrap();
        // Four records have a value. ln(1 + 4/4), ln(1 + 4/2) and ln(1 + 4/1), all with the factor ln 2 for a word that occurs once.
        let [black, kettle, rare] = [2.0f64.ln(), 3.0f64.ln(), 5.0f64.ln()];
        let expected =
            (black * black + kettle * kettle) / (black * black + kettle * kettle + rare * rare);
        assert!(
            (words.similarity("black kettle k200", "k300 black kettle") - expected).abs() < 1e-12
        );
        assert!(
            words.similarity("black k200", "grey k200")
                > words.similarity("black k200", "black t9")
        );
        assert_eq!(words.similarity("lamp", "kettle"), 0.0);
        assert!(TfIdf::new(Some(Compare::Words), &records, 0).is_none());
        let runs = TfIdf::new(Some(Compare::TfIdfTrigrams), &records, 0).unwrap();
        let near = runs.similarity("toaster", "toasters");
        assert!((0.6..0.99).contains(&near), "{near}");
    }

    proptest! {
        #[test]
        fn the_similarity_is_symmetric_and_at_most_1(a in "[abé]{1,3}( [abé]{1,3}){0,6}", b in "[abé]{1,3}( [abé]{1,3}){0,6}") {
            let records = records(&[&a, &b, "a b"]);
            for compare in [Compare::TfIdf, Compare::TfIdfTrigrams] {
                let weights = TfIdf::new(Some(compare), &records, 0).unwrap();
                let similarity = weights.similarity(&a, &b);
                prop_assert!((0.0..=1.0).contains(&similarity));
                prop_assert_eq!(similarity.to_bits(), weights.similarity(&b, &a).to_bits());
                prop_assert!(weights.similarity(&a, &a) > 1.0 - 1e-12);
            }
        }
    }
}
