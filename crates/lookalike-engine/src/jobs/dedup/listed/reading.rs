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
    numbers::{Contender, Document, Rank},
    pass::lines::{each_line_of, is_id, not_an_id, parse, two_documents, valid_similarity},
    sketching::{ids::hash_name, order::Order},
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

/// A pair in the form in which it is sorted and spilled: the ranks of the later document and the earlier one in keep order, the number of
/// shared shingles, and the sizes of both sets. If these are unknown, they are the bits of the resemblance and two zeros.
pub(super) type Row = [u64; 5];

/// Returns the resemblance of a pair, and the last three numbers of its row.
fn resemblance(line: &PairLine) -> Result<(f64, [u64; 3])> {
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
        return Ok((
            overlap.resemblance(),
            [overlap.shared, overlap.a, overlap.b],
        ));
    }
    let Some(value) = line.resemblance.or(line.jaccard).or(line.similarity) else {
        let wrong = Error::record("the pair has no resemblance");
        return Err(wrong.advise("list pairs with their resemblance, as `lookalike pairs` does, or as jaccard or similarity"));
    };
    Ok((valid_similarity(value)?, [value.to_bits(), 0, 0]))
}

/// Restores a pair. `number` returns the number of a rank.
pub(super) fn restored(
    [later, earlier, shared, a, b]: Row,
    number: impl Fn(Rank) -> Contender,
) -> Match {
    Match {
        later: number(Rank(later)),
        earlier: number(Rank(earlier)),
        likeness: match a {
            0 => Likeness::Estimated(Measure::Resemblance, f64::from_bits(shared)),
            _ => Likeness::Counted(Overlap { shared, a, b }),
        },
    }
}

/// Passes each pair of a list to `give`, with its similarity.
pub(super) fn each_pair(
    list: &Source,
    documents: &Documents,
    order: &Order,
    mut give: impl FnMut(f64, Row) -> Result<()>,
) -> Result<()> {
    each_line_of(list, |line, _, _| {
        let line: PairLine = parse(
            line,
            "{\"a\": \"one id\", \"b\": \"another\", \"resemblance\": 0.9}",
        )?;
        let (similarity, [shared, a, b]) = resemblance(&line)?;
        let pair = two_documents([line.a, line.b], |id| find(documents, id))?;
        let [first, second] = pair.map(|document| order.rank(Document(document)).0);
        let row = if first > second {
            [first, second, shared, a, b]
        } else {
            [second, first, shared, b, a]
        };
        give(similarity, row)
    })
}
