//! Tests, for each method, the share of pairs that it promises to find. The pairs of texts in these tests are exactly at the
//! threshold, and are sketched as in a run.

use lookalike::{
    Bands, Candidates, Config, Method, Permutations, Scratch, Shared, SimHashBy,
    fingerprint::SplitMix64,
    lsh::{PairSizes, Sample, pairs_at},
    sketch::{Modulus, Width},
    verify::Measure,
};

/// Returns a method by its name. Shingles are single words, so that texts have exactly the required number of shingles.
fn method(name: &str, threshold: f64) -> Method {
    let bands = |permutations| {
        Candidates::Bands(Bands {
            permutations,
            ..Bands::default()
        })
    };
    let shared = |super_shingles, modulus| {
        Candidates::Shared(Shared {
            super_shingles,
            modulus,
            ..Shared::default()
        })
    };
    let simhash = |bits, distance| {
        Candidates::SimHash(SimHashBy {
            bits,
            distance,
            ..SimHashBy::default()
        })
    };
    let (candidates, recall) = match name {
        "minhash" => (bands(Permutations::One), 0.99),
        "many" => (bands(Permutations::Many), 0.99),
        "shared" | "contained" => (shared(false, None), 0.99),
        "shared, low" => (shared(false, None), 0.8),
        "one in 4" => (shared(false, Some(Modulus::Fixed { level: 2 })), 0.5),
        "super" => (shared(true, None), 0.99),
        "super, low" => (shared(true, None), 0.8),
        "super, one in 4" => (shared(true, Some(Modulus::Fixed { level: 2 })), 0.9),
        "simhash" => (simhash(Width::W64, None), 0.99),
        "simhash 128" => (simhash(Width::W128, None), 0.99),
        _ => (simhash(Width::W64, Some(6)), 0.99),
    };
    let measure = if name == "contained" {
        Measure::Containment
    } else {
        Measure::Resemblance
    };
    Method::new(Config {
        shingle: Some(1),
        threshold,
        measure,
        candidates,
        recall,
        ..Config::default()
    })
    .unwrap()
}

const NAMES: [&str; 11] = [
    "minhash",
    "many",
    "shared",
    "shared, low",
    "one in 4",
    "super",
    "super, low",
    "super, one in 4",
    "simhash",
    "simhash 128",
    "simhash, 6 bits",
];

/// Returns the share of `trials` pairs that is found.
fn simulated(method: &Method, pair: PairSizes, trials: u32, random: &mut SplitMix64) -> f64 {
    let mut scratch = Scratch::default();
    let mut found = 0;
    for _ in 0..trials {
        let words: Vec<String> = (0..pair.shared + pair.a + pair.b)
            .map(|_| format!("{:x} ", random.next_u64()))
            .collect();
        let own = pair.shared + pair.a;
        let texts = [
            words[..own].concat(),
            words[..pair.shared].concat() + &words[own..].concat(),
        ];
        let [a, b] = texts.map(|text| {
            method.sketch(&text, &mut scratch);
            (
                scratch.keys.clone(),
                scratch.bits.clone(),
                scratch.elements.clone(),
                scratch.level,
            )
        });
        found += u32::from(if method.keeps_samples() {
            let [a, b] =
                [(&a.2, a.3), (&b.2, b.3)].map(|(elements, level)| Sample { level, elements });
            a.shared(b) > 0 && method.share_enough(a, b)
        } else {
            a.0.iter().zip(&b.0).any(|(a, b)| a == b) && method.agree(&a.1, &b.1)
        });
    }
    f64::from(found) / f64::from(trials)
}

/// Returns pairs at the threshold. `size` is the size of the smaller text or, for containment, of the text that may be contained.
/// For containment, the other text of the last pair is so long that it is sampled with the highest modulus.
fn pairs(method: &Method, size: usize) -> Vec<PairSizes> {
    let Config {
        measure, threshold, ..
    } = *method.config();
    match measure {
        Measure::Containment => {
            let shared = (threshold * size as f64 - 1e-9).ceil() as usize;
            [0, size, 2000]
                .map(|b| PairSizes {
                    shared,
                    a: size - shared,
                    b,
                })
                .into()
        }
        Measure::Resemblance => pairs_at(size, threshold, &[100, 200, 400, 800], false),
    }
}

/// Simulates pairs at the threshold whose smaller set has `size` elements. For each such pair of sizes, a share of the pairs is
/// found; returns the smallest share, or none if only equal sets reach the threshold.
fn least(method: &Method, size: usize, trials: u32, random: &mut SplitMix64) -> Option<f64> {
    let pairs = pairs(method, size);
    // If there are many pairs, a sample of them suffices.
    let step = pairs.len().div_ceil(5).max(1);
    let shares = pairs
        .iter()
        .step_by(step)
        .chain(pairs.last())
        .map(|&pair| simulated(method, pair, trials, random));
    shares.min_by(f64::total_cmp)
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn no_size_is_found_less_often_than_promised() {
    let mut random = SplitMix64::new(5);
    for threshold in [0.5, 0.8, 0.9] {
        for name in NAMES
            .into_iter()
            .chain(["contained"])
            .filter(|name| threshold > 0.5 || !name.starts_with("super"))
        {
            let method = method(name, threshold);
            let promised = method.found_at_threshold_of_sizes().unwrap();
            for size in [1, 2, 4, 5, 8, 9, 12, 25, 50, 80, 99, 160] {
                let trials = if size < 50 { 200 } else { 60 };
                let Some(least) = least(&method, size, trials, &mut random) else {
                    continue;
                };
                let said = promised(size);
                // `least` is the smallest of several simulated shares, so the test allows five standard errors, which a single
                // share exceeds once in a million runs.
                let margin = 5.0 * (said * (1.0 - said) / f64::from(trials)).sqrt()
                    + 0.5 / f64::from(trials);
                assert!(
                    least >= said - margin,
                    "{name} at {threshold}, {size} shingles: {least} for {said}"
                );
            }
        }
    }
}

#[test]
fn a_promise_is_not_far_below_the_found_share() {
    let mut random = SplitMix64::new(6);
    for (name, size) in [
        ("super", 4),
        ("super", 9),
        ("super", 16),
        ("super, one in 4", 100),
        ("simhash", 4),
        ("simhash", 12),
        ("simhash", 50),
        ("simhash 128", 5),
        ("one in 4", 20),
        ("one in 4", 50),
    ] {
        let method = method(name, 0.8);
        let (least, said) = (
            least(&method, size, 1000, &mut random).unwrap(),
            method.found_at_threshold_of_sizes().unwrap()(size),
        );
        assert!(
            (least - said).abs() < 0.08,
            "{name}, {size} shingles: {least} for {said}"
        );
    }
}

#[test]
fn promises_in_a_table() {
    for (name, least, most, from) in [
        ("minhash", 0.9983, 0.9984, 1..=1),
        ("shared", 0.99, 0.998, 1..=1),
        ("super", 0.99, 0.995, 10..=24),
        ("simhash", 0.46, 0.49, 20..=50),
        ("contained", 0.99, 0.998, 20..=60),
    ] {
        let promise = method(name, 0.8).promise().unwrap();
        println!("{name} {promise:?}");
        assert!(
            (least..most).contains(&promise.found) && from.contains(&promise.from),
            "{name}: {promise:?}"
        );
    }
    let said = |name, size| method(name, 0.8).found_at_threshold_of_sizes().unwrap()(size);
    assert!((said("simhash", 4) - 0.2152).abs() < 1e-4);
    let six = Candidates::Shared(Shared {
        super_shingles: true,
        run: Some(6),
        ..Shared::default()
    });
    let six = Method::new(Config {
        recall: 0.98,
        candidates: six,
        ..Config::default()
    })
    .unwrap();
    assert!((six.found_at_threshold_of_sizes().unwrap()(9) - 0.5579).abs() < 1e-4);
    assert_eq!(
        [said("super", 3), said("simhash", 1), said("minhash", 9)],
        [1.0, 1.0, said("minhash", 900)]
    );
}

/// Prints a table with 5,000 pairs for each size. It takes a minute. Run it with
/// `cargo test --workspace by_hand_promised -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement: what is promised and what is found, size by size"]
fn by_hand_promised_and_found() {
    let mut random = SplitMix64::new(7);
    let mut below = 0;
    for name in NAMES.into_iter().chain(["contained"]) {
        let method = method(name, 0.8);
        let promised = method.found_at_threshold_of_sizes().unwrap();
        println!("{name}: {:?}", method.promise());
        for size in [
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 30, 40, 50, 80, 90, 99, 100, 120, 160,
            200, 400, 1000,
        ] {
            let Some(least) = least(&method, size, 5000, &mut random) else {
                continue;
            };
            let said = promised(size);
            let error = (said * (1.0 - said) / 5000.0).sqrt();
            let verdict = if least < said - 5.0 * error - 1e-4 {
                "BELOW"
            } else {
                ""
            };
            below += usize::from(!verdict.is_empty());
            println!("{size:>6}  promised {said:.4}  found {least:.4}  {verdict}");
        }
    }
    assert_eq!(below, 0);
}
