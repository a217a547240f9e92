//! From an element's tag to the documents that were entered with it.

use std::ops::Range;

use lookalike::lsh::NONE;
use lookalike_io::error::{Error, ErrorKind, Result};
use rayon::prelude::*;

/// Sorted rows, and what was entered since in chains: nine bytes a posting, and for one in eight of them another ten.
#[derive(Debug, Default)]
pub(super) struct Postings {
    /// Tag and document, ascending.
    rows: Vec<u64>,
    /// Where the rows begin of each upper part of the tag, and where the last ones end; one for some rows.
    starts: Vec<u32>,
    /// The last document in the rows.
    last: u32,
    recent: Chains,
}

/// Rows to one start: those of a tag are then found in a cache line or two.
const ROWS: usize = 4;

/// So many are compared one by one.
const FEW: usize = 16;

/// Tags that are looked up together.
const AT_ONCE: usize = 16;

/// One in so many postings may be in chains. They take twice the memory of rows, and when they go into the rows, all of these
/// are moved: at an eighth each posting is moved nine times, at two nanoseconds.
const RECENT: usize = 8;
const FEWEST: usize = 1 << 10;

pub(super) fn row(tag: u32, document: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(document)
}

/// Where a tag stands among `parts` equal ones.
fn part(tag: u32, parts: usize) -> usize {
    ((u64::from(tag) * parts as u64) >> 32) as usize
}

impl Postings {
    /// All postings at once, each a [`row`]. To be called on the pool.
    ///
    /// # Errors
    /// More postings than 32 bits can number, which take 36 GiB.
    pub(super) fn of(mut rows: Vec<u64>) -> Result<Self> {
        if rows.len() >= NONE as usize {
            return Err(too_many());
        }
        rows.par_sort_unstable();
        let mut postings = Self { rows, ..Self::default() };
        postings.find_starts();
        Ok(postings)
    }

    /// Enters a document with a tag.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub(super) fn add(&mut self, tag: u32, document: u32) -> Result<()> {
        if self.recent.nodes.len() >= FEWEST.max(self.rows.len() / RECENT) {
            self.take_in();
        }
        if self.rows.len() + self.recent.nodes.len() >= NONE as usize {
            return Err(too_many());
        }
        self.recent.add(tag, document);
        Ok(())
    }

    /// Moves what is in chains into the rows.
    fn take_in(&mut self) {
        let Self { rows, recent, .. } = self;
        let mut more: Vec<u64> = recent.nodes.iter().map(|node| row(node.tag, node.document)).collect();
        more.sort_unstable();
        recent.clear();
        // From the end, so that it takes no room.
        let (mut old, mut new) = (rows.len(), more.len());
        rows.reserve_exact(new);
        rows.resize(old + new, 0);
        while new > 0 {
            if old > 0 && rows[old - 1] > more[new - 1] {
                old -= 1;
                rows[old + new] = rows[old];
            } else {
                new -= 1;
                rows[old + new] = more[new];
            }
        }
        self.find_starts();
    }

    fn find_starts(&mut self) {
        let Self { rows, starts, last, .. } = self;
        let parts = rows.len().div_ceil(ROWS);
        starts.clear();
        starts.reserve_exact(parts + 1);
        for (at, &row) in (0u32..).zip(rows.iter()) {
            let upto = part((row >> 32) as u32, parts);
            while starts.len() <= upto {
                starts.push(at);
            }
            *last = (*last).max(row as u32);
        }
        starts.resize(parts + 1, rows.len() as u32);
    }

    /// Where the rows of a tag are, among few others.
    fn part_of(&self, tag: u32) -> Range<usize> {
        let at = part(tag, self.starts.len() - 1);
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    /// The rows of a tag with documents from a number on, which are in that part.
    fn rows_in(&self, part: Range<usize>, tag: u32, from: u32) -> &[u64] {
        let rows = &self.rows[part];
        let (first, last) = (row(tag, from), row(tag, NONE));
        if rows.len() <= FEW {
            // Without a branch for each.
            let before = |bound| rows.iter().map(|&row| usize::from(row < bound)).sum::<usize>();
            return &rows[before(first)..before(last)];
        }
        let rows = &rows[rows.partition_point(|&row| row < first)..];
        &rows[..rows.partition_point(|&row| row < last)]
    }

    /// Appends the documents from a number on that were entered with these tags, as often as they were. Of what was entered of
    /// late, the walk ends at the first that is before `from`.
    ///
    /// Hardly anything is in the cache: so what is needed of some tags is asked for before any is looked at.
    pub(super) fn find(&self, tags: &[u32], from: u32, found: &mut Vec<u32>) {
        for tags in tags.chunks(AT_ONCE) {
            if from <= self.last && !self.rows.is_empty() {
                let (mut parts, mut firsts) = ([const { 0..0 }; AT_ONCE], [0; AT_ONCE]);
                parts.iter_mut().zip(tags).for_each(|(part, &tag)| *part = self.part_of(tag));
                firsts.iter_mut().zip(&parts).for_each(|(first, part)| *first = self.rows[part.start.min(self.rows.len() - 1)]);
                for ((part, first), &tag) in parts.into_iter().zip(firsts).zip(tags) {
                    if first < row(tag, NONE) {
                        found.extend(self.rows_in(part, tag, from).iter().map(|&row| row as u32));
                    }
                }
            }
            if !self.recent.nodes.is_empty() {
                let mut heads = [NONE; AT_ONCE];
                heads.iter_mut().zip(tags).for_each(|(head, &tag)| *head = self.recent.head(tag));
                for (head, &tag) in heads.into_iter().zip(tags) {
                    found.extend(self.recent.of(head, tag).take_while(|&document| document >= from));
                }
            }
        }
    }

    /// How many of those were entered all at once.
    pub(super) fn count(&self, tags: &[u32], from: u32) -> usize {
        let is_any = from <= self.last && !self.rows.is_empty();
        let tags = if is_any { tags } else { &[] };
        tags.iter().map(|&tag| self.rows_in(self.part_of(tag), tag, from).len()).sum()
    }

    /// Bytes of so many that were entered all at once.
    pub(super) fn bytes_of(postings: usize) -> usize {
        postings * (size_of::<u64>() + size_of::<u32>() / ROWS)
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.starts) + self.recent.bytes()
    }
}

fn too_many() -> Error {
    Error::new(ErrorKind::Input, "too many documents are alike but not alike enough to be compared at once").instead("split them")
}

/// Chains in one vector, each with the last document entered first.
#[derive(Debug, Default)]
struct Chains {
    /// By the upper part of the tag; none fewer than postings.
    heads: Vec<u32>,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    tag: u32,
    document: u32,
    next: u32,
}

impl Chains {
    fn add(&mut self, tag: u32, document: u32) {
        if self.nodes.len() == self.heads.len() {
            self.grow();
        }
        let (node, head) = (self.nodes.len() as u32, part(tag, self.heads.len()));
        self.nodes.push(Node { tag, document, next: std::mem::replace(&mut self.heads[head], node) });
    }

    /// Twice as many heads; each chain in the order in which it was entered.
    fn grow(&mut self) {
        let heads = (2 * self.heads.len()).max(FEWEST);
        self.heads = vec![NONE; heads];
        for (at, node) in (0u32..).zip(&mut self.nodes) {
            node.next = std::mem::replace(&mut self.heads[part(node.tag, heads)], at);
        }
    }

    /// Where the chain begins in which a tag is. There must be any.
    fn head(&self, tag: u32) -> u32 {
        self.heads[part(tag, self.heads.len())]
    }

    /// The documents that were entered with a tag, the last first.
    fn of(&self, head: u32, tag: u32) -> impl Iterator<Item = u32> {
        let mut next = head;
        std::iter::from_fn(move || {
            while next != NONE {
                let node = self.nodes[next as usize];
                next = node.next;
                if node.tag == tag {
                    return Some(node.document);
                }
            }
            None
        })
    }

    /// Forgets all, and keeps the room.
    fn clear(&mut self) {
        self.nodes.clear();
        self.heads.fill(NONE);
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.heads) + self.nodes.capacity() * size_of::<Node>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Some tags, spread over all numbers or close to each other.
    fn tags(spread: bool) -> Vec<u32> {
        (0..41).map(|tag: u32| if spread { tag.wrapping_mul(0x9e37_79b9) } else { tag << 3 }).collect()
    }

    proptest! {
        #[test]
        fn all_that_was_entered_is_found(
            entered in prop::collection::vec((0usize..40, 0u32..99), 0..4000),
            at_once in 0usize..4000,
            sorted in any::<bool>(),
            from in 0u32..99,
            spread in any::<bool>(),
        ) {
            let (tags, mut entered) = (tags(spread), entered);
            // Documents come in order, but for those that come late and are then asked for from the first on.
            let from = if sorted { from } else { 0 };
            if sorted {
                entered.sort_by_key(|row| row.1);
            }
            let rows: Vec<(u32, u32)> = entered.into_iter().map(|(tag, document)| (tags[tag], document)).collect();
            let (first, then) = rows.split_at(at_once.min(rows.len()));
            let mut postings = Postings::of(first.iter().map(|&(tag, document)| row(tag, document)).collect()).unwrap();
            let with = |rows: &[(u32, u32)], tags: &[u32]| {
                let mut documents = rows.iter().filter(|row| row.1 >= from && tags.contains(&row.0)).map(|row| row.1).collect::<Vec<_>>();
                documents.sort_unstable();
                documents
            };
            prop_assert_eq!(postings.count(&tags, from), with(first, &tags).len());
            then.iter().for_each(|&(tag, document)| postings.add(tag, document).unwrap());
            for some in tags.chunks(1).chain(tags.chunks(20)) {
                let mut found = Vec::new();
                postings.find(some, from, &mut found);
                found.sort_unstable();
                prop_assert_eq!(found, with(&rows, some));
            }
        }
    }
}
