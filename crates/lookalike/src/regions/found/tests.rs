//! Tests of regions: known answers, and laws that hold for all texts.

use std::ops::Range;

use proptest::prelude::*;

use super::{super::RegionSettings, *};
use crate::runs::{Winnowing, shared_runs};

/// Returns distinct tokens that occur in no other range.
fn tokens(range: Range<u64>) -> Vec<u64> {
    range.collect()
}

fn find(a: &[u64], b: &[u64], settings: &RegionSettings) -> Vec<Region> {
    regions(
        a,
        b,
        &shared_runs(a, b, Winnowing::new(4).unwrap()),
        settings,
    )
}

fn places(a: &[u64], b: &[u64]) -> Vec<Parts> {
    find(a, b, &RegionSettings::default())
        .into_iter()
        .map(|region| [region.a, region.b])
        .collect()
}

/// A text with a passage in it, and a source with the tokens 1000 to 1060 at 40.
fn with(passage: &[u64]) -> [Vec<u64>; 2] {
    let a = [tokens(0..100), passage.to_vec(), tokens(100..200)].concat();
    [
        a,
        [tokens(300..340), tokens(1000..1060), tokens(400..500)].concat(),
    ]
}

#[test]
fn a_copied_passage_is_a_region() {
    let [a, b] = with(&tokens(1000..1060));
    assert_eq!(
        find(&a, &b, &RegionSettings::default()),
        [Region {
            a: 100..160,
            b: 40..100,
            tokens: 60,
            score: 60.0,
            density: 1.0,
            runs: vec![Run {
                a: 100,
                b: 40,
                tokens: 60
            }],
        }]
    );
}

#[test]
fn a_passage_in_another_order_is_one_region() {
    let [a, b] = with(&[tokens(1045..1060), tokens(1000..1020), tokens(1020..1045)].concat());
    assert_eq!(places(&a, &b), [[100..160, 40..100]]);
    let [a, b] = with(&(1000..1060).rev().collect::<Vec<_>>());
    assert_eq!(places(&a, &b), [[100..160, 40..100]]);
}

#[test]
fn a_passage_with_replaced_or_inserted_tokens_is_one_region() {
    let replaced: Vec<u64> = (1000..1060)
        .map(|token| if token % 3 == 2 { token + 5000 } else { token })
        .collect();
    let [a, b] = with(&replaced);
    let found = find(&a, &b, &RegionSettings::default());
    assert_eq!(
        (&found[0].a, &found[0].b, found.len()),
        (&(100..160), &(40..100), 1)
    );
    assert!((found[0].density - 40.0 / 60.0).abs() < 0.05, "{found:?}");
    let inserted: Vec<u64> = (1000..1060)
        .flat_map(|token| {
            if token % 2 == 1 {
                vec![token, token + 5000]
            } else {
                vec![token]
            }
        })
        .collect();
    let [a, b] = with(&inserted);
    assert_eq!(places(&a, &b).len(), 1);
}

#[test]
fn too_little_in_common_is_no_region() {
    let few: Vec<u64> = (1000..1060)
        .map(|token| if token % 5 > 0 { token + 5000 } else { token })
        .collect();
    let [a, b] = with(&few);
    assert_eq!(places(&a, &b), Vec::<Parts>::new());
    let [a, b] = with(&tokens(1000..1010));
    assert_eq!(places(&a, &b), Vec::<Parts>::new());
    let settings = RegionSettings {
        tokens: 10,
        score: 10.0,
        ..RegionSettings::default()
    };
    assert_eq!(find(&a, &b, &settings).len(), 1);
}

#[test]
fn a_long_run_of_frequent_tokens_is_a_region() {
    // Both texts have the passage in other places too, a word at a time.
    let passage = tokens(0..26);
    let often =
        |from: u64| -> Vec<u64> { (0..26 * 12).flat_map(|at| [at % 26, from + at]).collect() };
    let a = [passage.clone(), tokens(1000..1200), often(10_000)].concat();
    let b = [tokens(2000..2200), passage, often(20_000)].concat();
    let found = find(&a, &b, &RegionSettings::default());
    assert_eq!((&found[0].a, &found[0].b), (&(0..26), &(200..226)));
    assert!(
        found[0].score < RegionSettings::default().score,
        "{found:?}"
    );
}

#[test]
fn a_passage_that_was_copied_twice_is_two_regions() {
    let passage = tokens(1000..1060);
    let [a, b] = with(&[passage.clone(), tokens(5000..5200), passage].concat());
    assert_eq!(places(&a, &b), [[100..160, 40..100], [360..420, 40..100]]);
}

#[test]
fn common_tokens_do_not_join_what_is_apart() {
    // All tokens of the texts between the two passages are the same few frequent ones.
    let frequent: Vec<u64> = (0..200).map(|at| at % 7).collect();
    let a = [tokens(1000..1030), frequent.clone(), tokens(2000..2030)].concat();
    let b = [tokens(1000..1030), tokens(5000..5300), tokens(2000..2030)].concat();
    assert_eq!(places(&a, &b), [[0..30, 0..30], [230..260, 330..360]]);
}

#[test]
fn degenerate_texts_have_an_answer() {
    let settings = RegionSettings::default();
    assert_eq!(find(&[], &[], &settings), []);
    assert_eq!(find(&[1], &[1], &settings), []);
    let found = find(&[1; 5000], &[1; 3000], &settings);
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].a, &found[0].b), (&(0..5000), &(0..3000)));
    let periodic: Vec<u64> = (0..20_000).map(|at| at % 3).collect();
    let found = find(&periodic, &periodic[..10_000], &settings);
    assert!(found.len() <= 3, "{found:?}");
}

proptest! {
    #[test]
    fn regions_obey_the_settings_and_do_not_depend_on_the_order_of_texts(
        parts in prop::collection::vec((0u64..8, 0u64..40, 5u64..60), 1..8),
        others in prop::collection::vec((0u64..8, 0u64..40, 5u64..60), 1..8),
        gap in 1usize..60,
        least in 1usize..30,
        density in 0.0f64..1.0,
        score in 0.0f64..30.0,
    ) {
        let text = |parts: &[(u64, u64, u64)]| -> Vec<u64> {
            parts.iter().flat_map(|&(which, from, length)| 1000 * which + from..1000 * which + from + length).collect()
        };
        let (a, b) = (text(&parts), text(&others));
        let settings = RegionSettings { gap, tokens: least, density, score };
        let runs = shared_runs(&a, &b, Winnowing::new(4).unwrap());
        let found = regions(&a, &b, &runs, &settings);
        for run in runs.iter().filter(|run| run.tokens >= least) {
            prop_assert!((run.a..run.a + run.tokens).all(|at| found.iter().any(|region| region.a.contains(&at))));
            prop_assert!((run.b..run.b + run.tokens).all(|at| found.iter().any(|region| region.b.contains(&at))));
        }
        for region in &found {
            prop_assert!(region.a.len() >= least && region.b.len() >= least && region.a.end <= a.len() && region.b.end <= b.len());
            prop_assert!(region.density <= 1.0);
            let has_run = runs.iter().any(|run| {
                let is_in = |side: &Range<usize>, start| side.start <= start && start + run.tokens <= side.end;
                run.tokens >= least && is_in(&region.a, run.a) && is_in(&region.b, run.b)
            });
            prop_assert!(has_run || region.density >= density && region.score >= score);
            prop_assert!(region.tokens <= region.a.len().min(region.b.len()) && region.score <= region.tokens as f64);
            prop_assert!(!region.runs.is_empty());
            for run in &region.runs {
                prop_assert_eq!(&a[run.a..run.a + run.tokens], &b[run.b..run.b + run.tokens]);
                prop_assert!(region.a.start <= run.a && run.a + run.tokens <= region.a.end);
                prop_assert!(region.b.start <= run.b && run.b + run.tokens <= region.b.end);
            }
        }
        prop_assert!(found.is_sorted_by_key(|region| (region.a.start, region.b.start)));
    }
}
