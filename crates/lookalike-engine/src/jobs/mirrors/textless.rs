//! Pages that show nothing, such as those whose content is in scripts → which of them are the same page on two sites.

use lookalike_io::spill::Budget;

use super::sites::Sites;

/// Pages without text, of which those match that have identical bytes at the same path of two sites. No text is ever a duplicate by its
/// text; an empty page is like any other empty page. The same bytes under the same name are the same page.
pub(super) struct Textless {
    /// How many there are.
    pub(super) pages: u64,
    /// How many groups of the same page there are.
    pub(super) groups: u32,
    /// Each page that is on two sites, with its group.
    pub(super) alike: Vec<(u64, u32)>,
}

impl Textless {
    /// Of pages by number with hashes of their bytes. With `second`, the number of the second collection's first page, a group has pages of
    /// both; else of two sites.
    pub(super) fn new(pages: Vec<(u64, u128)>, sites: &Sites, second: Option<u64>, budget: &Budget) -> Self {
        let path = |page: u64| sites.paths[page as usize];
        let mut rows: Vec<(u128, u64, u64)> = pages.iter().map(|&(page, bytes)| (bytes, path(page), page)).collect();
        budget.hold(size_of_val(&*rows));
        rows.sort_unstable();
        let (mut groups, mut alike) = (0, Vec::new());
        for group in rows.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            let side = |page: u64| second.map_or(sites.of[page as usize], |second| u32::from(page >= second));
            if group.iter().any(|row| side(row.2) != side(group[0].2)) {
                alike.extend(group.iter().map(|row| (row.2, groups)));
                groups += 1;
            }
        }
        Self { pages: rows.len() as u64, groups, alike }
    }
}
