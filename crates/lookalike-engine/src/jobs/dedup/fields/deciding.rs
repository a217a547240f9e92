//! Applies the law to several fields together.

use lookalike::cluster::Best;
use lookalike_io::{error::Result, write::Likeness};

use super::classes::{FieldClasses, InField};
use crate::{
    config::SimilarIn,
    deciding::listed::Decided,
    numbers::{Contender, Document},
    pairing::Pairing,
};

/// Returns whether a document may match another one.
pub(super) fn may_match(fields: &[FieldClasses], document: Document, similar: SimilarIn) -> bool {
    let mut in_field = fields.iter().map(|field| field.class(document).is_some());
    match similar {
        SimilarIn::Each => in_field.all(|found| found),
        SimilarIn::Any => in_field.any(|found| found),
    }
}

/// The kept documents of each class of a field.
type KeptOf = Vec<Vec<Contender>>;

/// The best kept match of a document so far.
#[derive(Default)]
struct Found(Option<(Best, Likeness)>);

impl Found {
    fn improve(&mut self, kept: Contender, InField { similarity, likeness }: InField) {
        let own = Best { document: kept.0, rank: kept.0, similarity };
        if own.beats(self.0.map(|found| found.0)) {
            self.0 = Some((own, likeness));
        }
    }
}

/// Decides about all contenders in keep order. A document is compared with the kept documents of the classes that match its own.
/// If it must be similar in each field, these are the classes of the field in which they have the fewest kept documents.
pub(super) fn decide(pairing: &Pairing, fields: &[FieldClasses], similar: SimilarIn) -> Result<Decided> {
    let (numbers, references) = (pairing.numbers()?, pairing.reference_numbers());
    let mut decided = Decided::all_kept(numbers);
    let mut kept: Vec<KeptOf> = fields.iter().map(|field| vec![Vec::new(); field.len()]).collect();
    for document in (0..numbers).map(Contender) {
        let is_reference = document.0 < references;
        let own: Vec<Option<u32>> = fields.iter().map(|field| field.class(pairing.document(document))).collect();
        if !is_reference {
            let found = match similar {
                SimilarIn::Any => in_any(fields, &own, &kept),
                SimilarIn::Each => in_each(pairing, fields, &own, &kept),
            };
            if let Some((best, likeness)) = found.0 {
                decided.drop(document, Contender(best.document), likeness);
                continue;
            }
        }
        if is_reference || !pairing.references.only {
            for (class, kept) in own.into_iter().zip(&mut kept) {
                class.into_iter().for_each(|class| kept[class as usize].push(document));
            }
        }
    }
    Ok(decided)
}

/// Finds the best kept document that is similar in any field.
fn in_any(fields: &[FieldClasses], own: &[Option<u32>], kept: &[KeptOf]) -> Found {
    let mut found = Found::default();
    for ((field, &class), kept) in fields.iter().zip(own).zip(kept) {
        for (other, in_field) in class.into_iter().flat_map(|class| field.similar(class)) {
            kept[other as usize].iter().for_each(|&kept| found.improve(kept, in_field));
        }
    }
    found
}

/// Finds the best kept document that is similar in each field.
fn in_each(pairing: &Pairing, fields: &[FieldClasses], own: &[Option<u32>], kept: &[KeptOf]) -> Found {
    let mut found = Found::default();
    let Some(own) = own.iter().copied().collect::<Option<Vec<u32>>>() else { return found };
    let candidates =
        |field: usize| fields[field].similar(own[field]).map(|(other, _)| kept[field][other as usize].len()).sum::<usize>();
    let Some(fewest) = (0..fields.len()).min_by_key(|&field| candidates(field)) else { return found };
    for (other, _) in fields[fewest].similar(own[fewest]) {
        for &kept in &kept[fewest][other as usize] {
            let in_field = |field: usize| fields[field].between(own[field], fields[field].class(pairing.document(kept))?);
            if let Some(least) = least(fields.len(), in_field) {
                found.improve(kept, least);
            }
        }
    }
    found
}

/// Returns the least similarity of all fields, if the documents match in each of them. If several fields have it, one with texts that
/// are not equal counts, so that documents are exact duplicates only if they are equal in all fields.
fn least(fields: usize, in_field: impl Fn(usize) -> Option<InField>) -> Option<InField> {
    let mut least: Option<InField> = None;
    for field in 0..fields {
        let own = in_field(field)?;
        let is_less = least.is_none_or(|least| {
            own.similarity < least.similarity || own.similarity == least.similarity && least.likeness == Likeness::Same
        });
        if is_less {
            least = Some(own);
        }
    }
    least
}
