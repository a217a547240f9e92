//! An object in the making. Its parts go to the store while more is written; under its name it appears when the store is told that
//! they are all, and not before.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use object_store::{
    ObjectMeta, ObjectStoreExt, PutPayload,
    multipart::{MultipartStore, PartId},
    path::Path,
};
use tokio::task::JoinHandle;

use super::{
    bucket::Bucket,
    errors::{Doing, is_passing},
    fetching::Tries,
    location::{Kind, Location},
    runtime::{handle, wait},
};
use crate::{
    error::{Error, ErrorKind, Result},
    store::{UPLOAD_PART, UPLOADS, shown::shown},
    words,
};

/// Stores take ten thousand parts, and some want all but the last of one size. So they are of one size for the first 64 GB, and
/// then so large that 500 GB more fit.
const EQUAL_PARTS: usize = 8000;
const LATE_PART: u64 = 256 << 20;
const MOST_PARTS: usize = 10_000;

/// How long an upload that is given up may take to say so.
const LAST_WORD: Duration = Duration::from_secs(10);

/// An object in the making. Dropped, it is given up, and nothing is there.
pub struct Upload {
    url: String,
    part: u64,
    filled: Vec<u8>,
    written: u64,
    /// Parts on their way, in order.
    sending: VecDeque<JoinHandle<Result<PartId>>>,
    sent: Vec<PartId>,
    upload: Begun,
}

/// What a store needs to be told with every request.
#[derive(Clone)]
struct Begun {
    bucket: Arc<Bucket>,
    store: Arc<dyn MultipartStore>,
    path: Path,
    id: String,
    over: bool,
}

/// An object all of whose parts are in the store, and that lacks its name.
pub struct Uploaded {
    upload: Upload,
    /// What has the name now.
    before: Option<ObjectMeta>,
}

impl Upload {
    /// Begins an object: who may not write hears it now.
    pub(crate) fn create(url: &str) -> Result<Self> {
        let at = Location::parse(url).map_err(|error| error.of_kind(ErrorKind::Output))?;
        let refuse = |what: &'static str, advice: &'static str| {
            let refused = Error::new(ErrorKind::Output, words!["cannot be written: ", what]);
            Err(refused.at(shown(url)).advise(advice))
        };
        if at.kind == Kind::Http {
            return refuse("web servers are only read", "write to s3://, gs://, az:// or a file");
        }
        if at.key.is_empty() || at.key.ends_with('/') {
            return refuse("it is a bucket or a folder", "give the name of an object");
        }
        let bucket = Bucket::open(&at).map_err(|error| error.of_kind(ErrorKind::Output))?;
        Self::in_bucket(&bucket, &at.key, UPLOAD_PART)
    }

    pub(super) fn in_bucket(bucket: &Arc<Bucket>, key: &str, part: u64) -> Result<Self> {
        let url = shown(&bucket.at.url_of(key));
        let told = |error: object_store::Error| bucket.told(Doing::Writing, &url, &error);
        let path = Path::parse(key).map_err(|error| told(error.into()))?;
        let Some(store) = bucket.parts.clone() else {
            return Err(Error::new(ErrorKind::Output, "cannot be written: the store takes no parts").at(url));
        };
        let id = wait(store.create_multipart(&path))?.map_err(told)?;
        let upload = Begun { bucket: bucket.clone(), store, path, id, over: false };
        Ok(Self { url, part, filled: Vec::new(), written: 0, sending: VecDeque::new(), sent: Vec::new(), upload })
    }

    /// Bytes of the next part.
    fn part_size(&self) -> u64 {
        if self.begun() < EQUAL_PARTS { self.part } else { self.part.max(LATE_PART) }
    }

    fn begun(&self) -> usize {
        self.sent.len() + self.sending.len()
    }

    /// Sends what is filled; waits while too many are on their way.
    fn send(&mut self) -> Result<()> {
        let number = self.begun();
        if number == MOST_PARTS {
            let refused = Error::new(ErrorKind::Output, "is larger than the store takes").at(&*self.url);
            return Err(refused.advise("write several outputs"));
        }
        // Large ones go one by one.
        let most = if number < EQUAL_PARTS { UPLOADS as usize } else { 1 };
        while self.sending.len() >= most {
            self.wait_for_one()?;
        }
        let room = self.part_size().min(self.filled.len() as u64 * 2) as usize;
        let payload = PutPayload::from(std::mem::replace(&mut self.filled, Vec::with_capacity(room)));
        let (upload, url) = (self.upload.clone(), self.url.clone());
        self.sending.push_back(handle()?.spawn(async move { upload.put(number, payload, &url).await }));
        Ok(())
    }

    fn wait_for_one(&mut self) -> Result<()> {
        let Some(part) = self.sending.pop_front() else { return Ok(()) };
        let sent = wait(part)?.map_err(|error| {
            let failure = Error::new(ErrorKind::Internal, format!("was given up in the middle: {error}")).at(&*self.url);
            failure.advise("please report it").because(error)
        })?;
        self.sent.push(sent?);
        Ok(())
    }

    /// Sees that all parts are in the store.
    pub(crate) fn settle(mut self) -> Result<Uploaded> {
        if !self.filled.is_empty() {
            self.send()?;
        }
        while !self.sending.is_empty() {
            self.wait_for_one()?;
        }
        let before = wait(self.upload.bucket.store.head(&self.upload.path))?;
        Ok(Uploaded { upload: self, before: before.ok() })
    }
}

impl Begun {
    async fn put(&self, number: usize, payload: PutPayload, url: &str) -> Result<PartId> {
        let mut tries = Tries::new(self.bucket.patience);
        loop {
            match self.store.put_part(&self.path, &self.id, number, payload.clone()).await {
                Ok(part) => return Ok(part),
                Err(error) if is_passing(&error) && tries.pause().await => {}
                Err(error) => return Err(self.bucket.told(Doing::Writing, url, &error)),
            }
        }
    }

    async fn complete(&self, parts: &[PartId]) -> object_store::Result<()> {
        let mut tries = Tries::new(self.bucket.patience);
        loop {
            match self.store.complete_multipart(&self.path, &self.id, parts.to_vec()).await {
                Ok(_) => return Ok(()),
                Err(error) if is_passing(&error) && tries.pause().await => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Uploaded {
    /// The URL that was asked for, as it may be shown.
    pub(crate) fn url(&self) -> &str {
        &self.upload.url
    }

    /// Gives the object its name.
    pub(crate) fn publish(mut self) -> Result<()> {
        let Upload { upload, sent, written, url, .. } = &mut self.upload;
        let completed = wait(upload.complete(sent))?;
        if let Err(error) = completed {
            // An answer may be lost, and the upload is gone when it is asked for again: what has the name now tells.
            let now = wait(upload.bucket.store.head(&upload.path))?;
            let is_new = |now: &ObjectMeta| {
                self.before.as_ref().is_none_or(|before| (&now.e_tag, now.last_modified) != (&before.e_tag, before.last_modified))
            };
            if !now.is_ok_and(|now| now.size == *written && is_new(&now)) {
                return Err(upload.bucket.told(Doing::Writing, url, &error));
            }
        }
        upload.over = true;
        Ok(())
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = (self.part_size() as usize).saturating_sub(self.filled.len());
        let taken = &bytes[..bytes.len().min(room)];
        self.filled.extend_from_slice(taken);
        self.written += taken.len() as u64;
        if self.filled.len() as u64 >= self.part_size() {
            self.send().map_err(io::Error::other)?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload {
    /// What was sent is thrown away, if the store can be told.
    fn drop(&mut self) {
        self.sending.iter().for_each(JoinHandle::abort);
        if !self.upload.over {
            let told = async {
                tokio::time::timeout(LAST_WORD, self.upload.store.abort_multipart(&self.upload.path, &self.upload.id)).await
            };
            // Nobody is told here; stores can be set to throw old parts away by themselves.
            _ = wait(told);
        }
    }
}
