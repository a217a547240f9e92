//! Imports go strictly downward: a module may use those that stand before it in its crate's `lib.rs`, and no others. Held for
//! the core, the engine and the Python module by reading every `crate::` in their sources.

use std::{
    fs,
    path::{Path, PathBuf},
};

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, into),
            false if path.extension().is_some_and(|ending| ending == "rs") => into.push(path),
            false => {}
        }
    }
}

/// The top-level modules that a source names behind `crate::`, braces included.
fn named(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for rest in source.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            names.push(word(rest));
            continue;
        };
        let (mut depth, mut start) = (1, true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => start = true,
                c if start && c.is_alphanumeric() => {
                    names.push(word(&group[at..]));
                    start = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn every_import_goes_downward() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, least) in [("lookalike", 30), ("lookalike-engine", 20), ("lookalike-python", 15)] {
        let src = crates.join(name).join("src");
        let lib = fs::read_to_string(src.join("lib.rs")).unwrap();
        let order: Vec<String> = lib
            .lines()
            .filter_map(|line| {
                line.trim_start_matches("pub ").strip_prefix("mod ").map(|module| module.trim_end_matches(';').to_string())
            })
            .collect();
        assert!(order.len() >= 6, "{name}: {order:?}");
        let mut files = Vec::new();
        sources(&src, &mut files);
        let mut imports = 0;
        for file in files {
            let inside = file.strip_prefix(&src).unwrap();
            let own = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_string();
            let Some(place) = order.iter().position(|module| *module == own) else { continue };
            for used in named(&fs::read_to_string(&file).unwrap()) {
                let Some(other) = order.iter().position(|module| *module == used) else { continue };
                assert!(other <= place, "{name}: {} uses {used}, which stands above it", inside.display());
                imports += 1;
            }
        }
        assert!(imports >= least, "{name}: only {imports} imports were seen");
    }
}
