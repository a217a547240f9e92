//! Expands a URL to objects: one object, the objects of a folder, or the objects that match a glob. They are sorted in the order
//! in which the files of a folder on disk are read.

use std::sync::Arc;

use futures_util::TryStreamExt;
use glob::{MatchOptions, Pattern};
use object_store::{Error as StoreError, ObjectMeta, list::PaginatedListOptions, path::Path};

use super::{
    bucket::Bucket,
    errors::{Doing, NoBucket},
    location::{Kind, Location},
    object::Object,
    runtime::wait,
};
use crate::{
    error::{Error, ErrorKind, Result},
    store::shown::shown,
};

const WILD: [char; 3] = ['*', '?', '['];

/// Returns the objects to which a URL refers. In a folder, `wanted` selects them by their lower-case names.
///
/// # Errors
/// Fails if there is no object or no wanted object, if there are no credentials, or if the store does not answer.
pub fn expand(url: &str, wanted: impl Fn(&str) -> bool) -> Result<Vec<Arc<Object>>> {
    let at = Location::parse(url)?;
    let bucket = Bucket::open(&at)?;
    expand_in(&bucket, &at.key, url, wanted)
}

pub(super) fn expand_in(
    bucket: &Arc<Bucket>,
    key: &str,
    url: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Arc<Object>>> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let url = &shown(url);
    let refuse = |what: &'static str, advice: &'static str| {
        Err(Error::new(ErrorKind::Input, what).at(url).advise(advice))
    };
    let nothing_wanted = || {
        let what =
            "no .jsonl, .ndjson, .csv, .tsv, .parquet, .arrow or .warc object in this folder";
        refuse(what, "give the URLs of the objects")
    };
    if bucket.at.kind == Kind::Http {
        if path.ends_with('/') {
            return refuse(
                "is a folder, and web servers do not list folders",
                "give the URLs of the files",
            );
        }
        if path.contains('*') {
            return refuse(
                "is a glob, and web servers do not list files",
                "give the URLs of the files",
            );
        }
        return single(bucket, &Path::default(), url).map(|object| vec![object]);
    }
    if key.contains(WILD) {
        let found = matching(bucket, key, url)?;
        return if found.is_empty() {
            refuse(
                "no object matches",
                "check the pattern, and quote it so that the shell does not expand it",
            )
        } else {
            Ok(found)
        };
    }
    if !key.is_empty() && !key.ends_with('/') {
        let path = Path::parse(key)
            .map_err(|error| bucket.reported(Doing::Reading, url, &error.into()))?;
        match wait(Object::find(bucket, &path))? {
            Ok(object) => return Ok(vec![Arc::new(object)]),
            Err(missing @ StoreError::NotFound { .. }) => {
                // No object has this name, but it may be the name of a folder. If the folder is empty or cannot be listed, the
                // reported error says that there is no object of this name. But if the error of the listing is more informative,
                // that error is reported.
                let folder = in_folder(bucket, &format!("{key}/"), url, &wanted);
                let (found, any) = folder.or_else(|error| {
                    if says_more(&error) {
                        Err(error)
                    } else {
                        Ok((Vec::new(), false))
                    }
                })?;
                if !any {
                    return Err(bucket.reported(Doing::Reading, url, &missing));
                }
                return if found.is_empty() {
                    nothing_wanted()
                } else {
                    Ok(found)
                };
            }
            Err(error) => return Err(bucket.reported(Doing::Reading, url, &error)),
        }
    }
    let (found, _) = in_folder(bucket, key, url, &wanted)?;
    if found.is_empty() {
        nothing_wanted()
    } else {
        Ok(found)
    }
}

/// Returns whether the error of a listing is more informative than the error that a name does not exist.
fn says_more(error: &Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.is::<NoBucket>())
}

fn single(bucket: &Arc<Bucket>, path: &Path, url: &str) -> Result<Arc<Object>> {
    let found = wait(Object::find(bucket, path))?;
    found
        .map(Arc::new)
        .map_err(|error| bucket.reported(Doing::Reading, url, &error))
}

/// Returns the wanted objects below a folder, and whether the folder contains any object. The folder's name ends with a slash or
/// is empty.
fn in_folder(
    bucket: &Arc<Bucket>,
    folder: &str,
    url: &str,
    wanted: &impl Fn(&str) -> bool,
) -> Result<(Vec<Arc<Object>>, bool)> {
    let all = list(bucket, folder, url)?;
    let any = !all.is_empty();
    let chosen = all.into_iter().filter(|meta| {
        let Some(below) = meta.location.as_ref().strip_prefix(folder) else {
            return false;
        };
        let name = below.rsplit('/').next().unwrap_or(below).to_lowercase();
        !below.split('/').any(|part| part.starts_with('.')) && wanted(&name)
    });
    Ok((in_order(bucket, chosen.collect()), any))
}

fn matching(bucket: &Arc<Bucket>, key: &str, url: &str) -> Result<Vec<Arc<Object>>> {
    let pattern = Pattern::new(key).map_err(|error| {
        let refused = Error::new(ErrorKind::Input, format!("not a glob: {error}")).at(url);
        refused.advise("write [[] for a bracket").because(error)
    })?;
    let options = MatchOptions {
        require_literal_separator: true,
        ..MatchOptions::new()
    };
    let fixed = &key[..key.find(WILD).unwrap_or(key.len())];
    let matches = |meta: &ObjectMeta| {
        let name = meta.location.as_ref();
        name == key || pattern.matches_with(name, options)
    };
    Ok(in_order(
        bucket,
        list(bucket, fixed, url)?
            .into_iter()
            .filter(matches)
            .collect(),
    ))
}

/// Sorts objects by the names of their folders, then by their own names: `a/z` comes before `a-b/c`, as in a walk over a disk.
fn in_order(bucket: &Arc<Bucket>, mut found: Vec<ObjectMeta>) -> Vec<Arc<Object>> {
    found.sort_by(|a, b| {
        a.location
            .as_ref()
            .split('/')
            .cmp(b.location.as_ref().split('/'))
    });
    found
        .into_iter()
        .map(|meta| Arc::new(Object::of(bucket, meta)))
        .collect()
}

/// Returns all objects whose names have this prefix.
fn list(bucket: &Arc<Bucket>, beginning: &str, url: &str) -> Result<Vec<ObjectMeta>> {
    let listed = wait(async {
        let Some(pages) = &bucket.pages else {
            let folder = Path::parse(&beginning[..beginning.rfind('/').unwrap_or(0)])?;
            return bucket
                .store
                .list(Some(&folder))
                .try_collect::<Vec<_>>()
                .await;
        };
        let (mut all, mut token) = (Vec::new(), None);
        loop {
            let options = PaginatedListOptions {
                page_token: token,
                ..PaginatedListOptions::default()
            };
            let page = pages
                .list_paginated(
                    Some(beginning).filter(|beginning| !beginning.is_empty()),
                    options,
                )
                .await?;
            all.extend(page.result.objects);
            token = page.page_token;
            if token.is_none() {
                return Ok(all);
            }
        }
    })?;
    let mut all = listed.map_err(|error| bucket.reported(Doing::Listing, url, &error))?;
    all.retain(|meta| meta.location.as_ref().starts_with(beginning));
    Ok(all)
}
