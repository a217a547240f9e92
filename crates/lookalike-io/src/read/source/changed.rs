//! Whether inputs are in each pass what they were in the first: sizes, times and digests.

use std::{fs::Metadata, sync::Mutex, time::SystemTime};

use xxhash_rust::xxh3::xxh3_64;

use super::spool::Spool;
use crate::{
    error::{Error, ErrorKind, Result, Setting},
    lock::lock,
    read::{
        buffer::{Tag, changed},
        bytes::program,
        input::Input,
    },
    words,
};

/// What the first pass saw, and each pass after it has to see.
pub(crate) struct Seen {
    /// By the numbers of the inputs.
    states: Vec<State>,
    /// Blocks of each part that was read to its end.
    blocks: Mutex<Vec<u64>>,
}

/// What an input was when it was first seen.
pub(crate) enum State {
    /// A file as it was when first seen: another size or time later means that it changed under the run.
    Regular { size: u64, modified: Option<SystemTime> },
    /// An object, files or a table in memory, which see for themselves that they stay what they were.
    Object,
    /// Can be read once; the spool fills while it is.
    Once(Spool),
    /// Is run again; the digest of each block that the first pass saw.
    Command(Mutex<Vec<u64>>),
}

impl State {
    fn of(input: &Input) -> Result<Self> {
        Ok(match input {
            Input::Stdin => Self::Once(Spool::default()),
            Input::Command(..) => Self::Command(Mutex::default()),
            Input::Object(_) | Input::Files(_) | Input::Table(_) => Self::Object,
            Input::File(path) => {
                let metadata = path.metadata().map_err(|error| Error::reading(&input.name(), &error))?;
                match metadata.is_file() {
                    true => Self::Regular { size: metadata.len(), modified: modified(&metadata) },
                    false => Self::Once(Spool::default()),
                }
            }
        })
    }

    /// Whether it can be opened without waiting for anybody.
    pub(crate) fn is_regular(&self) -> bool {
        matches!(self, Self::Regular { .. } | Self::Object)
    }

    /// Refuses an input that is no longer what it was when the run began.
    pub(crate) fn refuse_changed(&self, input: &Input) -> Result<()> {
        match (self, input) {
            (Self::Regular { size, modified: then }, Input::File(path)) => match path.metadata() {
                Ok(now) if (now.len(), modified(&now)) == (*size, *then) => Ok(()),
                _ => Err(other(input)),
            },
            (Self::Object, Input::Object(object)) => object.refuse_changed(),
            _ => Ok(()),
        }
    }
}

impl Seen {
    pub(crate) fn of(inputs: &[Input]) -> Result<Self> {
        Ok(Self { states: inputs.iter().map(State::of).collect::<Result<_>>()?, blocks: Mutex::default() })
    }

    /// What an input was when it was first seen.
    pub(crate) fn state(&self, input: usize) -> &State {
        &self.states[input]
    }

    /// Whether all inputs can be opened without waiting for anybody.
    pub(crate) fn are_regular(&self) -> bool {
        self.states.iter().all(State::is_regular)
    }

    /// The number of the first block of each part, and behind it that of all blocks; as many as are known.
    pub(crate) fn first_blocks(&self) -> Vec<usize> {
        let mut first = vec![0];
        first.extend(lock(&self.blocks).iter().scan(0, |sum, &blocks| {
            *sum += blocks as usize;
            Some(*sum)
        }));
        first
    }

    /// Whether a part that was read to its end had so many blocks in the pass before, if there was one. Parts end in order.
    pub(crate) fn has_blocks(&self, part: usize, blocks: u64) -> bool {
        let mut known = lock(&self.blocks);
        match known.get(part) {
            Some(&before) => before == blocks,
            None => {
                known.push(blocks);
                true
            }
        }
    }

    /// Whether a command gives in its `at`th block what it gave: the first pass keeps a digest of each.
    pub(crate) fn is_same(&self, input: usize, at: usize, bytes: &[u8], first: bool) -> bool {
        let State::Command(digests) = self.state(input) else { return true };
        let digest = xxh3_64(bytes);
        let mut digests = lock(digests);
        if first {
            let length = digests.len().max(at + 1);
            digests.resize(length, 0);
            digests[at] = digest;
        }
        digests.get(at) == Some(&digest)
    }

    /// The digest of a command's block that the first pass has seen.
    pub(crate) fn digest(&self, input: usize, tag: Tag) -> Option<u64> {
        let State::Command(digests) = self.state(input) else { return None };
        lock(digests).get(tag.index as usize).copied()
    }

    /// Takes the digest of a command's next block from a pass that came as far before.
    pub(crate) fn restore(&self, input: usize, digest: Option<u64>) {
        if let State::Command(digests) = self.state(input) {
            lock(digests).extend(digest);
        }
    }

    /// Refuses inputs that another run could not read again.
    pub(crate) fn refuse_unrepeatable(&self, inputs: &[Input]) -> Result<()> {
        let is_once = |(input, state): &(&Input, &State)| matches!(state, State::Once(_)) || matches!(input, Input::Table(_));
        let once = inputs.iter().zip(&self.states).find(is_once);
        let Some((input, _)) = once else { return Ok(()) };
        let what = words!["can be read only once, so ", Setting::Resume, " could not go on with it"];
        let advice = words!["write it to a file first, or name what prints it with ", Setting::InputCommand];
        Err(Error::new(ErrorKind::Input, what).at(input.name()).advise(advice))
    }
}

/// The failure of an input that is not what an earlier pass saw.
pub(crate) fn other(input: &Input) -> Error {
    let name = input.name();
    if let Input::Command(line, _) = input {
        let program = program(line);
        let failure = Error::new(ErrorKind::Input, "gave other data when it was run again").at(format!("{name} ({program})"));
        return failure.about(Setting::InputCommand).advise("it must give the same each time");
    }
    changed(&name)
}

fn modified(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}
