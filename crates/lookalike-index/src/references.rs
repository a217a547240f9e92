//! An index as references of a run: all its documents, in the order in which they were added.

use std::{
    fs,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use lookalike::text::TokensBy;
use lookalike_io::{
    error::{Error as RunError, ErrorKind, Result as RunResult},
    read::StoredRecords,
};
use xxhash_rust::xxh3::Xxh3;

use crate::{
    error::{Error, Result},
    files::manifest,
    index::Index,
    state::Store,
};

/// The documents of an index, as a run reads them: an id and a text each.
#[derive(Debug)]
pub struct References {
    index: Arc<Index>,
    name: String,
}

/// Returns whether a folder is an index.
pub fn is_index(folder: &Path) -> bool {
    manifest::is_there(folder)
}

/// The documents that are read at the same time.
const AT_ONCE: usize = 256;

impl References {
    /// Opens an index as it is now. `name` is its name in messages.
    ///
    /// # Errors
    /// Fails if there is no index, if it is damaged, or if it does not store texts.
    pub fn open(folder: &Path, name: &str) -> Result<Self> {
        let index = Index::open_to_read(folder)?;
        match index.settings().store {
            Store::Texts => Ok(Self {
                index: Arc::new(index),
                name: name.into(),
            }),
            Store::Sets | Store::Sketches => Err(Error::NoTexts),
        }
    }
}

impl StoredRecords for References {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> u64 {
        self.index.text_bytes()
    }

    fn version(&self) -> RunResult<String> {
        let mut hash = Xxh3::new();
        let failed = |error: io::Error| RunError::reading(&self.name, &error);
        let mut names: Vec<_> = Vec::new();
        for entry in fs::read_dir(self.index.folder()).map_err(failed)? {
            names.extend(entry.map_err(failed)?.file_name().into_string());
        }
        names.sort();
        // The manifest names all other files by hashes of their content, except for the log.
        for name in names
            .iter()
            .filter(|name| *name == manifest::NAME || name.starts_with("log-"))
        {
            hash.update(&fs::read(self.index.folder().join(name)).map_err(failed)?);
        }
        Ok(format!("{:032x}", hash.digest128()))
    }

    fn open(&self, id: &str, text: &str, sets: bool) -> RunResult<Box<dyn Read + Send>> {
        let has_sets = self.index.settings().config.tokens == TokensBy::Items;
        if has_sets != sets {
            let [own, other] = if has_sets {
                ["sets", "texts"]
            } else {
                ["texts", "sets"]
            };
            let what = format!("the index has {own}, and this run compares {other}");
            return Err(RunError::new(ErrorKind::Input, what)
                .at(&*self.name)
                .advise(format!("name an index of {other}")));
        }
        let names = [id, text].map(|name| serde_json::Value::from(name).to_string());
        let lines = Lines {
            index: self.index.clone(),
            name: self.name.clone(),
            names,
            sets,
            next: 0,
            ready: Vec::new(),
            given: 0,
        };
        Ok(Box::new(lines))
    }
}

/// Documents as JSON lines, some at a time.
struct Lines {
    index: Arc<Index>,
    name: String,
    /// The names of the fields with the id and the text, as JSON.
    names: [String; 2],
    sets: bool,
    /// The number of the next document.
    next: u64,
    ready: Vec<u8>,
    /// How much of `ready` was read.
    given: usize,
}

impl Lines {
    /// Makes the lines of the next documents. There are none after the last document.
    fn fill(&mut self) -> Result<()> {
        self.ready.clear();
        self.given = 0;
        let Self {
            names: [id_name, text_name],
            ready,
            sets,
            ..
        } = self;
        self.next = self.index.each_text(self.next, AT_ONCE, &mut |id, text| {
            let text = if *sets {
                text.to_string()
            } else {
                serde_json::Value::from(text).to_string()
            };
            ready.extend_from_slice(
                format!("{{{id_name}:{},{text_name}:{text}}}\n", id.to_json()).as_bytes(),
            );
            Ok(())
        })?;
        Ok(())
    }
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.fill().map_err(|error| {
                io::Error::other(
                    RunError::new(ErrorKind::Input, error.to_string())
                        .at(&*self.name)
                        .because(error),
                )
            })?;
        }
        let count = buffer.len().min(self.ready.len() - self.given);
        buffer[..count].copy_from_slice(&self.ready[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}
