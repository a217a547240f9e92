//! Files that a target writes again and again.

use std::{fs, path::PathBuf};

/// A folder of this process, in memory where there is such a thing.
pub fn folder() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = folder.join(format!("lookalike-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the files");
    folder
}

/// Writes a file there.
pub fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, bytes).expect("a file");
    path
}
