//! How accurately sketches estimate the resemblance, and which pairs therefore reach a threshold.

use super::{Sketching, sketching::Kind};
use crate::{
    lsh::Curve,
    sketch::{self, Modulus, Width, size},
};

/// The accuracy of the estimates of sketches with given parameters. An estimate of a share counts agreements among independent
/// trials, such as the slots of a signature, so it is binomial (Broder 1997, section 4.2).
///
/// ```
/// use lookalike::{Config, stored::{Accuracy, SketchBy, SketchParameters, Sketching}};
///
/// let parameters = SketchParameters::new(&Config::default(), SketchBy::default())?;
/// let accuracy = Accuracy::of(&Sketching::new(&parameters)?).unwrap();
/// assert!((accuracy.standard_error(0.8) - 0.0354).abs() < 1e-4);
/// // A pair of resemblance 0.9 is nearly always estimated at 0.8 or more, a pair of resemblance 0.6 hardly ever.
/// assert!(accuracy.reaches(0.9, 0.8) > 0.999 && accuracy.reaches(0.6, 0.8) < 1e-4);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    by: By,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    /// The number of trials, and the probability that a trial agrees by chance.
    Trials(usize, f64),
    SimHash(Width),
}

impl Accuracy {
    /// Returns the accuracy of sketches; none if they estimate nothing (digests of sentences), or if the number of trials depends on
    /// the texts (MOD_m with a fixed modulus).
    ///
    /// For samples, this is the accuracy for texts that have at least as many shingles as a sample has elements. Samples of shorter
    /// texts are whole sets, so they are more accurate. For MOD_m with a growing modulus, it is that of the smallest expected sample.
    pub fn of(sketching: &Sketching) -> Option<Self> {
        let by = match sketching.kind() {
            Kind::MinHash(slots) => By::Trials(slots.slots(), slots.chance()),
            Kind::Bottom(bottom) => By::Trials(bottom.s(), 0.0),
            Kind::Modulo(_, Modulus::Growing { least } | Modulus::Capped { least, .. }) => {
                By::Trials(*least, 0.0)
            }
            Kind::Modulo(_, Modulus::Fixed { .. }) | Kind::Sentences(_) => return None,
            Kind::SimHash(..) => By::SimHash(sketching.simhash_width()?),
        };
        Some(Self { by })
    }

    /// Returns the standard error of the estimate of a resemblance. For SimHash, it follows from the standard error of the share of
    /// bits that differ, by the slope of the curve.
    pub fn standard_error(&self, resemblance: f64) -> f64 {
        let r = resemblance.clamp(0.0, 1.0);
        match self.by {
            By::Trials(trials, chance) => {
                let p = r + (1.0 - r) * chance;
                (p * (1.0 - p) / trials as f64).sqrt() / (1.0 - chance)
            }
            By::SimHash(width) => {
                let share = |r: f64| sketch::differing_share(sketch::cosine_of_resemblance(r));
                let p = share(r);
                // The slope is infinite at 1, so it is taken a little below.
                let (low, high) = ((r - 1e-4).max(0.0), (r + 1e-4).min(1.0));
                let slope = (high - low) / (share(low) - share(high));
                slope * (p * (1.0 - p) / f64::from(width.bits())).sqrt()
            }
        }
    }

    /// Returns the probability that the estimate of a resemblance reaches a threshold.
    pub fn reaches(&self, resemblance: f64, threshold: f64) -> f64 {
        match self.by {
            By::Trials(trials, chance) => {
                let with_chance = |share: f64| share + (1.0 - share) * chance;
                size::overestimated(trials, with_chance(resemblance), with_chance(threshold))
            }
            By::SimHash(width) => {
                sketch::within_distance(resemblance, width, sketch::distance_at(threshold, width))
            }
        }
    }

    /// Returns a lower bound of the probability that a pair is listed: that it shares a band of the curve, if there is one, and that its
    /// estimate reaches the threshold.
    pub fn listed(&self, resemblance: f64, threshold: f64, curve: Option<Curve>) -> f64 {
        let found = curve.map_or(1.0, |curve| curve.found(resemblance));
        // Both are events of the same slots, so they are not independent. The bound is valid anyway (Boole's inequality).
        (found + self.reaches(resemblance, threshold) - 1.0).max(0.0)
    }

    /// Returns the smallest resemblance of which at least this share of the estimates reaches a threshold, to within a ten-thousandth.
    pub fn reached_from(&self, threshold: f64, share: f64) -> f64 {
        self.listed_from(threshold, None, share)
    }

    /// Returns the smallest resemblance of which at least this share of the pairs is [listed](Self::listed), to within a
    /// ten-thousandth.
    pub fn listed_from(&self, threshold: f64, curve: Option<Curve>, share: f64) -> f64 {
        // The probability grows with the resemblance.
        let (mut low, mut high) = (0.0, 1.0);
        while high - low > 1e-4 {
            let middle = (low + high) / 2.0;
            if self.listed(middle, threshold, curve) >= share {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{Config, Features, Permutations},
        stored::{SketchBy, SketchParameters},
    };

    fn accuracy(sketch: SketchBy) -> Option<Accuracy> {
        Accuracy::of(
            &Sketching::new(&SketchParameters::new(&Config::default(), sketch).unwrap()).unwrap(),
        )
    }

    fn slots(slots: usize, bits: u32) -> Accuracy {
        accuracy(SketchBy::MinHash {
            slots,
            bits,
            permutations: Permutations::One,
        })
        .unwrap()
    }

    #[test]
    fn four_times_the_slots_halve_the_error() {
        for r in [0.3, 0.5, 0.8, 0.95] {
            assert!(
                (slots(128, 32).standard_error(r) / slots(512, 32).standard_error(r) - 2.0).abs()
                    < 1e-9
            );
            // The same 512 bytes, with a byte per slot: half of the error, except for chance.
            let ratio = slots(512, 8).standard_error(r) / slots(128, 32).standard_error(r);
            assert!((0.5..0.51).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn about_half_of_the_pairs_at_the_threshold_reach_it() {
        for accuracy in [
            slots(128, 32),
            slots(128, 8),
            accuracy(SketchBy::Bottom { size: 100 }).unwrap(),
        ] {
            assert!(
                (0.4..0.65).contains(&accuracy.reaches(0.8, 0.8)),
                "{}",
                accuracy.reaches(0.8, 0.8)
            );
            let (sure, rare) = (
                accuracy.reached_from(0.8, 0.99),
                accuracy.reached_from(0.8, 0.01),
            );
            assert!(rare < 0.75 && 0.85 < sure, "{rare} {sure}");
            assert!(
                accuracy.reaches(sure, 0.8) >= 0.99 && accuracy.reaches(sure - 2e-4, 0.8) < 0.99
            );
        }
    }

    #[test]
    fn sketches_without_a_known_number_of_trials_have_no_accuracy() {
        assert_eq!(
            accuracy(SketchBy::Modulo {
                modulus: Modulus::Fixed { level: 4 }
            }),
            None
        );
        let simhash = accuracy(SketchBy::SimHash {
            bits: Width::W64,
            features: Features::Shingles,
        })
        .unwrap();
        // At resemblance 0.8, the cosine is 8/9, and a share of 0.1515 of the bits differs. Its standard error is 0.0448, and the
        // resemblance falls by 2.331 times as much as the share rises.
        assert!(
            (simhash.standard_error(0.8) - 0.1045).abs() < 1e-4,
            "{}",
            simhash.standard_error(0.8)
        );
    }
}
