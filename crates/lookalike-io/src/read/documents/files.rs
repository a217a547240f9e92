//! Files of which each is one document.

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

/// The bytes of a text that was named: a file, an object in a store or `-` for standard input, without their compression.
///
/// # Errors
/// What cannot be read, is no one file, or holds no text.
pub fn read_document(name: &str) -> Result<Vec<u8>> {
    let (given, name) = (name, &*store::shown_name(name));
    let told = |error: std::io::Error| Error::reading(name, &error);
    let reader = if given == "-" {
        decompress(File::stdin().map_err(told)?, name)
    } else if store::is_url(given) {
        match &*store::expand(given, |_| false)? {
            [object] => decompress(object.stream(), name),
            _ => return Err(Error::new(ErrorKind::Input, "several objects").at(name).advise("name one text")),
        }
    } else {
        decompress(File::open(Path::new(given)).map_err(told)?, name)
    };
    let mut bytes = Vec::new();
    reader?.take(LONGEST as u64 + 1).read_to_end(&mut bytes).map_err(told)?;
    if bytes.len() > LONGEST {
        return Err(too_long_document(name));
    }
    match foreign::told(&bytes, name) {
        Some(told) => Err(told.at(name)),
        None => Ok(bytes),
    }
}

/// Files that follow each other, each a document.
#[derive(Debug)]
pub struct Files {
    /// What messages call them together.
    pub(crate) name: String,
    files: Vec<Document>,
}

/// A file as it was when first seen.
#[derive(Debug)]
struct Document {
    path: PathBuf,
    id: String,
    is_html: bool,
    size: u64,
    modified: Option<SystemTime>,
}

impl Files {
    /// Files with their ids. `format` is what they hold where their endings are not to say it.
    pub(crate) fn new(name: String, files: Vec<(PathBuf, String)>, format: Option<Format>) -> Result<Self> {
        let document = |(path, id): (PathBuf, String)| {
            let metadata = path.metadata().map_err(|error| Error::reading(&path.display().to_string(), &error))?;
            let is_html = format.or_else(|| Format::of_name(&id)) == Some(Format::Html);
            let (size, modified) = look(&metadata);
            Ok(Document { path, id, is_html, size, modified })
        };
        Ok(Self { name, files: files.into_iter().map(document).collect::<Result<_>>()? })
    }

    /// Bytes of all of them.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// All paths, and what each file looks like.
    pub fn looks(&self) -> impl Iterator<Item = (&Path, u64, Option<SystemTime>)> {
        self.files.iter().map(|file| (&*file.path, file.size, file.modified))
    }

    /// The name of a file, from 0.
    pub(crate) fn path(&self, number: usize) -> Option<&Path> {
        self.files.get(number).map(|file| &*file.path)
    }

    pub(crate) fn id(&self, number: usize) -> &str {
        self.files.get(number).map_or("", |file| &file.id)
    }

    pub(crate) fn is_html(&self, number: usize) -> bool {
        self.files.get(number).is_some_and(|file| file.is_html)
    }

    /// Where each block of at least `span` bytes begins, but for the last; and the end of all.
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

/// The blocks of files: any can be read.
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

    /// How many there are.
    pub(crate) fn len(&self) -> u64 {
        self.starts.len() as u64 - 1
    }

    /// The number of a block's first file.
    pub(crate) fn first(&self, block: u64) -> usize {
        self.starts[block as usize]
    }

    /// Reads the files of a block; gives their bytes as they are stored.
    pub(crate) fn cut(&self, buffer: &mut Buffer) -> std::result::Result<u64, Failure> {
        let at = buffer.index as usize;
        let (start, end) = (self.starts[at], self.starts[at + 1]);
        let (mut bytes, mut read) = (buffer.emptied(), 0);
        for file in &self.files.files[start..end] {
            let name = file.path.display().to_string();
            let told = |error| Failure::Told(Error::reading(&name, &error));
            if look(&file.path.metadata().map_err(told)?) != (file.size, file.modified) {
                return Err(Failure::Told(changed(&name)));
            }
            let from = bytes.len();
            let packed = File::open(&file.path).map_err(told)?;
            // One byte more than may be, so that no bomb takes more memory.
            let most = (LONGEST + 1 - from) as u64;
            decompress(packed, &name).map_err(Failure::Told)?.take(most).read_to_end(&mut bytes).map_err(told)?;
            if bytes.len() > LONGEST {
                return Err(Failure::Told(too_long_document(&name)));
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

/// The failure of a file that is too long for a document.
fn too_long_document(name: &str) -> Error {
    Error::new(ErrorKind::Input, "longer than 2 GiB, with those that are read with it").at(name).advise("is this a document?")
}
