//! The program that runs the command.

use std::process::ExitCode;

/// Replaces the allocator of musl, which has one lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The signal SIGXFSZ is handled, so that a write to a file that exceeds the system's limit (ulimit -f) fails and is reported.
    // By default, the signal ends the process without a message.
    #[cfg(unix)]
    drop(signal_hook::flag::register(
        signal_hook::consts::SIGXFSZ,
        std::sync::Arc::default(),
    ));
    ExitCode::from(lookalike_cli::main_from(None, std::env::args_os()))
}
