//! A document, and what is decided about it.

use std::fmt;

use crate::verify::Overlap;

/// A document for [`decide`](crate::decide): its text, and the key that puts it in keep order (largest first, ties by input order).
#[derive(Debug, Clone, Copy)]
pub struct Doc<'a> {
    /// The text as it came.
    pub text: &'a str,
    /// 0 for all keeps the first.
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
    /// Kept: nothing was dropped for it.
    Unique,
    /// Kept: others were dropped for it.
    Representative,
    /// Kept: it has no token, and is a duplicate of no text.
    Empty,
    /// Dropped: its representative has the same canonical form.
    Exact,
    /// Dropped: its representative is similar.
    Near,
    /// Dropped: its representative roughly contains it.
    Contained,
    /// Dropped: it roughly contains its representative, which has to stay. Only where somebody asks for it of references that
    /// documents are compared with: nothing here drops a whole for its part.
    Holds,
}

/// What was decided about one document.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// Why.
    pub reason: Reason,
    /// For a dropped document, the kept one that stands for it.
    pub representative: Option<usize>,
    /// For a dropped document, how similar it is to its representative, by what was asked to be measured: exactly or as the
    /// sketches say; none if nothing was verified.
    pub similarity: Option<f64>,
    /// For a dropped document, the overlap of its set (`a`) with its representative's, if it was counted.
    pub overlap: Option<Overlap>,
    /// Documents in its group, itself among them.
    pub cluster_size: usize,
}

impl Decision {
    /// Whether the document stays.
    pub fn is_kept(&self) -> bool {
        self.representative.is_none()
    }
}

/// In words, for people: `dropped: near duplicate of 0, similarity 0.91`.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.reason {
            Reason::Unique => return f.write_str("kept: it has no duplicate"),
            Reason::Representative => {
                let dropped = self.cluster_size - 1;
                return write!(f, "kept: it represents {dropped} dropped duplicate{}", if dropped == 1 { "" } else { "s" });
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
            Some(similarity) if self.reason != Reason::Exact => write!(f, ", similarity {similarity:.2}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_in_words() {
        let kept =
            |reason, cluster_size| Decision { reason, representative: None, similarity: None, overlap: None, cluster_size };
        assert_eq!(kept(Reason::Unique, 1).to_string(), "kept: it has no duplicate");
        assert_eq!(kept(Reason::Representative, 2).to_string(), "kept: it represents 1 dropped duplicate");
        assert_eq!(kept(Reason::Representative, 4).to_string(), "kept: it represents 3 dropped duplicates");
        assert_eq!(kept(Reason::Empty, 1).to_string(), "kept: it is empty");
        let dropped = |reason, similarity| Decision { representative: Some(7), similarity, ..kept(reason, 2) };
        assert_eq!(dropped(Reason::Exact, Some(1.0)).to_string(), "dropped: exact duplicate of 7");
        assert_eq!(dropped(Reason::Near, Some(0.914)).to_string(), "dropped: near duplicate of 7, similarity 0.91");
        assert_eq!(dropped(Reason::Contained, Some(1.0)).to_string(), "dropped: contained in 7, similarity 1.00");
        assert_eq!(dropped(Reason::Near, None).to_string(), "dropped: near duplicate of 7");
    }
}
