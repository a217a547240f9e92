//! The recall guarantee: chooses bands and rows for the threshold and the required recall.

use super::{Curve, curve::MAX_SLOTS};
use crate::error::{ErrorKind, Result};

/// The number of slots if the user gives no bands and rows.
pub const DEFAULT_SLOTS: usize = 128;

/// Bands and rows with a guarantee: P(found) at `threshold` is at least `recall`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    curve: Curve,
    threshold: f64,
}

impl Shape {
    /// Chooses bands and rows. More rows give fewer false candidates, and more bands find more pairs. So the function takes the
    /// largest number of rows with which the bands reach the recall within [`DEFAULT_SLOTS`] slots, and then all the bands that
    /// fit. A signature has this number of slots anyway, so the additional bands cost no slots, and they raise the recall above
    /// the required one. If even bands of one row do not reach the recall, the signature grows, up to [`MAX_SLOTS`].
    ///
    /// The usual alternative, minimising the areas of the curve, finds a third to a half of the pairs *at* the threshold.
    pub fn choose(threshold: f64, recall: f64) -> Result<Self> {
        Self::check(threshold, recall)?;
        let mut slots = DEFAULT_SLOTS;
        while slots <= MAX_SLOTS {
            let fit = |rows| Curve {
                bands: slots / rows,
                rows,
            };
            if let Some(rows) = (1..=slots)
                .rev()
                .find(|&rows| fit(rows).found(threshold) >= recall)
            {
                // At a threshold of 1, any band finds every pair. Without the limit on the number of rows, the result would be a
                // single band that has all the slots as its rows.
                let curve = fit(rows.min(MOST_ROWS));
                return Ok(Self { curve, threshold });
            }
            slots *= 2;
        }
        Err(ErrorKind::NoShape {
            threshold,
            recall,
            max: MAX_SLOTS,
        }
        .into())
    }

    /// Chooses bands and rows as [`choose`](Self::choose) does, for signatures that have `slots` slots and cannot grow.
    pub fn within(slots: usize, threshold: f64, recall: f64) -> Result<Self> {
        Self::check(threshold, recall)?;
        let fit = |rows| Curve {
            bands: slots / rows,
            rows,
        };
        match (1..=slots.min(MOST_ROWS))
            .rev()
            .find(|&rows| fit(rows).found(threshold) >= recall)
        {
            Some(rows) => Ok(Self {
                curve: fit(rows),
                threshold,
            }),
            None => Err(ErrorKind::FewSlots {
                slots,
                found: fit(1).found(threshold),
                threshold,
                recall,
            }
            .into()),
        }
    }

    /// Takes the user's bands and rows, if they reach the recall.
    pub fn given(bands: usize, rows: usize, threshold: f64, recall: f64) -> Result<Self> {
        Self::check(threshold, recall)?;
        let curve = Curve::new(bands, rows)?;
        let found = curve.found(threshold);
        if found < recall {
            let enough = (1..=MAX_SLOTS / rows)
                .find(|&bands| Curve { bands, rows }.found(threshold) >= recall);
            let mut ways = vec!["use fewer rows".to_string()];
            ways.extend(enough.map(|bands| format!("use {bands} bands of {rows} rows")));
            let attainable = (found * 100.0).floor() / 100.0;
            ways.extend((attainable > 0.0).then(|| format!("lower the recall to {attainable}")));
            let ways = ways.join(", or ");
            return Err(ErrorKind::Unreachable {
                bands,
                rows,
                threshold,
                recall,
                found,
                ways,
            }
            .into());
        }
        Ok(Self { curve, threshold })
    }

    /// Checks that a threshold and a recall are in range.
    pub fn check(threshold: f64, recall: f64) -> Result<()> {
        // These conditions are written so that NaN fails.
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(ErrorKind::Threshold(threshold).into());
        }
        if !(recall > 0.0 && recall < 1.0) {
            return Err(ErrorKind::Recall(recall).into());
        }
        Ok(())
    }

    /// Returns the S-curve of the chosen bands and rows.
    pub fn curve(self) -> Curve {
        self.curve
    }

    /// Returns the S-curve in steps of a hundredth, for charts: similarities from 0 to 1, and the share of the pairs with this
    /// similarity that is found.
    pub fn points(self) -> Vec<[f64; 2]> {
        (0..=100)
            .map(|percent| f64::from(percent) / 100.0)
            .map(|s| [s, self.curve.found(s)])
            .collect()
    }

    /// Returns the threshold t.
    pub fn threshold(self) -> f64 {
        self.threshold
    }
}

/// The number of rows beyond which a band only detects equal sets.
const MOST_ROWS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_shapes_in_a_table() {
        for (t, recall, bands, rows) in [
            (0.8, 0.99, 21, 6),
            (0.9, 0.99, 12, 10),
            (0.7, 0.99, 32, 4),
            (0.5, 0.99, 42, 3),
            (0.2, 0.99, 128, 1),
            (0.8, 0.9, 16, 8),
        ] {
            assert_eq!(
                Shape::choose(t, recall).unwrap().curve,
                Curve { bands, rows },
                "t = {t}, recall = {recall}"
            );
        }
    }

    #[test]
    fn every_choice_keeps_its_promise() {
        for t in (2..=100).map(|i| f64::from(i) / 100.0) {
            for recall in [0.5, 0.9, 0.99, 0.999] {
                let shape = Shape::choose(t, recall).unwrap();
                assert!(shape.curve.found(t) >= recall, "{shape:?}");
            }
        }
    }

    #[test]
    fn a_fixed_number_of_slots_has_the_same_bands_or_is_too_small() {
        for (t, recall) in [
            (0.8, 0.99),
            (0.9, 0.99),
            (0.5, 0.99),
            (1.0, 0.99),
            (0.8, 0.9),
        ] {
            assert_eq!(
                Shape::within(DEFAULT_SLOTS, t, recall),
                Shape::choose(t, recall),
                "{t}"
            );
        }
        assert_eq!(
            Shape::within(512, 0.8, 0.99).unwrap().curve,
            Curve {
                bands: 51,
                rows: 10
            }
        );
        let refused = Shape::within(16, 0.2, 0.99).unwrap_err().to_string();
        assert!(
            refused.starts_with("16 slots find at most 0.9719 of the pairs at similarity 0.2"),
            "{refused}"
        );
    }

    #[test]
    fn invalid_settings_are_refused_with_a_message() {
        for t in [0.0, -1.0, 1.5, f64::NAN] {
            assert!(matches!(
                Shape::choose(t, 0.99).unwrap_err().kind(),
                ErrorKind::Threshold(_)
            ));
        }
        for recall in [0.0, 1.0, f64::NAN] {
            assert!(matches!(
                Shape::choose(0.8, recall).unwrap_err().kind(),
                ErrorKind::Recall(_)
            ));
        }
        let words = Shape::given(9, 13, 0.8, 0.99).unwrap_err().to_string();
        assert!(
            words.contains("0.3988") && words.contains("82 bands") && words.contains("0.39"),
            "{words}"
        );
        assert!(matches!(
            Shape::given(0, 5, 0.8, 0.5).unwrap_err().kind(),
            ErrorKind::Shape { .. }
        ));
        assert!(matches!(
            Shape::given(usize::MAX, 2, 0.8, 0.5).unwrap_err().kind(),
            ErrorKind::Shape { .. }
        ));
        assert!(matches!(
            Shape::choose(1e-6, 0.99).unwrap_err().kind(),
            ErrorKind::NoShape { .. }
        ));
    }
}
