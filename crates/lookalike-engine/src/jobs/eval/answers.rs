//! Reads files of pairs and of decisions, and resolves ids to documents by their position in the input.

use std::path::Path;

use lookalike::{shown::cut, verify::Measure};
use lookalike_io::{
    error::{Error, Result, Setting},
    read::Reading,
    store::refuse_url,
    words,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{roll::Roll, sample::SimilarPair};
use crate::pass::lines::{
    as_written, each_line, not_an_id, parse, two_documents, valid_similarity,
};

/// A line of a file of pairs, as [`pairs`](crate::jobs::pairs::pairs) or other tools write them.
#[derive(Deserialize)]
struct PairLine<'a> {
    #[serde(borrow)]
    a: &'a RawValue,
    #[serde(borrow)]
    b: &'a RawValue,
    resemblance: Option<f64>,
    jaccard: Option<f64>,
    similarity: Option<f64>,
    containment: Option<f64>,
    containment_ab: Option<f64>,
    containment_ba: Option<f64>,
}

impl PairLine<'_> {
    /// Returns the similarity of the pair by a measure, or `None` if the line has no similarity of any kind.
    fn similarity(&self, measure: Measure) -> Result<Option<f64>> {
        let resemblance = self.resemblance.or(self.jaccard);
        let containments = [self.containment, self.containment_ab, self.containment_ba];
        let containment = containments.into_iter().flatten().reduce(f64::max);
        let (own, foreign, named) = match measure {
            Measure::Resemblance => (resemblance, containment, "resemblance or jaccard"),
            Measure::Containment => (
                containment,
                resemblance,
                "containment, or containment_ab and containment_ba",
            ),
        };
        match own.or(self.similarity) {
            None if foreign.is_some() => {
                let advice = words![
                    format!("give the similarity as {named}, or choose the other "),
                    "$measure"
                ];
                Err(Error::record(
                    "the line gives the similarity by a different measure than the run uses",
                )
                .advise(advice))
            }
            similarity => similarity.map(valid_similarity).transpose(),
        }
    }
}

/// Reads pairs of documents from JSON Lines (plain or compressed). Each line has the two ids as `a` and `b`, and may have the
/// similarity. The field for resemblance is `resemblance` or `jaccard`. The field for containment is `containment`, or
/// `containment_ab` and `containment_ba`, of which the larger counts. For either measure, the field can be `similarity`. Other
/// fields are ignored. Each pair is returned once, even if it occurs several times or with its documents in either order. Pairs
/// are sorted by (a, b). If a pair occurs with several similarities, the largest counts; a line without a similarity counts only
/// if no line of the pair has a similarity.
///
/// # Errors
/// Fails if a file cannot be read, or if a line is not a pair of this form, names a document that does not exist, or names the
/// same document twice.
pub fn read_pairs(
    path: &Path,
    roll: &Roll,
    measure: Measure,
    temp_dir: &Path,
) -> Result<Vec<SimilarPair>> {
    refuse_url(Setting("truth"), "file", path)?;
    let mut pairs = Vec::new();
    each_line(path, Reading::lines(), temp_dir, |line, _| {
        let line: PairLine = parse(line, "{\"a\": \"one id\", \"b\": \"another\"}")?;
        let similarity = line.similarity(measure)?;
        let [a, b] = two_documents([line.a, line.b], |id| named(roll, id))?;
        pairs.push(SimilarPair {
            a: a.min(b),
            b: a.max(b),
            similarity,
        });
        Ok(())
    })?;
    let rank = |pair: &SimilarPair| {
        (
            pair.a,
            pair.b,
            pair.similarity
                .map_or(0, |similarity| !similarity.to_bits()),
        )
    };
    pairs.sort_unstable_by_key(rank);
    pairs.dedup_by_key(|pair| (pair.a, pair.b));
    Ok(pairs)
}

#[derive(Deserialize)]
struct DecisionLine<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    representative: Option<&'a RawValue>,
    #[serde(borrow, default)]
    reference: Option<&'a RawValue>,
}

/// Reads the decisions that [`dedup`](crate::jobs::dedup::dedup) wrote about a collection. Returns each document's
/// representative, which is the document itself if it was kept.
///
/// # Errors
/// Fails if a file cannot be read, if it does not have exactly one decision for each document in `roll`, or if a document was
/// dropped for a reference document.
pub fn read_decisions(path: &Path, roll: &Roll, temp_dir: &Path) -> Result<Vec<u32>> {
    let mut representatives: Vec<Option<u32>> = vec![None; roll.documents() as usize];
    let reading = Reading::decisions(&path.display().to_string());
    each_line(path, reading, temp_dir, |line, block| {
        let line: DecisionLine = parse(line, "a decision that dedup wrote")?;
        if let Some(reference) = line.reference {
            let wrong = Error::record(format!(
                "the document was dropped as a duplicate of the reference document {}",
                cut(reference.get())
            ));
            return Err(wrong.advise("use the decisions of a run without $against"));
        }
        let of = |column: &str, id: &RawValue| named(roll, &as_written(id, column, block)?);
        let document = of("id", line.id)?;
        let representative = line
            .representative
            .map_or(Ok(document), |id| of("representative", id))?;
        match representatives[document as usize].replace(representative) {
            None => Ok(()),
            Some(_) => {
                let wrong = Error::record(format!(
                    "there is a second decision about {}",
                    cut(line.id.get())
                ));
                Err(wrong.advise("use the decisions of a single run"))
            }
        }
    })?;
    let incomplete = || {
        let wrong = Error::record("does not have a decision for each document")
            .at(path.display().to_string());
        wrong.advise("use the decisions of a run over the same input")
    };
    representatives
        .into_iter()
        .map(|representative| representative.ok_or_else(incomplete))
        .collect()
}

fn named(roll: &Roll, id: &RawValue) -> Result<u32> {
    let kind = match id.get().as_bytes().first() {
        Some(b'"') => "string",
        Some(b'-' | b'0'..=b'9') => "number",
        _ => return Err(not_an_id(id.get())),
    };
    roll.document(id.get()).ok_or_else(|| {
        let wrong = Error::record(format!(
            "no document has the id {} (a {kind})",
            cut(id.get())
        ));
        wrong
            .advise("ids must be written as in the collection, where 1 and \"1\" are different ids")
    })
}
