//! The matches of one field. Documents with equal texts form a class, and matches are between classes.

use lookalike::{lsh::NONE, verify::Overlap};
use lookalike_io::{error::Result, write::Likeness};

use crate::{
    deciding::all_matches::{Matches, PairFigures},
    numbers::Document,
    pairing::Pairing,
};

/// A collector of matches, which holds 20 bytes for each.
pub(super) type FieldMatches = Vec<ClassMatch>;

/// A match between two classes: the shingles that they share, and the sizes of their sets.
#[derive(Clone, Copy)]
pub(super) struct ClassMatch {
    of: u32,
    pub(super) class: u32,
    shared: u32,
    sizes: [u32; 2],
}

impl ClassMatch {
    fn swapped(self) -> Self {
        Self {
            of: self.class,
            class: self.of,
            sizes: [self.sizes[1], self.sizes[0]],
            ..self
        }
    }

    fn overlap(self) -> Overlap {
        Overlap {
            shared: self.shared.into(),
            a: self.sizes[0].into(),
            b: self.sizes[1].into(),
        }
    }
}

impl Matches for FieldMatches {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) {
        // All similarities are counted.
        if let PairFigures::Counted(figures) = figures {
            let sizes = [figures.size_a as u32, figures.size_b as u32];
            self.push(ClassMatch {
                of: a,
                class: b,
                shared: figures.intersection as u32,
                sizes,
            });
        }
    }
}

/// How similar two documents are in a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct InField {
    pub(super) similarity: f64,
    pub(super) likeness: Likeness,
}

impl InField {
    pub(super) const SAME: Self = Self {
        similarity: 1.0,
        likeness: Likeness::Same,
    };

    fn of(found: &ClassMatch) -> Self {
        let overlap = found.overlap();
        Self {
            similarity: overlap.resemblance(),
            likeness: Likeness::Counted(overlap),
        }
    }
}

/// The classes of all documents in a field, and the matches of these classes.
pub(super) struct FieldClasses {
    /// The class of each document: [`NONE`] if it matches no other document, and [`EMPTY`] if its text is empty.
    of: Vec<u32>,
    /// The matches in both directions, sorted by class and then by the other class.
    matches: Vec<ClassMatch>,
    /// The index at which the matches of each class start, and the number of all matches.
    starts: Vec<usize>,
}

/// The class of an empty text.
pub(super) const EMPTY: u32 = NONE - 1;

impl FieldClasses {
    pub(super) fn of(pairing: &Pairing, mut matches: FieldMatches) -> Result<Self> {
        let both: Vec<ClassMatch> = matches.iter().map(|found| found.swapped()).collect();
        matches.extend(both);
        matches.sort_unstable_by_key(|found| (found.of, found.class));
        let numbers = pairing.numbers()?;
        let starts = (0..=numbers)
            .map(|class| matches.partition_point(|found| found.of < class))
            .collect();
        let class = |document: u64| {
            let rank = pairing.order.rank(Document(document));
            let first_copy = pairing.first_copy(rank).unwrap_or(rank);
            match pairing.number(first_copy) {
                _ if pairing.empty.contains(rank.0) => EMPTY,
                Some(number) => number.0,
                None => NONE,
            }
        };
        let of = (0..pairing.order.len()).map(class).collect();
        Ok(Self {
            of,
            matches,
            starts,
        })
    }

    /// Returns the number of classes.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the class of a document; `None` if it matches no other document.
    pub(super) fn class(&self, document: Document) -> Option<u32> {
        Some(self.of[document.0 as usize]).filter(|&class| class < EMPTY)
    }

    /// Returns whether the text of a document is empty.
    pub(super) fn is_empty(&self, document: Document) -> bool {
        self.of[document.0 as usize] == EMPTY
    }

    /// Returns the classes that match a class, itself first, and how similar they are.
    pub(super) fn similar(&self, class: u32) -> impl Iterator<Item = (u32, InField)> {
        let others = self
            .of_class(class)
            .iter()
            .map(|found| (found.class, InField::of(found)));
        [(class, InField::SAME)].into_iter().chain(others)
    }

    /// Returns how similar two classes are, if they match.
    pub(super) fn between(&self, class: u32, other: u32) -> Option<InField> {
        if class == other {
            return Some(InField::SAME);
        }
        let matches = self.of_class(class);
        let at = matches
            .binary_search_by_key(&other, |found| found.class)
            .ok()?;
        Some(InField::of(&matches[at]))
    }

    fn of_class(&self, class: u32) -> &[ClassMatch] {
        &self.matches[self.starts[class as usize]..self.starts[class as usize + 1]]
    }
}
