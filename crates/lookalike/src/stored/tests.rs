use proptest::prelude::*;

use super::*;
use crate::{
    Method, Scratch,
    config::{Config, Features, Permutations},
    fingerprint::DigestBy,
    sketch::{
        Bottom, Estimate, MinHash, Modulo, Modulus, OnePermutation, SimHash, Width, agreement,
        agreement_estimate, bits,
    },
    text::TokensBy,
};

fn minhash(slots: usize, bits: u32, permutations: Permutations) -> SketchBy {
    SketchBy::MinHash {
        slots,
        bits,
        permutations,
    }
}

fn kinds() -> Vec<SketchBy> {
    use Permutations::{Many, One};
    vec![
        minhash(128, 32, One),
        minhash(100, 32, One),
        minhash(13, 32, Many),
        minhash(128, 8, One),
        minhash(50, 16, Many),
        SketchBy::Bottom { size: 5 },
        SketchBy::Bottom { size: 64 },
        SketchBy::Modulo {
            modulus: Modulus::Growing { least: 4 },
        },
        SketchBy::Modulo {
            modulus: Modulus::Fixed { level: 2 },
        },
        SketchBy::Modulo {
            modulus: Modulus::Capped { least: 4, level: 2 },
        },
        SketchBy::SimHash {
            bits: Width::W64,
            features: Features::Shingles,
        },
        SketchBy::SimHash {
            bits: Width::W128,
            features: Features::Shingles,
        },
        SketchBy::Sentences {
            longest: 2,
            digest: DigestBy::Xxh3,
        },
    ]
}

/// The maker and the comparer of sketches of texts, whose shingles are single tokens, so that short texts share many.
fn of_texts(sketch: SketchBy) -> (Method, Sketching) {
    made(
        Config {
            shingle: Some(1),
            ..Config::default()
        },
        sketch,
    )
}

/// The maker and the comparer of sketches of sets.
fn of_sets(sketch: SketchBy) -> (Method, Sketching) {
    made(
        Config {
            tokens: TokensBy::Items,
            ..Config::default()
        },
        sketch,
    )
}

fn made(config: Config, sketch: SketchBy) -> (Method, Sketching) {
    let parameters = SketchParameters::new(&Config { seed: 7, ..config }, sketch).unwrap();
    (
        Method::sketching(&parameters).unwrap(),
        Sketching::new(&parameters).unwrap(),
    )
}

fn sketch(method: &Method, text: &str) -> StoredSketch {
    let mut scratch = Scratch::default();
    method.sketch(text, &mut scratch);
    method.stored(&scratch)
}

fn set(method: &Method, text: &str) -> Vec<u64> {
    let mut scratch = Scratch::default();
    method.set(text, &mut scratch);
    scratch.fingerprints
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-z]|[a-e][a-z]|[.] [a-z]", 0..60).prop_map(|words| words.join(" "))
}

fn items() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0u32..200, 0..120)
}

fn array(items: &[u32]) -> String {
    format!("{items:?}")
}

proptest! {
    #[test]
    fn a_restored_sketch_has_the_keys_and_samples_of_the_text(text in text(), threshold in 0.5f64..0.95) {
        for kind in kinds() {
            let parameters = of_texts(kind).1.parameters().clone();
            let method = Method::of_sketches(&parameters, Config { threshold, recall: 0.5, ..Config::default() }).unwrap();
            let (mut scratch, mut restored) = (Scratch::default(), Scratch::default());
            method.sketch(&*text, &mut scratch);
            let stored = method.stored(&scratch);
            prop_assert_eq!(stored.shingles, Some(set(&method, &text).len() as u64));
            method.restore(&stored, &mut restored).unwrap();
            let of = |scratch: &Scratch| {
                (scratch.keys.clone(), scratch.bits.clone(), scratch.elements.clone(), scratch.level, scratch.digest)
            };
            prop_assert_eq!(of(&scratch), of(&restored), "{:?}", kind);
            prop_assert_eq!(scratch.keys.len(), method.columns());
            prop_assert_eq!(scratch.bits.len(), method.stride());
        }
    }

    #[test]
    fn stored_sketches_estimate_what_sketches_in_memory_estimate(a in text(), b in text()) {
        for kind in kinds() {
            let (method, sketching) = of_texts(kind);
            let found = sketching.compare(&sketch(&method, &a), &sketch(&method, &b)).unwrap();
            let [of_a, of_b] = [&a, &b].map(|text| set(&method, text));
            if of_a.is_empty() || of_b.is_empty() || found.same == Some(true) {
                let value = Estimate::exact(if of_a.is_empty() || of_b.is_empty() { 0.0 } else { 1.0 });
                prop_assert_eq!((found.resemblance, found.containment_ab), (Some(value), Some(value)));
                continue;
            }
            let expected = match kind {
                SketchBy::MinHash { slots, bits: 32, permutations: Permutations::Many } => {
                    let minhash = MinHash::new(slots, 7);
                    minhash.signature(&of_a).resemblance(&minhash.signature(&of_b)).unwrap()
                }
                SketchBy::MinHash { slots, bits: 32, permutations: Permutations::One } => {
                    let minhash = OnePermutation::new(slots, 7);
                    minhash.signature(&of_a).resemblance(&minhash.signature(&of_b)).unwrap()
                }
                SketchBy::MinHash { slots: 128, bits: 8, .. } => {
                    let [a, b] = [&of_a, &of_b].map(|set| bits(OnePermutation::new(128, 7).signature(set).slots()));
                    agreement_estimate(agreement(&a, &b))
                }
                SketchBy::MinHash { .. } | SketchBy::Sentences { .. } => continue,
                SketchBy::Bottom { size } => {
                    // The sample of a set of exactly s elements counts as cut.
                    prop_assume!(of_a.len() != size && of_b.len() != size);
                    let bottom = Bottom::new(size, 7).unwrap();
                    bottom.sketch(&of_a).resemblance(&bottom.sketch(&of_b)).unwrap()
                }
                SketchBy::Modulo { modulus } => {
                    let modulo = Modulo::new(modulus, 7).unwrap();
                    let [a, b] = [&of_a, &of_b].map(|set| modulo.sketch(set));
                    prop_assert_eq!(found.containment_ab, Some(a.containment(&b).unwrap()));
                    prop_assert_eq!(found.containment_ba, Some(b.containment(&a).unwrap()));
                    a.resemblance(&b).unwrap()
                }
                SketchBy::SimHash { bits, .. } => {
                    let simhash = SimHash::new(bits, 7);
                    let bag = |text: &str| {
                        let mut scratch = Scratch::default();
                        Method::new(Config { shingle: Some(1), ..Config::default() }).unwrap().sketch(text, &mut scratch);
                        simhash.sketch(&scratch.fingerprints)
                    };
                    bag(&a).resemblance(&bag(&b)).unwrap()
                }
            };
            prop_assert_eq!(found.resemblance, Some(expected), "{:?}", kind);
        }
    }

    #[test]
    fn what_a_run_estimates_is_the_comparison(a in text(), b in text()) {
        for kind in kinds() {
            let (method, sketching) = of_texts(kind);
            let [mut of_a, mut of_b] = [(); 2].map(|()| Scratch::default());
            method.sketch(&*a, &mut of_a);
            method.sketch(&*b, &mut of_b);
            let (stored_a, stored_b) = (method.stored(&of_a), method.stored(&of_b));
            let Some(expected) = sketching.compare(&stored_a, &stored_b).unwrap().resemblance else { continue };
            // Runs never compare copies or texts without tokens.
            if stored_a.is_empty() || stored_b.is_empty() || of_a.digest == of_b.digest {
                continue;
            }
            let sample = |scratch: &Scratch| (scratch.level, scratch.elements.clone());
            let ((level_a, elements_a), (level_b, elements_b)) = (sample(&of_a), sample(&of_b));
            let found = if method.keeps_samples() { method.estimate_samples(
                    crate::lsh::Sample { level: level_a, elements: &elements_a },
                    crate::lsh::Sample { level: level_b, elements: &elements_b },
                ) } else { method.estimate(&of_a.bits, &of_b.bits) };
            prop_assert_eq!(found, expected.value, "{:?}", kind);
        }
    }

    #[test]
    fn the_union_is_the_sketch_of_all_elements(a in items(), b in items()) {
        for kind in kinds() {
            let (method, sketching) = of_sets(match kind {
                // The union keeps the larger modulus, but the rule may choose a larger one for the union.
                SketchBy::Modulo { .. } => SketchBy::Modulo { modulus: Modulus::Fixed { level: 2 } },
                SketchBy::Sentences { .. } => continue,
                other => other,
            });
            let [of_a, of_b, of_both] = [array(&a), array(&b), array(&[&a[..], &b].concat())].map(|set| sketch(&method, &set));
            let Ok(union) = sketching.union(&of_a, &of_b) else {
                prop_assert!(sketching.can_unite().is_err());
                continue;
            };
            prop_assert_eq!(&union.bytes, &of_both.bytes, "{:?}", kind);
            if let Some(shingles) = union.shingles {
                prop_assert_eq!(Some(shingles), of_both.shingles);
            }
            if let Some(digest) = union.digest {
                prop_assert_eq!(Some(digest), of_both.digest);
            }
        }
    }
}

#[test]
fn sketches_of_which_unions_do_not_follow_are_refused_with_the_reason() {
    for (kind, why) in [
        (minhash(128, 8, Permutations::One), "only 8 bits are stored"),
        (
            SketchBy::SimHash {
                bits: Width::W64,
                features: Features::Shingles,
            },
            "sign of each sum of votes",
        ),
        (
            SketchBy::Sentences {
                longest: 3,
                digest: DigestBy::Xxh3,
            },
            "neither the sentences nor their lengths",
        ),
    ] {
        let (method, sketching) = of_texts(kind);
        let [a, b] = ["a b c", "d e f"].map(|text| sketch(&method, text));
        let refused = sketching.union(&a, &b).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn bytes_that_are_no_sketch_are_refused() {
    let wrong = |kind, bytes: &[u8]| {
        let sketch = StoredSketch {
            shingles: Some(9),
            digest: Some(1),
            bytes: bytes.to_vec(),
        };
        of_texts(kind).1.check(&sketch).unwrap_err().to_string()
    };
    let sample = |elements: &[u64]| {
        elements
            .iter()
            .flat_map(|element| element.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let modulo = SketchBy::Modulo {
        modulus: Modulus::Fixed { level: 2 },
    };
    assert!(wrong(SketchBy::default(), &[0; 10]).contains("528 bytes are expected, got 10"));
    assert!(
        wrong(SketchBy::Bottom { size: 2 }, &[0; 10]).contains("10 bytes are not whole elements")
    );
    assert!(
        wrong(SketchBy::Bottom { size: 2 }, &sample(&[1, 2, 3]))
            .contains("at most 2 elements are expected, got 3")
    );
    assert!(
        wrong(SketchBy::Bottom { size: 2 }, &sample(&[2, 1])).contains("not in ascending order")
    );
    assert!(wrong(modulo, &[]).contains("0 bytes"));
    assert!(wrong(modulo, &[64]).contains("the level is 64"));
    assert!(wrong(modulo, &[&[2u8][..], &sample(&[6])].concat()).contains("not divisible by 2^2"));
}

#[test]
fn containment_needs_a_modulus_that_does_not_grow() {
    let method = |sketch| {
        let parameters = SketchParameters::new(&Config::default(), sketch).unwrap();
        let measure = crate::verify::Measure::Containment;
        Method::of_sketches(
            &parameters,
            Config {
                measure,
                ..Config::default()
            },
        )
    };
    assert!(
        method(SketchBy::default())
            .unwrap_err()
            .to_string()
            .starts_with("MinHash signatures find texts that resemble")
    );
    assert!(
        method(SketchBy::Modulo {
            modulus: Modulus::Growing { least: 50 }
        })
        .is_err()
    );
    assert!(
        method(SketchBy::Modulo {
            modulus: Modulus::Fixed { level: 4 }
        })
        .unwrap()
        .finds_parts()
    );
}

/// The number of shingles, the number of bytes and a hash of the bytes, for each kind. These values never change.
#[test]
fn stored_sketches_are_frozen() {
    const TEXT: &str = "A small sketch of each document suffices. It estimates how much two documents resemble each other, without \
                        the documents! 草图足以估计任意一对文档的相似度。";
    let found: Vec<(u64, usize, u64)> = kinds()
        .into_iter()
        .map(|kind| {
            let parameters = SketchParameters::new(&Config::default(), kind).unwrap();
            let stored = sketch(&Method::sketching(&parameters).unwrap(), TEXT);
            let hash = stored.bytes.iter().fold(0u64, |hash, &byte| {
                (hash ^ u64::from(byte))
                    .wrapping_mul(0x100_0000_01b3)
                    .rotate_left(7)
            });
            (stored.shingles.unwrap(), stored.bytes.len(), hash)
        })
        .collect();
    assert_eq!(found, FROZEN);
}

const FROZEN: [(u64, usize, u64); 13] = [
    (31, 528, 3834090179916856895),
    (31, 413, 2366896993433574735),
    (31, 52, 5130083293444839496),
    (31, 128, 14217436512359065821),
    (31, 100, 5855520443775924419),
    (31, 40, 1126766158000191435),
    (31, 248, 7783824642389154938),
    (31, 49, 12760909445313732729),
    (31, 49, 12760909445313732729),
    (31, 49, 12760909445313732729),
    (31, 8, 10520396597642504753),
    (31, 16, 4724142700126539314),
    (31, 32, 1215612315731472274),
];
