//! The settings of regions.

use crate::error::{ErrorKind, Result};

/// The largest supported gap, in tokens. Two texts with more tokens than this between two shared parts do not share one passage.
pub const MAX_GAP: usize = 1000;

/// When shared parts form a region, and which regions are reported.
///
/// The defaults were chosen by cross-validation on reused passages in English, Chinese and Japanese (`make bench-plagiarism`).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub struct RegionSettings {
    /// The maximum distance of neighbouring seeds, in tokens, in both texts. Parts that are side by side in both texts, in any
    /// order, may be three times as far apart.
    pub gap: usize,
    /// The minimum number of tokens of a region in each of the two texts. Each given run of this many tokens is in regions, whatever
    /// their density and score.
    pub tokens: usize,
    /// The minimum density of a region: the share of its tokens that both texts have in it, weighted by rarity.
    pub density: f64,
    /// The minimum score of a region: the number of tokens that both texts have in it, weighted by rarity.
    pub score: f64,
}

/// How much farther apart than seeds two parts of a region may be. A shuffled sentence that shares little with its original leaves
/// a hole. With 1 instead of 3, PlagDet was 0.04 less, and with 5 it was 0.005 less.
pub(super) const MERGED: usize = 3;

impl Default for RegionSettings {
    fn default() -> Self {
        Self {
            gap: 25,
            tokens: 20,
            density: 0.4,
            score: 14.0,
        }
    }
}

impl RegionSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// Fails if the gap is not from 1 to [`MAX_GAP`], if the number of tokens is 0, if the density is not from 0 to 1, or if the
    /// score is not a number from 0 on.
    pub fn check(&self) -> Result<()> {
        let invalid = |setting, allowed, given| {
            Err(ErrorKind::Region {
                setting,
                allowed,
                given,
            }
            .into())
        };
        if !(1..=MAX_GAP).contains(&self.gap) {
            return invalid("gap", "from 1 to 1000 tokens", self.gap as f64);
        }
        if self.tokens == 0 {
            return invalid("length", "at least 1 token", 0.0);
        }
        if !(0.0..=1.0).contains(&self.density) {
            return invalid("density", "from 0 to 1", self.density);
        }
        if !(self.score >= 0.0 && self.score.is_finite()) {
            return invalid("score", "0 or more", self.score);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_valid_and_nonsense_is_refused() {
        let default = RegionSettings::default();
        assert_eq!(default.check(), Ok(()));
        for (settings, message) in [
            (
                RegionSettings { gap: 0, ..default },
                "the gap of regions must be from 1 to 1000 tokens, got 0",
            ),
            (
                RegionSettings {
                    gap: 1001,
                    ..default
                },
                "the gap of regions must be from 1 to 1000 tokens, got 1001",
            ),
            (
                RegionSettings {
                    tokens: 0,
                    ..default
                },
                "the length of regions must be at least 1 token, got 0",
            ),
            (
                RegionSettings {
                    density: 1.5,
                    ..default
                },
                "the density of regions must be from 0 to 1, got 1.5",
            ),
            (
                RegionSettings {
                    density: f64::NAN,
                    ..default
                },
                "the density of regions must be from 0 to 1, got NaN",
            ),
            (
                RegionSettings {
                    score: -1.0,
                    ..default
                },
                "the score of regions must be 0 or more, got -1",
            ),
            (
                RegionSettings {
                    score: f64::INFINITY,
                    ..default
                },
                "the score of regions must be 0 or more, got inf",
            ),
        ] {
            assert_eq!(settings.check().unwrap_err().to_string(), message);
        }
    }
}
