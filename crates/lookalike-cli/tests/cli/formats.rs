//! Inputs that are no JSON Lines: what is kept has their format, or is made JSON Lines; decisions are the same in all.

use serde_json::Value;

use super::Place;

/// The same documents as JSON Lines, as an array, as CSV.
const TEXTS: [(&str, &str, &str); 4] = [
    ("a", "The quick brown fox jumps over the lazy dog\nnear the old river bank at dawn today.", "x"),
    ("b", "Something else entirely: a \"note\" about nothing, in particular; written for no one.", ""),
    ("c", "the quick brown fox, jumps over the lazy dog near the old river bank at dawn today", "z"),
    ("d", "", "é"),
];

fn object((id, text, note): (&str, &str, &str)) -> Value {
    serde_json::json!({"id": id, "text": text, "note": note})
}

fn lines() -> String {
    TEXTS.map(|row| format!("{}\n", object(row))).concat()
}

fn csv(delimiter: &str) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let rows = TEXTS.map(|(id, text, note)| [id, &*quoted(text), note].join(delimiter) + "\r\n");
    ["id", "text", "note"].join(delimiter) + "\r\n" + &rows.concat()
}

fn kept_objects(place: &Place, name: &str) -> Vec<Value> {
    place.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_format_gives_the_same_decisions() {
    let place = Place::new();
    place.write("in.jsonl", lines()).write("in.csv", csv(",")).write("in.tsv", csv("\t")).write("semi.csv", csv(";"));
    place.write("in.json", serde_json::to_string_pretty(&TEXTS.map(object)).unwrap());
    place.write("data", csv("|"));
    for (input, flags) in [
        ("in.jsonl", ""),
        ("in.csv", ""),
        ("in.tsv", ""),
        ("semi.csv", ""),
        ("in.json", ""),
        ("data", "--format csv"),
        ("data", "--format csv --delimiter |"),
        ("in.json", "--format json --threads 1"),
        ("in.csv", "--keep longest"),
    ] {
        let ran = place.run(&format!("dedup {input} -o kept.jsonl --decisions why.jsonl {flags}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let why: Vec<Value> = kept_objects(&place, "why.jsonl");
        let dropped: Vec<&Value> = why.iter().filter(|line| line["verdict"] == "dropped").map(|line| &line["id"]).collect();
        assert_eq!((why.len(), dropped), (4, vec![&Value::from("c")]), "{input} {flags}");
        assert_eq!(kept_objects(&place, "kept.jsonl"), [object(TEXTS[0]), object(TEXTS[1]), object(TEXTS[3])], "{input}");
    }
}

#[test]
fn kept_records_are_as_they_came() {
    let place = Place::new();
    place.write("in.csv", csv(",").trim_end()).write("more.csv", csv(",").replace("\r\n", "\n"));
    let pretty = serde_json::to_string_pretty(&TEXTS.map(object)).unwrap();
    place.write("in.json", &pretty).write("in.jsonl", lines());
    assert_eq!(place.run("dedup in.csv -o kept.csv").code, 0);
    let all = csv(",");
    let rows: Vec<&str> = all.split_inclusive("\r\n").collect();
    // The last of the file had no line end.
    assert_eq!(place.read("kept.csv"), [rows[0], rows[1], rows[2], rows[4].trim_end(), "\n"].concat());
    assert!(place.path("kept.decisions.jsonl").exists());
    let both = place.run("dedup in.csv more.csv -o - --allow-repeated-ids --no-decisions");
    assert_eq!((both.code, both.out.matches("id,text,note").count()), (0, 1), "one header: {}", both.err);
    assert_eq!(place.run("dedup in.json -o kept.json").code, 0);
    let kept: Vec<Value> = serde_json::from_str(&place.read("kept.json")).unwrap();
    assert_eq!(kept, [object(TEXTS[0]), object(TEXTS[1]), object(TEXTS[3])]);
    let element = &pretty[pretty.find('{').unwrap()..=pretty.find('}').unwrap()];
    assert!(place.read("kept.json").starts_with(&format!("[\n{element},\n")), "{}", place.read("kept.json"));
    // Several formats become lines.
    let mixed = place.run("dedup in.jsonl in.csv in.json -o kept.jsonl --allow-repeated-ids");
    assert_eq!((mixed.code, kept_objects(&place, "kept.jsonl").len()), (0, 5), "the empty ones stay: {}", mixed.err);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let place = Place::new();
    place.write("ragged.csv", "id,text\n1,a\n2,b,c\n").write("quote.csv", "id,text\n1,a\n2,\"b\n3,c\n");
    place.write("names.csv", "id,body\n1,a\n").write("other.csv", "id,text,more\n1,a,b\n").write("good.csv", "id,text\n1,a\n");
    place.write("latin.csv", b"id,text\n1,caf\xe9\n").write("cut.json", "[{\"text\":\"a\"},\n{\"text\":");
    place.write("numbers.json", "[{\"text\":\"a\"},\n 7]").write("lines.jsonl", lines());
    for (asked, words) in [
        ("ragged.csv", "ragged.csv:3: a row of 3 fields under a header of 2: put fields"),
        ("quote.csv", "quote.csv:3: a quote opens here and never closes"),
        ("names.csv", "names.csv:1: no column \"text\"; there are \"id\", \"body\": name one with --text-field"),
        ("latin.csv", "latin.csv:2: field \"text\" is not UTF-8 at its byte 4; name the file's encoding with --encoding"),
        ("cut.json", "cut.json:2: the file ends inside element 2"),
        ("numbers.json", "numbers.json:2: column 2: element 2 is a number, no object"),
        ("good.csv other.csv --allow-repeated-ids -o kept.csv", "other.csv: its columns are \"id\", \"text\", \"more\""),
        ("good.csv lines.jsonl -o kept.csv", "kept.csv: CSV is written only where all inputs are CSV"),
        ("good.csv --delimiter ab", "give one character of ASCII"),
    ] {
        let ran = place.run(&format!("dedup {asked}"));
        assert!(ran.code == 2 && ran.err.contains(words), "{asked}: {}", ran.err);
        assert!(!place.path("kept.csv").exists());
    }
    assert_eq!(place.run("dedup latin.csv -o kept.jsonl --encoding latin1").code, 0);
    assert_eq!(place.read("kept.jsonl"), "{\"id\":\"1\",\"text\":\"café\"}\n");
    let ran = place.run("dedup latin.csv --encoding windows-1522");
    assert!(ran.code == 2 && ran.err.contains("windows-1522"), "{}", ran.err);
    let ran = place.run("dedup ragged.csv --skip-bad bad.csv -o kept.csv");
    assert_eq!((ran.code, &*place.read("bad.csv"), &*place.read("kept.csv")), (0, "2,b,c\n", "id,text\n1,a\n"), "{}", ran.err);
}

#[test]
fn columns_decide_keep_order_and_ids() {
    let place = Place::new();
    let text = "the same words in all of these three documents and nothing else in them";
    place.write("in.csv", format!("name,text,score,day\nx,{text},9,2024-01-31\ny,{text},10,2023-01-31\n,{text},2,2025-01-01\n"));
    for (keep, kept) in [("max:score", "y"), ("min:score", ""), ("newest:day", ""), ("first", "x")] {
        let ran = place.run(&format!("dedup in.csv -o - --keep {keep} --id-field name --no-decisions"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let line = ran.out.lines().nth(1).unwrap();
        assert_eq!(line.split(',').next().unwrap(), kept, "{keep}");
    }
    let ran = place.run("dedup in.csv --decisions - --id-field name");
    assert!(ran.out.lines().last().unwrap().starts_with("{\"id\":\"in.csv:4\","), "named by its line: {}", ran.out);
}
