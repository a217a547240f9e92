//! How many of some found pairs are right, where it is not known which.

use super::{
    config::{FieldConfig, Kind},
    kinds::{self, Room},
};

/// The share of a set of pairs that are of one person, by something that was not compared: *Mining of Massive Datasets*, section
/// 3.8.1. There the records of two companies have dates, which are `right` = 10 days apart on the average for pairs that are known to be right
/// (those of 300 points) and `wrong` = 45 for pairs that are wrong (at random); of pairs that are `found` = x days apart on the average
/// a share of (45 − x) / 35 is right.
///
/// It goes beyond 0 or 1 where the pairs are further apart, or nearer, than either kind; none where both kinds are as far apart.
pub fn right_share(found: f64, right: f64, wrong: f64) -> Option<f64> {
    let share = (wrong - found) / (wrong - right);
    share.is_finite().then_some(share)
}

/// A value that pairs can be apart in: a date as the number of its day, or a number. None for what is neither, and for a date without a day.
pub fn measure(value: &str, room: &mut Room) -> Option<f64> {
    let mut date = String::new();
    kinds::normalise(&FieldConfig::new("", Kind::Date), value, room, &mut date);
    day(&date).map(|day| day as f64).or_else(|| value.trim().parse().ok().filter(|number: &f64| number.is_finite()))
}

/// The days from 1970-01-01 to a date, by the Gregorian calendar.
fn day(date: &str) -> Option<i64> {
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    // March is the first month, so that the day that is sometimes there is the last.
    let (years, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Some(
        365 * years + years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400) + (153 * months + 2) / 5 + day
            - 719_469,
    )
}

/// How far apart two values are on the average, over all pairs of `a`'s, or of one of `a`'s and one of `b`'s. None where there is no
/// pair. Cost: a sort.
pub fn mean_apart(mut a: Vec<f64>, b: Option<Vec<f64>>) -> Option<f64> {
    let Some(mut b) = b else {
        a.sort_unstable_by(f64::total_cmp);
        let (pairs, first) = (a.len() as f64 * (a.len() as f64 - 1.0) / 2.0, *a.first()?);
        let times = |at: usize| 2.0 * at as f64 - (a.len() as f64 - 1.0);
        let sum: f64 = a.iter().enumerate().map(|(at, value)| (value - first) * times(at)).sum();
        return (pairs > 0.0).then(|| sum / pairs);
    };
    a.sort_unstable_by(f64::total_cmp);
    b.sort_unstable_by(f64::total_cmp);
    let (&first, all) = (a.first()?, b.len() as f64);
    let (whole, mut below, mut at, mut sum) = (b.iter().map(|value| value - first).sum::<f64>(), 0.0, 0, 0.0);
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
            assert_eq!(measure(value, &mut Room::default()), expected, "{value}");
        }
    }

    proptest! {
        #[test]
        fn the_mean_is_that_of_pair_against_pair(
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
        assert_eq!([10.0, 45.0].map(|days| right_share(days, 10.0, 45.0)), [Some(1.0), Some(0.0)]);
        assert_eq!(right_share(10.0, 10.0, 10.0), None);
    }
}
