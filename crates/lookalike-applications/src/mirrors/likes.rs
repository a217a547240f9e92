//! The pairs of groups that match; a group consists of equal pages.

/// Matching groups. Each pair is stored in both directions, and each group matches itself with resemblance 1. Takes 16 bytes per
/// row, and two rows per pair.
#[derive(Debug)]
pub struct Likes {
    /// The rows of all groups, one group after the other. Each row is (matching group, resemblance), and the rows of a group are
    /// sorted by the matching group. `starts` has the position of each group's first row.
    rows: Vec<(u32, f64)>,
    starts: Vec<usize>,
}

impl Likes {
    /// Builds the rows of `groups` groups from pairs, each of which occurs once, with their resemblance.
    pub fn new(groups: u32, pairs: &[(u32, u32, f64)]) -> Self {
        let mut starts = vec![0; groups as usize + 1];
        let ways = || {
            pairs
                .iter()
                .flat_map(|&(a, b, resemblance)| [(a, b, resemblance), (b, a, resemblance)])
        };
        let all = || (0..groups).map(|group| (group, group, 1.0)).chain(ways());
        all().for_each(|(a, ..)| starts[a as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let (mut rows, mut ends) = (vec![(0, 0.0); starts[groups as usize]], starts.clone());
        for (a, b, resemblance) in all() {
            rows[ends[a as usize]] = (b, resemblance);
            ends[a as usize] += 1;
        }
        starts
            .windows(2)
            .for_each(|ends| rows[ends[0]..ends[1]].sort_unstable_by_key(|row| row.0));
        Self { rows, starts }
    }

    /// Returns the number of groups.
    pub(super) fn groups(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Returns the groups that match a group, including itself, in ascending order, with their resemblance.
    pub(super) fn of(&self, group: u32) -> &[(u32, f64)] {
        let group = group as usize;
        &self.rows[self.starts[group]..self.starts[group + 1]]
    }

    /// Returns the resemblance of two groups if they match.
    pub(super) fn between(&self, a: u32, b: u32) -> Option<f64> {
        let rows = self.of(a);
        rows.binary_search_by_key(&b, |row| row.0)
            .ok()
            .map(|at| rows[at].1)
    }
}
