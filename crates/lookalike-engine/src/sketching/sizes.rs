//! Counts texts by their number of shingles. The counts are used to check the promised recall if the recall depends on the number
//! of shingles.

use std::collections::BTreeMap;

/// The number of texts for each number of shingles. Numbers up to 255 are exact. Larger numbers are grouped into classes: there
/// are sixteen classes from each power of two to the next. Empty texts are not counted. The result is the same for any order in
/// which texts are added.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    /// The number of texts in each class, by the smallest number of shingles in the class.
    texts: BTreeMap<u32, u64>,
}

/// Texts with fewer shingles than this are counted by their exact number of shingles.
const EXACT: u32 = 256;

/// There are 2 to the power of `CLASSES` classes from each power of two to the next.
const CLASSES: u32 = 4;

impl Sizes {
    /// Counts texts with these numbers of shingles.
    pub(crate) fn add(&mut self, sizes: &[u32]) {
        for &size in sizes.iter().filter(|&&size| size > 0) {
            *self.texts.entry(least_of_class(size)).or_default() += 1;
        }
    }

    /// Returns the classes of texts with fewer than `size` shingles. For each class it returns the smallest number of shingles
    /// and the number of texts.
    pub(crate) fn below(&self, size: usize) -> impl Iterator<Item = (usize, u64)> {
        self.texts
            .iter()
            .map(|(&least, &texts)| (least as usize, texts))
            .take_while(move |&(least, _)| least < size)
    }
}

fn least_of_class(size: u32) -> u32 {
    match size {
        ..EXACT => size,
        _ => {
            let shift = size.ilog2() - CLASSES;
            size >> shift << shift
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_counted_exactly_and_long_ones_in_classes() {
        let mut sizes = Sizes::default();
        sizes.add(&[9, 0, 300, 9, 255, 271, 272]);
        sizes.add(&[u32::MAX]);
        let all: Vec<_> = sizes.below(usize::MAX).collect();
        assert_eq!(
            all,
            [
                (9, 2),
                (255, 1),
                (256, 1),
                (272, 1),
                (288, 1),
                (0xf800_0000, 1)
            ]
        );
        assert_eq!(sizes.below(10).count(), 1);
    }
}
