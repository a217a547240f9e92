//! Files that a target writes repeatedly.

use std::{fs, path::PathBuf};

/// Returns the folder for this process's files, which is in memory if the system has `/dev/shm`.
pub fn folder() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() {
        memory
    } else {
        std::env::temp_dir()
    };
    let folder = folder.join(format!("lookalike-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the files");
    folder
}

/// Writes a file in that folder.
pub fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, bytes).expect("a file");
    path
}
