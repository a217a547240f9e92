//! The decisions file: one JSON line for each document, in input order.

use lookalike::{
    Reason,
    verify::{Measure, Overlap},
};
use serde::Serialize;

use crate::error::{Error, Result};

/// Returns the verdict about a document, as in a decisions file.
pub(crate) fn verdict(is_dropped: bool) -> &'static str {
    if is_dropped { "dropped" } else { "kept" }
}

/// The known similarity of a dropped document to its representative.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Likeness {
    /// Both shingle sets were counted, so the similarity is exact.
    Counted(Overlap),
    /// The canonical forms of both texts are equal: the texts differ only in what is ignored, such as case and punctuation.
    Same,
    /// The measure was estimated from sketches.
    Estimated(Measure, f64),
    /// The similarity was not measured.
    Unknown,
}

impl Likeness {
    /// Returns the resemblance, the containment, and the representative's containment, as far as they are known.
    pub fn figures(self) -> [Option<f64>; 3] {
        let counted =
            |o: Overlap| [o.resemblance(), o.containment(), o.swapped().containment()].map(Some);
        match self {
            Self::Counted(overlap) => counted(overlap),
            Self::Same => [Some(1.0); 3],
            Self::Estimated(Measure::Resemblance, value) => [Some(value), None, None],
            Self::Estimated(Measure::Containment, value) => [None, Some(value), None],
            Self::Unknown => [None; 3],
        }
    }

    /// Returns the similarity by this measure: the value that the run compared with its threshold. For a document that was
    /// dropped because it contains its representative, this is the representative's containment.
    pub fn similarity(self, reason: Reason, measure: Measure) -> Option<f64> {
        let [resemblance, containment, of_representative] = self.figures();
        match (measure, reason) {
            (Measure::Resemblance, _) => resemblance,
            (Measure::Containment, Reason::Holds) => of_representative,
            (Measure::Containment, _) => containment,
        }
    }

    /// Returns whether the similarities are estimated from sketches.
    pub fn is_estimated(self) -> bool {
        matches!(self, Self::Estimated(..))
    }
}

/// The document because of which another document is dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Representative<'a> {
    /// The number of the representative, from 0. A reference is counted among the references, and any other document among the
    /// documents of the inputs.
    pub row: u64,
    /// The representative's id, as in the input.
    pub id: &'a str,
    /// The place of the representative, such as its file and line, if the representative is a reference. The id is not sufficient
    /// then, because a kept document may have the same id.
    pub place: Option<&'a str>,
}

/// The decision about a document. Ids are JSON, as in the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decided<'a> {
    /// The document's id.
    pub id: &'a str,
    /// The reason why the document is kept or dropped.
    pub reason: Reason,
    /// The representative, if the document is dropped.
    pub representative: Option<Representative<'a>>,
    /// The similarity of a dropped document to its representative.
    pub likeness: Likeness,
    /// The number of documents in the document's group.
    pub cluster_size: u32,
    /// Whether the verdict is the opposite of the law's, because the run keeps another number of documents of each group. Everything
    /// else is what the law says.
    pub overruled: bool,
}

impl Decided<'_> {
    /// Returns the verdict in a decisions file.
    pub fn verdict(&self) -> &'static str {
        verdict(self.representative.is_some() != self.overruled)
    }

    /// Appends a line of the decisions file.
    ///
    /// # Errors
    /// No value that a decision can have causes an error. The method returns a `Result` only because the JSON serializer does.
    pub fn write_line(&self, into: &mut Vec<u8>) -> Result<()> {
        let mut lines = DecisionLines {
            bytes: std::mem::take(into),
        };
        let written = match self.representative {
            None => lines.kept(self),
            Some(representative) => lines.dropped(self, representative),
        };
        *into = lines.bytes;
        written
    }
}

/// The part of the line after the id, for a document that is similar to no other.
const UNIQUE: &[u8] =
    b",\"verdict\":\"kept\",\"reason\":\"unique\",\"representative\":null,\"resemblance\":null,\"containment\":null,\
    \"containment_of_representative\":null,\"cluster_size\":1}\n";

/// Lines that are being written. Ids are JSON, as in the input.
#[derive(Debug, Default)]
pub(crate) struct DecisionLines {
    pub(crate) bytes: Vec<u8>,
}

impl DecisionLines {
    /// Appends the line of a document that the law keeps.
    fn kept(&mut self, decided: &Decided) -> Result<()> {
        // Most lines are those of unique documents, so the part after the id is a constant.
        if decided.reason == Reason::Unique && decided.cluster_size == 1 {
            self.put("{\"id\":");
            self.put(decided.id);
            self.bytes.extend_from_slice(UNIQUE);
            return Ok(());
        }
        self.begin(decided);
        self.put("null");
        self.figures([None; 3])?;
        self.end(decided.cluster_size, false, None)
    }

    /// Appends the line of a document that the law drops.
    fn dropped(&mut self, decided: &Decided, representative: Representative) -> Result<()> {
        self.begin(decided);
        self.put(representative.id);
        self.figures(decided.likeness.figures())?;
        self.end(
            decided.cluster_size,
            decided.likeness.is_estimated(),
            representative.place,
        )
    }

    /// Appends the fields before the representative.
    fn begin(&mut self, decided: &Decided) {
        self.put("{\"id\":");
        self.put(decided.id);
        self.put(",\"verdict\":\"");
        self.put(decided.verdict());
        self.put("\",\"reason\":\"");
        self.put(reason_name(decided.reason));
        self.put("\",\"representative\":");
    }

    fn figures(
        &mut self,
        [resemblance, containment, of_representative]: [Option<f64>; 3],
    ) -> Result<()> {
        self.put(",\"resemblance\":");
        self.value(resemblance)?;
        self.put(",\"containment\":");
        self.value(containment)?;
        self.put(",\"containment_of_representative\":");
        self.value(of_representative)
    }

    fn end(&mut self, cluster_size: u32, estimated: bool, reference: Option<&str>) -> Result<()> {
        self.put(",\"cluster_size\":");
        self.value(cluster_size)?;
        if estimated {
            self.put(",\"estimated\":true");
        }
        if let Some(reference) = reference {
            self.put(",\"reference\":");
            self.value(reference)?;
        }
        self.put("}\n");
        Ok(())
    }

    fn put(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Appends a number, a string, or null.
    fn value(&mut self, value: impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.bytes, &value)
            .map_err(|error| Error::failure(format!("a decision: {error}")))
    }
}

/// Returns the name of a reason in a decisions file.
pub fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::Unique => "unique",
        Reason::Representative => "representative",
        Reason::Empty => "empty",
        Reason::Exact => "exact",
        Reason::Near => "near",
        Reason::Contained => "contained",
        Reason::Holds => "holds",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

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
        #[serde(skip_serializing_if = "Option::is_none")]
        reference: Option<&'a str>,
    }

    fn likeness() -> impl Strategy<Value = Likeness> {
        let overlap = (1u64..500, 0u64..500, 0u64..500);
        prop_oneof![
            overlap.prop_map(|(shared, a, b)| Likeness::Counted(Overlap {
                shared,
                a: shared + a,
                b: shared + b
            })),
            Just(Likeness::Same),
            (0f64..=1.0).prop_map(|value| Likeness::Estimated(Measure::Resemblance, value)),
            (0f64..=1.0).prop_map(|value| Likeness::Estimated(Measure::Containment, value)),
            Just(Likeness::Unknown),
        ]
    }

    proptest! {
        #[test]
        fn lines_equal_the_output_of_a_serialiser(
            id in prop_oneof![any::<String>().prop_map(serde_json::Value::from), any::<i64>().prop_map(serde_json::Value::from)],
            reason in prop::sample::select(vec![
                Reason::Unique, Reason::Representative, Reason::Empty, Reason::Exact, Reason::Near, Reason::Contained,
                Reason::Holds,
            ]),
            likeness in likeness(),
            cluster_size in prop_oneof![1u32..3, any::<u32>()],
            place: Option<String>,
            overruled: bool,
        ) {
            // The line of a unique document is a constant.
            prop_assume!(!overruled || reason != Reason::Unique);
            let id = serde_json::value::to_raw_value(&id).unwrap();
            let line = |has_representative: bool, [resemblance, containment, containment_of_representative]: [_; 3], estimated| {
                let representative = has_representative.then_some(&*id);
                let reference = place.as_deref().filter(|_| has_representative);
                let verdict = if has_representative != overruled { "dropped" } else { "kept" };
                let line = Line {
                    id: &id, verdict, reason, representative, resemblance, containment, containment_of_representative,
                    cluster_size, estimated, reference,
                };
                serde_json::to_string(&line).unwrap() + "\n"
            };
            let (mut kept, mut dropped) = (Vec::new(), Vec::new());
            let decided = Decided { id: id.get(), reason, representative: None, likeness, cluster_size, overruled };
            decided.write_line(&mut kept).unwrap();
            let representative = Some(Representative { row: 0, id: id.get(), place: place.as_deref() });
            Decided { representative, ..decided }.write_line(&mut dropped).unwrap();
            prop_assert_eq!(String::from_utf8(kept).unwrap(), line(false, [None; 3], false));
            let estimated = likeness.is_estimated();
            prop_assert_eq!(String::from_utf8(dropped).unwrap(), line(true, likeness.figures(), estimated));
        }
    }
}
