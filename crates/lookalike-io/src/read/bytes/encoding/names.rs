//! Encodings by name.

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT};
use lookalike::shown::quoted;

use crate::error::{Error, ErrorKind, Result, Setting};

/// Returns the encoding that a label means in web pages. Returns none for labels that the standard lists only to reject them.
pub(crate) fn known(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.trim().as_bytes())
}

/// Returns the name that the Encoding Standard uses for an encoding, from the name that the user gave.
///
/// # Errors
/// Fails if the encoding is unknown; the message lists the nearest names.
pub fn named(label: &str) -> Result<&'static str> {
    if let Some(encoding) = known(label) {
        return Ok(encoding.name());
    }
    let plain = |name: &str| {
        name.to_lowercase()
            .replace(|c: char| !c.is_alphanumeric(), "")
    };
    let asked = plain(label);
    let mut nearest: Vec<(usize, &str)> = NAMES
        .iter()
        .map(|name| (distance(&asked, &plain(name)), *name))
        .collect();
    nearest.sort();
    let names: Vec<&str> = nearest.iter().take(3).map(|(_, name)| *name).collect();
    let unreadable = Encoding::for_label(label.trim().as_bytes()) == Some(REPLACEMENT);
    let problem = if unreadable {
        "cannot be read; convert the files with iconv"
    } else {
        "is not known"
    };
    let refused = Error::new(
        ErrorKind::Config,
        format!("encoding {} {problem}", quoted(label)),
    )
    .about(Setting("encoding"));
    Err(refused.advise(format!(
        "the nearest names are {}, {} and {}",
        names[0], names[1], names[2]
    )))
}

/// Encodes a text in a named encoding. A character that the encoding lacks becomes a reference (`&#26085;`). The result is UTF-8
/// if no encoding is named. It is also UTF-8 if UTF-16 is named, because the reader converts CSV in UTF-16 to UTF-8, and no other
/// file of records may be UTF-16.
pub fn encode<'a>(text: &'a str, encoding: Option<&str>) -> Cow<'a, [u8]> {
    match encoding.and_then(known) {
        Some(encoding) => encoding.encode(text).0,
        None => text.as_bytes().into(),
    }
}

/// Returns whether a named encoding has all characters of a text. An encoder may have fewer characters than the decoder of the same
/// name.
pub fn is_encodable(text: &str, encoding: Option<&str>) -> bool {
    encoding
        .and_then(known)
        .is_none_or(|encoding| !encoding.encode(text).2)
}

/// The labels in common use: the standard's names, and other labels for the same encodings. Each line begins with a name of the
/// standard.
#[rustfmt::skip]
pub(crate) const NAMES: [&str; 64] = [
    "utf-8", "utf-16le", "utf-16be", "utf-16",
    "windows-1252", "iso-8859-1", "latin1", "cp1252", "us-ascii",
    "windows-1250", "cp1250", "windows-1251", "cp1251", "windows-1253", "windows-1254", "windows-1255", "windows-1256",
    "windows-1257", "windows-1258", "windows-874", "tis-620",
    "iso-8859-2", "latin2", "iso-8859-3", "latin3", "iso-8859-4", "latin4", "iso-8859-5", "cyrillic", "iso-8859-6", "arabic",
    "iso-8859-7", "greek", "iso-8859-8", "hebrew", "iso-8859-8-i", "iso-8859-9", "latin5", "iso-8859-10", "latin6",
    "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16",
    "koi8-r", "koi8-u", "ibm866", "cp866", "macintosh", "x-mac-cyrillic",
    "gbk", "gb2312", "gb18030", "big5", "big5-hkscs",
    "euc-jp", "shift_jis", "sjis", "windows-31j", "iso-2022-jp",
    "euc-kr", "ks_c_5601-1987", "korean", "x-sjis",
];

/// Returns the Levenshtein distance: how many characters must be inserted, deleted or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
