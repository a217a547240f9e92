//! Files that are one document each.

use std::{
    fs::Metadata,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use super::archive::{Archive, Member, Place, TarReader, Zip};
use crate::{
    disk::{File, text_of},
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{
        buffer::{Buffer, Failure, LONGEST, changed},
        bytes::{Reader, decompress},
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
            _ => {
                return Err(Error::new(ErrorKind::Input, "names several objects")
                    .at(name)
                    .advise("name one text"));
            }
        }
    } else {
        decompress(File::open(Path::new(given)).map_err(reported)?, name)
    };
    let mut bytes = Vec::new();
    reader?
        .take(LONGEST as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(reported)?;
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
    /// The archive that the files are in.
    archive: Option<Archived>,
    /// Whether the files are references, among which a Git LFS pointer is an error.
    pub(crate) are_references: bool,
}

/// An archive as it was when first examined.
#[derive(Debug)]
struct Archived {
    path: PathBuf,
    size: u64,
    modified: Option<SystemTime>,
    /// For zip, the open archive.
    zip: Option<Zip>,
}

/// A file as it was when first examined.
#[derive(Debug)]
struct Document {
    path: PathBuf,
    id: String,
    is_html: bool,
    size: u64,
    modified: Option<SystemTime>,
    /// For a member of a zip archive, where its bytes are.
    place: Option<Place>,
}

impl Files {
    /// Creates the list from files and their ids. If `format` is none, the extension of each file's name decides its format.
    pub(crate) fn new(
        name: String,
        files: Vec<(PathBuf, String)>,
        format: Option<Format>,
    ) -> Result<Self> {
        let document = |(path, id): (PathBuf, String)| {
            let metadata = path
                .metadata()
                .map_err(|error| Error::reading(&path.display().to_string(), &error))?;
            let is_html = format.or_else(|| Format::of_name(&id)) == Some(Format::Html);
            let (size, modified) = look(&metadata);
            Ok(Document {
                path,
                id,
                is_html,
                size,
                modified,
                place: None,
            })
        };
        Ok(Self {
            name,
            files: files.into_iter().map(document).collect::<Result<_>>()?,
            archive: None,
            are_references: false,
        })
    }

    /// Creates the list from members of an archive. The id of a member is its name, after that of the archive.
    pub(crate) fn of_archive(
        path: PathBuf,
        archive: Archive,
        members: Vec<Member>,
        format: Option<Format>,
    ) -> Result<Self> {
        let name = text_of(&path);
        let metadata = path
            .metadata()
            .map_err(|error| Error::reading(&name, &error))?;
        let (size, modified) = look(&metadata);
        let document = |Member {
                            name: own,
                            size,
                            place,
                            ..
                        }: Member| {
            let id = format!("{name}/{own}");
            let is_html = format.or_else(|| Format::of_name(&own)) == Some(Format::Html);
            Document {
                path: PathBuf::from(&id),
                id,
                is_html,
                size,
                modified,
                place,
            }
        };
        let files = members.into_iter().map(document).collect();
        let zip = if archive == Archive::Zip {
            Some(Zip::open(&path, &name)?)
        } else {
            None
        };
        Ok(Self {
            name,
            files,
            archive: Some(Archived {
                path,
                size,
                modified,
                zip,
            }),
            are_references: false,
        })
    }

    /// Returns whether the files can only be read one after the other, in their order.
    pub(crate) fn are_sequential(&self) -> bool {
        self.archive
            .as_ref()
            .is_some_and(|archive| archive.zip.is_none())
    }

    /// Opens the archive of files that can only be read in their order.
    pub(super) fn sequence(&self) -> Result<TarReader> {
        self.refuse_changed_archive()?;
        let Some(archive) = &self.archive else {
            return Err(Error::failure("files are not in an archive"));
        };
        TarReader::open(&archive.path, &self.name)
    }

    /// Returns an error if the archive has changed since it was first examined.
    pub(super) fn refuse_changed_archive(&self) -> Result<()> {
        let Some(Archived {
            path,
            size,
            modified,
            ..
        }) = &self.archive
        else {
            return Ok(());
        };
        let metadata = path
            .metadata()
            .map_err(|error| Error::reading(&self.name, &error))?;
        if look(&metadata) == (*size, *modified) {
            Ok(())
        } else {
            Err(changed(&self.name))
        }
    }

    /// Returns the archive that the files are in.
    pub(crate) fn archive(&self) -> Option<&Path> {
        self.archive.as_ref().map(|archive| &*archive.path)
    }

    /// Returns the name of the first file that is HTML.
    pub(crate) fn first_page(&self) -> Option<String> {
        self.files
            .iter()
            .find(|file| file.is_html)
            .map(|file| file.path.display().to_string())
    }

    /// Returns the number of files.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns the size of a file in bytes.
    pub(super) fn size_of(&self, number: usize) -> u64 {
        self.files[number].size
    }

    /// Opens a file by its number.
    fn open(&self, number: usize) -> Result<Reader> {
        let Document {
            path,
            size,
            modified,
            place,
            ..
        } = &self.files[number];
        let name = path.display().to_string();
        let reported = |error| Error::reading(&name, &error);
        if let (Some(Archived { zip: Some(zip), .. }), Some(place)) = (&self.archive, place) {
            return zip.read(*place, &name);
        }
        if look(&path.metadata().map_err(reported)?) != (*size, *modified) {
            return Err(changed(&name));
        }
        Ok(Box::new(File::open(path).map_err(reported)?))
    }

    /// Returns the memory in bytes that the list takes.
    pub(crate) fn memory(&self) -> usize {
        let names = |file: &Document| file.path.as_os_str().len() + file.id.len();
        size_of_val(&*self.files) + self.files.iter().map(names).sum::<usize>()
    }

    /// Returns the total size of the files in bytes.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }

    /// Returns every path with the size and the modification time of the file, or those of the archive.
    pub fn looks(&self) -> impl Iterator<Item = (&Path, u64, Option<SystemTime>)> {
        let files = if self.archive.is_some() {
            &[]
        } else {
            &self.files[..]
        };
        let archive = self
            .archive
            .as_ref()
            .map(|archive| (&*archive.path, archive.size, archive.modified));
        archive.into_iter().chain(
            files
                .iter()
                .map(|file| (&*file.path, file.size, file.modified)),
        )
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

    /// Appends the decompressed bytes of a file to those of a block.
    pub(super) fn append(
        &self,
        packed: impl Read + Send + 'static,
        name: &str,
        bytes: &mut Vec<u8>,
        buffer: &mut Buffer,
    ) -> Result<()> {
        let from = bytes.len();
        // Read at most one byte beyond the limit. This bounds the memory that a decompression bomb can take.
        let most = (LONGEST + 1 - from) as u64;
        let reported = |error| Error::reading(name, &error);
        decompress(packed, name)?
            .take(most)
            .read_to_end(bytes)
            .map_err(reported)?;
        if bytes.len() > LONGEST {
            return Err(too_long_document(name));
        }
        if self.are_references && foreign::is_pointer(&bytes[from..]) {
            return Err(foreign::pointer(name));
        }
        buffer.push(from..bytes.len());
        Ok(())
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
        self.files
            .refuse_changed_archive()
            .map_err(Failure::Reported)?;
        for (file, number) in self.files.files[start..end].iter().zip(start..) {
            let name = file.path.display().to_string();
            let packed = self.files.open(number).map_err(Failure::Reported)?;
            self.files
                .append(packed, &name, &mut bytes, buffer)
                .map_err(Failure::Reported)?;
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
pub(super) fn too_long_document(name: &str) -> Error {
    Error::new(ErrorKind::Input, "longer than 2 GiB, alone or together with the files that are read with it").at(name).advise(
        "check that \
                                                                                                                      it is a \
                                                                                                                      document",
    )
}
