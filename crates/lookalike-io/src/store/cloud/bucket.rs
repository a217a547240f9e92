//! Opens a store with the `object_store` crate's builders, and with credentials from the usual places.

use std::{
    collections::BTreeMap,
    env,
    sync::{Arc, Mutex, Weak},
    time::Duration,
};

use object_store::{
    BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, resolve_bucket_region},
    azure::{AzureConfigKey, MicrosoftAzureBuilder},
    gcp::{GoogleCloudStorageBuilder, GoogleConfigKey},
    http::HttpBuilder,
    list::PaginatedListStore,
    multipart::MultipartStore,
};

use super::{
    errors::{Doing, Said, no_credentials, reported},
    location::{Kind, Location},
    profile::Profile,
    runtime::wait,
};
use crate::{
    error::{Error, ErrorKind, Result},
    lock::lock,
    store::PART,
};

/// A bucket that accepts requests.
pub(super) struct Bucket {
    pub(super) at: Location,
    pub(super) store: Arc<dyn ObjectStore>,
    /// A store that can list names by any prefix, not only by folders.
    pub(super) pages: Option<Arc<dyn PaginatedListStore>>,
    /// Uploads an object in parts; `None` if the store is read-only.
    pub(super) parts: Option<Arc<dyn MultipartStore>>,
    pub(super) patience: Patience,
    /// The number of bytes in one request.
    pub(super) part: u64,
}

/// The limits for repeating requests to a failing store.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// lookalike gives up after this many consecutive tries in which it received no byte.
    pub(super) tries: u32,
    /// The first pause. Each later pause is twice the one before, up to `last_pause`.
    pub(super) first_pause: Duration,
    pub(super) last_pause: Duration,
    /// The longest time without any data before a try ends.
    pub(super) silence: Duration,
}

impl Default for Patience {
    /// Returns the limits with which lookalike gives up after about three minutes. Each try itself repeats a request up to four
    /// times.
    fn default() -> Self {
        Self {
            tries: 10,
            first_pause: Duration::from_millis(100),
            last_pause: Duration::from_secs(30),
            silence: Duration::from_secs(30),
        }
    }
}

/// Returns how often a single request is repeated: so few times that a wrong URL is reported within seconds. Failures that last
/// longer are handled by [`Patience`].
fn retries() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(2),
        base: 2.0,
    };
    RetryConfig {
        backoff,
        max_retries: 4,
        retry_timeout: Duration::from_secs(60),
    }
}

/// The longest time that one request may take, including the transfer of all its bytes. The default of `object_store`, 30
/// seconds, is too short for a part over a slow line.
const REQUEST: &str = "120s";

/// The open buckets that are still in use: hundreds of objects of one bucket share one client.
static OPEN: Mutex<BTreeMap<String, Weak<Bucket>>> = Mutex::new(BTreeMap::new());

impl Bucket {
    /// Opens the store of a location. This sends no request, unless the bucket's region is unknown and must be requested.
    pub(super) fn open(at: &Location) -> Result<Arc<Self>> {
        if let Some(open) = lock(&OPEN).get(&at.store).and_then(Weak::upgrade) {
            return Ok(open);
        }
        let bucket = Arc::new(match at.kind {
            Kind::S3 => {
                let store = Arc::new(amazon(at)?);
                Self::of(at, store.clone(), Some(store.clone()), Some(store))
            }
            Kind::Google => {
                let timeout = GoogleConfigKey::Client(ClientConfigKey::Timeout);
                let builder = GoogleCloudStorageBuilder::from_env()
                    .with_bucket_name(&at.bucket)
                    .with_retry(retries());
                let store = Arc::new(
                    builder
                        .with_config(timeout, REQUEST)
                        .build()
                        .map_err(|error| unfit(at, &error))?,
                );
                Self::of(at, store.clone(), Some(store.clone()), Some(store))
            }
            Kind::Azure => {
                let timeout = AzureConfigKey::Client(ClientConfigKey::Timeout);
                let builder = MicrosoftAzureBuilder::from_env()
                    .with_url(&at.store)
                    .with_retry(retries());
                let store = Arc::new(
                    builder
                        .with_config(timeout, REQUEST)
                        .build()
                        .map_err(|error| unfit(at, &error))?,
                );
                Self::of(at, store.clone(), Some(store.clone()), Some(store))
            }
            Kind::Http => {
                let options = ClientOptions::new()
                    .with_allow_http(true)
                    .with_config(ClientConfigKey::Timeout, REQUEST);
                let builder = HttpBuilder::new()
                    .with_url(&at.store)
                    .with_client_options(options)
                    .with_retry(retries());
                let store = Arc::new(builder.build().map_err(|error| unfit(at, &error))?);
                Self::of(at, store, None, None)
            }
        });
        let mut open = lock(&OPEN);
        open.retain(|_, bucket| bucket.strong_count() > 0);
        open.insert(at.store.clone(), Arc::downgrade(&bucket));
        Ok(bucket)
    }

    pub(super) fn of(
        at: &Location,
        store: Arc<dyn ObjectStore>,
        pages: Option<Arc<dyn PaginatedListStore>>,
        parts: Option<Arc<dyn MultipartStore>>,
    ) -> Self {
        Self {
            at: Location {
                key: String::new(),
                ..at.clone()
            },
            store,
            pages,
            parts,
            patience: Patience::default(),
            part: PART,
        }
    }

    pub(super) fn reported(&self, doing: Doing, url: &str, error: &object_store::Error) -> Error {
        reported(doing, &self.at, url, error)
    }
}

/// Returns the error for a configuration from which no store can be built.
fn unfit(at: &Location, error: &object_store::Error) -> Error {
    reported(Doing::Reading, at, &at.url_of(""), error)
}

fn amazon(at: &Location) -> Result<AmazonS3> {
    use AmazonS3ConfigKey as Key;
    let set = |name: &str| env::var(name).is_ok_and(|value| !value.is_empty());
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(&at.bucket)
        .with_retry(retries());
    let profile = Profile::load()?;
    let given = |builder: &AmazonS3Builder, key: Key| {
        builder
            .get_config_value(&key)
            .is_some_and(|value| !value.is_empty())
    };
    // The environment's keys take precedence over those of the profile, as with the AWS tools. Keys from the two sources are
    // never mixed.
    if !given(&builder, Key::AccessKeyId) && !given(&builder, Key::SecretAccessKey) {
        let keys = [
            (Key::AccessKeyId, "aws_access_key_id"),
            (Key::SecretAccessKey, "aws_secret_access_key"),
            (Key::Token, "aws_session_token"),
        ];
        for (key, name) in keys {
            if let Some(value) = profile.get(name) {
                builder = builder.with_config(key, value);
            }
        }
    }
    if !given(&builder, Key::Region) {
        let region = env::var("AWS_DEFAULT_REGION")
            .ok()
            .or_else(|| profile.get("region").map(String::from));
        if let Some(region) = region.filter(|region| !region.is_empty()) {
            builder = builder.with_region(region);
        }
    }
    if !given(&builder, Key::Endpoint)
        && let Some(endpoint) = profile.get("endpoint_url")
    {
        builder = builder.with_endpoint(endpoint);
    }
    let endpoint = builder
        .get_config_value(&Key::S3Endpoint)
        .or_else(|| builder.get_config_value(&Key::Endpoint));
    // A user who sets an endpoint with http:// does so deliberately, so HTTP without encryption is allowed, unless the user has
    // set `AWS_ALLOW_HTTP`, which then decides.
    if endpoint
        .as_ref()
        .is_some_and(|endpoint| endpoint.starts_with("http://"))
        && !set("AWS_ALLOW_HTTP")
    {
        builder = builder.with_allow_http(true);
    }
    let known = given(&builder, Key::AccessKeyId)
        || given(&builder, Key::WebIdentityTokenFile)
        || [
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        ]
        .iter()
        .any(|name| set(name))
        || builder
            .get_config_value(&Key::SkipSignature)
            .is_some_and(|value| value == "true");
    if !known {
        refuse_without_credentials(at, &profile)?;
    }
    if !given(&builder, Key::Region) && endpoint.is_none() {
        builder = builder.with_region(region_of(&at.bucket)?);
    }
    builder
        .with_config(Key::Client(ClientConfigKey::Timeout), REQUEST)
        .build()
        .map_err(|error| unfit(at, &error))
}

/// Called if no keys were found. Fails if the profile's source of credentials is not supported, or if the environment disables
/// the metadata service of the machine (`AWS_EC2_METADATA_DISABLED`). In all other cases this succeeds, because the machine may
/// have a role, for which that service provides credentials.
fn refuse_without_credentials(at: &Location, profile: &Profile) -> Result<()> {
    let refuse = |(what, advice): Said| {
        Err(Error::new(ErrorKind::Input, what)
            .at(at.url_of(""))
            .advise(advice))
    };
    if let Some(way) = profile.other_way() {
        let what = format!(
            "the profile gets its credentials from {way}, which lookalike does not support"
        );
        let advice = "run `eval \"$(aws configure export-credentials --format env)\"` first";
        return refuse((what.into(), advice.into()));
    }
    if env::var("AWS_EC2_METADATA_DISABLED").is_ok_and(|value| value.eq_ignore_ascii_case("true")) {
        return refuse(no_credentials(Kind::S3));
    }
    Ok(())
}

/// Requests the region of a bucket from the server; returns the default region if there is no answer in time.
fn region_of(bucket: &str) -> Result<String> {
    const LONGEST: Duration = Duration::from_secs(5);
    const USUAL: &str = "us-east-1";
    let options = ClientOptions::new();
    let asked = wait(async {
        tokio::time::timeout(LONGEST, resolve_bucket_region(bucket, &options)).await
    })?;
    Ok(asked
        .ok()
        .and_then(|answer| answer.ok())
        .unwrap_or_else(|| USUAL.into()))
}
