//! The decisions file: one JSON line for each document, in input order.

use lookalike::{
    Reason,
    verify::{Measure, Overlap},
};
use serde::Serialize;

use crate::error::{Error, Result};

/// The verdict about a document with this representative, or with none.
pub(crate) fn verdict(representative: Option<&str>) -> &'static str {
    if representative.is_some() { "dropped" } else { "kept" }
}

/// What is known of a dropped document's likeness to its representative.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Likeness {
    /// Both sets were counted.
    Counted(Overlap),
    /// The canonical forms are the same.
    Same,
    /// The sketches estimate what is measured.
    Estimated(Measure, f64),
    /// Nobody looked.
    Unknown,
}

impl Likeness {
    /// Resemblance, containment, and the representative's containment, where they are known.
    pub fn figures(self) -> [Option<f64>; 3] {
        let counted = |o: Overlap| [o.resemblance(), o.containment(), o.swapped().containment()].map(Some);
        match self {
            Self::Counted(overlap) => counted(overlap),
            Self::Same => [Some(1.0); 3],
            Self::Estimated(Measure::Resemblance, value) => [Some(value), None, None],
            Self::Estimated(Measure::Containment, value) => [None, Some(value), None],
            Self::Unknown => [None; 3],
        }
    }

    /// The figure that was held against the threshold of a run that measures this: of a document that goes for what it contains, the
    /// other's.
    pub fn similarity(self, reason: Reason, measure: Measure) -> Option<f64> {
        let [resemblance, containment, of_representative] = self.figures();
        match (measure, reason) {
            (Measure::Resemblance, _) => resemblance,
            (Measure::Containment, Reason::Holds) => of_representative,
            (Measure::Containment, _) => containment,
        }
    }

    /// Whether the figures are what sketches say.
    pub fn is_estimated(self) -> bool {
        matches!(self, Self::Estimated(..))
    }
}

/// For what a document is dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Representative<'a> {
    /// Its number among the inputs' documents, or of a reference among the references', from 0.
    pub row: u64,
    /// Its id, as it stood in the input.
    pub id: &'a str,
    /// Where it stands, for a reference document: a kept one may have the same id.
    pub place: Option<&'a str>,
}

/// What was decided about a document. Ids are JSON, as they stood in the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decided<'a> {
    /// Whose decision it is.
    pub id: &'a str,
    /// Why it stays or goes.
    pub reason: Reason,
    /// The document that a dropped one was dropped for.
    pub representative: Option<Representative<'a>>,
    /// How like its representative a dropped document is.
    pub likeness: Likeness,
    /// Documents in its group.
    pub cluster_size: u32,
}

impl Decided<'_> {
    /// Appends the line of the decisions file.
    ///
    /// # Errors
    /// None that data reaches.
    pub fn write_line(&self, into: &mut Vec<u8>) -> Result<()> {
        let mut lines = DecisionLines { bytes: std::mem::take(into) };
        let written = match self.representative {
            None => lines.kept(self.id, self.reason, self.cluster_size),
            Some(representative) => lines.dropped(self.id, self.reason, representative, self.likeness, self.cluster_size),
        };
        *into = lines.bytes;
        written
    }
}

/// What stands behind the id of a document that is like no other.
const UNIQUE: &[u8] =
    b",\"verdict\":\"kept\",\"reason\":\"unique\",\"representative\":null,\"resemblance\":null,\"containment\":null,\
    \"containment_of_representative\":null,\"cluster_size\":1}\n";

/// Lines in the making. Ids are JSON, as they stood in the input.
#[derive(Debug, Default)]
pub(crate) struct DecisionLines {
    pub(crate) bytes: Vec<u8>,
}

impl DecisionLines {
    /// A kept document.
    pub(crate) fn kept(&mut self, id: &str, reason: Reason, cluster_size: u32) -> Result<()> {
        self.begin(id);
        // Most lines are such.
        if reason == Reason::Unique && cluster_size == 1 {
            self.bytes.extend_from_slice(UNIQUE);
            return Ok(());
        }
        self.put(",\"verdict\":\"kept\",\"reason\":\"");
        self.put(reason_name(reason));
        self.put("\",\"representative\":null");
        self.figures([None; 3])?;
        self.end(cluster_size, false, None)
    }

    /// A dropped document.
    pub(crate) fn dropped(
        &mut self,
        id: &str,
        reason: Reason,
        representative: Representative,
        likeness: Likeness,
        cluster_size: u32,
    ) -> Result<()> {
        self.begin(id);
        self.put(",\"verdict\":\"dropped\",\"reason\":\"");
        self.put(reason_name(reason));
        self.put("\",\"representative\":");
        self.put(representative.id);
        self.figures(likeness.figures())?;
        self.end(cluster_size, likeness.is_estimated(), representative.place)
    }

    fn begin(&mut self, id: &str) {
        self.put("{\"id\":");
        self.put(id);
    }

    fn figures(&mut self, [resemblance, containment, of_representative]: [Option<f64>; 3]) -> Result<()> {
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

    /// A number, a string, or null.
    fn value(&mut self, value: impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.bytes, &value).map_err(|error| Error::failure(format!("a decision: {error}")))
    }
}

/// What a decisions file calls a reason.
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
            overlap.prop_map(|(shared, a, b)| Likeness::Counted(Overlap { shared, a: shared + a, b: shared + b })),
            Just(Likeness::Same),
            (0f64..=1.0).prop_map(|value| Likeness::Estimated(Measure::Resemblance, value)),
            (0f64..=1.0).prop_map(|value| Likeness::Estimated(Measure::Containment, value)),
            Just(Likeness::Unknown),
        ]
    }

    proptest! {
        #[test]
        fn lines_are_what_a_serialiser_makes(
            id in prop_oneof![any::<String>().prop_map(serde_json::Value::from), any::<i64>().prop_map(serde_json::Value::from)],
            reason in prop::sample::select(vec![
                Reason::Unique, Reason::Representative, Reason::Empty, Reason::Exact, Reason::Near, Reason::Contained,
                Reason::Holds,
            ]),
            likeness in likeness(),
            cluster_size in prop_oneof![1u32..3, any::<u32>()],
            place: Option<String>,
        ) {
            let id = serde_json::value::to_raw_value(&id).unwrap();
            let line = |verdict, [resemblance, containment, containment_of_representative]: [_; 3], estimated| {
                let representative = (verdict == "dropped").then_some(&*id);
                let reference = place.as_deref().filter(|_| verdict == "dropped");
                let line = Line {
                    id: &id, verdict, reason, representative, resemblance, containment, containment_of_representative,
                    cluster_size, estimated, reference,
                };
                serde_json::to_string(&line).unwrap() + "\n"
            };
            let (mut kept, mut dropped) = (DecisionLines::default(), DecisionLines::default());
            kept.kept(id.get(), reason, cluster_size).unwrap();
            let representative = Representative { row: 0, id: id.get(), place: place.as_deref() };
            dropped.dropped(id.get(), reason, representative, likeness, cluster_size).unwrap();
            prop_assert_eq!(String::from_utf8(kept.bytes).unwrap(), line("kept", [None; 3], false));
            let estimated = likeness.is_estimated();
            prop_assert_eq!(String::from_utf8(dropped.bytes).unwrap(), line("dropped", likeness.figures(), estimated));
        }
    }
}
