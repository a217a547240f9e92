//! Determines which documents' shingle sets must stay in memory after the documents are decided (streaming mode).

use lookalike::{cluster::Links, lsh::NONE};
use lookalike_io::{error::Result, spill::places::Places};

use crate::pairing::Pairing;

/// Returns the contenders (documents that have to be compared) whose sets are needed after they are decided, provided that they
/// are kept. A contender's set is needed if a later document is in one of the contender's buckets. It is also needed if an
/// earlier document in one of these buckets has a copy after the contender. If the earlier document is dropped, this copy is
/// compared with the contender, which may be a better representative. The contender's own copies do not need the set, because
/// they are dropped for the contender without a comparison.
pub(super) fn still_needed(links: &Links, pairing: &Pairing) -> Result<Places> {
    let numbers = pairing.numbers()?;
    let still_needed = Places::none(numbers.into());
    // For each contender, the number of the first contender after its last copy.
    let mut copied = vec![0u32; numbers as usize];
    for (copy, first_copy) in pairing.copies_of_contenders() {
        copied[first_copy.index()] = pairing.contenders.below(copy.0) as u32;
    }
    match links {
        Links::Buckets(buckets) => {
            for column in buckets.columns() {
                let mut askers: Vec<Askers> = Vec::new();
                let members = || {
                    (0..numbers)
                        .zip(column)
                        .filter(|(_, bucket)| **bucket != NONE)
                };
                for (number, &bucket) in members() {
                    let bucket = bucket as usize;
                    askers.resize(askers.len().max(bucket + 1), Askers::default());
                    askers[bucket].add(number, number.max(copied[number as usize]));
                }
                members()
                    .filter(|&(number, &bucket)| {
                        askers[bucket as usize].until_without(number) > number
                    })
                    .for_each(|(number, _)| still_needed.insert(number.into()));
            }
        }
        Links::Listed(listed) => {
            for number in 0..numbers {
                let others = listed.of(number);
                if others
                    .iter()
                    .any(|&other| other > number || copied[other as usize] > number)
                {
                    still_needed.insert(number.into());
                }
            }
        }
    }
    // If documents are compared with references only, documents of the inputs cannot be representatives, so their sets are not
    // needed.
    if pairing.references.only {
        (pairing.reference_numbers()..numbers)
            .for_each(|number| still_needed.remove(number.into()));
    }
    Ok(still_needed)
}

/// Describes until when the members of a bucket are compared with each other. A member is compared with the other members when it
/// is decided, and again when its copies are decided. Its end is the number of the contender at which this happens for the last
/// time: the member itself or, if it has copies, the first contender after its last copy. `until` is the latest end of all
/// members, `last` is the member that has this latest end, and `others_until` is the latest end of the other members.
#[derive(Debug, Default, Clone, Copy)]
struct Askers {
    last: u32,
    until: u32,
    others_until: u32,
}

impl Askers {
    fn add(&mut self, number: u32, until: u32) {
        if until >= self.until {
            *self = Self {
                last: number,
                until,
                others_until: self.until,
            };
        } else {
            self.others_until = self.others_until.max(until);
        }
    }

    /// Returns the latest end (see [`Askers`]) of all members of the bucket except the member `number`.
    fn until_without(&self, number: u32) -> u32 {
        if self.last == number {
            self.others_until
        } else {
            self.until
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn until_without_is_the_largest_of_all_others(untils in prop::collection::vec(0u32..20, 1..12)) {
            let mut askers = Askers::default();
            (0..).zip(&untils).for_each(|(number, &until)| askers.add(number, until));
            for at in 0..untils.len() {
                let others = untils.iter().enumerate().filter(|&(other, _)| other != at).map(|(_, &until)| until);
                prop_assert_eq!(askers.until_without(at as u32), others.max().unwrap_or(0));
            }
        }
    }
}
