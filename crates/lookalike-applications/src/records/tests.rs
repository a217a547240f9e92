//! Checks the properties of linkage, and compares its results with those of naive implementations.

use proptest::prelude::*;

use super::*;

fn field(name: &str, kind: Kind) -> FieldConfig {
    FieldConfig::new(name, kind)
}

fn linker(config: LinkConfig) -> Linker {
    Linker::new(config).unwrap()
}

fn records(linker: &Linker, raw: &[Vec<String>]) -> Records {
    let (mut records, mut scratch) = (
        Records::new(linker.config().fields.len()),
        Scratch::default(),
    );
    for record in raw {
        let mut values = vec![String::new(); record.len()];
        for (at, value) in record.iter().enumerate() {
            linker.normalise(at, value, &mut scratch, &mut values[at]);
        }
        records.push(values.iter().map(String::as_str));
    }
    records
}

/// Checks the customers in the example of *Mining of Massive Datasets*: name, address and phone, 100 points each.
#[test]
fn the_sources_customers() {
    let fields = vec![
        field("name", Kind::Name),
        field("address", Kind::Address),
        field("phone", Kind::Phone),
    ];
    let linker = linker(LinkConfig {
        fields,
        ..LinkConfig::default()
    });
    let customers = [
        ["Jonathan Smith", "12 High Street", "213 555 0100"],
        ["Jonathon Smith", "12 High St.", "2135550100"],
        ["Bill Gates", "12 High Street", "213-555-0100"],
        ["Jonathan Smith", "", "213 555 0100"],
        ["Ann Lee", "99 Low Road", "310 555 9999"],
    ];
    let raw: Vec<Vec<String>> = customers
        .iter()
        .map(|record| record.map(String::from).to_vec())
        .collect();
    let records = records(&linker, &raw);
    let points = |a, b| 300.0 * linker.score(&records, a, b).unwrap();
    assert_eq!(points(0, 0), 300.0);
    assert!(
        (290.0..300.0).contains(&points(0, 1)),
        "a small difference in spelling: {}",
        points(0, 1)
    );
    assert!(
        (200.0..255.0).contains(&points(0, 2)),
        "another name: {}",
        points(0, 2)
    );
    assert_eq!(points(0, 3), 300.0, "what is missing is left out");
    assert!(points(0, 4) < 200.0);
    let met: Vec<Option<usize>> = (1..5)
        .map(|b| linker.shared_block(&records, 0, b))
        .collect();
    assert_eq!(
        met,
        [Some(1), Some(1), Some(0), None],
        "by the first field in common"
    );
}

#[test]
fn missing_values_are_excluded_or_get_a_share() {
    let mut fields = vec![
        field("a", Kind::Exact),
        field("b", Kind::Exact),
        field("c", Kind::Exact),
    ];
    fields[1].weight = 50.0;
    fields[2].missing = Some(Missing::Share(0.5));
    let config = LinkConfig {
        fields,
        ..LinkConfig::default()
    };
    let raw = [["x", "", ""], ["x", "y", ""], ["", "", "z"]]
        .map(|record| record.map(String::from).to_vec());
    let first = linker(config.clone());
    let score = |linker: &Linker, a, b| linker.score(&records(linker, &raw), a, b);
    assert_eq!(score(&first, 0, 1), Some(0.75));
    assert_eq!(score(&first, 0, 2), Some(0.5));
    let of_all = linker(LinkConfig {
        missing: Missing::Share(0.0),
        ..config.clone()
    });
    assert_eq!(score(&of_all, 0, 1), Some(0.6));
    let mut left_out = config;
    left_out.fields[2].missing = None;
    assert_eq!(score(&linker(left_out), 0, 2), None, "nothing to go by");
}

#[test]
fn errors_contain_the_cause_and_advice() {
    let usual = || LinkConfig {
        fields: vec![field("a", Kind::Name), field("b", Kind::Date)],
        ..LinkConfig::default()
    };
    let with = |change: fn(&mut LinkConfig)| {
        let mut config = usual();
        change(&mut config);
        Linker::new(config).unwrap_err()
    };
    for (error, part) in [
        (
            with(|c| c.fields.clear()),
            "there is no field to compare; add at least one",
        ),
        (
            with(|c| c.matches = Some(1.5)),
            "match must be above 0 and at most 1, got 1.5",
        ),
        (
            with(|c| c.matches = Some(f64::NAN)),
            "match must be above 0 and at most 1, got NaN",
        ),
        (
            with(|c| c.possible = Some(0.0)),
            "possible must be above 0 and at most 1, got 0",
        ),
        (
            with(|c| c.possible = Some(0.9)),
            "possible = 0.9 is above match = 0.85, which is the default, but ",
        ),
        (
            with(|c| (c.matches, c.possible) = (Some(0.8), Some(0.9))),
            "possible = 0.9 is above match = 0.8, but ",
        ),
        (
            with(|c| c.fields[0].from = vec!["x".into(), "y".into(), "x".into()]),
            "field \"a\": from has \"x\" twice",
        ),
        (
            with(|c| (c.fields[1].month_first, c.fields[1].compare) = (true, Some(Compare::Exact))),
            "month_first does not work with compare",
        ),
        (
            with(|c| {
                let number = FieldConfig {
                    within: Some(Within::Apart(2.0)),
                    compare: Some(Compare::Edits),
                    ..FieldConfig::new("n", Kind::Number)
                };
                c.fields[1] = number;
            }),
            "field \"n\": within does not work with compare",
        ),
        (
            with(|c| c.blocks = vec![BlockConfig::equal(&["a", "b", "a"])]),
            "block 1 lists \"a\" twice under equal",
        ),
        (
            with(|c| c.missing = Missing::Share(2.0)),
            "missing must be from 0 to 1 or \"skip\", got 2",
        ),
        (
            with(|c| c.fields[0].missing = Some(Missing::Share(-1.0))),
            "field \"a\": missing must be from 0 to 1 or \"skip\", got -1",
        ),
        (
            with(|c| c.fields[1].name = "a".into()),
            "duplicate field \"a\"",
        ),
        (with(|c| c.fields[1].name.clear()), "field 2 has no name"),
        (
            with(|c| c.fields[0].weight = 0.0),
            "field \"a\": weight must be above 0 and at most 1000000, got 0",
        ),
        (
            with(|c| c.fields[0].weight = f64::INFINITY),
            "weight must be above 0 and at most 1000000, got inf",
        ),
        (
            with(|c| c.fields[0].floor = 1.0),
            "field \"a\": floor must be at least 0 and below 1, got 1",
        ),
        (
            with(|c| c.fields[0].within = Some(Within::Apart(2.0))),
            "within only works with type = \"number\"",
        ),
        (
            with(|c| c.fields[0].month_first = true),
            "month_first only works with type = \"date\"",
        ),
        (
            with(|c| c.blocks = vec![BlockConfig::equal(&[])]),
            "block 1 must have either equal",
        ),
        (
            with(|c| {
                c.blocks = vec![BlockConfig {
                    equal: BlockConfig::equal(&["a"]).equal,
                    ..BlockConfig::similar("a", 0.5)
                }]
            }),
            "block 1 must have either equal",
        ),
        (
            with(|c| {
                c.blocks = vec![BlockConfig {
                    ngrams: Some(2),
                    ..BlockConfig::equal(&["a"])
                }]
            }),
            "block 1 has ngrams",
        ),
        (
            with(|c| {
                c.blocks = vec![BlockConfig {
                    at_most: Some(1),
                    ..BlockConfig::equal(&["a"])
                }]
            }),
            "at_most to 2 or more",
        ),
        (
            with(|c| c.blocks = vec![BlockConfig::equal(&["a"]), BlockConfig::equal(&["c"])]),
            "block 2 names the field \"c\", which does not exist; the fields are \"a\", \"b\"",
        ),
        (
            with(|c| c.blocks = vec![BlockConfig::similar("a", 2.0)]),
            "block 1: threshold must be above 0 and at most 1, got 2",
        ),
        (
            with(|c| {
                c.blocks = vec![BlockConfig {
                    ngrams: Some(0),
                    ..BlockConfig::similar("a", 0.5)
                }]
            }),
            "block 1: a shingle must have from 1",
        ),
    ] {
        assert!(error.to_string().contains(part), "{error}: {part}");
    }
    assert!(Linker::new(usual()).is_ok());
    let low = Linker::new(LinkConfig {
        matches: Some(0.7),
        ..usual()
    })
    .unwrap();
    assert_eq!(
        (low.config().least(), low.verdict(0.7), low.verdict(0.69)),
        (0.7, Verdict::Match, Verdict::Not)
    );
    assert_eq!(usual().least(), 0.75);
}

/// Returns a part of a value in the naive way.
fn part_of(value: &str, take: Take, prefix: Option<usize>) -> String {
    let words: Vec<&str> = value.split_whitespace().collect();
    let taken = match take {
        Take::FirstWord => words.first().unwrap_or(&"").to_string(),
        Take::LastWord => words.last().unwrap_or(&"").to_string(),
        _ => value.to_string(),
    };
    taken.chars().take(prefix.unwrap_or(usize::MAX)).collect()
}

fn raw_records() -> impl Strategy<Value = Vec<Vec<String>>> {
    prop::collection::vec(prop::collection::vec("([ab]{1,2}( [cd]){0,2})?", 3), 2..8)
}

proptest! {
    /// Checks that the candidates are exactly the pairs of records with equal values. The naive implementation compares the
    /// values themselves.
    #[test]
    fn blocks_are_equality_of_values(raw in raw_records(), prefix in prop::option::of(1usize..3)) {
        let takes = [Take::Whole, Take::FirstWord, Take::LastWord];
        let part = |field: &str, take| Part { field: field.into(), take, prefix, suffix: None };
        let blocks: Vec<BlockConfig> = takes
            .iter()
            .map(|&take| BlockConfig { equal: vec![part("x", take), part("y", Take::Whole)], ..BlockConfig::equal(&[]) })
            .collect();
        let fields = ["x", "y", "z"].map(|name| field(name, Kind::Text)).to_vec();
        let linker = linker(LinkConfig { fields, blocks, ..LinkConfig::default() });
        let records = records(&linker, &raw);
        for a in 0..raw.len() {
            for b in 0..raw.len() {
                let naive = takes.iter().position(|&take| {
                    let of = |record: &Vec<String>| (part_of(&record[0], take, prefix), part_of(&record[1], Take::Whole, prefix));
                    let (x, y) = (of(&raw[a]), of(&raw[b]));
                    x == y && !x.0.is_empty() && !x.1.is_empty()
                });
                let (a, b) = (a as u32, b as u32);
                prop_assert_eq!(linker.shared_block(&records, a, b), naive);
                prop_assert_eq!(linker.shared_block(&records, b, a), naive, "candidates of each other");
            }
        }
    }

    /// Checks that a score is the share of the points, in either order of the records. Also checks that `score_from` returns the
    /// same score if the score reaches the given limit.
    #[test]
    fn scores_are_shares_of_points(raw in raw_records(), least in 0.0..1.0f64, share in prop::option::of(0.0..1.0f64)) {
        let mut fields = [Kind::Name, Kind::Text, Kind::Code].map(|kind| field(&format!("{kind:?}"), kind)).to_vec();
        fields[1].weight = 30.0;
        fields[0].floor = 0.5;
        let missing = share.map_or(Missing::Skip, Missing::Share);
        let linker = linker(LinkConfig { fields, missing, ..LinkConfig::default() });
        let records = records(&linker, &raw);
        for a in 0..raw.len() as u32 {
            for b in 0..raw.len() as u32 {
                let (mut points, mut whole) = (0.0, 0.0);
                for at in 0..3 {
                    let weight = linker.config().fields[at].weight;
                    match linker.points(&records, at, a, b) {
                        Points::Given(given) | Points::Missing(given) => {
                            prop_assert!((0.0..=weight).contains(&given));
                            points += given;
                            whole += weight;
                        }
                        Points::LeftOut => {}
                    }
                }
                let score = linker.score(&records, a, b);
                prop_assert_eq!(score, linker.score(&records, b, a));
                match score {
                    None => prop_assert_eq!(whole, 0.0),
                    Some(score) => prop_assert!((score - points / whole).abs() < 1e-4),
                }
                prop_assert_eq!(linker.score_from(&records, a, b, least), score.filter(|&score| score >= least));
            }
        }
    }

    /// Checks that values with the same n-grams are always candidates, and that empty values never are.
    #[test]
    fn values_with_the_same_ngrams_are_candidates(raw in raw_records()) {
        let fields = ["x", "y", "z"].map(|name| field(name, Kind::Text)).to_vec();
        let blocks = vec![BlockConfig::similar("x", 0.7)];
        let linker = linker(LinkConfig { fields, blocks, ..LinkConfig::default() });
        let records = records(&linker, &raw);
        for a in 0..raw.len() as u32 {
            for b in 0..raw.len() as u32 {
                let (x, y) = (records.get(a, 0), records.get(b, 0));
                let met = linker.shared_block(&records, a, b).is_some();
                prop_assert_eq!(met, linker.shared_block(&records, b, a).is_some());
                prop_assert!(met || x != y || x.is_empty());
                prop_assert!(!met || !x.is_empty() && !y.is_empty());
            }
        }
    }
}
