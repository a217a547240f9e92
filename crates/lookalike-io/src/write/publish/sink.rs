//! Where an output's bytes go.

use std::{
    fs::Metadata,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::{
    claim::Claim,
    hidden::{Hidden, own, remove_left},
    terminal::Escaping,
};
use crate::{
    disk::{File, Stream, USUAL, folder_of, has_no_such},
    store::{Upload, Uploaded, is_url},
};

/// An open output.
pub(crate) enum Sink {
    /// A file, or what is like one.
    File(FileSink),
    /// An object in a store.
    Object(Box<Upload>),
}

/// A file that is open.
pub(crate) struct FileSink {
    stream: Stream,
    end: End,
    /// Of a terminal.
    escaping: Option<Escaping>,
}

/// What happens when an output is whole.
enum End {
    /// Nothing: standard output, a device, a pipe, an open descriptor cannot be renamed over.
    Open,
    /// A file without a name gets one: it is gone by itself if the process ends, however it ends.
    Unnamed(PathBuf),
    /// Where the file system has no such files, one with a hidden name gets its own.
    Hidden(Hidden, PathBuf),
}

/// What is whole, and lacks its name.
pub(crate) enum Whole {
    File(WholeFile),
    Object(Box<Uploaded>),
}

/// A file that is whole, and lacks its name.
pub(crate) struct WholeFile {
    /// Beside the target, under a name that nobody looks for.
    pub(crate) hidden: Hidden,
    /// The name that was asked for.
    pub(crate) target: PathBuf,
    /// Open and locked until it has its name, so that no other run takes it for what a killed run left.
    pub(crate) _open: Stream,
}

impl Sink {
    /// Opens an output; `-` is standard output.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        match path.to_str().filter(|name| is_url(name)) {
            Some(url) => Upload::create(url).map(|upload| Self::Object(Box::new(upload))).map_err(io::Error::other),
            None => FileSink::open(path).map(Self::File),
        }
    }

    /// Brings all to where it stays, without its name.
    pub(crate) fn settle(self) -> io::Result<Option<Whole>> {
        match self {
            Self::File(file) => Ok(file.settle()?.map(Whole::File)),
            Self::Object(upload) => {
                let uploaded = upload.settle().map_err(io::Error::other)?;
                Ok(Some(Whole::Object(Box::new(uploaded))))
            }
        }
    }
}

impl FileSink {
    /// Opens an output; `-` is standard output.
    fn open(path: &Path) -> io::Result<Self> {
        let open = |file: File| {
            let escaping = file.is_terminal().then(Escaping::default);
            Self { stream: Stream::shared(file), end: End::Open, escaping }
        };
        if path == Path::new("-") {
            return File::stdout().map(open);
        }
        let there = path.metadata();
        let folder_meant = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if folder_meant || there.as_ref().is_ok_and(Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // An open descriptor may be a file that others write to as well: /dev/stdout behind >> of a shell.
        let descriptor = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|open| path.starts_with(open));
        if descriptor || there.as_ref().is_ok_and(|there| !there.is_file()) {
            return File::append(path).map(open);
        }
        if there.as_ref().is_ok_and(|there| there.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        // Never readable for more users than the file that it replaces.
        let mode = there.map_or(USUAL, |there| there.permissions().mode() & USUAL);
        let target = behind_links(path)?;
        if let Some(_claim) = Claim::before_work(&target)? {
            remove_left(&target);
        }
        let (file, end) = match File::unnamed(folder_of(&target), mode) {
            Ok(file) => (file, End::Unnamed(target)),
            Err(error) if has_no_such(&error) || error.kind() == io::ErrorKind::IsADirectory => {
                let (file, hidden) = Hidden::beside(&target, |path| File::owned(path, mode, own))?;
                (file, End::Hidden(hidden, target))
            }
            Err(error) => return Err(error),
        };
        Ok(Self { stream: Stream::new(file), end, escaping: None })
    }

    /// Brings all to the disk, and gives a file a hidden name beside its own. A file that will be replaced lends its permissions.
    fn settle(mut self) -> io::Result<Option<WholeFile>> {
        if let Some(mut escaping) = self.escaping.take() {
            self.stream.write_all(escaping.end().as_bytes())?;
        }
        let file = self.stream.file();
        let (End::Unnamed(target) | End::Hidden(_, target)) = &self.end else { return Ok(None) };
        if let Ok(there) = target.metadata() {
            file.set_permissions(there.permissions())?;
        }
        file.sync()?;
        Ok(match self.end {
            End::Open => None,
            // A link does not replace a file, a rename does: so there is a name in between for a moment.
            End::Unnamed(target) => {
                own(file)?;
                let ((), hidden) = Hidden::beside(&target, |path| file.link(path).map(Some))?;
                Some(WholeFile { hidden, target, _open: self.stream })
            }
            End::Hidden(hidden, target) => Some(WholeFile { hidden, target, _open: self.stream }),
        })
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(FileSink { stream, escaping: Some(escaping), .. }) => {
                stream.write_all(escaping.more(bytes).as_bytes()).map(|()| bytes.len())
            }
            Self::File(file) => file.stream.write(bytes),
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

/// The file that a path means: links are followed, also one whose file does not exist yet.
pub(crate) fn behind_links(path: &Path) -> io::Result<PathBuf> {
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

    /// A file that is whole and has its hidden name, as it is in the moment before it has its own.
    fn whole(target: &Path, content: &str) -> WholeFile {
        let mut sink = FileSink::open(target).unwrap();
        sink.stream.write_all(content.as_bytes()).unwrap();
        sink.settle().unwrap().unwrap()
    }

    fn content_of(folder: &Path) -> Vec<String> {
        let mut found: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
        found.sort();
        found
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_what_another_run_has_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        // Another run is about to name its file.
        let others = whole(&target, "another's");
        let own = whole(&target, "own");
        assert_eq!(content_of(folder.path()), ["another's", "own"]);
        // A killed run takes no name away; its lock is gone with it.
        let killed = |WholeFile { hidden, _open, .. }: WholeFile| mem::forget(hidden);
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
    fn an_output_has_the_permissions_of_the_file_that_it_replaces_also_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        fs::write(&target, "old").unwrap();
        for mode in [0o600, 0o640, 0o604, 0o755] {
            fs::set_permissions(&target, fs::Permissions::from_mode(mode)).unwrap();
            let sink = FileSink::open(&target).unwrap();
            let during = sink.stream.file().permissions().unwrap().mode() & 0o777;
            assert_eq!(during & !mode, 0, "{mode:o}: {during:o}");
            let whole = sink.settle().unwrap().unwrap();
            assert_eq!(whole.hidden.path().metadata().unwrap().permissions().mode() & 0o777, mode);
        }
    }
}
