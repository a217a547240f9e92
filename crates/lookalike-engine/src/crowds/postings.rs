//! Maps a tag (the shortened hash of an element) to the documents that were entered with this tag.

use std::ops::Range;

use lookalike::lsh::NONE;
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    spill::Sortable,
};

/// The postings (pairs of a tag and a document): sorted rows, and chains of the postings that were entered after the rows were
/// sorted. Memory: nine bytes per posting, and another ten bytes for at most one posting in eight.
#[derive(Debug, Default)]
pub(super) struct Postings {
    /// Each row has a tag and a document. The rows ascend.
    rows: Vec<u64>,
    /// The position at which each part's rows begin, followed by the end of the last part. Each part covers an equal part of the
    /// tag range, and has a few rows on average.
    starts: Vec<u32>,
    /// The highest document number in the rows.
    last: u32,
    recent: Chains,
}

/// The average number of rows per part. The rows of a tag are then within one or two cache lines.
const ROWS: usize = 4;

/// If a range has at most this number of rows, all of them are examined. If it has more rows, a binary search is used.
const FEW: usize = 16;

/// The number of tags that are looked up together.
const AT_ONCE: usize = 16;

/// At most one posting in `RECENT` may be in chains. Chains take twice the memory of rows, and merging them into the rows moves
/// all rows. With at most an eighth of the postings in chains, each posting is moved nine times, and each move takes two
/// nanoseconds.
const RECENT: usize = 8;
const FEWEST: usize = 1 << 10;

pub(super) fn row(tag: u32, document: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(document)
}

/// Divides the range of tags into `parts` equal parts, and returns which part a tag is in.
fn part(tag: u32, parts: usize) -> usize {
    ((u64::from(tag) * parts as u64) >> 32) as usize
}

impl Postings {
    /// Builds the postings in bulk from rows that were made with [`row`]. Call this on the thread pool.
    ///
    /// # Errors
    /// Fails if there are more postings than 32 bits can number. That many postings would take 36 GiB.
    pub(super) fn of(mut rows: Vec<u64>) -> Result<Self> {
        if rows.len() >= NONE as usize {
            return Err(too_many());
        }
        Sortable::sort(&mut rows);
        let mut postings = Self {
            rows,
            ..Self::default()
        };
        postings.find_starts();
        Ok(postings)
    }

    /// Enters a document with a tag.
    ///
    /// # Errors
    /// Fails for the same reason as [`of`](Self::of).
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

    /// Moves the postings in chains into the rows.
    fn take_in(&mut self) {
        let Self { rows, recent, .. } = self;
        let mut more: Vec<u64> = recent
            .nodes
            .iter()
            .map(|node| row(node.tag, node.document))
            .collect();
        more.sort_unstable();
        recent.clear();
        // Merge from the end, so that no second buffer is needed.
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
        let Self {
            rows, starts, last, ..
        } = self;
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

    /// Returns a range of rows that contains every row with this tag, and few rows with other tags.
    fn part_of(&self, tag: u32) -> Range<usize> {
        let at = part(tag, self.starts.len() - 1);
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    /// Returns the rows that have this tag and a document numbered `from` or higher. `part` is the range of rows to search.
    fn rows_in(&self, part: Range<usize>, tag: u32, from: u32) -> &[u64] {
        let rows = &self.rows[part];
        let (first, last) = (row(tag, from), row(tag, NONE));
        if rows.len() <= FEW {
            // Counting the rows below a bound needs no branch per row.
            let before = |bound| {
                rows.iter()
                    .map(|&row| usize::from(row < bound))
                    .sum::<usize>()
            };
            return &rows[before(first)..before(last)];
        }
        let rows = &rows[rows.partition_point(|&row| row < first)..];
        &rows[..rows.partition_point(|&row| row < last)]
    }

    /// Appends the documents numbered `from` or higher that were entered with these tags. A document is appended once for each of
    /// its entries. In the chains of recent postings, the walk ends at the first document before `from`.
    ///
    /// Hardly any of this data is in the cache. So the data for several tags is loaded before the data for any tag is examined.
    pub(super) fn find(&self, tags: &[u32], from: u32, found: &mut Vec<u32>) {
        for tags in tags.chunks(AT_ONCE) {
            if from <= self.last && !self.rows.is_empty() {
                let (mut parts, mut firsts) = ([const { 0..0 }; AT_ONCE], [0; AT_ONCE]);
                parts
                    .iter_mut()
                    .zip(tags)
                    .for_each(|(part, &tag)| *part = self.part_of(tag));
                firsts.iter_mut().zip(&parts).for_each(|(first, part)| {
                    *first = self.rows[part.start.min(self.rows.len() - 1)]
                });
                for ((part, first), &tag) in parts.into_iter().zip(firsts).zip(tags) {
                    if first < row(tag, NONE) {
                        found.extend(self.rows_in(part, tag, from).iter().map(|&row| row as u32));
                    }
                }
            }
            if !self.recent.nodes.is_empty() {
                let mut heads = [NONE; AT_ONCE];
                heads
                    .iter_mut()
                    .zip(tags)
                    .for_each(|(head, &tag)| *head = self.recent.head(tag));
                for (head, &tag) in heads.into_iter().zip(tags) {
                    found.extend(
                        self.recent
                            .of(head, tag)
                            .take_while(|&document| document >= from),
                    );
                }
            }
        }
    }

    /// Returns how many of the entries that were made in bulk have one of these tags and a document numbered `from` or higher.
    pub(super) fn count(&self, tags: &[u32], from: u32) -> usize {
        let is_any = from <= self.last && !self.rows.is_empty();
        let tags = if is_any { tags } else { &[] };
        tags.iter()
            .map(|&tag| self.rows_in(self.part_of(tag), tag, from).len())
            .sum()
    }

    /// Returns the size in bytes of this many postings, if they are entered in bulk.
    pub(super) fn bytes_of(postings: usize) -> usize {
        postings * (size_of::<u64>() + size_of::<u32>() / ROWS)
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.starts) + self.recent.bytes()
    }
}

fn too_many() -> Error {
    Error::new(
        ErrorKind::Input,
        "too many documents are similar without reaching the threshold: their index would exceed 4 billion entries",
    )
    .advise("split the collection")
}

/// Chains that are stored in one vector. Each chain begins with the document that was entered last.
#[derive(Debug, Default)]
struct Chains {
    /// Chain heads by the upper part of the tag. There are at least as many heads as postings.
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
        self.nodes.push(Node {
            tag,
            document,
            next: std::mem::replace(&mut self.heads[head], node),
        });
    }

    /// Doubles the number of heads. The documents of each chain keep the order in which they were entered.
    fn grow(&mut self) {
        let heads = (2 * self.heads.len()).max(FEWEST);
        self.heads = vec![NONE; heads];
        for (at, node) in (0u32..).zip(&mut self.nodes) {
            node.next = std::mem::replace(&mut self.heads[part(node.tag, heads)], at);
        }
    }

    /// Returns the position of the head whose chain contains a tag. There must be at least one posting.
    fn head(&self, tag: u32) -> u32 {
        self.heads[part(tag, self.heads.len())]
    }

    /// Returns the documents that were entered with a tag, the last first.
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

    /// Removes all postings, and keeps the allocated memory.
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

    /// Generates tags that are either spread over the whole range or close to each other.
    fn tags(spread: bool) -> Vec<u32> {
        (0..41)
            .map(|tag: u32| {
                if spread {
                    tag.wrapping_mul(0x9e37_79b9)
                } else {
                    tag << 3
                }
            })
            .collect()
    }

    proptest! {
        #[test]
        fn all_inserted_entries_are_found(
            entered in prop::collection::vec((0usize..40, 0u32..99), 0..4000),
            at_once in 0usize..4000,
            sorted in any::<bool>(),
            from in 0u32..99,
            spread in any::<bool>(),
        ) {
            let (tags, mut entered) = (tags(spread), entered);
            // If some documents are entered late, and therefore out of order, the query has to start at the first document.
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
