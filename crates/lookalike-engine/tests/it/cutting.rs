//! Runs that cut, are interrupted wherever they report progress, and are resumed: the outputs have the same bytes, and no finished stage
//! is repeated.

use std::{fmt::Write, fs, ops::ControlFlow, path::PathBuf, sync::Mutex};

use lookalike::{
    cluster::Keep,
    cut::{CutConfig, Unit},
};
use lookalike_engine::{
    CutSummary, Cutting, ErrorKind, Progress, ReportConfig, Result, Resume, RunConfig, Stage, cut,
};
use tempfile::TempDir;

/// So little memory that documents are not decided in the first pass.
const LITTLE: Option<u64> = Some(64 << 10);

struct Place {
    folder: TempDir,
    config: RunConfig,
    cutting: Cutting,
}

/// Returns documents with a notice, half of which have it in their middle. What is before and after the notice is short, and another
/// document has it in one piece, so a second pass is needed for what cutting joins.
fn documents(from: usize, to: usize) -> String {
    let words = |name: &str, number: usize, count: usize| {
        (0..count)
            .map(|word| format!("{name}{number}x{word} "))
            .collect::<String>()
    };
    let mut lines = String::new();
    for number in from..to {
        let (before, after) = (words("p", number / 2, 7), words("q", number / 2, 7));
        let notice = if number % 2 == 0 {
            words("notice", number % 3, 30)
        } else {
            String::new()
        };
        let own = words("own", number, 40);
        let (group, text) = (
            number % 5,
            format!(
                "{own}.\\n{before}{notice}{after}.\\n{}",
                words("menu", number % 7, 12)
            ),
        );
        writeln!(
            lines,
            r#"{{"id":"{number}","group":"{group}","text":"{text}"}}"#
        )
        .unwrap();
        if number % 50 == 3 {
            lines += "no record\n";
        }
    }
    lines
}

impl Place {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        // Several files, so that there are several blocks.
        for file in 0..8 {
            fs::write(
                path(&format!("{file:02}.jsonl")),
                documents(file * 60, file * 60 + 60),
            )
            .unwrap();
        }
        fs::write(
            path("reference.txt"),
            "notice1x0 notice1x1 notice1x2 notice1x3 notice1x4 notice1x5 notice1x6 notice1x7 notice1x8 notice1x9",
        )
        .unwrap();
        let config = RunConfig {
            inputs: (0..8)
                .map(|file| path(&format!("{file:02}.jsonl")).display().to_string())
                .collect(),
            skip_bad: Some(path("bad.txt")),
            threads: 2,
            ..RunConfig::default()
        };
        let cut = CutConfig {
            window: Some(10),
            ..CutConfig::default()
        };
        let cutting = Cutting {
            cut,
            texts: Some(path("texts.jsonl")),
            cuts: Some(path("cuts.jsonl")),
            ..Cutting::default()
        };
        Self {
            folder,
            config,
            cutting,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs until the observer was called `calls` times, and then interrupts the run. Returns the stages that were reported, one for each
    /// pass.
    fn run(&self, config: &RunConfig, calls: usize) -> (Result<CutSummary>, Vec<Stage>) {
        for name in ["texts.jsonl", "cuts.jsonl", "bad.txt"] {
            drop(fs::remove_file(self.path(name)));
        }
        let passes = Mutex::new((0, Vec::<(Stage, u64)>::new()));
        let observer = |Progress { stage, done, .. }: Progress| {
            let (count, passes) = &mut *passes.lock().unwrap();
            match passes.last_mut() {
                Some(last) if last.0 == stage && last.1 <= done => last.1 = done,
                _ => passes.push((stage, done)),
            }
            *count += 1;
            if *count <= calls {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let done = cut(config, &self.cutting, &observer);
        (
            done,
            passes
                .into_inner()
                .unwrap()
                .1
                .into_iter()
                .map(|pass| pass.0)
                .collect(),
        )
    }

    fn outputs(&self) -> [Vec<u8>; 3] {
        ["texts.jsonl", "cuts.jsonl", "bad.txt"].map(|name| fs::read(self.path(name)).unwrap())
    }

    fn resumable(&self) -> RunConfig {
        RunConfig {
            resume: Some(Resume {
                part: 1,
                ..Resume::in_folder(self.path("state"))
            }),
            ..self.config.clone()
        }
    }

    /// Interrupts a run at each call of the observer. Then another run, with other threads and another memory limit, ends it. `stages`
    /// are those that runs are continued in.
    fn every_interruption(&self, stages: &[Stage]) {
        let (done, _) = self.run(&self.config, usize::MAX);
        let (summary, expected) = (done.unwrap(), self.outputs());
        assert!(
            summary.cuts > 100 && summary.unread.bad_lines > 5,
            "{} cuts",
            summary.cuts
        );
        let (mut seen, mut twice) = (Vec::new(), 0);
        for calls in 0.. {
            let (done, stages) = self.run(&self.resumable(), calls);
            if let Err(error) = &done {
                assert_eq!(error.kind(), ErrorKind::Interrupted);
                assert!(!self.path("texts.jsonl").exists());
                let others = [(1, None), (2, LITTLE), (7, LITTLE)][calls % 3];
                let (again, more) = self.run(
                    &RunConfig {
                        threads: others.0,
                        memory: others.1,
                        ..self.resumable()
                    },
                    usize::MAX,
                );
                let again = again.unwrap();
                self.check(&again, &expected, &summary);
                // Stages before the one that was interrupted are not repeated, except the first pass if documents are decided in it:
                // then nothing is saved before it ends.
                let last = *stages.last().unwrap();
                let reached = again.resumed.map(|resumed| resumed.stage);
                let before = |stage: Stage| order(stage) < order(last);
                let is_repeated = more.iter().any(|&stage| before(stage));
                assert!(!is_repeated, "{stages:?}, {reached:?}, then {more:?}");
                // With the same memory limit, the second pass that decides is the last one.
                let deciding = |stages: &[Stage]| {
                    stages
                        .iter()
                        .filter(|&&stage| stage == Stage::Cutting)
                        .count()
                };
                if deciding(&stages) == 2 && others.1 == self.config.memory {
                    twice += 1;
                    assert!(deciding(&more) <= 1, "{stages:?}, then {more:?}");
                }
                if last != Stage::Sketching {
                    assert_eq!(reached, Some(last), "{stages:?}, then {more:?}");
                }
                seen.extend(reached);
                continue;
            }
            self.check(&done.unwrap(), &expected, &summary);
            break;
        }
        seen.dedup();
        assert_eq!(seen, stages);
        let needs_two = stages.contains(&Stage::Cutting) && self.cutting.cut.unit == Unit::Runs;
        assert_eq!(
            twice > 0,
            needs_two,
            "{twice} second passes were interrupted"
        );
    }

    fn check(&self, done: &CutSummary, expected: &[Vec<u8>; 3], summary: &CutSummary) {
        assert!(
            self.outputs() == *expected,
            "other bytes after {:?}",
            done.resumed
        );
        let figures = |s: &CutSummary| {
            let largest: Vec<_> = s
                .largest
                .iter()
                .map(|source| (source.id.to_string(), source.tokens, source.documents))
                .collect();
            (
                s.documents,
                [s.unchanged, s.cut, s.dropped, s.references],
                [s.tokens, s.tokens_kept, s.tokens_cut],
                s.cuts,
                largest,
            )
        };
        assert_eq!(figures(done), figures(summary));
        assert!(!self.path("state").exists());
    }
}

/// All stages, in their order.
const ALL: [Stage; 4] = [
    Stage::Sketching,
    Stage::Cutting,
    Stage::Locating,
    Stage::Writing,
];

fn order(stage: Stage) -> usize {
    ALL.iter().position(|&one| one == stage).unwrap()
}

#[test]
fn documents_that_are_decided_while_they_are_read() {
    Place::new().every_interruption(&[Stage::Locating, Stage::Writing]);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn documents_that_are_decided_in_further_passes() {
    let mut place = Place::new();
    place.config.memory = LITTLE;
    place.every_interruption(&ALL);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn documents_in_another_order() {
    let mut place = Place::new();
    place.config.keep = Some(Keep::Longest);
    place.every_interruption(&ALL);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn documents_of_groups_with_lines() {
    let mut place = Place::new();
    place.config.memory = LITTLE;
    place.config.label_field = Some("group".into());
    place.cutting.cut = CutConfig {
        unit: Unit::Lines,
        ..CutConfig::default()
    };
    place.every_interruption(&ALL);
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn documents_and_references() {
    let mut place = Place::new();
    place.config.memory = LITTLE;
    place.config.against = vec![place.path("reference.txt").display().to_string()];
    place.every_interruption(&ALL);
}

/// Another run may want other outputs. Then it finds what it needs for them.
#[test]
fn places_that_were_not_needed_are_found() {
    let mut place = Place::new();
    place.run(&place.config, usize::MAX).0.unwrap();
    let (expected, cuts) = (place.outputs(), place.cutting.cuts.take());
    // The number of calls before the last pass.
    let (_, mut calls) = (place.run(&place.config, usize::MAX), 0);
    loop {
        let (done, stages) = place.run(&place.resumable(), calls);
        assert!(done.is_err());
        if stages.contains(&Stage::Writing) {
            break;
        }
        fs::remove_dir_all(place.path("state")).unwrap();
        calls += 1;
    }
    place.cutting.cuts = cuts;
    let (done, stages) = place.run(&place.resumable(), usize::MAX);
    assert_eq!(stages, [Stage::Locating, Stage::Writing]);
    assert_eq!(
        done.unwrap().resumed.map(|resumed| resumed.stage),
        Some(Stage::Locating)
    );
    assert!(place.outputs() == expected);
}

/// What only a report needs is not saved, so it is found again.
#[test]
#[ignore = "slow: `make test-all` runs it"]
fn a_report_and_marks() {
    let mut place = Place::new();
    place.config.report = Some(ReportConfig {
        path: place.path("report.html"),
        floor: None,
    });
    place.cutting.mark = Some("cut_".into());
    place.run(&place.config, usize::MAX).0.unwrap();
    let page = || fs::read(place.path("report.html")).unwrap();
    let expected = (place.outputs(), page());
    let mut reached = Vec::new();
    for calls in 0.. {
        let (done, _) = place.run(&place.resumable(), calls);
        let is_interrupted = done.is_err();
        if is_interrupted {
            let (again, _) = place.run(&place.resumable(), usize::MAX);
            reached.extend(again.unwrap().resumed.map(|resumed| resumed.stage));
        }
        assert!((place.outputs(), page()) == expected, "after {calls} calls");
        if !is_interrupted {
            break;
        }
    }
    reached.dedup();
    assert_eq!(reached, [Stage::Locating]);
}

/// The threads that read documents search those that are kept so far, except recent ones, of which there are several parts here.
#[test]
fn many_documents_that_several_threads_search() {
    let mut place = Place::new();
    for file in 0..8 {
        fs::write(
            place.path(&format!("{file:02}.jsonl")),
            documents(file * 400, file * 400 + 400),
        )
        .unwrap();
    }
    let mut runs = [(1, LITTLE), (1, None), (2, None), (7, None)]
        .into_iter()
        .map(|(threads, memory)| {
            (place.config.threads, place.config.memory) = (threads, memory);
            let summary = place.run(&place.config, usize::MAX).0.unwrap();
            (place.outputs(), summary.cuts)
        });
    let first = runs.next().unwrap();
    assert!(first.1 > 4000, "{}", first.1);
    assert!(runs.all(|run| run == first));
}

/// Each passage is at many places, so the index has longer sequences for each of them.
#[test]
fn many_equal_references() {
    let mut place = Place::new();
    let page: String = (0..4000).map(|word| format!("word{word} ")).collect();
    fs::write(
        place.path("00.jsonl"),
        format!("{{\"text\":\"{page}\"}}\n{{\"text\":\"new {page}\"}}\n"),
    )
    .unwrap();
    let runs = [1, 20, 60].map(|references| {
        place.config.against = (0..references)
            .map(|number| place.path(&format!("{number}.txt")).display().to_string())
            .collect();
        place
            .config
            .against
            .iter()
            .for_each(|path| fs::write(path, &page).unwrap());
        let summary = place.run(&place.config, usize::MAX).0.unwrap();
        (
            fs::read_to_string(place.path("texts.jsonl")).unwrap(),
            summary.tokens_cut,
        )
    });
    assert!(
        runs[0].1 > 8000 && runs[0].0.starts_with("{\"text\":\"new\"}"),
        "{}",
        &runs[0].0[..100]
    );
    assert!(runs.iter().all(|run| *run == runs[0]));
}
