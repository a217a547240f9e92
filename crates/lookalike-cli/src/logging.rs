//! Log lines, with `-v`: what the engine says of a run, and when its passes begin and end. They go to standard error, so that data
//! stays as it is, and take the place of the progress bar. The engine names files as messages do, without secrets.

use std::{sync::OnceLock, time::Instant};

use log::{LevelFilter, Log, Metadata, Record};
use lookalike::shown::message;

use crate::output::{DIM, say};

struct Lines;

static STARTED: OnceLock<Instant> = OnceLock::new();

impl Log for Lines {
    /// Libraries log too, and may name what must not be shown.
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.target().starts_with("lookalike")
    }

    fn log(&self, record: &Record) {
        if self.enabled(record.metadata()) {
            let seconds = STARTED.get_or_init(Instant::now).elapsed().as_secs_f64();
            say(&format!("{DIM}[{seconds:8.3} s]{DIM:#} {}", message(&record.args().to_string())));
        }
    }

    fn flush(&self) {}
}

/// Says as much as is asked for: nothing, what is done, or also each input.
pub fn start(verbosity: u8) {
    STARTED.get_or_init(Instant::now);
    // Set before where this process ran a command before.
    _ = log::set_logger(&Lines);
    log::set_max_level(match verbosity {
        0 => LevelFilter::Off,
        1 => LevelFilter::Info,
        _ => LevelFilter::Debug,
    });
}

/// Says how a run ended.
pub fn end(code: u8) {
    let seconds = STARTED.get_or_init(Instant::now).elapsed().as_secs_f64();
    let memory =
        lookalike_engine::peak_memory().map_or(String::new(), |peak| format!(", {:.1} MB of memory at most", peak as f64 / 1e6));
    log::info!("exit code {code} after {seconds:.3} s{memory}");
}
