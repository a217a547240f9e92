//! Extracts the document from a record: joins its chunks and decompresses it.

use std::{io::Read, ops::Range};

use super::fields::{Field, Fields};
use crate::read::bytes::{dictionary::MOST_WINDOW, encoding::charset};

/// The maximum length of a body after decompression. No real page is longer. The limit also bounds the memory that a
/// decompression bomb can take.
const LONGEST_BODY: u64 = 256 << 20;

/// A record as stored in the file.
#[derive(Debug, Clone, Copy)]
pub struct WarcRecord<'a> {
    /// The whole record: its header, its content and the line ends after it. A file consists of its records in this form, one
    /// after the other. Empty lines that are not part of a record can occur only at the start of the file.
    pub bytes: &'a [u8],
    /// The start and the end of the content in `bytes`.
    pub(crate) content: (usize, usize),
    pub(crate) fields: &'a Fields,
}

impl<'a> WarcRecord<'a> {
    /// Returns the range of the content block in the record's bytes.
    pub fn content(&self) -> Range<usize> {
        self.content.0..self.content.1
    }

    fn block(&self) -> &'a [u8] {
        &self.bytes[self.content()]
    }

    /// Returns `WARC-Type` as stored: `response`, `request`, `conversion`. Empty if it is missing.
    pub fn warc_type(&self) -> &'a str {
        self.fields.get(Field::Type).unwrap_or_default()
    }

    /// Returns `WARC-Target-URI`, without the angle brackets that some programs add.
    pub fn target_uri(&self) -> Option<&'a str> {
        let uri = self.fields.get(Field::TargetUri)?;
        Some(
            uri.strip_prefix('<')
                .and_then(|uri| uri.strip_suffix('>'))
                .unwrap_or(uri),
        )
    }

    /// Returns `WARC-Date` as stored.
    pub fn date(&self) -> Option<&'a str> {
        self.fields.get(Field::Date)
    }

    /// Returns `WARC-Record-ID` as stored: `<urn:uuid:…>`.
    pub fn record_id(&self) -> Option<&'a str> {
        self.fields.get(Field::RecordId)
    }

    /// Returns the type of the content block, which for a response is `application/http`.
    pub fn content_type(&self) -> Option<&'a str> {
        self.fields.get(Field::ContentType)
    }

    /// Returns the document in the record, or the reason why it has none. Chunked or compressed bodies are joined and
    /// decompressed into `scratch`. If the server declares a body as compressed and it is not, the body is used as it is. A
    /// truncated body is used up to its end.
    pub fn document<'b>(&self, scratch: &'b mut Scratch) -> std::result::Result<Document<'b>, Skip>
    where
        'a: 'b,
    {
        self.document_up_to(LONGEST_BODY, scratch)
    }

    /// Works like [`document`](Self::document), with a different limit for the length of a compressed body.
    pub(crate) fn document_up_to<'b>(
        &self,
        longest: u64,
        scratch: &'b mut Scratch,
    ) -> std::result::Result<Document<'b>, Skip>
    where
        'a: 'b,
    {
        match self.warc_type() {
            kind if kind.eq_ignore_ascii_case("response") => self.response(longest, scratch),
            kind if kind.eq_ignore_ascii_case("resource")
                || kind.eq_ignore_ascii_case("conversion") =>
            {
                let block = self.block();
                let content_type = self.content_type().or(self.fields.get(Field::Payload));
                let is_html = is_html(content_type, block)?;
                Ok(Document {
                    body: block,
                    is_html,
                    charset: content_type.and_then(charset),
                })
            }
            kind => Err(Skip::of(kind)),
        }
    }

    fn response<'b>(
        &self,
        longest: u64,
        scratch: &'b mut Scratch,
    ) -> std::result::Result<Document<'b>, Skip>
    where
        'a: 'b,
    {
        let block = self.block();
        let status = status(block).ok_or(Skip::NotHttp)?;
        if !(200..300).contains(&status) {
            return Err(Skip::Status);
        }
        let line = memchr::memchr(b'\n', block).map_or(block.len(), |end| end + 1);
        let Scratch {
            http,
            chunks,
            decoded,
        } = scratch;
        let mut body = &block[line + http.read(&block[line..])..];
        let content_type = http
            .get(Field::ContentType)
            .or(self.fields.get(Field::Payload));
        let has = |field, coding: &str| {
            let codings = http.places.iter().filter(|(is, _)| *is == field);
            codings
                .flat_map(|(_, place)| http.text[place.clone()].split(','))
                .any(|given| given.trim().eq_ignore_ascii_case(coding))
        };
        if has(Field::TransferEncoding, "chunked") && join_chunks(body, chunks) {
            body = chunks;
        }
        // Check the type before anything is decompressed.
        if content_type.is_some() {
            is_html(content_type, b"")?;
        }
        let coding = CODINGS
            .iter()
            .find(|(names, _)| names.iter().any(|name| has(Field::ContentEncoding, name)));
        if let Some((_, decode)) = coding {
            decoded.clear();
            // If decompression fails at the start, the body is not compressed; if it fails later, the body is truncated.
            let ended = decode(body, longest + 1, decoded);
            if decoded.len() as u64 > longest {
                return Err(Skip::TooLong);
            }
            if ended.is_ok() || !decoded.is_empty() {
                body = decoded;
            }
        }
        let is_html = is_html(content_type, body)?;
        Ok(Document {
            body,
            is_html,
            charset: content_type.and_then(charset),
        })
    }
}

/// The buffers of [`WarcRecord::document`], reused for the next record.
#[derive(Debug, Default)]
pub struct Scratch {
    http: Fields,
    chunks: Vec<u8>,
    decoded: Vec<u8>,
}

/// The document in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// The bytes after decompression, in any encoding.
    pub body: &'a [u8],
    /// Whether it is HTML; otherwise it is plain text.
    pub is_html: bool,
    /// The charset in its content type, for [`decode`](crate::read::bytes::encoding::decode) or
    /// [`declared_in_html`](crate::read::bytes::encoding::declared_in_html).
    pub charset: Option<&'a str>,
}

/// The reason why a record is not a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// The request of a crawler.
    Request,
    /// Information about a record, a crawl or a file.
    Metadata,
    /// A page that was already stored: the record has no content of its own.
    Revisit,
    /// A later part of a record that was split.
    Continuation,
    /// A type that the standard does not define.
    Unknown,
    /// A response with a status below 200, or of 300 and above. For example, the page was not found, or has moved.
    Status,
    /// A response of a protocol other than HTTP, such as DNS.
    NotHttp,
    /// Neither HTML nor text, for example images, scripts or style sheets.
    NotText,
    /// A document of more than 256 MiB after decompression. Such a record counts as bad, while a record with any other reason is
    /// only skipped.
    TooLong,
}

impl Skip {
    fn of(warc_type: &str) -> Self {
        match &*warc_type.to_ascii_lowercase() {
            "request" => Self::Request,
            "metadata" | "warcinfo" => Self::Metadata,
            "revisit" => Self::Revisit,
            "continuation" => Self::Continuation,
            _ => Self::Unknown,
        }
    }
}

/// Returns whether a content type is HTML, or an error if it is not text. Without a type, the first bytes decide.
fn is_html(content_type: Option<&str>, body: &[u8]) -> std::result::Result<bool, Skip> {
    const NO_DOCUMENTS: [&str; 8] = [
        "text/css",
        "text/javascript",
        "text/ecmascript",
        "text/jscript",
        "text/x-component",
        "text/calendar",
        "text/vcard",
        "text/dns",
    ];
    let Some(content_type) = content_type else {
        let start = body[..body.len().min(512)]
            .trim_ascii_start()
            .to_ascii_lowercase();
        return if start.starts_with(b"<!doctype html") || start.starts_with(b"<html") {
            Ok(true)
        } else {
            Err(Skip::NotText)
        };
    };
    let media = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    match &*media {
        "text/html" | "application/xhtml+xml" => Ok(true),
        media if media.starts_with("text/") && !NO_DOCUMENTS.contains(&media) => Ok(false),
        _ => Err(Skip::NotText),
    }
}

/// Returns the status of a response: `HTTP/1.1 200 OK`.
fn status(block: &[u8]) -> Option<u16> {
    let line = block.strip_prefix(b"HTTP/")?;
    let mut words =
        line[..memchr::memchr(b'\n', line).unwrap_or(line.len())].split(u8::is_ascii_whitespace);
    let digits = words.nth(1)?;
    std::str::from_utf8(digits)
        .ok()
        .filter(|digits| digits.len() == 3)?
        .parse()
        .ok()
}

/// Joins the chunks of a body (RFC 9112, 7.1), and returns whether there are any. A body that is not chunked stays as it is.
pub(crate) fn join_chunks(body: &[u8], chunks: &mut Vec<u8>) -> bool {
    chunks.clear();
    let mut rest = body;
    // Do not search for the end of a line that does not begin with a number.
    while rest
        .trim_ascii_start()
        .first()
        .is_some_and(u8::is_ascii_hexdigit)
        && let Some(end) = memchr::memchr(b'\n', rest)
    {
        let size = rest[..end]
            .split(|&byte| byte == b';')
            .next()
            .unwrap_or_default()
            .trim_ascii();
        let size = std::str::from_utf8(size)
            .ok()
            .filter(|size| size.len() <= 8 && size.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(size) = size.and_then(|size| usize::from_str_radix(size, 16).ok()) else {
            break;
        };
        rest = &rest[end + 1..];
        if size == 0 {
            return true;
        }
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        chunks.extend_from_slice(chunk);
        rest = after
            .strip_prefix(b"\r\n")
            .or(after.strip_prefix(b"\n"))
            .unwrap_or(after);
    }
    !chunks.is_empty()
}

/// A function that appends the decompressed body, up to a maximum number of bytes.
type Decode = fn(&[u8], u64, &mut Vec<u8>) -> std::io::Result<usize>;

/// The content codings of HTTP.
const CODINGS: [(&[&str], Decode); 4] = [
    (&["gzip", "x-gzip"], |body, most, into| {
        flate2::bufread::MultiGzDecoder::new(body)
            .take(most)
            .read_to_end(into)
    }),
    (&["deflate"], |body, most, into| {
        let ended = flate2::bufread::ZlibDecoder::new(body)
            .take(most)
            .read_to_end(into);
        // Many servers send `deflate` without the zlib frame.
        let bare = ended.is_err() && into.is_empty();
        if bare {
            flate2::bufread::DeflateDecoder::new(body)
                .take(most)
                .read_to_end(into)
        } else {
            ended
        }
    }),
    (&["br"], |body, most, into| {
        brotli_decompressor::Decompressor::new(body, 4096)
            .take(most)
            .read_to_end(into)
    }),
    (&["zstd"], |body, most, into| {
        let mut decoder = zstd::Decoder::with_buffer(body)?;
        decoder.window_log_max(MOST_WINDOW)?;
        decoder.take(most).read_to_end(into)
    }),
];
