//! Finds the pairs of documents that share the required number of sampled fingerprints, with external sorting and merging
//! (Broder, Glassman, Manasse, Zweig 1997, section 4). A filter makes it possible to find the same pairs from fewer rows.
//!
//! The paper lists every pair of documents for every fingerprint that they share, and counts how often each pair is listed. With
//! this method, a fingerprint of 1,000 documents makes half a million rows, and a template of 50 such fingerprints makes 25
//! million. But if a document has n elements, and a pair must share k of them, then the pair shares one of the document's n − k +
//! 1 rarest elements. These elements are its prefix, as in the exact join, and rows for these elements are sufficient. The number
//! of elements that a pair shares is then counted on the two samples. On 14,000 manual pages made from one template, the filter
//! needed 5 million rows instead of 350 million.
//!
//! 1. Sort rows (element, document). These rows show how many documents each element is in. Elements of only one document produce
//!    no pair.
//! 2. Sort rows (document, number of documents with the element, element). These rows give each document's prefix among all its
//!    sampled elements. A document may also be paired with documents that were sampled with a larger modulus. For these pairs,
//!    the rows give a further prefix for each larger modulus, chosen only from the elements that are divisible by this modulus.
//! 3. Sort rows (level, element, document), in which 2 to the power of the level divides the element. These rows give the pairs.
//! 4. Sort the pairs, keep each pair once, and compare the samples of its two documents.

use lookalike::{
    Method,
    lsh::{Common, Sample},
};
use lookalike_io::{
    error::Result,
    spill::{Sortable, Sorter},
};
use rayon::ThreadPool;

use super::Pairing;
use crate::{
    config::{Observer, Progress, Stage},
    numbers::Contender,
    sketching::table::Table,
};

/// The maximum number of sorters that are in use at the same time. Each sorter gets an equal share of the memory.
const SORTERS: usize = 3;

/// The candidate pairs, and what was excluded on the way.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// Each pair once, by number, sorted.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// The number of candidate pairs. It stays the same when `pairs` is emptied.
    pub(crate) candidates: u64,
    /// Elements that are in too many documents.
    pub(crate) excluded: Vec<Common>,
    /// The number of pairs that share an element of their prefixes.
    pub(crate) met: u64,
    /// The number of documents that share only excluded elements with other documents, and so are in no candidate pair.
    pub(crate) lost: u64,
}

/// Finds the pairs of contenders (documents that have to be compared) that share the required number of elements. The result is
/// the same as if all shared elements except the common ones were counted.
pub(crate) fn count(
    method: &Method,
    table: &Table,
    pairing: &Pairing,
    pool: &ThreadPool,
    observer: Observer,
) -> Result<Counted> {
    let numbers = pairing.numbers()?;
    let levels = (0..numbers)
        .map(|number| table.samples.level(pairing.document(Contender(number))) as u8)
        .collect();
    Counting {
        method,
        table,
        pairing,
        levels,
        pool,
        observer,
    }
    .count()
}

struct Counting<'a> {
    method: &'a Method,
    table: &'a Table,
    pairing: &'a Pairing,
    /// The level of each contender's sample. If the level is i, all elements of the sample are divisible by 2 to the power of i.
    levels: Vec<u8>,
    pool: &'a ThreadPool,
    observer: Observer<'a>,
}

/// An element of a document that also occurs in other documents: (document, number of documents with the element, element).
type Known = [u32; 4];

/// An element that may produce pairs: (level, element, document), followed by whether it is in the document's prefix.
type Row = [u32; 5];

impl<'a> Counting<'a> {
    fn sorter<T: Sortable>(&self) -> Sorter<'a, T> {
        Sorter::new(&self.table.budget, SORTERS, self.pool)
    }

    fn level(&self, number: u32) -> u32 {
        self.levels[number as usize].into()
    }

    fn sample<'b>(&'b self, number: u32, scratch: &'b mut Vec<u64>) -> Result<Sample<'b>> {
        self.table
            .samples
            .sample(self.pairing.document(Contender(number)), scratch)
    }

    fn count(&self) -> Result<Counted> {
        let mut counted = Counted::default();
        let known = self.known(&mut counted)?;
        let rows = self.prefixes(known, &mut counted)?;
        let mut met = self.pairs(rows)?.sorted()?.peekable();
        let (mut of_a, mut of_b, mut scratch, mut at) = (Vec::new(), Vec::new(), Vec::new(), None);
        while let Some(pair) = met.next() {
            let [a, b] = pair?;
            while met
                .next_if(|next| matches!(next, Ok(next) if *next == [a, b]))
                .is_some()
            {}
            counted.met += 1;
            if at != Some(a) {
                of_a.clear();
                of_a.extend_from_slice(self.sample(a, &mut scratch)?.elements);
                at = Some(a);
            }
            let sample = Sample {
                level: self.level(a),
                elements: &of_a,
            };
            if self.method.share_enough(sample, self.sample(b, &mut of_b)?) {
                counted.pairs.push((a, b));
            }
        }
        counted.candidates = counted.pairs.len() as u64;
        Ok(counted)
    }

    /// Collects, for each document, the elements that also occur in other documents. Each element comes with the number of
    /// documents that have it.
    fn known(&self, counted: &mut Counted) -> Result<Sorter<'a, Known>> {
        let (mut rows, mut scratch) = (self.sorter::<[u32; 3]>(), Vec::new());
        let total = self.pairing.contenders.len();
        for number in 0..self.levels.len() as u32 {
            if number % 4096 == 0 {
                Progress::new(Stage::Counting, number.into(), total).tell(self.observer)?;
            }
            for &element in self.sample(number, &mut scratch)?.elements {
                let [high, low] = halves(element);
                rows.push([high, low, number])?;
            }
        }
        let mut known = self.sorter();
        each_group(rows, 2, |group| {
            let documents = group.len() as u32;
            let [high, low, _] = group[0];
            if documents > self.method.common() {
                counted.excluded.push(Common {
                    fingerprint: whole(high, low),
                    documents,
                });
            }
            if documents > 1 {
                group.iter().try_for_each(|&[high, low, document]| {
                    known.push([document, documents, high, low])
                })?;
            }
            Ok(())
        })?;
        Ok(known)
    }

    /// Collects the elements that may produce pairs.
    fn prefixes(&self, known: Sorter<'a, Known>, counted: &mut Counted) -> Result<Sorter<'a, Row>> {
        let mut rows = self.sorter();
        each_group(known, 1, |of_one| {
            counted.lost += u64::from(self.prefixes_of(of_one, &mut rows)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Adds the rows of one document. `known` has those elements of the document that also occur in other documents, sorted with
    /// the rarest first. Returns whether all these elements are too common.
    fn prefixes_of(&self, known: &[Known], rows: &mut Sorter<'a, Row>) -> Result<bool> {
        let document = known[0][0];
        let mut scratch = Vec::new();
        let sample = self.sample(document, &mut scratch)?;
        let (parts, common) = (self.method.finds_parts(), self.method.common());
        let divides =
            |level: u32, [_, _, high, low]: &Known| whole(*high, *low).trailing_zeros() >= level;
        for level in sample.level..=self.method.highest_level().max(sample.level) {
            let n = sample.count(level);
            if n == 0 {
                break;
            }
            let at_level = || known.iter().filter(|element| divides(level, element));
            // Elements that occur in no other document are the rarest, so they come first in the prefix.
            let alone = n - at_level().count();
            let prefix = (n + 1 - self.method.least_shared(n)).saturating_sub(alone);
            for (&[_, documents, high, low], place) in at_level().zip(0..) {
                let inside = place < prefix;
                if documents > common || !inside && !parts {
                    break;
                }
                rows.push([level, high, low, document, u32::from(inside)])?;
            }
        }
        Ok(known[0][1] > common)
    }

    /// Returns the pairs of documents that share an element that is in the prefix of at least one of the two documents. A pair
    /// may occur several times.
    fn pairs(&self, rows: Sorter<'a, Row>) -> Result<Sorter<'a, [u32; 2]>> {
        let mut pairs = self.sorter();
        each_group(rows, 3, |group| {
            for (i, &[level, _, _, a, a_inside]) in group.iter().enumerate() {
                for &[_, _, _, b, b_inside] in &group[i + 1..] {
                    // Two documents are compared at the higher of their samples' two levels. Rows of an even higher level produce
                    // no pair here, because the pair was already found at the level of the comparison.
                    let own_level = self.level(a).max(self.level(b)) == level;
                    if own_level && a_inside + b_inside > 0 {
                        pairs.push([a, b])?;
                    }
                }
            }
            Ok(())
        })?;
        Ok(pairs)
    }
}

/// Sorts rows, and passes them to `give` in groups. Rows belong to the same group if they are equal in their first numbers; `key`
/// says how many numbers are compared. A group has at least one row.
fn each_group<const N: usize>(
    rows: Sorter<[u32; N]>,
    key: usize,
    mut give: impl FnMut(&[[u32; N]]) -> Result<()>,
) -> Result<()>
where
    [u32; N]: Sortable,
{
    let mut group: Vec<[u32; N]> = Vec::new();
    for row in rows.sorted()? {
        let row = row?;
        if group.last().is_some_and(|last| last[..key] != row[..key]) {
            give(&group)?;
            group.clear();
        }
        group.push(row);
    }
    if group.is_empty() {
        Ok(())
    } else {
        give(&group)
    }
}

fn halves(element: u64) -> [u32; 2] {
    [(element >> 32) as u32, element as u32]
}

fn whole(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
