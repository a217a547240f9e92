//! Says what linking records would take.

use std::fmt::Write;

use serde_json::Value;

use crate::{
    Place,
    link_learned::{CONFIG, people},
    link_looking::{POINTS, summary},
};

#[test]
fn a_dry_run_counts_pairs_exactly_and_writes_nothing() {
    let place = Place::new();
    place
        .write("people.jsonl", people(600))
        .write("more.jsonl", people(100))
        .write("link.toml", CONFIG)
        .write(
            "points.toml",
            POINTS.replace("name = \"name\"", "name = \"given\""),
        );
    for (inputs, config) in [
        ("people.jsonl", "link.toml"),
        ("people.jsonl", "points.toml"),
        ("people.jsonl more.jsonl", "points.toml"),
    ] {
        let ran = place.run(&format!("link {inputs} --config {config} --dry-run --json"));
        let plan: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
        let found = summary(
            &place,
            &format!("{inputs} --config {config} -o pairs.jsonl"),
        );
        assert_eq!(
            (&plan["candidates"], &plan["is_exact"]),
            (&found["candidates"], &true.into()),
            "{inputs} {config}"
        );
        for (planned, block) in plan["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .zip(found["blocks"].as_array().unwrap())
        {
            assert_eq!(planned["candidates"], block["candidates"], "{planned}");
            assert!(
                planned["pairs"].as_u64() >= planned["candidates"].as_u64()
                    && planned["is_bound"] == false,
                "{planned}"
            );
        }
        assert!(
            plan["timed"].as_u64().unwrap() > 0 && plan["seconds"].as_f64().unwrap() > 0.0,
            "{plan}"
        );
        let again = place.run(&format!(
            "link {inputs} --config {config} --dry-run --json --threads 1"
        ));
        let same = |text: &str| {
            let mut plan: Value = serde_json::from_str(text).unwrap();
            plan["seconds"] = 0.into();
            plan
        };
        assert_eq!(same(&again.out), same(&ran.out), "only the time differs");
    }
    let before = place.names();
    let text = place.run("link people.jsonl --config link.toml --dry-run");
    assert_eq!((text.code, place.names()), (0, before));
    let line = text
        .out
        .lines()
        .find(|line| line.contains("would be scored"))
        .unwrap();
    assert!(
        line.ends_with(" possible pairs among 800 records would be scored (0.92 %)"),
        "{}",
        text.out
    );
    let ran = place.run("link people.jsonl --config link.toml --dry-run -o x.jsonl");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("--dry-run and --output cannot be combined"),
        "{}",
        ran.err
    );
}

#[test]
fn a_dry_run_says_when_its_number_is_an_upper_bound() {
    let place = Place::new();
    let mut records = String::new();
    // 4,500 records of one town are 10 million pairs; five fields with one value each are more than 50 million.
    (0..4500).for_each(|id| {
        writeln!(
            records,
            r#"{{"id":{id},"a":"x","b":"x","c":"x","d":"x","e":"x"}}"#
        )
        .unwrap()
    });
    let fields: String = ["a", "b", "c", "d", "e"]
        .iter()
        .fold(String::new(), |all, name| {
            format!("{all}[[field]]\nname = \"{name}\"\ntype = \"exact\"\n")
        });
    place
        .write("many.jsonl", records)
        .write("link.toml", &fields);
    place.write(
        "few.toml",
        fields + "[[block]]\nequal = \"a\"\nat_most = 100\n[[block]]\nsimilar = \"b\"\n",
    );
    let plan = |config: &str| -> Value {
        serde_json::from_str(
            &place
                .run(&format!(
                    "link many.jsonl --config {config} --dry-run --json"
                ))
                .out,
        )
        .unwrap()
    };
    let (bound, few) = (plan("link.toml"), plan("few.toml"));
    assert_eq!(
        (&bound["is_exact"], &bound["candidates"]),
        (&false.into(), &(5 * 4500 * 4499 / 2u64).into())
    );
    assert!(bound["blocks"][0].get("candidates").is_none(), "{bound}");
    assert_eq!(
        (
            &few["blocks"][0]["pairs"],
            &few["blocks"][0]["values_passed_over"]
        ),
        (&0.into(), &1.into())
    );
}
