//! Tests of `lookalike link` with weights that are learned from the records.

use std::fmt::Write;

use insta::assert_snapshot;

use crate::Place;

pub const CONFIG: &str = r#"weights = "learned"

[[field]]
name = "given"
type = "name"

[[field]]
name = "surname"
type = "name"

[[field]]
name = "town"
type = "name"

[[field]]
name = "area"
type = "name"

[[field]]
name = "born"
type = "date"

[[block]]
equal = "born"

[[block]]
equal = ["surname", "town"]
"#;

/// Returns people of whom every third one occurs twice, the second time with an error in one field. Each town has four areas.
pub fn people(count: u32) -> String {
    const GIVEN: [&str; 12] = [
        "Anna", "Berta", "Carla", "Dora", "Emil", "Fritz", "Georg", "Hanna", "Ida", "Jonas",
        "Karl", "Lena",
    ];
    const SURNAMES: [&str; 16] = [
        "Albers",
        "Brandt",
        "Clausen",
        "Dietrich",
        "Engel",
        "Fischer",
        "Gruber",
        "Hansen",
        "Imhof",
        "Jansen",
        "Keller",
        "Lorenz",
        "Meyer",
        "Neumann",
        "Ostermann",
        "Petersen",
    ];
    const TOWNS: [&str; 6] = ["Kiel", "Bremen", "Ulm", "Passau", "Jena", "Trier"];
    let mut lines = String::new();
    for i in 0..count {
        let mix = lookalike::fingerprint::finish(u64::from(i) + 1);
        let part = |shift: u32, of: usize| (mix >> shift) as usize % of;
        let (given, surname, town) = (
            GIVEN[part(0, 12)],
            SURNAMES[part(8, 16)],
            TOWNS[part(16, 6)],
        );
        let born = format!(
            "19{:02}-{:02}-{:02}",
            part(24, 90) + 10,
            part(32, 12) + 1,
            part(40, 28) + 1
        );
        let area = format!("{town} {}", part(48, 4));
        let mut line = |id: &str, given: &str, surname: &str, town: &str, born: &str| {
            let name = format!(r#""given":"{given}","surname":"{surname}""#);
            writeln!(lines, r#"{{"id":"{id}",{name},"town":"{town}","area":"{area}","born":"{born}","who":{i}}}"#).unwrap();
        };
        line(&format!("{i}"), given, surname, town, &born);
        if i % 3 == 0 {
            let second = format!("{i}b");
            match i % 4 {
                0 => line(&second, &given[..2], surname, town, &born),
                1 => line(&second, given, &surname.replace('e', "a"), town, &born),
                2 => line(&second, given, surname, "", &born),
                _ => line(&second, given, surname, town, &format!("{}1", &born[..9])),
            }
        }
    }
    lines
}

#[test]
fn people_are_linked_without_labels() {
    let place = Place::new();
    place
        .write("people.jsonl", people(600))
        .write("link.toml", CONFIG);
    let ran = place.run("link people.jsonl --config link.toml --label who --json -o pairs.jsonl");
    let summary: serde_json::Value =
        serde_json::from_str(&ran.err).unwrap_or_else(|_| panic!("{}", ran.err));
    let f1 = summary["judged"]["f1"].as_f64().unwrap();
    assert!(f1 >= 0.98, "{}", ran.err);
    let expected = summary["learned"]["expected"].as_f64().unwrap();
    assert!((180.0..220.0).contains(&expected), "{expected}");
    let pairs = place.read("pairs.jsonl");
    let first: serde_json::Value = serde_json::from_str(pairs.lines().next().unwrap()).unwrap();
    let keys: Vec<&str> = first
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        ["a", "b", "bits", "probability", "verdict", "weights"]
    );
    let depends = |field: &str| {
        let fields = summary["learned"]["fields"].as_array().unwrap();
        fields.iter().find(|of| of["field"] == field).unwrap()["depends_on"].clone()
    };
    assert!(
        depends("area") == "town" || depends("town") == "area",
        "{}",
        ran.err
    );
    for flags in ["--threads 1", "--threads 3", "--memory 64M --temp-dir ."] {
        let other = place.run(&format!(
            "link people.jsonl --config link.toml --label who -o other.jsonl {flags}"
        ));
        assert_eq!(other.code, 0, "{}", other.err);
        assert_eq!(place.read("other.jsonl"), pairs, "{flags}");
    }
    let one_to_one = place.run("link people.jsonl --config link.toml --one-to-one -o one.jsonl");
    assert_eq!(one_to_one.code, 0, "{}", one_to_one.err);
    assert!(place.read("one.jsonl").lines().count() <= pairs.lines().count());
}

#[test]
fn a_pair_is_explained_in_bits() {
    let place = Place::new();
    place
        .write("people.jsonl", people(600))
        .write("link.toml", CONFIG);
    let ran = place.run("link people.jsonl --config link.toml --explain 0 0b");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].ends_with("alike   bits"), "{}", ran.out);
    assert!(
        lines[7].contains(" bits for any pair +") && lines[7].ends_with(": a match"),
        "{}",
        ran.out
    );
    let other = place.run("link people.jsonl --config link.toml --explain 0 1");
    assert_eq!(other.code, 1, "{}", other.out);
    let json = place.run("link people.jsonl --config link.toml --explain 0 0b --json");
    let explained: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert!(
        explained["prior"].as_f64().unwrap() < -5.0 && explained["score"].as_f64().unwrap() > 0.9,
        "{}",
        json.out
    );
}

#[test]
fn nothing_is_learned_from_an_empty_collection() {
    let place = Place::new();
    place
        .write("people.jsonl", people(60))
        .write("none.jsonl", "")
        .write("link.toml", CONFIG);
    for inputs in [
        "none.jsonl",
        "people.jsonl none.jsonl",
        "none.jsonl people.jsonl",
    ] {
        let ran = place.run(&format!("link {inputs} --config link.toml"));
        assert_eq!((ran.code, &*ran.out), (0, ""), "{inputs}: {}", ran.err);
    }
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let place = Place::new();
    place
        .write("few.jsonl", people(3))
        .write("people.jsonl", people(60))
        .write("link.toml", CONFIG);
    place.write(
        "points.toml",
        CONFIG.replacen("type = \"name\"", "type = \"name\"\nweight = 50", 1),
    );
    place.write(
        "levels.toml",
        CONFIG.replace("weights = \"learned\"\n", "").replacen(
            "\"name\"\n",
            "\"name\"\nlevels = [0.5]\n",
            2,
        ),
    );
    place.write(
        "copies.toml",
        format!("{CONFIG}\n[[field]]\nname = \"home\"\nfrom = \"town\"\ntype = \"name\"\n"),
    );
    place.write(
        "missing.toml",
        CONFIG.replacen('\n', "\nmissing = 0.5\n", 1),
    );
    let mut all = String::new();
    for (file, config) in [
        ("few", "link"),
        ("people", "points"),
        ("people", "levels"),
        ("people", "missing"),
        ("people", "copies"),
    ] {
        let ran = place.run(&format!("link {file}.jsonl --config {config}.toml"));
        assert_eq!(ran.code, 2, "{}", ran.out);
        all += &ran.err;
    }
    assert_snapshot!(all, @r#"
    error: weights cannot be learned: there is only 1 candidate; add blocks that make more candidates, or set weights = "points" and give the fields weights of your own
    error: points.toml: field "given": weight does not work with weights = "learned"; leave out one of the two
    error: levels.toml: field "given": levels only works with weights = "learned" or "labelled"; leave it out, or learn weights
    error: missing.toml: missing does not work with weights = "learned", for which a missing value is no evidence; leave it out
    error: weights cannot be learned: the fields "town" and "home" are equally similar in all sampled pairs, so that the same evidence would count twice; remove one of these fields, or set weights = "points" and give the fields weights of your own
    "#);
}

#[test]
fn a_suggested_configuration_links_without_a_change() {
    let place = Place::new();
    place.write("people.jsonl", people(600));
    let ran = place.run("link people.jsonl --suggest --label who");
    assert_eq!(ran.code, 0, "{}", ran.err);
    for part in [
        "weights = \"learned\"\n",
        "name = \"born\"\ntype = \"date\"\n",
        "equal = [\"born\"]\n",
    ] {
        assert!(ran.out.contains(part), "{}", ran.out);
    }
    assert!(
        !ran.out.contains("who") && !ran.out.contains("\"id\""),
        "{}",
        ran.out
    );
    assert_eq!(
        place
            .run("link people.jsonl --suggest --label who --threads 1 -o link.toml")
            .code,
        0
    );
    assert_eq!(place.read("link.toml"), ran.out);
    let people = std::fs::File::open(place.path("people.jsonl")).unwrap();
    let piped = place
        .command("link - --format jsonl --suggest --label who")
        .stdin(people)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), ran.out);
    let linked =
        place.run("link people.jsonl --config link.toml --label who --json -o pairs.jsonl");
    let summary: serde_json::Value =
        serde_json::from_str(&linked.err).unwrap_or_else(|_| panic!("{}", linked.err));
    assert!(
        summary["judged"]["f1"].as_f64().unwrap() >= 0.98,
        "{}",
        linked.err
    );
}

#[test]
fn two_collections_in_two_formats_are_suggested_one_to_one() {
    let place = Place::new();
    let (mut lines, mut table) = (String::new(), String::from("id,title,shelf,year\n"));
    for i in 0..300u64 {
        let words: Vec<String> = (0..6)
            .map(|word| format!("w{}", lookalike::fingerprint::finish(i * 10 + word) % 900))
            .collect();
        writeln!(
            lines,
            r#"{{"id":{i},"title":"{}","year":{},"ours":"x{i}"}}"#,
            words.join(" "),
            1990 + i % 25
        )
        .unwrap();
        writeln!(
            table,
            "t{i},\"{}\",{},{}",
            words[usize::from(i % 4 == 0)..].join(" "),
            i % 7,
            1990 + i % 25
        )
        .unwrap();
    }
    place.write("ours.jsonl", lines).write("theirs.csv", table);
    let ran = place.run("link ours.jsonl theirs.csv --suggest -o link.toml");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let suggested = place.read("link.toml");
    for part in [
        "for 300 and 300 records",
        "one_to_one = true\n",
        "name = \"title\"\ntype = \"text\"\ncompare = \"tfidf-trigrams\"\n",
        "name = \"year\"\ntype = \"number\"\nwithin = 4\n",
        "#   \"ours\": only the first collection has it\n",
        "#   \"shelf\": only the second collection has it\n",
    ] {
        assert!(suggested.contains(part), "{part}\n{suggested}");
    }
    let linked =
        place.run("link ours.jsonl theirs.csv --config link.toml --matches-only -o pairs.jsonl");
    assert_eq!(linked.code, 0, "{}", linked.err);
    assert_eq!(
        place.read("pairs.jsonl").lines().count(),
        300,
        "{}",
        linked.err
    );
}

/// Products of two shops: each series has the same words, and its models differ in a digit. The second shop leaves out some numbers.
fn products(place: &Place) {
    let (mut ours, mut theirs, mut truth) = (
        String::new(),
        String::from("id,title,price\n"),
        String::new(),
    );
    for i in 0..400u64 {
        let draw = |salt: u64, of: u64| lookalike::fingerprint::finish((i / 4) * 16 + salt) % of;
        let word = |salt, of| {
            let number = draw(salt, of);
            ["ka", "lo", "mi", "su", "te"]
                .map(|part| part.as_bytes()[(number % 2) as usize] as char)
                .iter()
                .collect::<String>()
                + [
                    "ardent", "bright", "cantor", "delph", "esk", "fulg", "gant", "halc",
                ][(number / 2 % 8) as usize]
                + ["a", "e", "i", "o"][(number / 16 % 4) as usize]
        };
        let (brand, kind, spec) = (word(1, 20), word(2, 15), word(3, 64));
        let code = format!("K{}-{}", draw(4, 9), 1000 + 10 * draw(5, 800) + i % 4);
        let price = 20 + draw(6, 900) + 5 * (i % 4);
        writeln!(
            ours,
            r#"{{"id":{i},"title":"{brand} {kind} with {spec} - {code}","price":"${price}.00"}}"#
        )
        .unwrap();
        let code = if i % 10 == 7 {
            String::new()
        } else {
            code.replace('-', "")
        };
        writeln!(
            theirs,
            "t{i},{brand} {code} {kind} {spec} new,\"{}\"",
            price + i % 3
        )
        .unwrap();
        writeln!(truth, r#"{{"a":{i},"b":"t{i}"}}"#).unwrap();
    }
    place
        .write("ours.jsonl", ours)
        .write("theirs.csv", theirs)
        .write("truth.jsonl", truth);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn products_are_suggested_by_their_numbers_and_linked_one_to_one() {
    let place = Place::new();
    products(&place);
    assert_eq!(
        place
            .run("link ours.jsonl theirs.csv --suggest -o link.toml")
            .code,
        0
    );
    let suggested = place.read("link.toml");
    for part in [
        "name = \"title\"\ntype = \"text\"\ncompare = \"tfidf-trigrams\"\n",
        "name = \"title_code\"\nfrom = \"title\"\ntype = \"code\"\ntake = \"code\"\n",
        "[[block]]\nequal = [\"title_code\"]\n",
    ] {
        assert!(suggested.contains(part), "{part}\n{suggested}");
    }
    let run = |flags: &str| {
        let ran = place.run(&format!(
            "link ours.jsonl theirs.csv --config link.toml --truth truth.jsonl --json {flags}"
        ));
        let summary: serde_json::Value =
            serde_json::from_str(&ran.err).unwrap_or_else(|_| panic!("{}", ran.err));
        (summary, ran.out)
    };
    let (summary, out) = run("");
    assert!(
        summary["one_to_one"] == true && summary["judged"]["f1"].as_f64().unwrap() >= 0.94,
        "{summary}"
    );
    assert_eq!(out, run("--one-to-one auto --threads 1").1);
    assert_eq!(out, run("--one-to-one --memory 64M").1);
    let (several, _) = run("--one-to-one no");
    assert!(
        several["one_to_one"] == false && several["matches"].as_u64() > summary["matches"].as_u64(),
        "{several}"
    );
    // One shop has its products twice, so that a record can be in several pairs.
    place.write("twice.jsonl", place.read("ours.jsonl").repeat(2));
    place
        .write("points.toml", "[[field]]\nname = \"title\"\ntype = \"text\"\n[[field]]\nname = \"price\"\ntype = \"quantity\"\n");
    let twice = place.run(
        "link twice.jsonl theirs.csv --config points.toml --allow-repeated-ids -o pairs.jsonl",
    );
    assert!(
        twice.err.contains("a record can be in several pairs\n"),
        "{}",
        twice.err
    );
    let bad = place.run("link ours.jsonl theirs.csv --config link.toml --one-to-one maybe");
    assert!(
        bad.code == 2 && bad.err.contains("[possible values: auto, yes, no]"),
        "{}",
        bad.err
    );
}

#[test]
fn quantities_parts_and_shares_are_configured() {
    let place = Place::new();
    place
        .write("a.csv", "id,title,size,price\n1,Veltro ZX-120B drill,0.5 kg,\"$1,000.00\"\n2,Asama saw,17 in,€ 50\n")
        .write("b.csv", "id,title,size,price\n3,ZX120B by Veltro,500 g,\"1.050,00 USD\"\n4,Saw,50 cm,50 USD\n")
        .write(
            "link.toml",
            "match = 0.5\n[[field]]\nname = \"code\"\nfrom = \"title\"\ntype = \"code\"\ntake = \"code\"\n[[field]]\nname = \"title\"\n\
             type = \"text\"\ncompare = \"tfidf\"\n[[field]]\nname = \"size\"\ntype = \"quantity\"\n[[field]]\nname = \"price\"\n\
             type = \"quantity\"\nwithin = \"10%\"\n[[block]]\nequal = \"code\"\n",
        );
    let ran = place.run("link a.csv b.csv --config link.toml");
    assert_snapshot!(ran.out, @r#"{"a":"1","b":"3","score":0.6708,"verdict":"match","points":{"code":100.0,"title":15.94,"size":100.0,"price":52.38}}"#);
    let explained = place.run("link a.csv b.csv --config link.toml --explain 2 4");
    assert_snapshot!(explained.out, @r#"
    field  "2"        "4"     alike   points
    code                          -   left out
    title  asama saw  saw     0.564   56.38 of 100
    size   0.4318 m   0.5 m   0.864   86.36 of 100
    price  50 eur     50 usd  0.000   0.00 of 100

    142.74 of 300 points, score 0.4758: not a match
    not candidates: they share nothing that a block requires, so they are not scored
    "#);
    let wrong = |old: &str, new: &str| {
        place.write("wrong.toml", place.read("link.toml").replacen(old, new, 1));
        place.run("link a.csv b.csv --config wrong.toml").err
    };
    let all = [
        ("10%", "ten"),
        ("10%", "0%"),
        ("take = \"code\"", "take = \"first\""),
        ("match", "one_to_one = 1\nmatch"),
    ];
    assert_snapshot!(all.map(|(old, new)| wrong(old, new)).concat(), @r#"
    error: wrong.toml:17: invalid value: string "ten", expected a number, or a share of the larger number such as "10%"
    error: wrong.toml: field "price": within must be a number above 0, or a share such as "10%"
    error: wrong.toml:6: unknown variant `first`, expected one of `whole`, `first-word`, `last-word`, `longest-word`, `sorted-words`, `sound`, `code`, `numbers`
    error: wrong.toml:1: invalid type: integer `1`, expected "auto", true or false
    "#);
}

#[test]
fn what_cannot_be_suggested_is_refused() {
    let place = Place::new();
    place
        .write(
            "ids.jsonl",
            "{\"id\": 1, \"n\": \"x\"}\n{\"id\": 2, \"n\": \"x\"}\n",
        )
        .write("none.jsonl", "")
        .write("bad.jsonl", "[1]\n");
    let mut all = String::new();
    for command in [
        "link ids.jsonl --suggest",
        "link none.jsonl --suggest",
        "link bad.jsonl --suggest",
        "link ids.jsonl --suggest -o ids.jsonl",
        "link ids.jsonl --suggest --config link.toml",
        "link ids.jsonl",
    ] {
        let ran = place.run(command);
        assert_eq!(ran.code, 2, "{command}: {}", ran.out);
        all += ran.err.lines().next().unwrap_or_default();
        all.push('\n');
    }
    assert_snapshot!(all, @r#"
    error: ids.jsonl: no field can be compared ("n": all records have the same value); write a configuration by hand
    error: none.jsonl: there are no records with fields; write a configuration by hand
    error: bad.jsonl:1: not a JSON object: the record is a value
    error: ids.jsonl: would overwrite the input ids.jsonl; give another name
    error: --suggest and --config cannot be combined: leave out one of the two
    error: a linkage needs a configuration; give --config FILE, or let --suggest write one
    "#);
    assert_eq!(place.read("ids.jsonl").lines().count(), 2);
}
