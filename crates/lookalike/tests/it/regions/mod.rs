//! Compares `regions` with the naive implementation in `twin`, on random texts over small alphabets. Such texts have what is rare in
//! real ones: equal scores, overlapping runs, and segments with equal gains.

mod twin;

use lookalike::{
    regions::{RegionSettings, regions},
    runs::{Winnowing, shared_runs},
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

/// Two texts, the length of the shortest run, and settings.
type Case = (Vec<u64>, Vec<u64>, usize, RegionSettings);

/// Generates two texts. The second one has passages of the first, of which some are reversed, shuffled, or have replaced, inserted
/// or deleted tokens, and tokens of its own.
fn texts() -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
    let passage = (0usize..140, 1usize..40, 0u8..8, 1u64..1000);
    let alphabet = prop_oneof![2u64..8, 2u64..60, 60u64..300];
    (
        alphabet,
        prop::collection::vec(any::<u64>(), 0..150),
        prop::collection::vec(passage, 0..7),
    )
        .prop_map(|(alphabet, numbers, passages)| {
            let a: Vec<u64> = numbers.iter().map(|number| number % alphabet).collect();
            let mut b = Vec::new();
            for (from, length, change, number) in passages {
                let from = from % a.len().max(1);
                let mut tokens = a[from..(from + length).min(a.len())].to_vec();
                let other = |at: usize| (at as u64 * number + number) % (alphabet + 5);
                match change {
                    0 => tokens.reverse(),
                    1 => {
                        let by = number as usize % tokens.len().max(1);
                        tokens.rotate_left(by);
                    }
                    2 => tokens
                        .iter_mut()
                        .enumerate()
                        .filter(|(at, _)| at % 3 == 1)
                        .for_each(|(at, token)| *token = other(at)),
                    3 => (1..tokens.len())
                        .rev()
                        .step_by(4)
                        .for_each(|at| tokens.insert(at, other(at))),
                    4 => (0..tokens.len())
                        .rev()
                        .step_by(5)
                        .for_each(|at| _ = tokens.remove(at)),
                    5 => tokens = (0..length).map(other).collect(),
                    _ => {}
                }
                b.extend(tokens);
                // Tokens that the first text does not have.
                b.extend((1000..1030).take(number as usize % 60));
            }
            (a, b)
        })
}

fn cases() -> impl Strategy<Value = Case> {
    let (gap, density) = (
        prop_oneof![1usize..6, 1usize..30],
        prop_oneof![Just(0.0), 0.1f64..0.9],
    );
    (texts(), 2usize..6, (gap, 1usize..20, density, 0.0f64..5.0)).prop_map(
        |((a, b), least, given)| {
            let mut settings = RegionSettings::default();
            (
                settings.gap,
                settings.tokens,
                settings.density,
                settings.score,
            ) = given;
            (a, b, least, settings)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(5000)))]

    #[test]
    fn regions_are_those_of_the_definition((a, b, least, settings) in cases()) {
        let runs = shared_runs(&a, &b, Winnowing::new(least).unwrap());
        prop_assert_eq!(regions(&a, &b, &runs, &settings), twin::regions(&a, &b, &runs, &settings));
    }
}

#[test]
fn the_random_texts_have_regions() {
    let mut runner = TestRunner::deterministic();
    let cases: Vec<Case> = (0..400)
        .map(|_| cases().new_tree(&mut runner).unwrap().current())
        .collect();
    let counts: Vec<usize> = cases
        .iter()
        .map(|(a, b, least, settings)| {
            regions(
                a,
                b,
                &shared_runs(a, b, Winnowing::new(*least).unwrap()),
                settings,
            )
            .len()
        })
        .collect();
    let share = |least: usize| {
        counts.iter().filter(|&&count| count >= least).count() as f64 / counts.len() as f64
    };
    assert!(
        share(1) > 0.5 && share(2) > 0.1,
        "{} {}",
        share(1),
        share(2)
    );
}
