//! Uses sketches instead of texts: sketches are small, can be stored or sent anywhere, and are compared without the texts.
//!
//! `cargo run -p lookalike --example sketch_and_estimate`

use lookalike::{
    fingerprint::fingerprint_set,
    shingle::Shingling,
    sketch::{Bottom, MinHash, SimHash, Width},
    text::{Folds, TokensBy},
    verify::Overlap,
};

fn main() -> lookalike::Result<()> {
    // Each of the two texts has 1,000 sentences. They have 900 sentences in common.
    let text = |from: usize| {
        (from..from + 1000)
            .map(|i| format!("Sentence number {i} of this text. "))
            .collect::<String>()
    };
    let shingling = Shingling::new(5)?;
    let [a, b] = [0, 100]
        .map(|from| fingerprint_set(&text(from), TokensBy::Auto, Folds::default(), shingling));
    println!(
        "exact                {:.3}",
        Overlap::of(&a, &b).resemblance()
    );

    let seed = 1;
    let minhash = MinHash::new(256, seed);
    let estimate = minhash.signature(&a).resemblance(&minhash.signature(&b))?;
    println!(
        "MinHash, 256 slots   {:.3} between {:.3} and {:.3}",
        estimate.value, estimate.low, estimate.high
    );

    let bottom = Bottom::new(400, seed)?;
    let estimate = bottom.sketch(&a).resemblance(&bottom.sketch(&b))?;
    println!(
        "bottom-400 sketch    {:.3} between {:.3} and {:.3}",
        estimate.value, estimate.low, estimate.high
    );

    let simhash = SimHash::new(Width::W128, seed);
    println!(
        "SimHash              {} of 128 bits differ",
        (simhash.hash(&a) ^ simhash.hash(&b)).count_ones()
    );

    // A comparison of sketches with different settings returns an error.
    let other = MinHash::new(256, 2).signature(&b);
    if let Err(refusal) = minhash.signature(&a).resemblance(&other) {
        println!("{refusal}");
    }
    Ok(())
}
