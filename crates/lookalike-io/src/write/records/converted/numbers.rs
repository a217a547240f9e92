//! Finds the type of a column of numbers.

use lookalike::shown::cut;

use super::{
    refused::{At, Refused, Result, Why},
    types::Type,
};

/// The whole numbers up to this one are exact as floats.
const EXACT: u64 = 1 << 53;

/// Which numbers there are.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The largest whole number, if there is one above 0.
    most: Option<(u64, At)>,
    /// The smallest whole number, if there is one below 0.
    least: Option<(i64, At)>,
    /// The first number that is not a whole one.
    fraction: Option<At>,
}

impl Numbers {
    pub(super) fn add(&mut self, number: &str, at: At) -> Result<()> {
        let is_fraction = number
            .bytes()
            .any(|byte| matches!(byte, b'.' | b'e' | b'E'));
        if is_fraction {
            if !number.parse().is_ok_and(f64::is_finite) {
                let what = format!(
                    "is {}, which is too large for a number of 64 bits",
                    cut(number)
                );
                return Err(Refused::new(
                    at,
                    Why::Value(what, "make it a string, or write JSON Lines (.jsonl)"),
                ));
            }
            self.fraction.get_or_insert(at);
        } else if let Ok(whole) = number.parse::<u64>() {
            self.merge(&Self {
                most: Some((whole, at)),
                ..Self::default()
            });
        } else if let Ok(whole) = number.parse::<i64>() {
            self.merge(&Self {
                least: Some((whole, at)),
                ..Self::default()
            });
        } else {
            let what = format!("is {}, which does not fit into 64 bits", cut(number));
            return Err(Refused::new(
                at,
                Why::Value(what, "make it a string, or write JSON Lines (.jsonl)"),
            ));
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, later: &Self) {
        self.most = self
            .most
            .filter(|own| later.most.is_none_or(|most| own.0 >= most.0))
            .or(later.most);
        self.least = self
            .least
            .filter(|own| later.least.is_none_or(|least| own.0 <= least.0))
            .or(later.least);
        self.fraction = self.fraction.or(later.fraction);
    }

    pub(super) fn kind(&self) -> Result<Type> {
        let least = self.least.filter(|(least, _)| *least < 0);
        let differs = |(own, at): (String, At), (other, there)| {
            Err(Refused::new(at, Why::Differs([own, other], there)))
        };
        if let Some(fraction) = self.fraction {
            let most = self
                .most
                .filter(|(most, _)| *most > EXACT)
                .map(|(most, at)| (most.to_string(), at));
            let least = least
                .filter(|(least, _)| least.unsigned_abs() > EXACT)
                .map(|(least, at)| (least.to_string(), at));
            return match most.or(least) {
                Some((whole, at)) => {
                    let fraction = ("a number that is not whole".into(), fraction);
                    differs(
                        (
                            format!("{whole}, which is not exact as a floating-point number"),
                            at,
                        ),
                        fraction,
                    )
                }
                None => Ok(Type::Float),
            };
        }
        match (
            self.most.filter(|(most, _)| i64::try_from(*most).is_err()),
            least,
        ) {
            (None, _) => Ok(Type::Signed),
            (Some(_), None) => Ok(Type::Unsigned),
            (Some((most, at)), Some((least, there))) => differs(
                (format!("{most}, which needs 64 bits without a sign"), at),
                (least.to_string(), there),
            ),
        }
    }
}
