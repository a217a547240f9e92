//! Which sets have a number: what two prints share, without looking at pairs that share nothing.

/// The numbers of many sets, each with those that have it. 16 bytes an element.
#[derive(Debug)]
pub(super) struct Index {
    /// Sorted.
    rows: Vec<(u64, u32)>,
}

impl Index {
    /// Of sets without repetition, numbered as they come.
    pub(super) fn new<'a>(sets: impl Iterator<Item = &'a [u64]>) -> Self {
        let mut rows: Vec<(u64, u32)> =
            sets.zip(0..).flat_map(|(set, number)| set.iter().map(move |&element| (element, number))).collect();
        rows.sort_unstable();
        Self { rows }
    }

    /// The sets that have an element, in their order.
    pub(super) fn having(&self, element: u64) -> &[(u64, u32)] {
        let rest = &self.rows[self.rows.partition_point(|row| row.0 < element)..];
        &rest[..rest.partition_point(|row| row.0 == element)]
    }
}
