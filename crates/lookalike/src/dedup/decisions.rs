//! The decisions about a collection.

use std::{ops::Index, slice, vec};

use super::decision::Decision;

/// The decisions about texts, in the order of the texts.
///
/// ```
/// let texts = ["one text", "another", "One text!"];
/// let decisions = lookalike::dedup(&texts);
///
/// assert_eq!(decisions.kept(), [0, 1]);
/// for (text, decision) in texts.iter().zip(&decisions) {
///     println!("{text}: {decision}");
/// }
/// assert_eq!(decisions[2].to_string(), "dropped: exact duplicate of 0");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Decisions(Vec<Decision>);

/// A kept text and the texts that are its dropped duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The index of the kept text.
    pub kept: usize,
    /// The indices of its duplicates, at least one, in input order.
    pub dropped: Vec<usize>,
}

impl Decisions {
    /// Wraps decisions that are in input order.
    pub(super) fn new(decisions: Vec<Decision>) -> Self {
        Self(decisions)
    }

    /// Returns the indices of the texts to keep, in input order.
    ///
    /// ```
    /// let texts = vec!["a text".to_string(), "A text.".to_string(), "something else".to_string()];
    /// let kept: Vec<&str> = lookalike::dedup(&texts).kept().into_iter().map(|i| texts[i].as_str()).collect();
    /// assert_eq!(kept, ["a text", "something else"]);
    /// ```
    pub fn kept(&self) -> Vec<usize> {
        self.indices(Decision::is_kept).collect()
    }

    /// Returns the indices of the texts to drop, in input order. The [`Decision`] about each gives the reason.
    ///
    /// ```
    /// let decisions = lookalike::dedup(&["a text", "A text.", "something else"]);
    /// assert_eq!(decisions.dropped(), [1]);
    /// assert_eq!(decisions[1].representative, Some(0));
    /// assert_eq!(decisions[1].similarity, Some(1.0));
    /// ```
    pub fn dropped(&self) -> Vec<usize> {
        self.indices(|decision| !decision.is_kept()).collect()
    }

    fn indices<'a>(
        &'a self,
        is_meant: impl Fn(&Decision) -> bool + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        self.0
            .iter()
            .enumerate()
            .filter(move |(_, decision)| is_meant(decision))
            .map(|(index, _)| index)
    }

    /// Returns the groups of duplicates, each with its kept text, in the order of the kept texts. Texts without duplicates are in
    /// no group.
    ///
    /// ```
    /// let decisions = lookalike::dedup(&["x", "y", "Y!", "z", "(y)"]);
    /// let groups = decisions.groups();
    /// assert_eq!(groups.len(), 1);
    /// assert_eq!((groups[0].kept, &groups[0].dropped[..]), (1, &[2, 4][..]));
    /// ```
    pub fn groups(&self) -> Vec<Group> {
        let mut dropped = vec![Vec::new(); self.0.len()];
        for (index, decision) in self.0.iter().enumerate() {
            if let Some(kept) = decision.representative {
                dropped[kept].push(index);
            }
        }
        let group = |(kept, dropped): (usize, Vec<usize>)| {
            (!dropped.is_empty()).then_some(Group { kept, dropped })
        };
        dropped.into_iter().enumerate().filter_map(group).collect()
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the decision about a text; none if the index is out of range.
    pub fn get(&self, index: usize) -> Option<&Decision> {
        self.0.get(index)
    }

    /// Returns the decisions, in input order.
    pub fn iter(&self) -> slice::Iter<'_, Decision> {
        self.0.iter()
    }
}

impl Index<usize> for Decisions {
    type Output = Decision;

    fn index(&self, index: usize) -> &Decision {
        &self.0[index]
    }
}

impl<'a> IntoIterator for &'a Decisions {
    type Item = &'a Decision;
    type IntoIter = slice::Iter<'a, Decision>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl IntoIterator for Decisions {
    type Item = Decision;
    type IntoIter = vec::IntoIter<Decision>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<Decisions> for Vec<Decision> {
    fn from(decisions: Decisions) -> Self {
        decisions.0
    }
}
