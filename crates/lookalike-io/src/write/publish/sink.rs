//! The destination of an output's bytes.

use std::{
    fs::Metadata,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::{
    claim::Claim,
    hidden::{Hidden, own, remove_stale},
    reader::unless_closed,
    terminal::Escaping,
    tree::Tree,
};
use crate::{
    disk::{File, Stream, USUAL, folder_of, has_no_such},
    store::{Upload, Uploaded, is_url},
};

/// An open output.
pub(crate) enum Sink {
    /// A file, or something that is written like a file, such as a pipe.
    File(FileSink),
    /// An object in a store.
    Object(Box<Upload>),
}

/// An open file.
pub(crate) struct FileSink {
    stream: Stream,
    end: End,
    /// The escaping for a terminal.
    escaping: Option<Escaping>,
}

/// The way in which a complete output gets its name.
enum End {
    /// The output gets no name: standard output, a device, a pipe or an open descriptor cannot be replaced by renaming.
    Open,
    /// A file that has no name yet gets one when it is complete. If the process ends before that, for whatever reason, the file
    /// disappears.
    Unnamed(PathBuf),
    /// Used if the file system does not support unnamed files: a file with a hidden name gets its final name.
    Hidden(Hidden, PathBuf),
}

/// A complete output that does not have its name yet.
pub(crate) enum Whole {
    File(WholeFile),
    Tree(Tree),
    Object(Box<Uploaded>),
}

/// A complete file that does not have its name yet.
pub(crate) struct WholeFile {
    /// The hidden name, in the same folder as the target. `None` if the file has no name at all.
    hidden: Option<Hidden>,
    /// The requested name.
    pub(crate) target: PathBuf,
    /// Whether the file must not replace another one.
    pub(crate) is_new: bool,
    /// Keeps the file open until it has its final name (`target`), and locked while it has a hidden name, so that other runs do not
    /// treat it as left by a killed run.
    open: Stream,
}

impl WholeFile {
    /// Returns the hidden name, which a file without a name gets now: linking cannot replace an existing file, but renaming can. Until
    /// all outputs are complete, a file without a name disappears if the process is killed.
    pub(crate) fn hide(&mut self) -> io::Result<&Hidden> {
        let hidden = match self.hidden.take() {
            Some(hidden) => hidden,
            None => Hidden::beside(&self.target, |path| self.open.file().link(path).map(Some))?.1,
        };
        Ok(self.hidden.insert(hidden))
    }

    /// Returns the hidden name, the requested name, and the open file.
    pub(crate) fn into_parts(self) -> (Option<Hidden>, PathBuf, Stream) {
        (self.hidden, self.target, self.open)
    }
}

impl Sink {
    /// Opens an output; `-` is standard output. `in_folder` states that the user named only the folder or the pattern of the name, and
    /// that the files of killed runs were removed from the folder.
    pub(crate) fn open(path: &Path, in_folder: bool) -> io::Result<Self> {
        match path.to_str().filter(|name| is_url(name)) {
            Some(url) => Upload::create(url)
                .map(|upload| Self::Object(Box::new(upload)))
                .map_err(io::Error::other),
            None => FileSink::open(path, in_folder).map(Self::File),
        }
    }

    /// Returns a sink for a file that appears together with others.
    pub(crate) fn of_file(file: File) -> Self {
        Self::File(FileSink {
            stream: Stream::new(file),
            end: End::Open,
            escaping: None,
        })
    }

    /// Writes everything to the disk or the store, but does not give the output its name yet.
    pub(crate) fn seal(self) -> io::Result<Option<Whole>> {
        match self {
            Self::File(file) => Ok(file.seal()?.map(Whole::File)),
            Self::Object(upload) => {
                let uploaded = upload.seal().map_err(io::Error::other)?;
                Ok(Some(Whole::Object(Box::new(uploaded))))
            }
        }
    }
}

impl FileSink {
    /// Opens an output; `-` is standard output.
    ///
    /// A link that the user named is followed, and a pipe or a device is written to. A name `in_folder` may come from the data: a link
    /// is replaced, and a pipe, which could block for ever, is not opened.
    fn open(path: &Path, in_folder: bool) -> io::Result<Self> {
        let open = |file: File| {
            let escaping = file.is_terminal().then(Escaping::default);
            Self {
                stream: Stream::shared(file),
                end: End::Open,
                escaping,
            }
        };
        if path == Path::new("-") {
            return File::stdout().map(open);
        }
        let there = if in_folder && path.is_symlink() {
            Err(io::ErrorKind::NotFound.into())
        } else {
            path.metadata()
        };
        let folder_meant = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if folder_meant || there.as_ref().is_ok_and(Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // An open descriptor may be a file to which other programs also write, for example /dev/stdout after `>>` in a shell.
        let descriptor = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"]
            .iter()
            .any(|open| path.starts_with(open));
        let is_file = !descriptor && there.as_ref().map_or(true, Metadata::is_file);
        if !is_file && !in_folder {
            return File::append(path).map(open);
        }
        if there
            .as_ref()
            .is_ok_and(|there| there.permissions().readonly())
        {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the file is read-only",
            ));
        }
        // The file is never readable for more users than the file that it replaces.
        let mode = there.map_or(USUAL, |there| there.permissions().mode() & USUAL);
        let target = if in_folder {
            path.into()
        } else {
            resolve_links(path)?
        };
        if !in_folder && let Some(_claim) = Claim::before_work(&target)? {
            remove_stale([&target]);
        }
        let (file, end) = match File::unnamed(folder_of(&target), mode) {
            Ok(file) => (file, End::Unnamed(target)),
            Err(error) if has_no_such(&error) || error.kind() == io::ErrorKind::IsADirectory => {
                let (file, hidden) = Hidden::beside(&target, |path| File::owned(path, mode, own))?;
                (file, End::Hidden(hidden, target))
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            stream: Stream::new(file),
            end,
            escaping: None,
        })
    }

    /// Writes everything to the disk. A file that will replace another one gets its permissions.
    fn seal(mut self) -> io::Result<Option<WholeFile>> {
        if let Some(mut escaping) = self.escaping.take() {
            self.stream.write_all(escaping.end().as_bytes())?;
        }
        let file = self.stream.file();
        let (End::Unnamed(target) | End::Hidden(_, target)) = &self.end else {
            return Ok(None);
        };
        if !target.is_symlink()
            && let Ok(there) = target.metadata()
        {
            file.set_permissions(there.permissions())?;
        }
        file.sync()?;
        Ok(match self.end {
            End::Open => None,
            End::Unnamed(target) => {
                own(file)?;
                Some(WholeFile {
                    hidden: None,
                    target,
                    is_new: false,
                    open: self.stream,
                })
            }
            End::Hidden(hidden, target) => Some(WholeFile {
                hidden: Some(hidden),
                target,
                is_new: false,
                open: self.stream,
            }),
        })
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(FileSink {
                stream,
                escaping: Some(escaping),
                ..
            }) => stream
                .write_all(escaping.more(bytes).as_bytes())
                .map(|()| bytes.len()),
            Self::File(file) => unless_closed(file.stream.write(bytes), bytes.len()),
            Self::Object(upload) => upload.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.stream.flush(),
            Self::Object(upload) => upload.flush(),
        }
    }
}

/// Returns the file to which a path refers. Links are followed, even if their file does not exist yet.
pub(crate) fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    const MOST: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST {
        match std::fs::read_link(&path) {
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

#[cfg(test)]
mod tests {
    use std::{fs, mem};

    use super::*;

    /// Returns a complete file with its hidden name, as it is just before it gets its final name.
    fn whole(target: &Path, content: &str) -> WholeFile {
        let mut sink = FileSink::open(target, false).unwrap();
        sink.stream.write_all(content.as_bytes()).unwrap();
        let mut whole = sink.seal().unwrap().unwrap();
        whole.hide().unwrap();
        whole
    }

    fn content_of(folder: &Path) -> Vec<String> {
        let mut found: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect();
        found.sort();
        found
    }

    #[test]
    fn files_of_killed_runs_are_removed_but_not_those_of_active_runs() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        // Another run has a complete file with a hidden name, and is about to give it its final name.
        let others = whole(&target, "another's");
        let own = whole(&target, "own");
        assert_eq!(content_of(folder.path()), ["another's", "own"]);
        // A killed run does not remove its hidden name, but the system releases its lock.
        let killed = |WholeFile { hidden, .. }: WholeFile| mem::forget(hidden);
        killed(own);
        let next = whole(&target, "next");
        assert_eq!(content_of(folder.path()), ["another's", "next"]);
        drop(next);
        killed(others);
        let last = whole(&target, "last");
        assert_eq!(content_of(folder.path()), ["last"]);
        drop(last);
        assert!(content_of(folder.path()).is_empty());
    }

    #[test]
    fn an_output_always_has_the_permissions_of_the_file_it_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        fs::write(&target, "old").unwrap();
        for mode in [0o600, 0o640, 0o604, 0o755] {
            fs::set_permissions(&target, fs::Permissions::from_mode(mode)).unwrap();
            let sink = FileSink::open(&target, false).unwrap();
            let during = sink.stream.file().permissions().unwrap().mode() & 0o777;
            assert_eq!(during & !mode, 0, "{mode:o}: {during:o}");
            let mut whole = sink.seal().unwrap().unwrap();
            assert_eq!(
                whole
                    .hide()
                    .unwrap()
                    .path()
                    .metadata()
                    .unwrap()
                    .permissions()
                    .mode()
                    & 0o777,
                mode
            );
        }
    }
}
