//! Who shares enough, by external sort and merge (Broder, Glassman, Manasse, Zweig 1997, section 4), with a filter that finds
//! the same pairs from fewer rows.
//!
//! The paper gives every pair of documents for every fingerprint that they share, and counts. One fingerprint of 1,000 documents
//! makes half a million rows then, a template of 50 such 25 million. But a document with n elements that must share k of them
//! shares one of its n − k + 1 rarest (its prefix, as in the exact join), so that rows of those suffice; how many a pair shares
//! is counted on the two samples. On 14,000 manual pages of one template that was 350 million rows against 5.
//!
//! 1. (element, document), sorted: how many documents each element is in; those of one document meet nobody.
//! 2. (document, how many, element), sorted: each document's prefix, for its own modulus and for the larger ones of others.
//! 3. (level, element, document), sorted: pairs.
//! 4. pairs, sorted: each once, and its samples compared.

use lookalike::{
    Method,
    lsh::{Common, Sample},
};
use lookalike_io::{error::Result, spill::Sorter};
use rayon::ThreadPool;

use super::Pairing;
use crate::{
    config::{Observer, Progress, Stage},
    numbers::Contender,
    sketching::table::Table,
};

/// Sorters at work at the same time, at most: each takes its share of the memory.
const SORTERS: usize = 3;

/// The candidate pairs, and what was set aside on the way.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// Each pair once, by number, sorted.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// How many they are, or were before they were taken.
    pub(crate) candidates: u64,
    /// Elements in too many documents.
    pub(crate) aside: Vec<Common>,
    /// Pairs that met: those that share an element of their prefixes.
    pub(crate) met: u64,
    /// Documents that share only elements which were set aside: they are nobody's candidates.
    pub(crate) lost: u64,
}

/// Finds the contenders that share enough. The answer is that of counting all shared elements, the common ones set aside.
pub(crate) fn count(method: &Method, table: &Table, pairing: &Pairing, pool: &ThreadPool, observer: Observer) -> Result<Counted> {
    let numbers = pairing.numbers()?;
    let levels = (0..numbers).map(|number| table.lists.level(pairing.document(Contender(number))) as u8).collect();
    Counting { method, table, pairing, levels, pool, observer }.count()
}

struct Counting<'a> {
    method: &'a Method,
    table: &'a Table,
    pairing: &'a Pairing,
    /// Each contender's.
    levels: Vec<u8>,
    pool: &'a ThreadPool,
    observer: Observer<'a>,
}

/// A document's element that others have too: (document, how many have it, element).
type Known = [u32; 4];

/// An element that may find pairs: (level, element, document), and whether it is in the document's prefix.
type Row = [u32; 5];

impl<'a> Counting<'a> {
    fn sorter<T: bytemuck::Pod + Ord + Send>(&self) -> Sorter<'a, T> {
        Sorter::new(&self.table.budget, SORTERS, self.pool)
    }

    fn level(&self, number: u32) -> u32 {
        self.levels[number as usize].into()
    }

    fn sample<'b>(&'b self, number: u32, room: &'b mut Vec<u64>) -> Result<Sample<'b>> {
        self.table.lists.sample(self.pairing.document(Contender(number)), room)
    }

    fn count(&self) -> Result<Counted> {
        let mut counted = Counted::default();
        let known = self.known(&mut counted)?;
        let rows = self.prefixes(known, &mut counted)?;
        let mut met = self.pairs(rows)?.sorted()?.peekable();
        let (mut of_a, mut of_b, mut room, mut at) = (Vec::new(), Vec::new(), Vec::new(), None);
        while let Some(pair) = met.next() {
            let [a, b] = pair?;
            while met.next_if(|next| matches!(next, Ok(next) if *next == [a, b])).is_some() {}
            counted.met += 1;
            if at != Some(a) {
                of_a.clear();
                of_a.extend_from_slice(self.sample(a, &mut room)?.elements);
                at = Some(a);
            }
            let sample = Sample { level: self.level(a), elements: &of_a };
            if self.method.share_enough(sample, self.sample(b, &mut of_b)?) {
                counted.pairs.push((a, b));
            }
        }
        counted.candidates = counted.pairs.len() as u64;
        Ok(counted)
    }

    /// Each document's elements that other documents have too, with how many have them.
    fn known(&self, counted: &mut Counted) -> Result<Sorter<'a, Known>> {
        let (mut rows, mut room) = (self.sorter::<[u32; 3]>(), Vec::new());
        let total = self.pairing.contenders.len();
        for number in 0..self.levels.len() as u32 {
            if number % 4096 == 0 {
                Progress::new(Stage::Counting, number.into(), total).tell(self.observer)?;
            }
            for &element in self.sample(number, &mut room)?.elements {
                let [high, low] = halves(element);
                rows.push([high, low, number])?;
            }
        }
        let mut known = self.sorter();
        each_group(rows, 2, |group| {
            let documents = group.len() as u32;
            let [high, low, _] = group[0];
            if documents > self.method.common() {
                counted.aside.push(Common { fingerprint: whole(high, low), documents });
            }
            if documents > 1 {
                group.iter().try_for_each(|&[high, low, document]| known.push([document, documents, high, low]))?;
            }
            Ok(())
        })?;
        Ok(known)
    }

    /// The elements by which documents may meet.
    fn prefixes(&self, known: Sorter<'a, Known>, counted: &mut Counted) -> Result<Sorter<'a, Row>> {
        let mut rows = self.sorter();
        each_group(known, 1, |of_one| {
            counted.lost += u64::from(self.prefixes_of(of_one, &mut rows)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The rows of one document, whose known elements stand the rarest first. Tells whether all of these are common.
    fn prefixes_of(&self, known: &[Known], rows: &mut Sorter<'a, Row>) -> Result<bool> {
        let document = known[0][0];
        let mut room = Vec::new();
        let sample = self.sample(document, &mut room)?;
        let (parts, common) = (self.method.finds_parts(), self.method.common());
        let divides = |level: u32, [_, _, high, low]: &Known| whole(*high, *low).trailing_zeros() >= level;
        for level in sample.level..=self.method.highest_level().max(sample.level) {
            let n = sample.count(level);
            if n == 0 {
                break;
            }
            let at_level = || known.iter().filter(|element| divides(level, element));
            // Elements that nobody else has are the rarest.
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

    /// The pairs that an element brings together, of which one has it in its prefix; a pair may come several times.
    fn pairs(&self, rows: Sorter<'a, Row>) -> Result<Sorter<'a, [u32; 2]>> {
        let mut pairs = self.sorter();
        each_group(rows, 3, |group| {
            for (i, &[level, _, _, a, a_inside]) in group.iter().enumerate() {
                for &[_, _, _, b, b_inside] in &group[i + 1..] {
                    // On a larger level than both have they met before.
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

/// Sorts rows, and gives those together that are equal in their first `key` numbers: at least one row a time.
fn each_group<const N: usize>(rows: Sorter<[u32; N]>, key: usize, mut give: impl FnMut(&[[u32; N]]) -> Result<()>) -> Result<()>
where
    [u32; N]: bytemuck::Pod,
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
    if group.is_empty() { Ok(()) } else { give(&group) }
}

fn halves(element: u64) -> [u32; 2] {
    [(element >> 32) as u32, element as u32]
}

fn whole(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
