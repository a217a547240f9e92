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
    pass::lines::{each_line_of, no_id, parse},
    sketching::{ids::hash_name, table::Table},
};

/// The documents of a collection by their ids.
pub(super) struct Documents(Vec<(u128, u64)>);

impl Documents {
    pub(super) fn of(table: &Table) -> Result<Self> {
        let (mut rows, mut scratch) = (Vec::with_capacity(table.documents as usize), Vec::new());
        table.ids.each(0..table.documents, &mut scratch, |id| {
            rows.push((hash_name(id), rows.len() as u64));
            Ok(())
        })?;
        rows.sort_unstable();
        Ok(Self(rows))
    }

    fn find(&self, id: &RawValue) -> Result<u64> {
        if !id.get().starts_with(|c: char| matches!(c, '"' | '-' | '0'..='9')) {
            return Err(no_id(id));
        }
        let hash = hash_name(id.get());
        let at = self.0.binary_search_by_key(&hash, |row| row.0).map_err(|_| {
            Error::record(format!("no document has the id {}", cut(id.get()))).advise(
                "name the inputs of the run that listed the pairs; pairs with reference documents cannot be applied, and 1 and \"1\" \
                 are different ids",
            )
        })?;
        Ok(self.0[at].1)
    }
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

impl PairLine<'_> {
    /// Returns the resemblance, and what is known about it.
    fn resemblance(&self) -> Result<(f64, Likeness)> {
        if let (Some(shared), Some(a), Some(b)) = (self.intersection, self.size_a, self.size_b) {
            if shared > a.min(b) || a.max(b) == 0 {
                let what = format!("{shared} shingles cannot be shared by sets of {a} and {b}");
                return Err(Error::record(what).in_field("intersection").advise("use the pairs of a single run"));
            }
            let overlap = Overlap { shared: shared.into(), a: a.into(), b: b.into() };
            return Ok((overlap.resemblance(), Likeness::Counted(overlap)));
        }
        let Some(value) = self.resemblance.or(self.jaccard).or(self.similarity) else {
            let wrong = Error::record("the pair has no resemblance");
            return Err(wrong.advise("list pairs with their resemblance, as `lookalike pairs` does, or as jaccard or similarity"));
        };
        if !(0.0..=1.0).contains(&value) {
            return Err(Error::record(format!("{value} is not a similarity")).advise("give a number from 0 to 1"));
        }
        Ok((value, Likeness::Estimated(Measure::Resemblance, value)))
    }
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
        let Self { similarity, likeness, .. } = *self;
        let [a, b] = self.documents.map(number);
        // The figures are those of the document that may be dropped.
        match (a > b, likeness) {
            (true, _) => Match { later: a, earlier: b, similarity, likeness },
            (false, Likeness::Counted(overlap)) => {
                Match { later: b, earlier: a, similarity, likeness: Likeness::Counted(overlap.swapped()) }
            }
            (false, _) => Match { later: b, earlier: a, similarity, likeness },
        }
    }
}

/// Passes each pair of a list to `give`.
pub(super) fn each_pair(list: &Source, documents: &Documents, mut give: impl FnMut(Pair) -> Result<()>) -> Result<()> {
    each_line_of(list, |line, _, _| {
        let line: PairLine = parse(line, "{\"a\": \"one id\", \"b\": \"another\", \"resemblance\": 0.9}")?;
        let (similarity, likeness) = line.resemblance()?;
        let [a, b] = [line.a, line.b].map(|id| documents.find(id));
        let both = [a?, b?];
        if both[0] == both[1] {
            let what = format!("the pair has {} twice", cut(line.a.get()));
            return Err(Error::record(what).advise("give two different documents"));
        }
        give(Pair { documents: both, similarity, likeness })
    })
}
