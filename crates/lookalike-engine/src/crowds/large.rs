//! Stores the buckets that are large enough to become crowds (buckets with an index), and their documents.

use lookalike::lsh::NONE;
use lookalike_io::{
    error::Result,
    pool::par_map,
    spill::places::{Numbering, Places},
};
use rayon::slice::ParallelSliceMut;

use crate::pairing::Pairing;

/// Buckets of many contenders (documents that have to be compared). The number of a bucket is its *slot*. These buckets are known
/// before anything is decided, so they depend only on the documents. Memory: four bytes for each membership of a document in a
/// bucket, and twelve per document.
pub(crate) struct Large {
    /// The number of contenders.
    bound: u32,
    buckets: Vec<Bucket>,
    /// The contenders that are in at least one large bucket.
    members: Numbering,
    /// The position at which each member's slots start. Members have their own numbers, from 0, in the order of their contender
    /// numbers.
    starts: Vec<usize>,
    slots: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Bucket {
    pub(crate) band: u32,
    pub(crate) bucket: u32,
    /// The last contender in the bucket.
    pub(crate) last: u32,
    /// Whether a contender in the bucket has copies (identical documents). For a copy, neighbours in the bucket may be looked up
    /// even after the last contender is decided.
    pub(crate) copied: bool,
}

impl Large {
    /// Finds the buckets of at least `size` contenders in band columns. Returns `None` if there are no such buckets. Call this on
    /// the thread pool.
    pub(crate) fn of(columns: &[Vec<u32>], size: usize, pairing: &Pairing) -> Result<Option<Self>> {
        let numbers = pairing.numbers()?;
        // Collects the large buckets of one band with their last contenders. Also collects rows, each of which has a contender
        // and the index of its large bucket.
        let of_band = |column: &Vec<u32>| {
            let mut sizes: Vec<u32> = Vec::new();
            for &bucket in column.iter().filter(|&&bucket| bucket != NONE) {
                if bucket as usize >= sizes.len() {
                    sizes.resize(bucket as usize + 1, 0);
                }
                sizes[bucket as usize] += 1;
            }
            let (mut large, mut rows) = (Vec::new(), Vec::new());
            for (bucket, place) in (0u32..).zip(&mut sizes) {
                let is_large = *place as usize >= size;
                *place = if is_large { large.len() as u32 } else { NONE };
                large.extend(is_large.then_some((bucket, 0)));
            }
            if large.is_empty() {
                return (large, rows);
            }
            for (number, &bucket) in (0..numbers)
                .zip(column)
                .filter(|(_, bucket)| **bucket != NONE)
            {
                let place = sizes[bucket as usize];
                if place != NONE {
                    large[place as usize].1 = number;
                    rows.push((number, place));
                }
            }
            (large, rows)
        };
        let bands = par_map(columns, of_band);
        if bands.iter().all(|(large, _)| large.is_empty()) {
            return Ok(None);
        }
        let (mut slots, mut rows) = (Vec::new(), Vec::new());
        for (band, (large, of_band)) in (0..).zip(bands) {
            let first = slots.len() as u32;
            slots.extend(large.into_iter().map(|(bucket, last)| Bucket {
                band,
                bucket,
                last,
                copied: false,
            }));
            rows.extend(
                of_band
                    .into_iter()
                    .map(|(number, place)| (number, first + place)),
            );
        }
        rows.par_sort_unstable();
        let (members, mut starts) = (Places::none(numbers.into()), Vec::new());
        for (at, &(number, _)) in rows.iter().enumerate() {
            if at == 0 || rows[at - 1].0 != number {
                members.insert(number.into());
                starts.push(at);
            }
        }
        starts.push(rows.len());
        let slots_of = rows.into_iter().map(|(_, slot)| slot).collect();
        let mut large = Self {
            bound: numbers,
            buckets: slots,
            members: Numbering::of(members),
            starts,
            slots: slots_of,
        };
        for first_copy in pairing
            .copies_of_contenders()
            .map(|(_, first_copy)| first_copy.0)
        {
            for at in large.range(first_copy) {
                large.buckets[large.slots[at] as usize].copied = true;
            }
        }
        Ok(Some(large))
    }

    fn range(&self, contender: u32) -> std::ops::Range<usize> {
        match self.members.number(contender.into()) {
            Some(member) => self.starts[member as usize]..self.starts[member as usize + 1],
            None => 0..0,
        }
    }

    /// Returns the slots that a contender is in, ascending.
    pub(crate) fn slots(&self, contender: u32) -> &[u32] {
        &self.slots[self.range(contender)]
    }

    /// Returns the slots that two contenders share, ascending.
    pub(crate) fn shared(&self, a: u32, b: u32) -> impl Iterator<Item = u32> {
        let (mut a, b) = (self.slots(a).iter(), self.slots(b));
        let mut at = 0;
        std::iter::from_fn(move || {
            a.find_map(|&slot| {
                at += b[at..].iter().take_while(|&&other| other < slot).count();
                (b.get(at) == Some(&slot)).then_some(slot)
            })
        })
    }

    /// Returns whether two contenders share a slot.
    pub(crate) fn share(&self, a: u32, b: u32) -> bool {
        self.shared(a, b).next().is_some()
    }

    /// Returns how many of these contenders are in any large bucket.
    pub(crate) fn members(&self, numbers: std::ops::Range<u32>) -> u64 {
        self.members.below(numbers.end.into()) - self.members.below(numbers.start.into())
    }

    /// Returns all contenders in large buckets, ascending.
    pub(crate) fn all_members(&self) -> impl Iterator<Item = u32> {
        self.members.places().iter().map(|member| member as u32)
    }

    /// Returns whether a bucket of a band is large.
    pub(crate) fn has(&self, band: u32, bucket: u32) -> bool {
        self.buckets
            .binary_search_by_key(&(band, bucket), |large| (large.band, large.bucket))
            .is_ok()
    }

    pub(crate) fn bound(&self) -> u32 {
        self.bound
    }

    pub(crate) fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u32>()
            + self.starts.len() * size_of::<usize>()
            + self.buckets.len() * size_of::<Bucket>()
    }
}
