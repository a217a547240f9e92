//! Where an output's bytes go, and how they get their name.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

/// An open output.
pub(super) enum Sink {
    Stdout(io::Stdout),
    /// A device, a pipe, an open descriptor: nothing that could be renamed over.
    Direct(File),
    /// A file without a name: gone by itself if the process ends, however it ends.
    Unnamed(File, PathBuf),
    /// Where the file system has no such files, one with a name of its own.
    Named(NamedTempFile, PathBuf),
}

impl Sink {
    /// Opens an output; `-` is standard output.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout(io::stdout()));
        }
        let there = path.metadata();
        let folder_meant = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if folder_meant || there.as_ref().is_ok_and(fs::Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // An open descriptor may be a file that others write to as well: /dev/stdout behind >> of a shell.
        let open = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|open| path.starts_with(open));
        if open || there.as_ref().is_ok_and(|there| !there.is_file()) {
            return OpenOptions::new().append(true).open(path).map(Self::Direct);
        }
        if there.is_ok_and(|there| there.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        let target = behind_links(path)?;
        let folder = folder_of(&target).to_path_buf();
        match unnamed(&folder) {
            Ok(file) => Ok(Self::Unnamed(file, target)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
            Err(_) => Ok(Self::Named(named(&folder)?, target)),
        }
    }

    /// Brings all to the disk. A file that will be replaced lends its permissions.
    pub(super) fn sync(&self) -> io::Result<()> {
        let (file, target) = match self {
            Self::Stdout(_) | Self::Direct(_) => return Ok(()),
            Self::Unnamed(file, target) => (file, target),
            Self::Named(file, target) => (file.as_file(), target),
        };
        if let Ok(there) = target.metadata() {
            file.set_permissions(there.permissions())?;
        }
        file.sync_all()
    }

    /// Gives the file its name.
    pub(super) fn publish(self) -> io::Result<()> {
        match self {
            Self::Stdout(_) | Self::Direct(_) => Ok(()),
            Self::Unnamed(file, target) => {
                // A link does not replace a file, a rename does: so there is a name in between for a moment.
                let between = linked_beside(&file, &target)?;
                fs::rename(&between, &target).inspect_err(|_| _ = fs::remove_file(&between))
            }
            Self::Named(file, target) => file.persist(&target).map(drop).map_err(|error| error.error),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Direct(file) | Self::Unnamed(file, _) => file.write(bytes),
            Self::Named(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::Direct(file) | Self::Unnamed(file, _) => file.flush(),
            Self::Named(file, _) => file.flush(),
        }
    }
}

/// The file that a path means: links are followed, also one whose file does not exist yet.
pub(super) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    const MOST: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST {
        match fs::read_link(&path) {
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Readable as the user's umask has it, like any file that a program makes.
const MODE: u32 = 0o666;

#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> io::Result<File> {
    if !Path::new(DESCRIPTORS).exists() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let flags = rustix::fs::OFlags::TMPFILE.bits() as i32;
    OpenOptions::new().write(true).mode(MODE).custom_flags(flags).open(folder)
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

fn named(folder: &Path) -> io::Result<NamedTempFile> {
    let permissions = Permissions::from_mode(MODE);
    tempfile::Builder::new().prefix(".lookalike-").suffix(".unfinished").permissions(permissions).tempfile_in(folder)
}

/// Links a file without a name under a hidden one in the target's folder.
fn linked_beside(file: &File, target: &Path) -> io::Result<PathBuf> {
    use rustix::fs::{AtFlags, CWD, linkat};
    const TRIES: u32 = 1000;
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(file);
    for number in 0..TRIES {
        let name = folder_of(target).join(format!(".lookalike-{}-{descriptor}-{number}.unfinished", std::process::id()));
        match linkat(CWD, format!("{DESCRIPTORS}/{descriptor}"), CWD, &name, AtFlags::SYMLINK_FOLLOW) {
            // Left by a run that was killed between the link and the rename, or another container's.
            Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
            Ok(()) => return Ok(name),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Where Linux shows a process its open files.
const DESCRIPTORS: &str = "/proc/self/fd";
