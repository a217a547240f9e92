//! The destinations of a run that may each have several outputs.

use std::path::{Path, PathBuf};

use lookalike_io::{
    error::{Error, ErrorKind, Result},
    read::{Input, Source},
    write::{Content, Destination, Series},
};

use crate::config::RunConfig;

/// Destinations, each with what is written there; `None` for those that are not wanted.
pub(crate) struct Destinations<const N: usize>([Option<(Destination, Content)>; N]);

impl<const N: usize> Destinations<N> {
    /// Reads the names of destinations.
    ///
    /// # Errors
    /// Fails if a name does not fit the limit of outputs, or if two destinations are the same numbered outputs.
    pub(crate) fn new(config: &RunConfig, given: [(Content, Option<&Path>); N]) -> Result<Self> {
        let mut all = [const { None }; N];
        for (at, (content, path)) in given.into_iter().enumerate() {
            let Some(path) = path else { continue };
            let destination = Destination::of(path, content, config.limit)?;
            let is_same =
                |(other, _): &(Destination, Content)| destination.are_same_numbered(other);
            if all.iter().flatten().any(is_same) {
                let refused = Error::new(ErrorKind::Output, "is the name of two different outputs")
                    .at(path.display().to_string());
                return Err(refused.advise("give each a name of its own"));
            }
            all[at] = Some((destination, content));
        }
        Ok(Self(all))
    }

    /// Returns the names of the destinations that are single outputs, and `others`.
    pub(crate) fn named<'a>(&'a self, others: &[&'a Path]) -> Vec<&'a Path> {
        let single = self
            .0
            .iter()
            .flatten()
            .filter_map(|(destination, _)| destination.one());
        single.chain(others.iter().copied()).collect()
    }

    /// Returns whether a destination is a folder.
    pub(crate) fn is_folder(&self, at: usize) -> bool {
        matches!(self.0[at], Some((Destination::Folder(_), _)))
    }

    /// Opens the first output of each destination. `others` are the names of the other outputs, and `inputs` all inputs of the run.
    ///
    /// # Errors
    /// Fails if an output cannot be created, or would overwrite an input or another output.
    pub(crate) fn open(
        &self,
        config: &RunConfig,
        source: &Source,
        (others, inputs): (&[&Path], &[Input]),
    ) -> Result<[Option<Series>; N]> {
        let mut opened = [const { None }; N];
        let mut taken: Vec<PathBuf> = self.named(others).into_iter().map(PathBuf::from).collect();
        for (series, destination) in opened.iter_mut().zip(&self.0) {
            let Some((destination, content)) = destination else {
                continue;
            };
            let others: Vec<&Path> = taken.iter().map(PathBuf::as_path).collect();
            let new = Series::open(
                (destination, *content),
                (source, &config.inputs),
                (&others, inputs),
                config.threads,
            )?;
            taken.extend(new.paths().map(PathBuf::from));
            *series = Some(new);
        }
        Ok(opened)
    }
}
