//! The command's program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(lookalike_cli::main_from(None, std::env::args_os()))
}
