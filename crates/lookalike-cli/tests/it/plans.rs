//! Plans: which options work together.

use std::{collections::BTreeSet, fmt::Debug};

use clap::{Args, Command};
use lookalike_applications::records::LinkConfig;
use lookalike_engine::{
    ApplyOptions, AuditOptions, CutOptions, DedupOptions, DedupPlan, LinkOptions, MinutiaeOptions,
    MirrorsOptions, Neutral, PairsOptions, Result, Setting,
};
use lookalike_indexing::CreateOptions;
use lookalike_options::{Given, Layer, flags, of_table};
use serde_json::{Map, Value, json};

/// A valid value of each option, and the options that it needs.
fn valid(name: &str) -> Value {
    match name {
        "output" => json!({"output": "kept.jsonl"}),
        "label" => json!({"label": true, "output": "kept.jsonl"}),
        "label_prefix" => {
            json!({"label_prefix": "dup_", "label": true, "output": "kept.jsonl"})
        }
        "output_format" => json!({"output_format": "csv", "output": "kept.jsonl"}),
        "rows_per_file" => json!({"rows_per_file": 5, "output": "kept-{}.jsonl"}),
        "bytes_per_file" => json!({"bytes_per_file": "5MB", "output": "kept-{}.jsonl"}),
        "against" => json!({"against": ["old.jsonl"]}),
        "against_text_field" => json!({"against_text_field": "question", "against": ["old.jsonl"]}),
        "against_only" => json!({"against_only": true, "against": ["old.jsonl"]}),
        "drop_holders" => {
            json!({"drop_holders": true, "against": ["old.jsonl"], "measure": "containment"})
        }
        "report_by" => json!({"report_by": "source", "report": "r.html"}),
        "report_floor" => json!({"report_floor": 0.3, "report": "r.html"}),
        "degree" => json!({"degree": 40, "fingerprint": "rabin"}),
        "bands" | "rows" => json!({"bands": 20, "rows": 5}),
        "permutations" => json!({"permutations": "many"}),
        "modulus" => json!({"modulus": 4, "candidates": "shared"}),
        "common" => json!({"common": 50, "candidates": "shared"}),
        "run_length" => json!({"run_length": 3, "candidates": "super"}),
        "bits" => json!({"bits": 64, "method": "simhash"}),
        "features" => json!({"features": "shingles", "method": "simhash"}),
        "distance" => json!({"distance": 5, "method": "simhash"}),
        "blocks" => json!({"blocks": 12, "method": "simhash"}),
        "longest" => json!({"longest": 4, "method": "sentences"}),
        "digest" => json!({"digest": "md5", "method": "sentences"}),
        "representative" => json!({"representative": "first", "cluster": "greedy"}),
        "sample" => json!({"sample": 100, "cluster": "greedy"}),
        "method" => json!({"method": "exact"}),
        "candidates" => json!({"candidates": "shared"}),
        "measure" => json!({"measure": "containment"}),
        "fingerprint" => json!({"fingerprint": "rabin"}),
        "cluster" => json!({"cluster": "components"}),
        "verify" => json!({"verify": "sketch"}),
        "keep" => json!({"keep": "longest"}),
        "drop" => json!({"drop": "all"}),
        "tokens" => json!({"tokens": "chars"}),
        "preset" => json!({"preset": "quotations"}),
        "fold" => json!({"fold": "accents"}),
        "anchors" => json!({"anchors": ["en"]}),
        "occurrences" => json!({"occurrences": "labelled"}),
        "format" => json!({"format": "csv"}),
        "html" => json!({"html": "text"}),
        "delimiter" => json!({"delimiter": ";"}),
        "encoding" => json!({"encoding": "gbk"}),
        "memory" => json!({"memory": "1G"}),
        "threshold" | "recall" | "min_containment" => json!({name: 0.9}),
        "shingle" | "keep_per_group" | "threads" | "seed" => json!({name: 2}),
        "gitignore" | "all_splits" | "allow_repeated_ids" | "no_decisions" | "dry_run"
        | "quiet" => {
            json!({name: true})
        }
        "input_command" | "and_field" | "or_field" => json!({name: ["body"]}),
        "text_field" | "set_field" | "id_field" | "skip_bad" | "decisions" | "index" | "resume"
        | "report" | "temp_dir" | "summary" => json!({name: name}),
        _ => panic!("no value of {name} is known"),
    }
}

fn planned(table: Map<String, Value>) -> Result<DedupPlan> {
    of_table::<DedupOptions>(table).unwrap().plan(false, Ok)
}

/// Every two options work together, or the error names both, or the options that they need.
#[test]
fn two_options_make_a_plan_or_an_error_that_names_both() {
    let names: Vec<String> = flags::<DedupOptions>()
        .into_iter()
        .map(|flag| flag.name)
        .collect();
    assert!(names.len() > 60, "{names:?}");
    let (mut plans, mut wrong) = (0, Vec::new());
    for (at, one) in names.iter().enumerate() {
        let first = valid(one).as_object().unwrap().clone();
        planned(first.clone())
            .unwrap_or_else(|error| panic!("{one}: {}", error.what().rendered(&Neutral)));
        for other in &names[..at] {
            let second = valid(other).as_object().unwrap().clone();
            let mut both = second.clone();
            both.extend(first.clone());
            let Err(error) = planned(both) else {
                plans += 1;
                continue;
            };
            let named: BTreeSet<&str> = error.settings().map(|Setting(name)| name).collect();
            // A set is a text with the tokens `items`, and a preset sets other settings.
            let named_by = |name: &str| match name {
                "set_field" => ["set_field", "tokens", "text_field"]
                    .iter()
                    .any(|own| named.contains(own)),
                "preset" => ["preset", "threshold", "shingle"]
                    .iter()
                    .any(|own| named.contains(own)),
                _ => named.contains(name),
            };
            let names = |table: &Map<String, Value>| table.keys().any(|name| named_by(name));
            if !names(&first) || !names(&second) {
                let words = error.what().rendered(&Neutral);
                wrong.push(format!("{one}, {other}: {named:?} in {words}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(plans > 1500, "{plans}");
}

/// Gives each option the value that its help calls the default, and checks that the plan stays the same. Returns how many there are.
fn defaults<T: Args + Layer, P: Debug>(plan: impl Fn(T) -> Result<P>) -> usize {
    let planned = |table: Map<String, Value>| {
        of_table::<T>(table)
            .ok()
            .and_then(|options| plan(options).ok())
            .map(|plan| format!("{plan:?}"))
    };
    let usual = planned(Map::new()).unwrap();
    let mut checked = 0;
    for arg in T::augment_args(Command::new("test")).get_arguments() {
        let help = arg.get_long_help().or(arg.get_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        let Some((value, _)) = help
            .split_once("[default: ")
            .and_then(|(_, rest)| rest.split_once(']'))
            .filter(|(value, _)| !value.contains(' '))
        else {
            continue;
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        let name = arg.get_id().to_string();
        // Other defaults are described by several words, or depend on other options.
        if let Some(same) = planned(Map::from_iter([(name.clone(), value.clone())])) {
            assert_eq!(same, usual, "{name} = {value} is not the default");
            checked += 1;
        }
    }
    checked
}

#[test]
fn defaults_are_those_that_help_states() {
    let checked = [
        defaults(|options: DedupOptions| options.plan(false, Ok)),
        defaults(|options: PairsOptions| options.plan(false)),
        defaults(|options: ApplyOptions| options.plan()),
        defaults(|options: CutOptions| options.plan(false)),
        defaults(|options: AuditOptions| options.plan(Vec::new())),
        defaults(|options: MirrorsOptions| options.plan(&Given::of(&options), true)),
        defaults(|options: LinkOptions| options.plan(LinkConfig::default(), &Given::of(&options))),
        defaults(|options: MinutiaeOptions| options.plan(&Given::of(&options))),
        defaults(|options: CreateOptions| options.plan()),
    ];
    assert!(checked.iter().sum::<usize>() > 60, "{checked:?}");
}
