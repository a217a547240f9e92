//! Connected components, offered in addition to the law (the exact rule in `dedup/law.rs`) because they are widely known. If a is
//! similar to b, b to c and c to d, then a and d are in one component, however different they are.

/// Disjoint sets over 0 … n − 1.
#[derive(Debug, Clone, Default)]
pub struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// Creates `n` sets of one element each.
    pub fn new(n: usize) -> Self {
        Self {
            parents: (0..n as u32).collect(),
        }
    }

    /// Adds an element, in a set of its own. Returns the element, which is the number of elements before it.
    pub fn push(&mut self) -> u32 {
        let x = self.parents.len() as u32;
        self.parents.push(x);
        x
    }

    /// Returns the set of `x`, identified by its smallest member.
    pub fn find(&mut self, mut x: u32) -> u32 {
        while self.parents[x as usize] != x {
            // Path halving (Tarjan and van Leeuwen 1984).
            self.parents[x as usize] = self.parents[self.parents[x as usize] as usize];
            x = self.parents[x as usize];
        }
        x
    }

    /// Joins the sets of `a` and `b`. The smaller of the two sets' numbers identifies the new set, so the result does not depend
    /// on the order of joins.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_joined_and_the_smallest_member_names_the_set() {
        let mut sets = UnionFind::new(6);
        for (a, b) in [(5, 4), (2, 3), (4, 3)] {
            sets.join(a, b);
        }
        assert_eq!(
            (0..6).map(|x| sets.find(x)).collect::<Vec<_>>(),
            [0, 1, 2, 2, 2, 2]
        );
    }
}
