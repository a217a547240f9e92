//! Operations on the names of files.

use std::{ffi::OsStr, fs, io, os::unix::fs::DirBuilderExt, path::Path};

use super::{
    Operation, doing,
    file::{File, tightened},
};

/// Renames a file; an existing file with the new name is replaced atomically.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    doing(Operation::Rename, || fs::rename(from, to))
}

/// Exchanges the names of two files atomically. Not every file system supports this.
#[cfg(target_os = "linux")]
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    doing(Operation::Rename, || {
        Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    })
}

/// Fails: this system cannot exchange the names of two files.
#[cfg(not(target_os = "linux"))]
pub fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Gives a file a second name.
pub fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    doing(Operation::Link, || fs::hard_link(from, to))
}

/// Removes a file from its folder.
pub fn remove(path: &Path) -> io::Result<()> {
    doing(Operation::Remove, || fs::remove_file(path))
}

/// Removes a file, or a folder with all that is in it. Links are removed and never followed.
pub(crate) fn remove_all(path: &Path) -> io::Result<()> {
    doing(Operation::Remove, || {
        if path.symlink_metadata()?.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        }
    })
}

/// Creates a folder that only this user can access, if the folder does not exist. Missing parent folders are created with the
/// usual permissions.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    doing(Operation::Create, || {
        fs::create_dir_all(folder_of(path))?;
        match fs::DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            made => made,
        }
    })
}

/// Creates a folder. Another program may create it at the same time.
pub fn make_folder(path: &Path) -> io::Result<()> {
    doing(Operation::Create, || match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    })
}

/// Makes a folder accessible to this user only. A folder of another user keeps its permissions.
pub fn make_private(path: &Path) -> io::Result<()> {
    tightened(path.metadata()?.permissions(), |permissions| {
        fs::set_permissions(path, permissions)
    })
}

/// Removes an empty folder; returns false if the folder is not empty.
pub fn remove_folder(path: &Path) -> io::Result<bool> {
    doing(Operation::Remove, || match fs::remove_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        removed => removed.map(|()| true),
    })
}

/// Writes a folder's list of names to the disk.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync()
}

/// Returns the number of bytes that this user can still write to the file system of a folder.
pub fn free_space(folder: &Path) -> io::Result<u64> {
    let space = rustix::fs::statvfs(folder)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// Returns the name of a file as text; two names are never the same text. A byte that is not UTF-8 becomes `\x` and two digits, such
/// as `\xff`. So that nothing else begins like this, a backslash before an `x` becomes `\x5c`.
pub fn text_of(name: impl AsRef<OsStr>) -> String {
    let mut text = String::new();
    for chunk in name.as_ref().as_encoded_bytes().utf8_chunks() {
        text += &chunk.valid().replace("\\x", "\\x5cx");
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// Returns the folder that contains a path's file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
