//! Extracts the document from a record: joins its chunks and decompresses it.

use std::{
    io::{self, Read},
    ops::Range,
};

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
    /// decompressed into `scratch`. If the server declares a body as compressed and it is not, the body is used as it is. If the
    /// crawler declares that it stored only the beginning of a body, the document is this beginning.
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
                let content_type = self.content_type().or(self.fields.get(Field::Payload));
                Document::of(self.block(), content_type)
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
        let Some((status, line)) = status(block) else {
            // HTTP/0.9 has neither a status nor a header.
            return Document::of(block, None).map_err(|_| Skip::LeftOut("not HTTP"));
        };
        if !(200..300).contains(&status) {
            return Err(Skip::LeftOut("status"));
        }
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
        // Check the type before the body.
        if content_type.is_some() {
            is_html(content_type, b"")?;
        }
        // The crawler may have stored only the beginning.
        let is_whole = self.fields.get(Field::Truncated).is_none();
        if has(Field::TransferEncoding, "chunked")
            && let Some(ended) = join_chunks(body, chunks)
        {
            if is_whole && !ended {
                return Err(Skip::Bad("end before the last chunk"));
            }
            body = chunks;
        }
        let coding = CODINGS
            .iter()
            .find(|(names, _)| names.iter().any(|name| has(Field::ContentEncoding, name)));
        if let Some((_, decode)) = coding {
            decoded.clear();
            let ended = decode(body, longest + 1, decoded);
            if decoded.len() as u64 > longest {
                return Err(Skip::Bad("decompress to more than the limit of 256 MiB"));
            }
            if ended.is_ok() || !is_whole && !decoded.is_empty() {
                body = decoded;
            } else if !is_decompressed(body) {
                return Err(Skip::Bad("cannot be decompressed to their end"));
            }
        }
        Document::of(body, content_type)
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

impl<'a> Document<'a> {
    /// Returns the document with this body, if its type is that of a text.
    fn of(body: &'a [u8], content_type: Option<&'a str>) -> std::result::Result<Self, Skip> {
        Ok(Self {
            body,
            is_html: is_html(content_type, body)?,
            charset: content_type.and_then(charset),
        })
    }
}

/// The reason why a record has no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// The record is left out.
    LeftOut(&'static str),
    /// The record is bad: what is wrong with the bytes of its body.
    Bad(&'static str),
}

impl Skip {
    fn of(warc_type: &str) -> Self {
        Self::LeftOut(match &*warc_type.to_ascii_lowercase() {
            // The request of a crawler.
            "request" => "request",
            // Information about a record, a crawl or a file.
            "metadata" | "warcinfo" => "metadata",
            // A page that was already stored: the record has no content of its own.
            "revisit" => "revisit",
            // A later part of a record that was split.
            "continuation" => "continuation",
            _ => "unknown type",
        })
    }
}

/// Neither HTML nor text, for example images, scripts or style sheets.
const NOT_TEXT: Skip = Skip::LeftOut("not text");

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
            Err(NOT_TEXT)
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
        _ => Err(NOT_TEXT),
    }
}

/// Returns the status of a response, such as `HTTP/1.1 200 OK`, and the length of the block up to the end of this line. The line
/// is read as browsers read it: empty lines may precede it, its letters may have any case, there may be more white space or no
/// version, `ICY` (SHOUTcast) is also HTTP, and a line without a number means success.
fn status(block: &[u8]) -> Option<(u16, usize)> {
    let start = block.len() - block.trim_ascii_start().len();
    let line = memchr::memchr(b'\n', &block[start..]).map_or(block.len(), |end| start + end + 1);
    let mut words = block[start..line]
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let protocol = words.next()?.split(|&byte| byte == b'/').next()?;
    if ![&b"HTTP"[..], b"ICY"]
        .iter()
        .any(|known| protocol.eq_ignore_ascii_case(known))
    {
        return None;
    }
    let word = words.next().unwrap_or_default();
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let status = match std::str::from_utf8(&word[..digits]).ok()? {
        "" => 200,
        digits => digits.parse().unwrap_or(0),
    };
    Some((status, line))
}

/// Joins the chunks of a body (RFC 9112, 7.1), and returns whether the last one is there. Returns none if there are no chunks: such a
/// body stays as it is.
pub(crate) fn join_chunks(body: &[u8], chunks: &mut Vec<u8>) -> Option<bool> {
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
            return Some(true);
        }
        let (chunk, after) = rest.split_at(size.min(rest.len()));
        chunks.extend_from_slice(chunk);
        rest = after
            .strip_prefix(b"\r\n")
            .or(after.strip_prefix(b"\n"))
            .unwrap_or(after);
    }
    (!chunks.is_empty()).then_some(false)
}

/// Returns whether a body that cannot be decompressed is text, which the crawler has decompressed. About one byte in ten of compressed
/// data is a control character, and text has none, except in UTF-16.
fn is_decompressed(body: &[u8]) -> bool {
    let is_control = |byte| matches!(byte, 0..=8 | 14..=26 | 28..=31);
    let start = &body[..body.len().min(4096)];
    start.starts_with(b"\xff\xfe")
        || start.starts_with(b"\xfe\xff")
        || !start.iter().any(|&byte| is_control(byte))
}

/// Appends the bytes of a stream, up to a maximum number. The pieces have a fixed size, because a decoder that fails loses what it
/// decoded for the same piece, and the same body must always give the same bytes.
fn read_all(stream: impl Read, most: u64, into: &mut Vec<u8>) -> io::Result<()> {
    let (mut stream, mut piece) = (stream.take(most), [0; 1 << 13]);
    loop {
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            length => into.extend_from_slice(&piece[..length]),
        }
    }
}

/// A function that appends the decompressed body, up to a maximum number of bytes.
type Decode = fn(&[u8], u64, &mut Vec<u8>) -> io::Result<()>;

/// Decompresses a body. These readers take the end of the bytes for the end of the stream, so a stream that is cut off is recognised
/// by the zero after it, which is then read.
macro_rules! inflate {
    ($decoder:ident, $body:expr, $most:expr, $into:expr) => {{
        let mut stream = flate2::bufread::$decoder::new($body.chain(&b"\0"[..]));
        let ended = read_all(&mut stream, $most, $into);
        if stream.total_in() > $body.len() as u64 {
            Err(io::ErrorKind::UnexpectedEof.into())
        } else {
            ended
        }
    }};
}

/// The content codings of HTTP.
const CODINGS: [(&[&str], Decode); 4] = [
    (&["gzip", "x-gzip"], |mut body, most, into| {
        loop {
            let mut stream = flate2::bufread::GzDecoder::new(body);
            let rest = most.saturating_sub(into.len() as u64);
            read_all(&mut stream, rest, into)?;
            body = stream.into_inner();
            // Other data after a stream is ignored, as in browsers.
            if into.len() as u64 >= most || !body.starts_with(b"\x1f\x8b") {
                return Ok(());
            }
        }
    }),
    (&["deflate"], |body, most, into| {
        let ended = inflate!(ZlibDecoder, body, most, into);
        // Many servers send `deflate` without the zlib frame.
        if ended.is_err() && into.is_empty() {
            inflate!(DeflateDecoder, body, most, into)
        } else {
            ended
        }
    }),
    (&["br"], |body, most, into| {
        read_all(
            brotli_decompressor::Decompressor::new(body, 4096),
            most,
            into,
        )
    }),
    (&["zstd"], |body, most, into| {
        let mut decoder = zstd::Decoder::with_buffer(body)?;
        decoder.window_log_max(MOST_WINDOW)?;
        read_all(decoder, most, into)
    }),
];
