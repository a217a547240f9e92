//! Looks at scores, clusters and records that cannot match.

use insta::assert_snapshot;
use serde_json::Value;

use crate::{
    Place,
    link_learned::{CONFIG, people},
};

pub const POINTS: &str = "match = 0.9\npossible = 0.5\n[[field]]\nname = \"name\"\ntype = \"name\"\n[[field]]\nname = \"town\"\ntype = \"exact\"\n";

/// Two clusters: one of three records that hang together by a weak link, and one of two.
const RECORDS: &str = "\
    {\"id\":1,\"name\":\"Elizabeth Miller\",\"town\":\"Kiel\"}\n\
    {\"id\":2,\"name\":\"Elizabeth Miller\",\"town\":\"Kiel\"}\n\
    {\"id\":\"3\",\"name\":\"Elisabeth Miler\",\"town\":\"Kiel\"}\n\
    {\"id\":4,\"name\":\"Bob Ray\",\"town\":\"Ulm\"}\n\
    {\"id\":5,\"name\":\"Bob Ray\",\"town\":\"Ulm\"}\n\
    {\"id\":6,\"name\":\"\",\"town\":\"\"}\n";

pub fn summary(place: &Place, line: &str) -> Value {
    let ran = place.run(&format!("link {line} --json"));
    serde_json::from_str(&ran.err).unwrap_or_else(|_| panic!("{line}: {}", ran.err))
}

#[test]
fn details_show_scores_clusters_and_records_that_cannot_match() {
    let place = Place::new();
    place
        .write("people.jsonl", RECORDS)
        .write("link.toml", POINTS);
    let ran = place.run("link people.jsonl --config link.toml --details -o pairs.jsonl");
    assert_snapshot!(ran.err, @r#"
    4 matches and 0 possible ones among 6 records
    4 of 15 possible pairs scored (26.67 %)
    2 clusters of 5 records
    1 record (16.67 %) cannot match: too few values

    block                                     candidates
    name                                               2
    town                                               2

    score from       pairs
    0.96                 2  ########################################
    0.98                 0
    1.00                 2  ########################################

    clusters by size: 1 of 2, 1 of 3
    largest clusters     records  weakest link
    1                          3  0.9776: 1 and "3"
    4                          2  1.0000: 4 and 5

    cannot match          score with itself  fields with a value
    6                                     -  none
    "#);
    let found = summary(&place, "people.jsonl --config link.toml -o pairs.jsonl");
    assert_eq!(
        found["cluster_sizes"],
        serde_json::json!([{"size": 2, "clusters": 1}, {"size": 3, "clusters": 1}])
    );
    let largest = &found["largest_clusters"][0];
    assert_eq!((&largest["id"], &largest["size"]), (&1.into(), &3.into()));
    // Without the match of 1 and 3, that of 2 and 3 with the same score would still be there: the first of the two is the one that joins.
    assert_eq!(
        (
            &largest["weakest"]["a"]["id"],
            &largest["weakest"]["b"]["id"]
        ),
        (&1.into(), &"3".into())
    );
    assert!(
        largest["weakest"]["score"].as_f64().unwrap() < 1.0,
        "{largest}"
    );
    assert_eq!(
        found["unlinkable"]["examples"],
        serde_json::json!([{"id": 6, "score": null, "fields": []}])
    );
}

#[test]
fn a_record_with_few_values_cannot_reach_a_learned_threshold() {
    let place = Place::new();
    let with = people(600)
        + "{\"id\":\"few\",\"given\":\"Anna\",\"who\":9999}\n{\"id\":\"none\",\"who\":9998}\n";
    place.write("people.jsonl", with).write("link.toml", CONFIG);
    let found = summary(&place, "people.jsonl --config link.toml -o pairs.jsonl");
    let unlinkable = &found["unlinkable"];
    assert_eq!(unlinkable["records"], 2, "{unlinkable}");
    assert_eq!(
        (
            &unlinkable["examples"][0]["id"],
            &unlinkable["examples"][0]["fields"]
        ),
        (&"few".into(), &serde_json::json!(["given"]))
    );
    let text = place
        .run("link people.jsonl --config link.toml --label who --details -o pairs.jsonl")
        .err;
    for part in [
        "2 records (0.25 %) cannot match: too few values\n",
        "bits from        pairs  labelled as matches\n",
        "clusters by size: 201 of 2\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn greedy_clusters_hang_together_by_their_first_record() {
    let place = Place::new();
    place
        .write("people.jsonl", RECORDS)
        .write("more.jsonl", RECORDS)
        .write("link.toml", format!("clusters = \"greedy\"\n{POINTS}"));
    let found = summary(
        &place,
        "people.jsonl more.jsonl --config link.toml -o pairs.jsonl",
    );
    let weakest = &found["largest_clusters"][0]["weakest"];
    assert_eq!(
        (&weakest["a"]["of"], &weakest["b"]["of"]),
        (&"a".into(), &"b".into()),
        "{found}"
    );
}
