//! Checks that files of pairs and of decisions are read or refused, whatever their bytes, and that they name only existing
//! documents.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use lookalike::verify::Measure;
use lookalike_engine::{Roll, RunConfig, UNOBSERVED, enrol, read_decisions, read_pairs};
use lookalike_fuzz::file;

/// Returns a `Roll` of five documents, which have the ids "a", "b", 1, "1" and "é". A `Roll` finds documents by their ids.
fn roll() -> &'static Roll {
    static ROLL: OnceLock<Roll> = OnceLock::new();
    ROLL.get_or_init(|| {
        let ids = ["\"a\"", "\"b\"", "1", "\"1\"", "\"é\""];
        let lines: String = ids
            .iter()
            .map(|id| format!("{{\"id\": {id}, \"text\": \"x\"}}\n"))
            .collect();
        let path = file::write("roll", lines.as_bytes());
        let config = RunConfig {
            inputs: vec![path.display().to_string()],
            threads: 1,
            ..RunConfig::default()
        };
        enrol(&config, UNOBSERVED).expect("five documents")
    })
}

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return;
    }
    let (path, temp) = (file::write("truth", bytes), file::folder());
    let count = roll().documents();
    for measure in [Measure::Resemblance, Measure::Containment] {
        for pair in read_pairs(&path, roll(), measure, &temp)
            .into_iter()
            .flatten()
        {
            assert!(pair.a < pair.b && pair.b < count);
            assert!(
                pair.similarity
                    .is_none_or(|similarity| (0.0..=1.0).contains(&similarity))
            );
        }
    }
    if let Ok(representatives) = read_decisions(&path, roll(), &temp) {
        assert!(
            representatives.len() == count as usize && representatives.iter().all(|&r| r < count)
        );
    }
});
