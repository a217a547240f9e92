//! Checks the core's decisions against the law, as implemented by the naive twin. The law is the rule that decides which
//! documents are kept.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike::{Bands, Candidates, Config, Doc, Method, Permutations, decide};
use lookalike_fuzz::texts;

#[allow(dead_code, missing_docs)]
#[path = "../../crates/lookalike/tests/it/twin/mod.rs"]
mod twin;

/// The maximum number of documents: the twin is quadratic.
const MOST: usize = 24;

fuzz_target!(|bytes: &[u8]| {
    let [choice, rest @ ..] = bytes else { return };
    let mut texts = texts(rest);
    texts.truncate(MOST);
    let threshold = [0.5, 0.7, 0.8, 1.0][usize::from(choice % 4)];
    let candidates = match choice >> 2 & 3 {
        0 => Candidates::All,
        1 => Candidates::Bands(Bands {
            permutations: Permutations::One,
            ..Bands::default()
        }),
        2 => Candidates::Exact,
        _ => Candidates::default(),
    };
    let config = Config {
        threshold,
        candidates,
        shingle: Some(1 + usize::from(choice >> 4) % 5),
        ..Config::default()
    };
    let method = Method::new(config.clone()).expect("what can be asked for");
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let twin = twin::Twin::new(&borrowed, &method);
    let expected = twin.law(&(0..texts.len()).collect::<Vec<_>>(), threshold);
    let docs: Vec<Doc> = borrowed.iter().map(|text| (*text).into()).collect();
    let decisions = decide(&docs, config).expect("texts are never refused");
    for (d, (decision, expected)) in decisions.iter().zip(&expected).enumerate() {
        assert_eq!(
            decision.representative,
            expected.map(|(k, _)| k),
            "{d} of {texts:?}"
        );
        assert_eq!(
            decision.similarity,
            expected.map(|(_, similarity)| similarity),
            "{d} of {texts:?}"
        );
    }
});
