//! Checks that a run on any input ends with an error message or with the core's decisions, and never panics.
#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use lookalike::{Config, Doc, decide as in_memory};
use lookalike_engine::{Outputs, RunConfig, UNOBSERVED, dedup};
use lookalike_fuzz::{file, record};

#[derive(serde::Deserialize)]
struct Decision<'a> {
    verdict: &'a str,
    // The digits exactly as they are written: a number parsed by serde_json may be off in its last bit.
    #[serde(borrow)]
    resemblance: Option<&'a serde_json::value::RawValue>,
}

fuzz_target!(|bytes: &[u8]| {
    let [choice, rest @ ..] = bytes else { return };
    // A zstd frame may request as much memory as zstd allows, which is outside the scope of this target.
    if rest.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return;
    }
    let folder = file::folder();
    let path = file::write("input", rest);
    let method = Config {
        threshold: [0.5, 0.8][usize::from(choice % 2)],
        shingle: Some(1 + usize::from(choice >> 4) % 5),
        ..Config::default()
    };
    let config = RunConfig {
        inputs: vec![path.display().to_string()],
        method: method.clone(),
        allow_repeated_ids: choice & 2 == 0,
        skip_bad: (choice & 4 != 0).then(|| folder.join("bad")),
        threads: 1 + usize::from(choice >> 3 & 1),
        temp_dir: folder.clone(),
        ..RunConfig::default()
    };
    let outputs = Outputs {
        kept: Some(folder.join("kept")),
        decisions: Some(folder.join("decisions")),
        ..Outputs::default()
    };
    let Ok(summary) = dedup(&config, &outputs, UNOBSERVED) else {
        return;
    };
    assert_eq!(summary.documents, summary.kept + summary.dropped);
    // Compressed input has no lines to compare with.
    if rest.starts_with(&[0x1f, 0x8b]) {
        return;
    }
    // A file may begin with a byte order mark, which is not part of its first line.
    let rest = rest.strip_prefix(b"\xef\xbb\xbf").unwrap_or(rest);
    let lines: Vec<&[u8]> = rest.split(|&byte| byte == b'\n').collect();
    let records: Vec<(&[u8], record::Record)> = lines
        .iter()
        .filter_map(|line| Some((*line, record::read(line)?)))
        .collect();
    let docs: Vec<Doc> = records
        .iter()
        .map(|(_, record)| (&*record.text).into())
        .collect();
    let expected = in_memory(&docs, method).expect("texts are never refused");
    let decisions = fs::read_to_string(folder.join("decisions")).expect("decisions");
    let decisions: Vec<Decision> = decisions
        .lines()
        .map(|line| serde_json::from_str(line).expect("a decision"))
        .collect();
    assert_eq!(decisions.len(), expected.len());
    for (decision, expected) in decisions.iter().zip(&expected) {
        assert_eq!(
            decision.verdict,
            if expected.is_kept() {
                "kept"
            } else {
                "dropped"
            }
        );
        let resemblance = decision
            .resemblance
            .map(|number| number.get().parse().expect("a number"));
        assert_eq!(resemblance, expected.similarity);
    }
    let trim = |line: &[u8]| line.trim_ascii_end().to_vec();
    let kept: Vec<Vec<u8>> = records
        .iter()
        .zip(&expected)
        .filter(|(_, d)| d.is_kept())
        .map(|((line, _), _)| trim(line))
        .collect();
    let written = fs::read(folder.join("kept")).expect("kept lines");
    let written: Vec<Vec<u8>> = written
        .split(|&byte| byte == b'\n')
        .map(trim)
        .filter(|line| !line.is_empty())
        .collect();
    assert_eq!(written, kept);
});
