//! One range of an object, whatever happens on the way: what came is kept, the rest is asked for again.

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

/// Tries one after the other that came to nothing.
pub(super) struct Tries {
    patience: Patience,
    failed: u32,
}

impl Tries {
    pub(super) fn new(patience: Patience) -> Self {
        Self { patience, failed: 0 }
    }

    /// Something came: the next failure is the first again.
    fn went_on(&mut self) {
        self.failed = 0;
    }

    /// Waits before the next try; false when there were enough.
    pub(super) async fn pause(&mut self) -> bool {
        self.failed += 1;
        let pause = self.patience.first_pause.saturating_mul(1 << (self.failed - 1).min(16)).min(self.patience.last_pause);
        // Those that failed together should not come again together.
        let share = std::process::id().wrapping_mul(2_654_435_761).wrapping_add(self.failed.wrapping_mul(40_503)) % 256;
        let pause = pause / 2 + Duration::from_nanos(pause.as_nanos() as u64 / 512 * u64::from(share));
        tokio::time::sleep(pause).await;
        self.failed < self.patience.tries
    }
}

/// Where the bytes of a range go.
pub(super) enum Taker<'a> {
    All(&'a mut Vec<u8>),
    Pieces(&'a mut Pieces),
}

impl Taker<'_> {
    /// Gives some bytes; false when no more are wanted.
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

/// Why a try ended before the range did.
enum Cut {
    /// The store's failure, that may go by.
    Failed(StoreError),
    /// The body was shorter than it should be, or nothing came for too long.
    Short,
    Silent,
    /// Nobody wants more.
    Unwanted,
}

/// Gives the bytes of a range in order, as they come, until no more are wanted.
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
        Cut::Failed(error) => return object.bucket.told(Doing::Reading, url, &error),
        Cut::Silent => "the server sends nothing more",
        Cut::Short | Cut::Unwanted => "the server ends its answers early",
    };
    let what = format!("{what}, behind {at} of {size} bytes, however often it is asked");
    Error::new(ErrorKind::Input, what).at(url).advise("try again later")
}

/// Asks once for what is missing. An error that waiting does not help is the result's.
async fn attempt(object: &Object, at: &mut u64, end: u64, taker: &mut Taker<'_>) -> Result<Cut> {
    let ranged = object.is_ranged();
    let range = ranged.then_some(GetRange::Bounded(*at..end));
    let options = GetOptions { range, if_match: object.if_match(), ..GetOptions::default() };
    let got = match object.bucket.store.get_opts(&object.path, options).await {
        Ok(got) => got,
        Err(error) if is_passing(&error) => return Ok(Cut::Failed(error)),
        // It was there.
        Err(StoreError::Precondition { .. } | StoreError::NotFound { .. }) => return Err(object.changed()),
        Err(error) => return Err(object.bucket.told(Doing::Reading, object.url(), &error)),
    };
    if !object.is_same(&got.meta) {
        return Err(object.changed());
    }
    // A server without ranges begins anew.
    let mut before = if ranged { 0 } else { *at };
    let mut body = got.into_stream();
    while *at < end {
        let mut bytes = match tokio::time::timeout(object.bucket.patience.silence, body.next()).await {
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
