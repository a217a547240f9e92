//! Applies the law to several fields together. A document is compared only with the kept documents
//! of similar classes.

use lookalike::cluster::Best;
use lookalike_io::{error::Result, write::Likeness};

use super::{
    classes::{FieldClasses, InField},
    measured::{MeasuredField, Scratch},
};
use crate::{
    config::{Observer, Progress, SimilarIn, Stage},
    deciding::listed::Decided,
    matching::finding::Finding,
    numbers::{Contender, Document},
    pairing::Pairing,
};

/// A field in which documents are compared.
pub(super) struct ComparedBy {
    pub(super) name: String,
    pub(super) how: How,
}

/// How the documents of a field are compared.
pub(super) enum How {
    /// All matches were found, as the finding describes.
    Matched(FieldClasses, Box<Finding>),
    /// Pairs that match in another field are measured.
    Measured(MeasuredField),
}

impl How {
    /// Returns whether the text of a document is empty.
    pub(super) fn is_empty(&self, document: Document) -> bool {
        match self {
            Self::Matched(classes, _) => classes.is_empty(document),
            Self::Measured(measured) => measured.is_empty(document),
        }
    }

    fn class(&self, document: Document) -> Option<u32> {
        if let Self::Matched(classes, _) = self {
            classes.class(document)
        } else {
            None
        }
    }

    /// Returns the number of classes; 0 if no matches were found.
    fn classes(&self) -> usize {
        if let Self::Matched(classes, _) = self {
            classes.len()
        } else {
            0
        }
    }

    /// Returns how similar a document is to another one, if they match.
    fn between(
        &self,
        document: Document,
        other: Document,
        scratch: &mut Scratch,
    ) -> Result<Option<InField>> {
        match self {
            Self::Measured(measured) => measured.between(document, other, scratch),
            Self::Matched(classes, _) => {
                let both = classes.class(document).zip(classes.class(other));
                Ok(both.and_then(|(own, other)| classes.between(own, other)))
            }
        }
    }

    pub(super) fn finding(&self) -> Option<&Finding> {
        if let Self::Matched(_, finding) = self {
            Some(finding)
        } else {
            None
        }
    }

    pub(super) fn into_finding(self) -> Option<Finding> {
        if let Self::Matched(_, finding) = self {
            Some(*finding)
        } else {
            None
        }
    }
}

/// Returns whether a document may match another one.
pub(super) fn may_match(fields: &[ComparedBy], document: Document, similar: SimilarIn) -> bool {
    let is_in_class = fields
        .iter()
        .any(|field| field.how.class(document).is_some());
    is_in_class
        && (similar == SimilarIn::Any || !fields.iter().any(|field| field.how.is_empty(document)))
}

/// The kept documents of each class of a field.
type KeptOf = Vec<Vec<Contender>>;

/// The best kept match of a document so far.
#[derive(Default)]
struct Found(Option<(Best, Likeness)>);

impl Found {
    fn improve(
        &mut self,
        kept: Contender,
        InField {
            similarity,
            likeness,
        }: InField,
    ) {
        let own = Best {
            document: kept.0,
            rank: kept.0,
            similarity,
        };
        if own.beats(self.0.map(|found| found.0)) {
            self.0 = Some((own, likeness));
        }
    }
}

/// The number of documents after which progress is reported.
const TOLD: u32 = 256;

/// Decides about all contenders in keep order. A document is compared with the kept documents of the classes that match its own.
pub(super) fn decide(
    pairing: &Pairing,
    fields: &[ComparedBy],
    similar: SimilarIn,
    observer: Observer,
) -> Result<Decided> {
    let (numbers, references) = (pairing.numbers()?, pairing.reference_numbers());
    let mut decided = Decided::all_kept(numbers);
    let mut kept: Vec<KeptOf> = fields
        .iter()
        .map(|field| vec![Vec::new(); field.how.classes()])
        .collect();
    let mut scratch = Scratch::default();
    for document in (0..numbers).map(Contender) {
        if document.0 % TOLD == 0 {
            Progress::new(Stage::Deciding, document.0.into(), numbers.into()).tell(observer)?;
        }
        let is_reference = document.0 < references;
        let own: Vec<Option<u32>> = fields
            .iter()
            .map(|field| field.how.class(pairing.document(document)))
            .collect();
        if !is_reference {
            let mut found = Found::default();
            for ((field, &class), kept) in fields.iter().zip(&own).zip(&kept) {
                let (Some(class), How::Matched(classes, _)) = (class, &field.how) else {
                    continue;
                };
                for (other, in_field) in classes.similar(class) {
                    for &kept in &kept[other as usize] {
                        let likeness = match similar {
                            SimilarIn::Any => Some(in_field),
                            SimilarIn::Each => least(
                                fields,
                                [document, kept].map(|one| pairing.document(one)),
                                &mut scratch,
                            )?,
                        };
                        likeness
                            .into_iter()
                            .for_each(|likeness| found.improve(kept, likeness));
                    }
                }
            }
            if let Some((best, likeness)) = found.0 {
                decided.drop(document, Contender(best.document), likeness);
                continue;
            }
        }
        if is_reference || !pairing.references.only {
            for (class, kept) in own.into_iter().zip(&mut kept) {
                class
                    .into_iter()
                    .for_each(|class| kept[class as usize].push(document));
            }
        }
    }
    Ok(decided)
}

/// Returns the least similarity of all fields, if the documents match in each of them. If several fields have it, one with texts that
/// are not equal counts, so that documents are exact duplicates only if they are equal in all fields.
fn least(
    fields: &[ComparedBy],
    [document, kept]: [Document; 2],
    scratch: &mut Scratch,
) -> Result<Option<InField>> {
    let mut least: Option<InField> = None;
    for field in fields {
        let Some(own) = field.how.between(document, kept, scratch)? else {
            return Ok(None);
        };
        let is_less = least.is_none_or(|least| {
            own.similarity < least.similarity
                || own.similarity == least.similarity && least.likeness == Likeness::Same
        });
        if is_less {
            least = Some(own);
        }
    }
    Ok(least)
}
