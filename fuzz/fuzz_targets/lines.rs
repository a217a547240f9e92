//! Compares the way the engine reads a line with a parser that keeps every field in memory. Both must read the same record, and
//! both must refuse the same lines.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike_engine::{RunConfig, find_texts};
use lookalike_fuzz::{file, record};

fuzz_target!(|bytes: &[u8]| {
    // A file's first bytes may mark it as compressed; a different target tests that.
    if !bytes.first().is_some_and(|first| b"{ \t\r".contains(first))
        || bytes.contains(&b'\n')
        || bytes.trim_ascii().is_empty()
    {
        return;
    }
    let path = file::write("line", bytes);
    let name = path.display().to_string();
    let config = RunConfig {
        inputs: vec![name.clone()],
        temp_dir: file::folder(),
        threads: 1,
        ..RunConfig::default()
    };
    let expected = record::read(bytes);
    let id = expected
        .as_ref()
        .and_then(|record| record.id.clone())
        .unwrap_or(format!("{name}:1"));
    match (find_texts(&config, &[&id]), expected) {
        (Ok(texts), Some(record)) => assert_eq!(texts, [record.text]),
        (Err(_), None) => {}
        (Ok(texts), None) => panic!("read, but no record: {texts:?}"),
        (Err(error), Some(record)) => panic!("refused: {error}; {record:?}"),
    }
});
