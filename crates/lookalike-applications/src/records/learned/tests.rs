//! Checks estimates against records whose matches are known.

use proptest::prelude::*;

use super::*;
use crate::records::{FieldConfig, Kind, LinkConfig, Linker, Records, Scratch, Verdict, Weights};

/// Counts pairs of which `matches` are matches, as often as expected. Fields have the levels 0 to 3. The shares of the levels of a field
/// are `[different, similar, equal]`.
fn counted(
    matches: f64,
    others: f64,
    of_matches: [f64; 3],
    of_others: [f64; 3],
    fields: usize,
    dependent: bool,
) -> Patterns {
    let mut patterns = Patterns::default();
    for code in 0..3usize.pow(fields as u32) {
        let level = |field: usize| code / 3usize.pow(field as u32) % 3;
        let share = |of: [f64; 3], fields: usize| {
            (0..fields).map(|field| of[level(field)]).product::<f64>()
        };
        // If the last two fields depend on each other, other pairs have the same level in both.
        let of_others = match dependent {
            true if level(fields - 1) != level(fields - 2) => 0.0,
            true => share(of_others, fields - 1),
            false => share(of_others, fields),
        };
        let pairs = matches * share(of_matches, fields) + others * of_others;
        let pattern = Pattern::new((0..fields).map(|field| level(field) as u8 + 1));
        (0..pairs.round() as u64).for_each(|_| patterns.add(pattern));
    }
    patterns
}

const MATCHES: [f64; 3] = [0.1, 0.2, 0.7];
const OTHERS: [f64; 3] = [0.8, 0.15, 0.05];

/// Estimates weights from all pairs, which are candidates and random pairs at once.
fn fitted(all: &Patterns, fields: usize) -> Estimate {
    let (pairs, levels) = (all.pairs() as f64, vec![4; fields]);
    let equal = |field| {
        all.iter()
            .filter(|(pattern, _)| pattern.level(field) == 3)
            .map(|(_, count)| count)
            .sum::<f64>()
            / pairs
    };
    let equal: Vec<f64> = (0..fields).map(equal).collect();
    fit(
        &levels,
        Sample {
            patterns: all,
            each: 1.0,
            rivals: None,
        },
        Possible {
            pairs,
            random: all,
            equal: &equal,
        },
    )
}

#[test]
fn matches_are_counted_without_labels() {
    for fields in 5..8 {
        let found = fitted(
            &counted(3000.0, 100_000.0, MATCHES, OTHERS, fields, false),
            fields,
        );
        assert!(
            (2400.0..3600.0).contains(&found.expected),
            "{fields} fields: {}",
            found.expected
        );
        for field in &found.fields {
            assert!(
                (field.weights[0][3] - (0.7 / 0.05_f64).log2()).abs() < 0.6,
                "{field:?}"
            );
            assert!(
                (field.weights[0][1] - (0.1 / 0.8_f64).log2()).abs() < 1.0,
                "{field:?}"
            );
        }
    }
}

#[test]
fn dependent_fields_do_not_count_twice() {
    let found = fitted(&counted(3000.0, 100_000.0, MATCHES, OTHERS, 6, true), 6);
    assert!(
        (2400.0..3600.0).contains(&found.expected),
        "{}",
        found.expected
    );
    assert_eq!(found.fields[5].parent, Some(4), "{found:?}");
    let given = &found.fields[5].weights[3];
    assert!(
        given[3] < 0.5,
        "an equal value after an equal one is no evidence: {found:?}"
    );
}

#[test]
fn each_counted_candidate_can_stand_for_several() {
    let all = counted(3000.0, 100_000.0, MATCHES, OTHERS, 6, false);
    let halves = counted(1500.0, 50_000.0, MATCHES, OTHERS, 6, false);
    let pairs = all.pairs() as f64;
    let (levels, equal) = ([4; 6], [0.07; 6]);
    let fit = |sample| {
        fit(
            &levels,
            sample,
            Possible {
                pairs,
                random: &all,
                equal: &equal,
            },
        )
        .expected
    };
    let (one, two) = (
        fit(Sample {
            patterns: &all,
            each: 1.0,
            rivals: None,
        }),
        fit(Sample {
            patterns: &halves,
            each: 2.0,
            rivals: None,
        }),
    );
    assert!((one - two).abs() < 0.02 * one, "{one} {two}");
}

/// Divides pairs: every pair whose number is a multiple of `of`, and the rest.
fn divided(patterns: &Patterns, of: u64) -> [Patterns; 2] {
    let mut parts = [Patterns::default(), Patterns::default()];
    let all = patterns
        .iter()
        .flat_map(|(pattern, count)| std::iter::repeat_n(pattern, count as usize));
    all.zip(0u64..)
        .for_each(|(pattern, at)| parts[usize::from(at % of > 0)].add(pattern));
    parts
}

#[test]
fn labelled_matches_are_counted() {
    let matches = counted(3000.0, 0.0, MATCHES, OTHERS, 4, false);
    let others = counted(0.0, 100_000.0, MATCHES, OTHERS, 4, false);
    let mut all = matches.clone();
    all.append(&others);
    let (levels, equal, pairs) = ([4; 4], [0.07; 4], all.pairs() as f64);
    let possible = Possible {
        pairs,
        random: &all,
        equal: &equal,
    };
    let fit = |matches: &Patterns, unlabelled: &Patterns| {
        let of = |patterns| Sample {
            patterns,
            each: 1.0,
            rivals: None,
        };
        fit_labelled(&levels, of(matches), of(unlabelled), possible)
    };
    // All pairs have a label: the matches and their levels are known.
    let known = fit(&matches, &Patterns::default());
    assert_eq!(known.expected, matches.pairs() as f64);
    for field in &known.fields {
        let near = field.matches[1..]
            .iter()
            .zip(MATCHES)
            .all(|(found, expected)| (found - expected).abs() < 0.002);
        assert!(
            near && (field.weights[0][3] - (0.7 / 0.05_f64).log2()).abs() < 0.2,
            "{field:?}"
        );
    }
    // A tenth of the matches has labels, and so has a tenth of the others, which are in neither sample. What is found does not change.
    let [labelled, rest] = divided(&matches, 10);
    let [_, other_rest] = divided(&others, 10);
    let mut unlabelled = rest;
    unlabelled.append(&other_rest);
    let partly = fit(&labelled, &unlabelled);
    assert!(
        (partly.expected - known.expected).abs() < 0.15 * known.expected,
        "{} {}",
        partly.expected,
        known.expected
    );
    // If no other pair is labelled, the weights and the number of matches are the same.
    unlabelled.append(&divided(&others, 10)[0]);
    let only_matches = fit(&labelled, &unlabelled);
    assert!(
        (only_matches.expected - known.expected).abs() < 0.15 * known.expected,
        "{}",
        only_matches.expected
    );
}

#[test]
fn few_labelled_matches_leave_no_weight_infinite() {
    let matches = {
        let mut matches = Patterns::default();
        (0..10).for_each(|_| matches.add(Pattern::new([3, 3])));
        matches
    };
    let all = counted(30.0, 1000.0, MATCHES, OTHERS, 2, false);
    let possible = Possible {
        pairs: all.pairs() as f64,
        random: &all,
        equal: &[0.07, 0.07],
    };
    let sample = Sample {
        patterns: &matches,
        each: 1.0,
        rivals: None,
    };
    let found = fit_labelled(
        &[4, 4],
        sample,
        Sample {
            patterns: &Patterns::default(),
            each: 1.0,
            rivals: None,
        },
        possible,
    );
    for field in &found.fields {
        assert!(
            field
                .weights
                .iter()
                .flatten()
                .all(|weight| weight.is_finite()),
            "{field:?}"
        );
        assert!((0.9..1.0).contains(&field.matches[3]), "{field:?}");
    }
}

fn people(records: &[(u8, u8, u8)]) -> (Linker, Records) {
    let fields = ["name", "town", "number"].map(|name| {
        FieldConfig::new(
            name,
            if name == "number" {
                Kind::Code
            } else {
                Kind::Name
            },
        )
    });
    let linker = Linker::new(LinkConfig {
        weights: Weights::Learned,
        fields: fields.into(),
        ..LinkConfig::default()
    })
    .unwrap();
    let (mut all, mut scratch) = (Records::new(3), Scratch::default());
    for (name, town, number) in records {
        let name = if *name == 0 {
            String::new()
        } else {
            format!("{} smith", "abcdefghij".repeat(usize::from(*name) % 3 + 1))
        };
        let raw = [
            name,
            format!("town {town}"),
            format!("{}", u32::from(*number) * 7919),
        ];
        let mut values = vec![String::new(); 3];
        (0..3).for_each(|field| {
            linker.normalise(field, &raw[field], &mut scratch, &mut values[field])
        });
        all.push(values.iter().map(String::as_str));
    }
    (linker, all)
}

/// Learns from all pairs.
fn learned(linker: &Linker, records: &Records) -> Model {
    let frequencies = Frequencies::new(records, None);
    let mut all = Patterns::default();
    let count = records.len() as u32;
    (0..count).for_each(|b| (0..b).for_each(|a| all.add(linker.pattern(records, a, b))));
    let equal: Vec<f64> = (0..3).map(|field| frequencies.equal(field)).collect();
    let possible = Possible {
        pairs: all.pairs() as f64,
        random: &all,
        equal: &equal,
    };
    Model::new(
        fit(
            &linker.levels(),
            Sample {
                patterns: &all,
                each: 1.0,
                rivals: None,
            },
            possible,
        ),
        frequencies,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(64)))]

    #[test]
    fn scores_are_sums_of_weights_and_bounds_leave_none_out(
        records in prop::collection::vec((0u8..6, 0u8..4, 0u8..9), 2..40),
        least in -20.0f64..20.0,
    ) {
        let (linker, records) = people(&records);
        let model = learned(&linker, &records);
        let linker = linker.with_model(model);
        let model = linker.model().unwrap();
        for b in 0..records.len() as u32 {
            for a in 0..b {
                let score = linker.score(&records, a, b).unwrap();
                let sum: f64 = linker.weights(model, &records, a, b).into_iter().flatten().sum();
                prop_assert!((model.prior() + sum - score).abs() < 0.001);
                prop_assert_eq!(linker.score_from(&records, a, b, least), (score >= least).then_some(score));
                prop_assert_eq!(linker.score_of(linker.rank(score)), score);
                prop_assert_eq!(linker.verdict(score) != Verdict::Not, linker.share(score) >= 0.1);
                prop_assert!(linker.verdict(score) == Verdict::Not || score >= linker.least());
            }
        }
    }

    #[test]
    fn weights_rise_with_similarity(records in prop::collection::vec((0u8..6, 0u8..4, 0u8..9), 2..40)) {
        let (linker, records) = people(&records);
        for field in &learned(&linker, &records).estimate().fields {
            prop_assert_eq!(field.weights.len(), field.parent.map_or(1, |parent| linker.levels()[parent]));
            for row in &field.weights {
                prop_assert_eq!(row[0], 0.0);
                prop_assert!(row[1..].iter().all(|weight| weight.is_finite()) && row[1..].is_sorted(), "{:?}", row);
            }
            prop_assert!((field.matches.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!((field.others.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}
