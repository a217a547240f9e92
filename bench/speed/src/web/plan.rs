//! Computes which document is a copy of which, as a function of its number.
//!
//! Documents have *roles*, and the members of a cluster have consecutive roles. Places in the collection and roles are mapped to
//! each other by an affine function, x ↦ a·x + b modulo the number of documents, so that clusters are spread over the whole
//! collection. The original of a cluster is its first member in the collection.

use crate::random;

/// Clusters whose documents are all identical, for 30 million documents: (number of clusters, documents in each).
const IDENTICAL: [(u64, u64); 7] = [
    (1_600_000, 2),
    (320_000, 3),
    (100_000, 4),
    (50_000, 6),
    (22_990, 10),
    (6_000, 20),
    (1_000, 40),
];
/// The same for the ten largest clusters. In a collection of another size, their number stays the same and their sizes change in
/// proportion; for the other clusters, the sizes stay the same and the numbers change.
const GIANTS: (u64, u64) = (10, 5_010);
/// The same as `IDENTICAL`, for clusters with some edited copies.
const MIXED: [(u64, u64); 8] = [
    (500_000, 2),
    (350_000, 3),
    (250_000, 4),
    (250_000, 7),
    (100_000, 8),
    (40_000, 25),
    (8_000, 32),
    (2_000, 72),
];
/// The number of documents in the collection whose clusters the three lists describe.
const OF: u64 = 30_000_000;

/// `COPY` and `TOO_MUCH` are chances, out of 2²⁰. The second document of a mixed cluster is edited, so that the cluster is mixed.
/// Any other copy in the cluster is identical to the original with a chance of 55 %, which makes 2.2 million identical copies.
/// Together with the 3.2 million copies in the identical clusters, these are 18 % of all documents. One edited copy in six is
/// edited so much that its resemblance falls below 0.8.
const COPY: u64 = (0.55 * CHANCES as f64) as u64;
const TOO_MUCH: u64 = CHANCES / 6;
const CHANCES: u64 = 1 << 20;

/// The role of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// Seed of the text; a copy has the seed of its original.
    pub text: u64,
    /// Place of the original, or the document's own place if it is not a copy.
    pub original: u64,
    /// How the document was made from its original.
    pub kind: Kind,
    /// Whether edited copies can be made of the text; the shortest texts are not edited.
    pub edited: bool,
    /// Seed of everything that belongs to this document only.
    pub own: u64,
}

/// How a document is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is not a copy.
    Original,
    /// A copy with the same tokens; capitals, spaces and punctuation may differ.
    Copy,
    /// A copy with edits that leave a resemblance of about 0.8 to 1.
    Near,
    /// A copy with edits that leave a resemblance of about 0.5 to 0.78.
    Far,
}

/// The roles of the documents in `clusters` clusters of one size, beginning with role `first`.
#[derive(Debug, Clone, Copy)]
struct Class {
    first: u64,
    clusters: u64,
    size: u64,
    mixed: bool,
}

/// The plan of a collection.
#[derive(Debug)]
pub struct Plan {
    documents: u64,
    seed: u64,
    multiplier: u64,
    inverse: u64,
    shift: u64,
    classes: Vec<Class>,
    /// The place of the original of each giant (a cluster that `GIANTS` describes). Each giant is a class of its own, and these
    /// classes are the first of the `classes`.
    giants: Vec<u64>,
    clustered: u64,
}

impl Plan {
    /// Returns the plan of a collection.
    ///
    /// # Panics
    /// Panics if there are no documents, or more than 2³².
    pub fn new(documents: u64, seed: u64) -> Self {
        assert!(
            (1..=1 << 32).contains(&documents),
            "from 1 to 2^32 documents"
        );
        let scaled = |count: u64| count * documents / OF;
        let giants = (0..GIANTS.0)
            .map(|_| (1, scaled(GIANTS.1), false))
            .filter(|&(_, size, _)| size > 1);
        let identical = IDENTICAL
            .iter()
            .map(|&(clusters, size)| (scaled(clusters), size, false));
        let mixed = MIXED
            .iter()
            .map(|&(clusters, size)| (scaled(clusters), size, true));
        let mut first = 0;
        let classes: Vec<Class> = giants
            .chain(identical)
            .chain(mixed)
            .map(|(clusters, size, mixed)| {
                let class = Class {
                    first,
                    clusters,
                    size,
                    mixed,
                };
                first += clusters * size;
                class
            })
            .collect();
        // The multiplier is near the golden ratio, so that neighbouring roles are far apart in the collection.
        let golden = random::below(0x9e37_79b9_7f4a_7c15, documents);
        let multiplier = (golden.max(1)..)
            .find(|&a| gcd(a, documents) == 1)
            .unwrap_or(1);
        let shift = random::below(random::at(seed, 0), documents);
        let inverse = inverse(multiplier, documents);
        let mut plan = Self {
            documents,
            seed,
            multiplier,
            inverse,
            shift,
            classes,
            giants: Vec::new(),
            clustered: first,
        };
        let giants = plan
            .classes
            .iter()
            .take_while(|class| class.clusters == 1 && !class.mixed);
        plan.giants = giants
            .map(|class| plan.first_place(class.first, class.size))
            .collect();
        plan
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the role of the document at position `place` of the collection. Cost: tens of nanoseconds, plus a few for each
    /// document of its cluster.
    pub fn role(&self, place: u64) -> Role {
        let role = ((u128::from(self.multiplier) * u128::from(place) + u128::from(self.shift))
            % u128::from(self.documents)) as u64;
        let own = random::at(self.seed ^ 0x6f77_6e00, role);
        if role >= self.clustered {
            return Role {
                text: self.text(role),
                original: place,
                kind: Kind::Original,
                edited: false,
                own,
            };
        }
        let number = self
            .classes
            .partition_point(|class| class.first + class.clusters * class.size <= role);
        let class = self.classes[number];
        let first = role - (role - class.first) % class.size;
        let original = match self.giants.get(number) {
            Some(&giant) => giant,
            None => self.first_place(first, class.size),
        };
        let kind = if original == place {
            Kind::Original
        } else {
            self.kind(class, first, original, role, own)
        };
        Role {
            text: self.text(first),
            original,
            kind,
            edited: class.mixed,
            own,
        }
    }

    fn kind(&self, class: Class, first: u64, original: u64, role: u64, own: u64) -> Kind {
        if !class.mixed {
            return Kind::Copy;
        }
        let second = first + u64::from(self.place(first) == original);
        let chance = |shift: u32| own >> shift & (CHANCES - 1);
        match () {
            () if role != second && chance(0) < COPY => Kind::Copy,
            () if chance(20) < TOO_MUCH => Kind::Far,
            () => Kind::Near,
        }
    }

    fn text(&self, role: u64) -> u64 {
        random::at(self.seed ^ 0x7465_7874, role)
    }

    /// Returns the place of the document whose role has the number `role`.
    fn place(&self, role: u64) -> u64 {
        let from = role + self.documents - self.shift;
        (u128::from(self.inverse) * u128::from(from) % u128::from(self.documents)) as u64
    }

    fn first_place(&self, first: u64, size: u64) -> u64 {
        let (mut place, mut least) = (self.place(first), u64::MAX);
        for _ in 0..size {
            least = least.min(place);
            place += self.inverse;
            if place >= self.documents {
                place -= self.documents;
            }
        }
        least
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns the inverse of a number modulo another one; the two must have no common divisor.
fn inverse(a: u64, modulus: u64) -> u64 {
    let (mut r, mut next, mut t, mut after) =
        (i128::from(modulus), i128::from(a % modulus), 0i128, 1i128);
    while next != 0 {
        let quotient = r / next;
        (r, next) = (next, r - quotient * next);
        (t, after) = (after, t - quotient * after);
    }
    t.rem_euclid(i128::from(modulus)) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_lists_are_the_papers() {
        let sum = |list: &[(u64, u64)]| {
            list.iter().fold((0, 0), |(c, d), &(count, size)| {
                (c + count, d + count * size)
            })
        };
        let (clusters, documents) = sum(&IDENTICAL);
        assert_eq!(
            (clusters + GIANTS.0, documents + GIANTS.0 * GIANTS.1),
            (2_100_000, 5_300_000)
        );
        assert_eq!(sum(&MIXED), (1_500_000, 7_000_000));
    }

    #[test]
    fn a_small_web_has_the_papers_shares() {
        let plan = Plan::new(300_000, 5);
        let mut kinds = BTreeMap::new();
        let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
        for place in 0..plan.documents() {
            let role = plan.role(place);
            *kinds.entry(format!("{:?}", role.kind)).or_insert(0u64) += 1;
            *sizes.entry(role.original).or_default() += 1;
            // The original comes before its copies, has the same text, and is not a copy itself.
            assert!(role.original <= place);
            let original = plan.role(role.original);
            assert_eq!(
                (original.kind, original.text, original.original),
                (Kind::Original, role.text, role.original)
            );
            assert_eq!(role.kind == Kind::Original, role.original == place);
        }
        let share = |kind: &str| kinds[kind] as f64 / 300_000.0;
        assert!((share("Copy") - 0.18).abs() < 0.002, "{kinds:?}");
        assert!(
            (share("Near") + share("Far") - 0.11).abs() < 0.002,
            "{kinds:?}"
        );
        assert!((share("Far") - 0.11 / 6.0).abs() < 0.001, "{kinds:?}");
        let clusters = sizes.values().filter(|&&size| size > 1).count() as f64;
        assert!((clusters / 36_000.0 - 1.0).abs() < 0.01, "{clusters}");
        assert_eq!(sizes.values().max(), Some(&72));
    }
}
