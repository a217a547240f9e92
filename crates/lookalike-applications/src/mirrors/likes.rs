//! Which groups of equal pages match.

/// Matching groups, both ways: each matches itself entirely. 16 bytes a row, two rows a pair.
#[derive(Debug)]
pub struct Likes {
    /// (group, another, resemblance), sorted.
    rows: Vec<(u32, f64)>,
    starts: Vec<usize>,
}

impl Likes {
    /// Pairs of so many groups, each once, with their resemblance.
    pub fn new(groups: u32, pairs: &[(u32, u32, f64)]) -> Self {
        let mut starts = vec![0; groups as usize + 1];
        let ways = || pairs.iter().flat_map(|&(a, b, resemblance)| [(a, b, resemblance), (b, a, resemblance)]);
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
        starts.windows(2).for_each(|ends| rows[ends[0]..ends[1]].sort_unstable_by_key(|row| row.0));
        Self { rows, starts }
    }

    /// How many groups there are.
    pub(super) fn groups(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The groups that match one, itself among them, ascending, with their resemblance.
    pub(super) fn of(&self, group: u32) -> &[(u32, f64)] {
        let group = group as usize;
        &self.rows[self.starts[group]..self.starts[group + 1]]
    }

    /// The resemblance of two groups that match.
    pub(super) fn between(&self, a: u32, b: u32) -> Option<f64> {
        let rows = self.of(a);
        rows.binary_search_by_key(&b, |row| row.0).ok().map(|at| rows[at].1)
    }
}
