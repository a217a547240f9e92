//! Archives of documents: zip, and tar with or without a compression. Nothing is ever extracted to the disk.

mod zip;

mod tar;

use std::{collections::BTreeSet, path::Path};

use lookalike::shown::{cut, quoted};

pub(super) use self::{
    tar::TarReader,
    zip::{Place, Zip},
};
use crate::{
    error::{Error, ErrorKind, Result},
    read::bytes::without_packing,
};

/// The kind of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Archive {
    Zip,
    Tar,
}

/// A member of an archive.
#[derive(Debug)]
pub(crate) struct Member {
    /// The name, with slashes between folders.
    pub(crate) name: String,
    /// The number of its bytes.
    pub(super) size: u64,
    /// Whether it is a file, and not a folder or a link.
    pub(super) is_file: bool,
    /// For zip, where its bytes are.
    pub(super) place: Option<Place>,
}

impl Archive {
    /// Returns the kind of archive that a name means.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if name.ends_with(".zip") {
            return Some(Self::Zip);
        }
        let short = [".tgz", ".tbz2", ".txz", ".tzst"]
            .iter()
            .any(|ending| name.ends_with(ending));
        (short || without_packing(&name).ends_with(".tar")).then_some(Self::Tar)
    }
}

/// Returns all files in an archive, in its order, without those that are hidden or inside a hidden folder.
///
/// # Errors
/// Fails if the archive is damaged, or if two files have the same name.
pub(crate) fn members(archive: Archive, path: &Path, name: &str) -> Result<Vec<Member>> {
    let mut members = match archive {
        Archive::Zip => Zip::open(path, name)?.members(name)?,
        Archive::Tar => TarReader::open(path, name)?.members()?,
    };
    let is_hidden = |name: &str| {
        name.split('/')
            .any(|part| part.starts_with('.') && part != "." && part != "..")
    };
    members.retain(|member| member.is_file && !is_hidden(&member.name));
    let mut names = BTreeSet::new();
    match members
        .iter()
        .find(|member| !names.insert(member.name.as_str()))
    {
        None => Ok(members),
        Some(member) => {
            let refused = Error::new(
                ErrorKind::Input,
                format!("has two members {}", quoted(&member.name)),
            )
            .at(name);
            Err(refused.advise("unpack it first, and name its folder"))
        }
    }
}

/// Returns the error for an archive that cannot be read. `what` says why.
fn damaged(name: &str, what: impl std::fmt::Display) -> Error {
    let what = format!("is a damaged archive ({what})");
    Error::new(ErrorKind::Input, what)
        .at(name)
        .advise("copy or download it again")
}

/// The maximum number of bytes of a member's name, which is that of a path in Linux. All names are in memory, and a compressed archive
/// can have names that are a thousand times as long as itself.
const MOST_NAME: usize = 4096;

/// Returns a member's name as the names of other archives are written.
///
/// # Errors
/// Fails if the name is too long.
fn plain(name: &str, archive: &str) -> Result<String> {
    let length = name.len();
    if length <= MOST_NAME {
        return Ok(name.trim_start_matches("./").into());
    }
    let what = format!(
        "has a member whose name has {length} bytes, and at most {MOST_NAME} are read: {}",
        cut(name)
    );
    let refused = Error::new(ErrorKind::Input, what).at(archive);
    Err(refused.advise("remove this member, or give it a shorter name"))
}
