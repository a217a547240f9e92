//! The command's program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(lookalike_cli::main_from(std::env::args_os()))
}
