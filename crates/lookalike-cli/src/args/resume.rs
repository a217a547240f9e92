//! The flags of runs that can be resumed, and how summaries describe a resumed run.

use std::path::PathBuf;

use clap::Args;
use lookalike_engine::{Resume, Resumed, Stage};

use crate::output::name;

/// The folder in which progress is saved.
#[derive(Args)]
pub struct ResumeArgs {
    /// Save progress in FOLDER; rerun the same command to continue
    ///
    /// The run may have been interrupted in any way. The saved progress is deleted on success.
    #[arg(long, value_name = "FOLDER", help_heading = "Execution")]
    resume: Option<PathBuf>,
    /// With --resume: bytes of input between checkpoints; for tests
    #[arg(long, value_name = "BYTES", requires = "resume", hide = true)]
    resume_part: Option<u64>,
}

impl ResumeArgs {
    /// Returns whether progress is saved.
    pub fn is_given(&self) -> bool {
        self.resume.is_some()
    }

    /// Returns the settings of the run.
    pub fn settings(&self) -> Option<Resume> {
        self.resume.as_ref().map(|folder| {
            let usual = Resume::in_folder(folder);
            Resume {
                part: self.resume_part.unwrap_or(usual.part),
                ..usual
            }
        })
    }

    /// Returns the line about the folder at the end of a summary.
    pub fn removed(&self) -> Option<String> {
        self.resume
            .as_ref()
            .map(|folder| format!("  state    no longer needed, removed from {}", name(folder)))
    }
}

/// Returns the line of a summary that describes where a run resumed.
pub fn resumed(resumed: &Resumed) -> String {
    format!("  resumed  {}", resume_point(resumed))
}

fn resume_point(resumed: &Resumed) -> String {
    let pass = match resumed.stage {
        Stage::Sketching => "the first pass",
        Stage::Pairing | Stage::Cutting => return "after the first pass".into(),
        Stage::Locating => return "after all cuts were found".into(),
        Stage::Writing => return "before the last pass".into(),
        _ => "the second pass",
    };
    // A pass that was not complete is never reported as "at 100 %".
    let share = resumed.share.map(|share| (100.0 * share).floor().min(99.0));
    share.map_or(format!("within {pass}"), |share| {
        format!("at {share} % of {pass}")
    })
}
