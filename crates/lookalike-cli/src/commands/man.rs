//! `lookalike man`, for packagers.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::Args;
use lookalike_engine::{refuse_url, shown_path};

/// Write a man page for each command to FOLDER
#[derive(Args)]
#[command(hide = true)]
pub struct Man {
    /// An existing folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl Man {
    pub fn run(self, command: clap::Command) -> anyhow::Result<ExitCode> {
        refuse_url("man", "folder", &self.folder)?;
        clap_mangen::generate_to(command, &self.folder).with_context(|| {
            format!("{}: man pages cannot be written", shown_path(&self.folder))
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
