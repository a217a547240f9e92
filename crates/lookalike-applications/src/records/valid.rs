//! Estimates how many of the found pairs are correct, without a ground truth that tells which pairs are correct.

use super::{
    config::{FieldConfig, Kind},
    values::{self, Scratch},
};

/// Returns the share of pairs that are correct (both records are of the same person), estimated from a value that was not
/// compared. This is the method of *Mining of Massive Datasets*, section 3.8.1, where the records of two companies have dates. In
/// pairs that are known to be correct, because they have 300 points, the two dates are 10 days apart on average (`right`). In
/// random pairs, which are incorrect, the dates are 45 days apart on average (`wrong`). If the dates of the found pairs are x
/// days apart on average (`found`), a share of (45 − x) / 35 is correct.
///
/// The result is below 0 or above 1 if `found` is not between `right` and `wrong`. It is `None` if `right` and `wrong` are equal.
pub fn right_share(found: f64, right: f64, wrong: f64) -> Option<f64> {
    let share = (wrong - found) / (wrong - right);
    share.is_finite().then_some(share)
}

/// Returns the value as a number, so that differences between values can be computed. For a date, this is the number of days
/// since 1970-01-01; for a number, the number itself. Returns `None` for anything else, and for a date without a day.
pub fn measure(value: &str, scratch: &mut Scratch) -> Option<f64> {
    let mut date = String::new();
    values::normalise(&FieldConfig::new("", Kind::Date), value, scratch, &mut date);
    day(&date).map(|day| day as f64).or_else(|| {
        value
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
    })
}

/// Returns the number of days from 1970-01-01 to a date, by the Gregorian calendar.
fn day(date: &str) -> Option<i64> {
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    // March is the first month, so that the leap day is the last day of the year.
    let (years, months) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    Some(
        365 * years + years.div_euclid(4) - years.div_euclid(100)
            + years.div_euclid(400)
            + (153 * months + 2) / 5
            + day
            - 719_469,
    )
}

/// Returns the average difference of two values: over all pairs of values of `a`, or, if `b` is given, over all pairs of a value
/// of `a` and a value of `b`. Returns `None` if there is no pair. Cost: a sort.
pub fn mean_apart(mut a: Vec<f64>, b: Option<Vec<f64>>) -> Option<f64> {
    let Some(mut b) = b else {
        a.sort_unstable_by(f64::total_cmp);
        let (pairs, first) = (a.len() as f64 * (a.len() as f64 - 1.0) / 2.0, *a.first()?);
        let times = |at: usize| 2.0 * at as f64 - (a.len() as f64 - 1.0);
        let sum: f64 = a
            .iter()
            .enumerate()
            .map(|(at, value)| (value - first) * times(at))
            .sum();
        return (pairs > 0.0).then(|| sum / pairs);
    };
    a.sort_unstable_by(f64::total_cmp);
    b.sort_unstable_by(f64::total_cmp);
    let (&first, all) = (a.first()?, b.len() as f64);
    let (whole, mut below, mut at, mut sum) = (
        b.iter().map(|value| value - first).sum::<f64>(),
        0.0,
        0,
        0.0,
    );
    for value in &a {
        while let Some(other) = b.get(at).filter(|other| *other <= value) {
            below += other - first;
            at += 1;
        }
        let (value, before) = (value - first, at as f64);
        sum += value * before - below + (whole - below) - value * (all - before);
    }
    (all > 0.0).then(|| sum / (a.len() as f64 * all))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_in_a_table() {
        for (value, expected) in [
            ("1970-01-01", Some(0.0)),
            ("2 Jan 1970", Some(1.0)),
            ("1969-12-31T10:00:00Z", Some(-1.0)),
            ("2000-02-29", Some(11_016.0)),
            ("2000-03-01", Some(11_017.0)),
            ("2100-03-01", Some(47_541.0)),
            ("1970-03", None),
            ("12.5", Some(12.5)),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(measure(value, &mut Scratch::default()), expected, "{value}");
        }
    }

    proptest! {
        #[test]
        fn the_mean_matches_a_comparison_of_all_pairs(
            a in prop::collection::vec(-500i32..500, 0..20),
            b in prop::option::of(prop::collection::vec(-500i32..500, 0..20)),
        ) {
            let values = |values: &[i32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<_>>();
            let all: Vec<f64> = match &b {
                Some(b) => a.iter().flat_map(|x| b.iter().map(move |y| f64::from((x - y).abs()))).collect(),
                None => (0..a.len()).flat_map(|at| a[..at].iter().map(move |x| (x, at))).map(|(x, at)| f64::from((x - a[at]).abs())).collect(),
            };
            let found = mean_apart(values(&a), b.as_deref().map(values));
            prop_assert_eq!(found.is_some(), !all.is_empty());
            let expected = all.iter().sum::<f64>() / all.len().max(1) as f64;
            prop_assert!(found.is_none_or(|found| (found - expected).abs() < 1e-9), "{:?} {}", found, expected);
        }
    }

    #[test]
    fn the_sources_numbers() {
        for days in [10.0, 20.0, 27.5, 45.0, 50.0] {
            assert_eq!(right_share(days, 10.0, 45.0), Some((45.0 - days) / 35.0));
        }
        assert_eq!(
            [10.0, 45.0].map(|days| right_share(days, 10.0, 45.0)),
            [Some(1.0), Some(0.0)]
        );
        assert_eq!(right_share(10.0, 10.0, 10.0), None);
    }
}
