//! The pages of one collection, by site and by group (the pages with equal texts).

/// A page that is equal or similar to at least one other page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Page {
    /// The number of the page's group. Pages with equal texts have the same number in all collections.
    pub group: u32,
    /// The number of the page's site in the collection.
    pub site: u32,
    /// The page's identifier, unique in its collection.
    pub page: u64,
    /// A hash of the path inside the site.
    pub path: u64,
}

/// The pages of one collection. Takes 24 bytes per page, 8 per group, 8 per site, and 8 for each pair of a group and a site on
/// which the group occurs.
#[derive(Debug)]
pub struct Side {
    /// The pages, sorted by group, site and number.
    pages: Vec<Page>,
    /// The position in `pages` at which each group begins.
    groups: Vec<usize>,
    sites: Vec<u64>,
    /// Pairs of (site, group), sorted.
    groups_of_sites: Vec<(u32, u32)>,
}

impl Side {
    /// Creates a side. `pages` are the pages of `groups` groups, in any order. `sites` is the number of pages of each site,
    /// including pages without a match.
    pub fn new(groups: u32, mut pages: Vec<Page>, sites: Vec<u64>) -> Self {
        pages.sort_unstable();
        let mut groups_of_sites: Vec<(u32, u32)> =
            pages.iter().map(|page| (page.site, page.group)).collect();
        groups_of_sites.sort_unstable();
        groups_of_sites.dedup();
        let mut at = 0;
        let mut start = |group| {
            at += pages[at..]
                .iter()
                .take_while(|page| page.group < group)
                .count();
            at
        };
        let groups = (0..=groups).map(&mut start).collect();
        Self {
            pages,
            groups,
            sites,
            groups_of_sites,
        }
    }

    /// Returns the number of pages per site.
    pub fn sites(&self) -> &[u64] {
        &self.sites
    }

    /// Returns all pages, sorted by group, site and number.
    pub(super) fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// Returns the pages of a group, sorted by site and number.
    pub(super) fn group(&self, group: u32) -> &[Page] {
        let group = group as usize;
        &self.pages[self.groups[group]..self.groups[group + 1]]
    }

    /// Returns a site's pages in a group, sorted by number.
    pub(super) fn of(&self, group: u32, site: u32) -> &[Page] {
        let pages = self.group(group);
        let start = pages.partition_point(|page| page.site < site);
        let count = pages[start..].partition_point(|page| page.site == site);
        &pages[start..start + count]
    }

    /// Returns the groups to which a site's pages belong, in ascending order.
    pub(super) fn groups_of(&self, site: u32) -> impl Iterator<Item = u32> {
        let start = self.groups_of_sites.partition_point(|row| row.0 < site);
        self.groups_of_sites[start..]
            .iter()
            .take_while(move |row| row.0 == site)
            .map(|row| row.1)
    }

    /// Returns the sites that have pages in a group, in ascending order.
    pub(super) fn sites_of(&self, group: u32) -> impl Iterator<Item = u32> {
        self.group(group)
            .chunk_by(|p, q| p.site == q.site)
            .map(|pages| pages[0].site)
    }
}
