//! What people see: words on standard error, progress, numbers made readable.

use std::{
    io::{IsTerminal, Write},
    sync::Mutex,
};

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lookalike_engine::{Estimate, Progress, Stage};

/// Red, for errors and for what only one text has.
pub const RED: Style = AnsiColor::Red.on_default();
/// Green, for what two texts share.
pub const GREEN: Style = AnsiColor::Green.on_default();
/// For headings and figures.
pub const BOLD: Style = Style::new().bold();
/// For what matters less.
pub const DIM: Style = Style::new().dimmed();

/// Prints data; coloured where the reader wants it.
pub fn print(page: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout();
    out.write_all(page.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => error.into(),
        _ => anyhow::anyhow!("standard output: cannot be written: {error}"),
    })
}

/// Says something on standard error; if that cannot be written, nobody is there to be told.
pub fn say(words: &str) {
    drop(writeln!(anstream::stderr(), "{words}"));
}

/// Says what went wrong.
pub fn error(error: &anyhow::Error) {
    let bold = RED.bold();
    say(&format!("{bold}error:{bold:#} {error:#}"));
}

/// Says what the user should know though all went on.
pub fn warning(text: &str) {
    let style = AnsiColor::Yellow.on_default().bold();
    say(&format!("{style}warning:{style:#} {text}"));
}

/// A passage; of a long one, unless all is asked for, its two ends.
pub fn both_ends(passage: &str, full: bool) -> String {
    const END: usize = 200;
    let count = passage.chars().count();
    if full || count <= 2 * END + 40 {
        return passage.into();
    }
    let at = |n: usize| passage.char_indices().nth(n).map_or(passage.len(), |(at, _)| at);
    format!("{} […{} characters…] {}", &passage[..at(END)], count - 2 * END, &passage[at(count - END)..])
}

/// Says what was wrong with the first bad lines, unless nobody wants to know.
pub fn warnings(bad_lines: &[String], quiet: bool) {
    bad_lines.iter().filter(|_| !quiet).for_each(|line| warning(line));
}

/// Data for a line of a page: without line breaks, and without what else would command a terminal or turn the line's direction.
pub fn quiet(text: &str) -> String {
    let commands = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if commands(c) { ' ' } else { c }).collect()
}

/// 1234567 → 1,234,567
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

/// Bytes in the unit that fits.
pub fn bytes(number: u64) -> String {
    let mut value = number as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 1000.0 {
            return if unit == "B" { format!("{value:.0} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.2} TB")
}

/// "1 document", "2 documents".
pub fn counted(number: u64, noun: &str) -> String {
    let mut words = format!("{} {noun}", count(number));
    if number != 1 {
        words.push('s');
    }
    words
}

/// What is seen of a run.
struct Shown {
    stage: Option<Stage>,
    bar: ProgressBar,
    /// Whether it was told what a long run will take, or nobody wants to know.
    told: bool,
}

/// A progress bar on standard error, one stage after the other; nothing when that is no terminal.
pub struct Bars {
    shown: Mutex<Shown>,
}

impl Bars {
    /// `quiet` shows none.
    pub fn new(quiet: bool) -> Self {
        let target = if quiet || !std::io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(10)
        };
        let bar = ProgressBar::with_draw_target(None, target);
        Self { shown: Mutex::new(Shown { stage: None, bar, told: quiet }) }
    }

    /// Shows where a run has got to.
    pub fn show(&self, progress: Progress) {
        // A bar that cannot be shown must not stop the run.
        let Ok(mut shown) = self.shown.lock() else { return };
        let Shown { stage, bar, told } = &mut *shown;
        const LONG: u64 = 10;
        if let Some(estimate) = progress.estimate.filter(|estimate| estimate.seconds >= LONG)
            && !std::mem::replace(told, true)
        {
            Self::tell(bar, estimate, progress.stage);
        }
        if *stage != Some(progress.stage) {
            *stage = Some(progress.stage);
            let (name, unit) = match progress.stage {
                Stage::Sketching => ("sketching", "{bytes}/{total_bytes}, {bytes_per_sec}"),
                Stage::Pairing => ("pairing", "{pos}/{len} bands"),
                Stage::Counting => ("counting", "{human_pos}/{human_len} documents"),
                Stage::Settling => ("deciding", "{bytes}/{total_bytes}, {bytes_per_sec}"),
                Stage::Loading => ("reading candidates", "{bytes}/{total_bytes}, {bytes_per_sec}"),
                Stage::Deciding => ("deciding", "{human_pos}/{human_len} documents"),
                Stage::Comparing => ("comparing", "{bytes}/{total_bytes}, {bytes_per_sec}"),
                Stage::Writing => ("writing", "{bytes}/{total_bytes}, {bytes_per_sec}"),
                Stage::Gathering => ("reading", "{bytes}/{total_bytes}, {bytes_per_sec}"),
                Stage::Scoring => ("scoring", "{human_pos}/{human_len} records"),
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

    /// Says what a long run will take.
    fn tell(bar: &ProgressBar, estimate: Estimate, stage: Stage) {
        let time = match estimate.seconds {
            seconds @ ..120 => format!("{seconds} s"),
            seconds @ ..7200 => format!("{} min", seconds / 60),
            seconds => format!("{} h", seconds / 3600),
        };
        let disk = if estimate.disk > 0 { format!(" and {} of temporary files", bytes(estimate.disk)) } else { String::new() };
        let documents = count(estimate.documents);
        let more = if stage == Stage::Settling { " more" } else { "" };
        let line = format!("about {documents} documents: about {time}{more}, {} of memory{disk}", bytes(estimate.memory));
        bar.suspend(|| anstream::eprintln!("{line}"));
    }

    /// Shows what is going on where nobody knows how long it takes.
    pub fn note(&self, words: &str) {
        let Ok(mut shown) = self.shown.lock() else { return };
        let Shown { stage, bar, .. } = &mut *shown;
        *stage = None;
        bar.reset();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message(words.to_string());
        bar.enable_steady_tick(std::time::Duration::from_millis(100));
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Ok(shown) = self.shown.lock() {
            shown.bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_scaled() {
        assert_eq!([0, 999, 1000, 1234567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([999, 1500, 2_000_000].map(bytes), ["999 B", "1.5 kB", "2.0 MB"]);
        assert_eq!([counted(1, "pair"), counted(2, "pair")], ["1 pair", "2 pairs"]);
    }
}
