//! Tests that the modules of each crate import each other in one direction only. `lib.rs` and each `mod.rs` declare their modules
//! in the order in which data passes through them: a module uses only modules declared before it, and files never import each
//! other in a cycle. (The top level of `lookalike-cli` is exempt from the order.) The test reads every path in the sources that
//! begins with `crate`, `super` or `self`, except in tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The names that lead from the root of the crate to a module, or the names in a path.
type Names = Vec<String>;

/// The modules of a crate, each with its source.
struct Sources(BTreeMap<Names, String>);

impl Sources {
    fn of(src: &Path) -> Self {
        let mut own = Self(BTreeMap::new());
        own.read(src, &mut Vec::new());
        own
    }

    fn read(&mut self, folder: &Path, names: &mut Names) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
            names.push(stem.clone());
            if path.is_dir() {
                self.read(&path, names);
            } else if path.extension().is_some_and(|ending| ending == "rs") && stem != "tests" {
                let module = if stem == "mod" {
                    &names[..names.len() - 1]
                } else {
                    &names[..]
                };
                let source = fs::read_to_string(&path).unwrap();
                self.0
                    .insert(module.to_vec(), without_tests_and_comments(&source));
            }
            names.pop();
        }
    }

    /// Returns the modules that a module uses, other than itself.
    fn used(&self, module: &Names) -> BTreeSet<Names> {
        let paths = paths(&self.0[module]).into_iter();
        // Re-exported names do not count as used.
        let handed_on = handed_on(&self.0[module])
            .into_iter()
            .map(|(_, path)| path)
            .collect::<Vec<_>>();
        let paths = paths.filter(|path| !handed_on.contains(path));
        let used = paths.filter_map(|path| self.module_of(&absolute(module, &path), 0));
        used.filter(|used| used != module).collect()
    }

    /// Returns the module that a path refers to, after following re-exports.
    fn module_of(&self, path: &[String], depth: usize) -> Option<Names> {
        let length = (1..=path.len())
            .rev()
            .find(|&length| self.0.contains_key(&path[..length]))?;
        let (module, rest) = (path[..length].to_vec(), &path[length..]);
        let onward = rest.first().and_then(|name| {
            handed_on(&self.0[&module])
                .into_iter()
                .find(|(own, _)| own == name)
        });
        match onward {
            Some((_, path)) if depth < 8 => {
                let mut inside = absolute(&module, &path);
                if !self.0.contains_key(&inside[..1]) {
                    inside = module.iter().cloned().chain(path).collect();
                }
                self.module_of(&inside, depth + 1).or(Some(module))
            }
            _ => Some(module),
        }
    }
}

/// Returns a source up to its tests, without comment lines.
fn without_tests_and_comments(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Converts a path that begins with `crate`, `self` or `super` to a path from the root of the crate.
fn absolute(module: &[String], path: &[String]) -> Names {
    let mut names = module.to_vec();
    let mut rest = path;
    while let Some((first, more)) = rest.split_first() {
        match first.as_str() {
            "crate" => names.clear(),
            "self" => {}
            "super" => drop(names.pop()),
            _ => break,
        }
        rest = more;
    }
    names.into_iter().chain(rest.iter().cloned()).collect()
}

/// Returns all paths in a source that begin with `crate`, `self` or `super`, with braces expanded.
fn paths(source: &str) -> Vec<Names> {
    let mut found = Vec::new();
    for start in ["crate::", "self::", "super::"] {
        for (at, _) in source.match_indices(start) {
            let before = source[..at].chars().next_back().unwrap_or(' ');
            // A visibility such as `pub(in crate::jobs::link)` imports nothing.
            if source[..at].ends_with("pub(in ") {
                continue;
            }
            if !before.is_alphanumeric() && before != '_' && before != ':' && before != '$' {
                tree(&source[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

/// Returns the names that a module re-exports, each with its path. Paths may begin with the name of a child.
fn handed_on(source: &str) -> Vec<(String, Names)> {
    let mut found = Vec::new();
    for start in ["pub use ", "pub(crate) use ", "pub(super) use "] {
        for (at, _) in source.match_indices(start) {
            tree(&source[at + start.len()..], &mut Vec::new(), &mut found);
        }
    }
    found
        .into_iter()
        .filter_map(|path| Some((path.last()?.clone(), path)))
        .collect()
}

/// Reads a path, or several paths in braces. Returns the text that follows.
fn tree<'a>(mut text: &'a str, names: &mut Names, into: &mut Vec<Names>) -> &'a str {
    let depth = names.len();
    loop {
        text = text.trim_start();
        if let Some(inside) = text.strip_prefix('{') {
            text = inside;
            while !text.trim_start().starts_with('}') {
                text = tree(text, names, into).trim_start();
                text = text.strip_prefix(',').unwrap_or(text);
                assert!(!text.is_empty(), "braces without an end");
            }
            names.truncate(depth);
            return text.trim_start().strip_prefix('}').unwrap();
        }
        let end = text
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(text.len());
        if end == 0 {
            break;
        }
        names.push(text[..end].to_string());
        text = &text[end..];
        match text.strip_prefix("::") {
            Some(rest) => text = rest,
            None => break,
        }
    }
    into.push(names.clone());
    names.truncate(depth);
    // Skip `as` and `*`.
    let end = text.find([',', '}', ';', '{', '\n']).unwrap_or(text.len());
    if text.starts_with(" as ") || text.starts_with('*') {
        &text[end..]
    } else {
        text
    }
}

/// Returns a cycle of modules, if there is one.
fn circle(uses: &BTreeMap<Names, BTreeSet<Names>>) -> Option<Vec<String>> {
    /// Visits a module. `way` is the path to it, and `done` are the modules known to be in no cycle.
    fn visit<'a>(
        at: &'a Names,
        uses: &'a BTreeMap<Names, BTreeSet<Names>>,
        way: &mut Vec<&'a Names>,
        done: &mut BTreeSet<&'a Names>,
    ) -> Option<Vec<String>> {
        if let Some(start) = way.iter().position(|before| *before == at) {
            return Some(way[start..].iter().map(|module| module.join("/")).collect());
        }
        if done.contains(at) {
            return None;
        }
        way.push(at);
        let found = uses[at]
            .iter()
            .find_map(|next| visit(next, uses, way, done));
        way.pop();
        done.insert(at);
        found
    }
    let mut done = BTreeSet::new();
    uses.keys()
        .find_map(|module| visit(module, uses, &mut Vec::new(), &mut done))
}

/// Returns the modules that a source declares, in order.
fn declared(source: &str) -> Vec<&str> {
    let module = |line| {
        let (visibility, name) = str::split_once(line, "mod ")?;
        let is_one = visibility.is_empty() || visibility.starts_with("pub");
        name.strip_suffix(';').filter(|_| is_one)
    };
    source.lines().filter_map(module).collect()
}

/// Returns two modules of a folder if the first uses the second although the second is declared later.
fn against_the_order(sources: &Sources, module: &Names, used: &Names) -> Option<String> {
    let shared = module
        .iter()
        .zip(used)
        .take_while(|(own, other)| own == other)
        .count();
    let (own, other) = (module.get(shared)?, used.get(shared)?);
    let order = declared(sources.0.get(&module[..shared])?);
    let place = |name: &String| order.iter().position(|declared| declared == name);
    (place(other)? > place(own)?)
        .then(|| format!("{}: {own} uses {other}", module[..shared].join("/")))
}

#[test]
fn imports_point_downward_and_form_no_cycle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, least) in [
        ("lookalike", 100),
        ("lookalike-applications", 5),
        ("lookalike-io", 100),
        ("lookalike-options", 10),
        ("lookalike-engine", 150),
        ("lookalike-index", 5),
        ("lookalike-indexing", 1),
        ("lookalike-python", 15),
        ("lookalike-cli", 50),
    ] {
        let src = crates.join(name).join("src");
        let sources = Sources::of(&src);
        let order = declared(&sources.0[&vec!["lib".to_string()]]);
        assert!(order.len() >= 4, "{name}: {order:?}");
        let place = |module: &Names| order.iter().position(|own| *own == module[0]);
        let (mut uses, mut imports) = (BTreeMap::new(), 0);
        for module in sources.0.keys() {
            let used = sources.used(module);
            for other in &used {
                if let (Some(own), Some(of)) = (place(module), place(other)) {
                    let to = other.join("/");
                    assert!(
                        name == "lookalike-cli" || of <= own,
                        "{name}: {} uses {to}, which stands above it",
                        module.join("/")
                    );
                    imports += 1;
                }
                assert_eq!(against_the_order(&sources, module, other), None, "{name}");
            }
            uses.insert(module.clone(), used);
        }
        assert!(imports >= least, "{name}: only {imports} imports were seen");
        assert_eq!(
            circle(&uses),
            None,
            "{name}: files that import each other in a circle"
        );
    }
}

#[test]
fn cycles_and_reexports_are_detected() {
    let module = |name: &str| name.split('/').map(String::from).collect::<Names>();
    let sources = |all: &[(&str, &str)]| {
        Sources(
            all.iter()
                .map(|(name, source)| (module(name), source.to_string()))
                .collect(),
        )
    };
    let circle_in = |all: &[(&str, &str)]| {
        let sources = sources(all);
        circle(
            &sources
                .0
                .keys()
                .map(|module| (module.clone(), sources.used(module)))
                .collect(),
        )
    };
    let handing = ("a", "mod b;\nmod c;\npub(crate) use self::{b::B, c::C};");
    assert_eq!(
        circle_in(&[handing, ("a/b", ""), ("a/c", "use super::B;")]),
        None
    );
    assert_eq!(
        circle_in(&[
            handing,
            ("a/b", "use super::{C, d};"),
            ("a/c", "fn f(b: crate::a::b::B) {}")
        ]),
        Some(vec!["a/b".into(), "a/c".into()])
    );
    assert_eq!(
        circle_in(&[
            ("a", "use crate::b::c::{self, D};"),
            ("b", "pub mod c;"),
            ("b/c", "use crate::a;")
        ]),
        Some(vec!["a".into(), "b/c".into()])
    );
    let folder = sources(&[("a", "mod c;\npub(crate) mod b;"), ("a/b", ""), ("a/c", "")]);
    let against = |one: &str, other: &str| against_the_order(&folder, &module(one), &module(other));
    assert_eq!(against("a/c", "a/b"), Some("a: c uses b".into()));
    assert_eq!(
        (
            against("a/b", "a/c"),
            against("a/b", "a"),
            against("a", "a/b")
        ),
        (None, None, None)
    );
}
