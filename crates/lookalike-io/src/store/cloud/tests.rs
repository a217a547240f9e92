//! Tests with a store in memory that fails in various ways, determined by a seed.

use std::{
    collections::BTreeMap,
    fmt,
    io::{Read, Write},
    ops::Range,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartId,
    MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, PutMultipartOptions, PutOptions,
    PutPayload, PutResult, Result,
    memory::InMemory,
    multipart::{MultipartStore, PartId},
    path::Path,
};
use proptest::prelude::*;

use super::{
    bucket::{Bucket, Patience},
    errors::{Doing, is_passing, reported},
    listing::expand_in,
    location::Location,
    object::Object,
    runtime::wait,
    upload::Upload,
};
use crate::{lock::lock, store::is_url};

/// A store whose requests fail temporarily.
#[derive(Debug)]
struct Flaky {
    inner: InMemory,
    random: Mutex<u64>,
    /// One in `one_in` requests fails; none if it is 0.
    one_in: u64,
    failed: AtomicUsize,
    /// The parts of unfinished uploads.
    uploads: Mutex<BTreeMap<String, BTreeMap<usize, PutPayload>>>,
}

impl fmt::Display for Flaky {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("flaky")
    }
}

impl Flaky {
    fn new(seed: u64, one_in: u64) -> Arc<Self> {
        let (random, failed, uploads) = (Mutex::new(seed), AtomicUsize::new(0), Mutex::default());
        Arc::new(Self {
            inner: InMemory::new(),
            random,
            one_in,
            failed,
            uploads,
        })
    }

    /// Returns a random number below `below`.
    fn draw(&self, below: u64) -> u64 {
        let mut state = lock(&self.random);
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % below
    }

    fn fails(&self) -> bool {
        let fails = self.one_in > 0 && self.draw(self.one_in) == 0;
        self.failed.fetch_add(usize::from(fails), Ordering::Relaxed);
        fails
    }

    fn failure(&self) -> Error {
        let words = [
            "Server returned non-2xx status code: 503 Service Unavailable: SlowDown",
            "connection closed before message",
        ];
        Error::Generic {
            store: "flaky",
            source: words[self.draw(2) as usize].into(),
        }
    }
}

#[async_trait]
impl ObjectStore for Flaky {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.inner.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        if !options.head && self.fails() {
            return Err(self.failure());
        }
        // The tags of the store in memory have no quotes.
        let if_match = options
            .if_match
            .map(|etag| etag.trim_matches('"').to_string());
        let (head, options) = (
            options.head,
            GetOptions {
                if_match,
                ..options
            },
        );
        let got = self.inner.get_opts(path, options).await?;
        if head {
            return Ok(got);
        }
        let (meta, range, attributes) =
            (got.meta.clone(), got.range.clone(), got.attributes.clone());
        let bytes = got.bytes().await?;
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let end = bytes.len().min(at + 1 + self.draw(300) as usize);
            pieces.push(Ok(bytes.slice(at..end)));
            at = end;
        }
        if self.fails() {
            pieces.truncate(self.draw(pieces.len() as u64 + 1) as usize);
            match self.draw(3) {
                0 => pieces.push(Err(self.failure())),
                1 => {}
                // Nothing more ever arrives.
                _ => {
                    let payload = GetResultPayload::Stream(
                        stream::iter(pieces).chain(stream::pending()).boxed(),
                    );
                    return Ok(GetResult {
                        payload,
                        meta,
                        range,
                        attributes,
                    });
                }
            }
        }
        Ok(GetResult {
            payload: GetResultPayload::Stream(stream::iter(pieces).boxed()),
            meta,
            range,
            attributes,
        })
    }

    fn delete_stream(
        &self,
        locations: stream::BoxStream<'static, Result<Path>>,
    ) -> stream::BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> stream::BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

#[async_trait]
impl MultipartStore for Flaky {
    async fn create_multipart(&self, path: &Path) -> Result<MultipartId> {
        lock(&self.uploads).insert(path.to_string(), BTreeMap::new());
        Ok(path.to_string())
    }

    async fn put_part(
        &self,
        _: &Path,
        id: &MultipartId,
        number: usize,
        data: PutPayload,
    ) -> Result<PartId> {
        if self.fails() {
            return Err(self.failure());
        }
        lock(&self.uploads)
            .get_mut(id)
            .unwrap()
            .insert(number, data);
        // Sometimes the work is done, but the answer is lost.
        if self.fails() {
            Err(self.failure())
        } else {
            Ok(PartId {
                content_id: number.to_string(),
            })
        }
    }

    async fn complete_multipart(
        &self,
        path: &Path,
        id: &MultipartId,
        parts: Vec<PartId>,
    ) -> Result<PutResult> {
        let Some(there) = lock(&self.uploads).remove(id) else {
            return Err(Error::NotFound {
                path: path.to_string(),
                source: "NoSuchUpload".into(),
            });
        };
        assert!(
            parts
                .iter()
                .map(|part| part.content_id.clone())
                .eq((0..there.len()).map(|number| number.to_string()))
        );
        let done = self
            .inner
            .put(
                path,
                there
                    .into_values()
                    .flat_map(|part| part.as_ref().to_vec())
                    .collect(),
            )
            .await?;
        if self.fails() {
            Err(self.failure())
        } else {
            Ok(done)
        }
    }

    async fn abort_multipart(&self, _: &Path, id: &MultipartId) -> Result<()> {
        lock(&self.uploads).remove(id);
        Ok(())
    }
}

fn bucket(store: &Arc<Flaky>, part: u64) -> Arc<Bucket> {
    let at = Location::parse("s3://bucket/").unwrap();
    let patience = Patience {
        tries: 50,
        first_pause: Duration::from_micros(10),
        last_pause: Duration::from_micros(100),
        silence: Duration::from_millis(5),
    };
    Arc::new(Bucket {
        patience,
        part,
        ..Bucket::of(&at, store.clone(), None, Some(store.clone()))
    })
}

fn put(store: &Flaky, key: &str, bytes: &[u8]) {
    wait(store.inner.put(
        &Path::parse(key).unwrap(),
        Bytes::copy_from_slice(bytes).into(),
    ))
    .unwrap()
    .unwrap();
}

fn content(store: &Flaky, key: &str) -> Option<Vec<u8>> {
    let got = wait(async {
        store
            .inner
            .get(&Path::parse(key).unwrap())
            .await?
            .bytes()
            .await
    })
    .unwrap();
    got.ok().map(Vec::from)
}

fn find(bucket: &Arc<Bucket>, key: &str) -> Arc<Object> {
    Arc::new(
        wait(Object::find(bucket, &Path::parse(key).unwrap()))
            .unwrap()
            .unwrap(),
    )
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length as u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(64)))]

    #[test]
    fn a_stream_gives_all_bytes_in_order_despite_failures(
        length in prop_oneof![Just(0usize), 1usize..20_000],
        part in 1u64..5_000,
        seed: u64,
        one_in in prop_oneof![Just(0u64), 2u64..10],
        at_once in 1usize..3_000,
    ) {
        let part = part.max(length as u64 / 50);
        let store = Flaky::new(seed, one_in);
        let expected = bytes(length);
        put(&store, "a/b.jsonl", &expected);
        let object = find(&bucket(&store, part), "a/b.jsonl");
        prop_assert_eq!(object.size(), length as u64);
        let mut stream = object.stream();
        let (mut read, mut buffer) = (Vec::new(), vec![0; at_once]);
        loop {
            match stream.read(&mut buffer).unwrap() {
                0 => break,
                n => read.extend_from_slice(&buffer[..n]),
            }
        }
        prop_assert!(read == expected);
    }

    #[test]
    fn ranges_return_the_requested_bytes(
        ranges in prop::collection::vec((0u64..9_000, 0u64..3_000), 0..12),
        seed: u64,
    ) {
        let store = Flaky::new(seed, 4);
        let expected = bytes(10_000);
        put(&store, "a", &expected);
        let object = find(&bucket(&store, 1000), "a");
        let ranges: Vec<Range<u64>> = ranges.into_iter().map(|(start, length)| start..(start + length).min(10_000)).collect();
        let read = object.read_ranges(&ranges).unwrap();
        for (range, bytes) in ranges.iter().zip(&read) {
            prop_assert!(bytes == &expected[range.start as usize..range.end as usize]);
        }
        prop_assert_eq!(read.len(), ranges.len());
        prop_assert!(object.read_at(9_999..10_001).unwrap_err().to_string().contains("truncated"));
    }

    #[test]
    fn an_upload_is_visible_only_after_it_is_published(
        length in prop_oneof![Just(0usize), 1usize..20_000],
        part in 1_000u64..6_000,
        seed: u64,
        at_once in 1usize..9_000,
        publish: bool,
        seal: bool,
    ) {
        let store = Flaky::new(seed, 4);
        put(&store, "out", b"earlier");
        let expected = bytes(length);
        let mut upload = Upload::in_bucket(&bucket(&store, 1), "out", part).unwrap();
        for bytes in expected.chunks(at_once) {
            upload.write_all(bytes).unwrap();
        }
        prop_assert_eq!(content(&store, "out").unwrap(), b"earlier");
        if publish || seal {
            let uploaded = upload.seal().unwrap();
            prop_assert_eq!(content(&store, "out").unwrap(), b"earlier");
            if publish {
                uploaded.publish().unwrap();
                prop_assert!(content(&store, "out").unwrap() == expected);
                return Ok(());
            }
        } else {
            drop(upload);
        }
        prop_assert_eq!(content(&store, "out").unwrap(), b"earlier");
        prop_assert!(lock(&store.uploads).is_empty());
    }
}

#[test]
fn versions_of_a_changing_object_are_never_mixed() {
    let store = Flaky::new(1, 0);
    put(&store, "a", &[b'x'; 100_000]);
    let object = find(&bucket(&store, 10), "a");
    let mut stream = object.stream();
    let mut buffer = [0; 1000];
    let n = stream.read(&mut buffer).unwrap();
    put(&store, "a", &[b'y'; 100_000]);
    let mut rest = Vec::new();
    let error = stream.read_to_end(&mut rest).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("s3://bucket/a: changed while it was being read"),
        "{error}"
    );
    assert!(buffer[..n].iter().chain(&rest).all(|&byte| byte == b'x'));
    assert!(
        object
            .read_at(0..5)
            .unwrap_err()
            .to_string()
            .contains("changed")
    );
}

#[test]
fn a_store_that_always_fails_is_an_error() {
    let store = Flaky::new(1, 1);
    put(&store, "a", b"some bytes");
    let object = find(&bucket(&store, 10), "a");
    let error = object.stream().read_to_end(&mut Vec::new()).unwrap_err();
    assert!(error.to_string().starts_with("s3://bucket/a: "), "{error}");
    assert!(store.failed.load(Ordering::Relaxed) >= 50);
}

#[test]
fn failures_are_reported_with_the_message_of_the_store() {
    let reported = |url: &str, doing: Doing, words: &str| {
        let error = Error::Generic {
            store: "S3",
            source: words.into(),
        };
        (
            reported(doing, &Location::parse(url).unwrap(), "U", &error).to_string(),
            is_passing(&error),
        )
    };
    let tried = "Error performing GET https://h/x in 2.1s, after 10 retries, max_retries: 10, retry_timeout: 180s";
    let status = |words: &str| format!("Server returned non-2xx status code: {words}");
    for (doing, words, part, passing) in [
        (Doing::Reading, status("400 Bad Request: <Code>ExpiredToken</Code>"), "credentials have expired", false),
        (Doing::Reading, status("403 Forbidden: <Code>RequestTimeTooSkewed</Code>"), "clock is wrong", false),
        (Doing::Reading, status("403 Forbidden: <Code>InvalidAccessKeyId</Code>"), "does not know this access key", false),
        (Doing::Reading, status("403 Forbidden: <Code>SignatureDoesNotMatch</Code>"), "AWS_SECRET_ACCESS_KEY", false),
        (Doing::Listing, status("403 Forbidden: "), "s3:ListBucket", false),
        (Doing::Listing, status("301 Moved: <Region>eu-west-3</Region>"), "set AWS_REGION to eu-west-3", false),
        (
            Doing::Reading,
            "Received redirect without LOCATION, this normally indicates an incorrectly configured region".into(),
            "another region",
            false,
        ),
        (Doing::Writing, status("404 Not Found: <Code>NoSuchUpload</Code>"), "deleted the parts", false),
        (
            Doing::Writing,
            status("503 Slow Down: "),
            "U: cannot be written: the server failed (HTTP status 503), even after retries; try again later",
            true,
        ),
        (
            Doing::Reading,
            format!("{tried} - {}", status("500 Internal Server Error: timeout")),
            "U: cannot be read: the server failed (HTTP status 500), even after retries; try again later",
            true,
        ),
        (Doing::Reading, status("429 Too Many Requests: "), "U: cannot be read: the server is too busy (HTTP status 429)", true),
        (Doing::Reading, format!("{tried} - {}", status("400 Bad Request: ")), "U: cannot be read: Generic S3 error", false),
        (Doing::Reading, "error sending request: tcp connect error: Connection refused".into(), "does not answer", true),
        (Doing::Reading, "error sending request: operation timed out".into(), "too slow", true),
        (Doing::Reading, "invalid peer certificate: UnknownIssuer".into(), "SSL_CERT_FILE", false),
        (
            Doing::Reading,
            "error sending request for url (http://169.254.169.254/latest/api/token)".into(),
            "no credentials found",
            true,
        ),
    ] {
        let (reported, passes) = reported("s3://bucket/a", doing, &words);
        assert!(reported.contains(part), "{reported}");
        assert_eq!(passes, passing, "{words}");
    }
    let (reported, _) = reported(
        "https://h/x?sig=secret",
        Doing::Reading,
        "GET https://h/x?sig=secret went wrong",
    );
    assert!(
        reported.contains("GET https://h/x went wrong") && !reported.contains("secret"),
        "{reported}"
    );
}

#[test]
fn a_file_is_not_a_url() {
    assert!(is_url("s3://b/k") && is_url("HTTPS://h") && is_url("hdfs://h"));
    assert!(!is_url("a/b.jsonl") && !is_url("://x") && !is_url("a b://x") && !is_url("C:/x"));
}

#[test]
fn folders_and_globs_in_a_table() {
    let store = Flaky::new(1, 0);
    let keys = [
        "top.jsonl",
        "a-b/c.jsonl",
        "a/z.jsonl",
        "a/b/c.JSONL.zst",
        "a/b/kept.decisions.jsonl",
        "a/.hidden/x.jsonl",
        "a/notes.txt",
        "a/[1].jsonl",
        "a.jsonl",
    ];
    keys.iter().for_each(|key| put(&store, key, b"x"));
    let bucket = bucket(&store, 10);
    let wanted = |name: &str| name.contains(".jsonl") && !name.contains("decisions");
    let expand = |key: &str| {
        let found = expand_in(&bucket, key, &format!("s3://bucket/{key}"), wanted);
        found.map(|found| {
            found
                .iter()
                .map(|object| object.url()["s3://bucket/".len()..].to_string())
                .collect::<Vec<_>>()
        })
    };
    let table: [(&str, &[&str]); 11] = [
        (
            "",
            &[
                "a/[1].jsonl",
                "a/b/c.JSONL.zst",
                "a/z.jsonl",
                "a-b/c.jsonl",
                "a.jsonl",
                "top.jsonl",
            ],
        ),
        ("a", &["a/[1].jsonl", "a/b/c.JSONL.zst", "a/z.jsonl"]),
        ("a/", &["a/[1].jsonl", "a/b/c.JSONL.zst", "a/z.jsonl"]),
        ("a.jsonl", &["a.jsonl"]),
        ("a/notes.txt", &["a/notes.txt"]),
        ("a*/c.jsonl", &["a-b/c.jsonl"]),
        ("a/*.jsonl", &["a/[1].jsonl", "a/z.jsonl"]),
        ("a/?.jsonl", &["a/z.jsonl"]),
        ("a/[1].jsonl", &["a/[1].jsonl"]),
        ("**/c.*", &["a/b/c.JSONL.zst", "a-b/c.jsonl"]),
        (
            "a/**",
            &[
                "a/.hidden/x.jsonl",
                "a/[1].jsonl",
                "a/b/c.JSONL.zst",
                "a/b/kept.decisions.jsonl",
                "a/notes.txt",
                "a/z.jsonl",
            ],
        ),
    ];
    for (key, found) in table {
        assert_eq!(expand(key).unwrap(), found, "{key}");
    }
    for (key, reported) in [
        ("b", "s3://bucket/b: no such object"),
        ("b/", "s3://bucket/b/: no .jsonl"),
        ("b*", "s3://bucket/b*: no object matches"),
        ("a/[", "not a glob"),
        ("a//b", "is not a valid name"),
    ] {
        let error = expand(key).unwrap_err().to_string();
        assert!(error.contains(reported), "{error}");
    }
}

/// Returns an object of a store that fails now and then, and a function that counts the failures.
#[cfg(feature = "tables")]
pub(crate) fn of_a_flaky_store(bytes: &[u8]) -> (Arc<Object>, impl Fn() -> usize + use<>) {
    let store = Flaky::new(7, 3);
    put(&store, "a", bytes);
    let object = find(&bucket(&store, 100_000), "a");
    (object, move || store.failed.load(Ordering::Relaxed))
}
