//! Files that are one document each.

use std::{
    fs::Metadata,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use crate::{
    disk::File,
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{
        buffer::{Buffer, Failure, LONGEST, changed},
        bytes::decompress,
        format::foreign,
    },
    store,
};

/// Returns the decompressed bytes of a text that the user names: a file, an object in a store, or `-` for standard input.
///
/// # Errors
/// Fails if the text cannot be read, if the name does not refer to exactly one file, or if the content is not text.
pub fn read_document(name: &str) -> Result<Vec<u8>> {
    let (given, name) = (name, &*store::shown_name(name));
    let reported = |error: std::io::Error| Error::reading(name, &error);
    let reader = if given == "-" {
        decompress(File::stdin().map_err(reported)?, name)
    } else if store::is_url(given) {
        match &*store::expand(given, |_| false)? {
            [object] => decompress(object.stream(), name),
            _ => return Err(Error::new(ErrorKind::Input, "names several objects").at(name).advise("name one text")),
        }
    } else {
        decompress(File::open(Path::new(given)).map_err(reported)?, name)
    };
    let mut bytes = Vec::new();
    reader?.take(LONGEST as u64 + 1).read_to_end(&mut bytes).map_err(reported)?;
    if bytes.len() > LONGEST {
        return Err(too_long_document(name));
    }
    match foreign::reported(&bytes, name) {
        Some(reported) => Err(reported.at(name)),
        None => Ok(bytes),
    }
}

/// Consecutive files, each of which is one document.
#[derive(Debug)]
pub struct Files {
    /// The name that messages use for all these files together.
    pub(crate) name: String,
    files: Vec<Document>,
}

/// A file as it was when first examined.
#[derive(Debug)]
struct Document {
    path: PathBuf,
    id: String,
    is_html: bool,
    size: u64,
    modified: Option<SystemTime>,
}

impl Files {
    /// Creates the list from files and their ids. If `format` is none, the extension of each file's name decides its format.
    pub(crate) fn new(name: String, files: Vec<(PathBuf, String)>, format: Option<Format>) -> Result<Self> {
        let document = |(path, id): (PathBuf, String)| {
            let metadata = path.metadata().map_err(|error| Error::reading(&path.display().to_string(), &error))?;
            let is_html = format.or_else(|| Format::of_name(&id)) == Some(Format::Html);
            let (size, modified) = look(&metadata);
            Ok(Document { path, id, is_html, size, modified })
        };
        Ok(Self { name, files: files.into_iter().map(document).collect::<Result<_>>()? })
    }

    /// Returns the total size of the files in bytes.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Returns every path with the size and the modification time of the file.
    pub fn looks(&self) -> impl Iterator<Item = (&Path, u64, Option<SystemTime>)> {
        self.files.iter().map(|file| (&*file.path, file.size, file.modified))
    }

    /// Returns the path of a file by its number, from 0.
    pub(crate) fn path(&self, number: usize) -> Option<&Path> {
        self.files.get(number).map(|file| &*file.path)
    }

    pub(crate) fn id(&self, number: usize) -> &str {
        self.files.get(number).map_or("", |file| &file.id)
    }

    pub(crate) fn is_html(&self, number: usize) -> bool {
        self.files.get(number).is_some_and(|file| file.is_html)
    }

    /// Returns the number of the first file of each block, followed by the total number of files. Every block except the last has
    /// at least `span` bytes.
    pub(crate) fn blocks(&self, span: u64) -> Vec<usize> {
        let (mut starts, mut bytes) = (vec![0], 0);
        for (number, file) in self.files.iter().enumerate() {
            bytes += file.size;
            if bytes >= span && number + 1 < self.files.len() {
                starts.push(number + 1);
                bytes = 0;
            }
        }
        starts.push(self.files.len());
        starts
    }
}

/// The blocks of files, which can be read in any order.
#[derive(Debug)]
pub(crate) struct FileBlocks {
    pub(crate) files: Arc<Files>,
    starts: Vec<usize>,
}

impl FileBlocks {
    pub(crate) fn new(files: Arc<Files>, span: usize) -> Self {
        let starts = files.blocks(span as u64);
        Self { files, starts }
    }

    /// Returns the number of blocks.
    pub(crate) fn len(&self) -> u64 {
        self.starts.len() as u64 - 1
    }

    /// Returns the number of a block's first file.
    pub(crate) fn first(&self, block: u64) -> usize {
        self.starts[block as usize]
    }

    /// Reads the files of a block, and returns the number of their bytes as stored.
    pub(crate) fn cut(&self, buffer: &mut Buffer) -> std::result::Result<u64, Failure> {
        let at = buffer.index as usize;
        let (start, end) = (self.starts[at], self.starts[at + 1]);
        let (mut bytes, mut read) = (buffer.emptied(), 0);
        for file in &self.files.files[start..end] {
            let name = file.path.display().to_string();
            let reported = |error| Failure::Reported(Error::reading(&name, &error));
            if look(&file.path.metadata().map_err(reported)?) != (file.size, file.modified) {
                return Err(Failure::Reported(changed(&name)));
            }
            let from = bytes.len();
            let packed = File::open(&file.path).map_err(reported)?;
            // Read at most one byte beyond the limit. This bounds the memory that a decompression bomb can take.
            let most = (LONGEST + 1 - from) as u64;
            decompress(packed, &name).map_err(Failure::Reported)?.take(most).read_to_end(&mut bytes).map_err(reported)?;
            if bytes.len() > LONGEST {
                return Err(Failure::Reported(too_long_document(&name)));
            }
            buffer.push(from..bytes.len());
            read += file.size;
        }
        buffer.fill(bytes);
        Ok(read)
    }
}

fn look(metadata: &Metadata) -> (u64, Option<SystemTime>) {
    (metadata.len(), metadata.modified().ok())
}

/// Returns the error for a file that is too long for a document.
fn too_long_document(name: &str) -> Error {
    Error::new(ErrorKind::Input, "longer than 2 GiB, alone or together with the files that are read with it").at(name).advise(
        "check that \
                                                                                                                      it is a \
                                                                                                                      document",
    )
}
