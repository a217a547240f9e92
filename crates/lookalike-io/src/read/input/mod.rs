//! The inputs of a run: expands the names that the user gives.

mod stored;

mod splits;

mod left_out;

mod folder;

mod expand;

mod later;

mod relative;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use self::relative::Named;
pub use self::{
    expand::{
        Expanded, Inputs, expand, expand_collections, expand_decisions, expand_with_references,
    },
    later::later_input,
    stored::StoredRecords,
};
use super::documents::Files;
use crate::{disk::text_of, input_table::InputTable, store::Object};

/// One input: a stream of records.
#[derive(Debug, Clone)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// Files that are one document each.
    Files(Arc<Files>),
    /// An object in a store.
    Object(Arc<Object>),
    /// A command for the shell, and its number among the commands, from 1.
    Command(String, usize),
    /// A table in memory.
    Table(InputTable),
    /// Records that another part of the program stores.
    Stored(Arc<dyn StoredRecords>),
}

impl Input {
    /// Returns the files, if each of them is one document.
    pub(crate) fn documents(&self) -> Option<&Files> {
        if let Self::Files(files) = self {
            Some(files)
        } else {
            None
        }
    }

    /// Returns the paths of the files, if each of them is one document. If they are in an archive, it is the path of the archive.
    pub fn files(&self) -> Option<impl Iterator<Item = &Path>> {
        if let Self::Files(files) = self {
            Some(files.looks().map(|(path, ..)| path))
        } else {
            None
        }
    }

    /// Returns the name that messages and generated ids use: the path as the user would write it.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".into(),
            Self::File(path) => text_of(path),
            Self::Files(files) => files.name.clone(),
            Self::Object(object) => object.url().into(),
            Self::Command(_, number) => format!("command:{number}"),
            #[cfg(feature = "tables")]
            Self::Table(table) => table.name().into(),
            #[cfg(not(feature = "tables"))]
            Self::Table(table) => match *table {},
            Self::Stored(records) => records.name().into(),
        }
    }

    /// Returns, for each of the input's files, an address that identifies the file, and the file's name. The address does not
    /// depend on how the user names the input.
    fn places(&self) -> Vec<(PathBuf, String)> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let place = match self {
            Self::Stdin => PathBuf::from("-"),
            Self::Command(line, _) => PathBuf::from(format!("command {line}")),
            Self::File(path) => real(path),
            Self::Object(object) => PathBuf::from(object.address()),
            Self::Table(_) => PathBuf::from(format!("table {}", self.name())),
            Self::Stored(_) => real(Path::new(&self.name())),
            Self::Files(files) => {
                return files
                    .looks()
                    .map(|(path, ..)| (real(path), path.display().to_string()))
                    .collect();
            }
        };
        vec![(place, self.name())]
    }
}
