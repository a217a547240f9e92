//! Tests how the data for an evaluation is read: documents by their ids and labels, pairs and decisions from files, and the exact
//! truth for a sample.

use std::{fs, path::Path};

use lookalike::{Candidates, Config, verify::Measure};
use lookalike_engine::{
    Outputs, RunConfig, SimilarPair, UNOBSERVED, dedup, enrol, pairs, read_decisions, read_pairs,
    sample_truth,
};
use tempfile::TempDir;

fn config(input: &Path) -> RunConfig {
    RunConfig {
        inputs: vec![input.display().to_string()],
        ..RunConfig::default()
    }
}

fn testdata(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata")
        .join(name)
}

const LABELLED: &str = r#"{"id":"é","text":"a b c","page":"p\u00e9"}
{"id":1,"text":"d","page":7}

{"id":"1","text":"A, b c","page":"7"}
{"text":"e","page":null}
{"id":2,"text":"f"}
{"id":3,"text":"g","page":"pé"}
"#;

#[test]
fn a_roll_finds_documents_by_id_and_groups_by_label() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.jsonl");
    fs::write(&input, LABELLED).unwrap();
    let roll = enrol(
        &RunConfig {
            label_field: Some("page".into()),
            ..config(&input)
        },
        UNOBSERVED,
    )
    .unwrap();
    assert_eq!(roll.documents(), 6);
    let place = format!("\"{}:5\"", input.display());
    let ids = [
        r#""é""#,
        r#""\u00e9""#,
        "1",
        r#""1""#,
        place.as_str(),
        "3",
        "é",
        "9",
    ];
    assert_eq!(
        ids.map(|id| roll.document(id)),
        [
            Some(0),
            Some(0),
            Some(1),
            Some(2),
            Some(3),
            Some(5),
            None,
            None
        ]
    );
    // Only the text of a label counts, not its type.
    assert_eq!(roll.groups().unwrap(), [0, 1, 1, 3, 4, 0]);
    let roll = enrol(&config(&input), UNOBSERVED).unwrap();
    assert_eq!(roll.groups(), None);
    for label in ["text", "id"] {
        let asked = enrol(
            &RunConfig {
                label_field: Some(label.into()),
                ..config(&input)
            },
            UNOBSERVED,
        );
        assert_eq!(asked.is_ok(), label == "id");
    }
    fs::write(
        &input,
        "{\"id\":1,\"text\":\"a\",\"page\":1}\n{\"id\":2,\"text\":\"a\",\"page\":[1]}\n",
    )
    .unwrap();
    let refused = enrol(
        &RunConfig {
            label_field: Some("page".into()),
            ..config(&input)
        },
        UNOBSERVED,
    )
    .unwrap_err()
    .to_string();
    assert!(
        refused.contains("in.jsonl:2: field \"page\" is an array; a label must be"),
        "{refused}"
    );
    fs::write(
        &input,
        "{\"id\":1,\"text\":\"a\"}\n{\"id\":1,\"text\":\"b\"}\n",
    )
    .unwrap();
    assert!(
        enrol(&config(&input), UNOBSERVED)
            .unwrap_err()
            .to_string()
            .contains("already used")
    );
}

#[test]
fn pairs_and_decisions_are_read_back() {
    let folder = TempDir::new().unwrap();
    let (input, file) = (
        folder.path().join("in.jsonl"),
        folder.path().join("file.jsonl.zst"),
    );
    fs::write(&input, LABELLED).unwrap();
    let roll = enrol(&config(&input), UNOBSERVED).unwrap();
    let outputs = Outputs {
        decisions: Some(file.clone()),
        ..Outputs::default()
    };
    dedup(&config(&input), &outputs, UNOBSERVED).unwrap();
    assert_eq!(
        read_decisions(&file, &roll, folder.path()).unwrap(),
        [0, 1, 0, 3, 4, 5]
    );
    let write =
        |lines: &str| fs::write(&file, zstd::encode_all(lines.as_bytes(), 1).unwrap()).unwrap();
    let read = |measure| read_pairs(&file, &roll, measure, folder.path());
    write(
        "{\"a\":2,\"b\":1,\"x\":[]}\n\n{\"b\":3,\"a\":\"\\u00e9\",\"jaccard\":0.5}\n{\"a\":3,\"b\":\"é\",\"similarity\":0.75}\n",
    );
    let pair = |a, b, similarity| SimilarPair { a, b, similarity };
    assert_eq!(
        read(Measure::Resemblance).unwrap(),
        [pair(0, 5, Some(0.75)), pair(1, 4, None)]
    );
    write("{\"a\":1,\"b\":2,\"resemblance\":0.1,\"containment_ab\":0.25,\"containment_ba\":0.5}\n");
    assert_eq!(read(Measure::Resemblance).unwrap(), [pair(1, 4, Some(0.1))]);
    assert_eq!(read(Measure::Containment).unwrap(), [pair(1, 4, Some(0.5))]);
    write("{\"id\":1,\"representative\":null}\n");
    let refused = read_decisions(&file, &roll, folder.path())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("does not have a decision for each document"),
        "{refused}"
    );
}

#[test]
fn the_truth_of_a_sample_agrees_with_all_pairs() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("pairs.jsonl");
    for measure in [Measure::Resemblance, Measure::Containment] {
        let input = testdata("zh_tang.jsonl.zst");
        let method = Config {
            measure,
            threshold: 0.5,
            candidates: Candidates::All,
            ..Config::default()
        };
        let config = RunConfig {
            method,
            ..config(&input)
        };
        pairs(&config, Some(&file), UNOBSERVED).unwrap();
        let all = sample_truth(&config, u32::MAX, 0.5, UNOBSERVED).unwrap();
        assert_eq!(all.sample.len() as u32, all.roll.documents());
        assert_eq!(
            all.pairs,
            read_pairs(&file, &all.roll, measure, folder.path()).unwrap(),
            "{measure:?}"
        );
        assert!(all.pairs.len() > 1000, "{}", all.pairs.len());
        let some = sample_truth(
            &RunConfig {
                threads: 1,
                ..config.clone()
            },
            100,
            0.5,
            UNOBSERVED,
        )
        .unwrap();
        let sampled = |document| some.sample.binary_search(&document).is_ok();
        let expected: Vec<_> = all
            .pairs
            .into_iter()
            .filter(|pair| sampled(pair.a) || sampled(pair.b))
            .collect();
        assert_eq!(some.pairs, expected, "{measure:?}");
        assert_eq!(
            some.pairs,
            sample_truth(
                &RunConfig {
                    threads: 3,
                    ..config
                },
                100,
                0.5,
                UNOBSERVED
            )
            .unwrap()
            .pairs
        );
    }
}
