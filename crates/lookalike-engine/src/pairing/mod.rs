//! Determines which documents have to be compared. This step already decides copies, and documents
//! that have no candidate because they share no bucket with a document whose sketch is similar
//! enough to their own. The others are *contenders*, and get numbers of their own, in keep order.
//! From here on, memory grows with the number of contenders, not with the size of the collection.

mod bands;

pub(crate) mod fields;

pub(crate) mod shared;

pub(crate) mod greedy;

pub(crate) mod verdicts;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use lookalike::{Method, fingerprint, lsh::NONE, sketch::Sketches, text::Tokens};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    pool::{install, try_par_map, try_par_map_init},
    spill::{
        Budget, Spill,
        grouping::each_group,
        places::{Numbering, Places},
    },
};
use rayon::{ThreadPool, slice::ParallelSliceMut};

use self::{
    bands::{Buckets, each_bucket},
    verdicts::Verdicts,
};
use crate::{
    config::{Observer, Progress, Stage},
    numbers::{Contender, Document, Rank},
    sketching::{order::Order, references::References, table::Table},
};

/// The keep order of a collection (the order in which documents are considered), and the documents that have to be compared.
///
/// After this step a document is identified by its rank, which is its position in keep order. The documents that have to be
/// compared, the *contenders*, are also numbered among themselves in keep order. So the memory of later passes grows with the
/// number of contenders, and not with the size of the collection.
pub(crate) struct Pairing {
    pub(crate) order: Order,
    /// The references. They are the first documents, and also have the first ranks.
    pub(crate) references: References,
    /// Each copy with its first copy, which is the first document in keep order with the same digest. Both are given by rank. The
    /// list is sorted by copy.
    pub(crate) copies: Vec<(Rank, Rank)>,
    /// For the rank of each copy, its index in `copies`.
    places_of_copies: Numbering,
    /// Texts without a token: they are never copies and never candidates.
    pub(crate) empty: Places,
    /// First copies that may have a candidate among the other first copies.
    pub(crate) contenders: Numbering,
    /// The sketches of each compared field; there is usually one.
    bits: Vec<Bits>,
    stride: usize,
    budget: Arc<Budget>,
}

/// The contenders' fixed-size sketches.
enum Bits {
    /// Sketches in memory, by contender number.
    Held(Sketches),
    /// A file with the sketches of all documents.
    OfDocuments(Spill<u8>),
    /// A file with the contenders' sketches, by number. It is used if memory is too small even for the sketches of the contenders
    /// alone.
    OfContenders(Spill<u8>),
}

impl Bits {
    /// Takes the sketches of all documents.
    fn of(table: &mut Table) -> Self {
        let none = Spill::new(&table.budget);
        Self::OfDocuments(std::mem::replace(&mut table.bits, none))
    }
}

impl Pairing {
    /// Sorts documents by keep order, the order in which they are considered, and finds copies. All first copies become
    /// contenders, except empty texts. Cost: two lookups of each digest, and a sort of the digests that occur repeatedly.
    pub(crate) fn new(table: &mut Table, pool: &ThreadPool) -> Result<Self> {
        let documents = table.documents;
        if documents > bands::MOST_DOCUMENTS {
            let what = format!(
                "at most {} documents are possible, got {documents}",
                bands::MOST_DOCUMENTS
            );
            return Err(Error::new(ErrorKind::Input, what).advise("split the collection"));
        }
        let references = table.references;
        let order = Order::new(&table.keys, documents, references.documents, pool)?;
        table.keys.clear();
        let (empty, is_copy, first_copies) = (
            Places::none(documents),
            Places::none(documents),
            Places::none(documents),
        );
        let nothing = fingerprint::digest(&Tokens::new());
        table.digests.each_piece(1, |first, digests| {
            for (document, digest) in (first..).zip(digests) {
                let Rank(rank) = order.rank(Document(document));
                if *digest == nothing {
                    empty.insert(rank)
                } else {
                    first_copies.insert(rank)
                }
            }
            Ok(())
        })?;
        let mut copies = Vec::new();
        let of_text =
            |document| Some(order.rank(Document(document)).0).filter(|&rank| !empty.contains(rank));
        each_group(&table.digests, &table.budget, pool, of_text, |group| {
            copies.extend(
                group[1..]
                    .iter()
                    .map(|&(_, rank)| (Rank(rank), Rank(group[0].1))),
            );
            Ok(())
        })?;
        table.digests.clear();
        install(pool, || copies.par_sort_unstable());
        let places = 4 * (documents / 8) as usize;
        table
            .budget
            .hold(size_of_val(&*copies) + table.blocks.bytes() + places);
        for &(Rank(copy), _) in &copies {
            is_copy.insert(copy);
            first_copies.remove(copy);
        }
        let (bits, stride, budget) = (vec![Bits::of(table)], table.stride, table.budget.clone());
        Ok(Self {
            order,
            references,
            copies,
            places_of_copies: Numbering::of(is_copy),
            empty,
            contenders: Numbering::of(first_copies),
            bits,
            stride,
            budget,
        })
    }

    /// Sorts documents by keep order. The given documents are the contenders, and no document is a copy.
    pub(crate) fn of_contenders(
        table: &mut Table,
        contenders: impl Iterator<Item = Document>,
        empty: Places,
        pool: &ThreadPool,
    ) -> Result<Self> {
        let (documents, budget, references) =
            (table.documents, table.budget.clone(), table.references);
        let order = Order::new(&table.keys, documents, references.documents, pool)?;
        table.keys.clear();
        let ranks = Places::none(documents);
        contenders.for_each(|document| ranks.insert(order.rank(document).0));
        let (copies, places_of_copies) = (Vec::new(), Numbering::of(Places::none(documents)));
        let (contenders, bits) = (Numbering::of(ranks), Vec::new());
        Ok(Self {
            order,
            references,
            copies,
            places_of_copies,
            empty,
            contenders,
            bits,
            stride: 0,
            budget,
        })
    }

    /// Returns the number of contenders. It must fit into 32 bits, because later structures store contender numbers in 32 bits.
    ///
    /// # Errors
    /// Fails if there are more contenders than 32 bits can number.
    pub(crate) fn numbers(&self) -> Result<u32> {
        u32::try_from(self.contenders.len())
            .ok()
            .filter(|&numbers| numbers < NONE)
            .ok_or_else(|| {
                let (count, most) = (self.contenders.len(), NONE - 1);
                let what = format!("at most {most} documents can be compared, got {count}");
                Error::new(ErrorKind::Input, what).advise("split the collection")
            })
    }

    /// Returns how many of the contenders are references. References have the lowest contender numbers.
    pub(crate) fn reference_numbers(&self) -> u32 {
        self.contenders.below(self.references.documents) as u32
    }

    /// Returns the references among the contenders.
    pub(crate) fn numbered_references(&self) -> References {
        References {
            documents: self.reference_numbers().into(),
            ..self.references
        }
    }

    /// Returns the document of a contender.
    pub(crate) fn document(&self, contender: Contender) -> Document {
        self.order.document(self.rank(contender))
    }

    /// Returns the rank of a contender.
    pub(crate) fn rank(&self, contender: Contender) -> Rank {
        Rank(self.contenders.place(contender.0.into()))
    }

    /// Returns the contender with a rank; `None` if the document with this rank is not a contender.
    pub(crate) fn number(&self, rank: Rank) -> Option<Contender> {
        self.contenders
            .number(rank.0)
            .map(|number| Contender(number as u32))
    }

    /// Returns all copies of all contenders. Each copy is given by its rank, together with the contender that is its first copy.
    pub(crate) fn copies_of_contenders(&self) -> impl Iterator<Item = (Rank, Contender)> {
        self.copies
            .iter()
            .filter_map(|&(copy, first_copy)| Some((copy, self.number(first_copy)?)))
    }

    /// Returns the rank of a copy's first copy, given the copy's rank. Returns `None` if the document with the given rank is not
    /// a copy.
    pub(crate) fn first_copy(&self, copy: Rank) -> Option<Rank> {
        self.places_of_copies
            .number(copy.0)
            .map(|at| self.copies[at as usize].1)
    }

    /// Returns whether a document of the inputs is kept. The contenders must already be decided.
    pub(crate) fn is_kept(&self, document: Document, verdicts: &Verdicts) -> bool {
        let rank = self.order.rank(document);
        let dropped = |number| verdicts.of(number).representative().is_some();
        let decided = match self.first_copy(rank) {
            Some(first_copy) if self.references.may_represent(first_copy) => return false,
            first_copy => first_copy.unwrap_or(rank),
        };
        !self.references.contains(rank) && !self.number(decided).is_some_and(dropped)
    }

    /// Returns the fixed-size sketch of a contender in a field; `scratch` receives the sketch if it has to be read from a file.
    #[inline]
    pub(crate) fn bits<'a>(
        &'a self,
        field: usize,
        contender: Contender,
        scratch: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        let (store, at) = match &self.bits[field] {
            Bits::Held(sketches) => return Ok(sketches.get(contender.0)),
            Bits::OfDocuments(all) => (all, self.document(contender).0),
            Bits::OfContenders(all) => (all, contender.0.into()),
        };
        store.get(
            at * self.stride as u64..(at + 1) * self.stride as u64,
            scratch,
        )
    }

    /// Keeps only the contenders with these ranks, and holds their sketches in memory if possible.
    pub(crate) fn narrow(&mut self, ranks: Places) -> Result<()> {
        let narrower = Numbering::of(ranks);
        for bits in std::mem::take(&mut self.bits) {
            let bits = self.narrow_bits(bits, &narrower)?;
            self.bits.push(bits);
        }
        self.contenders = narrower;
        Ok(())
    }

    fn narrow_bits(&self, mut bits: Bits, narrower: &Numbering) -> Result<Bits> {
        let bytes = narrower.len().saturating_mul(self.stride as u64);
        if let Bits::Held(sketches) = &mut bits {
            let contenders = &self.contenders;
            self.budget
                .release(((contenders.len() - narrower.len()) as usize) * self.stride);
            sketches.keep(
                narrower
                    .places()
                    .iter()
                    .filter_map(|rank| contenders.number(rank))
                    .map(|number| number as u32),
            );
        } else if bytes <= self.budget.left() as u64 / 2 {
            let mut held = Sketches::zeroed(self.stride, narrower.len() as usize);
            self.each_spilled(&bits, |rank, sketch| {
                if let Some(number) = narrower.number(rank) {
                    held.set(number as u32, sketch);
                }
                Ok(())
            })?;
            self.budget.hold(bytes as usize);
            bits = Bits::Held(held);
        } else if self.order.is_input() {
            // Free the disk space of sketches that are no longer needed.
            let mut kept = Spill::new(&self.budget);
            self.each_spilled(&bits, |rank, sketch| {
                if narrower.places().contains(rank) {
                    kept.append(sketch)
                } else {
                    Ok(())
                }
            })?;
            bits = Bits::OfContenders(kept);
        }
        Ok(bits)
    }

    /// Passes the sketches in a file to `give`, with their ranks. The ranks ascend if documents are considered in input order.
    fn each_spilled(
        &self,
        bits: &Bits,
        mut give: impl FnMut(u64, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let stride = self.stride.max(1);
        match bits {
            Bits::Held(_) => Ok(()),
            Bits::OfDocuments(all) => all.each_piece(stride, |start, sketches| {
                let documents = start / stride as u64..;
                documents
                    .zip(sketches.chunks_exact(stride))
                    .try_for_each(|(d, sketch)| give(self.order.rank(Document(d)).0, sketch))
            }),
            Bits::OfContenders(all) => {
                let mut ranks = self.contenders.places().iter();
                all.each_piece(stride, |_, sketches| {
                    sketches
                        .chunks_exact(stride)
                        .zip(&mut ranks)
                        .try_for_each(|(sketch, rank)| give(rank, sketch))
                })
            }
        }
    }

    /// Keeps as contenders only the documents that share a band with a document whose b-bit sketch is similar enough to their
    /// own; no other document can have a candidate. In many collections, most documents that share a band have sketches that are
    /// too different. The documents in `others` also remain contenders. Returns the buckets that the contenders are in, by band.
    pub(crate) fn keep_likely(
        &mut self,
        table: &mut Table,
        method: &Method,
        others: Option<&Places>,
        pool: &ThreadPool,
        observer: Observer,
    ) -> Result<Vec<Vec<u32>>> {
        let telling = Telling::new(2 * table.columns.len(), observer);
        let place = |document| self.text(document);
        let (buckets, sharing) = self.sharing(table, place, pool, &telling)?;
        let with_others = |places: Places| {
            let others = others.into_iter().flat_map(Places::iter);
            others.for_each(|rank| places.insert(rank));
            places
        };
        self.narrow(with_others(sharing))?;
        let likely = self.likely(0, &buckets, method, pool, &telling)?;
        self.narrow(with_others(likely))?;
        self.labels(buckets, pool)
    }

    /// Returns the rank of a document that is a contender.
    fn text(&self, document: u64) -> Option<u64> {
        Some(self.order.rank(Document(document)).0)
            .filter(|&rank| self.contenders.places().contains(rank))
    }

    /// Returns the buckets of each band, and the ranks in them. `place` returns the rank of a document, if it is in buckets.
    fn sharing(
        &self,
        table: &mut Table,
        place: impl Fn(u64) -> Option<u64> + Sync,
        pool: &ThreadPool,
        telling: &Telling,
    ) -> Result<(Vec<Buckets>, Places)> {
        let sharing = Places::none(self.order.len());
        let at_most = table.budget.left() / pool.current_num_threads();
        let budget = table.budget.clone();
        let gather = |scratch: &mut bands::Scratch, column: &mut Spill<u32>| -> Result<_> {
            let mut buckets = Buckets::new(&budget);
            each_bucket(column, at_most, scratch, &place, |bucket| {
                self.take(bucket, &mut buckets, &sharing)
            })?;
            column.clear();
            telling.tell()?;
            Ok(buckets)
        };
        let columns = &mut table.columns;
        let buckets = install(pool, || {
            try_par_map_init(columns, bands::Scratch::default, gather)
        })?;
        Ok((buckets, sharing))
    }

    /// Adds a bucket of ascending ranks, unless none of them are compared.
    fn take(&self, bucket: &mut [u64], buckets: &mut Buckets, sharing: &Places) -> Result<()> {
        if !self
            .references
            .compared(bucket[0], bucket[bucket.len() - 1])
        {
            return Ok(());
        }
        bucket.iter().for_each(|&rank| sharing.insert(rank));
        buckets.push(bucket)
    }

    /// Returns the ranks in buckets whose sketch in a field is similar enough to that of another rank in the same bucket.
    fn likely(
        &self,
        field: usize,
        buckets: &[Buckets],
        method: &Method,
        pool: &ThreadPool,
        telling: &Telling,
    ) -> Result<Places> {
        let likely = Places::none(self.order.len());
        let mark = |buckets: &Buckets| -> Result<()> {
            let mut marking = Marking {
                pairing: self,
                field,
                method,
                likely: &likely,
                own: Vec::new(),
                other: Vec::new(),
            };
            buckets.each(|bucket| marking.mark(bucket))?;
            telling.tell()
        };
        install(pool, || try_par_map(buckets, mark))?;
        Ok(likely)
    }

    /// Returns the buckets that the contenders are in, by band.
    fn labels(&self, buckets: Vec<Buckets>, pool: &ThreadPool) -> Result<Vec<Vec<u32>>> {
        let numbers = self.numbers()?;
        self.budget.hold(numbers as usize * HELD_PER_CONTENDER);
        let label = |buckets: Buckets| self.label(&buckets, numbers);
        install(pool, || try_par_map(buckets, label))
    }

    /// Returns each contender's bucket in a band, or [`NONE`] if the contender is alone in its bucket.
    fn label(&self, buckets: &Buckets, numbers: u32) -> Result<Vec<u32>> {
        let (mut column, mut members, mut count) = (vec![NONE; numbers as usize], Vec::new(), 0);
        buckets.each(|bucket| {
            members.clear();
            members.extend(bucket.iter().filter_map(|&rank| self.number(Rank(rank))));
            if members.len() > 1 {
                members
                    .iter()
                    .for_each(|number| column[number.index()] = count);
                count += 1;
            }
            Ok(())
        })?;
        Ok(column)
    }
}

/// Reports how many of the bands are paired.
struct Telling<'a> {
    done: AtomicU64,
    total: usize,
    observer: Observer<'a>,
}

impl<'a> Telling<'a> {
    fn new(total: usize, observer: Observer<'a>) -> Self {
        Self {
            done: AtomicU64::new(0),
            total,
            observer,
        }
    }

    fn tell(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        Progress::new(Stage::Pairing, done, self.total as u64).tell(self.observer)
    }
}

/// Bytes that are held until the end for each contender, in addition to its sketch and its set. They hold its buckets (21 bands),
/// its verdict, the position of its set, the size of its group and its last copy.
const HELD_PER_CONTENDER: usize = 21 * 4 + 16 + 12 + 8;

/// The maximum number of documents with which a document is compared in its bucket. If the bucket has more documents, and none of
/// the compared sketches is similar enough to the document's sketch, the document is nevertheless treated as if it had a
/// candidate. If it has none, its set is made needlessly. But the cost of comparing all documents would grow with the square of
/// the bucket's size.
const LOOKS: usize = 64;

/// Marks the documents of a bucket that have a sketch similar enough to the sketch of another document in the bucket.
struct Marking<'a> {
    pairing: &'a Pairing,
    field: usize,
    method: &'a Method,
    /// The marked documents, by rank.
    likely: &'a Places,
    own: Vec<u8>,
    other: Vec<u8>,
}

impl Marking<'_> {
    fn mark(&mut self, bucket: &[u64]) -> Result<()> {
        for (i, &rank) in bucket.iter().enumerate() {
            let (after, before) = self.pairing.references.compared_with(i, bucket);
            if self.likely.contains(rank) {
                continue;
            }
            let Some(number) = self.pairing.number(Rank(rank)) else {
                continue;
            };
            let own = self.pairing.bits(self.field, number, &mut self.own)?;
            let mut found = None;
            for &other in after.iter().chain(before).take(LOOKS) {
                let Some(number) = self.pairing.number(Rank(other)) else {
                    continue;
                };
                if self
                    .method
                    .agree(own, self.pairing.bits(self.field, number, &mut self.other)?)
                {
                    found = Some(other);
                    break;
                }
            }
            if found.is_some() || after.len() + before.len() > LOOKS {
                self.likely.insert(rank);
            }
            if let Some(other) = found {
                self.likely.insert(other);
            }
        }
        Ok(())
    }
}
