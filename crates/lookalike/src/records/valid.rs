//! How many of some found pairs are right, where nobody knows which.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_numbers() {
        for days in [10.0, 20.0, 27.5, 45.0, 50.0] {
            assert_eq!(right_share(days, 10.0, 45.0), Some((45.0 - days) / 35.0));
        }
        assert_eq!([10.0, 45.0].map(|days| right_share(days, 10.0, 45.0)), [Some(1.0), Some(0.0)]);
        assert_eq!(right_share(10.0, 10.0, 10.0), None);
    }
}
