//! Turns a store's failures into errors: what failed, for which URL, and what to do. If the store returns its own error code, the
//! message depends on that code.

use std::{error::Error as _, fmt};

use object_store::Error as StoreError;

use super::location::{Kind, Location};
use crate::{
    error::{Error, ErrorKind, Words},
    store::shown::shown,
};

/// The operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Reading,
    Listing,
    Writing,
}

/// Returns the message of a failure and of all its causes.
pub(super) fn chain(error: &StoreError) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let more = inner.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = inner.source();
    }
    words
}

/// Returns the HTTP status of the answer, if there was one.
fn status(words: &str) -> Option<u16> {
    words.split("status code: ").nth(1)?.get(..3)?.parse().ok()
}

/// Returns whether a failure may be temporary: a server that fails or is busy, or a connection that was cut or timed out.
pub(super) fn is_passing(error: &StoreError) -> bool {
    let StoreError::Generic { .. } = error else {
        return false;
    };
    let words = chain(error);
    match status(&words) {
        Some(status) => status >= 500 || status == 408 || status == 429,
        // Waiting does not fix certificates or credentials.
        None => ![
            "certificate",
            "Certificate",
            "credential",
            "BareRedirect",
            "redirect",
        ]
        .iter()
        .any(|word| words.contains(word)),
    }
}

/// Describes what is wrong (first part) and what the user can do (second part).
pub(super) type Said = (Words, Words);

fn said(what: impl Into<Words>, advice: impl Into<Words>) -> Said {
    (what.into(), advice.into())
}

/// Returns the error for the user. `url` is the printable URL of the object.
pub(super) fn reported(doing: Doing, at: &Location, url: &str, error: &StoreError) -> Error {
    let words = chain(error);
    let kind = if doing == Doing::Writing {
        ErrorKind::Output
    } else {
        ErrorKind::Input
    };
    if let Some((what, advice)) = no_bucket(at, &words) {
        return Error::new(kind, what)
            .at(url)
            .advise(advice)
            .because(NoBucket);
    }
    let (what, advice) = by_code(doing, at, &words)
        .or_else(|| matches!(status(&words), Some(401 | 403)).then(|| denied(doing, at.kind)))
        .or_else(|| by_kind(doing, at, error))
        .or_else(|| by_status(doing, &words))
        .or_else(|| by_connection(at, &words))
        .unwrap_or_else(|| {
            let what = cannot(doing);
            let short = words.split("<?xml").next().unwrap_or(&words).trim();
            // A signature must not be shown.
            let query = at.store.split_once('?').map_or("", |(_, query)| query);
            let short = if at.kind == Kind::Http {
                short.replace(&at.store, &shown(&at.store))
            } else {
                short.into()
            };
            let short = if query.is_empty() {
                short
            } else {
                short.replace(query, "…")
            };
            let short = without_secrets(&short);
            said(
                format!("{what}: {short}"),
                "try again, or copy it with the store's own program to see its message",
            )
        });
    Error::new(kind, what).at(url).advise(advice)
}

fn cannot(doing: Doing) -> &'static str {
    match doing {
        Doing::Reading => "cannot be read",
        Doing::Listing => "cannot be listed",
        Doing::Writing => "cannot be written",
    }
}

/// Returns the message with each URL in its printable form.
fn without_secrets(words: &str) -> String {
    let ends = |c: char| c.is_whitespace() || "()<>\"'".contains(c);
    words.split_inclusive(ends).map(shown).collect()
}

fn says(words: &str, codes: &[&str]) -> bool {
    codes.iter().any(|code| words.contains(code))
}

/// The source of every error that reports a missing bucket. The code recognises such an error by this type.
#[derive(Debug)]
pub(super) struct NoBucket;

impl fmt::Display for NoBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the store says that there is no such bucket")
    }
}

impl std::error::Error for NoBucket {}

fn no_bucket(at: &Location, words: &str) -> Option<Said> {
    let bucket = &at.bucket;
    if at.kind == Kind::Http
        || !says(
            words,
            &[
                "NoSuchBucket",
                "ContainerNotFound",
                "The specified bucket does not exist",
            ],
        )
    {
        return None;
    }
    let account = match at.kind {
        Kind::S3 => "the account, AWS_REGION and AWS_ENDPOINT_URL",
        Kind::Azure => "AZURE_STORAGE_ACCOUNT_NAME",
        _ => "the project",
    };
    Some(said(
        format!("there is no bucket {bucket}"),
        format!("check its name, and {account}"),
    ))
}

/// Returns the meaning of the store's own error code.
fn by_code(doing: Doing, at: &Location, words: &str) -> Option<Said> {
    let bucket = &at.bucket;
    let says = |codes: &[&str]| says(words, codes);
    if says(&["InvalidAccessKeyId", "InvalidClientTokenId"]) {
        return Some(said(
            "the store does not know this access key",
            "check AWS_ACCESS_KEY_ID, AWS_PROFILE and ~/.aws",
        ));
    }
    if says(&["SignatureDoesNotMatch"]) {
        return Some(said(
            "the store refuses the signature: the secret key does not belong to the access key",
            "check AWS_SECRET_ACCESS_KEY",
        ));
    }
    if says(&["ExpiredToken", "TokenRefreshRequired", "InvalidToken"]) {
        return Some(said(
            "the credentials have expired",
            "log in again, and run the same command",
        ));
    }
    if says(&["RequestTimeTooSkewed"]) {
        return Some(said(
            "this machine's clock is wrong, so the store refuses the request",
            "set the clock",
        ));
    }
    let elsewhere = [
        "PermanentRedirect",
        "AuthorizationHeaderMalformed",
        "IllegalLocationConstraint",
        "incorrectly configured region",
    ];
    if says(&elsewhere) || status(words) == Some(301) || status(words) == Some(307) {
        let region = words
            .split("<Region>")
            .nth(1)
            .and_then(|rest| rest.split('<').next())
            .unwrap_or("the bucket's");
        return Some(said(
            format!("the bucket {bucket} is in another region"),
            format!("set AWS_REGION to {region}"),
        ));
    }
    let metadata = [
        "169.254.169.254",
        "169.254.170.2",
        "metadata.google.internal",
        "http://169.254",
    ];
    if says(&metadata) || words.contains("credential") && status(words).is_none() {
        return Some(no_credentials(at.kind));
    }
    if doing == Doing::Writing && says(&["NoSuchUpload"]) {
        return Some(said(
            "the store has deleted the parts that were sent",
            "look for a rule that aborts uploads, and run again",
        ));
    }
    if doing == Doing::Writing && says(&["EntityTooLarge"]) {
        return Some(said(
            "is larger than the store allows",
            "write several outputs",
        ));
    }
    None
}

fn denied(doing: Doing, kind: Kind) -> Said {
    let needs = match (kind, doing) {
        (Kind::Http, _) => {
            return said(
                "access denied",
                "the server requires a password or a signed URL",
            );
        }
        (Kind::S3, Doing::Reading) => "s3:GetObject, and s3:ListBucket to detect missing objects",
        (Kind::S3, Doing::Listing) => "s3:ListBucket",
        (Kind::S3, Doing::Writing) => "s3:PutObject and s3:AbortMultipartUpload",
        (_, Doing::Reading) => "reading",
        (_, Doing::Listing) => "listing",
        (_, Doing::Writing) => "writing",
    };
    said(
        format!("access denied: the credentials lack permission for {needs}"),
        "use other credentials, or ask the bucket's owner \
                                                                               for permission",
    )
}

fn by_kind(doing: Doing, at: &Location, error: &StoreError) -> Option<Said> {
    match error {
        StoreError::NotFound { .. } if doing == Doing::Writing => Some(said(
            format!("cannot be written: there is no bucket {}", at.bucket),
            "check its name",
        )),
        StoreError::NotFound { .. } if at.kind == Kind::Http => {
            Some(said("the server has no such file", "check the URL"))
        }
        StoreError::NotFound { .. } => Some(said(
            "no such object",
            "check the name, or give a folder with / at its end, or a quoted glob",
        )),
        StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => {
            Some(denied(doing, at.kind))
        }
        StoreError::Precondition { .. } | StoreError::NotModified { .. } => Some(changed_words()),
        StoreError::InvalidPath { source } => Some(said(
            format!("is not a valid name: {source}"),
            "rename the object",
        )),
        _ => None,
    }
}

/// Returns the meaning of the HTTP status.
fn by_status(doing: Doing, words: &str) -> Option<Said> {
    let what = cannot(doing);
    match status(words)? {
        status @ (408 | 429) => Some(said(
            format!("{what}: the server is too busy (HTTP status {status}), even after retries"),
            "try again later",
        )),
        status @ 500..=599 => Some(said(
            format!("{what}: the server failed (HTTP status {status}), even after retries"),
            "try again later, or ask the operator of the server",
        )),
        _ => None,
    }
}

/// Returns why the connection failed.
fn by_connection(at: &Location, words: &str) -> Option<Said> {
    let where_from = match at.kind {
        Kind::S3 => "check the network, and AWS_ENDPOINT_URL and AWS_REGION if they are set",
        Kind::Azure => "check the network and AZURE_STORAGE_ACCOUNT_NAME",
        Kind::Google => "check the network",
        Kind::Http => "check the URL and the network",
    };
    // Every failure message of the store mentions the setting `retry_timeout`, which would be mistaken for a timeout.
    let lower = words.to_ascii_lowercase().replace("retry_timeout", "");
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    if has(&[
        "certificate",
        "tls handshake",
        "invalidcontenttype",
        "corrupt message",
    ]) {
        let cause = words.rsplit(": ").next().unwrap_or(words);
        return Some(said(
            format!(
                "the server's certificate is refused, or the server does not use TLS ({cause})"
            ),
            "for your own certificate, set SSL_CERT_FILE; for a server without TLS, write http://",
        ));
    }
    if has(&[
        "dns error",
        "failed to lookup",
        "name or service not known",
        "name resolution",
    ]) {
        return Some(said("the server's name cannot be resolved", where_from));
    }
    if has(&[
        "connection refused",
        "connection reset",
        "network is unreachable",
        "no route to host",
        "tcp connect error",
    ]) {
        return Some(said(
            "the server does not answer, or closes the connection",
            where_from,
        ));
    }
    if has(&["timed out", "timeout", "deadline"]) {
        return Some(said(
            "the server is too slow, or does not answer",
            where_from,
        ));
    }
    if has(&[
        "scheme is not http",
        "only https",
        "https_only",
        "builder error",
    ]) {
        return Some(said(
            "uses http, without encryption",
            "set AWS_ALLOW_HTTP=true if that is intended",
        ));
    }
    None
}

/// Returns the error for missing credentials, with the places that were searched.
pub(super) fn no_credentials(kind: Kind) -> Said {
    let (places, advice) = match kind {
        Kind::S3 => (
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE in ~/.aws/credentials and ~/.aws/config, a web identity, the \
             container's and the machine's role",
            "for a public object, set AWS_SKIP_SIGNATURE=true",
        ),
        Kind::Google => (
            "GOOGLE_SERVICE_ACCOUNT, GOOGLE_APPLICATION_CREDENTIALS, gcloud's application default credentials, the machine's account",
            "log in with `gcloud auth application-default login`, or for a public object, set GOOGLE_SKIP_SIGNATURE=true",
        ),
        Kind::Azure => (
            "AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN, AZURE_CLIENT_ID with its secret, the machine's identity",
            "for a public container, set AZURE_SKIP_SIGNATURE=true",
        ),
        Kind::Http => ("the URL", "give a signed URL"),
    };
    said(
        "no credentials found",
        format!("checked {places}; {advice}"),
    )
}

/// Returns the error for an object that changed.
pub(super) fn changed_words() -> Said {
    said(
        "changed while it was being read",
        "run again when nothing writes to it",
    )
}
