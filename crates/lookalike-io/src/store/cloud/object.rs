//! An object as it was when it was first seen. If a different object later has the same name, none of the bytes of that object
//! are used.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use object_store::{GetOptions, ObjectMeta, ObjectStoreExt, path::Path};

use super::{
    bucket::Bucket,
    errors::{Doing, changed_words, is_passing},
    location::Kind,
    runtime::wait,
};
use crate::{
    error::{Error, ErrorKind, Result},
    store::shown::shown_address,
};

/// An object in a store.
pub struct Object {
    pub(super) bucket: Arc<Bucket>,
    pub(super) path: Path,
    /// The full URL; `url` is its printable form.
    address: String,
    url: String,
    size: u64,
    /// The object's version tag, including the quotes that it has in requests.
    pub(super) etag: Option<String>,
    modified: String,
    /// Whether the server supports ranges. All stores do; for an HTTP server this is tested.
    ranged: AtomicBool,
}

impl Object {
    pub(super) fn of(bucket: &Arc<Bucket>, meta: ObjectMeta) -> Self {
        let http = bucket.at.kind == Kind::Http;
        let address = if http {
            bucket.at.store.clone()
        } else {
            bucket.at.url_of(meta.location.as_ref())
        };
        Self {
            bucket: bucket.clone(),
            url: shown_address(&address),
            address,
            size: meta.size,
            etag: meta.e_tag.as_deref().map(quoted),
            modified: meta.last_modified.to_rfc3339(),
            path: meta.location,
            ranged: AtomicBool::new(true),
        }
    }

    /// Finds the object that has this name.
    pub(super) async fn find(bucket: &Arc<Bucket>, path: &Path) -> object_store::Result<Self> {
        let asked = bucket.store.head(path).await;
        if bucket.at.kind != Kind::Http {
            return asked.map(|meta| Self::of(bucket, meta));
        }
        // A signed URL may be valid for GET only, so this is a GET request. It also shows whether the server supports ranges.
        let first = GetOptions::new().with_range(Some(0..1u64));
        match (bucket.store.get_opts(path, first).await, asked) {
            (Ok(got), _) => Ok(Self::of(bucket, got.meta)),
            (Err(_), Ok(meta)) => {
                let object = Self::of(bucket, meta);
                object.ranged.store(false, Ordering::Relaxed);
                Ok(object)
            }
            (Err(error), Err(_)) => Err(error),
        }
    }

    /// Returns the object's printable URL, for messages and generated ids.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the full URL, which distinguishes the object from all others.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the object's size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the version of the content, which distinguishes it from other contents under the same name. This is the store's
    /// tag, or the modification time if there is no tag.
    pub fn version(&self) -> &str {
        self.etag.as_deref().unwrap_or(&self.modified)
    }

    /// Returns whether the server supports ranges. Otherwise the object must be read from its beginning.
    pub(super) fn is_ranged(&self) -> bool {
        self.ranged.load(Ordering::Relaxed)
    }

    /// Returns whether an answer is about the version of the object that existed when the object was first seen.
    pub(super) fn is_same(&self, meta: &ObjectMeta) -> bool {
        let same_version = match (&self.etag, &meta.e_tag) {
            (Some(own), Some(other)) => *own == quoted(other),
            _ => self.modified == meta.last_modified.to_rfc3339(),
        };
        self.size == meta.size && same_version
    }

    /// Returns the tag for conditional requests; `None` for a weak tag, which never matches.
    pub(super) fn if_match(&self) -> Option<String> {
        self.etag.clone().filter(|etag| !etag.starts_with("W/"))
    }

    pub(super) fn changed(&self) -> Error {
        let (what, advice) = changed_words();
        Error::new(ErrorKind::Input, what)
            .at(&*self.url)
            .advise(advice)
    }

    /// Fails if the object has changed. The store is asked only if the requests so far were not conditional on a tag.
    pub(crate) fn refuse_changed(&self) -> Result<()> {
        if self.if_match().is_some() {
            return Ok(());
        }
        match wait(Self::find(&self.bucket, &self.path))? {
            Ok(now) if now.size == self.size && now.version() == self.version() => Ok(()),
            Err(error) if is_passing(&error) => {
                Err(self.bucket.reported(Doing::Reading, &self.url, &error))
            }
            _ => Err(self.changed()),
        }
    }
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Object")
            .field("url", &self.url)
            .field("size", &self.size)
            .field("etag", &self.etag)
            .finish()
    }
}

/// Returns a tag in quotes; Azure's lists contain tags without quotes.
fn quoted(etag: &str) -> String {
    if etag.ends_with('"') {
        etag.into()
    } else {
        format!("\"{etag}\"")
    }
}
