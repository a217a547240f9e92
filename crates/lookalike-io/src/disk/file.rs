//! Operations on an open file.

use std::{
    fs::{self, OpenOptions, Permissions, TryLockError},
    io::{self, IsTerminal, Read, Seek, SeekFrom, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    },
    path::Path,
};

use rustix::fs::OFlags;

use super::{Operation, doing, moving};

/// The permissions of an output before the user's umask is applied. Most other programs also create files with these permissions.
pub const USUAL: u32 = 0o666;

/// The permissions of files that only this run reads.
const PRIVATE: u32 = 0o600;

/// An open file. All of its operations go through this layer.
#[derive(Debug)]
pub struct File(fs::File);

impl File {
    /// Opens a file or pipe for reading.
    pub fn open(path: &Path) -> io::Result<Self> {
        doing(Operation::Open, || fs::File::open(path)).map(Self)
    }

    /// Opens a regular file for reading. Pipes, which could block for ever, and links are rejected.
    pub fn open_regular(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
        let file = doing(Operation::Open, || options.open(path))?;
        if file.metadata()?.is_file() {
            Ok(Self(file))
        } else {
            Err(io::Error::other("is not a regular file"))
        }
    }

    /// Opens a folder. A link is rejected.
    pub(crate) fn open_folder(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .custom_flags((OFlags::NOFOLLOW | OFlags::DIRECTORY).bits() as i32);
        doing(Operation::Open, || options.open(path)).map(Self)
    }

    /// Opens an existing device or pipe for appending.
    pub(crate) fn append(path: &Path) -> io::Result<Self> {
        doing(Operation::Open, || {
            OpenOptions::new().append(true).open(path)
        })
        .map(Self)
    }

    /// Returns standard input, without the standard library's buffer.
    pub(crate) fn stdin() -> io::Result<Self> {
        Self::shared(io::stdin().as_fd())
    }

    /// Returns standard output, without the standard library's buffer.
    pub(crate) fn stdout() -> io::Result<Self> {
        Self::shared(io::stdout().as_fd())
    }

    fn shared(descriptor: BorrowedFd) -> io::Result<Self> {
        doing(Operation::Open, || descriptor.try_clone_to_owned()).map(|owned| Self(owned.into()))
    }

    /// Creates a temporary file for writing and reading. It has no name and disappears with the process.
    pub fn temporary(folder: &Path) -> io::Result<Self> {
        doing(Operation::Create, || tempfile::tempfile_in(folder)).map(Self)
    }

    /// Creates a file without a name, which can be [named](Self::link) later. Not every file system supports this.
    #[cfg(target_os = "linux")]
    pub(crate) fn unnamed(folder: &Path, mode: u32) -> io::Result<Self> {
        let flags = OFlags::TMPFILE.bits() as i32;
        doing(Operation::Create, || {
            if !Path::new(DESCRIPTORS).exists() {
                return Err(io::ErrorKind::Unsupported.into());
            }
            OpenOptions::new()
                .write(true)
                .mode(mode)
                .custom_flags(flags)
                .open(folder)
        })
        .map(Self)
    }

    /// Fails: this system has no files without a name.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn unnamed(_: &Path, _: u32) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Creates a file for writing, which must not exist yet. A link with that name is not followed.
    pub fn create_new(path: &Path, mode: u32) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .mode(mode)
            .custom_flags(OFlags::NOFOLLOW.bits() as i32);
        doing(Operation::Create, || options.open(path)).map(Self)
    }

    /// Creates a file, which must not exist yet, and claims it with `own`. Returns `None` if another run removes the file before
    /// it is claimed.
    pub(crate) fn owned(
        path: &Path,
        mode: u32,
        own: impl Fn(&Self) -> io::Result<bool>,
    ) -> io::Result<Option<Self>> {
        let file = Self::create_new(path, mode)?;
        let is_own = own(&file)? && file.is_at(path)?;
        Ok(is_own.then_some(file))
    }

    /// Opens an existing file for writing at any position. A link is not followed.
    pub fn open_to_write(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options
            .write(true)
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
        doing(Operation::Open, || options.open(path)).map(Self)
    }

    /// Opens a file for reading and writing at any position. If it does not exist, it is created for this user alone. A link is
    /// not followed.
    pub fn open_or_create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(PRIVATE);
        options.custom_flags(OFlags::NOFOLLOW.bits() as i32);
        doing(Operation::Create, || options.open(path)).map(Self)
    }

    /// Gives an [unnamed](Self::unnamed) file a name that is not in use.
    pub(crate) fn link(&self, path: &Path) -> io::Result<()> {
        use rustix::fs::{AtFlags, CWD, linkat};
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&self.0);
        let here = format!("{DESCRIPTORS}/{descriptor}");
        doing(Operation::Link, || {
            Ok(linkat(CWD, &here, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
        })
    }

    /// Returns another handle of the same open file. Both handles share one position.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        doing(Operation::Open, || self.0.try_clone()).map(Self)
    }

    /// Returns whether the file is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.0.is_terminal()
    }

    /// Returns the file's permission bits.
    #[cfg(test)]
    pub(crate) fn permissions(&self) -> io::Result<Permissions> {
        self.0.metadata().map(|metadata| metadata.permissions())
    }

    /// Sets the file's permissions.
    pub(crate) fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.0.set_permissions(permissions)
    }

    /// Makes the file readable and writable for this user only.
    pub fn make_private(&self) -> io::Result<()> {
        tightened(self.0.metadata()?.permissions(), |permissions| {
            self.set_permissions(permissions)
        })
    }

    /// Truncates or extends the file to this many bytes.
    pub fn set_length(&self, bytes: u64) -> io::Result<()> {
        doing(Operation::Write, || self.0.set_len(bytes))
    }

    /// Locks the file for this process until it is closed; returns false if another process has locked it.
    pub fn try_lock(&self) -> io::Result<bool> {
        doing(Operation::Open, || match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        })
    }

    /// Ends the lock, also if other processes have inherited the open file.
    ///
    /// # Errors
    /// Fails if the system cannot unlock the file.
    pub fn unlock(&self) -> io::Result<()> {
        self.0.unlock()
    }

    /// Returns whether `path` currently refers to this file.
    pub fn is_at(&self, path: &Path) -> io::Result<bool> {
        match path.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            there => Ok(self.place()? == there.map(|there| (there.dev(), there.ino()))?),
        }
    }

    /// Returns what identifies the file: its device and its inode number.
    pub(crate) fn place(&self) -> io::Result<(u64, u64)> {
        self.0.metadata().map(|own| (own.dev(), own.ino()))
    }

    /// Returns the file's size in bytes.
    pub fn length(&self) -> io::Result<u64> {
        self.0.metadata().map(|metadata| metadata.len())
    }

    /// Syncs the whole file system that contains this file. Returns false if the system has no such operation.
    #[cfg(target_os = "linux")]
    pub(crate) fn sync_all_files(&self) -> io::Result<bool> {
        match doing(Operation::Sync, || Ok(rustix::fs::syncfs(&self.0)?)) {
            Err(error) if super::has_no_such(&error) => Ok(false),
            synced => synced.map(|()| true),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn sync_all_files(&self) -> io::Result<bool> {
        Ok(false)
    }

    /// Writes the file's contents and size to the disk.
    pub fn sync(&self) -> io::Result<()> {
        doing(Operation::Sync, || self.0.sync_all())
    }

    /// Writes the file's contents to the disk, and its size if it is larger than before.
    pub fn sync_data(&self) -> io::Result<()> {
        doing(Operation::Sync, || self.0.sync_data())
    }

    /// Writes all bytes at `offset`, regardless of the current position.
    pub fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = moving(Operation::Write, bytes.len(), |length| {
                self.0.write_at(&bytes[..length], offset)
            })?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = &bytes[written..];
            offset += written as u64;
        }
        Ok(())
    }

    /// Reads some bytes at `offset`, regardless of the current position.
    pub(crate) fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        moving(Operation::Read, bytes.len(), |length| {
            self.0.read_at(&mut bytes[..length], offset)
        })
    }

    /// Fills `bytes` with the file's bytes that begin at `offset`, regardless of the current position.
    pub fn read_exact_at(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let read = self.read_at(bytes, offset)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            bytes = &mut bytes[read..];
            offset += read as u64;
        }
        Ok(())
    }
}

impl Read for File {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        moving(Operation::Read, bytes.len(), |length| {
            self.0.read(&mut bytes[..length])
        })
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        moving(Operation::Write, bytes.len(), |length| {
            self.0.write(&bytes[..length])
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl AsFd for File {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Copies a regular file to a name that must not exist yet, and syncs the copy, which only this user can access. Links are not
/// followed.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = File::open_regular(from)?;
    let mut copy = File::create_new(to, PRIVATE)?;
    doing(Operation::Write, || io::copy(&mut source.0, &mut copy.0))?;
    copy.sync()
}

/// Removes the permissions of the group and of others, if there are any. Only the owner and root can do this.
pub(super) fn tightened(
    mut permissions: Permissions,
    set: impl FnOnce(Permissions) -> io::Result<()>,
) -> io::Result<()> {
    const OF_OTHERS: u32 = 0o077;
    if permissions.mode() & OF_OTHERS == 0 {
        return Ok(());
    }
    permissions.set_mode(permissions.mode() & 0o7777 & !OF_OTHERS);
    match set(permissions) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        set => set,
    }
}

/// Raises the number of files that the process may have open to what the system permits. This matters only if there are many outputs,
/// so a failure is not reported here. Returns the number, if there is a limit.
pub fn allow_open_files() -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum {
        _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: maximum,
                maximum,
            },
        );
    }
    getrlimit(Resource::Nofile).current
}

/// The folder in which Linux lists the open files of a process.
const DESCRIPTORS: &str = "/proc/self/fd";
