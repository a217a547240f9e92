//! What a run has done, in a folder, so that another run goes on from there after whatever ended the first: a kill, a full disk,
//! a power cut.
//!
//! The passes stay as they are; what they find out is written down beside them. The folder has the [manifest](manifest) (which
//! run this is: its configuration and what its inputs look like), two [journals](journal) (what the first pass found out of each
//! block, and what the second decided in each round), and how far both are safely on the disk. A run that goes on gives the
//! journals to its passes again, as if the blocks had just been read: the same stores come of it by the same code, whatever
//! memory and threads it has. The alternative, stores that are themselves files with names, would save writing what spills
//! twice, but would tie the format to every store, and a run with enough memory would read from files what it has at hand now.

mod codec;
mod folder;
mod journal;
mod manifest;

use std::time::{Duration, Instant};

use lookalike::Config;
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

/// After this time what was done is brought to the disk, however little it is.
const OFTEN_ENOUGH: Duration = Duration::from_secs(10);

/// A run's state.
pub(crate) struct State {
    folder: Folder,
    /// What the first pass found out, block by block.
    pub(crate) sketches: Journal,
    /// What the pass that settles decided, round by round.
    pub(crate) verdicts: Journal,
    /// Bytes of input of a part.
    part: u64,
    /// Bytes of input since the last part's end.
    since: u64,
    ended: Instant,
    /// Where this run has gone on.
    pub(crate) resumed: Option<Resumed>,
}

/// Where a run went on that an earlier one had begun.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Resumed {
    /// The pass that the earlier one had come to; [`Pairing`](Stage::Pairing) when that was between the passes over the input.
    pub stage: Stage,
    /// The share of that pass that it had done, where anybody knows; none between the passes.
    pub share: Option<f64>,
}

/// How much is safely on the disk.
#[derive(Debug, Serialize, Deserialize)]
struct Progress {
    sketches: Written,
    verdicts: Written,
}

impl State {
    /// Opens the state of a run over these inputs, or begins one.
    ///
    /// # Errors
    /// A folder with other things in it, or another run at work; the state of another configuration, or of inputs that were
    /// others; a manifest that was damaged; inputs that cannot be read again.
    pub(crate) fn open(resume: &Resume, config: &RunConfig, method: &Config, source: &Source) -> Result<Self> {
        source.refuse_unrepeatable()?;
        let folder =
            Folder::open(&resume.folder, MANIFEST, &[PROGRESS, SKETCHES, VERDICTS], |there| Manifest::parse(there).is_some())?;
        let own = Manifest::of(config, method, source)?;
        match folder.read(MANIFEST)? {
            Some(there) => Manifest::parse(&there).ok_or_else(|| folder.damaged(MANIFEST))?.refuse_other(&own, folder.path())?,
            None => folder.write(MANIFEST, &own)?,
        }
        let progress: Option<Progress> = match folder.read(PROGRESS)? {
            Some(there) => Some(serde_json::from_slice(&there).map_err(|_| folder.damaged(PROGRESS))?),
            None => None,
        };
        let journal = |name, written| Journal::open(folder.path(), name, own.digest()?, written);
        Ok(Self {
            sketches: journal(SKETCHES, progress.as_ref().map(|progress| progress.sketches))?,
            verdicts: journal(VERDICTS, progress.as_ref().map(|progress| progress.verdicts))?,
            folder,
            part: resume.part,
            since: 0,
            ended: Instant::now(),
            resumed: None,
        })
    }

    /// Counts bytes of input of which all is in the journals; brings these to the disk when a part is full.
    pub(crate) fn passed(&mut self, bytes: u64) -> Result<()> {
        self.since += bytes;
        if self.since >= self.part || self.ended.elapsed() >= OFTEN_ENOUGH { self.commit() } else { Ok(()) }
    }

    /// Brings the journals to the disk, and says so there.
    pub(crate) fn commit(&mut self) -> Result<()> {
        let sketches = self.sketches.sync()?;
        let progress = Progress { sketches, verdicts: self.verdicts.sync()? };
        self.folder.write(PROGRESS, &progress)?;
        (self.since, self.ended) = (0, Instant::now());
        Ok(())
    }

    /// Forgets what the pass that settles decided.
    pub(crate) fn forget_verdicts(&mut self) -> Result<()> {
        let progress = Progress { sketches: self.sketches.sync()?, verdicts: self.verdicts.none() };
        self.folder.write(PROGRESS, &progress)?;
        self.verdicts.clear()
    }

    /// The run is done: takes its files away, and the folder if nothing else is in it. In an order that leaves, whenever it is
    /// ended, a state that a run can go on from or nothing.
    pub(crate) fn finish(self) -> Result<()> {
        let path = self.folder.path().display().to_string();
        let removed = self.folder.remove(&[PROGRESS, SKETCHES, VERDICTS, MANIFEST]);
        removed.map_err(|error| {
            let kept = Error::new(ErrorKind::Temporary, format!("cannot be removed: {error}")).at(path);
            kept.advise("all outputs are written: remove it yourself").because(error)
        })
    }
}
