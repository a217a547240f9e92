//! Replaces the object stores in a build without them.

use std::{
    io::{self, Write},
    sync::Arc,
};

use crate::error::{Error, ErrorKind, Result};

/// An object. This type has no values in a build without object stores.
#[derive(Debug)]
pub enum Object {}

/// The stream of an object, always empty.
pub type ObjectStream = io::Empty;

/// An upload. This type has no values in a build without object stores.
pub enum Upload {}

/// A finished upload. This type has no values in a build without object stores.
pub enum Uploaded {}

fn refused(kind: ErrorKind, url: &str) -> Error {
    Error::new(kind, "this build has no object stores")
        .at(super::shown_name(url))
        .advise("install with --features full")
}

/// Always fails; with object stores, this function returns the objects of a URL.
pub fn expand(url: &str, _: impl Fn(&str) -> bool) -> Result<Vec<Arc<Object>>> {
    Err(refused(ErrorKind::Input, url))
}

impl Object {
    pub(crate) fn url(&self) -> &str {
        match *self {}
    }

    pub(crate) fn address(&self) -> &str {
        match *self {}
    }

    /// Returns the object's size in bytes.
    pub fn size(&self) -> u64 {
        match *self {}
    }

    /// Returns a string that differs between the versions of the object.
    pub fn version(&self) -> &str {
        match *self {}
    }

    pub(crate) fn stream(self: &Arc<Self>) -> ObjectStream {
        match **self {}
    }

    pub(crate) fn stream_ahead(self: &Arc<Self>) -> Option<ObjectStream> {
        match **self {}
    }

    pub(crate) fn refuse_changed(&self) -> Result<()> {
        match *self {}
    }
}

impl Upload {
    pub(crate) fn create(url: &str) -> Result<Self> {
        Err(refused(ErrorKind::Output, url))
    }

    pub(crate) fn seal(self) -> Result<Uploaded> {
        match self {}
    }
}

impl Uploaded {
    pub(crate) fn url(&self) -> &str {
        match *self {}
    }

    pub(crate) fn publish(self) -> Result<()> {
        match self {}
    }
}

impl Write for Upload {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match *self {}
    }
}
