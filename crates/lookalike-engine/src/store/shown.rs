//! A URL as it may be shown: in messages, in made-up ids, in the state of a run.

/// A URL without what may be a secret: a user's name and password and, of http(s), the query, which may be a signature. Of a store
/// the query is a part of the name, and goes only where it has a signature. Whatever is not a URL stays as it is.
pub fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://").filter(|_| super::is_url(url)) else { return url.into() };
    let is_http = scheme.to_ascii_lowercase().starts_with("http");
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    // abfss://container@account
    let user = if is_http || user.contains(':') { String::new() } else { format!("{user}@") };
    let user = if host == authority { String::new() } else { user };
    let small = path.to_ascii_lowercase();
    let has_signature = || ["sig=", "signature=", "token=", "credential="].iter().any(|name| small.contains(name));
    let path = match path.find(['?', '#']) {
        Some(query) if is_http || has_signature() => &path[..query],
        _ => path,
    };
    format!("{scheme}://{user}{host}{path}")
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
            ("abfss://c@a.dfs.core.windows.net/x", "abfss://c@a.dfs.core.windows.net/x"),
            ("a file?x=1@y.jsonl", "a file?x=1@y.jsonl"),
            ("/a/b://c@d?sig=1", "/a/b://c@d?sig=1"),
        ] {
            assert_eq!(shown(url), expected);
        }
    }
}
