//! `lookalike completions`.

use std::process::ExitCode;

use clap::Args;
use clap_complete::{Shell, generate};

use crate::output::print_data;

/// Print a completion script for a shell
///
/// For bash: lookalike completions bash > ~/.local/share/bash-completion/completions/lookalike
#[derive(Args)]
pub struct Completions {
    /// Shell to complete for
    shell: Shell,
}

impl Completions {
    pub fn run(self, mut command: clap::Command) -> anyhow::Result<ExitCode> {
        let mut script = Vec::new();
        generate(self.shell, &mut command, "lookalike", &mut script);
        print_data(&String::from_utf8(script)?)?;
        Ok(ExitCode::SUCCESS)
    }
}
