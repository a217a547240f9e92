//! Reads a list of pairs, and finds the documents that it names.

use lookalike::{
    shown::cut,
    verify::{Measure, Overlap},
};
use lookalike_io::{
    error::{Error, Result},
    read::Source,
    write::Likeness,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    deciding::listed::Match,
    numbers::Contender,
    pass::lines::{each_line_of, is_id, not_an_id, parse, two_documents, valid_similarity},
    sketching::ids::hash_name,
};

/// The documents of a collection by the hashes of their ids, which are sorted.
pub(super) type Documents = Vec<(u128, u64)>;

fn find(documents: &Documents, id: &RawValue) -> Result<u64> {
    if !is_id(id.get()) {
        return Err(not_an_id(id.get()));
    }
    let at = documents.binary_search_by_key(&hash_name(id.get()), |row| row.0).map_err(|_| {
        Error::record(format!("no document has the id {}", cut(id.get()))).advise(
            "name the inputs of the run that listed the pairs; pairs with reference documents cannot be applied, and 1 and \"1\" are \
             different ids",
        )
    })?;
    Ok(documents[at].1)
}

/// A line of the list. Other fields are ignored.
#[derive(Deserialize)]
struct PairLine<'a> {
    #[serde(borrow)]
    a: &'a RawValue,
    #[serde(borrow)]
    b: &'a RawValue,
    resemblance: Option<f64>,
    jaccard: Option<f64>,
    similarity: Option<f64>,
    intersection: Option<u32>,
    size_a: Option<u32>,
    size_b: Option<u32>,
}

/// Returns the resemblance of a pair, and what is known about it.
fn resemblance(line: &PairLine) -> Result<(f64, Likeness)> {
    if let (Some(shared), Some(a), Some(b)) = (line.intersection, line.size_a, line.size_b) {
        if shared > a.min(b) || a.max(b) == 0 {
            let what = format!("{shared} shingles cannot be shared by sets of {a} and {b}");
            return Err(Error::record(what)
                .in_field("intersection")
                .advise("use the pairs of a single run"));
        }
        let overlap = Overlap {
            shared: shared.into(),
            a: a.into(),
            b: b.into(),
        };
        return Ok((overlap.resemblance(), Likeness::Counted(overlap)));
    }
    let Some(value) = line.resemblance.or(line.jaccard).or(line.similarity) else {
        let wrong = Error::record("the pair has no resemblance");
        return Err(wrong.advise("list pairs with their resemblance, as `lookalike pairs` does, or as jaccard or similarity"));
    };
    Ok((
        valid_similarity(value)?,
        Likeness::Estimated(Measure::Resemblance, value),
    ))
}

/// A pair of two documents.
pub(super) struct Pair {
    pub(super) documents: [u64; 2],
    pub(super) similarity: f64,
    likeness: Likeness,
}

impl Pair {
    /// Returns the pair with its documents in keep order. `number` returns the number of a document in keep order.
    pub(super) fn ordered(&self, number: impl Fn(u64) -> Contender) -> Match {
        let Self {
            similarity,
            likeness,
            ..
        } = *self;
        let [a, b] = self.documents.map(number);
        // The figures are those of the document that may be dropped.
        match (a > b, likeness) {
            (true, _) => Match {
                later: a,
                earlier: b,
                similarity,
                likeness,
            },
            (false, Likeness::Counted(overlap)) => Match {
                later: b,
                earlier: a,
                similarity,
                likeness: Likeness::Counted(overlap.swapped()),
            },
            (false, _) => Match {
                later: b,
                earlier: a,
                similarity,
                likeness,
            },
        }
    }
}

/// Passes each pair of a list to `give`.
pub(super) fn each_pair(
    list: &Source,
    documents: &Documents,
    mut give: impl FnMut(Pair) -> Result<()>,
) -> Result<()> {
    each_line_of(list, |line, _, _| {
        let line: PairLine = parse(
            line,
            "{\"a\": \"one id\", \"b\": \"another\", \"resemblance\": 0.9}",
        )?;
        let (similarity, likeness) = resemblance(&line)?;
        give(Pair {
            documents: two_documents([line.a, line.b], |id| find(documents, id))?,
            similarity,
            likeness,
        })
    })
}
