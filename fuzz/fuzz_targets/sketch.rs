//! Checks that `Method` computes the same sketch and the same set from a text as the core's functions do if they are called step
//! by step. `Method` reads the text both as plain text and in a JSON string.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike::{
    Bands, Candidates, Config, Method, Permutations, Scratch,
    fingerprint::{digest, fingerprints, sort_distinct, token_hashes},
    lsh::{DEFAULT_SLOTS, band_keys},
    sketch::{BITS_SLOTS, MinHash, OnePermutation, bits},
    text::{Folds, Text, Tokens, TokensBy, canonicalise},
};
use lookalike_fuzz::{ascii_json, naive, text};

fuzz_target!(|bytes: &[u8]| {
    let [choice, rest @ ..] = bytes else { return };
    let text = text(rest);
    let tokens_by = [TokensBy::Auto, TokensBy::Words, TokensBy::Chars][usize::from(choice % 3)];
    let permutations = if choice & 8 == 0 {
        Permutations::Many
    } else {
        Permutations::One
    };
    let candidates = Candidates::Bands(Bands {
        permutations,
        ..Bands::default()
    });
    let shingle = 1 + usize::from(choice >> 4) % 9;
    let config = Config {
        tokens: tokens_by,
        shingle: Some(shingle),
        candidates,
        ..Config::default()
    };
    let method = Method::new(config.clone()).expect("what can be asked for");

    let (mut tokens, mut hashes, mut numbers, mut slots) =
        (Tokens::new(), Vec::new(), Vec::new(), Vec::new());
    canonicalise(&text, tokens_by, Folds::default(), &mut tokens);
    assert_eq!(
        tokens.len(),
        naive::tokens(&text, tokens_by, Folds::default()).len()
    );
    token_hashes(&tokens, &mut hashes);
    fingerprints(&hashes, method.shingling(), &mut numbers);
    let curve = method.shape().expect("bands").curve();
    let length = (curve.bands * curve.rows)
        .max(DEFAULT_SLOTS)
        .max(BITS_SLOTS);
    match permutations {
        Permutations::Many => MinHash::new(length, config.seed).minima(&numbers, &mut slots),
        Permutations::One => OnePermutation::new(length, config.seed).minima(&numbers, &mut slots),
    }
    let keys: Vec<u32> = band_keys(&slots, curve).collect();
    let agreeing: Vec<u8> = bits(&slots).into_iter().collect();
    sort_distinct(&mut numbers);

    // Write the text as a JSON string: first as in a line, then with every character beyond ASCII escaped.
    let json = serde_json::to_string(&text).expect("a text is JSON");
    let ascii = ascii_json(&json);
    let mut scratch = Scratch::default();
    for form in [
        Text::Plain(&text),
        Text::Escaped(&json[1..json.len() - 1]),
        Text::Escaped(&ascii[1..ascii.len() - 1]),
    ] {
        method.sketch(form, &mut scratch);
        assert_eq!(
            (scratch.digest, &scratch.keys, &scratch.bits),
            (digest(&tokens), &keys, &agreeing),
            "{form:?}"
        );
        method.set(form, &mut scratch);
        assert_eq!(scratch.fingerprints, numbers, "{form:?}");
    }
});
