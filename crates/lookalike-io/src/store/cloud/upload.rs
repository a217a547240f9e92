//! Writes an object. Parts are sent to the store while later parts are still being written. The object appears under its name
//! only when the upload is completed.

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

/// The number of parts that have the same size. Stores accept ten thousand parts, and some stores require one size for all parts
/// except the last. The parts of the first 64 GB therefore have the same size. If an object is larger, its later parts are larger
/// too, so that it can have another 500 GB.
const EQUAL_PARTS: usize = 8000;
const LATE_PART: u64 = 256 << 20;
const MOST_PARTS: usize = 10_000;

/// The longest time for aborting an upload.
const LAST_WORD: Duration = Duration::from_secs(10);

/// An object that is being written. If it is dropped, the upload is aborted and no object appears.
pub struct Upload {
    url: String,
    part: u64,
    filled: Vec<u8>,
    written: u64,
    /// The parts in flight, in order.
    sending: VecDeque<JoinHandle<Result<PartId>>>,
    sent: Vec<PartId>,
    upload: Begun,
}

/// The data that each request for an upload needs.
#[derive(Clone)]
struct Begun {
    bucket: Arc<Bucket>,
    store: Arc<dyn MultipartStore>,
    path: Path,
    id: String,
    over: bool,
}

/// An object whose parts are all in the store, but which does not have its name yet.
pub struct Uploaded {
    upload: Upload,
    /// The object that already had this name when the last part reached the store, if there was one.
    before: Option<ObjectMeta>,
}

impl Upload {
    /// Begins the upload of an object, so that missing permissions are reported immediately.
    pub(crate) fn create(url: &str) -> Result<Self> {
        let at = Location::parse(url).map_err(|error| error.of_kind(ErrorKind::Output))?;
        let refuse = |what: &'static str, advice: &'static str| {
            let refused = Error::new(ErrorKind::Output, words!["cannot be written: ", what]);
            Err(refused.at(shown(url)).advise(advice))
        };
        if at.kind == Kind::Http {
            return refuse(
                "web servers can only be read",
                "write to s3://, gs://, az:// or a file",
            );
        }
        if at.key.is_empty() || at.key.ends_with('/') {
            return refuse("it is a bucket or a folder", "give the name of an object");
        }
        let bucket = Bucket::open(&at).map_err(|error| error.of_kind(ErrorKind::Output))?;
        Self::in_bucket(&bucket, &at.key, UPLOAD_PART)
    }

    pub(super) fn in_bucket(bucket: &Arc<Bucket>, key: &str, part: u64) -> Result<Self> {
        let url = shown(&bucket.at.url_of(key));
        let reported = |error: object_store::Error| bucket.reported(Doing::Writing, &url, &error);
        let path = Path::parse(key).map_err(|error| reported(error.into()))?;
        let Some(store) = bucket.parts.clone() else {
            return Err(Error::new(
                ErrorKind::Output,
                "cannot be written: the store does not accept uploads in parts",
            )
            .at(url));
        };
        let id = wait(store.create_multipart(&path))?.map_err(reported)?;
        let upload = Begun {
            bucket: bucket.clone(),
            store,
            path,
            id,
            over: false,
        };
        Ok(Self {
            url,
            part,
            filled: Vec::new(),
            written: 0,
            sending: VecDeque::new(),
            sent: Vec::new(),
            upload,
        })
    }

    /// Returns the number of bytes of the next part.
    fn part_size(&self) -> u64 {
        if self.begun() < EQUAL_PARTS {
            self.part
        } else {
            self.part.max(LATE_PART)
        }
    }

    fn begun(&self) -> usize {
        self.sent.len() + self.sending.len()
    }

    /// Sends the filled part; waits while too many parts are in flight.
    fn send(&mut self) -> Result<()> {
        let number = self.begun();
        if number == MOST_PARTS {
            let refused =
                Error::new(ErrorKind::Output, "is larger than the store allows").at(&*self.url);
            return Err(refused.advise("write several outputs"));
        }
        // Large parts are sent one at a time.
        let most = if number < EQUAL_PARTS {
            UPLOADS as usize
        } else {
            1
        };
        while self.sending.len() >= most {
            self.wait_for_one()?;
        }
        let free = self.part_size().min(self.filled.len() as u64 * 2) as usize;
        let payload = PutPayload::from(std::mem::replace(
            &mut self.filled,
            Vec::with_capacity(free),
        ));
        let (upload, url) = (self.upload.clone(), self.url.clone());
        self.sending
            .push_back(handle()?.spawn(async move { upload.put(number, payload, &url).await }));
        Ok(())
    }

    fn wait_for_one(&mut self) -> Result<()> {
        let Some(part) = self.sending.pop_front() else {
            return Ok(());
        };
        let sent = wait(part)?.map_err(|error| {
            let failure = Error::new(
                ErrorKind::Internal,
                format!("was abandoned in the middle: {error}"),
            )
            .at(&*self.url);
            failure.advise("please report it").because(error)
        })?;
        self.sent.push(sent?);
        Ok(())
    }

    /// Waits until all parts are in the store.
    pub(crate) fn seal(mut self) -> Result<Uploaded> {
        if !self.filled.is_empty() {
            self.send()?;
        }
        while !self.sending.is_empty() {
            self.wait_for_one()?;
        }
        let before = wait(self.upload.bucket.store.head(&self.upload.path))?;
        Ok(Uploaded {
            upload: self,
            before: before.ok(),
        })
    }
}

impl Begun {
    async fn put(&self, number: usize, payload: PutPayload, url: &str) -> Result<PartId> {
        let mut tries = Tries::new(self.bucket.patience);
        loop {
            match self
                .store
                .put_part(&self.path, &self.id, number, payload.clone())
                .await
            {
                Ok(part) => return Ok(part),
                Err(error) if is_passing(&error) && tries.pause().await => {}
                Err(error) => return Err(self.bucket.reported(Doing::Writing, url, &error)),
            }
        }
    }

    async fn complete(&self, parts: &[PartId]) -> object_store::Result<()> {
        let mut tries = Tries::new(self.bucket.patience);
        loop {
            match self
                .store
                .complete_multipart(&self.path, &self.id, parts.to_vec())
                .await
            {
                Ok(_) => return Ok(()),
                Err(error) if is_passing(&error) && tries.pause().await => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Uploaded {
    /// Returns the printable URL of the object.
    pub(crate) fn url(&self) -> &str {
        &self.upload.url
    }

    /// Gives the object its name.
    pub(crate) fn publish(mut self) -> Result<()> {
        let Upload {
            upload,
            sent,
            written,
            url,
            ..
        } = &mut self.upload;
        let completed = wait(upload.complete(sent))?;
        if let Err(error) = completed {
            // The answer to the first request may have been lost; a repeated request then finds no upload any more. The object
            // that now has the name shows whether the first request succeeded.
            let now = wait(upload.bucket.store.head(&upload.path))?;
            let is_new = |now: &ObjectMeta| {
                self.before.as_ref().is_none_or(|before| {
                    (&now.e_tag, now.last_modified) != (&before.e_tag, before.last_modified)
                })
            };
            if !now.is_ok_and(|now| now.size == *written && is_new(&now)) {
                return Err(upload.bucket.reported(Doing::Writing, url, &error));
            }
        }
        upload.over = true;
        Ok(())
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let free = (self.part_size() as usize).saturating_sub(self.filled.len());
        let taken = &bytes[..bytes.len().min(free)];
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
    /// Discards the parts that were sent, if the store can be reached.
    fn drop(&mut self) {
        self.sending.iter().for_each(JoinHandle::abort);
        if !self.upload.over {
            let reported = async {
                tokio::time::timeout(
                    LAST_WORD,
                    self.upload
                        .store
                        .abort_multipart(&self.upload.path, &self.upload.id),
                )
                .await
            };
            // A failure is not reported here; stores can be configured to delete old parts automatically.
            _ = wait(reported);
        }
    }
}
