//! Checks that `docs/summaries.schema.json` agrees with the output of the commands. The commands print all fields that the schema
//! requires and no field that is not in the schema, and each field of the schema occurs in some output.
//!
//! The schema uses a dozen keywords, which are checked here. A validator for all of JSON Schema would take a minute to build.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Map, Value};

use crate::{Place, SMALL, link_labelled, link_learned, testdata};

struct Schema {
    root: Value,
    /// The fields that occurred, each with the definition that contains it.
    seen: BTreeSet<String>,
}

impl Schema {
    fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/summaries.schema.json");
        Self {
            root: serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap(),
            seen: BTreeSet::new(),
        }
    }

    fn definitions(&self) -> &Map<String, Value> {
        self.root["$defs"].as_object().unwrap()
    }

    /// Records the fields of a summary if the summary fits the definition.
    fn take(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        self.check(&self.definitions()[name], name, value, &mut seen)
            .map_err(|why| format!("{name}: {why}"))?;
        self.seen.extend(seen);
        Ok(())
    }

    /// Checks a value against a schema, which is part of a definition.
    fn check(
        &self,
        schema: &Value,
        of: &str,
        value: &Value,
        seen: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        let rules = schema.as_object().unwrap();
        let list = |name: &str| {
            rules
                .get(name)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        for (keyword, rule) in rules {
            let fits = match (keyword.as_str(), value) {
                ("description" | "properties" | "required", _) => true,
                ("$ref", _) => {
                    let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    self.check(&self.definitions()[name], name, value, seen)?;
                    true
                }
                ("anyOf", _) => {
                    list("anyOf").any(|schema| self.check(schema, of, value, seen).is_ok())
                }
                ("type", _) => match rule {
                    Value::Array(types) => types.iter().any(|name| is_of_type(value, name)),
                    name => is_of_type(value, name),
                },
                ("const", _) => rule == value,
                ("enum", _) => list("enum").any(|one| one == value),
                ("minimum", Value::Number(number)) => number.as_f64() >= rule.as_f64(),
                ("minItems", Value::Array(items)) => items.len() as u64 >= rule.as_u64().unwrap(),
                ("maxItems", Value::Array(items)) => items.len() as u64 <= rule.as_u64().unwrap(),
                ("items", Value::Array(items)) => {
                    items
                        .iter()
                        .try_for_each(|item| self.check(rule, of, item, seen))?;
                    true
                }
                ("additionalProperties", Value::Object(fields)) => {
                    fields
                        .values()
                        .try_for_each(|field| self.check(rule, of, field, seen))?;
                    true
                }
                ("minimum" | "minItems" | "maxItems" | "items" | "additionalProperties", _) => true,
                _ => panic!("{of}: {keyword} is not checked here"),
            };
            if !fits {
                return Err(format!("{value} against {keyword}: {rule}"));
            }
        }
        // The schema allows fields that it does not list; this test does not allow them.
        if let (Some(Value::Object(properties)), Value::Object(fields)) =
            (rules.get("properties"), value)
        {
            for (name, field) in fields {
                let Some(schema) = properties.get(name) else {
                    return Err(format!("{of} has no field {name}"));
                };
                self.check(schema, of, field, seen)
                    .map_err(|why| format!("{name}: {why}"))?;
                seen.insert(format!("{of}.{name}"));
            }
            for name in list("required").map(|name| name.as_str().unwrap()) {
                if !fields.contains_key(name) {
                    return Err(format!("{of} lacks {name}"));
                }
            }
        }
        Ok(())
    }
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("{other} is not checked here"),
    }
}

/// Fields that occur only in resumed runs.
const UNSEEN: [&str; 5] = [
    "dedup.resumed",
    "cut.resumed",
    "stage.left_out",
    "Resumed.stage",
    "Resumed.share",
];

fn people() -> String {
    let of = |id: u32, name: &str, born: &str, since: u32| {
        format!(
            "{{\"id\": {id}, \"name\": \"{name}\", \"born\": \"{born}\", \"since\": {since}, \"who\": {}}}\n",
            id / 2
        )
    };
    [
        of(2, "Ann Lee", "1970-01-02", 10),
        of(3, "Anne Lee", "1970-01-02", 12),
        of(4, "Bob Ray", "1970-01-02", 50),
        of(5, "Bob Ray", "1980-03-04", 50),
    ]
    .concat()
}

fn place() -> Place {
    let place = Place::new();
    let words = |from: usize| {
        (from..from + 60)
            .map(|word| format!("w{}", word * 7919 % 100_003))
            .collect::<Vec<_>>()
            .join(" ")
    };
    place
        .write("in.jsonl", SMALL.to_string() + "no record\n")
        .write("old.jsonl", "{\"id\": 7, \"text\": \"Another text.\"}\n");
    let shared = |number: usize| {
        format!(
            "{{\"id\": {number}, \"group\": {}, \"text\": \"{} {number}\"}}\n",
            number / 2,
            words(number / 2 * 100)
        )
    };
    place.write("many.jsonl", (0..40).map(shared).collect::<String>());
    fs::create_dir_all(place.path("folder/one")).unwrap();
    fs::create_dir_all(place.path("folder/two")).unwrap();
    for site in ["one", "two"] {
        fs::write(
            place.path(&format!("folder/{site}/a.html")),
            format!("<p>{}", words(1)),
        )
        .unwrap();
        fs::write(
            place.path(&format!("folder/{site}/empty.html")),
            "<script>1</script>",
        )
        .unwrap();
        fs::write(place.path(&format!("folder/{site}/picture.xyz")), "?").unwrap();
    }
    let deep = "<div>".repeat(5000);
    fs::write(
        place.path("folder/one/b.html"),
        format!("<body>{deep}<p>{}", words(9000)),
    )
    .unwrap();
    fs::create_dir_all(place.path("records")).unwrap();
    place
        .write("records/a.jsonl", SMALL)
        .write("records/b.xlsx", "PK");
    let form = |number: usize| {
        if number < 20 {
            "漢語書寫時間問題學習電腦"
        } else {
            "汉语书写时间问题学习电脑"
        }
    };
    place.write(
        "mixed.jsonl",
        (0..40)
            .map(|id| format!("{{\"id\": {id}, \"text\": \"{}\"}}\n", form(id)))
            .collect::<String>(),
    );
    let field = |id: usize| {
        format!(
            "{{\"id\": {id}, \"text\": \"{}\", \"title\": \"Two\"}}\n",
            form(id)
        )
    };
    let large = format!(
        "{{\"id\": \"large\", \"text\": \"<body>{deep}<p>{}\", \"title\": \"One\"}}\n",
        words(9000)
    );
    place.write(
        "fields.jsonl",
        (0..40).map(field).collect::<String>() + &large,
    );
    for site in ["mixed/one", "mixed/two"] {
        fs::create_dir_all(place.path(site)).unwrap();
        (0..40).for_each(|page| {
            fs::write(place.path(&format!("{site}/{page:02}.txt")), form(page)).unwrap()
        });
    }
    place
        .write("people.jsonl", people())
        .write("more.jsonl", people());
    place.write(
        "link.toml",
        "match = 0.9\npossible = 0.5\n[[field]]\nname = \"name\"\ntype = \"name\"\n[[field]]\nname = \"born\"\ntype = \"date\"\n\
         [[block]]\nsimilar = \"name\"\n[[block]]\nequal = [\"born\"]\nat_most = 2\n",
    );
    place
        .write("citizens.jsonl", link_learned::people(600))
        .write("learned.toml", link_learned::CONFIG);
    place.write(
        "labelled.toml",
        link_learned::CONFIG.replace("\"learned\"", "\"labelled\""),
    );
    place.write("with-empty.jsonl", people() + "{\"id\":\"empty\"}\n");
    place.write(
        "some.jsonl",
        link_labelled::pairs(&link_learned::people(600), 2, true),
    );
    place.write("true.jsonl", "{\"a\": 2, \"b\": 3}\n");
    let print = |id: u32| {
        let minutiae: Vec<[u32; 3]> = (0..30)
            .map(|i| [(i * 37 + id) % 250, i * 53 % 300, i * 11 % 256])
            .collect();
        format!(
            "{{\"id\": {id}, \"finger\": {}, \"minutiae\": {minutiae:?}}}\n",
            id / 2
        )
    };
    place.write(
        "prints.jsonl",
        (0..4).map(print).collect::<String>() + "{\"id\": 9, \"minutiae\": [[1, 2, 3]]}\n",
    );
    place
        .write("removed.txt", "first\nunknown\n")
        .write("zero.txt", "0\n");
    place.write(
        "groups.csv",
        (0..40).fold("id,cluster\n".to_string(), |rows, id| {
            rows + &format!("{id},{}\n", id / 4)
        }),
    );
    place.write("rows.txt", "a b\n1 0\n0 1\n1 1\n");
    place
}

#[test]
fn the_schema_matches_the_output_of_the_commands() {
    let (place, mut schema) = (place(), Schema::read());
    assert_eq!(place.run("index create index").code, 0);
    let chinese = testdata("zh_tang.jsonl.zst");
    for (definition, command) in [
        ("dedup", "dedup many.jsonl --against old.jsonl --preset quotations --anchors en".to_string()),
        ("dedup", "dedup many.jsonl --drop all".into()),
        ("dedup", "dedup fields.jsonl --or-field title --preset quotations --anchors en --html main".into()),
        ("dedup", "dedup fields.jsonl --and-field title".into()),
        ("dedup", "dedup in.jsonl --skip-bad bad.txt".into()),
        ("dedup", "dedup records folder --text-field text --html main".into()),
        ("dedup", format!("dedup {chinese} --candidates shared --measure containment")),
        ("dedup", "dedup many.jsonl --method simhash".into()),
        ("dedup", "dedup mixed.jsonl --report report.html".into()),
        ("apply", "apply why.jsonl many.jsonl folder -o applied.jsonl".into()),
        ("apply", "apply near.jsonl many.jsonl -o applied.jsonl -t 0.9".into()),
        ("pairs", "pairs many.jsonl --against old.jsonl --nearest 2 --preset quotations --anchors en -o pairs.jsonl".into()),
        ("pairs", "pairs records folder --html main -o pairs.jsonl".into()),
        ("pairs", "pairs in.jsonl --skip-bad bad.txt --exact -o pairs.jsonl".into()),
        ("pairs", "pairs mixed.jsonl -o pairs.jsonl --report report.html".into()),
        ("compare", "compare 0 1 --in many.jsonl --sketches --longest 2 --anchors en".into()),
        ("compare", "compare 0 5 --in many.jsonl".into()),
        ("sketch", "sketch many.jsonl folder -o many.sketches.jsonl".into()),
        ("sketch", "sketch --merge many.sketches.jsonl -o merged.parquet --union".into()),
        ("pairs", "pairs many.sketches.jsonl -o pairs.jsonl".into()),
        ("compare_sketches", "compare 0 5 --in many.sketches.jsonl".into()),
        ("curve_sketches", "curve --sketches many.sketches.jsonl".into()),
        ("cut", "cut records folder -o clean.jsonl --window 2 --memory 64M".into()),
        ("cut", "cut many.jsonl --unit lines".into()),
        ("cut", "cut many.jsonl --unit lines --mark -o marked.jsonl --report report.html".into()),
        ("passages", "passages many.jsonl -o passages.jsonl --common 1".into()),
        ("passages", "passages many.jsonl -o passages.jsonl --regions --min-tokens 5 --score 2".into()),
        ("passages", "passages records folder -o passages.jsonl --report report.html".into()),
        ("audit", "audit groups.csv --texts many.jsonl".into()),
        ("audit", "audit zero.txt --texts many.jsonl".into()),
        ("audit", "audit removed.txt --texts records folder --text-field text --sample 0".into()),
        ("eval", "eval many.jsonl --sample 40 --run=".into()),
        ("eval", "eval many.jsonl --labels group --run= --report report.html".into()),
        ("mirrors", "mirrors folder --depth 1 --html main --preset quotations --anchors en --common-sites 9 --pages pages.jsonl --unmatched alone.jsonl -o sites.jsonl".into()),
        ("mirrors", "mirrors folder/one folder/two --depth 0 --threshold 1 --share 1 -o sites.jsonl".into()),
        ("mirrors", "mirrors mixed --depth 1 -o sites.jsonl --report report.html".into()),
        ("mirrors", "mirrors folder --depth 1 --changed --threshold 1 --share 1 -o sites.jsonl".into()),
        ("mirrors_history", "mirrors folder/one folder/two mixed --depth 0 --html main --preset quotations --anchors en -o history.jsonl".into()),
        ("mirrors_history", "mirrors mixed in.jsonl --history --skip-bad bad.txt -o history.jsonl".into()),
        ("link", "link people.jsonl -c link.toml -o links.jsonl --truth true.jsonl --clusters clusters.jsonl".into()),
        ("link", "link people.jsonl -c link.toml -o links.jsonl --label who --right-by since".into()),
        ("link", "link people.jsonl more.jsonl -c link.toml -o links.jsonl".into()),
        ("link", "link with-empty.jsonl more.jsonl -c link.toml -o links.jsonl".into()),
        ("link", "link people.jsonl -c link.toml -o links.jsonl --report report.html".into()),
        ("link", "link citizens.jsonl -c learned.toml -o links.jsonl".into()),
        ("link", "link citizens.jsonl -c labelled.toml -o links.jsonl --truth some.jsonl".into()),
        ("link_dry_run", "link people.jsonl -c link.toml --dry-run".into()),
        ("link_dry_run", "link people.jsonl more.jsonl -c link.toml --dry-run".into()),
        ("link_explain", "link people.jsonl -c link.toml --explain 2 3".into()),
        ("link_explain", "link citizens.jsonl -c learned.toml --explain 0 0b".into()),
        ("index_add", "index add index in.jsonl folder --skip-bad bad.txt".into()),
        ("index_add", "index replace index many.jsonl".into()),
        ("index_query", "index query index in.jsonl folder --skip-bad bad.txt -o found.jsonl".into()),
        ("index_delete", "index delete index first".into()),
        ("index_check", "index check index".into()),
        ("index_stats", "index stats index".into()),
        ("minutiae", "minutiae prints.jsonl --label finger -o prints.pairs.jsonl".into()),
        ("minutiae_model", "minutiae --model --squares 1000 --trials 10".into()),
        ("stage", "stage status work".into()),
        ("curve_bands", "curve".into()),
        ("curve_distance", "curve --distance 3".into()),
        ("curve_ids", "curve --degree 32 --shingles 5000".into()),
        ("curve_matrix", "curve --matrix rows.txt --hash 2x+1%5 --steps".into()),
        ("curve_sharing", "curve --candidates super --threshold 0.9".into()),
        ("curve_sample_sizes", "curve --sample-size --within 0.05 --documents 1000".into()),
        ("curve_sample_precision", "curve --sample-size --sketch 100 --documents 1000".into()),
    ] {
        if command.starts_with("apply") {
            assert_eq!(place.run("dedup many.jsonl folder --decisions why.jsonl").code, 0);
            assert_eq!(place.run("pairs many.jsonl -o near.jsonl").code, 0);
        }
        if command.starts_with("stage") {
            assert_eq!(place.run("stage plan work --shards 2 -- many.jsonl -o kept-{}.jsonl").code, 0);
        }
        let flag = if definition == "index_query" { "--summary -" } else { "--json" };
        let ran = place.run(&format!("{command} {flag}"));
        assert!(ran.code < 2, "{command}: {}", ran.err);
        // If lines are written to standard output, the summary is on standard error, after the messages about bad lines.
        let printed = if ran.out.is_empty() { &ran.err } else { &ran.out };
        let printed = &printed[printed.find("{\n").unwrap_or_else(|| panic!("{command}: {printed}"))..];
        let summary: Value = serde_json::from_str(printed).unwrap_or_else(|error| panic!("{command}: {error}: {printed}"));
        schema.take(definition, &summary).unwrap_or_else(|why| panic!("{command}: {why}"));
        let fits = |name: &String| schema.check(&schema.definitions()[name], name, &summary, &mut BTreeSet::new()).is_ok();
        let commands = schema.root["oneOf"].as_array().unwrap().iter();
        let names = commands.map(|one| one["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap().to_string());
        assert_eq!(names.filter(fits).collect::<Vec<_>>(), [definition], "{command}");
    }
    let fields = |(name, definition): (&String, &Value)| {
        let fields = definition["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(|field| format!("{name}.{field}"));
        fields.collect::<Vec<_>>()
    };
    let all: BTreeSet<String> = schema.definitions().iter().flat_map(fields).collect();
    let unseen: Vec<&String> = all
        .difference(&schema.seen)
        .filter(|field| !UNSEEN.contains(&field.as_str()))
        .collect();
    assert!(
        unseen.is_empty(),
        "fields of the schema that no run has: {unseen:?}"
    );
}
