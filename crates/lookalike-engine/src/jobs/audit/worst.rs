//! The worst cases, with the beginnings of their texts.

use std::collections::BTreeMap;

use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch},
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    removals::{Cause, Removal},
    result::NONE,
};
use crate::{
    matching::sets::Pass,
    pass::parallel::{Weigh, in_order},
    reporting::texts::beginning,
    sketching::ids::raw,
};

/// The number of bytes of a text that are shown.
const SHOWN: usize = 400;

/// A removal with a low similarity to all kept documents.
#[derive(Debug, Clone, Serialize)]
pub struct WorstRemoval {
    /// The id of the removed document.
    pub id: Box<RawValue>,
    /// Why the removal is justified or not.
    pub cause: Cause,
    /// The id of the most similar kept document; `None` if no kept document shares a shingle with the removed one.
    pub nearest: Option<Box<RawValue>>,
    /// The similarity to that document.
    pub similarity: f64,
    /// The beginning of the removed text.
    pub text: String,
    /// The beginning of the text of the most similar kept document.
    pub nearest_text: Option<String>,
}

/// A pair of similar documents that were both kept.
#[derive(Debug, Clone, Serialize)]
pub struct WorstMissed {
    /// The id of the first document.
    pub a: Box<RawValue>,
    /// The id of the second document.
    pub b: Box<RawValue>,
    /// Their similarity.
    pub similarity: f64,
    /// The beginning of the first text.
    pub text_a: String,
    /// The beginning of the second text.
    pub text_b: String,
}

/// Returns the removals with the lowest similarity to a kept document, the lowest first. Among equal ones, those that are not similar to any
/// document are first, then those that come first in the inputs.
fn lowest(removals: &[Removal], most: usize) -> Vec<Removal> {
    let is_known = |removal: &&Removal| !matches!(removal.cause, Cause::Empty | Cause::Unchecked);
    let mut known: Vec<Removal> = removals.iter().filter(is_known).copied().collect();
    let key = |removal: &Removal| {
        (
            removal.nearest.similarity.to_bits(),
            removal.cause != Cause::NotSimilar,
            removal.document,
        )
    };
    if known.len() > most {
        known.select_nth_unstable_by_key(most, key);
        known.truncate(most);
    }
    known.sort_unstable_by_key(key);
    known
}

/// Adds ids and texts to the worst cases, in one pass over the inputs.
pub(super) fn worst(
    pass: Pass,
    removals: &[Removal],
    missed: &[(u32, u32, f64)],
    most: usize,
) -> Result<(Vec<WorstRemoval>, Vec<WorstMissed>)> {
    let removals = lowest(removals, most);
    let of_removals = removals
        .iter()
        .flat_map(|removal| [removal.document, removal.nearest.document]);
    let of_missed = missed.iter().flat_map(|&(a, b, _)| [a, b]);
    let mut documents: Vec<u32> = of_removals
        .chain(of_missed)
        .filter(|&document| document != NONE)
        .collect();
    documents.sort_unstable();
    documents.dedup();
    let texts = texts(pass, &documents)?;
    let text = |document: u32| texts.get(&document).cloned().unwrap_or_default();
    let mut scratch = Vec::new();
    let mut id = |document: u32| {
        raw(pass.table.ids.get(document.into(), &mut scratch)?).map(ToOwned::to_owned)
    };
    let mut worst_removals = Vec::new();
    for Removal {
        document,
        cause,
        nearest,
        ..
    } in removals
    {
        let has_nearest = nearest.document != NONE;
        worst_removals.push(WorstRemoval {
            id: id(document)?,
            cause,
            nearest: has_nearest.then(|| id(nearest.document)).transpose()?,
            similarity: nearest.similarity,
            text: text(document),
            nearest_text: has_nearest.then(|| text(nearest.document)),
        });
    }
    let mut worst_missed = Vec::new();
    for &(a, b, similarity) in missed {
        worst_missed.push(WorstMissed {
            a: id(a)?,
            b: id(b)?,
            similarity,
            text_a: text(a),
            text_b: text(b),
        });
    }
    Ok((worst_removals, worst_missed))
}

/// The texts of a block.
struct Texts(Vec<(u32, String)>);

impl Weigh for Texts {
    fn weight(&self) -> usize {
        self.0.len() * SHOWN
    }
}

/// Returns the beginnings of the texts of these documents, which are sorted.
fn texts(pass: Pass, documents: &[u32]) -> Result<BTreeMap<u32, String>> {
    let Pass {
        source,
        table,
        pool,
        ..
    } = pass;
    let mut texts = BTreeMap::new();
    if documents.is_empty() {
        return Ok(texts);
    }
    in_order(
        pool,
        Blocks::again(source),
        |block, (scratch, plain): &mut (Scratch, String)| {
            let mut found = Vec::new();
            let info = table.info(block, source)?;
            info.each_document(block, source, |document, at| {
                if documents.binary_search(&(document as u32)).is_ok() {
                    let record = source.same_record(block, at, scratch)?;
                    found.push((
                        document as u32,
                        beginning(record.text.decode(plain), SHOWN).0,
                    ));
                }
                Ok(())
            })?;
            Ok(Texts(found))
        },
        |found| {
            texts.extend(found.0);
            Ok(())
        },
    )?;
    Ok(texts)
}
