//! Tests of `lookalike link`.

use std::{
    collections::BTreeSet,
    fmt::Write,
    path::{Path, PathBuf},
};

use insta::assert_snapshot;
use lookalike_applications::records::{Linker, Records, Scratch};

use crate::{Place, Ran};

/// Customers as in the example of *Mining of Massive Datasets*, section 3.8.1: name, address, phone.
const CUSTOMERS: &str = r#"{"id": 1, "name": "Mary-Ann O'Brien", "address": "12 North Station Street", "phone": "(213) 555-0100", "who": "mary"}
{"id": 2, "name": "OBrien, Mary Ann", "address": "12 N. Station St.", "phone": "+1 213 555 0101", "who": "mary"}
{"id": 3, "name": "Jon Smyth", "address": "7 Mill Lane", "phone": "310 555 7788", "who": "jon"}
{"id": 4, "name": "John Smith", "address": "7 Mill Ln", "phone": null, "who": "jon"}
{"id": 5, "name": "Ann Lee", "address": "7 Mill Lane", "phone": "310-555-4242", "who": "ann"}
{"id": "6", "name": "Nobody else", "address": "", "phone": 2125559999}
"#;

const CONFIG: &str = r#"match = 0.85
possible = 0.6

[[field]]
name = "name"
type = "name"

[[field]]
name = "address"
type = "address"

[[field]]
name = "phone"
type = "phone"
"#;

#[test]
fn customers_are_linked_and_judged() {
    let place = Place::new();
    place
        .write("customers.jsonl", CUSTOMERS)
        .write("link.toml", CONFIG);
    assert_snapshot!(place.run("link customers.jsonl --config link.toml --label who --clusters clusters.jsonl").shown(), @r#"
    exit 0
    --- stdout
    {"a":1,"b":2,"score":0.9333,"verdict":"match","points":{"name":100.0,"address":100.0,"phone":80.0}}
    {"a":3,"b":4,"score":0.9585,"verdict":"match","points":{"name":91.7,"address":100.0,"phone":null}}
    {"a":4,"b":5,"score":0.7476,"verdict":"possible","points":{"name":49.52,"address":100.0,"phone":null}}
    --- stderr
    2 matches and 1 possible one among 6 records
    4 of 15 possible pairs scored (26.67 %)
    2 clusters of 4 records

    block                                     candidates
    name                                               0
    address                                            4
    phone                                              0

    of 2 true pairs         precision  recall      F1
    matches                    1.0000  1.0000  1.0000
    pairs within clusters      1.0000  1.0000  1.0000
    2 of the true pairs are candidates (1.0000), and 0 are possible matches

    match       pairs  precision  recall      F1  by labels
    0.5             4     0.5000  1.0000  0.6667
    0.55            3     0.6667  1.0000  0.8000
    0.75            2     1.0000  1.0000  1.0000
    0.85            2     1.0000  1.0000  1.0000  now, highest F1
    0.95            1     1.0000  0.5000  0.6667
    1               0          -  0.0000  0.0000
    "#);
    assert_snapshot!(place.read("clusters.jsonl"), @r#"
    {"id":1,"representative":1,"size":2}
    {"id":2,"representative":1,"size":2}
    {"id":3,"representative":3,"size":2}
    {"id":4,"representative":3,"size":2}
    {"id":5,"representative":5,"size":1}
    {"id":"6","representative":"6","size":1}
    "#);
    assert_snapshot!(place.run("link customers.jsonl --config link.toml --explain 3 4").shown(), @"
    exit 0
    --- stdout
    field    3           4           alike   points
    name     jon smyth   john smith  0.917   91.70 of 100
    address  7 mill ln   7 mill ln   1.000   100.00 of 100
    phone    3105557788                  -   left out

    191.70 of 200 points, score 0.9585: a match
    candidates by address
    --- stderr
    ");
    assert_snapshot!(place.run("link customers.jsonl --config link.toml --explain 1 6").shown(), @r#"
    exit 1
    --- stdout
    field    1                "6"          alike   points
    name     mary ann obrien  nobody else  0.463   46.26 of 100
    address  12 n stn st                       -   left out
    phone    2135550100       2125559999   0.000   0.00 of 100

    46.26 of 200 points, score 0.2313: not a match
    not candidates: they share nothing that a block requires, so they are not scored
    --- stderr
    "#);
    let ran =
        place.run("link customers.jsonl --config link.toml --matches-only --one-to-one --json");
    assert_snapshot!(ran.shown().replace(env!("CARGO_PKG_VERSION"), "VERSION"), @r#"
    exit 0
    --- stdout
    {"a":1,"b":2,"score":0.9333,"verdict":"match","points":{"name":100.0,"address":100.0,"phone":80.0}}
    {"a":3,"b":4,"score":0.9585,"verdict":"match","points":{"name":91.7,"address":100.0,"phone":null}}
    --- stderr
    {
      "schema": 1,
      "version": "VERSION",
      "command": "link",
      "inputs": [
        {
          "role": "a",
          "name": "customers.jsonl"
        },
        {
          "role": "config",
          "name": "link.toml"
        }
      ],
      "outputs": [
        {
          "role": "pairs",
          "name": "-"
        }
      ],
      "records": 6,
      "one_to_one": true,
      "possible_pairs": 15,
      "candidates": 4,
      "matches": 2,
      "possible": 0,
      "written": 2,
      "clusters": 2,
      "clustered": 4,
      "cluster_sizes": [
        {
          "size": 2,
          "clusters": 2
        }
      ],
      "largest_clusters": [
        {
          "id": 1,
          "size": 2,
          "weakest": {
            "a": {
              "id": 1
            },
            "b": {
              "id": 2
            },
            "score": 0.9333
          }
        },
        {
          "id": 3,
          "size": 2,
          "weakest": {
            "a": {
              "id": 3
            },
            "b": {
              "id": 4
            },
            "score": 0.9585
          }
        }
      ],
      "unlinkable": {
        "records": 0,
        "share": 0.0,
        "examples": []
      },
      "blocks": [
        {
          "block": "name",
          "candidates": 0
        },
        {
          "block": "address",
          "candidates": 4
        },
        {
          "block": "phone",
          "candidates": 0
        }
      ],
      "scores": {
        "scale": "points",
        "from": 0.92,
        "step": 0.02,
        "pairs": [
          1,
          1
        ]
      },
      "above_memory": 0
    }
    "#);
}

/// With two collections, only pairs across them are compared, and the same id may occur in both. CSV, arrays and compressed lines
/// are valid inputs too.
#[test]
fn two_collections_of_several_formats() {
    let place = Place::new();
    place.write("a.jsonl", CUSTOMERS).write(
        "b.csv",
        "id;who;full name;street;phone\r\n1;ann;Lee Ann;Mill Lane 7;3105554242\r\n2;mary;\"O'Brien; Mary Ann\";12 N Station St;2135550100\r\n",
    );
    let with = |of_name: &str, of_address: &str| {
        let config = CONFIG.replace(
            "type = \"name\"",
            &format!("type = \"name\"\nfrom = {of_name}"),
        );
        config.replace(
            "type = \"address\"",
            &format!("type = \"address\"\nfrom = {of_address}"),
        )
    };
    // A field may have different names in the two collections. The configuration is refused if one of these names occurs in
    // neither collection, or if a collection has none of these names.
    for (of_name, of_address, part) in [
        (
            "\"full name\"",
            "\"street\"",
            "a.jsonl: no record has \"full name\"",
        ),
        (
            "[\"name\", \"full name\"]",
            "[\"address\", \"road\"]",
            "b.csv: no record has \"address\" or \"road\"",
        ),
        (
            "[\"name\", \"full name\", \"nom\"]",
            "[\"address\", \"street\"]",
            "a.jsonl, b.csv: no record has \"nom\"",
        ),
    ] {
        place.write("link.toml", with(of_name, of_address));
        let ran = place.run("link a.jsonl b.csv --config link.toml");
        assert!(
            ran.code == 2 && ran.err.contains(part),
            "{part}: {}",
            ran.err
        );
    }
    place.write(
        "link.toml",
        format!(
            "one_to_one = false\n{}",
            with("[\"name\", \"full name\"]", "[\"address\", \"street\"]")
        ),
    );
    assert_snapshot!(place.run("link a.jsonl b.csv --config link.toml --label who --clusters clusters.jsonl").shown(), @r#"
    exit 0
    --- stdout
    {"a":1,"b":"2","score":1.0,"verdict":"match","points":{"name":100.0,"address":100.0,"phone":100.0}}
    {"a":2,"b":"2","score":0.9333,"verdict":"match","points":{"name":100.0,"address":100.0,"phone":80.0}}
    {"a":5,"b":"1","score":1.0,"verdict":"match","points":{"name":100.0,"address":100.0,"phone":100.0}}
    --- stderr
    3 matches and 0 possible ones among 6 and 2 records
    3 of 12 possible pairs scored (25.00 %)
    2 clusters of 5 records
    a record can be in several pairs

    block                                     candidates
    name                                               1
    address                                            1
    phone                                              1

    of 3 true pairs         precision  recall      F1
    matches                    1.0000  1.0000  1.0000
    pairs within clusters      1.0000  1.0000  1.0000
    3 of the true pairs are candidates (1.0000), and 0 are possible matches

    match       pairs  precision  recall      F1  by labels
    0.85            3     1.0000  1.0000  1.0000  now, highest F1
    0.95            2     1.0000  0.6667  0.8000
    "#);
    assert_eq!(place.read("clusters.jsonl").lines().count(), 8);
    assert_snapshot!(place.read("clusters.jsonl").lines().nth(6).unwrap(), @r#"{"id":"1","of":"b","representative":5,"representative_of":"a","size":2}"#);
    let plain = place.run("link a.jsonl b.csv --config link.toml -q").out;
    let array = format!("[{}]", CUSTOMERS.trim_end().replace('\n', ","));
    place.write("a.json", array).write(
        "true.jsonl",
        "{\"a\":5,\"b\":\"1\"}\n{\"a\":\"2\",\"b\":1}\n",
    );
    place.write(
        "a.jsonl.zst",
        zstd::encode_all(CUSTOMERS.as_bytes(), 3).unwrap(),
    );
    for a in ["a.json", "a.jsonl.zst"] {
        assert_eq!(
            place
                .run(&format!("link {a} b.csv --config link.toml -q"))
                .out,
            plain,
            "{a}"
        );
    }
    let ran = place
        .run("link a.json b.csv --config link.toml --json -o pairs.jsonl.gz --truth true.jsonl");
    let summary: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(
        (
            &summary["records"],
            &summary["possible_pairs"],
            &summary["judged"]["truth"]
        ),
        (&8.into(), &12.into(), &2.into())
    );
    assert_eq!(
        place
            .names()
            .iter()
            .filter(|name| name.starts_with("pairs"))
            .collect::<Vec<_>>(),
        ["pairs.jsonl.gz"]
    );
}

/// Values that all differ a little become candidates because they share runs of characters. Fields may be nested in other fields,
/// and values that are too common may be skipped.
#[test]
fn runs_of_characters_paths_and_common_values() {
    let place = Place::new();
    let mut lines = String::new();
    for (id, (title, city)) in [
        ("Cryptographic primitives", "Rome"),
        ("Cryptografic primitives", "Paris"),
        ("Boosting margins", "Rome"),
        ("Else", "Rome"),
    ]
    .into_iter()
    .enumerate()
    {
        writeln!(
            lines,
            "{{\"id\":{id},\"fields\":{{\"title\":\"{title}\",\"city\":\"{city}\"}}}}"
        )
        .unwrap();
    }
    place.write("papers.jsonl", lines).write(
        "link.toml",
        "possible = 0.5\n[[field]]\nname=\"title\"\nfrom=\"fields.title\"\ntype=\"text\"\nweight=300\n\
         [[field]]\nname=\"city\"\nfrom=\"fields.city\"\ntype=\"exact\"\n\
         [[block]]\nequal=[\"city\"]\nat_most=2\n[[block]]\nsimilar=\"title\"\nthreshold=0.5\n",
    );
    assert_snapshot!(place.run("link papers.jsonl --config link.toml").shown(), @r#"
    exit 0
    --- stdout
    {"a":0,"b":1,"score":0.7021,"verdict":"possible","points":{"title":280.85,"city":0.0}}
    --- stderr
    0 matches and 1 possible one among 4 records
    1 of 6 possible pairs scored (16.67 %)
    0 clusters of 0 records

    block                                     candidates
    city                                               0; ignored: 1 value with too many records (3 pairs)
    title ~ 0.5                                        1
    "#);
    let config = place
        .read("link.toml")
        .replace("threshold=0.5", "threshold=0.5\nat_most=2");
    place.write("link.toml", config);
    let same = "{\"id\":4,\"fields\":{\"title\":\"Else\",\"city\":\"Oslo\"}}\n{\"id\":5,\"fields\":{\"title\":\"Else\"}}\n";
    place.write("papers.jsonl", place.read("papers.jsonl") + same);
    // Three records have the same title, so they share a bucket in every band, and are counted in each of these buckets.
    let ran = place.run("link papers.jsonl --config link.toml");
    assert!(
        ran.err.contains(" buckets with too many records (at most "),
        "{}",
        ran.err
    );
    let ran = place.run("link papers.jsonl --config link.toml --explain 0 1");
    assert!(
        ran.out
            .contains("candidates by title ~ 0.5, unless more than 2 records share it\n"),
        "{}",
        ran.out
    );
    let ran = place.run("link papers.jsonl --config link.toml --explain 3 4 --json");
    assert_snapshot!(ran.out.replace(env!("CARGO_PKG_VERSION"), "VERSION"), @r#"
    {
      "schema": 1,
      "version": "VERSION",
      "command": "link",
      "inputs": [
        {
          "role": "a",
          "name": "papers.jsonl"
        },
        {
          "role": "config",
          "name": "link.toml"
        }
      ],
      "outputs": [],
      "a": 3,
      "b": 4,
      "fields": [
        {
          "field": "title",
          "a": "else",
          "b": "else",
          "similarity": 1.0,
          "points": 300.0,
          "weight": 300.0
        },
        {
          "field": "city",
          "a": "rome",
          "b": "oslo",
          "similarity": 0.0,
          "points": 0.0,
          "weight": 100.0
        }
      ],
      "points": 300.0,
      "of": 400.0,
      "score": 0.75,
      "verdict": "possible",
      "blocks": [
        {
          "block": "city",
          "joins": false,
          "at_most": 2
        },
        {
          "block": "title ~ 0.5",
          "joins": true,
          "at_most": 2
        }
      ]
    }
    "#);
}

/// An empty CSV cell is neither a label nor an id, and a value that is text in CSV may be a number elsewhere.
#[test]
fn labels_and_true_pairs_of_csv() {
    let place = Place::new();
    place
        .write("a.csv", "id,name,who\n1,Ann Lee,7\n2,Ann Lee,\n3,Bob Ray,\n")
        .write("b.jsonl", "{\"id\":1,\"name\":\"Ann Lee\",\"who\":7}\n{\"id\":\"-2\",\"name\":\"Bob Ray\",\"who\":\"\"}\n")
        .write("none.csv", "id,name,who\n1,Ann Lee,\n")
        .write("repeated.csv", "id,name\n,Ann Lee\n,Ann Lee\n")
        .write("true.jsonl", "{\"a\":1,\"b\":\"1\"}\n{\"a\":-2,\"b\":3}\n")
        .write("within.jsonl", "{\"a\":1,\"b\":2}\n")
        .write("itself.jsonl", "{\"a\":1,\"b\":\"1\"}\n")
        .write("link.toml", "[[field]]\nname = \"name\"\ntype = \"name\"\n");
    let judged = |line: &str| {
        let ran = place.run(&format!(
            "link {line} --config link.toml --json -o pairs.jsonl"
        ));
        let summary: serde_json::Value =
            serde_json::from_str(&ran.err).unwrap_or_else(|_| panic!("{line}: {}", ran.err));
        (
            summary["judged"]["truth"].as_u64().unwrap(),
            summary["judged"]["right"].as_u64().unwrap(),
            summary["matches"].as_u64().unwrap(),
        )
    };
    assert_eq!(
        judged("a.csv --label who"),
        (0, 0, 1),
        "empty labels are none"
    );
    assert_eq!(judged("a.csv b.jsonl --label who"), (1, 1, 3));
    assert_eq!(judged("a.csv b.jsonl --truth true.jsonl"), (2, 2, 3));
    assert_eq!(judged("a.csv --truth within.jsonl"), (1, 1, 1));
    for (line, part) in [
        (
            "none.csv b.jsonl --label who",
            "none.csv: --label who: this field is missing or empty in all records",
        ),
        (
            "b.jsonl none.csv --label who",
            "none.csv: --label who: this field is missing or empty in all records",
        ),
        (
            "a.csv --truth itself.jsonl",
            "itself.jsonl:1: the pair has 1 twice",
        ),
    ] {
        let ran = place.run(&format!("link {line} --config link.toml"));
        assert!(
            ran.code == 2 && ran.err.contains(part),
            "{line}: {}",
            ran.err
        );
    }
    let out = place.run("link repeated.csv --config link.toml -q").out;
    assert!(
        out.starts_with("{\"a\":\"repeated.csv:2\",\"b\":\"repeated.csv:3\""),
        "{out}"
    );
    // An id may look like a flag.
    let ran = place.run("link a.csv b.jsonl --config link.toml --explain 3 -2");
    assert!(
        ran.code == 0 && ran.out.contains("points, score 1: a match"),
        "{} {}",
        ran.out,
        ran.err
    );
}

/// Deeply nested records do not harm a run or a message.
#[test]
fn records_of_any_depth() {
    let place = Place::new();
    let deep = "{\"x\":".repeat(10_000) + "1" + &"}".repeat(10_000);
    place.write(
        "r.jsonl",
        format!("{{\"a\":{deep},\"name\":\"Ann\"}}\n{{\"name\":\"Ann\"}}\n"),
    );
    place.write("link.toml", "[[field]]\nname = \"name\"\ntype = \"name\"\n");
    assert_eq!(
        place
            .run("link r.jsonl --config link.toml")
            .out
            .lines()
            .count(),
        1
    );
    place.write("link.toml", "[[field]]\nname = \"nom\"\ntype = \"name\"\n");
    let ran = place.run("link r.jsonl --config link.toml");
    assert!(
        ran.code == 2
            && ran
                .err
                .contains("the first record has \"a.x.x.x.x.x.x.x\", \"name\"; set `from` to the field's name in the records"),
        "{}",
        ran.err
    );
}

/// Uses the method of *Mining of Massive Datasets*, section 3.8.1: each of three fields gives up to 100 points, and a fourth
/// field, which is not compared, is used for the estimate. In the fourth field, the two values of a pair with the maximum number
/// of points are closer to each other, on average, than those of other pairs.
#[test]
fn points_are_summed_and_an_unused_field_estimates_the_share_of_correct_pairs() {
    let place = Place::new();
    place
        .write("customers.jsonl", CUSTOMERS)
        .write("link.toml", CONFIG);
    let explained = place
        .run("link customers.jsonl --config link.toml --explain 1 2")
        .out;
    assert!(
        explained.contains("\n280.00 of 300 points, score 0.9333: a match\n"),
        "{explained}"
    );
    let json: serde_json::Value = serde_json::from_str(
        &place
            .run("link customers.jsonl --config link.toml --explain 1 2 --json")
            .out,
    )
    .unwrap();
    assert_eq!(
        (&json["points"], &json["of"]),
        (&280.0.into(), &300.0.into())
    );
    // There are 60 pairs. In 30 of these pairs, both records have the same name, and the pair is right. In the other 30 pairs,
    // the names differ; in half of these pairs, the second record has an unrelated date, like a record of a different customer.
    let mut lines = String::new();
    for customer in 0..60i64 {
        let (phone, day) = (5_550_000 + customer, 1 + customer * 37 % 300);
        let other = if customer % 4 == 1 {
            1 + customer * 101 % 300
        } else {
            day + 10
        };
        let name = if customer % 2 == 0 {
            "ann smith"
        } else {
            "ann smyth"
        };
        for (name, day) in [("ann smith", day), (name, other)] {
            let date = format!("1998-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
            let address = format!("{customer} high street");
            let record = serde_json::json!({"name": name, "address": address, "phone": phone.to_string(), "since": date});
            writeln!(lines, "{record}").unwrap();
        }
    }
    place.write("sales.jsonl", lines).write(
        "sales.toml",
        CONFIG.to_owned() + "[[block]]\nequal = [\"phone\"]\n",
    );
    assert_snapshot!(place.run("link sales.jsonl --config sales.toml --right-by since -o pairs.jsonl").shown(), @"
    exit 0
    --- stdout
    --- stderr
    60 matches and 0 possible ones among 120 records
    60 of 7,140 possible pairs scored (0.84 %)
    60 clusters of 120 records

    block                                     candidates
    phone                                             60

    right pairs, estimated from since: the average distance is 10.80 for pairs with all points, 110.47 for all possible pairs
    score                pairs       apart     right, about
    all points              30       10.80          100.0 %
    0.95 to 1.00            30       53.70           57.0 %
    all matches             60       32.25           78.5 %
    ");
    // If the two values of a pair are farther apart than those of random pairs, the estimated share of right pairs is 0, not
    // negative.
    let record = |name: &str, phone: u32, day: u32| {
        format!(
            "{{\"name\":\"{name}\",\"phone\":\"{phone}\",\"address\":\"1 high street\",\"since\":{day}}}\n"
        )
    };
    let near: String = (0..20)
        .flat_map(|n| [(n, n * 10), (n, n * 10 + 1)])
        .map(|(n, day)| record("ann smith", 5_550_000 + n, day))
        .collect();
    let far = [
        record("ann smith", 5_559_999, 0),
        record("ann smyth", 5_559_999, 9_000),
    ]
    .concat();
    place.write("far.jsonl", near + &far);
    let summary = place
        .run("link far.jsonl --config sales.toml --right-by since --json -o far.out")
        .err;
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let scores = summary["right"]["scores"].as_array().unwrap();
    let shares: Vec<f64> = scores
        .iter()
        .chain([&summary["right"]["matches"]])
        .filter_map(|share| share["right"].as_f64())
        .collect();
    assert!(
        shares.len() >= 3
            && shares.contains(&0.0)
            && shares.iter().all(|share| (0.0..=1.0).contains(share)),
        "{summary}"
    );
    for (flag, expected) in [
        (
            "--right-by name",
            "--right-by name: the field \"name\" already compares it; name a field that the score does not use",
        ),
        (
            "--right-by born",
            "--right-by born: no record has a date or a number in this field; name a field that has one",
        ),
    ] {
        let ran = place.run(&format!("link sales.jsonl --config sales.toml {flag}"));
        assert!(ran.code == 2 && ran.err.contains(expected), "{}", ran.err);
    }
}

#[test]
fn threads_change_nothing_and_one_to_one_is_a_matching() {
    let place = Place::new();
    let mut lines = String::new();
    for i in 0..3000u32 {
        let mix = i.wrapping_mul(2_654_435_761) >> 7;
        let (name, street) = (
            ["ann", "bob", "cai", "dee", "eve"][mix as usize % 5],
            mix / 5 % 40,
        );
        writeln!(
            lines,
            "{{\"name\":\"{name} {}\",\"address\":\"{street} High Street\",\"phone\":\"{}\"}}",
            mix % 97,
            5_550_000 + mix % 701
        )
        .unwrap();
    }
    let config = format!(
        "{CONFIG}[[block]]\nequal=\"phone\"\n[[block]]\nequal=[\"name\",\"address\"]\n[[block]]\nsimilar=\"name\"\nthreshold=0.9\n"
    );
    place
        .write("people.jsonl", lines)
        .write("link.toml", config);
    let run = |flags: &str| {
        place.run(&format!(
            "link people.jsonl --config link.toml --clusters clusters.jsonl {flags}"
        ))
    };
    let one = run("--threads 1");
    let clusters = place.read("clusters.jsonl");
    for flags in ["--threads 3", "--memory 64M --temp-dir ."] {
        let other = run(flags);
        assert_eq!(
            (&one.out, &one.err, one.code),
            (&other.out, &other.err, 0),
            "{flags}"
        );
        assert_eq!(clusters, place.read("clusters.jsonl"), "{flags}");
    }
    assert!(one.out.lines().count() > 1000, "{}", one.err);
    let pairs = |out: &str| -> Vec<(String, String)> {
        let of = |line: &str| {
            let pair: serde_json::Value = serde_json::from_str(line).unwrap();
            (pair["a"].to_string(), pair["b"].to_string())
        };
        out.lines().map(of).collect()
    };
    let all: BTreeSet<_> = pairs(&one.out).into_iter().collect();
    assert_eq!(all.len(), one.out.lines().count(), "each pair once");
    let matching = pairs(&run("--one-to-one").out);
    let ends: BTreeSet<&String> = matching.iter().flat_map(|(a, b)| [a, b]).collect();
    assert_eq!(ends.len(), 2 * matching.len());
    assert!(matching.iter().all(|pair| all.contains(pair)));
}

/// Compares the result of a run that uses buckets with the result of comparing all pairs one by one, with the core's function for
/// a single pair. This is done for one collection and for two.
#[test]
fn a_run_finds_the_same_pairs_as_the_naive_method() {
    let config = format!(
        "one_to_one=false\n{}[[block]]\nequal=[\"phone\"]\n[[block]]\nequal=[{{field=\"name\",take=\"first-word\"}},\"address\"]\n\
         [[block]]\nsimilar=\"name\"\nthreshold=0.6\n[[block]]\nequal=[{{field=\"name\",take=\"sound\"}}]\n",
        CONFIG.replace("0.6", "0.8")
    );
    let linker = Linker::new(toml::from_str(&config).unwrap()).unwrap();
    let (mut lines, mut records, mut scratch) = (Vec::new(), Records::new(3), Scratch::default());
    for i in 0..240u32 {
        let mix = i.wrapping_mul(2_654_435_761) >> 5;
        let first = ["anna", "ann", "hanna", "bob", "rob", "robert", "éva", ""][mix as usize % 8];
        let last = ["lee", "leigh", "smith", "smyth", "schmidt"][(mix / 8) as usize % 5];
        let raw = [
            format!("{first} {last}"),
            format!("{} Mill Lane", mix / 40 % 9),
            format!("555 {:04}", mix % 83),
        ];
        let mut values = vec![String::new(); 3];
        for (field, value) in raw.iter().enumerate() {
            linker.normalise(field, value, &mut scratch, &mut values[field]);
        }
        records.push(values.iter().map(String::as_str));
        let [name, address, phone] = raw;
        lines.push(format!(
            "{{\"id\":{i},\"name\":\"{name}\",\"address\":\"{address}\",\"phone\":\"{phone}\"}}\n"
        ));
    }
    let place = Place::new();
    place
        .write("all.jsonl", lines.concat())
        .write("a.jsonl", lines[..100].concat())
        .write("b.jsonl", lines[100..].concat());
    place.write("link.toml", &config);
    for (inputs, split) in [("all.jsonl", None), ("a.jsonl b.jsonl", Some(100))] {
        let (mut candidates, mut expected) = (0, Vec::new());
        for a in 0..240 {
            for b in a + 1..240 {
                if split.is_some_and(|split| a >= split || b < split)
                    || linker.shared_block(&records, a, b).is_none()
                {
                    continue;
                }
                candidates += 1;
                let score = linker.score(&records, a, b).unwrap();
                if score >= linker.config().least() {
                    expected.push((a, b, score));
                }
            }
        }
        let ran = place.run(&format!("link {inputs} --config link.toml --json"));
        let summary: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
        let of = |line: &str| {
            let pair: serde_json::Value = serde_json::from_str(line).unwrap();
            let id = |end: &str| pair[end].as_u64().unwrap() as u32;
            (id("a"), id("b"), pair["score"].as_f64().unwrap())
        };
        let found: Vec<(u32, u32, f64)> = ran.out.lines().map(of).collect();
        assert!(
            expected.len() > 100 && candidates > expected.len() as u64,
            "{candidates} {}",
            expected.len()
        );
        assert_eq!(
            (found, summary["candidates"].as_u64()),
            (expected, Some(candidates)),
            "{inputs}"
        );
    }
}

#[test]
fn errors_name_file_line_field_and_remedy() {
    let config = |change: fn(String) -> String| change(CONFIG.to_string());
    for (config, parts) in [
        (
            config(|c| c.replace("possible", "posible")),
            &["link.toml:2: unknown field `posible`", "`possible`"][..],
        ),
        (
            config(|c| c.replace("\"phone\"\ntype", "\"phone\"\nweigth = 3\ntype")),
            &["link.toml:14: unknown field `weigth`", "`weight`"],
        ),
        (
            config(|c| c.replace("type = \"phone\"", "type = \"telephone\"")),
            &["unknown variant `telephone`", "`phone`"],
        ),
        (
            config(|c| c.replace("type = \"phone\"", "")),
            &["missing field `type` of the field \"phone\"; give one of name, "],
        ),
        (
            config(|c| c.replace("type = \"phone\"", "type = \"phone\"\nfrom = []")),
            &["link.toml:15: from is an empty list"],
        ),
        (
            config(|c| c.replace("0.85", "\"high\"")),
            &["link.toml:1: invalid type: string \"high\""],
        ),
        (
            config(|c| c.replace("match = 0.85", "match = ")),
            &["link.toml:1: "],
        ),
        (
            config(|c| c.replace("0.6", "0.9")),
            &[
                "link.toml: possible = 0.9 is above match = 0.85, but a possible match has a lower score",
            ],
        ),
        (
            config(|_| "match = 0.9".into()),
            &["link.toml: there is no field to compare"],
        ),
        (
            config(|c| c + "[[block]]\nequal = [\"tel\"]\n"),
            &[
                "block 1 names the field \"tel\"",
                "\"name\", \"address\", \"phone\"",
            ],
        ),
        (
            config(|c| c + "[[block]]\nequal = [{ prefix = 2 }]\n"),
            &["missing field `field`"],
        ),
        (
            config(|c| c + "[[block]]\nequal = [3]\n"),
            &["link.toml:16: ", "a field's name, or a table"],
        ),
        (
            config(|c| c + "[[block]]\nsimilar = \"name\"\nthreshold = 7\n"),
            &["link.toml: block 1: threshold must be above 0 and at most 1, got 7"],
        ),
        (
            config(|c| c.replace("possible = 0.6", "missing = \"no\"")),
            &["link.toml:2: ", "\"skip\", or the share"],
        ),
        (
            config(|c| c.replace("name = \"phone\"", "name = \"fax\"")),
            &[
                "no record has \"fax\"",
                "\"id\", \"name\", \"address\", \"phone\"",
            ],
        ),
    ] {
        let place = Place::new();
        place
            .write("customers.jsonl", CUSTOMERS)
            .write("link.toml", &config);
        let ran = place.run("link customers.jsonl --config link.toml -o pairs.jsonl");
        assert_eq!(
            (ran.code, place.names().len()),
            (2, 2),
            "{config}: {}",
            ran.err
        );
        for part in parts {
            assert!(
                ran.err.contains(part),
                "{config}: no {part:?} in {}",
                ran.err
            );
        }
    }
    let good = "{\"id\":1,\"name\":\"a\",\"address\":\"b\",\"phone\":\"3\"}\n";
    for (line, flags, parts) in [
        ("hello", "", &["r.jsonl:2: not a JSON object"][..]),
        ("{\"id\":2", "", &["r.jsonl:2: cannot be parsed"]),
        (
            "{\"id\":2,\"name\":[\"x\"]}",
            "",
            &[
                "r.jsonl:2: field \"name\" is an array",
                "join its parts into one string first",
            ],
        ),
        (
            "{\"id\":2,\"address\":{}}",
            "",
            &["r.jsonl:2: field \"address\" is an object", "with `from`"],
        ),
        (
            "{\"id\":2,\"name\":\"\\ud800\"}",
            "",
            &["r.jsonl:2: field \"name\" has half of a character"],
        ),
        (
            "{\"id\":2,\"name\":1,\"name\":2}",
            "",
            &["r.jsonl:2: duplicate field \"name\""],
        ),
        (
            "{\"id\":[2]}",
            "",
            &["r.jsonl:2: field \"id\" is an array", "--id-field"],
        ),
        (
            "{\"id\":1}",
            "",
            &["r.jsonl:2: id 1 was already used", "--allow-repeated-ids"],
        ),
        (
            "{\"who\":{}}",
            "--label who",
            &["r.jsonl:2: field \"who\" is an object", "--label"],
        ),
        (
            "{}",
            "--label who",
            &["--label who: this field is missing or empty in all records"],
        ),
        ("{}", "-o r.jsonl", &["would overwrite the input"]),
        (
            "{}",
            "-o pairs.csv",
            &["pairs.csv: pairs are written as JSON Lines"],
        ),
        (
            "{}",
            "--clusters c.parquet",
            &["c.parquet: clusters are written as JSON Lines"],
        ),
        (
            "{}",
            "--truth t.jsonl --allow-repeated-ids",
            &["without --label and --allow-repeated-ids"],
        ),
        ("{}", "--truth t.jsonl", &["t.jsonl: no such file"]),
        (
            "{}",
            "--truth r.jsonl",
            &["r.jsonl:1: cannot be parsed: missing field `a`"],
        ),
        (
            "{}",
            "--format warc",
            &["[possible values: jsonl, json, csv, parquet, arrow]"],
        ),
        (
            "{}",
            "--format parquet",
            &["r.jsonl: is neither a Parquet file nor an Arrow IPC file or stream"],
        ),
        (
            "{}",
            "--threads 100000",
            &["error: 100000 threads are too many"],
        ),
        (
            "{}",
            "-o link.toml",
            &["link.toml: would overwrite the input link.toml"],
        ),
        (
            "{}",
            "--clusters link.toml",
            &["link.toml: would overwrite the input link.toml"],
        ),
    ] {
        let place = Place::new();
        place
            .write("r.jsonl", format!("{good}{line}\n"))
            .write("link.toml", CONFIG);
        let ran = place.run(&format!("link r.jsonl --config link.toml {flags}"));
        assert_eq!(
            (ran.code, ran.out.as_str(), place.names().len()),
            (2, "", 2),
            "{line} {flags}: {}",
            ran.err
        );
        for part in parts {
            assert!(
                ran.err.contains(part),
                "{line} {flags}: no {part:?} in {}",
                ran.err
            );
        }
    }
    let place = Place::new();
    place
        .write("r.jsonl", good)
        .write("link.toml", CONFIG)
        .write("r.parquet", "")
        .write("short.csv", "name,address,phone\na,b\n");
    place.write("t.jsonl", "{\"a\":1,\"b\":9}\n");
    for (line, part) in [
        ("none.jsonl --config link.toml", "none.jsonl: no such file"),
        (
            "short.csv --config link.toml",
            "short.csv:2: the row has 2 fields, but the header has 3",
        ),
        ("r.jsonl --config none.toml", "none.toml: no such file"),
        ("r.jsonl r.jsonl --config link.toml", "given twice"),
        (
            "r.jsonl --config link.toml --truth t.jsonl",
            "t.jsonl:1: no record has the id 9",
        ),
        (
            "r.jsonl --config link.toml --truth t.jsonl -o t.jsonl",
            "t.jsonl: would overwrite the input t.jsonl",
        ),
        (
            "r.jsonl --config link.toml --truth t.jsonl --clusters ./t.jsonl",
            "./t.jsonl: would overwrite the input t.jsonl",
        ),
        (
            "r.parquet --config link.toml",
            "r.parquet: is neither a Parquet file nor an Arrow IPC file or stream",
        ),
        (
            "r.jsonl --config link.toml --explain 1 2",
            "--explain 2: no record has this id",
        ),
        (
            "r.jsonl --config link.toml --explain 1 1",
            "--explain 1: the same record twice",
        ),
        ("r.jsonl", "--config"),
    ] {
        let ran = place.run(&format!("link {line}"));
        assert!(
            ran.code == 2 && ran.err.contains(part),
            "{line}: {}",
            ran.err
        );
    }
    let mut command = place.command("link - --config link.toml");
    let ran = Ran::of(
        command
            .stdin(std::fs::File::open(place.path("short.csv")).unwrap())
            .output()
            .unwrap(),
    );
    assert!(
        ran.code == 2
            && ran.err.contains("stdin:1: not a JSON object")
            && ran.err.contains("for CSV, give --format csv"),
        "{}",
        ran.err
    );
    assert_eq!(
        place.run("link r.jsonl --config link.toml -q").code,
        1,
        "no pair"
    );
    assert_eq!(place.read("t.jsonl"), "{\"a\":1,\"b\":9}\n");
}

/// The minimum F1 values that this test requires are a little below the measured values, which are in `docs/link.md`.
#[test]
fn real_records() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("LOOKALIKE_DATA")
        .map_or(root.join("../shared/data"), PathBuf::from)
        .join("er");
    if !folder.exists() {
        // Write directly to standard error: the test runner hides what a passing test prints.
        drop(std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!(
                "skipped: {} is not there; set LOOKALIKE_DATA\n",
                folder.display()
            ),
        ));
        return;
    }
    let place = Place::new();
    let lines = |name: &str| {
        let bytes = std::fs::read(folder.join(format!("{name}.jsonl.zst"))).unwrap();
        String::from_utf8(zstd::decode_all(&*bytes).unwrap()).unwrap()
    };
    for name in [
        "febrl1",
        "febrl3",
        "restaurant_dedupe",
        "cora",
        "cora.matches",
        "dblp_acm.matches",
    ] {
        place.write(&format!("{name}.jsonl"), lines(name));
    }
    let papers = lines("dblp_acm");
    for source in ["dblp", "acm"] {
        let of = |line: &&str| line.contains(&format!("\"source\": \"{source}\""));
        place.write(
            &format!("{source}.jsonl"),
            papers
                .lines()
                .filter(of)
                .map(|line| format!("{line}\n"))
                .collect::<String>(),
        );
    }
    for (name, files, truth, least_f1, most_scored) in [
        ("febrl1", "febrl1.jsonl", "--label cluster", 0.998, 0.02),
        ("febrl3", "febrl3.jsonl", "--label cluster", 0.998, 0.02),
        (
            "restaurant_dedupe",
            "restaurant_dedupe.jsonl",
            "--label cluster",
            0.95,
            0.05,
        ),
        (
            "dblp_acm",
            "dblp.jsonl acm.jsonl",
            "--truth dblp_acm.matches.jsonl",
            0.99,
            0.02,
        ),
        (
            "cora",
            "cora.jsonl",
            "--truth cora.matches.jsonl",
            0.874,
            0.1,
        ),
    ] {
        let config = root.join(format!("bench/link/{name}.toml"));
        let ran = place.run(&format!(
            "link {files} --config {} {truth} --json -o pairs.jsonl",
            config.display()
        ));
        let summary: serde_json::Value =
            serde_json::from_str(&ran.err).unwrap_or_else(|_| panic!("{name}: {}", ran.err));
        let f1 = summary["judged"]["f1"].as_f64().unwrap();
        let scored =
            summary["candidates"].as_f64().unwrap() / summary["possible_pairs"].as_f64().unwrap();
        assert!(
            f1 >= least_f1 && scored <= most_scored,
            "{name}: {f1} {scored}"
        );
    }
    let mut learned = String::from("weights = \"learned\"\n");
    let fields = [
        ("given_name", "name"),
        ("surname", "name"),
        ("address_1", "address"),
        ("suburb", "name"),
        ("postcode", "code"),
    ];
    for (field, kind) in fields
        .into_iter()
        .chain([("date_of_birth", "date"), ("soc_sec_id", "code")])
    {
        write!(
            learned,
            "\n[[field]]\nname = \"{field}\"\nfrom = \"fields.{field}\"\ntype = \"{kind}\"\n"
        )
        .unwrap();
    }
    for block in ["soc_sec_id", "date_of_birth", "surname", "postcode"] {
        write!(learned, "\n[[block]]\nequal = \"{block}\"\n").unwrap();
    }
    place.write("learned.toml", learned);
    let ran =
        place.run("link febrl3.jsonl --config learned.toml --label cluster --json -o pairs.jsonl");
    let summary: serde_json::Value =
        serde_json::from_str(&ran.err).unwrap_or_else(|_| panic!("{}", ran.err));
    assert!(
        summary["judged"]["f1"].as_f64().unwrap() >= 0.998,
        "{}",
        ran.err
    );
}
