//! Finds which pages without visible text are the same page on two sites. An example is a page whose content is in scripts.

use lookalike_io::spill::Budget;

use super::sites::Sites;

/// Pages without text. The texts of all such pages are empty and therefore equal, so a page without text is never treated as a
/// duplicate because of its text. Instead, two pages without text match if they have identical bytes at the same path on two
/// sites.
pub(super) struct Textless {
    /// The number of pages without text.
    pub(super) pages: u64,
    /// The number of groups of equal pages.
    pub(super) groups: u32,
    /// The pages that have an equal page on another site or, if there are two collections, in the other collection. Each comes
    /// with its group.
    pub(super) alike: Vec<(u64, u32)>,
}

impl Textless {
    /// Groups pages by their paths and bytes. Pages are given by number, with hashes of their bytes. `side` returns a page's
    /// collection or, if there is only one collection, its site. A group needs pages of two sides.
    pub(super) fn new(
        pages: Vec<(u64, u128)>,
        sites: &Sites,
        side: impl Fn(u64) -> u32,
        budget: &Budget,
    ) -> Self {
        let path = |page: u64| sites.paths[page as usize];
        let mut rows: Vec<(u128, u64, u64)> = pages
            .iter()
            .map(|&(page, bytes)| (bytes, path(page), page))
            .collect();
        budget.hold(size_of_val(&*rows));
        rows.sort_unstable();
        let (mut groups, mut alike) = (0, Vec::new());
        for group in rows.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            if group.iter().any(|row| side(row.2) != side(group[0].2)) {
                alike.extend(group.iter().map(|row| (row.2, groups)));
                groups += 1;
            }
        }
        Self {
            pages: rows.len() as u64,
            groups,
            alike,
        }
    }
}
