//! Checks the rules for dependencies: those of `deny.toml`, which are read from that file, and the oldest compiler that
//! `Cargo.toml` names. So `make test` checks them without cargo-deny.

use std::{fs, path::Path, process::Command};

use serde::{Deserialize, de::IgnoredAny};
use spdx::{Expression, Licensee, ParseMode};

/// The contents of `deny.toml`. A rule that is not checked here causes an error, so that the file never promises more than `make
/// test` checks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    #[serde(rename = "graph")]
    _graph: IgnoredAny,
    licenses: Licenses,
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Bans {
    wildcards: Deny,
    allow_wildcard_paths: bool,
    deny: Vec<Banned>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Banned {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Sources {
    unknown_registry: Deny,
    unknown_git: Deny,
    allow_registry: Vec<String>,
}

/// The only lint level in `deny.toml` that this test supports.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Deny {
    Deny,
}

/// The output of `cargo metadata`.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    rust_version: Option<String>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    path: Option<String>,
}

/// The contents of `Cargo.lock`: the packages for all systems.
#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    source: Option<String>,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read<T: for<'a> Deserialize<'a>>(name: &str) -> T {
    toml::from_str(&fs::read_to_string(root().join(name)).unwrap())
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the packages for this system; a build has already fetched them.
fn packages() -> Vec<Package> {
    let host = Command::new("rustc")
        .arg("-vV")
        .current_dir(root())
        .output()
        .unwrap()
        .stdout;
    let host = String::from_utf8(host).unwrap();
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let metadata = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform",
            host,
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        metadata.status.success(),
        "{}",
        String::from_utf8_lossy(&metadata.stderr)
    );
    serde_json::from_slice::<Metadata>(&metadata.stdout)
        .unwrap()
        .packages
}

/// Returns whether an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` can be satisfied with allowed licences only. Old
/// crates write / for OR.
fn is_allowed(license: &str, allowed: &[Licensee]) -> bool {
    let expression = Expression::parse_mode(license, ParseMode::LAX)
        .unwrap_or_else(|error| panic!("{license}: {error}"));
    expression.evaluate(|asked| allowed.iter().any(|licensee| licensee.satisfies(asked)))
}

fn licensees(allow: &[String]) -> Vec<Licensee> {
    allow
        .iter()
        .map(|license| {
            Licensee::parse(license).unwrap_or_else(|error| panic!("{license}: {error}"))
        })
        .collect()
}

#[test]
fn licences_are_allowed() {
    let allowed = licensees(&read::<Rules>("deny.toml").licenses.allow);
    let refused: Vec<String> = packages()
        .iter()
        .filter(|package| {
            !package
                .license
                .as_ref()
                .is_some_and(|license| is_allowed(license, &allowed))
        })
        .map(|package| {
            format!(
                "{} {}: {:?}",
                package.name, package.version, package.license
            )
        })
        .collect();
    assert!(refused.is_empty(), "not in deny.toml: {refused:#?}");
}

#[test]
fn licence_expressions_are_parsed() {
    let allowed =
        licensees(&["MIT", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"].map(String::from));
    for (license, is_right) in [
        ("MIT", true),
        ("MIT/GPL-3.0", true),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0 AND MIT", false),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("Apache-2.0", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-2.0-or-later WITH Classpath-exception-2.0", false),
    ] {
        assert_eq!(is_allowed(license, &allowed), is_right, "{license}");
    }
}

#[test]
fn dependencies_are_not_banned_and_come_from_known_sources() {
    let Rules { bans, sources, .. } = read("deny.toml");
    let Deny::Deny = bans.wildcards;
    let (Deny::Deny, Deny::Deny) = (sources.unknown_registry, sources.unknown_git);
    let known: Vec<String> = sources
        .allow_registry
        .iter()
        .map(|url| format!("registry+{url}"))
        .collect();
    for Locked { name, source } in read::<Lock>("Cargo.lock").package {
        if let Some(banned) = bans.deny.iter().find(|banned| banned.name == name) {
            panic!("{name}: {}", banned.reason);
        }
        // A package without a source is in this repository.
        assert!(
            source.as_ref().is_none_or(|source| known.contains(source)),
            "{name}: from {source:?}"
        );
    }
    for package in packages() {
        for Dependency { name, req, path } in &package.dependencies {
            let ours = bans.allow_wildcard_paths && path.is_some();
            assert!(
                req != "*" || ours,
                "{} needs {name} of any version",
                package.name
            );
        }
    }
}

#[test]
fn every_dependency_builds_with_our_oldest_compiler() {
    let number = |version: &str| -> Vec<u32> {
        version
            .split('.')
            .map(|part| part.parse().unwrap())
            .collect()
    };
    let workspace: toml::Table = read("Cargo.toml");
    let ours = workspace["workspace"]["package"]["rust-version"]
        .as_str()
        .unwrap();
    let newer: Vec<String> = packages()
        .iter()
        .filter_map(|package| {
            let theirs = package.rust_version.as_ref()?;
            // 1.89 and 1.89.0 are the same version.
            let is_newer = number(theirs) > [number(ours), vec![0]].concat();
            is_newer.then(|| format!("{} {} needs {theirs}", package.name, package.version))
        })
        .collect();
    assert!(newer.is_empty(), "rust-version is {ours}: {newer:#?}");
}
