//! Fetches one range of an object in spite of failures: received bytes are kept, and the rest is requested again.

use std::{ops::Range, time::Duration};

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::{Error as StoreError, GetOptions, GetRange};

use super::{
    bucket::Patience,
    errors::{Doing, is_passing},
    object::Object,
    piece::Pieces,
};
use crate::error::{Error, ErrorKind, Result};

/// Consecutive tries that returned nothing.
pub(super) struct Tries {
    patience: Patience,
    failed: u32,
}

impl Tries {
    pub(super) fn new(patience: Patience) -> Self {
        Self {
            patience,
            failed: 0,
        }
    }

    /// Resets the count because data arrived: the next failure counts as the first one again.
    fn went_on(&mut self) {
        self.failed = 0;
    }

    /// Waits before the next try; returns false if the maximum number of tries is reached.
    pub(super) async fn pause(&mut self) -> bool {
        self.failed += 1;
        let pause = self
            .patience
            .first_pause
            .saturating_mul(1 << (self.failed - 1).min(16))
            .min(self.patience.last_pause);
        // Clients that failed together should not retry together.
        let share = std::process::id()
            .wrapping_mul(2_654_435_761)
            .wrapping_add(self.failed.wrapping_mul(40_503))
            % 256;
        let pause =
            pause / 2 + Duration::from_nanos(pause.as_nanos() as u64 / 512 * u64::from(share));
        tokio::time::sleep(pause).await;
        self.failed < self.patience.tries
    }
}

/// The destination of the bytes of a range.
pub(super) enum Taker<'a> {
    All(&'a mut Vec<u8>),
    Pieces(&'a mut Pieces),
}

impl Taker<'_> {
    /// Passes on some bytes; returns false if the receiver wants no more.
    async fn take(&mut self, bytes: Bytes) -> bool {
        match self {
            Self::All(all) => {
                all.extend_from_slice(&bytes);
                true
            }
            Self::Pieces(pieces) => pieces.take(bytes).await,
        }
    }
}

/// The reason why a try ended before the end of the range.
enum Cut {
    /// A failure of the store that may be temporary.
    Failed(StoreError),
    /// The body was shorter than it should be (`Short`), or nothing came for too long (`Silent`).
    Short,
    Silent,
    /// The receiver does not want any more bytes.
    Unwanted,
}

/// Passes on the bytes of a range in order, as they arrive, until the receiver wants no more.
pub(super) async fn fetch(object: &Object, range: Range<u64>, mut taker: Taker<'_>) -> Result<()> {
    let mut at = range.start;
    let mut tries = Tries::new(object.bucket.patience);
    while at < range.end {
        let before = at;
        let cut = attempt(object, &mut at, range.end, &mut taker).await?;
        if at == range.end || matches!(cut, Cut::Unwanted) {
            return Ok(());
        }
        if at > before {
            tries.went_on();
        }
        if !tries.pause().await {
            return Err(given_up(object, at, cut));
        }
    }
    Ok(())
}

fn given_up(object: &Object, at: u64, cut: Cut) -> Error {
    let (url, size) = (object.url(), object.size());
    let what = match cut {
        Cut::Failed(error) => return object.bucket.reported(Doing::Reading, url, &error),
        Cut::Silent => "the server stops sending data",
        Cut::Short | Cut::Unwanted => "the server ends its responses early",
    };
    let what = format!("{what} after {at} of {size} bytes, even after retries");
    Error::new(ErrorKind::Input, what)
        .at(url)
        .advise("try again later")
}

/// Requests the missing bytes once. Fails only with an error that waiting does not fix.
async fn attempt(object: &Object, at: &mut u64, end: u64, taker: &mut Taker<'_>) -> Result<Cut> {
    let ranged = object.is_ranged();
    let range = ranged.then_some(GetRange::Bounded(*at..end));
    let options = GetOptions {
        range,
        if_match: object.if_match(),
        ..GetOptions::default()
    };
    let got = match object.bucket.store.get_opts(&object.path, options).await {
        Ok(got) => got,
        Err(error) if is_passing(&error) => return Ok(Cut::Failed(error)),
        // The object existed when it was first seen, so it has been changed or removed.
        Err(StoreError::Precondition { .. } | StoreError::NotFound { .. }) => {
            return Err(object.changed());
        }
        Err(error) => return Err(object.bucket.reported(Doing::Reading, object.url(), &error)),
    };
    if !object.is_same(&got.meta) {
        return Err(object.changed());
    }
    // A server that does not support ranges sends the object from its beginning again.
    let mut before = if ranged { 0 } else { *at };
    let mut body = got.into_stream();
    while *at < end {
        let mut bytes =
            match tokio::time::timeout(object.bucket.patience.silence, body.next()).await {
                Ok(Some(Ok(bytes))) => bytes,
                Ok(Some(Err(error))) => return Ok(Cut::Failed(error)),
                Ok(None) => return Ok(Cut::Short),
                Err(_) => return Ok(Cut::Silent),
            };
        let skipped = before.min(bytes.len() as u64);
        before -= skipped;
        let bytes = bytes.split_off(skipped as usize);
        if bytes.len() as u64 > end - *at {
            return Err(object.changed());
        }
        *at += bytes.len() as u64;
        if !bytes.is_empty() && !taker.take(bytes).await {
            return Ok(Cut::Unwanted);
        }
    }
    Ok(Cut::Short)
}
