use super::*;

#[test]
fn splits_in_a_table() {
    for (path, split) in [
        (
            "train-00000-of-00002.parquet",
            Some(("train", "train*.parquet")),
        ),
        (
            "data/test-00000-of-00001.parquet",
            Some(("test", "data/test*.parquet")),
        ),
        (
            "data/train_sft-00000-of-00003-abcd.parquet",
            Some(("train", "data/train*.parquet")),
        ),
        (
            "en/c4-validation.00000-of-00008.json.gz",
            Some(("validation", "en/c4-validation*.gz")),
        ),
        ("train.jsonl", Some(("train", "train*.jsonl"))),
        ("dev/a.jsonl", Some(("validation", "dev"))),
        (
            "x/my_Training_set/test.csv",
            Some(("train", "x/my_Training_set")),
        ),
        ("eval2.jsonl", Some(("test", "eval*.jsonl"))),
        ("TEST", Some(("test", "TEST"))),
        ("latest.jsonl", None),
        ("trained.jsonl", None),
        ("contest/protest.csv", None),
        ("values-device.parquet", None),
        ("éval.jsonl", None),
        ("", None),
    ] {
        let found = split_of(path);
        let found = found.map(|(split, like)| {
            (
                SPLITS[split].0,
                Folder {
                    name: "d",
                    all: vec![path],
                }
                .named(&like),
            )
        });
        assert_eq!(
            found,
            split.map(|(split, like)| (split, format!("d/{like}"))),
            "{path}"
        );
    }
}

#[test]
fn several_splits_are_refused_but_one_is_accepted() {
    let refused = |paths: &[&str]| {
        refuse_several("d/", paths.iter().copied())
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(
        refused(&["train.jsonl", "more.jsonl", "train2.jsonl"]),
        None
    );
    assert_eq!(refused(&["a.jsonl", "b.jsonl"]), None);
    let reported = refused(&[
        "test-0.parquet",
        "train-0.parquet",
        "train-1.parquet",
        "validation-0.parquet",
    ])
    .unwrap();
    assert!(
        reported.starts_with("d/: contains several splits of a dataset, train (2 files), validation (1 file), test (1 file); "),
        "{reported}"
    );
    let reported = refused(&["test/a.jsonl", "train/a.jsonl"]).unwrap();
    assert!(
        reported.contains("name 'd/train' as the input and 'd/test' with against"),
        "{reported}"
    );
    for (paths, names) in [
        (
            &["en/test/a.jsonl", "en/train/a.jsonl", "de/train/b.jsonl"][..],
            "name 'd/*/train/*.jsonl' as the input and 'd/en/test' with",
        ),
        (
            &["en/test.csv", "en/train-0.csv", "de/train-1.csv"],
            "name 'd/*/train*.csv' as the input and 'd/en/test*.csv' with",
        ),
        (
            &["en/train/x/a.csv", "de/train/b.csv", "de/test/b.csv"],
            "name 'd/*/train/**/*.csv' as the input and 'd/de/test' with",
        ),
        (
            &[
                "en/train.csv",
                "train/a.csv",
                "de/x/train.csv",
                "dev.csv",
                "x/train",
            ],
            "name 'd/de/x/train*.csv' 'd/en/train*.csv' 'd/train' 'd/x/train' as",
        ),
        // The documents of train are compared with two other splits.
        (
            &["train.csv", "dev.csv", "test-0.csv", "test-1.csv"],
            "documents of train that are similar to validation or test, name 'd/train*.csv' as the input and 'd/dev*.csv' 'd/test*.csv' with",
        ),
        // The glob `train*.csv` covers the glob `training*.csv`.
        (
            &["train.csv", "training.csv", "train/a.csv", "test.csv"],
            "name 'd/train' 'd/train*.csv' as",
        ),
        // The glob `train*.csv` would also match `trainer.csv`, which belongs to no split.
        (
            &["train_data.csv", "train2.csv", "trainer.csv", "test.csv"],
            "name 'd/train2.csv' 'd/train_data.csv' as the input and 'd/test*.csv' with",
        ),
        (
            &[
                "en/train/a.csv",
                "de/train/b.csv",
                "train/train/c.csv",
                "test.csv",
            ],
            "name 'd/de/train' 'd/en/train' 'd/train' as",
        ),
        // The names contain special characters of globs and shells.
        (
            &["a[1]/train.csv", "it's/test.csv"],
            r"name 'd/a[[]1[]]/train*.csv' as the input and 'd/it'\''s/test*.csv' with",
        ),
        (
            &["a[1]/train/a.csv", "b*/test/a.csv"],
            "name 'd/a[1]/train' as the input and 'd/b*/test' with",
        ),
        (
            &[
                "train/0",
                "test1a.csv",
                "test1b.csv",
                "test2.csv",
                "test3.csv",
                "test4.csv",
                "test5.csv",
                "test6.csv",
                "tests.csv",
            ],
            "'d/test5.csv' and 1 more with",
        ),
    ] {
        let reported = refused(paths).unwrap();
        assert!(reported.contains(names), "{reported}");
    }
}

#[test]
fn object_names_like_globs_are_escaped_in_advice() {
    let reported = refuse_several(
        "s3://b/d/",
        ["a[1]/train/a.csv", "b/test/a.csv"].into_iter(),
    )
    .unwrap_err()
    .to_string();
    assert!(
        reported.contains(
            "name 's3://b/d/a[[]1[]]/train/**/*' as the input and 's3://b/d/b/test' with"
        ),
        "{reported}"
    );
}

#[test]
fn splits_are_recognised_by_whole_names_only() {
    let refused = |paths: &[&str]| {
        refuse_several_of_documents("d", paths.iter().copied())
            .err()
            .map(|error| error.to_string())
    };
    for paths in [
        &["train/pos/1.txt", "train/neg/2.txt", "train/neg/3.txt"][..],
        &["test-report.txt", "train-timetable.txt"],
        // The folders belong to a project, not to a data set.
        &["dev/README.md", "test/README.md"],
        &["contest/1.txt", "trains/1.txt"],
        &["train.md", "test.md", "install.md"],
        &["train/1.txt", "test/1.txt", "sub/README.md"],
    ] {
        assert_eq!(refused(paths), None);
    }
    let reported = refused(&["train/pos/1.txt", "train/neg/2.txt", "Test/1.txt"]).unwrap();
    assert!(
        reported.contains("train (2 files), test (1 file)")
            && reported.contains("name 'd/train' as the input and 'd/Test' with"),
        "{reported}"
    );
    assert!(refused(&["imdbEr.txt", "train/pos/1.txt", "test/neg/2.txt"]).is_some());
    let reported = refused(&["README.md", "LICENSE-MIT.txt", "x/train.txt", "x/test.txt"]).unwrap();
    assert!(
        reported.contains("name 'd/x/train.txt' as the input and 'd/x/test.txt' with"),
        "{reported}"
    );
}
