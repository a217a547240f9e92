//! The estimates that every kind of sketch gives for a pair.

use std::fmt::Write;

use lookalike::{
    Config, Method,
    fingerprint::DigestBy,
    lsh::DEFAULT_SLOTS,
    sketch::{
        self, Bottom, Estimate, KSentence, MinHash, Modulo, Modulus, OnePermutation, Signature,
        SimHash, Width, agreement_estimate,
    },
    text::TokensBy,
    verify::Figures,
};
use serde::{Serialize, Serializer};

use crate::output::{BOLD, DIM, count};

/// s, the number of elements of a bottom sketch. According to the paper, 200 are more than enough for a good estimate (Broder
/// 1997, section 4.2).
const SAMPLE: usize = 200;

/// The number of longest sentences from which a text's digest is computed.
const LONGEST: usize = 3;

/// The size of a sampled fingerprint in bytes.
const FINGERPRINT: usize = size_of::<u64>();

/// A kind of sketch, and the result for the two texts.
#[derive(Serialize)]
pub(super) struct Sketched {
    /// The name of this kind in JSON, which never changes.
    #[serde(skip)]
    name: &'static str,
    #[serde(skip)]
    title: &'static str,
    #[serde(serialize_with = "as_map")]
    parameters: Vec<(&'static str, u64)>,
    bytes_a: usize,
    bytes_b: usize,
    #[serde(flatten)]
    says: Says,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Says {
    Resemblance {
        resemblance: Estimate,
    },
    Containments {
        resemblance: Estimate,
        containment_ab: Estimate,
        containment_ba: Estimate,
    },
    Same {
        same: bool,
    },
}

/// Returns all kinds of sketches in display order, computed from the same sets as the exact measures.
pub(super) fn sketches(
    method: &Method,
    texts: &[String; 2],
    sets: &[Vec<u64>; 2],
) -> lookalike::Result<Vec<Sketched>> {
    let Config { seed, folds, .. } = *method.config();
    let empty = sets.iter().any(Vec::is_empty);
    let slots = ("slots", DEFAULT_SLOTS as u64);
    let signatures = sets
        .each_ref()
        .map(|set| MinHash::new(DEFAULT_SLOTS, seed).signature(set));
    let one = sets
        .each_ref()
        .map(|set| OnePermutation::new(DEFAULT_SLOTS, seed).signature(set));
    let of_slots = |[a, b]: &[Signature; 2]| {
        a.resemblance(b)
            .map(|resemblance| Says::Resemblance { resemblance })
    };
    let bits = signatures
        .each_ref()
        .map(|signature| sketch::bits(signature.slots()));
    let by_bits = if empty {
        Estimate::exact(0.0)
    } else {
        agreement_estimate(sketch::agreement(&bits[0], &bits[1]))
    };

    let of_bottom = |level| {
        let bottom = Bottom::of_modulo(SAMPLE, level, seed)?;
        let [a, b] = sets.each_ref().map(|set| bottom.sketch(set));
        let bytes = [&a, &b].map(|sketch| sketch.sample().len() * FINGERPRINT);
        Ok::<_, lookalike::Error>((
            bytes,
            Says::Resemblance {
                resemblance: a.resemblance(&b)?,
            },
        ))
    };
    let growing = Modulo::new(Modulus::default(), seed)?;
    let [a, b] = sets.each_ref().map(|set| growing.sketch(set));
    let by_modulus = Says::Containments {
        resemblance: a.resemblance(&b)?,
        containment_ab: a.containment(&b)?,
        containment_ba: b.containment(&a)?,
    };
    // The level (log₂ of the modulus) of the larger text. At this level, both texts are sampled by the same rule.
    let level = a.level().max(b.level());
    let (bottom_bytes, by_bottom) = of_bottom(0)?;
    let (sifted_bytes, by_sifted) = of_bottom(level)?;

    // SimHash of the sets, without the frequencies of shingles, because the reported resemblance is that of the sets.
    let of_simhash = |width| {
        let [a, b] = sets
            .each_ref()
            .map(|set| SimHash::new(width, seed).sketch(set));
        a.resemblance(&b)
            .map(|resemblance| Says::Resemblance { resemblance })
    };
    let longest = KSentence::new(LONGEST, DigestBy::Xxh3)?.folded(folds);
    let same = longest.sketch(&texts[0]).same(&longest.sketch(&texts[1]))?;

    let row = |name, title, parameters, [bytes_a, bytes_b]: [usize; 2], says| Sketched {
        name,
        title,
        parameters,
        bytes_a,
        bytes_b,
        says,
    };
    let both = |bytes| [bytes; 2];
    let mut rows = vec![
        row(
            "minhash",
            "MinHash",
            vec![slots],
            both(DEFAULT_SLOTS * size_of::<u32>()),
            of_slots(&signatures)?,
        ),
        row(
            "one_permutation",
            "MinHash, 1 permutation",
            vec![slots],
            both(DEFAULT_SLOTS * size_of::<u32>()),
            of_slots(&one)?,
        ),
        row(
            "b_bit",
            "b-bit MinHash",
            vec![slots, ("bits", 8)],
            both(size_of_val(&bits[0])),
            Says::Resemblance {
                resemblance: by_bits,
            },
        ),
        row(
            "bottom",
            "MIN_s",
            vec![("s", SAMPLE as u64)],
            bottom_bytes,
            by_bottom,
        ),
        row(
            "modulo",
            "MOD_m",
            vec![("m_a", 1 << a.level()), ("m_b", 1 << b.level())],
            [&a, &b].map(|sketch| sketch.elements().len() * FINGERPRINT),
            by_modulus,
        ),
        row(
            "bottom_of_modulo",
            "MIN_s of MOD_m",
            vec![("s", SAMPLE as u64), ("m", 1 << level)],
            sifted_bytes,
            by_sifted,
        ),
        row(
            "simhash_64",
            "SimHash",
            vec![("bits", 64)],
            both(8),
            of_simhash(Width::W64)?,
        ),
        row(
            "simhash_128",
            "SimHash",
            vec![("bits", 128)],
            both(16),
            of_simhash(Width::W128)?,
        ),
        row(
            "sentences",
            "longest sentences",
            vec![("longest", LONGEST as u64)],
            both(16),
            Says::Same { same },
        ),
    ];
    // Sets of items have no sentences, so the last row (`sentences`) is removed for them.
    rows.truncate(rows.len() - usize::from(method.config().tokens == TokensBy::Items));
    Ok(rows)
}

/// Serialises the sketches as an object with one field per sketch, under the sketch's name.
pub(super) fn by_name<S: Serializer>(
    sketches: &Option<Vec<Sketched>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(
        sketches
            .iter()
            .flatten()
            .map(|sketch| (sketch.name, sketch)),
    )
}

fn as_map<S: Serializer>(pairs: &[(&'static str, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
}

/// Returns a table of the sketches and the exact measures.
pub(super) fn table(sketches: &[Sketched], exact: &Figures) -> String {
    let mut page = format!(
        "\n{BOLD}{:<22}  {:<18}  {:>7}  {:>7}  {:<21}  {:>6}  estimate{BOLD:#}\n",
        "sketch", "parameters", "bytes A", "bytes B", "of", "exact"
    );
    for sketch in sketches {
        let parameters: Vec<String> = sketch
            .parameters
            .iter()
            .map(|(name, value)| format!("{name} {}", count(*value)))
            .collect();
        let _ = write!(
            page,
            "{:<22}  {:<18}  {:>7}  {:>7}  ",
            sketch.title,
            parameters.join(", "),
            count(sketch.bytes_a as u64),
            count(sketch.bytes_b as u64)
        );
        let of = |what: &str, exact: f64, estimate: &Estimate| {
            let says = if estimate.low == estimate.high {
                format!("{:.4}, certain", estimate.value)
            } else {
                interval(estimate)
            };
            format!("{what:<21}  {exact:.4}  {says}\n")
        };
        let resembling = |estimate| of("resemblance", exact.resemblance, estimate);
        page += &match &sketch.says {
            Says::Resemblance { resemblance } => resembling(resemblance),
            Says::Containments {
                resemblance,
                containment_ab,
                containment_ba,
            } => {
                let indent = " ".repeat(60);
                resembling(resemblance)
                    + &format!(
                        "{indent}  {}",
                        of(
                            "containment of A in B",
                            exact.containment_ab,
                            containment_ab
                        )
                    )
                    + &format!(
                        "{indent}  {}",
                        of(
                            "containment of B in A",
                            exact.containment_ba,
                            containment_ba
                        )
                    )
            }
            Says::Same { same } => {
                format!("{:<29}  {}\n", "the same", if *same { "yes" } else { "no" })
            }
        };
    }
    page + &format!(
        "{DIM}SimHash assumes that both texts have equally many shingles; otherwise it overestimates{DIM:#}\n"
    )
}

/// Formats an estimate and its interval.
pub(super) fn interval(estimate: &Estimate) -> String {
    format!(
        "{:.3} ({:.3} to {:.3})",
        estimate.value, estimate.low, estimate.high
    )
}
