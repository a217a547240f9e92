//! The pages of one collection, by group and by site.

/// A page that has equal or similar ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Page {
    /// Equal for equal texts; groups of all collections are numbered together.
    pub group: u32,
    /// The number of its site in the collection.
    pub site: u32,
    /// What it is called; each page of a collection otherwise.
    pub page: u64,
    /// Equal for equal paths inside a site: a hash.
    pub path: u64,
}

/// One collection. 24 bytes a page, 4 a group, 8 a site, and 4 for each site that a group has pages of.
#[derive(Debug)]
pub struct Side {
    /// By group, site and number.
    pages: Vec<Page>,
    /// Where each group begins there.
    groups: Vec<usize>,
    sites: Vec<u64>,
    /// (site, group), sorted.
    groups_of_sites: Vec<(u32, u32)>,
}

impl Side {
    /// Pages of so many groups, in any order, and how many pages each site has, those included that are like no other.
    pub fn new(groups: u32, mut pages: Vec<Page>, sites: Vec<u64>) -> Self {
        pages.sort_unstable();
        let mut groups_of_sites: Vec<(u32, u32)> = pages.iter().map(|page| (page.site, page.group)).collect();
        groups_of_sites.sort_unstable();
        groups_of_sites.dedup();
        let mut at = 0;
        let mut start = |group| {
            at += pages[at..].iter().take_while(|page| page.group < group).count();
            at
        };
        let groups = (0..=groups).map(&mut start).collect();
        Self { pages, groups, sites, groups_of_sites }
    }

    /// How many pages each site has.
    pub fn sites(&self) -> &[u64] {
        &self.sites
    }

    /// The pages of a group, by site and number.
    pub(super) fn group(&self, group: u32) -> &[Page] {
        let group = group as usize;
        &self.pages[self.groups[group]..self.groups[group + 1]]
    }

    /// The pages that a site has of a group, by number.
    pub(super) fn of(&self, group: u32, site: u32) -> &[Page] {
        let pages = self.group(group);
        let start = pages.partition_point(|page| page.site < site);
        let count = pages[start..].partition_point(|page| page.site == site);
        &pages[start..start + count]
    }

    /// The groups that a site has pages of, ascending.
    pub(super) fn groups_of(&self, site: u32) -> impl Iterator<Item = u32> {
        let start = self.groups_of_sites.partition_point(|row| row.0 < site);
        self.groups_of_sites[start..].iter().take_while(move |row| row.0 == site).map(|row| row.1)
    }

    /// The sites that a group has pages of, ascending.
    pub(super) fn sites_of(&self, group: u32) -> impl Iterator<Item = u32> {
        self.group(group).chunk_by(|p, q| p.site == q.site).map(|pages| pages[0].site)
    }
}
