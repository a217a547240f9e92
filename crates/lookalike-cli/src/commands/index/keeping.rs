//! `lookalike index compact`, `snapshot`, `check` and `stats`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::Args;
use lookalike_engine::folder_of;
use lookalike_indexing::{failed, is_inside, refuse_store, to_read, to_write};
use serde::Serialize;

use crate::{
    output::{bytes, count, counted, name, print_data, say},
    report::Report,
};

/// Write an index again without deleted documents
///
/// Documents are stored in one segment, in the order in which they were added, so searches are faster and deleted documents take no space.
/// The decisions do not change. The disk needs room for a second copy. Afterwards, two indexes with the same documents have the same files,
/// except for the change feed.
#[derive(Args)]
pub struct Compact {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl Compact {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let started = Instant::now();
        let index = to_write(&self.folder)?;
        let before = index.stats().map_err(failed)?.bytes;
        index.compact().map_err(failed)?;
        let after = index.stats().map_err(failed)?;
        if !self.quiet {
            let documents = counted(after.documents, "document");
            let (before, now, seconds) = (
                bytes(before),
                bytes(after.bytes),
                started.elapsed().as_secs_f64(),
            );
            say(&format!(
                "{}: {documents}, segments {before} -> {now}, {seconds:.2} s",
                name(&self.folder)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Copy an index as it is now
///
/// If both folders are on the same file system, large files are shared (hard links), so a copy takes little time and space. Both indexes
/// can be changed independently.
#[derive(Args)]
pub struct Snapshot {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder of the copy, which must not exist or be empty
    #[arg(value_name = "TO")]
    to: PathBuf,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl Snapshot {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        refuse_store(&self.to)?;
        if is_inside(&self.folder, folder_of(&self.to)) {
            anyhow::bail!(
                "{}: a copy cannot be inside the index; name another folder",
                name(&self.to)
            );
        }
        let index = to_write(&self.folder)?;
        index.snapshot(&self.to).map_err(failed)?;
        if !self.quiet {
            say(&format!(
                "{} copied to {}",
                counted(index.len(), "document"),
                name(&self.to)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Check an index for damage
///
/// Reads all files and verifies their checksums. With --decisions, every decision is also made again from the stored texts or sketches.
#[derive(Args)]
pub struct Check {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Make every decision again, and compare it with the stored one
    #[arg(long)]
    decisions: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl Check {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let index = to_read(&self.folder)?;
        let checked = index.check(self.decisions).map_err(failed)?;
        if self.json {
            print(&self.folder, "index check", &checked)?;
        } else if !self.quiet {
            let again = if self.decisions {
                format!(", {} made again", counted(checked.decisions, "decision"))
            } else {
                String::new()
            };
            let documents = counted(checked.documents, "document");
            say(&format!(
                "{}: no damage in {documents}, {} of segments{again}",
                name(&self.folder),
                bytes(checked.bytes)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Show the size and the settings of an index
#[derive(Args)]
pub struct Stats {
    /// The index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

impl Stats {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let index = to_read(&self.folder)?;
        let (stats, settings) = (index.stats().map_err(failed)?, index.settings());
        if self.json {
            #[derive(Serialize)]
            struct Figures<'a> {
                #[serde(flatten)]
                stats: &'a lookalike_index::Stats,
                settings: &'a lookalike_index::Settings,
            }
            print(
                &self.folder,
                "index stats",
                &Figures {
                    stats: &stats,
                    settings,
                },
            )?;
            return Ok(ExitCode::SUCCESS);
        }
        let config = &settings.config;
        let lines = [
            format!(
                "{} in {}",
                counted(stats.documents, "document"),
                name(&self.folder)
            ),
            format!(
                "  decisions {} kept + {} dropped; {} empty",
                count(stats.kept),
                count(stats.dropped),
                count(stats.empty)
            ),
            format!(
                "  settings  threshold {}, keeps {}, stores {}",
                config.threshold, settings.keep, settings.store
            ),
            format!(
                "  segments  {}, {}; {} not in a segment yet",
                counted(stats.segments, "segment"),
                bytes(stats.bytes),
                counted(stats.in_memory, "document")
            ),
            format!(
                "  deleted   {} that still take space",
                counted(stats.removed, "document")
            ),
            format!("  changes   {}", count(stats.last_change)),
        ];
        print_data(&(lines.join("\n") + "\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints figures as JSON.
fn print(folder: &Path, command: &'static str, figures: &impl Serialize) -> anyhow::Result<()> {
    print_data(
        &Report::new(command)
            .inputs("index", [folder.display().to_string()])
            .json(figures)?,
    )
}
