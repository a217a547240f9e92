//! Checks suggestions for made-up columns.

use super::*;
use crate::records::{
    BlockConfig, Compare, Kind, LinkConfig, Linker, Records, Scratch, Weights, Within,
};

fn column(path: &str, value: impl Fn(usize) -> String) -> Column {
    Column {
        path: path.into(),
        values: (0..200).map(value).collect(),
        is_nested: false,
    }
}

/// Returns columns of people, of whom each second record is a copy of the one before.
fn people() -> Vec<Column> {
    const NAMES: [&str; 15] = [
        "Anna", "Berta", "Carla", "Dora", "Emil", "Fritz", "Georg", "Hanna", "Ida", "Jonas",
        "Karl", "Lena", "Max", "Nora", "Otto",
    ];
    let who = |record: usize| record / 2;
    let address = move |record| format!("{} {} Street", who(record) + 1, NAMES[who(record) % 13]);
    vec![
        column("row", |record| record.to_string()),
        column("person.given", move |record| {
            NAMES[who(record) * 7 % 15].into()
        }),
        column("person.authors", move |record| {
            format!(
                "A. {} and B. {}",
                NAMES[who(record) % 15],
                NAMES[who(record) * 4 % 15]
            )
        }),
        column("born", move |record| {
            format!(
                "{}/{}/19{}",
                who(record) % 12 + 1,
                who(record) % 28 + 1,
                10 + who(record) % 80
            )
        }),
        column("year", move |record| (1990 + who(record) % 20).to_string()),
        column("phone", move |record| {
            if record % 10 == 3 {
                "N/A".into()
            } else {
                format!("(0431) 55{:05}", 7919 * who(record) % 99_999)
            }
        }),
        column("price", move |record| {
            if record % 9 == 0 {
                "0.0".into()
            } else {
                format!("{}.50", who(record))
            }
        }),
        column("address", address),
        column("state", move |record| {
            if who(record).is_multiple_of(3) {
                "SH".into()
            } else {
                "HH".into()
            }
        }),
        column("country", |_| "Germany".into()),
        column("area", move |record| {
            if who(record).is_multiple_of(3) {
                "SH".into()
            } else {
                "HH".into()
            }
        }),
        column("floor", move |record| {
            if record % 40 < 2 {
                format!("floor {}", who(record) / 20 % 4)
            } else {
                String::new()
            }
        }),
        column("notes", |record| {
            if record == 7 {
                "late".into()
            } else {
                String::new()
            }
        }),
        column("title", move |record| {
            format!(
                "the book of {} and the {} {} stones",
                NAMES[who(record) % 15],
                who(record),
                NAMES[record / 20]
            )
        }),
        column("all", move |record| {
            format!(
                "{} {} {}",
                address(record),
                NAMES[who(record) * 7 % 15],
                1990 + who(record) % 20
            )
        }),
        Column {
            is_nested: true,
            ..column("tags", |_| String::new())
        },
    ]
}

#[test]
fn columns_are_compared_by_what_they_contain() {
    let (fields, left_out) = fields(&people(), 200);
    let found: Vec<(&str, Kind, Option<Compare>)> = fields
        .iter()
        .map(|field| (&*field.config.name, field.config.kind, field.config.compare))
        .collect();
    assert_eq!(
        found,
        [
            ("given", Kind::Name, None),
            ("authors", Kind::Name, Some(Compare::Soft)),
            ("born", Kind::Date, None),
            ("year", Kind::Number, None),
            ("phone", Kind::Phone, None),
            ("price", Kind::Number, None),
            ("address", Kind::Address, None),
            ("state", Kind::Exact, None),
            ("floor", Kind::Name, Some(Compare::Words)),
            ("title", Kind::Text, Some(Compare::Words)),
            ("title_numbers", Kind::Text, Some(Compare::Words)),
        ]
    );
    let field = |name: &str| {
        &fields
            .iter()
            .find(|field| field.config.name == name)
            .unwrap()
            .config
    };
    assert_eq!(field("given").from, ["person.given"]);
    assert_eq!(
        (&*field("phone").empty, &*field("price").empty),
        (&["N/A".to_owned()][..], &["0.0".to_owned()][..])
    );
    assert!(field("born").month_first && field("year").within == Some(Within::Apart(4.0)));
    let left_out: Vec<(&str, &str)> = left_out
        .iter()
        .map(|left| (&*left.path, &*left.why))
        .collect();
    assert_eq!(
        left_out,
        [
            ("row", "no two records have the same value"),
            ("country", "all records have the same value"),
            ("area", "the same as state"),
            ("notes", "missing in 99.5 % of the records"),
            ("all", "repeats the words of other fields"),
            (
                "tags",
                "lists and objects cannot be compared; join their parts into one string first"
            ),
        ]
    );
}

#[test]
fn few_records_are_not_taken_for_few_values() {
    let of = |path: &str, values: [&str; 4]| Column {
        path: path.into(),
        values: values.map(String::from).into(),
        is_nested: false,
    };
    let columns = [
        of("name", ["Mary Lee", "Lee, Mary", "Jon Smyth", "John Smith"]),
        of(
            "address",
            ["12 North Street", "12 N. St.", "7 Mill Lane", "7 Mill Ln"],
        ),
    ];
    let (fields, left_out) = fields(&columns, 4);
    assert_eq!(left_out, []);
    assert_eq!(
        fields
            .iter()
            .map(|field| field.config.kind)
            .collect::<Vec<_>>(),
        [Kind::Name, Kind::Address]
    );
}

#[test]
fn blocks_make_few_pairs_and_join_all_copies() {
    let columns = people();
    let (fields, left_out) = fields(&columns, 200);
    let configs: Vec<_> = fields.iter().map(|field| field.config.clone()).collect();
    let config = LinkConfig {
        weights: Weights::Learned,
        fields: configs.clone(),
        ..LinkConfig::default()
    };
    let linker = Linker::new(config.clone()).unwrap();
    let (mut records, mut scratch) = (Records::new(configs.len()), Scratch::default());
    for record in 0..200 {
        let mut values = vec![String::new(); configs.len()];
        for (at, field) in configs.iter().enumerate() {
            let column = columns
                .iter()
                .find(|column| column.path == field.paths()[0])
                .unwrap();
            linker.normalise(at, &column.values[record], &mut scratch, &mut values[at]);
        }
        records.push(values.iter().map(String::as_str));
    }
    let chosen = blocks(&configs, &records, None).unwrap();
    for block in &chosen {
        assert!(
            block.pairs.is_none_or(|pairs| (1..=4000).contains(&pairs)),
            "{block:?}"
        );
    }
    let is_there = |block: BlockConfig| chosen.iter().any(|found| found.config == block);
    assert!(
        is_there(BlockConfig::equal(&["born"])) && !is_there(BlockConfig::equal(&["state"])),
        "{chosen:?}"
    );
    let blocked = LinkConfig {
        blocks: chosen.iter().map(|block| block.config.clone()).collect(),
        ..config
    };
    let linker = Linker::new(blocked).unwrap();
    assert!((0..100).all(|who| {
        linker
            .shared_block(&records, 2 * who, 2 * who + 1)
            .is_some()
    }));
    let suggestion = Suggestion {
        records: vec![200],
        one_to_one: false,
        fields,
        left_out,
        blocks: chosen,
    };
    let toml = suggestion.to_toml();
    for part in [
        "weights = \"learned\"\n",
        "[[field]]\nname = \"given\"\nfrom = \"person.given\"\ntype = \"name\"\n",
        "type = \"phone\"\nempty = [\"N/A\"]\n",
        "#   \"country\": all records have the same value\n",
        "[[block]]\nequal = [\"born\"]\n",
        "[[block]]\nsimilar = \"title\"\nthreshold = 0.5\nat_most = 200\n",
    ] {
        assert!(toml.contains(part), "{part}\n{toml}");
    }
}
