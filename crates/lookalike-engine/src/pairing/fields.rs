//! Pairs documents that are compared by several fields. Copies have equal texts in all fields. Each field has its own buckets: one
//! for each key of a band, and one for each text that several documents have.

use lookalike::{
    Candidates, Method,
    fingerprint::{Digest, DigestBy, EMPTY_DIGEST},
    lsh::NONE,
};
use lookalike_io::{
    error::Result,
    spill::{Spill, grouping::each_group, places::Places},
};
use rayon::ThreadPool;

use super::{Bits, Pairing, Telling, bands::Buckets};
use crate::{
    config::{Observer, SimilarIn},
    numbers::Document,
    sketching::{references::References, table::Table},
};

/// The buckets that the contenders are in, in one field.
pub(crate) struct FieldBuckets {
    /// The bucket of each contender in each band, or [`NONE`]. The last of these columns has the buckets of equal texts.
    pub(crate) columns: Vec<Vec<u32>>,
}

impl FieldBuckets {
    /// Returns which contenders have equal texts: their numbers are equal, and not [`NONE`].
    pub(crate) fn equal_texts(&self) -> Vec<u32> {
        self.columns.last().cloned().unwrap_or_default()
    }

    /// Returns an estimate of the number of pairs in buckets. A pair is counted once for each bucket that it shares.
    pub(crate) fn estimated_pairs(&self) -> u128 {
        let of_column = |column: &Vec<u32>| -> u128 {
            let mut sizes = vec![0u128; column.len()];
            let buckets = column.iter().filter(|&&bucket| bucket != NONE);
            buckets.for_each(|&bucket| sizes[bucket as usize] += 1);
            sizes.into_iter().map(|size| size * size / 2).sum()
        };
        self.columns.iter().map(of_column).sum()
    }
}

/// The number of documents whose digests are combined at a time.
const PIECE: u64 = 4096;

impl Pairing {
    /// Sorts documents by the keep order of the first field, finds copies, and pairs the other documents. `tables` has one table for
    /// each field. The contenders are the documents that may have a candidate in each field, or in any.
    pub(crate) fn of_fields(
        mut tables: Vec<&mut Table>,
        similar: SimilarIn,
        method: &Method,
        pool: &ThreadPool,
        observer: Observer,
    ) -> Result<(Self, Vec<FieldBuckets>)> {
        let digests: Vec<Spill<Digest>> = tables
            .iter_mut()
            .map(|table| std::mem::replace(&mut table.digests, Spill::new(&table.budget)))
            .collect();
        let references = tables[0].references;
        combine(&digests, similar, references, &mut tables[0].digests)?;
        let mut pairing = Self::new(tables[0], pool)?;
        let others = tables[1..].iter_mut().map(|table| Bits::of(table));
        pairing.bits.extend(others);
        let columns: usize = tables.iter().map(|table| table.columns.len() + 1).sum();
        let telling = Telling::new(2 * columns, observer);
        let (mut buckets, mut sharing) = (Vec::new(), Vec::new());
        for (table, digests) in tables.into_iter().zip(digests) {
            let (of_field, in_field) = pairing.in_field(table, &digests, method, pool, &telling)?;
            buckets.push(of_field);
            sharing.push(in_field);
        }
        pairing.narrow(together(sharing, similar))?;
        let likely = (0..)
            .zip(&buckets)
            .map(|(field, buckets)| pairing.likely(field, buckets, method, pool, &telling));
        let likely = likely.collect::<Result<_>>()?;
        pairing.narrow(together(likely, similar))?;
        let labelled = buckets.into_iter().map(|buckets| {
            let columns = pairing.labels(buckets, pool)?;
            Ok(FieldBuckets { columns })
        });
        let labelled = labelled.collect::<Result<_>>()?;
        Ok((pairing, labelled))
    }

    /// Returns the buckets of a field, and the ranks in them.
    fn in_field(
        &self,
        table: &mut Table,
        digests: &Spill<Digest>,
        method: &Method,
        pool: &ThreadPool,
        telling: &Telling,
    ) -> Result<(Vec<Buckets>, Places)> {
        let empty = Places::none(self.order.len());
        digests.each_piece(1, |first, digests| {
            let documents = (first..).zip(digests);
            documents
                .filter(|(_, digest)| **digest == EMPTY_DIGEST)
                .for_each(|(document, _)| empty.insert(self.order.rank(Document(document)).0));
            Ok(())
        })?;
        let place = |document| self.text(document).filter(|&rank| !empty.contains(rank));
        let (mut buckets, sharing) = self.sharing(table, place, pool, telling)?;
        if method.config().candidates == Candidates::All {
            let (mut all, mut pairs) = (Vec::new(), Buckets::new(&table.budget));
            let texts = self.contenders.places().iter();
            all.extend(texts.filter(|&rank| !empty.contains(rank)));
            if all.len() > 1 {
                self.take(&mut all, &mut pairs, &sharing)?;
            }
            buckets.push(pairs);
        }
        let mut equal = Buckets::new(&table.budget);
        each_group(digests, &table.budget, pool, place, |group| {
            let mut ranks: Vec<u64> = group.iter().map(|&(_, rank)| rank).collect();
            self.take(&mut ranks, &mut equal, &sharing)
        })?;
        buckets.push(equal);
        Ok((buckets, sharing))
    }
}

/// Combines the digests of each document's fields into one, which is that of an empty text if all fields are empty. If documents must
/// be candidates in each field, a document with an empty field is no copy of another one. No document is a copy of a reference,
/// because it may be as similar to a reference before that one.
fn combine(
    digests: &[Spill<Digest>],
    similar: SimilarIn,
    references: References,
    combined: &mut Spill<Digest>,
) -> Result<()> {
    let documents = digests[0].len();
    let mut scratches = vec![Vec::new(); digests.len()];
    let mut bytes = Vec::new();
    for start in (0..documents).step_by(PIECE as usize) {
        let range = start..documents.min(start + PIECE);
        let fields = digests.iter().zip(&mut scratches);
        let fields = fields.map(|(digests, scratch)| digests.get(range.clone(), scratch));
        let fields = fields.collect::<Result<Vec<_>>>()?;
        for document in range.clone() {
            let own = || fields.iter().map(|of| of[(document - start) as usize]);
            let is_empty = |digest| digest == EMPTY_DIGEST;
            bytes.clear();
            bytes.extend(own().flat_map(Digest::to_le_bytes));
            let is_open = similar == SimilarIn::Each && own().any(is_empty);
            if is_open || references.contains(document) {
                bytes.extend(document.to_le_bytes());
            }
            combined.append(&[if own().all(is_empty) {
                EMPTY_DIGEST
            } else {
                DigestBy::Xxh3.digest(&bytes)
            }])?;
        }
    }
    Ok(())
}

/// Returns the places of all fields that are in each of them, or in any.
fn together(fields: Vec<Places>, similar: SimilarIn) -> Places {
    let mut fields = fields.into_iter();
    let all = fields.next().unwrap_or_default();
    for other in fields {
        match similar {
            SimilarIn::Any => other.iter().for_each(|place| all.insert(place)),
            SimilarIn::Each => all
                .iter()
                .filter(|&place| !other.contains(place))
                .for_each(|place| all.remove(place)),
        }
    }
    all
}
