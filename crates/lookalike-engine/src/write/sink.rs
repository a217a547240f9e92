//! Where an output's bytes go.

use std::{
    fs::Metadata,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::disk::{self, File, Stream, folder_of};

/// An open output.
pub(super) struct Sink {
    stream: Stream,
    end: End,
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

/// A file that is whole, and lacks its name.
pub(super) struct Whole {
    /// Beside the target, under a name that nobody looks for.
    pub(super) hidden: Hidden,
    /// The name that was asked for.
    pub(super) target: PathBuf,
}

impl Sink {
    /// Opens an output; `-` is standard output.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let open = |file| Self { stream: Stream::shared(file), end: End::Open };
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
        if there.is_ok_and(|there| there.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        let target = behind_links(path)?;
        let (file, end) = match File::unnamed(folder_of(&target)) {
            Ok(file) => (file, End::Unnamed(target)),
            Err(error) if has_no_unnamed(&error) => {
                let (file, hidden) = Hidden::beside(&target, File::create_new)?;
                (file, End::Hidden(hidden, target))
            }
            Err(error) => return Err(error),
        };
        Ok(Self { stream: Stream::new(file), end })
    }

    /// Brings all to the disk, and gives a file a hidden name beside its own. A file that will be replaced lends its permissions.
    pub(super) fn settle(self) -> io::Result<Option<Whole>> {
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
                let ((), hidden) = Hidden::beside(&target, |path| self.stream.file().link(path))?;
                Some(Whole { hidden, target })
            }
            End::Hidden(hidden, target) => Some(Whole { hidden, target }),
        })
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Whether a file system says that it has no files without a name.
fn has_no_unnamed(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let says = [Errno::OPNOTSUPP, Errno::ISDIR, Errno::INVAL, Errno::NOSYS];
    error.kind() == io::ErrorKind::Unsupported || says.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// A name that a file has for a moment. Dropped, it is taken away.
pub(super) struct Hidden {
    path: PathBuf,
    kept: bool,
}

impl Hidden {
    /// Makes a file under a hidden name beside `target`.
    fn beside<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, Self)> {
        const TRIES: u32 = 1000;
        for number in 0..TRIES {
            let path = folder_of(target).join(format!(".lookalike-{}-{number}.unfinished", std::process::id()));
            match make(&path) {
                // Another output's, or left by a run that was killed in that moment, or another container's.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(made) => return Ok((made, Self { path, kept: false })),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name is no longer its own.
    pub(super) fn forget(mut self) {
        self.kept = true;
    }

    /// Takes the name away.
    pub(super) fn remove(mut self) -> io::Result<()> {
        self.kept = true;
        disk::remove(&self.path)
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if !self.kept {
            // A second try: what fails once may be a passing fault, and nobody is told here.
            drop(disk::remove(&self.path).or_else(|_| disk::remove(&self.path)));
        }
    }
}

/// The file that a path means: links are followed, also one whose file does not exist yet.
pub(super) fn behind_links(path: &Path) -> io::Result<PathBuf> {
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
