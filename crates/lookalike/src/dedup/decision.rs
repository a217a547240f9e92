//! A document, and the decision about it.

use std::fmt;

use crate::verify::Overlap;

/// A document for [`decide`](crate::decide): its text, and the key that determines its place in keep order, the order in which
/// documents are considered. The largest key is first; documents with equal keys are in input order.
#[derive(Debug, Clone, Copy)]
pub struct Doc<'a> {
    /// The original text.
    pub text: &'a str,
    /// The key. If all keys are 0, the first document of each group is kept.
    pub key: u64,
}

impl<'a> From<&'a str> for Doc<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, key: 0 }
    }
}

/// Why a document was kept or dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Kept: it has no duplicates.
    Unique,
    /// Kept: it is the representative of dropped documents.
    Representative,
    /// Kept: it has no tokens, so it does not duplicate any text.
    Empty,
    /// Dropped: its representative has the same canonical form.
    Exact,
    /// Dropped: its representative is similar.
    Near,
    /// Dropped: its representative roughly contains it.
    Contained,
    /// Dropped: it roughly contains its representative, which is a reference and must be kept. Only runs with references and
    /// `drop_holders` give this reason; the functions of this crate never do.
    Holds,
}

/// The decision about one document.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// The reason for the decision.
    pub reason: Reason,
    /// For a dropped document, the kept document that represents it.
    pub representative: Option<usize>,
    /// For a dropped document, its similarity to its representative by the requested measure, either exact or estimated from
    /// sketches; none if the similarity was neither measured nor estimated.
    pub similarity: Option<f64>,
    /// For a dropped document, the overlap of its set (`a`) with the set of its representative, if the overlap was counted.
    pub overlap: Option<Overlap>,
    /// The number of documents in its group, including itself.
    pub cluster_size: usize,
}

impl Decision {
    /// Returns whether the document is kept.
    pub fn is_kept(&self) -> bool {
        self.representative.is_none()
    }
}

/// Writes the decision in words, for people: `dropped: near duplicate of 0, similarity 0.91`.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.reason {
            Reason::Unique => return f.write_str("kept: it has no duplicate"),
            Reason::Representative => {
                let dropped = self.cluster_size - 1;
                return write!(
                    f,
                    "kept: it represents {dropped} dropped duplicate{}",
                    if dropped == 1 { "" } else { "s" }
                );
            }
            Reason::Empty => return f.write_str("kept: it is empty"),
            Reason::Exact => "exact duplicate of",
            Reason::Near => "near duplicate of",
            Reason::Contained => "contained in",
            Reason::Holds => "contains",
        };
        write!(f, "dropped: {what}")?;
        if let Some(representative) = self.representative {
            write!(f, " {representative}")?;
        }
        match self.similarity {
            Some(similarity) if self.reason != Reason::Exact => {
                write!(f, ", similarity {similarity:.2}")
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_in_words() {
        let kept = |reason, cluster_size| Decision {
            reason,
            representative: None,
            similarity: None,
            overlap: None,
            cluster_size,
        };
        assert_eq!(
            kept(Reason::Unique, 1).to_string(),
            "kept: it has no duplicate"
        );
        assert_eq!(
            kept(Reason::Representative, 2).to_string(),
            "kept: it represents 1 dropped duplicate"
        );
        assert_eq!(
            kept(Reason::Representative, 4).to_string(),
            "kept: it represents 3 dropped duplicates"
        );
        assert_eq!(kept(Reason::Empty, 1).to_string(), "kept: it is empty");
        let dropped = |reason, similarity| Decision {
            representative: Some(7),
            similarity,
            ..kept(reason, 2)
        };
        assert_eq!(
            dropped(Reason::Exact, Some(1.0)).to_string(),
            "dropped: exact duplicate of 7"
        );
        assert_eq!(
            dropped(Reason::Near, Some(0.914)).to_string(),
            "dropped: near duplicate of 7, similarity 0.91"
        );
        assert_eq!(
            dropped(Reason::Contained, Some(1.0)).to_string(),
            "dropped: contained in 7, similarity 1.00"
        );
        assert_eq!(
            dropped(Reason::Near, None).to_string(),
            "dropped: near duplicate of 7"
        );
    }
}
