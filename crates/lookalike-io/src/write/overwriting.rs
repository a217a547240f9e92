//! Ensures that no output overwrites an input or another output, whichever name is used: a path, a link, a descriptor or a
//! redirection.

use std::{
    collections::BTreeMap,
    fs::{File, Metadata},
    io,
    os::{
        fd::AsFd,
        unix::fs::{FileTypeExt, MetadataExt},
    },
    path::{Path, PathBuf},
};

use super::publish::resolve_links;
use crate::{
    disk::folder_of,
    error::{Error, ErrorKind, Result},
    read::Input,
    store::{is_url, shown_path},
};

/// What a name refers to.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// An existing file or pipe, by device and inode number.
    File(u64, u64),
    /// A file that does not exist yet.
    Path(PathBuf),
    /// An object in a store.
    Url(String),
    /// Standard output that is not a file.
    Stdout,
    /// A device or a socket, which several programs may read and write.
    Shared,
}

impl Place {
    fn of_path(path: &Path) -> Self {
        if path == Path::new("-") {
            return match Self::of_descriptor(io::stdout()) {
                Self::Shared => Self::Stdout,
                place => place,
            };
        }
        if let Some(url) = path.to_str().filter(|name| is_url(name)) {
            return Self::Url(url.into());
        }
        if let Ok(there) = path.metadata() {
            return Self::of_metadata(&there);
        }
        let path = resolve_links(path).unwrap_or_else(|_| path.into());
        let parent = folder_of(&path);
        let parent = parent.canonicalize().unwrap_or_else(|_| parent.into());
        Self::Path(
            path.file_name()
                .map_or(parent.clone(), |name| parent.join(name)),
        )
    }

    fn of_descriptor(descriptor: impl AsFd) -> Self {
        let metadata = descriptor
            .as_fd()
            .try_clone_to_owned()
            .map(File::from)
            .and_then(|file| file.metadata());
        metadata.map_or(Self::Shared, |metadata| Self::of_metadata(&metadata))
    }

    fn of_metadata(metadata: &Metadata) -> Self {
        if metadata.is_file() || metadata.file_type().is_fifo() {
            Self::File(metadata.dev(), metadata.ino())
        } else {
            Self::Shared
        }
    }
}

fn refuse(name: String, what: &str) -> Error {
    Error::new(ErrorKind::Output, format!("would overwrite {what}"))
        .at(name)
        .advise("give another name")
}

/// Rejects outputs that would overwrite an input or each other.
pub fn refuse_overwriting(outputs: &[&Path], inputs: &[Input]) -> Result<()> {
    let of_input = |input: &Input| match input {
        // This input consists of several files. They are compared with the outputs below.
        Input::Files(_) => Place::Shared,
        Input::Stdin => Place::of_descriptor(io::stdin()),
        Input::File(path) => Place::of_path(path),
        Input::Object(object) => Place::Url(object.address().into()),
        Input::Command(..) | Input::Table(_) | Input::Stored(_) => Place::Shared,
    };
    let mut taken: BTreeMap<Place, String> = inputs
        .iter()
        .map(|input| (of_input(input), format!("the input {}", input.name())))
        .collect();
    // Files that are documents can only be overwritten if they exist.
    let documents: BTreeMap<Place, &Path> = if outputs.iter().any(|output| output.is_file()) {
        inputs
            .iter()
            .filter_map(Input::files)
            .flatten()
            .map(|path| (Place::of_path(path), path))
            .collect()
    } else {
        BTreeMap::new()
    };
    for &output in outputs {
        let place = Place::of_path(output);
        let name = if output == Path::new("-") {
            "standard output".into()
        } else {
            shown_path(output)
        };
        if place == Place::Shared {
            continue;
        }
        if let Some(path) = documents.get(&place) {
            return Err(refuse(name, &format!("the input {}", path.display())));
        }
        if let Some(what) = taken.get(&place) {
            return Err(refuse(name, what));
        }
        taken.insert(place, format!("the output {name}"));
    }
    Ok(())
}
