//! Documents that are added together, and share keys.

use lookalike_io::pool::par_map;

use crate::apart::apart;

/// The documents of a large change that share keys with others of the change. While they are decided, they are found here. Most documents
/// share no key, so this is faster than postings, which are made for all of them afterwards.
#[derive(Debug)]
pub(super) struct Mates {
    /// The number of the first document of the change.
    first: u64,
    /// For each document, where its groups begin, and one number more.
    starts: Vec<u32>,
    groups: Vec<u32>,
    /// For each group of documents that share a key, those that are posted so far with a kept first copy.
    leading: Vec<Vec<u32>>,
}

impl Mates {
    /// Groups documents by their keys. For each column, `columns` has the keys in order, each with the number of a document, counted from
    /// `first`. `count` is the number of documents.
    pub(super) fn new(first: u64, count: usize, columns: &[Vec<(u32, u32)>]) -> Self {
        // Pairs of a document and a group, whose number is counted from the first group of the column.
        let shared = |keys: &Vec<(u32, u32)>| {
            let (mut pairs, mut next) = (Vec::new(), 0);
            for same in keys
                .chunk_by(|a, b| a.0 == b.0)
                .filter(|same| same.len() > 1)
            {
                pairs.extend(same.iter().map(|&(_, at)| (at, next)));
                next += 1;
            }
            (pairs, next)
        };
        let shared: Vec<(Vec<(u32, u32)>, u32)> = apart(|| par_map(columns, shared));
        let mut starts = vec![0u32; count + 1];
        shared
            .iter()
            .flat_map(|(pairs, _)| pairs)
            .for_each(|&(at, _)| starts[at as usize + 1] += 1);
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let (mut ends, mut groups, mut before) =
            (starts.clone(), vec![0; starts[count] as usize], 0);
        for (pairs, of_column) in shared {
            for (at, group) in pairs {
                groups[ends[at as usize] as usize] = before + group;
                ends[at as usize] += 1;
            }
            before += of_column;
        }
        Self {
            first,
            starts,
            groups,
            leading: vec![Vec::new(); before as usize],
        }
    }

    fn groups(&self, number: u64) -> Option<&[u32]> {
        let at = number.checked_sub(self.first)? as usize;
        let (start, end) = (*self.starts.get(at)?, *self.starts.get(at + 1)?);
        self.groups.get(start as usize..end as usize)
    }

    /// Returns whether a document is one of the change.
    pub(super) fn contains(&self, number: u64) -> bool {
        self.groups(number).is_some()
    }

    /// Adds a posted document to its groups.
    pub(super) fn post(&mut self, number: u64) {
        let at = number.wrapping_sub(self.first) as usize;
        let Some(&[start, end]) = self.starts.get(at..at + 2) else {
            return;
        };
        for &group in &self.groups[start as usize..end as usize] {
            self.leading[group as usize].push(at as u32);
        }
    }

    /// Adds the posted documents that share a key with a document.
    pub(super) fn find(&self, number: u64, found: &mut Vec<u64>) {
        for &group in self.groups(number).unwrap_or_default() {
            found.extend(
                self.leading[group as usize]
                    .iter()
                    .map(|&at| self.first + u64::from(at)),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_that_share_keys_are_found() {
        // Documents 0 and 2 share the first key, 1 and 2 the second; 3 shares none.
        let mut mates = Mates::new(
            100,
            4,
            &[
                vec![(7, 0), (7, 2), (8, 1), (9, 3)],
                vec![(5, 0), (6, 1), (6, 2), (9, 3)],
            ],
        );
        let find = |mates: &Mates, number| {
            let mut found = Vec::new();
            mates.find(number, &mut found);
            found
        };
        assert_eq!(find(&mates, 102), Vec::<u64>::new());
        (100..104).for_each(|number| mates.post(number));
        assert_eq!(find(&mates, 102), [100, 102, 101, 102]);
        assert_eq!(
            (find(&mates, 100), find(&mates, 103)),
            (vec![100, 102], vec![])
        );
        assert!(mates.contains(103) && !mates.contains(104) && !mates.contains(99));
    }
}
