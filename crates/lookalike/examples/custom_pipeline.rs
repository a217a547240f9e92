//! Runs the steps of a deduplication one by one, with custom code between them. The steps are shingles of words (with digits
//! replaced), MinHash, bands, exact verification, and groups.
//!
//! `cargo run -p lookalike --example custom_pipeline`

use std::collections::{BTreeMap, BTreeSet};

use lookalike::{
    cluster::UnionFind,
    fingerprint::{fingerprints, sort_distinct, token_hashes},
    lsh::{Shape, band_keys},
    shingle::Shingling,
    sketch::OnePermutation,
    text::{Folds, Tokens, TokensBy, canonicalise},
    verify::Overlap,
};

const THRESHOLD: f64 = 0.7;

fn main() -> lookalike::Result<()> {
    let logs = [
        "2026-01-03 10:15:02 worker 7: cannot open the data base, will try again in 30 seconds",
        "2026-01-03 10:15:09 worker 9: cannot open the data base, will try again in 60 seconds",
        "2026-01-03 10:16:40 worker 7: the request took 4012 ms, which is more than the limit of 3000 ms",
        "2026-01-03 10:17:11 worker 2: the request took 3991 ms, which is more than the limit of 3000 ms",
        "2026-01-03 10:18:00 worker 2: stopped",
    ];

    // Text → tokens → set. The custom step replaces digits, so that lines made from one template are equal.
    let shingling = Shingling::new(3)?;
    let (mut tokens, mut hashes) = (Tokens::new(), Vec::new());
    let set = |line: &str| {
        let template: String = line
            .chars()
            .map(|c| if c.is_ascii_digit() { ' ' } else { c })
            .collect();
        canonicalise(&template, TokensBy::Words, Folds::default(), &mut tokens);
        token_hashes(&tokens, &mut hashes);
        let mut set = Vec::new();
        fingerprints(&hashes, shingling, &mut set);
        sort_distinct(&mut set);
        set
    };
    let sets: Vec<Vec<u64>> = logs.into_iter().map(set).collect();

    // Set → signature → band keys → candidates. The threshold and the required recall determine the bands and rows.
    let curve = Shape::choose(THRESHOLD, 0.99)?.curve();
    println!("{} bands of {} rows", curve.bands, curve.rows);
    let minhash = OnePermutation::new(curve.bands * curve.rows, 1);
    let mut buckets: BTreeMap<(usize, u32), Vec<u32>> = BTreeMap::new();
    let mut slots = Vec::new();
    for (document, set) in (0..).zip(&sets) {
        minhash.minima(set, &mut slots);
        for place in band_keys(&slots, curve).enumerate() {
            buckets.entry(place).or_default().push(document);
        }
    }
    let pairs = |bucket: &Vec<u32>| {
        bucket
            .iter()
            .flat_map(|&a| bucket.iter().map(move |&b| (a, b)))
            .collect::<Vec<_>>()
    };
    let candidates: BTreeSet<(u32, u32)> = buckets
        .values()
        .flat_map(pairs)
        .filter(|(a, b)| a < b)
        .collect();

    // Candidates → matches → groups.
    let mut groups = UnionFind::new(logs.len());
    for (a, b) in candidates {
        let resemblance = Overlap::of(&sets[a as usize], &sets[b as usize]).resemblance();
        if resemblance >= THRESHOLD {
            println!("{a} and {b} resemble each other by {resemblance:.2}");
            groups.join(a, b);
        }
    }
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    (0..logs.len() as u32).for_each(|document| {
        members
            .entry(groups.find(document))
            .or_default()
            .push(document)
    });
    println!(
        "{} templates: {:?}",
        members.len(),
        members.values().collect::<Vec<_>>()
    );
    Ok(())
}
