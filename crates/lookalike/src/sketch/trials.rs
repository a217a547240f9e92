//! Tests of what the sketches guarantee about their estimates, over tens of thousands of random permutations. The mean must equal
//! the truth within four standard errors, and the interval must contain the truth at its nominal rate.

use super::*;
use crate::fingerprint::finish;

/// Sizes of A ∩ B, A \ B and B \ A: similar, hardly similar, nested, different in size, small and tiny.
const SHAPES: [(u64, u64, u64); 8] = [
    (400, 300, 300),
    (900, 50, 50),
    (300, 0, 700),
    (40, 400, 600),
    (150, 150, 3_000),
    (60, 20, 20),
    (30, 0, 40),
    (3, 2, 2),
];

const TRIALS: u64 = 1_500;

/// Returns two sets of a given shape, with different elements in each trial.
fn sets((shared, a, b): (u64, u64, u64), trial: u64) -> (Vec<u64>, Vec<u64>) {
    let element = |i: u64| finish((trial << 16) + i);
    (
        (0..shared + a).map(element).collect(),
        (0..shared)
            .chain(shared + a..shared + a + b)
            .map(element)
            .collect(),
    )
}

/// Runs the trials of every shape (the sizes of two sets and of their intersection). In total, 95 in 100 of the intervals must
/// contain the truth, not counting intervals of width zero. For each single shape, 92 in 100 must. This limit is lower because
/// the exact rate of Wilson's interval depends on the shape: with 25 elements and a resemblance of .3, it is 92.6 in 100, and it
/// is more than 95 for some other shapes.
fn run(
    truth: impl Fn((u64, u64, u64)) -> f64,
    estimate: impl Fn(&[u64], &[u64], u64) -> Option<Estimate>,
) {
    let (mut all, mut all_held) = (0, 0);
    for shape in SHAPES {
        let truth = truth(shape);
        let of_trial = |trial| {
            let (a, b) = sets(shape, trial);
            estimate(&a, &b, trial)
        };
        let estimates: Vec<Estimate> = (0..TRIALS).filter_map(of_trial).collect();
        let n = estimates.len() as f64;
        let mean = estimates.iter().map(|e| e.value).sum::<f64>() / n;
        let variance = estimates
            .iter()
            .map(|e| (e.value - mean).powi(2))
            .sum::<f64>()
            / (n - 1.0);
        let error = (variance / n).sqrt();
        assert!(
            (mean - truth).abs() <= 4.0 * error + 1e-12,
            "{mean} for {truth} at {shape:?}, standard error {error}"
        );
        let holds = |e: &&Estimate| e.low <= truth && truth <= e.high;
        let (exact, wide): (Vec<&Estimate>, _) = estimates.iter().partition(|e| e.low == e.high);
        assert!(
            exact.iter().all(holds),
            "an exact answer is wrong at {shape:?}"
        );
        let held = wide.iter().filter(|e| holds(e)).count();
        assert!(
            held as f64 >= 0.92 * wide.len() as f64,
            "{held} of {} intervals at {shape:?}",
            wide.len()
        );
        (all, all_held) = (all + wide.len(), all_held + held);
    }
    assert!(
        all >= 6_000 && all_held as f64 >= 0.95 * all as f64,
        "{all_held} of {all} intervals"
    );
}

fn resemblance((shared, a, b): (u64, u64, u64)) -> f64 {
    shared as f64 / (shared + a + b) as f64
}

fn containment((shared, a, _): (u64, u64, u64)) -> f64 {
    shared as f64 / (shared + a) as f64
}

#[test]
fn bottom_resemblance_is_unbiased_and_inside_its_interval() {
    for s in [25, 100] {
        run(resemblance, |a, b, seed| {
            let bottom = Bottom::new(s, seed).unwrap();
            Some(bottom.sketch(a).resemblance(&bottom.sketch(b)).unwrap())
        });
    }
}

#[test]
fn bottom_of_modulo_resemblance_is_unbiased_and_inside_its_interval() {
    run(resemblance, |a, b, seed| {
        let bottom = Bottom::of_modulo(50, 2, seed).unwrap();
        let (a, b) = (bottom.sketch(a), bottom.sketch(b));
        (!a.merge(&b).unwrap().sample().is_empty()).then(|| a.resemblance(&b).unwrap())
    });
}

#[test]
fn modulo_resemblance_is_unbiased_and_inside_its_interval() {
    for modulus in [
        Modulus::default(),
        Modulus::Growing { least: 10 },
        Modulus::Fixed { level: 3 },
    ] {
        run(resemblance, |a, b, seed| {
            let modulo = Modulo::new(modulus, seed).unwrap();
            let (a, b) = (modulo.sketch(a), modulo.sketch(b));
            (!a.merge(&b).unwrap().elements().is_empty()).then(|| a.resemblance(&b).unwrap())
        });
    }
}

#[test]
fn modulo_containment_is_unbiased_and_inside_its_interval() {
    for modulus in [
        Modulus::default(),
        Modulus::Growing { least: 25 },
        Modulus::Fixed { level: 2 },
    ] {
        run(containment, |a, b, seed| {
            let modulo = Modulo::new(modulus, seed).unwrap();
            let (a, b) = (modulo.sketch(a), modulo.sketch(b));
            let common = a.at_level(a.level().max(b.level())).unwrap();
            (!common.elements().is_empty()).then(|| a.containment(&b).unwrap())
        });
    }
}

#[test]
fn the_count_of_distinct_elements_is_unbiased_and_inside_its_interval() {
    for (s, level) in [(10, 0), (100, 0), (20, 2), (1_000, 3)] {
        run(
            |(shared, a, _)| (shared + a) as f64,
            |a, _, seed| {
                Some(
                    Bottom::of_modulo(s, level, seed)
                        .unwrap()
                        .sketch(a)
                        .distinct(),
                )
            },
        );
    }
}
