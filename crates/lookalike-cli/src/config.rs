//! Settings from a file.

use std::{mem, path::PathBuf};

use clap::Args;
use lookalike_engine::Result;
use lookalike_options::{Layer, of_file};

/// A file with settings.
#[derive(Args)]
pub struct ConfigFile {
    /// Read settings from FILE, in TOML; flags override them
    ///
    /// The names are those of the flags, with _ instead of -: threshold = 0.9, text_field = "body", against = ["test.jsonl"]. INPUT is
    /// inputs. A switch is true or false; a flag cannot turn it off. Paths are relative to the current folder, as in flags.
    #[arg(long, value_name = "FILE", help_heading = "Execution")]
    config: Option<PathBuf>,
}

impl ConfigFile {
    /// Returns whether a file is given.
    pub fn is_given(&self) -> bool {
        self.config.is_some()
    }

    /// Fills in what the flags do not give.
    pub fn fill(&self, flags: &mut impl Layer) -> Result<()> {
        if let Some(path) = &self.config {
            *flags = mem::take(flags).over(of_file(path)?);
        }
        Ok(())
    }
}
