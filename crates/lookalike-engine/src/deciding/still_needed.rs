//! Whose sets are asked for after their turn, where documents are decided as they come.

use lookalike::{cluster::Links, lsh::NONE};
use lookalike_io::{error::Result, spill::places::Places};

use crate::pairing::Pairing;

/// Contenders whose sets are asked for after their turn, if they are kept: others come behind them in their buckets, or copies of
/// one before them, which look for a better representative than their leader had. Their own copies need none: they go for them.
pub(super) fn awaited(links: &Links, pairing: &Pairing) -> Result<Places> {
    let numbers = pairing.numbers()?;
    let awaited = Places::none(numbers.into());
    // Before which number the last copy of each contender comes.
    let mut copied = vec![0u32; numbers as usize];
    for (copy, leader) in pairing.copies_of_contenders() {
        copied[leader.index()] = pairing.contenders.below(copy.0) as u32;
    }
    match links {
        Links::Buckets(buckets) => {
            for column in buckets.columns() {
                let mut askers: Vec<Askers> = Vec::new();
                let members = || (0..numbers).zip(column).filter(|(_, bucket)| **bucket != NONE);
                for (number, &bucket) in members() {
                    let bucket = bucket as usize;
                    askers.resize(askers.len().max(bucket + 1), Askers::default());
                    askers[bucket].add(number, number.max(copied[number as usize]));
                }
                members()
                    .filter(|&(number, &bucket)| askers[bucket as usize].until_without(number) > number)
                    .for_each(|(number, _)| awaited.insert(number.into()));
            }
        }
        Links::Listed(listed) => {
            for number in 0..numbers {
                let others = listed.of(number);
                if others.iter().any(|&other| other > number || copied[other as usize] > number) {
                    awaited.insert(number.into());
                }
            }
        }
    }
    // Who stands for nobody is asked for nothing.
    if pairing.references.only {
        (pairing.reference_numbers()..numbers).for_each(|number| awaited.remove(number.into()));
    }
    Ok(awaited)
}

/// Until which number members of a bucket ask for others of it: the one who does so longest, and all others.
#[derive(Debug, Default, Clone, Copy)]
struct Askers {
    last: u32,
    until: u32,
    others_until: u32,
}

impl Askers {
    fn add(&mut self, number: u32, until: u32) {
        if until >= self.until {
            *self = Self { last: number, until, others_until: self.until };
        } else {
            self.others_until = self.others_until.max(until);
        }
    }

    /// Until which number others ask than this one.
    fn until_without(&self, number: u32) -> u32 {
        if self.last == number { self.others_until } else { self.until }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn askers_are_the_largest_of_all_others(untils in prop::collection::vec(0u32..20, 1..12)) {
            let mut askers = Askers::default();
            (0..).zip(&untils).for_each(|(number, &until)| askers.add(number, until));
            for at in 0..untils.len() {
                let others = untils.iter().enumerate().filter(|&(other, _)| other != at).map(|(_, &until)| until);
                prop_assert_eq!(askers.until_without(at as u32), others.max().unwrap_or(0));
            }
        }
    }
}
