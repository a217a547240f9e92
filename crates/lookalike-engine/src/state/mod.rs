//! Saves a run's progress in a folder, so that another run can resume after an interruption: a kill, a full disk, a power cut.
//!
//! A run with a state makes the same passes as a run without a state, but also writes their results to the folder. The folder has
//! the [manifest](manifest), which identifies the run by its configuration and by properties of its inputs. It has two
//! [journals](journal): the results of the first pass for each block, and the decisions of the second pass for each round
//! (several blocks). If texts are cut, the second journal has the results of each later pass. The folder also records how much of
//! both journals is safely on the disk. A resumed run feeds the journals' records to its passes as if the blocks had just been
//! read. So the same code fills the same data structures, with any memory limit and any number of threads. The alternative was to store the data structures themselves in named files. Then spilled data
//! would not be written twice, but the file format would depend on every data structure. A run with enough memory would also have
//! to read from files what it now has in memory.

mod codec;
mod folder;
mod journal;
pub(crate) mod manifest;

use std::time::{Duration, Instant};

use lookalike::{Config, cut::CutConfig};
use serde::{Deserialize, Serialize};

pub(crate) use self::{
    codec::{Taken, put, put_text},
    journal::Journal,
};
use self::{folder::Folder, journal::Written, manifest::Manifest};
use crate::config::{Resume, RunConfig, Stage};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::Source,
};

const MANIFEST: &str = "manifest.json";
const PROGRESS: &str = "progress.json";
const SKETCHES: &str = "sketches.journal";
const VERDICTS: &str = "verdicts.journal";

/// Progress is synced to the disk at least this often, however little progress was made.
const OFTEN_ENOUGH: Duration = Duration::from_secs(10);

/// A run's state.
pub(crate) struct State {
    folder: Folder,
    /// The first pass's results, block by block.
    pub(crate) sketches: Journal,
    /// The decisions of the streaming pass, round by round; for a run that cuts, what each later stage found.
    pub(crate) verdicts: Journal,
    /// The number of bytes of input after which progress is synced.
    part: u64,
    /// Bytes of input since the last sync.
    since: u64,
    ended: Instant,
    /// The point at which this run resumed an earlier one; `None` if it did not.
    pub(crate) resumed: Option<Resumed>,
}

/// The point at which a run resumed an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Resumed {
    /// The pass that the earlier run had reached; [`Pairing`](Stage::Pairing) if the earlier run ended between the passes over
    /// the input. A run that cuts repeats this pass from its start, except for the first pass.
    pub stage: Stage,
    /// The share of that pass that was done, if it is known; `None` if the pass is repeated, and between the passes.
    pub share: Option<f64>,
}

/// How much of the journals is safely on the disk.
#[derive(Debug, Serialize, Deserialize)]
struct Progress {
    sketches: Written,
    verdicts: Written,
}

impl State {
    /// Opens the state of a run over these inputs, or creates one. `cut` is what the run cuts; `None` if it deduplicates.
    ///
    /// # Errors
    /// Fails if the folder contains other files, if another run is using the folder, if the state belongs to a different
    /// configuration or to inputs that have since changed, if a manifest is damaged, or if the inputs cannot be read again.
    pub(crate) fn open(
        resume: &Resume,
        config: &RunConfig,
        (method, cut): (&Config, Option<&CutConfig>),
        source: &Source,
    ) -> Result<Self> {
        source.refuse_unrepeatable()?;
        let folder = Folder::open(
            &resume.folder,
            MANIFEST,
            &[PROGRESS, SKETCHES, VERDICTS],
            |there| Manifest::parse(there).is_some(),
        )?;
        let own = Manifest::of(config, method, cut, source.inputs(), source.references())?;
        match folder.read(MANIFEST)? {
            Some(there) => {
                let there = Manifest::parse(&there).ok_or_else(|| folder.damaged(MANIFEST))?;
                there.refuse_other(&own, &format!("the state in {}", folder.path().display()))?;
            }
            None => folder.write(MANIFEST, &own)?,
        }
        let progress: Option<Progress> = match folder.read(PROGRESS)? {
            Some(there) => {
                Some(serde_json::from_slice(&there).map_err(|_| folder.damaged(PROGRESS))?)
            }
            None => None,
        };
        let journal = |name, written| Journal::open(folder.path(), name, own.digest()?, written);
        Ok(Self {
            sketches: journal(
                SKETCHES,
                progress.as_ref().map(|progress| progress.sketches),
            )?,
            verdicts: journal(
                VERDICTS,
                progress.as_ref().map(|progress| progress.verdicts),
            )?,
            folder,
            part: resume.part,
            since: 0,
            ended: Instant::now(),
            resumed: None,
        })
    }

    /// Counts bytes of input whose results are completely in the journals. Syncs the journals to the disk when enough bytes were
    /// counted or enough time has passed.
    pub(crate) fn passed(&mut self, bytes: u64) -> Result<()> {
        self.since += bytes;
        if self.since >= self.part || self.ended.elapsed() >= OFTEN_ENOUGH {
            self.commit()
        } else {
            Ok(())
        }
    }

    /// Syncs the journals to the disk, and records their extent there.
    pub(crate) fn commit(&mut self) -> Result<()> {
        let sketches = self.sketches.sync()?;
        let progress = Progress {
            sketches,
            verdicts: self.verdicts.sync()?,
        };
        self.folder.write(PROGRESS, &progress)?;
        (self.since, self.ended) = (0, Instant::now());
        Ok(())
    }

    /// Discards the decisions of the streaming pass.
    pub(crate) fn forget_verdicts(&mut self) -> Result<()> {
        let progress = Progress {
            sketches: self.sketches.sync()?,
            verdicts: self.verdicts.none(),
        };
        self.folder.write(PROGRESS, &progress)?;
        self.verdicts.clear()
    }

    /// Returns the error for records of the second journal that are not about the documents of this run.
    pub(crate) fn other_verdicts(&self) -> Error {
        self.folder.damaged(VERDICTS)
    }

    /// Deletes the files of a completed run, and the folder if it contains nothing else. The order of the deletions ensures that
    /// an interruption at any time leaves either nothing or a state that a run can resume from.
    pub(crate) fn finish(self) -> Result<()> {
        let path = self.folder.path().display().to_string();
        let removed = self
            .folder
            .remove(&[PROGRESS, SKETCHES, VERDICTS, MANIFEST]);
        removed.map_err(|error| {
            let kept =
                Error::new(ErrorKind::Temporary, format!("cannot be removed: {error}")).at(path);
            kept.advise("all outputs are written; remove this folder yourself")
                .because(error)
        })
    }
}
