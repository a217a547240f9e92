//! Values as bytes, for the log and the change feed.
//!
//! Numbers take as many bytes as they need: groups of seven bits, the lowest first. Bytes are preceded by their number.

use crate::{
    change::{Change, Decided},
    id::Id,
    law::Verdict,
};

/// Adds values to bytes.
#[derive(Debug, Default)]
pub(crate) struct Encoder(pub(crate) Vec<u8>);

impl Encoder {
    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn real(&mut self, real: f64) {
        self.0.extend(real.to_bits().to_le_bytes());
    }

    pub(crate) fn verdict(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Kept => self.number(0),
            Verdict::Dropped {
                representative,
                similarity,
            } => {
                self.number(representative + 1);
                self.real(similarity);
            }
        }
    }

    fn decided(&mut self, decided: Option<&Decided>) {
        match decided {
            None => self.0.push(0),
            Some(Decided::Kept) => self.0.push(1),
            Some(Decided::Dropped {
                representative,
                similarity,
            }) => {
                self.0.push(if similarity.is_some() { 2 } else { 3 });
                self.bytes(&representative.to_bytes());
                similarity
                    .iter()
                    .for_each(|&similarity| self.real(similarity));
            }
        }
    }

    pub(crate) fn change(&mut self, change: &Change) {
        self.bytes(&change.id.to_bytes());
        self.decided(change.before.as_ref());
        self.decided(change.after.as_ref());
    }
}

/// Reads values from bytes. Each function returns none if the bytes are not such a value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decoder<'a>(pub(crate) &'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let [byte] = self.take()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn real(&mut self) -> Option<f64> {
        Some(f64::from_bits(u64::from_le_bytes(self.take()?)))
    }

    pub(crate) fn id(&mut self) -> Option<Id> {
        Id::from_bytes(self.bytes()?)
    }

    pub(crate) fn verdict(&mut self) -> Option<Verdict> {
        Some(match self.number()? {
            0 => Verdict::Kept,
            number => Verdict::Dropped {
                representative: number - 1,
                similarity: self.real()?,
            },
        })
    }

    fn decided(&mut self) -> Option<Option<Decided>> {
        Some(match self.take()? {
            [0] => None,
            [1] => Some(Decided::Kept),
            [kind @ (2 | 3)] => {
                let representative = self.id()?;
                let similarity = if kind == 2 { Some(self.real()?) } else { None };
                Some(Decided::Dropped {
                    representative,
                    similarity,
                })
            }
            _ => return None,
        })
    }

    pub(crate) fn change(&mut self) -> Option<Change> {
        Some(Change {
            id: self.id()?,
            before: self.decided()?,
            after: self.decided()?,
        })
    }

    /// Reads a count, and then as many values.
    pub(crate) fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.number()?;
        // A value takes at least one byte, so a wrong count cannot allocate much memory.
        let mut all = Vec::with_capacity(usize::try_from(count).ok()?.min(self.0.len()));
        for _ in 0..count {
            all.push(one(self)?);
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id() -> impl Strategy<Value = Id> {
        prop_oneof![
            ".{0,5}".prop_map(Id::Text),
            any::<i64>().prop_map(Id::Number),
            any::<f64>().prop_map(|number| Id::Written(format!("{number:?}")))
        ]
    }

    fn decided() -> impl Strategy<Value = Option<Decided>> {
        let dropped =
            (id(), prop::option::of(0.0..1.0)).prop_map(|(representative, similarity)| {
                Decided::Dropped {
                    representative,
                    similarity,
                }
            });
        prop::option::of(prop_oneof![Just(Decided::Kept), dropped])
    }

    proptest! {
        #[test]
        fn values_are_read_back(id in id(), before in decided(), after in decided(), number: u64, cut in 0usize..100) {
            let change = Change { id, before, after };
            let mut out = Encoder::default();
            out.number(number);
            out.verdict(Verdict::Dropped { representative: number >> 1, similarity: 0.7 });
            out.change(&change);
            let mut read = Decoder(&out.0);
            prop_assert_eq!(read.number(), Some(number));
            prop_assert_eq!(read.verdict(), Some(Verdict::Dropped { representative: number >> 1, similarity: 0.7 }));
            prop_assert_eq!(read.change(), Some(change));
            prop_assert!(read.0.is_empty());
            let mut short = Decoder(&out.0[..cut.min(out.0.len() - 1)]);
            prop_assert!(short.number().and_then(|_| short.verdict()).and_then(|_| short.change()).is_none());
        }
    }
}
