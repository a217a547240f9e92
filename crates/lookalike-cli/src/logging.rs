//! Log lines, with `-v`: the engine's messages about a run, and when its passes start and end. Log lines are written to standard
//! error, so that they do not mix with data. They replace the progress bar. Like all other messages, the engine's messages name
//! files without the secrets that a URL may contain.

use std::{sync::OnceLock, time::Instant};

use log::{Level, LevelFilter, Log, Metadata, Record};
use lookalike::shown::message;

use crate::output::{DIM, say, warning};

struct Lines;

static STARTED: OnceLock<Instant> = OnceLock::new();

impl Log for Lines {
    /// Returns true only for our own records: libraries also log, and may name secrets.
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.target().starts_with("lookalike")
    }

    fn log(&self, record: &Record) {
        if !self.enabled(record.metadata()) {
            return;
        }
        if record.level() <= Level::Warn {
            warning(&record.args().to_string());
        } else {
            let seconds = STARTED.get_or_init(Instant::now).elapsed().as_secs_f64();
            say(&format!(
                "{DIM}[{seconds:8.3} s]{DIM:#} {}",
                message(&record.args().to_string())
            ));
        }
    }

    fn flush(&self) {}
}

/// Enables logging at the requested level: 0 for warnings, if they are wanted, 1 for what a run does, 2 to also log each input.
pub fn start(verbosity: u8, quiet: bool) {
    STARTED.get_or_init(Instant::now);
    // The logger is already set if this process has run a command before.
    _ = log::set_logger(&Lines);
    log::set_max_level(match verbosity {
        0 if quiet => LevelFilter::Error,
        0 => LevelFilter::Warn,
        1 => LevelFilter::Info,
        _ => LevelFilter::Debug,
    });
}

/// Logs how a run ended.
pub fn end(code: u8) {
    let seconds = STARTED.get_or_init(Instant::now).elapsed().as_secs_f64();
    let memory = lookalike_engine::peak_memory().map_or(String::new(), |peak| {
        format!(", peak memory {:.1} MB", peak as f64 / 1e6)
    });
    log::info!("exit code {code} after {seconds:.3} s{memory}");
}
