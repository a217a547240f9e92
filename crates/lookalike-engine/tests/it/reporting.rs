//! Tests that reported results equal those that would be written, and that a progress observer can end a run.

use std::{
    fs,
    ops::ControlFlow,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use lookalike::{Candidates, Cluster, Config, cluster::Keep};
use lookalike_engine::{
    Error, ErrorKind, Outputs, Progress, RunConfig, UNOBSERVED, dedup, dedup_reporting, pairs,
    pairs_reporting,
};
use tempfile::TempDir;

/// Creates nine thousand documents, so that one thread cannot report all of them in one batch. They are in groups of three, and
/// the documents of a group are similar.
fn collection(folder: &Path) -> String {
    let text = |i: usize| {
        (0..12)
            .map(|word| format!("w{}x{word} ", if word == 11 { i } else { i / 3 }))
            .collect::<String>()
    };
    let line = |i| {
        serde_json::json!({"id": format!("n{i}\n"), "text": text(i), "n": i % 5}).to_string() + "\n"
    };
    let path = folder.join("in.jsonl");
    fs::write(&path, (0..9000).map(line).collect::<String>()).unwrap();
    path.display().to_string()
}

fn configs(input: &str) -> Vec<RunConfig> {
    let of = |method| RunConfig {
        inputs: vec![input.into()],
        method,
        threads: 3,
        ..RunConfig::default()
    };
    let low = || Config {
        threshold: 0.3,
        ..Config::default()
    };
    vec![
        of(low()),
        RunConfig {
            keep: Some(Keep::Max("n".into())),
            ..of(low())
        },
        of(Config {
            cluster: Cluster::Components,
            ..low()
        }),
        of(Config {
            candidates: Candidates::All,
            ..low()
        }),
    ]
}

#[test]
fn reported_counts_match_the_written_output() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("out");
    for config in configs(&collection(folder.path())) {
        let outputs = Outputs {
            decisions: Some(file.clone()),
            ..Outputs::default()
        };
        let (mut reported, mut ids, mut representatives) = (Vec::new(), Vec::new(), Vec::new());
        let summary = dedup_reporting(
            &config,
            &outputs,
            &mut |decided| {
                ids.push(decided.id.to_string());
                representatives.extend(decided.representative.map(|r| (r.row, r.id.to_string())));
                decided.write_line(&mut reported)
            },
            UNOBSERVED,
        )
        .unwrap();
        assert!(reported == fs::read(&file).unwrap() && summary.dropped > 100);
        assert_eq!(
            (ids.len(), representatives.len() as u64),
            (9000, summary.dropped)
        );
        assert!(
            representatives
                .iter()
                .all(|(number, id)| ids[*number as usize] == *id)
        );

        let (mut lines, mut same) = (Vec::new(), true);
        let reported = pairs_reporting(
            &config,
            &mut |pair, numbers| {
                same &= [pair.a, pair.b]
                    .iter()
                    .zip(numbers)
                    .all(|(id, number)| ids[number as usize] == id.get());
                serde_json::to_writer(&mut lines, pair).unwrap();
                lines.push(b'\n');
                Ok(())
            },
            UNOBSERVED,
        );
        let written = pairs(&config, Some(&file), UNOBSERVED).unwrap();
        assert!(same && lines == fs::read(&file).unwrap() && written.pairs > 100);
        assert_eq!(reported.unwrap().pairs, written.pairs);
    }
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn an_observer_can_cancel_a_run_at_any_point() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("out");
    for config in configs(&collection(folder.path())) {
        let all = AtomicUsize::new(0);
        let count = |_: Progress| {
            all.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        let outputs = Outputs {
            kept: Some(file.clone()),
            ..Outputs::default()
        };
        dedup(&config, &outputs, &count).unwrap();
        fs::remove_file(&file).unwrap();
        // With several threads, the order of the reports may differ between two runs. But a run that is not cancelled never makes
        // fewer reports than the run above, whose reports were counted.
        let all = all.load(Ordering::Relaxed);
        for end in (0..all).step_by(1 + all / 9) {
            let reported = AtomicUsize::new(0);
            let ended = dedup(
                &config,
                &outputs,
                &|_| match reported.fetch_add(1, Ordering::Relaxed) < end {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                },
            );
            assert_eq!(
                ended.as_ref().map_err(Error::kind).err(),
                Some(ErrorKind::Interrupted),
                "{end}: {ended:?}"
            );
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{end}");
        }
    }
}
