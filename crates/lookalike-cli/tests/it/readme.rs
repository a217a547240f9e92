//! Runs the README's examples exactly as written.

use std::{fs, path::Path, process::Command};

/// In a `console` block, a line `$ lookalike …` is run in the project's folder. The lines after it are the expected output,
/// except for the line with the time.
#[test]
fn examples_print_the_output_in_the_readme() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let mut examples = 0;
    for block in readme
        .split("```console\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
    {
        for example in block.split("$ lookalike ").skip(1) {
            let (command, expected) = example.split_once('\n').unwrap();
            // Outputs are written to a temporary folder.
            let folder = tempfile::TempDir::new().unwrap();
            let arguments = command
                .split(" | ")
                .next()
                .unwrap()
                .split_whitespace()
                .map(|word| match word {
                    "kept.jsonl" => folder.path().join(word).display().to_string(),
                    word => word.to_string(),
                });
            let output = Command::new(env!("CARGO_BIN_EXE_lookalike"))
                .current_dir(&root)
                .args(arguments)
                .output()
                .unwrap();
            let printed = String::from_utf8([output.stdout, output.stderr].concat())
                .unwrap()
                .replace(&format!("{}/", folder.path().display()), "");
            let lines = |text: &str| {
                text.trim()
                    .lines()
                    .filter(|line| !line.starts_with("  time "))
                    .map(|line| line.trim_end().to_string())
                    .collect::<Vec<_>>()
            };
            let printed = match command.split_once(" | head -") {
                Some((_, n)) => lines(&printed)
                    .into_iter()
                    .take(n.trim().parse().unwrap())
                    .collect(),
                None => lines(&printed),
            };
            assert_eq!(printed, lines(expected), "lookalike {command}");
            examples += 1;
        }
    }
    assert!(examples >= 1, "{examples} examples");
}
