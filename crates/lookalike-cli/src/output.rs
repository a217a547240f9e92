//! Output for people: messages on standard error, progress bars and readable numbers.

use std::{
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    path::Path,
    sync::Mutex,
    time::Instant,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lookalike::shown::{message, one_line};
use lookalike_engine::{Error, Estimate, Progress, Stage, shown_name, unless_closed};

pub use crate::paint::{BOLD, DIM, GREEN, RED};
use crate::{
    front::Flags,
    paint::{ERROR, Target, WARNING},
};

/// Prints a page on standard output, with colours if the reader wants them.
pub fn print(page: &str) -> anyhow::Result<()> {
    let stdout = io::stdout();
    printed(Target::of_data(&stdout).write(stdout, page))
}

/// Prints data on standard output. The bytes are unchanged unless a terminal shows them.
pub fn print_data(data: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout();
    let data = Target::of_data(&stdout).data(data);
    printed(
        stdout
            .write_all(data.as_bytes())
            .and_then(|()| stdout.flush()),
    )
}

/// Prints help, which contains no data.
pub fn print_help(help: &clap::builder::StyledStr) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    printed(write!(out, "{}", help.ansi()).and_then(|()| out.flush()))
}

fn printed(done: io::Result<()>) -> anyhow::Result<()> {
    unless_closed(done, ()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => error.into(),
        _ => anyhow::anyhow!("standard output: cannot be written: {error}"),
    })
}

/// Prints a message on standard error. A failed write is ignored, because only the exit code is left to report it.
pub fn say(words: &str) {
    let stderr = io::stderr();
    drop(Target::of_messages(&stderr).write(stderr, &format!("{words}\n")));
}

/// Prints an error message.
pub fn error(words: &str) {
    say(&format!("{ERROR}error:{ERROR:#} {}", message(words)));
}

/// Prints what is wrong with the command's arguments.
pub fn usage(words: &str) {
    match words.strip_prefix("error:") {
        Some(rest) => say(&format!("{ERROR}error:{ERROR:#}{}", rest.trim_end())),
        None => say(words.trim_end()),
    }
}

/// Prints a warning: the run continued, but the user should know.
pub fn warning(text: &str) {
    say(&format!("{WARNING}warning:{WARNING:#} {}", message(text)));
}

/// Returns the name of a file in the form that the command prints.
pub fn name(path: &Path) -> String {
    one_line(&shown_name(&path.display().to_string())).into_owned()
}

/// Returns a passage. A long one is cut to its two ends unless `full` is set.
pub fn both_ends(passage: &str, full: bool) -> String {
    const END: usize = 200;
    let count = passage.chars().count();
    if full || count <= 2 * END + 40 {
        return passage.into();
    }
    let at = |n: usize| {
        passage
            .char_indices()
            .nth(n)
            .map_or(passage.len(), |(at, _)| at)
    };
    format!(
        "{} […{} characters…] {}",
        &passage[..at(END)],
        count - 2 * END,
        &passage[at(count - END)..]
    )
}

/// Prints what was wrong with the first bad lines, unless `quiet` is set.
pub fn warnings(bad_lines: &[Error], flags: Flags, quiet: bool) {
    bad_lines
        .iter()
        .filter(|_| !quiet)
        .for_each(|line| warning(&line.rendered(&flags)));
}

/// Returns data for one line of a page: line breaks become spaces, and other control characters are escaped.
pub fn quiet(text: &str) -> String {
    let is_break = |c: char| matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    one_line(&text.replace(is_break, " ")).into_owned()
}

/// Returns a number with thousands separators: 1234567 → 1,234,567.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns a number of bytes in a suitable unit.
pub fn bytes(number: u64) -> String {
    let mut value = number as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 1000.0 {
            return if unit == "B" {
                format!("{value:.0} B")
            } else {
                format!("{value:.1} {unit}")
            };
        }
        value /= 1000.0;
    }
    format!("{value:.2} TB")
}

/// Returns a number with its noun: "1 document", "2 documents".
pub fn counted(number: u64, noun: &str) -> String {
    let mut words = format!("{} {noun}", count(number));
    if number != 1 {
        words.push('s');
    }
    words
}

/// The visible state of a run.
struct Shown {
    stage: Option<Stage>,
    bar: ProgressBar,
    /// Whether the estimate for a long run was already printed or is not wanted.
    reported: bool,
    /// When the stage started and how much of it is done, for log lines.
    began: Instant,
    done: u64,
}

impl Shown {
    /// Logs that a stage has ended, for `-v`.
    fn log_end(&self) {
        let Some(stage) = self.stage else { return };
        let (name, unit) = (stage_name(stage), unit_of(stage));
        let done = if unit.is_empty() {
            bytes(self.done)
        } else {
            format!("{} {unit}", count(self.done))
        };
        log::info!(
            "{name}: {done} in {:.3} s",
            self.began.elapsed().as_secs_f64()
        );
    }
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Sketching => "sketching",
        Stage::Pairing => "pairing",
        Stage::Counting => "counting",
        Stage::Streaming | Stage::Deciding => "deciding",
        Stage::Loading => "reading candidates",
        Stage::Comparing => "comparing",
        Stage::Cutting => "cutting",
        Stage::Locating => "locating",
        Stage::Writing => "writing",
        Stage::Gathering => "reading",
        Stage::Learning => "learning weights",
        Stage::Scoring => "scoring",
    }
}

/// Returns the unit of a stage's progress; empty for bytes.
fn unit_of(stage: Stage) -> &'static str {
    match stage {
        Stage::Pairing => "steps",
        Stage::Counting | Stage::Deciding => "documents",
        Stage::Learning | Stage::Scoring => "pairs",
        Stage::Sketching
        | Stage::Streaming
        | Stage::Loading
        | Stage::Comparing
        | Stage::Cutting
        | Stage::Locating
        | Stage::Writing
        | Stage::Gathering => "",
    }
}

/// A progress bar on standard error that shows the current stage of a run. It is hidden unless standard error is a terminal.
pub struct Bars {
    shown: Mutex<Shown>,
}

impl Bars {
    /// Creates the progress bar. The bar is also hidden if `quiet` is set or if log lines replace it.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet
            || log::max_level() != log::LevelFilter::Off
            || !std::io::stderr().is_terminal()
        {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(10)
        };
        let bar = ProgressBar::with_draw_target(None, target);
        Self {
            shown: Mutex::new(Shown {
                stage: None,
                bar,
                reported: quiet,
                began: Instant::now(),
                done: 0,
            }),
        }
    }

    /// Shows the progress of a run, and always lets the run continue.
    pub fn observe(&self, progress: Progress) -> ControlFlow<()> {
        self.show(progress);
        ControlFlow::Continue(())
    }

    fn show(&self, progress: Progress) {
        // A bar that cannot be shown must not stop the run.
        let Ok(mut shown) = self.shown.lock() else {
            return;
        };
        if shown.stage != Some(progress.stage) {
            shown.log_end();
            (shown.began, shown.done) = (Instant::now(), 0);
            log::info!("{} started", stage_name(progress.stage));
        }
        // The number of pairs is an estimate until the stage ends.
        let is_estimate = matches!(progress.stage, Stage::Learning | Stage::Scoring);
        shown.done = if is_estimate {
            progress.done
        } else {
            shown.done.max(progress.done)
        };
        let Shown {
            stage,
            bar,
            reported,
            ..
        } = &mut *shown;
        const LONG: u64 = 10;
        if let Some(estimate) = progress
            .estimate
            .filter(|estimate| estimate.seconds >= LONG)
            && !std::mem::replace(reported, true)
        {
            Self::tell(bar, estimate, progress.stage);
        }
        if *stage != Some(progress.stage) {
            *stage = Some(progress.stage);
            let name = stage_name(progress.stage);
            let unit = match unit_of(progress.stage) {
                "" => "{bytes}/{total_bytes}, {bytes_per_sec}".to_string(),
                unit => format!("{{human_pos}}/{{human_len}} {unit}"),
            };
            let template = if progress.total > 0 {
                format!("{name:>18} {{bar:30}} {unit}, {{eta}} left")
            } else {
                format!("{name:>18} {{spinner}}")
            };
            bar.reset();
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
        }
        bar.set_length(progress.total.max(progress.done));
        bar.set_position(progress.done);
    }

    /// Prints an estimate of the time, memory and disk that a long run needs.
    fn tell(bar: &ProgressBar, estimate: Estimate, stage: Stage) {
        let time = match estimate.seconds {
            seconds @ ..120 => format!("{seconds} s"),
            seconds @ ..7200 => format!("{} min", seconds / 60),
            seconds => format!("{} h", seconds / 3600),
        };
        let disk = if estimate.disk > 0 {
            format!(" and {} of temporary files", bytes(estimate.disk))
        } else {
            String::new()
        };
        let documents = count(estimate.documents);
        let more = if stage == Stage::Streaming {
            " more"
        } else {
            ""
        };
        let line = format!(
            "about {documents} documents: about {time}{more}, {} of memory{disk}",
            bytes(estimate.memory)
        );
        bar.suspend(|| say(&line));
    }

    /// Shows an activity whose duration is unknown.
    pub fn note(&self, words: &str) {
        let Ok(mut shown) = self.shown.lock() else {
            return;
        };
        shown.log_end();
        log::info!("{words}");
        let Shown { stage, bar, .. } = &mut *shown;
        *stage = None;
        bar.reset();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message(one_line(words).into_owned());
        bar.enable_steady_tick(std::time::Duration::from_millis(100));
    }

    /// Removes the bar.
    pub fn clear(&self) {
        if let Ok(mut shown) = self.shown.lock() {
            shown.log_end();
            shown.stage = None;
            shown.bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_scaled() {
        assert_eq!(
            [0, 999, 1000, 1234567].map(count),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [999, 1500, 2_000_000].map(bytes),
            ["999 B", "1.5 kB", "2.0 MB"]
        );
        assert_eq!(
            [counted(1, "pair"), counted(2, "pair")],
            ["1 pair", "2 pairs"]
        );
    }
}
