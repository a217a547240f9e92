//! Copies documents to a folder. Until all of them are complete, they are in a hidden folder inside
//! it (`publish/tree.rs`).

use std::{
    io::{self, Write},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, mpsc::channel},
};

use super::{
    output::Output,
    pack::Encoder,
    publish::{Sink, Tree},
};
use crate::{
    disk::{File, Window},
    error::{Error, ErrorKind, Result},
    pool::try_par_map,
    read::Packing,
    store::shown_path,
};

/// A folder to which documents are copied. They appear in it when all of them are complete.
pub(super) struct Copies {
    tree: Tree,
    folder: PathBuf,
    /// The name of each document of each input.
    names: Arc<[Vec<PathBuf>]>,
}

impl Copies {
    /// Creates the folder, if it does not exist. `names` has the name of each document of each input.
    pub(super) fn create(folder: &Path, names: Arc<[Vec<PathBuf>]>) -> Result<Self> {
        let tree = Tree::create(folder)
            .map_err(|error| Error::writing(&folder.display().to_string(), &error))?;
        Ok(Self {
            tree,
            folder: folder.into(),
            names,
        })
    }

    /// Copies documents of an input. Each has the number of its file, and its place in `bytes`. Call this method on the thread pool, which
    /// shares the work.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(super) fn write(
        &self,
        input: usize,
        documents: &[(usize, Range<usize>)],
        bytes: &[u8],
    ) -> Result<()> {
        let names = &self.names[input];
        let copy = |(file, place): &(usize, Range<usize>)| {
            let name = &names[*file];
            let written = self
                .tree
                .file(name)
                .and_then(|file| write(file, name, &bytes[place.clone()]));
            written.map_err(|error| {
                Error::writing(&self.folder.join(name).display().to_string(), &error)
            })
        };
        try_par_map(documents, copy).map(drop)
    }

    /// Writes all files to the disk, and returns them as an output.
    ///
    /// # Errors
    /// Fails if they cannot be written.
    pub(super) fn end(self) -> Result<Output> {
        let name = self.folder.display().to_string();
        let tree = self
            .tree
            .seal()
            .map_err(|error| Error::writing(&name, &error))?;
        Ok(Output::of_tree(shown_path(&self.folder), tree))
    }
}

/// Writes a file. Documents are read without their compression, so it is applied again.
fn write(mut file: File, name: &Path, mut bytes: &[u8]) -> io::Result<()> {
    if Packing::of_name(&name.to_string_lossy()) == Packing::Plain {
        return file.write_all(bytes);
    }
    let mut encoder = Encoder::new(Sink::of_file(file), name, 1)?;
    let (empty, _windows) = channel();
    while !bytes.is_empty() {
        let mut window = Window::new();
        bytes = window.fill(bytes);
        encoder.write(window, &empty)?;
    }
    encoder.finish()?.seal().map(drop)
}

/// Fails if another output has the name of a copy, or of a folder of copies, or would be in a folder that has the name of a copy.
pub(super) fn refuse_others(folder: &Path, names: &[Vec<PathBuf>], others: &[&Path]) -> Result<()> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
    let folder = absolute(folder);
    for other in others {
        let own = absolute(other);
        let Ok(own) = own.strip_prefix(&folder) else {
            continue;
        };
        if names
            .iter()
            .flatten()
            .any(|name| name.starts_with(own) || own.starts_with(name))
        {
            let refused = Error::new(
                ErrorKind::Output,
                "has the name of a document that may be copied to the same folder",
            );
            return Err(refused
                .at(shown_path(other))
                .advise("give another name, or another folder"));
        }
    }
    Ok(())
}

/// Fails if a folder already has files, because some of them could remain beside the copies. Hidden files may exist.
pub(super) fn refuse_existing(folder: &Path) -> Result<()> {
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => {
            entries.map_err(|error| Error::writing(&folder.display().to_string(), &error))?
        }
    };
    let is_hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    match entries
        .flatten()
        .map(|entry| entry.file_name())
        .filter(|name| !is_hidden(name))
        .min()
    {
        None => Ok(()),
        Some(name) => {
            let refused = Error::new(
                ErrorKind::Output,
                "already exists and would be mixed with the copies",
            );
            Err(refused
                .at(shown_path(&folder.join(name)))
                .advise("give a new or an empty folder"))
        }
    }
}
