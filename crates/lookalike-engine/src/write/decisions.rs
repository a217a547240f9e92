//! The decisions file: one JSON line for each document, in input order.

use lookalike::{
    Reason,
    verify::{Measure, Overlap},
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};

/// The fields of a line, in their order.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a RawValue,
    verdict: &'static str,
    reason: Reason,
    representative: Option<&'a RawValue>,
    resemblance: Option<f64>,
    containment: Option<f64>,
    containment_of_representative: Option<f64>,
    cluster_size: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    estimated: bool,
}

/// What is known of a dropped document's likeness to its representative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Likeness {
    /// Both sets were counted.
    Counted(Overlap),
    /// The canonical forms are the same.
    Same,
    /// The sketches estimate what is measured.
    Estimated(Measure, f64),
    /// Nobody looked.
    Unknown,
}

/// What stands before and behind the id of a document that is like no other.
const UNIQUE: (&str, &str) = (
    "{\"id\":",
    ",\"verdict\":\"kept\",\"reason\":\"unique\",\"representative\":null,\"resemblance\":null,\"containment\":null,\
     \"containment_of_representative\":null,\"cluster_size\":1}\n",
);

/// Lines in the making.
#[derive(Debug, Default)]
pub(crate) struct DecisionLines {
    pub(crate) bytes: Vec<u8>,
}

impl DecisionLines {
    /// A kept document.
    pub(crate) fn kept(&mut self, id: &RawValue, reason: Reason, cluster_size: u32) -> Result<()> {
        // Most lines are such, and of one form: no need to take them apart.
        if reason == Reason::Unique && cluster_size == 1 {
            self.bytes.extend_from_slice(UNIQUE.0.as_bytes());
            self.bytes.extend_from_slice(id.get().as_bytes());
            self.bytes.extend_from_slice(UNIQUE.1.as_bytes());
            return Ok(());
        }
        self.push(&Line {
            id,
            verdict: "kept",
            reason,
            representative: None,
            resemblance: None,
            containment: None,
            containment_of_representative: None,
            cluster_size,
            estimated: false,
        })
    }

    /// A dropped document.
    pub(crate) fn dropped(
        &mut self,
        id: &RawValue,
        reason: Reason,
        representative: &RawValue,
        likeness: Likeness,
        cluster_size: u32,
    ) -> Result<()> {
        let overlap = match likeness {
            Likeness::Counted(overlap) => Some(overlap),
            Likeness::Same => Some(Overlap { shared: 1, a: 1, b: 1 }),
            Likeness::Estimated(..) | Likeness::Unknown => None,
        };
        let estimated = |measure| match likeness {
            Likeness::Estimated(of, value) if of == measure => Some(value),
            _ => None,
        };
        self.push(&Line {
            id,
            verdict: "dropped",
            reason,
            representative: Some(representative),
            resemblance: overlap.map(Overlap::resemblance).or(estimated(Measure::Resemblance)),
            containment: overlap.map(Overlap::containment).or(estimated(Measure::Containment)),
            containment_of_representative: overlap.map(|o| o.swapped().containment()),
            cluster_size,
            estimated: matches!(likeness, Likeness::Estimated(..)),
        })
    }

    fn push(&mut self, line: &Line) -> Result<()> {
        serde_json::to_writer(&mut self.bytes, line)
            .map_err(|error| Error::new(ErrorKind::Output, format!("a decision: {error}")))?;
        self.bytes.push(b'\n');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_like_no_other_has_the_line_that_a_serialiser_makes() {
        let id: Box<RawValue> = serde_json::from_str("\"a\"").unwrap();
        let line = Line {
            id: &id,
            verdict: "kept",
            reason: Reason::Unique,
            representative: None,
            resemblance: None,
            containment: None,
            containment_of_representative: None,
            cluster_size: 1,
            estimated: false,
        };
        let (mut whole, mut short) = (DecisionLines::default(), DecisionLines::default());
        whole.push(&line).unwrap();
        short.kept(&id, Reason::Unique, 1).unwrap();
        assert_eq!(whole.bytes, short.bytes);
    }
}
