//! The names of files of a task.

use std::path::{Path, PathBuf};

/// The part of an output's name that is replaced by the shard.
pub(in super::super) const MARK: &str = "{}";

/// Returns the name of a task in names of files, such as `00003-of-00016`.
pub(in super::super) fn of_all(shard: usize, shards: usize) -> String {
    format!("{shard:05}-of-{shards:05}")
}

/// Returns the name of an output of a task.
pub(in super::super) fn of_shard(path: &Path, shard: usize, shards: usize) -> PathBuf {
    PathBuf::from(
        path.display()
            .to_string()
            .replace(MARK, &of_all(shard, shards)),
    )
}
