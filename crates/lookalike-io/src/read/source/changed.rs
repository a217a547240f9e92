//! Checks in each later pass that the sizes, times and digests of the inputs are the same as in the first pass.

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
};

/// The data that the first pass records, and that each later pass compares with what it finds.
pub(crate) struct Seen {
    /// The states of the inputs, by their numbers.
    states: Vec<State>,
    /// The number of blocks in each part that has been read to its end.
    blocks: Mutex<Vec<u64>>,
}

/// The state of an input when it was first examined.
pub(crate) enum State {
    /// A file, with its size and time when it was first examined. If they differ later, the file has changed during the run.
    Regular {
        size: u64,
        modified: Option<SystemTime>,
    },
    /// An object, files that are documents, a table in memory, or stored records. The code for these kinds of inputs detects changes itself.
    Object,
    /// An input that can be read only once, and the spool (a stored copy) that the first reading fills.
    Once(Spool),
    /// A command that runs again for each pass, with the digest of each block in the first pass.
    Command(Mutex<Vec<u64>>),
}

impl State {
    fn of(input: &Input) -> Result<Self> {
        Ok(match input {
            Input::Stdin => Self::Once(Spool::default()),
            Input::Command(..) => Self::Command(Mutex::default()),
            Input::Object(_) | Input::Files(_) | Input::Table(_) | Input::Stored(_) => Self::Object,
            Input::File(path) => {
                let metadata = path
                    .metadata()
                    .map_err(|error| Error::reading(&input.name(), &error))?;
                if metadata.is_file() {
                    Self::Regular {
                        size: metadata.len(),
                        modified: modified(&metadata),
                    }
                } else {
                    Self::Once(Spool::default())
                }
            }
        })
    }

    /// Returns whether the input can be opened without waiting for another process.
    pub(crate) fn is_regular(&self) -> bool {
        matches!(self, Self::Regular { .. } | Self::Object)
    }

    /// Returns an error if an input has changed since the run began.
    pub(crate) fn refuse_changed(&self, input: &Input) -> Result<()> {
        match (self, input) {
            (
                Self::Regular {
                    size,
                    modified: then,
                },
                Input::File(path),
            ) => match path.metadata() {
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
        Ok(Self {
            states: inputs.iter().map(State::of).collect::<Result<_>>()?,
            blocks: Mutex::default(),
        })
    }

    /// Returns the state of an input when it was first examined.
    pub(crate) fn state(&self, input: usize) -> &State {
        &self.states[input]
    }

    /// Returns whether all inputs can be opened without waiting for another process.
    pub(crate) fn are_regular(&self) -> bool {
        self.states.iter().all(State::is_regular)
    }

    /// Returns the index of the first block of each part that has been read to its end, followed by the total number of blocks in
    /// these parts.
    pub(crate) fn first_blocks(&self) -> Vec<usize> {
        let mut first = vec![0];
        first.extend(lock(&self.blocks).iter().scan(0, |sum, &blocks| {
            *sum += blocks as usize;
            Some(*sum)
        }));
        first
    }

    /// Returns whether a part, which has now been read to its end, had this number of blocks in an earlier pass. If no earlier
    /// pass has read the part to its end, stores the number and returns true. Must be called for the parts in their order.
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

    /// Returns whether the `at`th block of a command is the same as in the first pass, which keeps a digest of each block.
    pub(crate) fn is_same(&self, input: usize, at: usize, bytes: &[u8], first: bool) -> bool {
        let State::Command(digests) = self.state(input) else {
            return true;
        };
        let digest = xxh3_64(bytes);
        let mut digests = lock(digests);
        if first {
            let length = digests.len().max(at + 1);
            digests.resize(length, 0);
            digests[at] = digest;
        }
        digests.get(at) == Some(&digest)
    }

    /// Returns the digest of a command's block in the first pass.
    pub(crate) fn digest(&self, input: usize, tag: Tag) -> Option<u64> {
        let State::Command(digests) = self.state(input) else {
            return None;
        };
        lock(digests).get(tag.index as usize).copied()
    }

    /// Adds the digest of the next block of a command. The digest comes from an earlier run that has read the block.
    pub(crate) fn restore(&self, input: usize, digest: Option<u64>) {
        if let State::Command(digests) = self.state(input) {
            lock(digests).extend(digest);
        }
    }

    /// Returns the first input that can be read only once.
    pub(crate) fn read_once<'a>(&self, inputs: &'a [Input]) -> Option<&'a Input> {
        let found = inputs
            .iter()
            .zip(&self.states)
            .find(|(_, state)| matches!(state, State::Once(_)));
        found.map(|(input, _)| input)
    }

    /// Returns an error if there is an input that another run cannot read again.
    pub(crate) fn refuse_unrepeatable(&self, inputs: &[Input]) -> Result<()> {
        let is_table = |input: &&Input| matches!(input, Input::Table(_));
        let Some(input) = self
            .read_once(inputs)
            .or_else(|| inputs.iter().find(is_table))
        else {
            return Ok(());
        };
        let what = "can be read only once, so $resume could not continue with it";
        let advice =
            "save it to a file first, or name the command that prints it with $input_command";
        Err(Error::new(ErrorKind::Input, what)
            .at(input.name())
            .advise(advice))
    }
}

/// Returns the error for an input that has changed since an earlier pass.
pub(crate) fn other(input: &Input) -> Error {
    let name = input.name();
    if let Input::Command(line, _) = input {
        let program = program(line);
        let failure = Error::new(
            ErrorKind::Input,
            "printed different data when it was run again",
        )
        .at(format!("{name} ({program})"));
        return failure
            .about(Setting("input_command"))
            .advise("it must print the same data each time");
    }
    changed(&name)
}

fn modified(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}
