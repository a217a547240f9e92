//! The levels of similarity of a field.

use crate::{
    error::{Error, Result},
    records::config::{Compare, FieldConfig, Kind},
};

/// A similarity from which two values count as equal. Values in another order or notation can be equal, too.
const EQUAL: f64 = 1.0 - TOLERANCE;

/// A similarity is the result of a division, so it can be a little smaller than a threshold that it reaches.
const TOLERANCE: f64 = 1e-9;

/// The largest number of thresholds of a field, so that a level fits into four bits of a pattern.
const MOST: usize = 13;

/// Returns the similarities at which the next level begins, in increasing order, without the last level, which begins at
/// [`EQUAL`].
pub(in crate::records) fn thresholds(field: &FieldConfig) -> Vec<f64> {
    if let Some(levels) = &field.levels {
        let mut levels = levels.clone();
        levels.sort_unstable_by(f64::total_cmp);
        return levels;
    }
    let usual: &[f64] = match (field.compare, field.kind) {
        (Some(Compare::JaroWinkler), _) | (None, Kind::Name) => &[0.8, 0.92],
        (Some(Compare::Edits), _) | (None, Kind::Code) => &[0.7, 0.85],
        (Some(Compare::Ratio | Compare::Soft), _) | (None, Kind::Text | Kind::Address) => {
            &[0.6, 0.75, 0.9]
        }
        (Some(Compare::Words | Compare::Shorter | Compare::Trigrams), _) => {
            &[0.15, 0.3, 0.5, 0.7, 0.85]
        }
        (Some(Compare::TfIdf | Compare::TfIdfTrigrams), _) => {
            &[0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9]
        }
        (Some(Compare::Exact), _) | (None, Kind::Exact) => &[],
        // One typing error has a similarity of 0.8, and two have 0.5.
        (None, Kind::Phone | Kind::Date) => &[0.5, 0.8, 0.9],
        (None, Kind::Number | Kind::Quantity) => &[0.5, 0.8, 0.95],
    };
    usual.into()
}

/// Checks the thresholds of a configuration.
pub(in crate::records) fn check(field: &FieldConfig) -> Result<()> {
    let Some(levels) = &field.levels else {
        return Ok(());
    };
    let wrong = |what: String| Err(Error::Link(format!("field {:?}: {what}", field.name)));
    if let Some(level) = levels
        .iter()
        .find(|level| !(**level > 0.0 && **level < EQUAL))
    {
        return wrong(format!(
            "levels must be above 0 and below 1, got {level}; equal values have a level of their own"
        ));
    }
    if levels.len() > MOST {
        return wrong(format!(
            "{} levels are too many; give at most {MOST}",
            levels.len()
        ));
    }
    let thresholds = thresholds(field);
    match thresholds.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => wrong(format!(
            "levels has {} twice; remove one of the two",
            pair[0]
        )),
        None => Ok(()),
    }
}

/// Returns the level of a similarity, from 1 to the number of thresholds plus 2; 0 if a value is missing.
pub(in crate::records) fn level(thresholds: &[f64], similarity: Option<f64>) -> u8 {
    match similarity {
        None => 0,
        Some(similarity) if similarity >= EQUAL => thresholds.len() as u8 + 2,
        Some(similarity) => {
            1 + thresholds.partition_point(|threshold| similarity >= threshold - TOLERANCE) as u8
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_in_a_table() {
        for (similarity, expected) in [
            (None, 0),
            (Some(0.0), 1),
            (Some(0.79), 1),
            (Some(0.8), 2),
            (Some(0.92), 3),
            (Some(0.999), 3),
            (Some(1.0), 4),
        ] {
            assert_eq!(
                level(&thresholds(&FieldConfig::new("x", Kind::Name)), similarity),
                expected,
                "{similarity:?}"
            );
        }
        assert_eq!(level(&[], Some(0.5)), 1);
        assert_eq!(level(&[], Some(1.0)), 2);
        assert_eq!(
            level(&[0.3], Some(1.0 - 0.7)),
            2,
            "0.30000000000000004 and 0.29999999999999998 are the same"
        );
    }

    #[test]
    fn invalid_thresholds_are_refused() {
        let with = |levels: &[f64]| {
            check(&FieldConfig {
                levels: Some(levels.into()),
                ..FieldConfig::new("x", Kind::Name)
            })
            .map_err(|error| error.to_string())
        };
        assert_eq!(with(&[0.9, 0.5]), Ok(()));
        for (levels, part) in [
            (&[0.5, 1.0][..], "levels must be above 0 and below 1, got 1"),
            (&[f64::NAN], "levels must be above 0 and below 1, got NaN"),
            (&[0.5, 0.5], "levels has 0.5 twice"),
            (&[0.5; 14], "14 levels are too many; give at most 13"),
        ] {
            assert!(
                with(levels).is_err_and(|error| error.contains(part)),
                "{levels:?}"
            );
        }
    }
}
