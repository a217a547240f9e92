//! Finds the matches of several fields.

use lookalike::{Method, shown::quoted};
use lookalike_io::{error::Result, read::Source};
use rayon::ThreadPool;

use super::{
    classes::{FieldClasses, FieldMatches},
    deciding::{ComparedBy, How},
    measured::MeasuredField,
};
use crate::{
    config::{Observer, RunConfig},
    deciding::all_matches::{Paired, Verified},
    matching::{finding::Finding, sets::Pass},
    sketching::{references::References, table::Table},
};

/// A field whose documents are sketched.
pub(super) struct SketchedField {
    pub(super) config: RunConfig,
    pub(super) source: Source,
    pub(super) table: Table,
}

/// The fields in which documents are compared, and the first of them, which is read again for the outputs.
pub(super) struct Compared {
    pub(super) fields: Vec<ComparedBy>,
    pub(super) first: SketchedField,
}

/// How the matches of fields are found.
pub(super) struct Matching<'a> {
    pub(super) method: &'a Method,
    pub(super) pool: &'a ThreadPool,
    pub(super) observer: Observer<'a>,
}

impl Matching<'_> {
    /// Finds all matches in each field. The other fields are sketched one after the other.
    pub(super) fn any(
        &self,
        mut first: SketchedField,
        others: impl Iterator<Item = Result<SketchedField>>,
    ) -> Result<Compared> {
        let mut fields = vec![self.matched(&mut first)?];
        for other in others {
            fields.push(self.matched(&mut other?)?);
        }
        Ok(Compared { fields, first })
    }

    /// Finds all matches in the field with the fewest candidate pairs, and makes the sets of the other fields.
    pub(super) fn each(
        &self,
        first: SketchedField,
        others: impl Iterator<Item = Result<SketchedField>>,
    ) -> Result<Compared> {
        let (mut paired, mut pairs) = (Vec::new(), Vec::new());
        for field in [Ok(first)].into_iter().chain(others) {
            let mut field = field?;
            let own = self.paired(&mut field)?;
            pairs.push(own.estimated_pairs(self.method)?);
            paired.push((field, own));
        }
        let fewest = (0..pairs.len()).min_by_key(|&at| pairs[at]).unwrap_or(0);
        let (chosen, own) = paired.remove(fewest);
        // Only the chosen field needs its candidate pairs.
        let mut others: Vec<_> = paired
            .into_iter()
            .map(|(field, own)| (field, own.pairing))
            .collect();
        let (classes, finding) = self.verified(&chosen, own)?;
        let is_needed = |document| classes.class(document).is_some();
        let measured = others.iter().map(|(field, pairing)| {
            let how = How::Measured(MeasuredField::new(self.pass(field), pairing, is_needed)?);
            Ok(ComparedBy {
                name: field.config.text_field.clone(),
                how,
            })
        });
        let mut fields = measured.collect::<Result<Vec<_>>>()?;
        let name = chosen.config.text_field.clone();
        fields.insert(
            fewest,
            ComparedBy {
                name,
                how: How::Matched(classes, Box::new(finding)),
            },
        );
        let first = if fewest == 0 {
            chosen
        } else {
            others.swap_remove(0).0
        };
        Ok(Compared { fields, first })
    }

    fn matched(&self, field: &mut SketchedField) -> Result<ComparedBy> {
        let paired = self.paired(field)?;
        let (classes, finding) = self.verified(field, paired)?;
        Ok(ComparedBy {
            name: field.config.text_field.clone(),
            how: How::Matched(classes, Box::new(finding)),
        })
    }

    /// Pairs the documents of a field. References are paired with each other too, because a document may be a copy of one in this field,
    /// and not in another.
    fn paired(&self, field: &mut SketchedField) -> Result<Paired> {
        let references = References::of(field.table.references.documents);
        field.table.references = References {
            only: field.config.against_only,
            among: true,
            ..references
        };
        Paired::new(self.method, &mut field.table, self.pool, self.observer)
    }

    fn verified(&self, field: &SketchedField, paired: Paired) -> Result<(FieldClasses, Finding)> {
        let found = paired.verified(
            self.pass(field),
            |_, _| Ok(None),
            |_| Ok(FieldMatches::new()),
        )?;
        let Verified {
            pairing,
            matches,
            finding,
            ..
        } = found;
        log::info!(
            "field {}: {} matches",
            quoted(&field.config.text_field),
            matches.len()
        );
        Ok((FieldClasses::of(&pairing, matches)?, finding))
    }

    fn pass<'p>(
        &'p self,
        SketchedField {
            config,
            source,
            table,
        }: &'p SketchedField,
    ) -> Pass<'p> {
        let Self {
            method,
            pool,
            observer,
        } = *self;
        Pass {
            config,
            method,
            source,
            table,
            pool,
            observer,
        }
    }
}
