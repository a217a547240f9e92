//! Who may be whose candidate, and who of them is kept: what going down keep order asks.

use super::{Buckets, Company};

/// Two ways of holding candidate pairs.
#[derive(Debug)]
pub enum Links {
    /// Documents that share a bucket of a band.
    Buckets(Buckets),
    /// Pairs that were listed one by one.
    Listed(Listed),
}

impl Links {
    /// Fills `company` with the kept documents that are linked to one that was not kept: each once, in an order that is the
    /// same on every run.
    pub fn kept_company(&self, document: u32, company: &mut Company) {
        match self {
            Self::Buckets(buckets) => buckets.kept_company(document, company),
            Self::Listed(listed) => {
                company.members.clear();
                let kept = listed.of(document).iter().copied().filter(|&other| listed.kept[other as usize]);
                company.members.extend(kept);
            }
        }
    }

    /// Enters a document as kept. Each document once.
    pub fn keep(&mut self, document: u32) {
        match self {
            Self::Buckets(buckets) => buckets.keep(document),
            Self::Listed(listed) => listed.kept[document as usize] = true,
        }
    }
}

/// Candidate pairs as a list of neighbours for each document. Eight bytes a pair, five a document.
#[derive(Debug)]
pub struct Listed {
    starts: Vec<usize>,
    /// In keep order for each document.
    neighbours: Vec<u32>,
    kept: Vec<bool>,
}

impl Listed {
    /// Takes pairs, each once, of documents whose places in keep order are `ranks`.
    pub fn new(pairs: &[(u32, u32)], ranks: &[u32]) -> Self {
        let documents = ranks.len();
        let mut starts = vec![0usize; documents + 1];
        for &(a, b) in pairs {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        (0..documents).for_each(|d| starts[d + 1] += starts[d]);
        let (mut next, mut neighbours) = (starts.clone(), vec![0; 2 * pairs.len()]);
        for (a, b) in pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]) {
            neighbours[next[a as usize]] = b;
            next[a as usize] += 1;
        }
        for d in 0..documents {
            neighbours[starts[d]..starts[d + 1]].sort_unstable_by_key(|&other| ranks[other as usize]);
        }
        Self { starts, neighbours, kept: vec![false; documents] }
    }

    /// The documents paired with one, in keep order.
    pub fn of(&self, document: u32) -> &[u32] {
        &self.neighbours[self.starts[document as usize]..self.starts[document as usize + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_stand_in_keep_order_and_only_kept_ones_are_company() {
        let mut links = Links::Listed(Listed::new(&[(0, 2), (1, 2), (2, 3)], &[3, 1, 2, 0]));
        let mut company = Company::default();
        let Links::Listed(listed) = &links else { panic!() };
        assert_eq!((listed.of(2), listed.of(0)), (&[3, 1, 0][..], &[2][..]));
        links.kept_company(2, &mut company);
        assert!(company.members.is_empty());
        links.keep(0);
        links.keep(3);
        links.kept_company(2, &mut company);
        assert_eq!(company.members, [3, 0]);
    }
}
