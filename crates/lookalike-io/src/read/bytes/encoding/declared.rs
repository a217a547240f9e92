//! The encoding that servers and pages declare for a page.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::names::known;

/// Returns the charset of a content type such as `text/html; charset="utf-8"`. This is the HTML standard's algorithm for
/// extracting a character encoding from a meta element. The quotes may also be single quotes.
pub fn charset(content_type: &str) -> Option<&str> {
    let bytes = content_type.as_bytes();
    let mut from = 0;
    loop {
        let at = bytes[from..]
            .windows(7)
            .position(|window| window.eq_ignore_ascii_case(b"charset"))?
            + from
            + 7;
        let rest = content_type[at..].trim_ascii_start();
        let Some(value) = rest.strip_prefix('=') else {
            from = at;
            continue;
        };
        let value = value.trim_ascii_start();
        return match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split_once(quote).map(|(inside, _)| inside),
            _ => value
                .split(|c: char| c.is_ascii_whitespace() || c == ';')
                .next(),
        }
        .filter(|label| !label.is_empty());
    }
}

/// The number of bytes at the start of a page that are searched for a declaration of the page's encoding. The standard requires a
/// search of only the first 1,024 bytes. But if a declaration comes later, a browser that follows the standard reads the page
/// again, so more bytes are searched here.
const SEARCHED: usize = 16 << 10;

/// Returns the encoding that an HTML page declares, for [`decode`]. It is taken from the HTTP header, else from the first
/// `<meta>` with an encoding (by the standard's prescan), else from the XML declaration.
pub fn declared_in_html(bytes: &[u8], http: Option<&str>) -> Option<&'static str> {
    let start = &bytes[..bytes.len().min(SEARCHED)];
    let encoding = http
        .and_then(known)
        .or_else(|| prescan(start))
        .or_else(|| declared_in_xml(start))?;
    Some(encoding.name())
}

/// Returns the encoding in the XML declaration.
fn declared_in_xml(start: &[u8]) -> Option<&'static Encoding> {
    let declaration = start.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let at = memchr::memmem::find(declaration, b"encoding")? + 8;
    let value = declaration[at..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let (&quote, value) = value
        .split_first()
        .filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    said_inside(std::str::from_utf8(&value[..memchr::memchr(quote, value)?]).ok()?)
}

/// Returns the encoding that a document declares inside itself. If the declaration says UTF-16, the encoding is taken to be
/// UTF-8, because a declaration that was itself in UTF-16 could not have been read here.
fn said_inside(label: &str) -> Option<&'static Encoding> {
    known(label).map(|encoding| match encoding {
        encoding if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        encoding if encoding == X_USER_DEFINED => WINDOWS_1252,
        encoding => encoding,
    })
}

/// Runs the prescan of the HTML standard (13.2.3.2).
fn prescan(start: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'<', start.get(at..)?)?;
        let rest = &start[at..];
        if rest.starts_with(b"<!--") {
            // The dashes that begin a comment may also end it.
            at += 2 + memchr::memmem::find(&rest[2..], b"-->")? + 3;
        } else if rest.len() > 5
            && rest[..5].eq_ignore_ascii_case(b"<meta")
            && (rest[5].is_ascii_whitespace() || rest[5] == b'/')
        {
            let mut attributes = Attributes {
                bytes: start,
                at: at + 5,
            };
            let (mut names, mut pragma, mut found) = (Vec::new(), false, None);
            while let Some((name, value)) = attributes.next()? {
                if names.contains(&name) {
                    continue;
                }
                match &*name {
                    "http-equiv" => pragma |= value == "content-type",
                    "content" => {
                        let encoding = charset(&value).and_then(said_inside);
                        found = found.or(encoding.map(|encoding| (true, encoding)));
                    }
                    "charset" => found = said_inside(&value).map(|encoding| (false, encoding)),
                    _ => {}
                }
                names.push(name);
            }
            at = attributes.at;
            if let Some((needs_pragma, encoding)) = found
                && (pragma || !needs_pragma)
            {
                return Some(encoding);
            }
        } else if rest.get(1).is_some_and(u8::is_ascii_alphabetic)
            || rest.get(1) == Some(&b'/') && rest.get(2).is_some_and(u8::is_ascii_alphabetic)
        {
            at += rest
                .iter()
                .position(|&byte| byte.is_ascii_whitespace() || byte == b'>')?;
            let mut attributes = Attributes { bytes: start, at };
            while attributes.next()?.is_some() {}
            at = attributes.at;
        } else if rest.len() > 1 && matches!(rest[1], b'!' | b'/' | b'?') {
            at += memchr::memchr(b'>', rest)?;
        } else {
            at += 1;
        }
    }
}

/// The attributes of a tag, with names and values in lower case: the standard's "get an attribute".
struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Attributes<'_> {
    /// Returns the next attribute, or `Some(None)` at the end of the tag, or `None` if the bytes end first.
    fn next(&mut self) -> Option<Option<(String, String)>> {
        while self.peek()?.is_ascii_whitespace() || self.peek()? == b'/' {
            self.at += 1;
        }
        if self.peek()? == b'>' {
            return Some(None);
        }
        let (mut name, mut value) = (Vec::new(), Vec::new());
        while self.peek()? != b'=' || name.is_empty() {
            match self.peek()? {
                b'/' | b'>' => return Some(Some((lower(name), String::new()))),
                byte if byte.is_ascii_whitespace() => break,
                byte => name.push(byte),
            }
            self.at += 1;
        }
        self.skip_space()?;
        if self.peek()? != b'=' {
            return Some(Some((lower(name), String::new())));
        }
        self.at += 1;
        self.skip_space()?;
        if let quote @ (b'"' | b'\'') = self.peek()? {
            self.at += 1;
            let length = memchr::memchr(quote, &self.bytes[self.at..])?;
            value.extend_from_slice(&self.bytes[self.at..self.at + length]);
            self.at += length + 1;
        } else {
            while !(self.peek()?.is_ascii_whitespace() || self.peek()? == b'>') {
                value.push(self.peek()?);
                self.at += 1;
            }
        }
        Some(Some((lower(name), lower(value))))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) -> Option<()> {
        while self.peek()?.is_ascii_whitespace() {
            self.at += 1;
        }
        Some(())
    }
}

fn lower(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).to_ascii_lowercase()
}
