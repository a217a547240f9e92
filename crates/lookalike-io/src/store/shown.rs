//! Printable forms of URLs: for messages, generated ids and the state of a run.

use std::path::Path;

/// Returns a URL without possible secrets: a user's name and password, and the query, which may contain a signature. In the URL
/// of a store, the query is a part of the object's name, and is omitted only if it looks like a signature or credentials. A name
/// that is not a URL is returned unchanged.
///
/// A password that is not percent-encoded may contain `/`, `?`, `#` and `@`, and then no rule can find its end. So anything that
/// could be such a password is hidden, with everything after it, even if it is only a path with an `@`.
pub fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://").filter(|_| super::is_url(url)) else {
        return url.into();
    };
    let (authority, after) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let path = &after[..after.find(['?', '#']).unwrap_or(after.len())];
    let may_go_on = match user {
        // This cannot be a host, so it may be the beginning of `user:password`.
        _ if !is_host(host) => true,
        "" => {
            after.contains('@') && host.contains(':')
                || path.contains('@') && !is_store(scheme) && !is_full_host(host)
        }
        user => after.contains('@') && (user.contains(':') || !is_store(scheme)),
    };
    if may_go_on {
        format!("{scheme}://…")
    } else {
        shown_address(url)
    }
}

/// Does the same as `shown` for the URL of an object that was found. Its host has answered, so nothing before the path is a part
/// of a password.
pub(super) fn shown_address(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://").filter(|_| super::is_url(url)) else {
        return url.into();
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    // abfss://container@account
    let user = if user.is_empty() || !is_store(scheme) || user.contains(':') {
        String::new()
    } else {
        format!("{user}@")
    };
    let small = path.to_ascii_lowercase();
    let has_secret = SECRETS.iter().any(|name| small.contains(name));
    let query = match path.find(['?', '#']) {
        Some(query) if !is_store(scheme) || has_secret => Some(query),
        // In the URL of a store, the `?` before the query is percent-encoded.
        _ if has_secret => small.find("%3f"),
        _ => None,
    };
    let path = &path[..query.unwrap_or(path.len())];
    format!("{scheme}://{user}{host}{path}")
}

/// Returns the printable form, for messages, of a file name that a user gave. The name may be a URL.
pub fn shown_path(path: &Path) -> String {
    lookalike::shown::path(&shown(&path.display().to_string())).into_owned()
}

/// The schemes in whose URLs `?` is a character of the name.
const STORES: [&str; 7] = ["s3", "s3a", "gs", "az", "azure", "abfs", "abfss"];

/// Parts of a query that contains a signature or credentials; in lower case.
const SECRETS: [&str; 9] = [
    "sig=",
    "signature=",
    "token=",
    "credential=",
    "accesskeyid=",
    "accesskey=",
    "password=",
    "passwd=",
    "secret=",
];

fn is_store(scheme: &str) -> bool {
    STORES
        .iter()
        .any(|store| scheme.eq_ignore_ascii_case(store))
}

/// Returns whether a string can be a host, with or without a port. Buckets count as hosts.
fn is_host(host: &str) -> bool {
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let port = match bracketed {
        Some((_, port)) => port,
        None => &host[host.find(':').unwrap_or(host.len())..],
    };
    port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|port| port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether a host looks like a full name or address, rather than a single word.
fn is_full_host(host: &str) -> bool {
    host.contains('.') || host.starts_with('[') || host.split(':').next() == Some("localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        for (url, expected) in [
            ("https://u:p@h/x?X-Amz-Signature=1", "https://h/x"),
            ("HTTPS://token@h:8080", "HTTPS://h:8080"),
            ("http://u:p@ss@h/x#y", "http://h/x"),
            ("http://h?x=@y", "http://h"),
            ("s3://b/a?b", "s3://b/a?b"),
            ("s3://key:secret@b/a", "s3://b/a"),
            ("az://c/a?sv=1&SIG=2", "az://c/a"),
            ("s3://b/k?X-Amz-Signature=1", "s3://b/k"),
            ("s3://b/k?AWSAccessKeyId=1", "s3://b/k"),
            ("http://store/b/k%3FX-Amz-Signature=1", "http://store/b/k"),
            ("s3://b/k@x?y", "s3://b/k@x?y"),
            ("ftp://u:p@h/x?y", "ftp://h/x"),
            ("git+ssh://u:p@h/x", "git+ssh://h/x"),
            ("x-y.z://u:p@h/x?y", "x-y.z://h/x"),
            (
                "abfss://c@a.dfs.core.windows.net/x@y",
                "abfss://c@a.dfs.core.windows.net/x@y",
            ),
            ("https://h.example:8080/x?y", "https://h.example:8080/x"),
            ("http://[::1]:80/x", "http://[::1]:80/x"),
            (
                "https://h.example/@someone/x",
                "https://h.example/@someone/x",
            ),
            ("s3://b.c/x@y", "s3://b.c/x@y"),
            ("a file?x=1@y.jsonl", "a file?x=1@y.jsonl"),
            ("/a/b://c@d?sig=1", "/a/b://c@d?sig=1"),
        ] {
            assert_eq!(shown(url), expected);
        }
    }

    #[test]
    fn a_password_without_a_clear_end_is_hidden_with_the_rest() {
        for url in [
            "https://u:p/ss@h/x",
            "https://u:p?ss@h/x",
            "https://u:p#ss@h/x?sig=@",
            "https://u:p@s/s@h/x",
            "https://u:p@s/s@h/x?a=b@c&sig=1",
            "https://u:12/ss@h",
            "https://first.last:12/ss@h",
            "https://tok/en@h/x",
            "https://u:pass",
            "s3://AKIA:abc/def@b/k",
            "s3://AKIA:abc@d/ef@b/k",
            "postgres://u:p/w@h/db",
        ] {
            let scheme = url.split(':').next().unwrap();
            assert_eq!(shown(url), format!("{scheme}://…"), "{url}");
        }
        // The host of a found object has answered, so the `@` in the path does not end a password.
        assert_eq!(
            shown_address("http://u:p@store:9000/a@b.jsonl?sig=1"),
            "http://store:9000/a@b.jsonl"
        );
    }
}
