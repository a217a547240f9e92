//! Tests of texts that are put together from several fields.

use serde_json::{Value, json};

use crate::{Place, testdata};

fn done(place: &Place, arguments: &str) -> String {
    let ran = place.run(arguments);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    ran.out
}

/// Checks that the decisions about parts are those about the whole texts, in each format.
#[test]
fn several_fields_are_one_text() {
    let place = Place::new();
    let licenses =
        zstd::decode_all(std::fs::File::open(testdata("licenses.jsonl.zst")).unwrap()).unwrap();
    let (mut whole, mut parts, mut chats, mut csv) = (
        String::new(),
        String::new(),
        String::new(),
        "id,title,body\n".to_owned(),
    );
    for line in String::from_utf8(licenses).unwrap().lines().take(400) {
        let record: Value = serde_json::from_str(line).unwrap();
        let (id, text) = (
            record["id"].as_str().unwrap(),
            record["text"].as_str().unwrap(),
        );
        let middle = (text.len() / 3..)
            .find(|&at| text.is_char_boundary(at))
            .unwrap();
        let (title, body) = text.split_at(middle);
        whole += &format!(
            "{}\n",
            json!({"id": id, "text": format!("{title}\n\n{body}")})
        );
        parts += &format!(
            "{}\n",
            json!({"title": title, "id": id, "meta": {"body": body}})
        );
        let messages = json!([{"role": "a", "content": title}, {"role": "b"}, {"content": null}, {"content": body}]);
        chats += &format!("{}\n", json!({"id": id, "messages": messages}));
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        csv += &format!("{},{},{}\n", quoted(id), quoted(title), quoted(body));
    }
    let array = parts.lines().collect::<Vec<_>>().join(",");
    place
        .write("whole.jsonl", whole)
        .write("parts.jsonl", parts)
        .write("parts.json", format!("[{array}]"));
    place.write("chats.jsonl", chats).write("parts.csv", csv);
    let decisions = |input: &str, field: &str, more: &str| {
        done(
            &place,
            &format!("dedup {input} --text-field {field} --decisions why.jsonl {more}"),
        );
        place.read("why.jsonl")
    };
    for more in [
        "",
        "--keep longest",
        "--measure containment",
        "--memory 64M --threads 1",
    ] {
        let expected = decisions("whole.jsonl", "text", more);
        assert!(expected.contains("\"dropped\"") && expected.len() > 10_000);
        for (input, field) in [
            ("parts.jsonl", "title,meta.body"),
            ("parts.json", "title,meta.body"),
            ("parts.csv", "title,body"),
            ("chats.jsonl", "messages[].content"),
        ] {
            assert!(decisions(input, field, more) == expected, "{input} {more}");
        }
        assert!(decisions("parts.jsonl", "meta.body,title", more) != expected);
    }
}

#[test]
fn parts_that_are_not_texts_are_reported() {
    let place = Place::new();
    place
        .write("in.jsonl", "{\"title\":\"a b c\",\"body\":[1]}\n")
        .write("in.csv", "id,title\n1,a\n");
    for (arguments, words) in [
        (
            "dedup in.jsonl --text-field title,body",
            "in.jsonl:1: field \"body\" is an array, not a text",
        ),
        (
            "dedup in.jsonl --text-field head,foot",
            "in.jsonl:1: no field \"head,foot\"; the record has the fields \"title\", \"body\"",
        ),
        (
            "dedup in.jsonl --text-field title[].x",
            "in.jsonl:1: field \"title[].x\" is a string, not an array",
        ),
        (
            "dedup in.csv --text-field title,body",
            "in.csv:1: no column \"body\"; the columns are \"id\", \"title\"",
        ),
        (
            "cut in.jsonl --text-field title,body -o out.jsonl",
            "the text \"title,body\" has several parts",
        ),
    ] {
        let ran = place.run(arguments);
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{arguments}: {}",
            ran.err
        );
    }
}
