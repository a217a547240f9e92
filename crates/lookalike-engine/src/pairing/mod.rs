//! Who has to be compared at all: copies, and documents alone in all bands, are settled on the way.

mod bands;

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
    spill::{
        Budget, Spill,
        grouping::each_group,
        places::{Numbering, Places},
    },
};
use rayon::{ThreadPool, prelude::*};

use self::{
    bands::{Buckets, each_bucket},
    verdicts::Verdicts,
};
use crate::{
    config::{Observer, Progress, Stage},
    numbers::{Contender, Document, Rank},
    sketching::{order::Order, references::References, table::Table},
};

/// Keep order, and who has to be compared.
///
/// From here on a document is its rank, its place in keep order, and those that have to be compared, the *contenders*, have
/// numbers of their own, in keep order too: what later passes hold grows with them and not with the collection.
pub(crate) struct Pairing {
    pub(crate) order: Order,
    /// By document, and by rank.
    pub(crate) references: References,
    /// Each copy with its leader, the first in keep order with its digest; ranks, by copy.
    pub(crate) copies: Vec<(Rank, Rank)>,
    /// Where the copy of a rank stands there.
    places_of_copies: Numbering,
    /// Texts without a token: nobody's copies, and nobody's candidates.
    pub(crate) empty: Places,
    /// Leaders that may have a candidate among the other leaders.
    pub(crate) contenders: Numbering,
    bits: Bits,
    stride: usize,
    budget: Arc<Budget>,
}

/// The contenders' fixed-size sketches.
enum Bits {
    /// By number.
    Held(Sketches),
    /// Of all documents.
    OfDocuments(Spill<u8>),
    /// By number, where memory does not hold even those that are looked at.
    OfContenders(Spill<u8>),
}

impl Pairing {
    /// Puts documents in keep order and finds copies; all leaders but empty texts are contenders. Cost: two looks at each digest, and a sort of those that come again.
    pub(crate) fn new(table: &mut Table, pool: &ThreadPool) -> Result<Self> {
        let documents = table.documents;
        if documents > bands::MOST_DOCUMENTS {
            let what = format!("{documents} documents: more than {} are not possible", bands::MOST_DOCUMENTS);
            return Err(Error::new(ErrorKind::Input, what).advise("split them"));
        }
        let references = table.references;
        let order = Order::new(&table.keys, documents, references.documents, pool)?;
        table.keys.clear();
        let (empty, is_copy, leaders) = (Places::none(documents), Places::none(documents), Places::none(documents));
        let nothing = fingerprint::digest(&Tokens::new());
        table.digests.each_piece(1, |first, digests| {
            for (document, digest) in (first..).zip(digests) {
                let Rank(rank) = order.rank(Document(document));
                if *digest == nothing { empty.insert(rank) } else { leaders.insert(rank) }
            }
            Ok(())
        })?;
        let mut copies = Vec::new();
        let of_text = |document| Some(order.rank(Document(document)).0).filter(|&rank| !empty.contains(rank));
        each_group(&table.digests, &table.budget, pool, of_text, |group| {
            copies.extend(group[1..].iter().map(|&(_, rank)| (Rank(rank), Rank(group[0].1))));
            Ok(())
        })?;
        table.digests.clear();
        pool.install(|| copies.par_sort_unstable());
        let places = 4 * (documents / 8) as usize;
        table.budget.hold(size_of_val(&*copies) + table.blocks.bytes() + places);
        for &(Rank(copy), _) in &copies {
            is_copy.insert(copy);
            leaders.remove(copy);
        }
        let mut bits = Spill::new(&table.budget);
        std::mem::swap(&mut bits, &mut table.bits);
        let (bits, stride, budget) = (Bits::OfDocuments(bits), table.stride, table.budget.clone());
        Ok(Self {
            order,
            references,
            copies,
            places_of_copies: Numbering::of(is_copy),
            empty,
            contenders: Numbering::of(leaders),
            bits,
            stride,
            budget,
        })
    }

    /// The number of contenders; what is made for them has 32 bits for each.
    ///
    /// # Errors
    /// More than that.
    pub(crate) fn numbers(&self) -> Result<u32> {
        u32::try_from(self.contenders.len()).ok().filter(|&numbers| numbers < NONE).ok_or_else(|| {
            let (count, most) = (self.contenders.len(), NONE - 1);
            let what = format!("{count} documents have to be compared; more than {most} are not possible");
            Error::new(ErrorKind::Input, what).instead("split them")
        })
    }

    /// How many of the contenders are references; they have the first numbers.
    pub(crate) fn reference_numbers(&self) -> u32 {
        self.contenders.below(self.references.documents) as u32
    }

    /// The references among the contenders.
    pub(crate) fn numbered_references(&self) -> References {
        References { documents: self.reference_numbers().into(), ..self.references }
    }

    /// The document of a contender.
    pub(crate) fn document(&self, contender: Contender) -> Document {
        self.order.document(self.rank(contender))
    }

    /// The rank of a contender.
    pub(crate) fn rank(&self, contender: Contender) -> Rank {
        Rank(self.contenders.place(contender.0.into()))
    }

    /// The contender of a rank, if it is one's.
    pub(crate) fn number(&self, rank: Rank) -> Option<Contender> {
        self.contenders.number(rank.0).map(|number| Contender(number as u32))
    }

    /// Each copy of a contender, by rank, with its leader's number.
    pub(crate) fn copies_of_contenders(&self) -> impl Iterator<Item = (Rank, Contender)> {
        self.copies.iter().filter_map(|&(copy, leader)| Some((copy, self.number(leader)?)))
    }

    /// A copy's leader; ranks.
    pub(crate) fn leader(&self, copy: Rank) -> Option<Rank> {
        self.places_of_copies.number(copy.0).map(|at| self.copies[at as usize].1)
    }

    /// Whether a document stays among the inputs', once that is decided about the contenders.
    pub(crate) fn is_kept(&self, document: Document, verdicts: &Verdicts) -> bool {
        let rank = self.order.rank(document);
        let dropped = |number| verdicts.of(number).representative().is_some();
        let decided = match self.leader(rank) {
            Some(leader) if self.references.may_stand(leader) => return false,
            leader => leader.unwrap_or(rank),
        };
        !self.references.contains(rank) && !self.number(decided).is_some_and(dropped)
    }

    /// The fixed-size sketch of a contender; `room` holds what has to be read.
    #[inline]
    pub(crate) fn bits<'a>(&'a self, contender: Contender, room: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        let (store, at) = match &self.bits {
            Bits::Held(sketches) => return Ok(sketches.get(contender.0)),
            Bits::OfDocuments(all) => (all, self.document(contender).0),
            Bits::OfContenders(all) => (all, contender.0.into()),
        };
        store.get(at * self.stride as u64..(at + 1) * self.stride as u64, room)
    }

    /// Keeps of the contenders those of these ranks, and holds their sketches in memory if it can.
    pub(crate) fn narrow(&mut self, ranks: Places) -> Result<()> {
        let narrower = Numbering::of(ranks);
        let bytes = narrower.len().saturating_mul(self.stride as u64);
        if let Bits::Held(sketches) = &mut self.bits {
            let contenders = &self.contenders;
            self.budget.release(((contenders.len() - narrower.len()) as usize) * self.stride);
            sketches.keep(narrower.places().iter().filter_map(|rank| contenders.number(rank)).map(|number| number as u32));
        } else if bytes <= self.budget.room() as u64 / 2 {
            let mut held = Sketches::zeroed(self.stride, narrower.len() as usize);
            self.each_spilled(|rank, sketch| {
                if let Some(number) = narrower.number(rank) {
                    held.set(number as u32, sketch);
                }
                Ok(())
            })?;
            self.budget.hold(bytes as usize);
            self.bits = Bits::Held(held);
        } else if self.order.is_input() {
            // What nobody asks for any more gives its room on the disk back.
            let mut kept = Spill::new(&self.budget);
            self.each_spilled(|rank, sketch| if narrower.places().contains(rank) { kept.append(sketch) } else { Ok(()) })?;
            self.bits = Bits::OfContenders(kept);
        }
        self.contenders = narrower;
        Ok(())
    }

    /// Gives the sketches that lie in a file, with their ranks; in input order these ascend.
    fn each_spilled(&self, mut give: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let stride = self.stride.max(1);
        match &self.bits {
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
                    sketches.chunks_exact(stride).zip(&mut ranks).try_for_each(|(sketch, rank)| give(rank, sketch))
                })
            }
        }
    }

    /// Keeps as contenders those that share a band with a document whose b-bit sketch agrees with theirs: nobody else has a
    /// candidate. In many collections most of those that share a band do not. The `others` stay too. Gives the buckets that the
    /// contenders are in, by band.
    pub(crate) fn keep_likely(
        &mut self,
        table: &mut Table,
        method: &Method,
        others: Option<&Places>,
        pool: &ThreadPool,
        observer: Observer,
    ) -> Result<Vec<Vec<u32>>> {
        let documents = self.order.len();
        let sharing = Places::none(documents);
        let total = 2 * table.columns.len() as u64;
        let (done, at_most) = (AtomicU64::new(0), table.budget.room() / pool.current_num_threads());
        let tell = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            Progress::new(Stage::Pairing, done, total).tell(observer)
        };
        let budget = table.budget.clone();
        let gather = |room: &mut bands::Room, column: &mut Spill<u32>| {
            let mut buckets = Buckets::new(&budget);
            let place =
                |document| Some(self.order.rank(Document(document)).0).filter(|&rank| self.contenders.places().contains(rank));
            each_bucket(column, at_most, room, place, |bucket| {
                if !self.references.compared(bucket[0], bucket[bucket.len() - 1]) {
                    return Ok(());
                }
                bucket.iter().for_each(|&rank| sharing.insert(rank));
                buckets.push(bucket)
            })?;
            column.clear();
            tell()?;
            Ok(buckets)
        };
        let buckets: Result<Vec<Buckets>> =
            pool.install(|| table.columns.par_iter_mut().map_init(bands::Room::default, gather).collect());
        let buckets = buckets?;
        if let Some(others) = others {
            others.iter().for_each(|rank| sharing.insert(rank));
        }
        self.narrow(sharing)?;

        let likely = Places::none(documents);
        let mark = |buckets: &Buckets| -> Result<()> {
            let mut marking = Marking { pairing: self, method, likely: &likely, own: Vec::new(), other: Vec::new() };
            buckets.each(|bucket| marking.mark(bucket))?;
            tell()
        };
        pool.install(|| buckets.par_iter().try_for_each(mark))?;
        if let Some(others) = others {
            others.iter().for_each(|rank| likely.insert(rank));
        }
        self.narrow(likely)?;
        let numbers = self.numbers()?;
        self.budget.hold(numbers as usize * HELD_PER_CONTENDER);
        pool.install(|| buckets.into_par_iter().map(|buckets| self.label(&buckets, numbers)).collect())
    }

    /// Each contender's bucket in a band, or none where it is alone.
    fn label(&self, buckets: &Buckets, numbers: u32) -> Result<Vec<u32>> {
        let (mut column, mut members, mut count) = (vec![NONE; numbers as usize], Vec::new(), 0);
        buckets.each(|bucket| {
            members.clear();
            members.extend(bucket.iter().filter_map(|&rank| self.number(Rank(rank))));
            if members.len() > 1 {
                members.iter().for_each(|number| column[number.index()] = count);
                count += 1;
            }
            Ok(())
        })?;
        Ok(column)
    }
}

/// Bytes held of a contender until the end, besides its sketch and its set: its buckets (21 bands), its verdict, where its set
/// lies, the size of its group and its last copy.
const HELD_PER_CONTENDER: usize = 21 * 4 + 16 + 12 + 8;

/// Documents that are looked at before a document of a large bucket is taken as likely anyway: it costs a set that may not be
/// needed, where looking on would cost the square of the bucket.
const LOOKS: usize = 64;

/// Marks the documents of buckets that agree with another one of theirs.
struct Marking<'a> {
    pairing: &'a Pairing,
    method: &'a Method,
    /// Ranks.
    likely: &'a Places,
    own: Vec<u8>,
    other: Vec<u8>,
}

impl Marking<'_> {
    fn mark(&mut self, bucket: &[u64]) -> Result<()> {
        for (i, &rank) in bucket.iter().enumerate() {
            let (behind, before) = self.pairing.references.compared_with(i, bucket);
            if self.likely.contains(rank) {
                continue;
            }
            let Some(number) = self.pairing.number(Rank(rank)) else { continue };
            let own = self.pairing.bits(number, &mut self.own)?;
            let mut found = None;
            for &other in behind.iter().chain(before).take(LOOKS) {
                let Some(number) = self.pairing.number(Rank(other)) else { continue };
                if self.method.agree(own, self.pairing.bits(number, &mut self.other)?) {
                    found = Some(other);
                    break;
                }
            }
            if found.is_some() || behind.len() + before.len() > LOOKS {
                self.likely.insert(rank);
            }
            if let Some(other) = found {
                self.likely.insert(other);
            }
        }
        Ok(())
    }
}
