//! Recall by document: either all partners of a document are found, or not.

use serde::Serialize;

use super::pairs::share;
use crate::sketch::Estimate;

/// The number of judged documents that have a partner, and the number of those documents that have no missed partner. A partner
/// is another document that is truly similar; it is missed if the pair was not found.
///
/// Recall over pairs is dominated by the few largest groups. Here each document counts once, and judged documents drawn at random
/// are independent trials, so the interval is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Partners {
    /// The judged documents with a partner.
    pub documents: u64,
    /// The judged documents that have a partner and no missed partner.
    pub complete: u64,
}

impl Partners {
    /// Judges documents. `partners[d]` is the number of partners of document d; `found_true` has the true pairs that were found,
    /// each once. Cost: |found_true| + |judged| steps, and four bytes per document.
    ///
    /// # Panics
    /// Panics if a document's number is out of range for `partners`.
    pub fn judge(judged: &[u32], partners: &[u32], found_true: &[(u32, u32)]) -> Self {
        let mut found = vec![0u32; partners.len()];
        found_true
            .iter()
            .flat_map(|&(a, b)| [a, b])
            .for_each(|d| found[d as usize] += 1);
        let with = |d: &&u32| partners[**d as usize] > 0;
        let complete = |d: &&u32| found[**d as usize] == partners[**d as usize];
        Self {
            documents: judged.iter().filter(with).count() as u64,
            complete: judged.iter().filter(with).filter(complete).count() as u64,
        }
    }

    /// Considers the documents that have a partner, and returns the share of them that have no missed partner; none if no
    /// document has a partner.
    pub fn complete_share(self) -> Option<Estimate> {
        share(self.complete, self.documents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_complete_when_no_partner_is_missed() {
        // The true pairs are 0~1, 1~2 and 3~4; document 5 is alone. 1~2 was missed.
        let (partners, found) = ([1, 2, 1, 1, 1, 0], [(0, 1), (3, 4)]);
        let all = Partners::judge(&[0, 1, 2, 3, 4, 5], &partners, &found);
        assert_eq!(
            all,
            Partners {
                documents: 5,
                complete: 3
            }
        );
        assert_eq!(all.complete_share().unwrap().value, 0.6);
        assert_eq!(
            Partners::judge(&[1, 4], &partners, &found),
            Partners {
                documents: 2,
                complete: 1
            }
        );
        assert_eq!(
            Partners::judge(&[5], &partners, &found).complete_share(),
            None
        );
    }
}
