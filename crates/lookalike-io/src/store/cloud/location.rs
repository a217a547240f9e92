//! Parses URLs of stores.

use crate::{
    error::{Error, ErrorKind, Result},
    store::shown::shown,
};

/// The kinds of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    S3,
    Google,
    Azure,
    Http,
}

const SCHEMES: [(&str, Kind); 9] = [
    ("s3", Kind::S3),
    ("s3a", Kind::S3),
    ("gs", Kind::Google),
    ("az", Kind::Azure),
    ("azure", Kind::Azure),
    ("abfs", Kind::Azure),
    ("abfss", Kind::Azure),
    ("http", Kind::Http),
    ("https", Kind::Http),
];

/// The parts of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) kind: Kind,
    /// Everything before the key: `s3://bucket`. For http(s) it is the whole URL, because the server interprets what follows the
    /// host.
    pub(super) store: String,
    /// The bucket or container, or the host.
    pub(super) bucket: String,
    /// The name in the bucket, without any escaping.
    pub(super) key: String,
}

impl Location {
    pub(super) fn parse(url: &str) -> Result<Self> {
        let refuse = |what: &'static str, advice: &'static str| {
            Err(Error::new(ErrorKind::Input, what)
                .at(shown(url))
                .advise(advice))
        };
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let Some(&(_, kind)) = SCHEMES
            .iter()
            .find(|(known, _)| scheme.eq_ignore_ascii_case(known))
        else {
            return refuse(
                "lookalike supports s3://, gs://, az://, http:// and https://",
                "copy it to one of these, or to a file",
            );
        };
        let (authority, key) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.is_empty() {
            return refuse(
                "has no bucket or host",
                "write it as s3://bucket/name or https://host/name",
            );
        }
        if kind != Kind::Http
            && authority
                .split_once('@')
                .is_some_and(|(user, _)| user.contains(':'))
        {
            return refuse(
                "contains a password, which is not read from a URL",
                "give credentials as docs/stores.md says",
            );
        }
        // abfss://container@account.dfs.core.windows.net
        let bucket = match kind {
            Kind::Http => authority.rsplit('@').next(),
            _ => authority.split('@').next(),
        };
        let bucket = bucket.unwrap_or(authority).to_string();
        match kind {
            Kind::Http => Ok(Self {
                kind,
                store: url.into(),
                bucket,
                key: String::new(),
            }),
            _ => Ok(Self {
                kind,
                store: format!("{scheme}://{authority}"),
                bucket,
                key: key.into(),
            }),
        }
    }

    /// Returns the URL of another name in the same bucket.
    pub(super) fn url_of(&self, key: &str) -> String {
        match self.kind {
            Kind::Http => shown(&self.store),
            _ => format!("{}/{key}", self.store),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_parsed() {
        for (url, kind, store, bucket, key) in [
            ("s3://b/a/k.jsonl", Kind::S3, "s3://b", "b", "a/k.jsonl"),
            ("s3://b", Kind::S3, "s3://b", "b", ""),
            ("s3a://b/a b%20?#[*", Kind::S3, "s3a://b", "b", "a b%20?#[*"),
            ("gs://b/x/", Kind::Google, "gs://b", "b", "x/"),
            ("az://c/x", Kind::Azure, "az://c", "c", "x"),
            (
                "abfss://c@a.dfs.core.windows.net/x",
                Kind::Azure,
                "abfss://c@a.dfs.core.windows.net",
                "c",
                "x",
            ),
            (
                "https://u:p@h/x?y=z",
                Kind::Http,
                "https://u:p@h/x?y=z",
                "h",
                "",
            ),
        ] {
            let expected = Location {
                kind,
                store: store.into(),
                bucket: bucket.into(),
                key: key.into(),
            };
            assert_eq!(Location::parse(url).unwrap(), expected);
        }
        for (url, what) in [
            ("s3:///k", "no bucket"),
            ("hdfs://h/k", "supports s3://"),
            ("https://", "no bucket or host"),
            ("s3://a:b@h/k", "contains a password"),
        ] {
            assert!(Location::parse(url).unwrap_err().to_string().contains(what));
        }
    }
}
