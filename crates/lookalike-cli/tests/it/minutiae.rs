//! Tests of `lookalike minutiae`.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use insta::assert_snapshot;

use crate::{Place, testdata};

/// Returns three fingers with two impressions each; the second impression is shifted by 30 and 20 pixels and lacks every seventh
/// minutia.
fn prints() -> String {
    let mut lines = String::new();
    for finger in 0..3u32 {
        for impression in 0..2u32 {
            let minutiae: Vec<[u32; 3]> = (0..30u32)
                .filter(|i| impression == 0 || i % 7 != 3)
                .map(|i| {
                    let mix = (i + 31 * finger).wrapping_mul(2_654_435_761) >> 7;
                    [
                        mix % 250 + 30 * impression,
                        mix / 250 % 300 + 20 * impression,
                        mix / 75_000 % 256,
                    ]
                })
                .collect();
            writeln!(
                lines,
                "{{\"id\":\"{finger}-{impression}\",\"finger\":{finger},\"minutiae\":{minutiae:?}}}"
            )
            .unwrap();
        }
    }
    lines
}

#[test]
fn pairs_of_the_same_finger_are_ranked_first() {
    let place = Place::new();
    place.write("prints.jsonl", prints());
    assert_snapshot!(place.run("minutiae prints.jsonl --label finger --first 20%").shown(), @r#"
    exit 0
    --- stdout
    {"a":"1-0","b":"1-1","score":0.3879956498109968,"same":true}
    {"a":"0-0","b":"0-1","score":0.32520751421901867,"same":true}
    {"a":"2-0","b":"2-1","score":0.299830534127309,"same":true}
    --- stderr
    3 pairs written, out of 15 among 6 prints; 15 were candidates

    of all pairs         pairs  of one finger  out of all 3
    first 0.1 %              1              1       33.3 %
    first 1 %                1              1       33.3 %
    first 10 %               2              2       66.7 %
    candidates              15              3      100.0 %
    equal error rate: 0.000
    "#);
    assert_snapshot!(place.run("minutiae prints.jsonl --by aligned --first 3").shown(), @r#"
    exit 0
    --- stdout
    {"a":"0-0","b":"0-1","score":0.9418604651162791}
    {"a":"2-0","b":"2-1","score":0.9222222222222223}
    {"a":"1-0","b":"1-1","score":0.9101123595505618}
    --- stderr
    3 pairs written, out of 15 among 6 prints; 15 were candidates
    "#);
    assert_snapshot!(place.run("minutiae prints.jsonl --by grid --square 40 --margin 12 --first 50%").shown(), @r#"
    exit 0
    --- stdout
    {"a":"1-0","b":"1-1","score":0.7450980392156863}
    {"a":"0-0","b":"0-1","score":0.7358490566037735}
    {"a":"0-0","b":"2-0","score":0.7017543859649122}
    {"a":"0-1","b":"2-0","score":0.6964285714285714}
    {"a":"1-0","b":"2-0","score":0.6896551724137931}
    {"a":"0-0","b":"1-0","score":0.6666666666666666}
    {"a":"2-0","b":"2-1","score":0.660377358490566}
    {"a":"1-1","b":"2-0","score":0.6545454545454545}
    --- stderr
    8 pairs written, out of 15 among 6 prints; 15 were candidates
    "#);
}

#[test]
fn within_a_field_and_compressed_and_for_any_number_of_threads() {
    let place = Place::new();
    place.write("prints.jsonl", prints());
    let ran =
        place.run("minutiae prints.jsonl --within finger --first 100% --json -o pairs.jsonl.gz");
    let summary: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(
        (&summary["prints"], &summary["pairs"], &summary["written"]),
        (&6.into(), &3.into(), &3.into())
    );
    assert_eq!(place.names(), ["pairs.jsonl.gz", "prints.jsonl"]);
    for by in ["neighbours", "aligned", "grid", "reranked"] {
        let run = |threads| {
            place
                .run(&format!(
                    "minutiae prints.jsonl --by {by} -q --first 100% --threads {threads}"
                ))
                .out
        };
        assert_eq!(run(1), run(3), "{by}");
    }
    assert_eq!(place.run("minutiae prints.jsonl --first 0 -q").code, 1);
}

/// With `--nearest`, `aligned` has fewer pairs, with the same scores; with as many as there are, it has all that share a triangle.
#[test]
fn the_nearest_prints_have_the_scores_of_all_pairs() {
    let place = Place::new();
    place.write("prints.jsonl", prints());
    let lines = |flags: &str| -> Vec<String> {
        place
            .run(&format!(
                "minutiae prints.jsonl --by aligned --first 100% -q {flags}"
            ))
            .out
            .lines()
            .map(String::from)
            .collect()
    };
    let (all, nearest) = (lines(""), lines("--nearest 1"));
    assert_eq!(
        (all.len(), lines("--nearest 5 --common 9")),
        (15, all.clone())
    );
    assert!(
        (3..15).contains(&nearest.len()) && nearest.iter().all(|line| all.contains(line)),
        "{nearest:?}"
    );
    assert_eq!(nearest[..3], all[..3]);
}

/// The result does not depend on the unit of the angles or on the direction of the y axis.
#[test]
fn units_and_columns() {
    let place = Place::new();
    let line = |id: u32, minutia: fn(i32, i32, i32) -> String| {
        let minutiae: Vec<String> = (0..20)
            .map(|i| minutia(i * 37 % 200, i * 61 % 300, i * 24 % 256 / 32 * 32))
            .collect();
        format!("{{\"n\":{id},\"m\":[{}]}}\n", minutiae.join(","))
    };
    let plain = line(1, |x, y, angle| format!("[{x},{y},{angle}]"))
        + &line(2, |x, y, angle| format!("[{},{y},{angle}]", x + 3));
    let all = |minutia| line(1, minutia) + &line(2, minutia);
    place
        .write("plain.jsonl", plain)
        .write(
            "all.jsonl",
            all(|x, y, angle| format!("[1,{x},{y}.0,{angle},0]")),
        )
        .write(
            "xyt.jsonl",
            all(|x, y, angle| format!("[{x},{},{},50]", 300 - y, f64::from(angle) * 360.0 / 256.0)),
        );
    let fields = "--id-field n --minutiae-field m --first 1 -q";
    let expected = "{\"a\":1,\"b\":2,\"score\":1.0}\n";
    assert_eq!(
        place.run(&format!("minutiae plain.jsonl {fields}")).out,
        expected,
        "a shift changes nothing"
    );
    assert_eq!(
        place
            .run(&format!(
                "minutiae all.jsonl {fields} --columns type,x,y,angle,quality"
            ))
            .out,
        expected
    );
    assert_eq!(
        place
            .run(&format!(
                "minutiae xyt.jsonl {fields} --columns x,y,angle,quality --turn 360 --upwards"
            ))
            .out,
        expected
    );
    let both = place.run(&format!(
        "minutiae plain.jsonl xyt.jsonl {fields} --columns x,y,angle --allow-repeated-ids"
    ));
    assert!(
        both.code == 2
            && both
                .err
                .contains("xyt.jsonl:1: field \"m\": minutia 1 has 4 values"),
        "{}",
        both.err
    );
}

#[test]
fn bad_record_errors_name_file_line_field_and_remedy() {
    let good = "{\"id\":1,\"minutiae\":[[1,2,3]]}\n";
    for (line, flags, parts) in [
        (
            "hello",
            "",
            &[
                "prints.jsonl:2: not a JSON object",
                "\"minutiae\": [[120, 88, 64]",
            ][..],
        ),
        ("{\"id\":2", "", &["prints.jsonl:2: cannot be parsed"]),
        (
            "{\"id\":2,\"points\":[]}",
            "",
            &[
                "prints.jsonl:2: no field \"minutiae\"",
                "\"id\", \"points\"",
                "--minutiae-field",
            ],
        ),
        (
            "{\"id\":2,\"minutiae\":\"x\"}",
            "",
            &[
                "prints.jsonl:2: field \"minutiae\" is a string",
                "[[120, 88, 64]",
            ],
        ),
        (
            "{\"id\":2,\"minutiae\":[1,2]}",
            "",
            &["prints.jsonl:2: field \"minutiae\" is a list of numbers; it must be"],
        ),
        (
            "{\"id\":2,\"minutiae\":[1,2,\"x\"]}",
            "",
            &["field \"minutiae\" is a list without lists in it; it must be"],
        ),
        (
            "{\"id\":2,\"minutiae\":[[1,2,3],4]}",
            "",
            &["field \"minutiae\" is a list of lists and other values; it must be"],
        ),
        (
            "{\"id\":2,\"minutiae\":[[1,2,\"x\"]]}",
            "",
            &[
                "minutia 1 has \"x\" for angle, which is not a number",
                "--columns",
            ],
        ),
        (
            "{\"id\":2,\"minutiae\":[[1,2,3],[1,2]]}",
            "",
            &[
                "prints.jsonl:2: field \"minutiae\": minutia 2 has 2 values",
                "--columns",
            ],
        ),
        (
            "{\"id\":2,\"minutiae\":[[1,\"2\",3]]}",
            "",
            &["minutia 1 has \"2\" for y", "--columns"],
        ),
        (
            "{\"id\":2,\"minutiae\":[[1e9,2,3]]}",
            "",
            &["minutia 1 has 1000000000.0 for x", "pixels from -32767"],
        ),
        (
            "{\"id\":2,\"minutiae\":[[1,2,300]]}",
            "",
            &["minutia 1 has 300 for angle; a turn is 256; give --turn 360"],
        ),
        (
            "{\"id\":[2],\"minutiae\":[]}",
            "",
            &["prints.jsonl:2: field \"id\" is an array", "--id-field"],
        ),
        (
            "{\"id\":1,\"minutiae\":[]}",
            "",
            &[
                "prints.jsonl:2: id 1 was already used",
                "--allow-repeated-ids",
            ],
        ),
        (
            "{\"id\":2,\"minutiae\":[],\"who\":{}}",
            "--label who",
            &["field \"who\" is an object", "--label"],
        ),
        (
            "{\"id\":2,\"minutiae\":[],\"who\":true}",
            "--within who",
            &["field \"who\" is true or false", "--within"],
        ),
        (
            "{\"id\":2,\"minutiae\":[]}",
            "--columns x,y",
            &["--columns x,y: no angle"],
        ),
        (
            "{\"id\":2,\"minutiae\":[]}",
            "--turn 0",
            &["--turn must be a finite number above 0, got 0"],
        ),
        (
            "{\"id\":2,\"minutiae\":[]}",
            "--by grid --square 8 --margin 4",
            &["squares of 8 pixels with a margin of 4"],
        ),
        (
            "{\"id\":2,\"minutiae\":[]}",
            "--by grid --members 70",
            &["1024 sets of 70 squares"],
        ),
        (
            "{\"id\":2,\"minutiae\":[]}",
            "--first 101%",
            &["--first", "1%"],
        ),
        (
            "{\"id\":2,\"minutiae\":[]}",
            "-o prints.jsonl",
            &["would overwrite the input"],
        ),
        (
            "{\"id\":2,\"minutiae\":[]}",
            "-o pairs.csv",
            &["pairs.csv: pairs are written as JSON Lines"],
        ),
    ] {
        let place = Place::new();
        place.write("prints.jsonl", format!("{good}{line}\n"));
        let ran = place.run(&format!("minutiae prints.jsonl {flags}"));
        assert_eq!(
            (ran.code, ran.out.as_str(), place.names().len()),
            (2, "", 1),
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
    // The help does not offer formats that the command cannot read.
    let ran = Place::new().run("minutiae prints.html --format html");
    assert!(
        ran.code == 2 && ran.err.contains("[possible values: jsonl, json, csv]"),
        "{}",
        ran.err
    );
    let place = Place::new();
    place.write("prints.html", "<p>none</p>");
    std::fs::copy(
        testdata("formats/unsupported/empty.parquet"),
        place.path("prints.parquet"),
    )
    .unwrap();
    let ran = place.run("minutiae prints.parquet");
    assert!(
        ran.code == 2
            && ran.err.contains("prints.parquet: is a Parquet file, but prints are read from JSON Lines, JSON arrays or CSV"),
        "{}",
        ran.err
    );
    for (input, part) in [
        ("none.jsonl", "no such file"),
        (
            "prints.html",
            "prints.html: is plain text, but prints are read from JSON Lines, JSON arrays or CSV",
        ),
    ] {
        let ran = place.run(&format!("minutiae {input}"));
        assert!(ran.code == 2 && ran.err.contains(part), "{}", ran.err);
    }
}

#[test]
fn the_sources_model_by_formula_and_by_simulation() {
    assert_snapshot!(Place::new().run("minutiae --model").shown(), @r#"
    exit 0
    --- stdout
    probability that two aligned prints share all squares of at least one of 1,024 random sets
    a square has minutiae with probability 0.2; another print of the same finger then has minutiae in it with probability 0.8; simulated: 10,000 pairs of each kind

     squares per set  one finger  simulated  two fingers  simulated
                   3    0.985048     0.9870     0.063437     0.0653
                   4    0.488961     0.4901     0.002618     0.0032
                   5    0.101816     0.1037     0.000105     0.0002
    --- stderr
    "#);
    let ran = Place::new().run("minutiae --model --json --trials 10");
    let table: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (
            ran.code,
            table["sets"].as_u64(),
            table["rows"][2]["members"].as_u64()
        ),
        (0, Some(1024), Some(5))
    );
    assert_eq!(
        (table["rows"][0]["one_finger"].as_f64().unwrap() * 1e6).round(),
        985_048.0
    );
    assert_eq!(Place::new().run("minutiae --model --share 2").code, 2);
    assert_eq!(Place::new().run("minutiae --model --members 65").code, 2);
}

/// Any two minutiae can be aligned with each other, so prints with fewer than three minutiae are not compared.
#[test]
fn prints_of_one_or_two_minutiae_are_never_candidates() {
    let place = Place::new();
    place.write(
        "few.jsonl",
        "{\"id\":1,\"minutiae\":[[1,2,3]]}\n{\"id\":2,\"minutiae\":[[90,70,9]]}\n{\"id\":3,\"minutiae\":[[5,5,3],[60,5,3]]}\n\
         {\"id\":4,\"minutiae\":[[25,5,3],[80,5,3]]}\n",
    );
    for by in [
        "aligned",
        "aligned --sets 64 --members 1",
        "neighbours",
        "reranked",
    ] {
        let ran = place.run(&format!("minutiae few.jsonl --first 100% --by {by}"));
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{by}");
        assert!(
            ran.err.contains("0 pairs written, out of 6 among 4 prints; 0 were candidates\n4 prints with fewer than 3 minutiae"),
            "{}",
            ran.err
        );
    }
    place.write(
        "three.jsonl",
        prints() + "{\"id\":\"a\",\"minutiae\":[[5,5,3],[60,5,3],[9,90,200]]}\n",
    );
    let ran = place.run("minutiae three.jsonl --first 100% --by aligned");
    assert!(
        ran.code == 0 && ran.out.contains("\"a\"") && !ran.err.contains("fewer"),
        "{}",
        ran.err
    );
}

/// Tests a collection of prints that all have no minutiae. The grid then has only one square.
#[test]
fn errors_for_invalid_sets_name_the_flags_that_help() {
    let place = Place::new();
    place.write(
        "empty.jsonl",
        "{\"id\":1,\"minutiae\":[]}\n{\"id\":2,\"minutiae\":[]}\n",
    );
    let ran = place.run("minutiae empty.jsonl --by grid");
    let words = "1024 sets of 3 squares, out of 1, are not possible; use from 1 to 1048576 sets (--sets) of 1 square (--members 1)";
    assert!(ran.code == 2 && ran.err.contains(words), "{}", ran.err);
    let ran = place.run("minutiae empty.jsonl --by grid --members 1");
    assert_eq!((ran.code, &*ran.out), (1, ""), "{}", ran.err);
    place.write("one.jsonl", "{\"id\":1,\"minutiae\":[[1,2,3]]}\n");
    for (asked, words) in [
        (
            "--nearest 4",
            "--nearest only works with --by reranked and --by aligned",
        ),
        ("--by grid --common 9", "--common is about triangles"),
        ("--by aligned --common 9", "--common is about triangles"),
        ("--by reranked --nearest 0", "--nearest"),
    ] {
        let ran = place.run(&format!("minutiae one.jsonl {asked}"));
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{asked}: {}",
            ran.err
        );
    }
    for (asked, words) in [
        ("--members 65", "of 1 to 64 squares (--members)"),
        ("--squares 0", "(--squares)"),
    ] {
        let ran = place.run(&format!("minutiae --model {asked}"));
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{asked}: {}",
            ran.err
        );
    }
}

/// Returns the prints as CSV, with the rows of all prints interleaved.
fn rows() -> String {
    let prints: Vec<serde_json::Value> = prints()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut rows = "quality,angle,id,y,x,finger\n".to_owned();
    for minutia in 0..30 {
        for print in &prints {
            if let Some([x, y, angle]) = print["minutiae"]
                .get(minutia)
                .map(|minutia| [0, 1, 2].map(|at| &minutia[at]))
            {
                writeln!(
                    rows,
                    "50,{angle},{},{y}, {x}.0,{}",
                    print["id"].as_str().unwrap(),
                    print["finger"]
                )
                .unwrap();
            }
        }
    }
    rows
}

#[test]
fn rows_of_csv_are_the_same_prints_as_records() {
    let place = Place::new();
    let degrees = |row: &str| {
        let mut cells: Vec<String> = row.split(',').map(str::to_owned).collect();
        if let Ok(angle) = cells[1].parse::<f64>() {
            cells[1] = (angle * 360.0 / 256.0).to_string();
        }
        cells.join(";")
    };
    let in_degrees: Vec<String> = rows().lines().map(degrees).collect();
    place
        .write("prints.jsonl", prints())
        .write("rows.csv", rows())
        .write("degrees.csv", in_degrees.join("\r\n"));
    place.write("rows", rows());
    for flags in [
        "--first 100%",
        "--first 100% --by aligned --label finger",
        "--first 100% --within finger",
    ] {
        let expected = place.run(&format!("minutiae prints.jsonl {flags}"));
        for input in [
            "rows.csv",
            "degrees.csv --turn 360",
            "degrees.csv --delimiter ; --turn 360",
            "rows --format csv",
        ] {
            let ran = place.run(&format!("minutiae {input} {flags}"));
            assert_eq!(
                (ran.code, ran.out, ran.err),
                (0, expected.out.clone(), expected.err.clone()),
                "{input} {flags}"
            );
        }
    }
    // Ids are strings in CSV, and in each file they are different prints.
    place
        .write("one.csv", "id,x,y,angle\n7,1,2,3\n8,,,\n7,4,5,6\n")
        .write("two.csv", "id,x,y,angle\n7,1,2,3\n");
    let ran = place.run("minutiae one.csv --json");
    assert!(
        ran.err.contains("\"prints\": 2") && ran.err.contains("\"too_few\": 2"),
        "{}",
        ran.err
    );
    let ran = place.run("minutiae one.csv two.csv");
    assert!(
        ran.code == 2 && ran.err.contains("two.csv:2: id \"7\" was already used"),
        "{}",
        ran.err
    );
    let ran = place.run("minutiae one.csv two.csv --allow-repeated-ids --json");
    assert!(ran.err.contains("\"prints\": 3"), "{}", ran.err);
    // A label is compared by its text, because CSV has no numbers.
    place.write(
        "more.csv",
        "id,finger,x,y,angle\nmore,0,1,2,3\nmore,0,4,5,6\nmore,0,9,30,6\n",
    );
    let ran = place.run("minutiae prints.jsonl more.csv --label finger --json --first 0");
    let summary: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(summary["genuine"]["pairs"], 5, "{}", ran.err);
}

/// Returns prints as a template of ISO/IEC 19794-2:2005, each a view of a finger of its own, counted from 1.
fn template(prints: &[&serde_json::Value]) -> Vec<u8> {
    let mut views = Vec::new();
    for (position, print) in (1u8..).zip(prints) {
        let minutiae = print["minutiae"].as_array().unwrap();
        views.extend([position, 0, 80, minutiae.len() as u8]);
        for minutia in minutiae {
            let [x, y, angle] = [0, 1, 2].map(|at| minutia[at].as_u64().unwrap());
            views.extend([
                (x >> 8) as u8 | 0x40,
                x as u8,
                (y >> 8) as u8,
                y as u8,
                angle as u8,
                50,
            ]);
        }
        views.extend([0, 0]);
    }
    let length = 24 + views.len() as u32;
    let image = [0, 0, 1, 244, 1, 244, 0, 197, 0, 197, prints.len() as u8, 0];
    [
        &b"FMR\x00 20\x00"[..],
        &length.to_be_bytes(),
        &image,
        &views,
    ]
    .concat()
}

#[test]
fn templates_are_the_same_prints_as_records() {
    let place = Place::new();
    let lines: Vec<serde_json::Value> = prints()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    place.write("prints.jsonl", prints());
    let expected = place.run("minutiae prints.jsonl --first 100%");
    let named = |name: &dyn Fn(usize, &str) -> String| {
        let ids = lines
            .iter()
            .map(|line| line["id"].as_str().unwrap())
            .enumerate();
        ids.fold(expected.out.clone(), |out, (at, id)| {
            out.replace(&format!("\"{id}\""), &format!("\"{}\"", name(at, id)))
        })
    };
    let folders = ["a", "a", "b", "b", "b", "b/c"];
    for (line, folder) in lines.iter().zip(folders) {
        std::fs::create_dir_all(place.path(&format!("cards/{folder}"))).unwrap();
        let name = format!("cards/{folder}/{}.fmr", line["id"].as_str().unwrap());
        place.write(&name, template(&[line]));
    }
    let ran = place.run("minutiae cards --first 100%");
    assert_eq!((ran.code, ran.err), (0, expected.err.clone()));
    assert_eq!(
        ran.out,
        named(&|at, id| format!("{}/{id}.fmr", folders[at]))
    );
    let all: Vec<&serde_json::Value> = lines.iter().collect();
    place.write("all", template(&all));
    let ran = place.run("minutiae all --first 100%");
    assert_eq!(
        (ran.code, ran.out),
        (0, named(&|at, _| format!("all:{}.0", at + 1))),
        "{}",
        ran.err
    );
    let ran = place.run("minutiae all prints.jsonl --within position --json --first 0");
    // Six prints without the field are compared with each other; the views are of different fingers.
    assert!(
        ran.err.contains("\"prints\": 12") && ran.err.contains("\"pairs\": 15"),
        "{}",
        ran.err
    );
    place.write("cards/more.jsonl", "{\"id\":1,\"minutiae\":[]}\n");
    assert!(
        place
            .run("minutiae cards --json --first 0")
            .err
            .contains("\"prints\": 7")
    );
    let ran = place.run("minutiae all -o all");
    assert!(
        ran.code == 2 && ran.err.contains("would overwrite the input"),
        "{}",
        ran.err
    );
    let mut bad = template(&all[..2]);
    bad.truncate(100);
    place
        .write("bad.fmr", &bad)
        .write("other.fmr", &b"FMR\x00xyz\x00"[..]);
    for (name, words) in [
        (
            "bad.fmr",
            "bad.fmr: not a valid fingerprint template: byte 100: the data ends within minutia 13 of 30; templates of ISO/IEC 19794-2",
        ),
        (
            "other.fmr",
            "other.fmr: not a valid fingerprint template: byte 4: version \"xyz\"; only",
        ),
    ] {
        let ran = place.run(&format!("minutiae {name}"));
        assert!(ran.code == 2 && ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn bad_row_errors_name_file_line_column_and_remedy() {
    for (rows, flags, parts) in [
        (
            "id,x,y\na,1,2\n",
            "",
            &[
                "rows.csv:1: no column \"angle\"; the columns are \"id\", \"x\", \"y\"",
                "must have the columns",
            ][..],
        ),
        (
            "print,x,y,angle\na,1,2,3\n",
            "",
            &["rows.csv:1: no column \"id\"", "--id-field"],
        ),
        (
            "id,x,y,angle\na,1,2,3\n",
            "--label finger",
            &["rows.csv:1: no column \"finger\"", "--label"],
        ),
        (
            "id,x,y,angle\na,1,2,3\n",
            "--within sensor",
            &["rows.csv:1: no column \"sensor\"", "--within"],
        ),
        (
            "id,x,y,angle\na,1,2,3\na,1,two,3\n",
            "",
            &["rows.csv:3: field \"y\" is \"two\"; a number is needed"],
        ),
        (
            "id,x,y,angle\na,1,2,\n",
            "",
            &["rows.csv:2: field \"angle\" is empty; a number is needed"],
        ),
        (
            "id,x,y,angle\na,1,2,NaN\n",
            "",
            &["rows.csv:2: field \"angle\" is \"NaN\"; a number is needed"],
        ),
        (
            "id,x,y,angle\na,1,2,270\n",
            "",
            &["rows.csv:2: field \"angle\" is \"270\"; a turn is 256; give --turn 360"],
        ),
        (
            "id,x,y,angle\na,1,99999,2\n",
            "",
            &["rows.csv:2: field \"y\" is \"99999\"; give pixels from -32767"],
        ),
        (
            "id,x,y,angle\n,1,2,3\n",
            "",
            &["rows.csv:2: field \"id\" is empty; each row needs the id"],
        ),
        (
            "id,x,y,angle\na,1,2\n",
            "",
            &[
                "rows.csv:2: the row has 3 fields, but the header has 4",
                "--delimiter",
            ],
        ),
        (
            "id,x,x,y,angle\na,1,2,3,4\n",
            "",
            &["duplicate field \"x\""],
        ),
        (
            "id,f,x,y,angle\na,1,1,2,3\nb,2,1,2,3\na,2,4,5,6\n",
            "--label f",
            &[
                "rows.csv:4: field \"f\" is \"2\", but \"1\" in an earlier row of the print \"a\"; all rows",
            ],
        ),
    ] {
        let place = Place::new();
        place.write("rows.csv", rows);
        let ran = place.run(&format!("minutiae rows.csv {flags}"));
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (2, ""),
            "{rows} {flags}: {}",
            ran.err
        );
        for part in parts {
            assert!(
                ran.err.contains(part),
                "{rows} {flags}: no {part:?} in {}",
                ran.err
            );
        }
    }
    let place = Place::new();
    place.write("rows", "id,x,y,angle\na,1,2,3\n");
    let ran = place.run("minutiae rows");
    assert!(
        ran.code == 2
            && ran.err.contains("rows:1: not a JSON object")
            && ran.err.contains("for CSV, give --format csv"),
        "{}",
        ran.err
    );
}

/// The minimum numbers of genuine pairs that this test requires are a little below the measured values, which are in
/// `docs/fingerprints.md`.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn real_prints() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("LOOKALIKE_DATA").map_or(here, PathBuf::from);
    let path = folder.join("fvc_minutiae_dev.jsonl.zst");
    if !path.exists() {
        // Write directly to standard error: the test runner hides what a passing test prints.
        drop(std::io::Write::write_fmt(
            &mut std::io::stderr(),
            format_args!(
                "skipped: {} is not there; set LOOKALIKE_DATA\n",
                path.display()
            ),
        ));
        return;
    }
    let place = Place::new();
    let figures = |by: &str| {
        let flags = "--columns type,x,y,angle,quality --within db --label finger --json -o pairs.jsonl --by";
        let ran = place.run(&format!("minutiae {} {flags} {by}", path.display()));
        let summary: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
        assert_eq!(
            (
                &summary["prints"],
                &summary["pairs"],
                &summary["genuine"]["pairs"]
            ),
            (&320.into(), &12_640.into(), &1_120.into())
        );
        let of = |at: usize| summary["genuine"]["first"][at]["genuine"].as_u64().unwrap();
        // The equal error rate in thousandths.
        let rate = (summary["genuine"]["equal_error_rate"].as_f64().unwrap() * 1000.0) as u64;
        [
            of(1),
            of(2),
            rate,
            summary["candidates"].as_u64().unwrap(),
            summary["genuine"]["candidates"].as_u64().unwrap(),
        ]
    };
    let [first, tenth, rate, candidates, _] = figures("reranked");
    assert!(
        first >= 125 && tenth >= 890 && rate <= 105 && candidates < 4_000,
        "{first} {tenth} {rate} {candidates}"
    );
    assert_eq!(
        figures("reranked --common 50 --nearest 16"),
        figures("reranked")
    );
    let [first, tenth, rate, ..] = figures("neighbours --common 20");
    assert!(
        first >= 120 && tenth >= 780 && rate <= 180,
        "{first} {tenth} {rate}"
    );
    let [first, tenth, ..] = figures("neighbours");
    assert!(first >= 125 && tenth >= 810, "{first} {tenth}");
    let [first, tenth, ..] = figures("aligned");
    assert!(first >= 125 && tenth >= 740, "{first} {tenth}");
    let [first, tenth, ..] = figures("grid --sets 0");
    assert!(first >= 20 && tenth >= 150, "{first} {tenth}");
    // With random sets of squares, only a small share of all pairs of aligned prints become candidates, but a larger share of the
    // genuine pairs (two prints from the same finger).
    let [.., candidates, genuine] = figures("aligned --sets 1024");
    assert!(
        candidates <= 700 && genuine >= 220,
        "{candidates} {genuine}"
    );
}
