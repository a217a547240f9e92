//! Derives a page's site, and the page's path on that site, from the page's name.

use std::{borrow::Cow, collections::BTreeMap, num::NonZeroU128};

use lookalike::shown::{cut, quoted};
use lookalike_io::{
    error::{Error, Result, Setting},
    read::Source,
    words,
    write::plain,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::sketching::table::Table;

/// The property that the pages of a site have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SiteBy {
    /// The host of a page whose name is a URL, and otherwise the page's folder.
    #[default]
    Name,
    /// The host; every page's name must be a URL.
    Host,
    /// The folder; for a URL, the folder after the host.
    Folder,
    /// The value of a field.
    Field(String),
}

/// How pages are grouped into sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitesBy {
    /// The property that the pages of a site have in common.
    pub by: SiteBy,
    /// The number of folders that are part of a site's name, counted from the outermost. With 0, all pages of a collection or of
    /// a host are one site.
    pub depth: usize,
    /// Whether `www.example.com` and `example.com` are the same host.
    pub fold_www: bool,
}

impl Default for SitesBy {
    fn default() -> Self {
        Self {
            by: SiteBy::Name,
            depth: 1,
            fold_www: false,
        }
    }
}

/// The site of a page that is in no folder.
const ROOT: &str = ".";

impl SitesBy {
    /// Returns a page's site and the page's path on that site. The path begins without a slash and ends before a fragment.
    /// Returns `None` if names must be URLs and this name is not a URL. If a field contains the site, `label` is the page's value
    /// of that field.
    fn place<'a>(&self, name: &'a str, label: Option<&'a str>) -> Option<(Cow<'a, str>, &'a str)> {
        let url = Url::of(name);
        let path = url.as_ref().map_or(
            name.trim_start_matches("./").trim_start_matches('/'),
            |url| url.path,
        );
        if let Some(label) = label {
            let inside = path
                .strip_prefix(label)
                .and_then(|path| path.strip_prefix('/'));
            return Some((label.into(), inside.unwrap_or(path)));
        }
        let by_host = match self.by {
            SiteBy::Host => true,
            SiteBy::Name => url.is_some(),
            SiteBy::Folder | SiteBy::Field(_) => false,
        };
        if by_host {
            return Some((url?.host(self.fold_www).into(), path));
        }
        let (folder, path) = split(path, self.depth);
        let site = match url {
            None if folder.is_empty() => ROOT.into(),
            None => folder.into(),
            Some(url) if folder.is_empty() => url.host(self.fold_www).into(),
            Some(url) => format!("{}/{folder}", url.host(self.fold_www)).into(),
        };
        Some((site, path))
    }
}

/// Splits a path after its first folders, at most `depth` of them.
fn split(path: &str, depth: usize) -> (&str, &str) {
    // Slashes in a query do not separate folders.
    let end = path.find('?').unwrap_or(path.len());
    let slashes = path[..end].match_indices('/').take(depth);
    slashes
        .last()
        .map_or(("", path), |(at, _)| (&path[..at], &path[at + 1..]))
}

/// Returns a page's path in the form that is compared: pages of two sites have the same path if these forms are equal. A final
/// `index.html` is left out, because servers add it to the path of a folder. In URLs, percent escapes are decoded, because they
/// are already decoded in the names of downloaded files.
fn compared(path: &str, is_url: bool) -> Cow<'_, [u8]> {
    let (before, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    let (folder, file) = before.split_at(before.rfind('/').map_or(0, |at| at + 1));
    let is_index = ["index.html", "index.htm"]
        .iter()
        .any(|index| file.eq_ignore_ascii_case(index));
    let shown = if is_index {
        Cow::Owned(format!("{folder}{query}"))
    } else {
        Cow::Borrowed(path)
    };
    match shown {
        shown if is_url && shown.contains('%') => Cow::Owned(decoded(shown.as_bytes())),
        Cow::Borrowed(path) => Cow::Borrowed(path.as_bytes()),
        Cow::Owned(path) => Cow::Owned(path.into_bytes()),
    }
}

/// Decodes each `%` that is followed by two hexadecimal digits, and leaves the rest unchanged.
fn decoded(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|&c| char::from(c).to_digit(16));
    let (mut bytes, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        let (byte, read) = match (text[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => ((16 * high + low) as u8, 3),
            (byte, ..) => (byte, 1),
        };
        bytes.push(byte);
        at += read;
    }
    bytes
}

/// The parts of a URL that identify a site.
#[derive(Debug, PartialEq, Eq)]
struct Url<'a> {
    scheme: &'a str,
    /// The host and the port.
    host: &'a str,
    path: &'a str,
}

impl<'a> Url<'a> {
    /// Parses a name. Returns `None` if the name has no host.
    fn of(name: &'a str) -> Option<Self> {
        let (scheme, rest) = name.split_once("://")?;
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"+-.".contains(&c));
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        (is_scheme && !host.is_empty()).then(|| Self {
            scheme,
            host,
            path: path.trim_start_matches('/'),
        })
    }

    /// Returns the host in lower case, without the scheme's default port.
    fn host(&self, fold_www: bool) -> String {
        let usual = [("http", ":80"), ("https", ":443")]
            .into_iter()
            .find(|(scheme, _)| self.scheme.eq_ignore_ascii_case(scheme));
        let host = usual
            .and_then(|(_, port)| self.host.strip_suffix(port))
            .unwrap_or(self.host);
        let host = host.strip_suffix(':').unwrap_or(host).to_lowercase();
        match host.strip_prefix("www.").filter(|_| fold_www) {
            Some(bare) => bare.into(),
            None => host,
        }
    }
}

/// The site of every page, and a hash of the page's path on that site. Takes twelve bytes per page.
pub(super) struct Sites {
    /// The names of the sites, in the order of their first pages.
    pub(super) names: Vec<String>,
    pub(super) of: Vec<u32>,
    pub(super) paths: Vec<u64>,
    /// Whether any page's name is a URL.
    pub(super) of_urls: bool,
    /// Whether any page is in a folder below its site.
    pub(super) in_folders: bool,
}

impl Sites {
    /// Finds the sites of all documents of a table. If a field contains the site, `labels` has the values of that field.
    ///
    /// # Errors
    /// Fails if a page has no site, because its name is not a URL or because it does not have the field.
    pub(super) fn new(
        by: &SitesBy,
        table: &Table,
        labels: &BTreeMap<NonZeroU128, Box<str>>,
        source: &Source,
    ) -> Result<Self> {
        let mut sites = Self {
            names: Vec::new(),
            of: Vec::new(),
            paths: Vec::new(),
            of_urls: false,
            in_folders: false,
        };
        let (mut numbers, mut scratch) = (BTreeMap::<String, u32>::new(), Vec::new());
        table.ids.each(0..table.documents, &mut scratch, |id| {
            let (name, document) = (plain(id), sites.of.len());
            let failed = |why: Error| {
                table
                    .place(document as u64, source)
                    .map_or_else(|error| error, |place| why.at_place(place))
            };
            let label = match &by.by {
                SiteBy::Field(field) => {
                    let label = table
                        .labels
                        .get(document)
                        .copied()
                        .flatten()
                        .and_then(|label| labels.get(&label));
                    Some(plain(label.ok_or_else(|| failed(without(field)))?))
                }
                SiteBy::Name | SiteBy::Host | SiteBy::Folder => None,
            };
            let (site, path) = by
                .place(&name, label.as_deref())
                .ok_or_else(|| failed(no_url(id)))?;
            // Consecutive pages are often of the same site.
            let last = sites
                .of
                .last()
                .copied()
                .filter(|&last| sites.names[last as usize] == *site);
            let number = last
                .or_else(|| numbers.get(&*site).copied())
                .unwrap_or_else(|| {
                    numbers.insert(site.clone().into(), sites.names.len() as u32);
                    sites.names.push(site.into());
                    sites.names.len() as u32 - 1
                });
            sites.of.push(number);
            let is_url = Url::of(&name).is_some();
            sites.of_urls |= is_url;
            sites.in_folders |= !split(path, 1).0.is_empty();
            sites.paths.push(xxh3_64(&compared(path, is_url)));
            Ok(())
        })?;
        table
            .budget
            .hold(size_of_val(&*sites.of) + size_of_val(&*sites.paths));
        Ok(sites)
    }
}

impl Sites {
    /// Returns how many paths occur on at least two sites or, if there are two collections, in both collections. With two
    /// collections, `second` is the number of the second collection's first page.
    pub(super) fn shared_paths(&self, second: Option<u64>) -> u64 {
        let side = |(&site, page)| second.map_or(site, |second| u32::from(page >= second));
        let mut paths: Vec<(u64, u32)> = self
            .paths
            .iter()
            .copied()
            .zip(self.of.iter().zip(0u64..).map(side))
            .collect();
        paths.sort_unstable();
        let of_path = paths.chunk_by(|p, q| p.0 == q.0);
        of_path
            .filter(|pages| pages.first().map(|page| page.1) != pages.last().map(|page| page.1))
            .count() as u64
    }
}

fn without(field: &str) -> Error {
    let no_field = format!("field {} is missing or null, but ", quoted(field));
    let by = (Setting("by"), format!("field:{}", cut(field)));
    let what = words![no_field, by, " takes the site from it"];
    Error::record(what).in_field(field).advise("give each page a value, or remove such pages from the input ($skip_bad skips only lines that are not records)")
}

fn no_url(id: &str) -> Error {
    let called = format!("the page has the id {id}, which is not a URL, but ");
    Error::record(words![called, "$by=host takes the site from it"]).advise(words![
        "name the field with the URL with $id_field, or choose $by=folder or ",
        (Setting("by"), "field:NAME")
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_sites_and_paths() {
        let by = |by: SiteBy, depth| SitesBy {
            by,
            depth,
            fold_www: true,
        };
        let field = || SiteBy::Field("f".into());
        #[rustfmt::skip]
        let table = [
            (by(SiteBy::Name, 1), "https://www.Example.com:443/a/b.html?q=1/2#top", None, Some(("example.com", "a/b.html?q=1/2"))),
            (by(SiteBy::Name, 1), "HTTP://me:secret@example.com:8080", None, Some(("example.com:8080", ""))),
            (by(SiteBy::Name, 1), "https://example.com:80/", None, Some(("example.com:80", ""))),
            (by(SiteBy::Name, 1), "https://example.com?q=a/b", None, Some(("example.com", "?q=a/b"))),
            (by(SiteBy::Name, 1), "http://[::1]:80/x", None, Some(("[::1]", "x"))),
            (by(SiteBy::Name, 1), "v1/guide/start.html", None, Some(("v1", "guide/start.html"))),
            (by(SiteBy::Name, 2), "./v1/guide/start.html", None, Some(("v1/guide", "start.html"))),
            (by(SiteBy::Name, 2), "v1/start.html", None, Some(("v1", "start.html"))),
            (by(SiteBy::Name, 1), "start.html", None, Some((".", "start.html"))),
            (by(SiteBy::Name, 0), "v1/start.html", None, Some((".", "v1/start.html"))),
            (by(SiteBy::Folder, 1), "https://example.com/v1/a.html", None, Some(("example.com/v1", "a.html"))),
            (by(SiteBy::Folder, 1), "https://example.com/a?b/c", None, Some(("example.com", "a?b/c"))),
            (by(SiteBy::Host, 1), "v1/start.html", None, None),
            (by(SiteBy::Host, 1), "file:///v1/start.html", None, None),
            (by(SiteBy::Host, 1), "42", None, None),
            (by(field(), 1), "v1/start.html", Some("v1"), Some(("v1", "start.html"))),
            (by(field(), 1), "v10/start.html", Some("v1"), Some(("v1", "v10/start.html"))),
            (by(field(), 1), "http://example.com/a", Some("x"), Some(("x", "a"))),
        ];
        for (by, name, label, expected) in table {
            let found = by.place(name, label);
            assert_eq!(
                found.as_ref().map(|(site, path)| (&**site, *path)),
                expected,
                "{by:?} {name} {label:?}"
            );
        }
        let kept = SitesBy::default();
        assert_eq!(
            kept.place("https://www.example.com/a", None),
            Some(("www.example.com".into(), "a"))
        );
    }
    #[test]
    fn paths_are_normalised_across_servers() {
        let table = [
            ("guide/index.html", false, "guide/"),
            ("index.htm", false, ""),
            ("INDEX.HTML?a=/b", true, "?a=/b"),
            ("guide/myindex.html", true, "guide/myindex.html"),
            ("guide/index.html/x", true, "guide/index.html/x"),
            ("gr%C3%BC%c3%9fe/a%20b", true, "grüße/a b"),
            ("index%2Ehtml", true, "index.html"),
            ("100%/a%2/%", true, "100%/a%2/%"),
            ("a%20b", false, "a%20b"),
        ];
        for (path, is_url, expected) in table {
            assert_eq!(*compared(path, is_url), *expected.as_bytes(), "{path}");
        }
    }
}
