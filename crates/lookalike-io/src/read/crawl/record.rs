//! A record → the document in it, without its chunks and its compression.

use std::{io::Read, ops::Range};

use super::fields::{Field, Fields};
use crate::read::bytes::{dictionary::MOST_WINDOW, encoding::charset};

/// The longest body that is decompressed: no page is longer, and no bomb costs more memory.
const LONGEST_BODY: u64 = 256 << 20;

/// A record, as it stands in the file.
#[derive(Debug, Clone, Copy)]
pub struct WarcRecord<'a> {
    /// The whole record: header, content, and the line ends behind it. All records' bytes behind one another are the file's but
    /// for empty lines at its start.
    pub bytes: &'a [u8],
    /// Where the content starts in `bytes`, and where it ends.
    pub(crate) content: (usize, usize),
    pub(crate) fields: &'a Fields,
}

impl<'a> WarcRecord<'a> {
    /// Where the content block is in the record's bytes.
    pub fn content(&self) -> Range<usize> {
        self.content.0..self.content.1
    }

    fn block(&self) -> &'a [u8] {
        &self.bytes[self.content()]
    }

    /// `WARC-Type`, as it stands: `response`, `request`, `conversion`. Empty where it is missing.
    pub fn warc_type(&self) -> &'a str {
        self.fields.get(Field::Type).unwrap_or_default()
    }

    /// `WARC-Target-URI`, without the angle brackets that some programs put around it.
    pub fn target_uri(&self) -> Option<&'a str> {
        let uri = self.fields.get(Field::TargetUri)?;
        Some(uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')).unwrap_or(uri))
    }

    /// `WARC-Date`, as it stands.
    pub fn date(&self) -> Option<&'a str> {
        self.fields.get(Field::Date)
    }

    /// `WARC-Record-ID`, as it stands: `<urn:uuid:…>`.
    pub fn record_id(&self) -> Option<&'a str> {
        self.fields.get(Field::RecordId)
    }

    /// The content block's type, which for a response is `application/http`.
    pub fn content_type(&self) -> Option<&'a str> {
        self.fields.get(Field::ContentType)
    }

    /// The document that the record is, or why it is none. Chunks are joined and compression undone, into `room`, where there
    /// are such; what a server calls compressed and is not is taken as it is, and of what breaks off what there is.
    pub fn document<'b>(&self, room: &'b mut Room) -> std::result::Result<Document<'b>, Skip>
    where
        'a: 'b,
    {
        self.document_up_to(LONGEST_BODY, room)
    }

    /// The same, of which a compressed body may have so many bytes.
    pub(crate) fn document_up_to<'b>(&self, longest: u64, room: &'b mut Room) -> std::result::Result<Document<'b>, Skip>
    where
        'a: 'b,
    {
        match self.warc_type() {
            kind if kind.eq_ignore_ascii_case("response") => self.response(longest, room),
            kind if kind.eq_ignore_ascii_case("resource") || kind.eq_ignore_ascii_case("conversion") => {
                let block = self.block();
                let content_type = self.content_type().or(self.fields.get(Field::Payload));
                let is_html = is_html(content_type, block)?;
                Ok(Document { body: block, is_html, charset: content_type.and_then(charset) })
            }
            kind => Err(Skip::of(kind)),
        }
    }

    fn response<'b>(&self, longest: u64, room: &'b mut Room) -> std::result::Result<Document<'b>, Skip>
    where
        'a: 'b,
    {
        let block = self.block();
        let status = status(block).ok_or(Skip::NotHttp)?;
        if !(200..300).contains(&status) {
            return Err(Skip::Status);
        }
        let line = memchr::memchr(b'\n', block).map_or(block.len(), |end| end + 1);
        let Room { http, chunks, decoded } = room;
        let mut body = &block[line + http.read(&block[line..])..];
        let content_type = http.get(Field::ContentType).or(self.fields.get(Field::Payload));
        let has = |field, coding: &str| {
            let codings = http.places.iter().filter(|(is, _)| *is == field);
            codings
                .flat_map(|(_, place)| http.text[place.clone()].split(','))
                .any(|given| given.trim().eq_ignore_ascii_case(coding))
        };
        if has(Field::TransferEncoding, "chunked") && join_chunks(body, chunks) {
            body = chunks;
        }
        // The type is looked at before anything is decompressed.
        if content_type.is_some() {
            is_html(content_type, b"")?;
        }
        let coding = CODINGS.iter().find(|(names, _)| names.iter().any(|name| has(Field::ContentEncoding, name)));
        if let Some((_, decode)) = coding {
            decoded.clear();
            // A failure at the start: it is not compressed. Later: it breaks off.
            let ended = decode(body, longest + 1, decoded);
            if decoded.len() as u64 > longest {
                return Err(Skip::TooLong);
            }
            if ended.is_ok() || !decoded.is_empty() {
                body = decoded;
            }
        }
        let is_html = is_html(content_type, body)?;
        Ok(Document { body, is_html, charset: content_type.and_then(charset) })
    }
}

/// The buffers of [`WarcRecord::document`], used again for the next.
#[derive(Debug, Default)]
pub struct Room {
    http: Fields,
    chunks: Vec<u8>,
    decoded: Vec<u8>,
}

/// What a record has for a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// The bytes, nothing compressed, in what encoding ever.
    pub body: &'a [u8],
    /// Whether it is HTML: else plain text.
    pub is_html: bool,
    /// The charset that comes with its type, for [`decode`](crate::read::bytes::encoding::decode) or
    /// [`declared_in_html`](crate::read::bytes::encoding::declared_in_html).
    pub charset: Option<&'a str>,
}

/// Why a record is no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// What a crawler asked for.
    Request,
    /// About a record, a crawl or a file.
    Metadata,
    /// Seen before: it has no content of its own.
    Revisit,
    /// A further part of a record that was split.
    Continuation,
    /// Of a type that the standard does not have.
    Unknown,
    /// A status below 200 or from 300 on: not found, moved.
    Status,
    /// A response, but not of HTTP: of the name service, say.
    NotHttp,
    /// Neither HTML nor text: images, scripts, style sheets.
    NotText,
    /// A document of more than 256 MiB without its compression: a bad record, where the others are passed over.
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

/// Whether a content type is one of HTML; an error where it is none of text. Where there is no type, the first bytes decide.
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
        let start = body[..body.len().min(512)].trim_ascii_start().to_ascii_lowercase();
        return if start.starts_with(b"<!doctype html") || start.starts_with(b"<html") { Ok(true) } else { Err(Skip::NotText) };
    };
    let media = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match &*media {
        "text/html" | "application/xhtml+xml" => Ok(true),
        media if media.starts_with("text/") && !NO_DOCUMENTS.contains(&media) => Ok(false),
        _ => Err(Skip::NotText),
    }
}

/// The status of a response: `HTTP/1.1 200 OK`.
fn status(block: &[u8]) -> Option<u16> {
    let line = block.strip_prefix(b"HTTP/")?;
    let mut words = line[..memchr::memchr(b'\n', line).unwrap_or(line.len())].split(u8::is_ascii_whitespace);
    let digits = words.nth(1)?;
    std::str::from_utf8(digits).ok().filter(|digits| digits.len() == 3)?.parse().ok()
}

/// Joins the chunks of a body (RFC 9112, 7.1). Whether there were some: a body that is none is left.
pub(crate) fn join_chunks(body: &[u8], chunks: &mut Vec<u8>) -> bool {
    chunks.clear();
    let mut rest = body;
    // A line that begins with no number is not searched for its end.
    while rest.trim_ascii_start().first().is_some_and(u8::is_ascii_hexdigit)
        && let Some(end) = memchr::memchr(b'\n', rest)
    {
        let size = rest[..end].split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
        let size =
            std::str::from_utf8(size).ok().filter(|size| size.len() <= 8 && size.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(size) = size.and_then(|size| usize::from_str_radix(size, 16).ok()) else { break };
        rest = &rest[end + 1..];
        if size == 0 {
            return true;
        }
        let (chunk, behind) = rest.split_at(size.min(rest.len()));
        chunks.extend_from_slice(chunk);
        rest = behind.strip_prefix(b"\r\n").or(behind.strip_prefix(b"\n")).unwrap_or(behind);
    }
    !chunks.is_empty()
}

/// Appends a body without its compression, so many bytes of it at most.
type Decode = fn(&[u8], u64, &mut Vec<u8>) -> std::io::Result<usize>;

/// The content codings of HTTP.
const CODINGS: [(&[&str], Decode); 4] = [
    (&["gzip", "x-gzip"], |body, most, into| flate2::bufread::MultiGzDecoder::new(body).take(most).read_to_end(into)),
    (&["deflate"], |body, most, into| {
        let ended = flate2::bufread::ZlibDecoder::new(body).take(most).read_to_end(into);
        // Many servers leave the frame away.
        let bare = ended.is_err() && into.is_empty();
        if bare { flate2::bufread::DeflateDecoder::new(body).take(most).read_to_end(into) } else { ended }
    }),
    (&["br"], |body, most, into| brotli_decompressor::Decompressor::new(body, 4096).take(most).read_to_end(into)),
    (&["zstd"], |body, most, into| {
        let mut decoder = zstd::Decoder::with_buffer(body)?;
        decoder.window_log_max(MOST_WINDOW)?;
        decoder.take(most).read_to_end(into)
    }),
];
