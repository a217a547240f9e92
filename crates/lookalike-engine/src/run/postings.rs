//! From an element's tag to the documents that were entered with it.

use lookalike::lsh::NONE;

use crate::error::{Error, ErrorKind, Result};

/// Chains in one vector, each with the last document entered first. Twelve bytes a posting, and four to eight for the heads.
#[derive(Debug, Default)]
pub(super) struct Postings {
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

const FEWEST_HEADS: usize = 1 << 10;

impl Postings {
    /// Enters a document with a tag.
    ///
    /// # Errors
    /// More postings than 32 bits can number, which take 64 GiB.
    pub(super) fn add(&mut self, tag: u32, document: u32) -> Result<()> {
        if self.nodes.len() == self.heads.len() {
            self.grow();
        }
        let node = u32::try_from(self.nodes.len()).ok().filter(|&node| node != NONE).ok_or_else(|| {
            Error::new(ErrorKind::Input, "too many documents are alike but not alike enough to be compared at once: split them")
        })?;
        let at = self.at(tag);
        self.nodes.push(Node { tag, document, next: self.heads[at] });
        self.heads[at] = node;
        Ok(())
    }

    fn at(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.heads.len() as u64) >> 32) as usize
    }

    /// Twice as many heads; each chain in the order in which it was entered.
    fn grow(&mut self) {
        self.heads = vec![NONE; (2 * self.heads.len()).max(FEWEST_HEADS)];
        for node in 0..self.nodes.len() {
            let at = self.at(self.nodes[node].tag);
            self.nodes[node].next = std::mem::replace(&mut self.heads[at], node as u32);
        }
    }

    /// The documents that were entered with a tag, the last first.
    pub(super) fn of(&self, tag: u32) -> impl Iterator<Item = u32> {
        let mut next = if self.heads.is_empty() { NONE } else { self.heads[self.at(tag)] };
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

    pub(super) fn bytes(&self) -> usize {
        self.heads.len() * size_of::<u32>() + self.nodes.len() * size_of::<Node>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_last_entered_comes_first(entered in prop::collection::vec((0u32..40, 0u32..9), 0..3000)) {
            let (spread, mut postings) = (|tag: u32| tag.wrapping_mul(0x9e37_79b9), Postings::default());
            for &(tag, document) in &entered {
                postings.add(spread(tag), document).unwrap();
            }
            for tag in 0..41 {
                let of_tag = entered.iter().rev().filter(|row| row.0 == tag).map(|row| row.1);
                prop_assert!(postings.of(spread(tag)).eq(of_tag));
            }
        }
    }
}
