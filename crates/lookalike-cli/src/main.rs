//! The command's program.

use std::process::ExitCode;

/// musl's allocator has one lock for all threads.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A file that grows above the limit of the system (ulimit -f) then makes a write fail, which is reported; the signal's default
    // is to end the process without a word.
    #[cfg(unix)]
    drop(signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()));
    ExitCode::from(lookalike_cli::main_from(None, std::env::args_os()))
}
