//! Outputs that are written one after the other, and get their names together.

use std::{
    collections::{BTreeSet, VecDeque},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    copies::{Copies, refuse_existing, refuse_others},
    destination::{Content, Destination, Limit, Names},
    output::Output,
    overwriting::refuse_overwriting,
    publish::{Claim, Folders, remove_stale},
};
use crate::{
    disk::{allow_open_files, folder_of},
    error::{Error, ErrorKind, Result},
    format::OutputFormat,
    read::{Input, Source},
};

/// The number of files that a run may have open in addition to its outputs, approximately.
const OTHER_FILES: u64 = 64;

/// The number of complete outputs that may still be on their way to the disk while the next one is written.
const SYNCING: usize = 16;

/// The number of numbered outputs whose hidden files are removed, if a killed run left any.
const MOST_STALE: usize = 10_000;

/// The outputs of a [`Destination`].
pub struct Series {
    names: Names,
    /// The format of the records, if it is asked for.
    format: Option<OutputFormat>,
    /// Whether the outputs are objects of a store.
    is_remote: bool,
    threads: usize,
    folders: Arc<Folders>,
    /// The folders from which the files of killed runs were removed.
    clean: BTreeSet<PathBuf>,
    /// The first output, which is opened before the run begins.
    first: Option<Output>,
    /// The folder to which documents are copied.
    copies: Option<Copies>,
    /// The number of the next output.
    next: usize,
    /// The outputs that are complete. The last ones may not yet be on the disk.
    complete: VecDeque<Output>,
}

impl Series {
    /// Opens the first output of a destination. `named` are the names of the inputs as the user gave them, `others` those of the other
    /// outputs, and `inputs` all inputs of the run.
    ///
    /// # Errors
    /// Fails if an input has no name that an output could have, if an output would overwrite an input or another output, or if the first
    /// output cannot be created.
    pub fn open(
        (destination, content): (&Destination, Content),
        (source, named): (&Source, &[String]),
        (others, inputs): (&[&Path], &[Input]),
        threads: usize,
    ) -> Result<Self> {
        let names = destination.names(content, source, named)?;
        match &names {
            Names::One(_) => {}
            Names::Inputs(paths) => {
                let all: Vec<&Path> = others
                    .iter()
                    .copied()
                    .chain(paths.iter().map(|path| &**path))
                    .collect();
                refuse_overwriting(&all, inputs)?;
                for path in paths {
                    if let Ok(there) = path.symlink_metadata()
                        && !(there.is_file() || there.is_dir() || there.is_symlink())
                    {
                        let refused = Error::new(ErrorKind::Output, "is a pipe or a device");
                        return Err(refused
                            .at(path.display().to_string())
                            .advise("remove it, or write to another folder"));
                    }
                }
            }
            Names::Numbered(numbered) => numbered.refuse_others(others)?,
            Names::Documents(folder, names) => {
                refuse_existing(folder)?;
                refuse_others(folder, names, others)?;
            }
        }
        if !matches!(names, Names::One(_)) {
            let most = allow_open_files().unwrap_or(u64::MAX);
            let count = if let Names::Inputs(paths) = &names {
                paths.len() as u64
            } else {
                0
            };
            if count + OTHER_FILES > most && !destination.is_remote() {
                let what = format!(
                    "{count} outputs need as many open files, but only {most} are permitted"
                );
                return Err(Error::new(ErrorKind::Config, what)
                    .advise("raise the limit with ulimit -n, or divide the inputs"));
            }
        }
        let mut series = Self::of((names, destination.is_remote()), threads, None);
        series.format = if let Content::Records(format) = content {
            format
        } else {
            None
        };
        series.first = series.create(0)?;
        series.copies = match &series.names {
            Names::Documents(folder, names) => Some(Copies::create(folder, names.clone())?),
            _ => None,
        };
        Ok(series)
    }

    /// Returns a series that consists of an output that exists already.
    pub(super) fn one(output: Output) -> Self {
        let names = Names::One(output.name().into());
        Self::of((names, false), 1, Some(output))
    }

    fn of((names, is_remote): (Names, bool), threads: usize, first: Option<Output>) -> Self {
        let (folders, clean) = (Arc::default(), BTreeSet::new());
        let complete = VecDeque::new();
        Self {
            names,
            format: None,
            is_remote,
            threads,
            folders,
            clean,
            first,
            copies: None,
            next: 0,
            complete,
        }
    }

    fn create(&mut self, number: usize) -> Result<Option<Output>> {
        let Some(path) = self.names.get(number) else {
            return Ok(None);
        };
        if self.is_remote || matches!(self.names, Names::One(_)) {
            return Output::create(&path, self.threads).map(Some);
        }
        let folder = folder_of(&path);
        if !self.clean.contains(folder) {
            let writing = |error| Error::writing(&path.display().to_string(), &error);
            self.folders.make(&path).map_err(writing)?;
            if let Some(_claim) = Claim::before_work(&path).map_err(writing)? {
                let count = self.paths().count();
                let paths = (0..if count > 0 { count } else { MOST_STALE })
                    .filter_map(|number| self.names.get(number));
                remove_stale(paths.filter(|path| folder_of(path) == folder));
            }
            self.clean.insert(folder.into());
        }
        let mut output = Output::create_with(&path, self.threads, true)?;
        output.needs(self.folders.clone());
        if matches!(self.names, Names::Numbered(_)) {
            output.replaces_nothing();
        }
        Ok(Some(output))
    }

    /// Returns the names of the outputs, if each input has one.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let paths = if let Names::Inputs(paths) = &self.names {
            &paths[..]
        } else {
            &[]
        };
        paths.iter().map(|path| &**path)
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// Returns the format of the records, if it is asked for.
    pub(super) fn format(&self) -> Option<OutputFormat> {
        self.format
    }

    /// Returns the folder to which documents are copied.
    pub(super) fn take_copies(&mut self) -> Option<Copies> {
        self.copies.take()
    }

    /// Returns the limit of outputs.
    pub fn limit(&self) -> Option<Limit> {
        if let Names::Numbered(numbered) = &self.names {
            Some(numbered.limit)
        } else {
            None
        }
    }

    /// Returns whether each input has an output.
    pub fn is_by_input(&self) -> bool {
        matches!(self.names, Names::Inputs(_))
    }

    /// Returns the number of the input whose output was opened last, if each input has an output. Inputs are numbered from 0, references
    /// first.
    pub(super) fn input(&self, source: &Source) -> usize {
        source.references() + self.next.saturating_sub(1)
    }

    /// Returns whether there is another output. There is always another numbered one.
    pub fn has_next(&self) -> bool {
        match &self.names {
            Names::One(_) => self.next == 0,
            Names::Inputs(paths) => self.next < paths.len(),
            Names::Numbered(_) => true,
            Names::Documents(..) => false,
        }
    }

    /// Opens the next output.
    ///
    /// # Errors
    /// Fails if there is none, or if it cannot be created.
    pub fn open_next(&mut self) -> Result<Output> {
        let opened = match self.first.take() {
            None => self.create(self.next)?,
            first => first,
        };
        self.next += 1;
        opened.ok_or_else(|| Error::failure("there is no other output"))
    }

    /// Ends an output, and waits until only a few outputs are on their way to the disk. Objects take more memory, so it waits for them.
    ///
    /// # Errors
    /// Fails if an output cannot be written.
    pub fn end(&mut self, mut output: Output) -> Result<()> {
        output.end();
        let most = if self.is_remote && self.has_next() {
            0
        } else {
            SYNCING
        };
        self.complete.push_back(output);
        match self.complete.len().checked_sub(most + 1) {
            Some(at) => self.complete[at].wait(),
            None => Ok(()),
        }
    }

    /// Returns the outputs, which can now be [finished](super::finish).
    pub fn ended(self) -> Vec<Output> {
        self.complete.into()
    }
}

/// Returns where each line ends: the position after its line break.
pub fn line_ends(lines: &[u8]) -> Vec<usize> {
    memchr::memchr_iter(b'\n', lines).map(|at| at + 1).collect()
}

/// Consecutive records of a batch that go to the same output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The numbers of the records.
    pub records: Range<usize>,
    /// Their bytes, if they are bytes.
    pub bytes: Range<usize>,
}

/// Counts what is in a limited output.
#[derive(Debug, Default)]
pub struct Filled {
    records: u64,
    bytes: u64,
}

impl Filled {
    /// Returns how many records fit in the output, and counts them. `ends` states where each record ends, and those before `from` are
    /// already written.
    fn fit(&mut self, limit: Limit, ends: &[usize], from: usize) -> usize {
        let mut before = from.checked_sub(1).map_or(0, |last| ends[last]);
        let mut count = 0;
        for &end in &ends[from..] {
            let size = (end - before) as u64;
            let is_full = match limit {
                Limit::Records(most) => self.records >= most.get(),
                Limit::Bytes(most) => self.records > 0 && self.bytes + size > most.get(),
            };
            if is_full {
                break;
            }
            (self.records, self.bytes, before, count) =
                (self.records + 1, self.bytes + size, end, count + 1);
        }
        count
    }

    /// Divides the records of a batch between outputs. `ends` states where each record ends. Passes the records for the current output to
    /// `write`, and then none if the next output must begin, and so on.
    ///
    /// # Errors
    /// Fails if `write` fails.
    pub fn divide(
        &mut self,
        limit: Limit,
        ends: &[usize],
        mut write: impl FnMut(Option<Span>) -> Result<()>,
    ) -> Result<()> {
        let end = |records: usize| records.checked_sub(1).map_or(0, |last| ends[last]);
        let mut done = 0;
        while done < ends.len() {
            let at = done + self.fit(limit, ends, done);
            if done < at {
                write(Some(Span {
                    records: done..at,
                    bytes: end(done)..end(at),
                }))?;
                done = at;
            }
            if done < ends.len() {
                write(None)?;
                *self = Self::default();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    #[test]
    fn records_fill_outputs_up_to_the_limit() {
        let outputs = |limit, ends: &[usize]| {
            let (mut counts, mut done) = (Vec::new(), 0);
            while done < ends.len() {
                counts.push(Filled::default().fit(limit, ends, done));
                done += counts[counts.len() - 1];
            }
            counts
        };
        let some = |number| NonZeroU64::new(number).unwrap();
        let ends = [10, 30, 31, 32, 132, 133];
        assert_eq!(outputs(Limit::Records(some(4)), &ends), [4, 2]);
        assert_eq!(outputs(Limit::Records(some(1)), &ends), [1; 6]);
        assert_eq!(outputs(Limit::Bytes(some(30)), &ends), [2, 2, 1, 1]);
        assert_eq!(outputs(Limit::Bytes(some(1)), &ends), [1; 6]);
        assert_eq!(outputs(Limit::Bytes(some(1000)), &ends), [6]);
        let mut filled = Filled::default();
        assert_eq!(
            (
                filled.fit(Limit::Records(some(3)), &[5], 0),
                filled.fit(Limit::Records(some(3)), &[5, 6, 7], 0)
            ),
            (1, 2)
        );
    }
}
