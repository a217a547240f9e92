//! Checks that any compressed file is read or refused with an error message, and that the result is the same each time.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike_engine::{ErrorKind, PACKED, RunConfig, find_texts};
use lookalike_fuzz::file;

fuzz_target!(|bytes: &[u8]| {
    let Some((&which, packed)) = bytes.split_first() else {
        return;
    };
    let path = file::write(
        &format!("packed.jsonl{}", PACKED[which as usize % PACKED.len()]),
        packed,
    );
    let config = RunConfig {
        inputs: vec![path.display().to_string()],
        temp_dir: file::folder(),
        threads: 1,
        allow_repeated_ids: true,
        ..RunConfig::default()
    };
    let read = || {
        find_texts(&config, &["1"]).map_err(|error| {
            assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
            error.to_string()
        })
    };
    assert_eq!(read(), read());
});
