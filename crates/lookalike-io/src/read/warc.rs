//! WARC (ISO 28500; 0.17, 1.0, 1.1) over decompressed bytes: records one by one, as they stand, and the documents in them.
//!
//! What is a document: what a server answered with a status of 200 to 299, in HTML or another text type; a `resource` or
//! `conversion` (WET files) of such a type. All else is passed over and counted by kind ([`Skip`]).

use std::{io::Read, ops::Range};

use crate::{
    error::{Error, ErrorKind, Result},
    store::shown_name,
};

use lookalike::shown::{cut, quoted};

use super::encoding::charset;

/// The longest record that is read, and the longest header.
const LONGEST: u64 = 2 << 30;
const LONGEST_HEADER: usize = 1 << 20;

/// The longest body that is decompressed: no page is longer, and no bomb costs more memory.
const LONGEST_BODY: u64 = 256 << 20;

/// The largest window of zstd, as a power of two: of what is packed with a larger one than is usual nothing could be read.
pub(super) const MOST_WINDOW: u32 = 31;

/// The fewest bytes asked for at once.
const PIECE: usize = 64 << 10;

/// Reads records into one buffer, used again for the next: memory is that of the longest record.
#[derive(Debug)]
pub struct WarcReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// The part of the buffer that was read and not given.
    start: usize,
    filled: usize,
    /// Where `start` is in the file.
    offset: u64,
    records: u64,
    ended: bool,
    fields: Fields,
}

/// What is looked for in headers, WARC's and HTTP's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Type,
    TargetUri,
    Date,
    RecordId,
    ContentType,
    ContentLength,
    Payload,
    Truncated,
    TransferEncoding,
    ContentEncoding,
}

const FIELDS: [(&str, Field); 10] = [
    ("warc-type", Field::Type),
    ("warc-target-uri", Field::TargetUri),
    ("warc-date", Field::Date),
    ("warc-record-id", Field::RecordId),
    ("content-type", Field::ContentType),
    ("content-length", Field::ContentLength),
    ("warc-identified-payload-type", Field::Payload),
    ("warc-truncated", Field::Truncated),
    ("transfer-encoding", Field::TransferEncoding),
    ("content-encoding", Field::ContentEncoding),
];

/// The fields of one header, folded lines joined. Used again for the next.
#[derive(Debug, Default)]
struct Fields {
    text: String,
    places: Vec<(Field, Range<usize>)>,
}

impl Fields {
    /// Reads lines up to an empty one, or all. The position behind it. A line that is no field is passed over.
    fn read(&mut self, bytes: &[u8]) -> usize {
        self.text.clear();
        self.places.clear();
        let (mut at, mut folds) = (0, false);
        while at < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |distance| at + distance + 1);
            let line = bytes[at..end].trim_ascii_end();
            at = end;
            if line.is_empty() {
                break;
            }
            if line[0].is_ascii_whitespace() {
                if folds && let Some((_, place)) = self.places.last_mut() {
                    self.text.push(' ');
                    self.text.push_str(&String::from_utf8_lossy(line.trim_ascii_start()));
                    place.end = self.text.len();
                }
                continue;
            }
            folds = false;
            let Some(colon) = memchr::memchr(b':', line) else { continue };
            let name = line[..colon].trim_ascii_end();
            if let Some((_, field)) = FIELDS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes())) {
                let start = self.text.len();
                self.text.push_str(&String::from_utf8_lossy(line[colon + 1..].trim_ascii_start()));
                self.places.push((*field, start..self.text.len()));
                folds = true;
            }
        }
        at
    }

    /// A field's value; the first where it is there more than once.
    fn get(&self, field: Field) -> Option<&str> {
        let (_, place) = self.places.iter().find(|(is, _)| *is == field)?;
        Some(self.text[place.clone()].trim_ascii())
    }
}

/// A record, as it stands in the file.
#[derive(Debug, Clone, Copy)]
pub struct WarcRecord<'a> {
    /// The whole record: header, content, and the line ends behind it. All records' bytes behind one another are the file's but
    /// for empty lines at its start.
    pub bytes: &'a [u8],
    /// Where the content starts in `bytes`, and where it ends.
    content: (usize, usize),
    fields: &'a Fields,
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
    fn document_up_to<'b>(&self, longest: u64, room: &'b mut Room) -> std::result::Result<Document<'b>, Skip>
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
    /// The charset that comes with its type, for [`decode`](super::encoding::decode) or
    /// [`declared_in_html`](super::encoding::declared_in_html).
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
fn join_chunks(body: &[u8], chunks: &mut Vec<u8>) -> bool {
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

impl<R: Read> WarcReader<R> {
    /// At the beginning of a file, decompressed.
    pub fn new(input: R) -> Self {
        let (buffer, fields) = (Vec::new(), Fields::default());
        Self { input, buffer, start: 0, filled: 0, offset: 0, records: 0, ended: false, fields }
    }

    /// The next record, or none at the end. `path` names the file in errors.
    ///
    /// # Errors
    /// When the file cannot be read, is not WARC, or a record is not as long as it says; the message has the record's number and
    /// place. Nothing may be read then any more.
    pub fn next(&mut self, path: &str) -> Result<Option<WarcRecord<'_>>> {
        self.skip_line_ends(path)?;
        if !self.has(1, path)? {
            return Ok(None);
        }
        self.records += 1;
        let header = self.header_end(path)?;
        let length = self.content_length(header, path)?;
        let end = header + length;
        if !self.has(end, path)? {
            let there = self.filled - self.start - header;
            let uri = self.fields.get(Field::TargetUri).map_or(String::new(), |uri| format!(" ({})", cut(&shown_name(uri))));
            let problem = format!(
                "the file ends after {there} of its {length} bytes of content{uri}: it is truncated, or the Content-Length is wrong; \
                 copy or download it again"
            );
            return Err(self.refused(path, &problem));
        }
        // The line ends behind it are the record's.
        let mut whole = end;
        while self.has(whole + 1, path)? && matches!(self.buffer[self.start + whole], b'\r' | b'\n') {
            whole += 1;
        }
        self.has(whole + 5, path)?;
        let behind = &self.buffer[self.start + whole..self.filled];
        if !(behind.is_empty() || behind.starts_with(b"WARC/")) {
            let problem = format!(
                "no record begins behind its {length} bytes of content: its Content-Length is wrong; write the file again with \
                 another program, or cut the record out"
            );
            return Err(self.refused(path, &problem));
        }
        let start = self.start;
        self.start += whole;
        self.offset += whole as u64;
        Ok(Some(WarcRecord { bytes: &self.buffer[start..start + whole], content: (header, end), fields: &self.fields }))
    }

    /// The file begins with a record, or empty lines.
    fn skip_line_ends(&mut self, path: &str) -> Result<()> {
        while self.records == 0 && self.has(1, path)? && matches!(self.buffer[self.start], b'\r' | b'\n') {
            self.start += 1;
            self.offset += 1;
        }
        Ok(())
    }

    /// Where the header ends that begins at the start: behind its empty line.
    fn header_end(&mut self, path: &str) -> Result<usize> {
        self.has(5, path)?;
        if !self.buffer[self.start..self.filled].starts_with(b"WARC/") {
            return Err(self.refused(path, "it does not begin with WARC/: is this WARC, and not ARC or something else?"));
        }
        let mut searched = 0;
        loop {
            let read = &self.buffer[self.start..self.filled];
            while let Some(distance) = memchr::memchr(b'\n', &read[searched..]) {
                searched += distance + 1;
                let line = &read[searched..];
                if line.starts_with(b"\n") || line.starts_with(b"\r\n") {
                    return Ok(searched + if line[0] == b'\n' { 1 } else { 2 });
                }
                if line.is_empty() || line == b"\r" {
                    // The line's end may come with the next bytes.
                    searched -= 1;
                    break;
                }
            }
            let more = self.filled - self.start + 1;
            if more > LONGEST_HEADER {
                return Err(self.refused(path, "its header has no end in 1 MiB: is this WARC?"));
            }
            if !self.has(more, path)? {
                return Err(self.refused(path, "the file ends in its header: it is truncated; copy or download it again"));
            }
        }
    }

    /// Reads the header's fields.
    fn content_length(&mut self, header: usize, path: &str) -> Result<usize> {
        let bytes = &self.buffer[self.start..self.start + header];
        let version = memchr::memchr(b'\n', bytes).map_or(header, |end| end + 1);
        self.fields.read(&bytes[version..]);
        let length = self.fields.get(Field::ContentLength);
        let problem = match length.map(|length| (length, length.parse::<u64>())) {
            Some((_, Ok(length))) if length <= LONGEST => return Ok(length as usize),
            Some((_, Ok(length))) => {
                let uri = self.fields.get(Field::TargetUri).map_or(String::new(), |uri| format!(" ({})", cut(&shown_name(uri))));
                format!("its content is {length} bytes long{uri}: no more than 2 GiB are read; cut the record out")
            }
            Some((length, Err(_))) => format!("its Content-Length {} is no number of bytes", quoted(length)),
            None => "it has no Content-Length".into(),
        };
        Err(self.refused(path, &problem))
    }

    /// Reads until so many bytes are there from the start on. Whether they are: else the file ended.
    fn has(&mut self, count: usize, path: &str) -> Result<bool> {
        while self.filled - self.start < count && !self.ended {
            if self.start > 0 && self.start + count.max(PIECE) > self.buffer.len() {
                self.buffer.copy_within(self.start..self.filled, 0);
                (self.start, self.filled) = (0, self.filled - self.start);
            }
            if self.filled == self.buffer.len() {
                // What a record says of its length is not believed further than what came of it.
                let wanted = (self.start + count).min(self.filled * 2).max(self.filled + PIECE);
                self.buffer.resize(wanted, 0);
            }
            match self.input.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::reading(path, &error)),
            }
        }
        Ok(self.filled - self.start >= count)
    }

    fn refused(&self, path: &str, problem: &str) -> Error {
        let (record, offset) = (self.records, self.offset);
        Error::new(ErrorKind::Input, format!("{path}: record {record}, at byte {offset} of the decompressed file: {problem}"))
    }
}

/// Bytes of a frame's header that [`zstd_dictionary_length`] looks at.
pub const ZSTD_FRAME_HEADER: usize = 8;

/// The length of the dictionary that a `.warc.zst` begins with, if it begins with one: in a skippable frame of its own, of
/// these eight bytes and so many more (IIPC, "Use of Zstandard in WARC files", 2020).
///
/// The opener reads eight bytes, then as many as this says, makes a dictionary of them ([`zstd_dictionary`]), and decompresses
/// what follows with it, frame by frame (`zstd::Decoder::with_dictionary`, which goes on from frame to frame).
pub fn zstd_dictionary_length(start: &[u8; ZSTD_FRAME_HEADER]) -> Option<u32> {
    let [magic, length] = [&start[..4], &start[4..]].map(|bytes| bytes.try_into().map_or(0, u32::from_le_bytes));
    (magic == 0x184d_2a5d).then_some(length)
}

/// The dictionary in such a frame, which may be compressed itself.
///
/// # Errors
/// When it is damaged, or longer than 256 MiB.
pub fn zstd_dictionary(content: &[u8]) -> std::io::Result<Vec<u8>> {
    if !content.starts_with(&0xfd2f_b528u32.to_le_bytes()) {
        return Ok(content.to_vec());
    }
    let mut dictionary = Vec::new();
    zstd::Decoder::with_buffer(content)?.take(LONGEST_BODY + 1).read_to_end(&mut dictionary)?;
    if dictionary.len() as u64 > LONGEST_BODY {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "its dictionary is longer than 256 MiB"));
    }
    Ok(dictionary)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    /// Gives so many bytes at a time.
    struct Slowly<'a>(&'a [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(into.len());
            self.0.read(&mut into[..count])
        }
    }

    fn testdata(name: &str) -> Vec<u8> {
        std::fs::read(format!("{}/../../testdata/formats/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn crawl() -> Vec<u8> {
        let mut plain = Vec::new();
        flate2::read::MultiGzDecoder::new(&*testdata("crawl.warc.gz")).read_to_end(&mut plain).unwrap();
        plain
    }

    /// What warcio reads: fields of all records, and the bodies by their length and checksum.
    #[test]
    fn a_crawl_is_read_as_warcio_reads_it() {
        let judged: Vec<serde_json::Value> = serde_json::from_slice(&testdata("crawl.json")).unwrap();
        let file = crawl();
        let (mut reader, mut room, mut bytes, mut documents, mut skipped) =
            (WarcReader::new(Slowly(&file, 1000)), Room::default(), Vec::new(), 0, Vec::new());
        for judged in &judged {
            let record = reader.next("crawl").unwrap().unwrap();
            bytes.extend_from_slice(record.bytes);
            assert_eq!(record.warc_type(), judged["type"]);
            assert_eq!(record.target_uri().unwrap_or_default(), judged["uri"].as_str().unwrap_or_default());
            assert_eq!(record.record_id(), judged["id"].as_str());
            assert_eq!(record.date(), judged["date"].as_str());
            assert_eq!(record.content_type(), judged["content_type"].as_str());
            let succeeded = judged["status"].is_null() || judged["status"].as_str().unwrap().starts_with('2');
            match record.document(&mut room) {
                Ok(document) => {
                    assert!(succeeded);
                    assert_eq!(document.body.len(), judged["bytes"], "{:?}", record.target_uri());
                    let mut check = flate2::Crc::new();
                    check.update(document.body);
                    assert_eq!(check.sum(), judged["crc32"], "{:?}", record.target_uri());
                    documents += 1;
                }
                Err(skip) => skipped.push(skip),
            }
        }
        assert!(reader.next("crawl").unwrap().is_none());
        assert_eq!(bytes, file);
        assert_eq!(documents, 11);
        skipped.sort();
        let mut counts: Vec<(Skip, usize)> = Vec::new();
        for skip in skipped {
            match counts.last_mut() {
                Some((last, count)) if *last == skip => *count += 1,
                _ => counts.push((skip, 1)),
            }
        }
        use Skip::*;
        assert_eq!(counts, [(Request, 13), (Metadata, 2), (Revisit, 1), (Status, 2), (NotHttp, 1), (NotText, 2)]);
    }

    /// The texts behind all codings.
    #[test]
    fn documents_are_what_the_servers_sent() {
        let file = crawl();
        let (mut reader, mut room, mut found) = (WarcReader::new(&*file), Room::default(), Vec::new());
        while let Some(record) = reader.next("crawl").unwrap() {
            let uri = record.target_uri().unwrap_or_default().rsplit('/').next().unwrap().to_owned();
            if let Ok(Document { body, is_html, charset }) = record.document(&mut room) {
                let mut text = String::new();
                let text = super::super::encoding::decode(body, charset, &mut text).text.to_owned();
                found.push((uri, is_html, charset.map(str::to_owned), text));
            }
        }
        let of = |uri: &str| found.iter().find(|document| document.0 == uri).unwrap();
        assert!(of("ru").3.contains("Все люди рождаются свободными и равными"));
        assert!(of("ja").3.contains("すべての人間は、生まれながらにして自由である。"));
        assert!(of("plain").3.contains("All human beings are born free and equal"));
        for same in ["both", "br", "deflate", "bare", "not-chunked"] {
            assert_eq!(of(same).3, of("plain").3, "{same}");
        }
        assert_eq!(of("notes.txt"), &("notes.txt".into(), false, Some("iso-8859-1".into()), "Grüße aus München.\n".into()));
        assert_eq!(found.iter().filter(|document| document.1).count(), 7);
    }

    #[test]
    fn a_dictionary_in_front_decompresses_the_rest() {
        let file = testdata("crawl.warc.zst");
        let length = zstd_dictionary_length(file[..ZSTD_FRAME_HEADER].try_into().unwrap()).unwrap() as usize;
        let (content, rest) = file[ZSTD_FRAME_HEADER..].split_at(length);
        let dictionary = zstd_dictionary(content).unwrap();
        let mut plain = Vec::new();
        zstd::Decoder::with_dictionary(rest, &dictionary).unwrap().read_to_end(&mut plain).unwrap();
        assert_eq!(plain, crawl());
        assert_eq!(zstd_dictionary(&dictionary).unwrap(), dictionary);
        assert_eq!(zstd_dictionary_length(rest[..ZSTD_FRAME_HEADER].try_into().unwrap()), None);
    }

    #[derive(Debug, Clone)]
    struct Written {
        version: &'static str,
        uri: String,
        content: Vec<u8>,
        folded: bool,
        end: &'static str,
    }

    fn written() -> impl Strategy<Value = Written> {
        let content = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            "(WARC/1.0\r\n|\r\n|\n|a){0,9}".prop_map(String::into_bytes),
            (0usize..200_000).prop_map(|length| vec![b'x'; length]),
        ];
        let versions = prop::sample::select(vec!["0.17", "1.0", "1.1"]);
        (versions, "http://[a-zé]{1,9}/", content, any::<bool>(), prop::sample::select(vec!["\r\n", "\n"]))
            .prop_map(|(version, uri, content, folded, end)| Written { version, uri, content, folded, end })
    }

    fn write(records: &[Written]) -> Vec<u8> {
        let mut file = Vec::new();
        for Written { version, uri, content, folded, end } in records {
            let fold = if *folded { format!("{end} \t") } else { " ".into() };
            let (half, other) = uri.split_at(7);
            let fields = [
                format!("WARC/{version}"),
                "WARC-Type: resource".into(),
                format!("X-Other:{fold}thing"),
                format!("warc-target-uri:{fold}<{half}{other}>"),
                format!("Content-Length : {}", content.len()),
                format!("Content-Type: text/plain;{fold}charset=utf-8"),
            ];
            fields.iter().for_each(|field| write!(file, "{field}{end}").unwrap());
            file.extend_from_slice(end.as_bytes());
            file.extend_from_slice(content);
            file.extend_from_slice(end.repeat(2).as_bytes());
        }
        file
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn what_is_written_is_read(records in prop::collection::vec(written(), 0..6), piece in 1usize..70_000) {
            let file = write(&records);
            let (mut reader, mut bytes, mut room) = (WarcReader::new(Slowly(&file, piece)), Vec::new(), Room::default());
            for written in &records {
                let record = reader.next("f").unwrap().unwrap();
                bytes.extend_from_slice(record.bytes);
                prop_assert_eq!(&record.bytes[record.content()], &written.content[..]);
                prop_assert_eq!(record.target_uri(), Some(&*written.uri));
                prop_assert_eq!(record.warc_type(), "resource");
                let document = record.document(&mut room).unwrap();
                prop_assert_eq!((document.body, document.is_html, document.charset), (&written.content[..], false, Some("utf-8")));
            }
            prop_assert!(reader.next("f").unwrap().is_none());
            prop_assert_eq!(bytes, file);
        }

        /// Whatever is missing at the end, or wrong in a length, is told or was line ends only; nothing panics.
        #[test]
        fn what_is_cut_off_is_told(records in prop::collection::vec(written(), 1..4), cut in any::<prop::sample::Index>(), piece in 1usize..100) {
            let file = write(&records);
            let cut = &file[..cut.index(file.len())];
            let mut reader = WarcReader::new(Slowly(cut, piece));
            let mut read = 0;
            let ended = loop {
                match reader.next("f") {
                    Ok(Some(record)) => read += record.bytes.len(),
                    Ok(None) => break true,
                    Err(error) => {
                        prop_assert!(error.to_string().contains("copy or download") || error.to_string().contains("begin"), "{}", error);
                        break false;
                    }
                }
            };
            prop_assert_eq!(ended, read == cut.len());
        }

        #[test]
        fn chunks_are_joined(body in prop::collection::vec(any::<u8>(), 1..300), sizes in prop::collection::vec(1usize..40, 1..5), cut in 0usize..400) {
            let (mut file, mut rest, mut sizes) = (Vec::new(), &body[..], sizes.iter().cycle());
            while !rest.is_empty() {
                let (chunk, behind) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
                write!(file, "{:X}\r\n", chunk.len()).unwrap();
                file.extend_from_slice(chunk);
                file.extend_from_slice(b"\r\n");
                rest = behind;
            }
            file.extend_from_slice(b"0\r\n\r\n");
            let mut chunks = Vec::new();
            prop_assert!(join_chunks(&file, &mut chunks));
            prop_assert_eq!(&chunks, &body);
            join_chunks(&file[..cut.min(file.len())], &mut chunks);
            prop_assert!(body.starts_with(&chunks));
        }
    }

    #[test]
    fn a_body_up_to_the_limit_is_read_and_a_longer_one_is_too_long() {
        let body = [b'x'; 5000];
        let packed = |coding: &str| {
            let mut packed = Vec::new();
            match coding {
                "gzip" => flate2::write::GzEncoder::new(&mut packed, Default::default()).write_all(&body).unwrap(),
                "deflate" => flate2::write::ZlibEncoder::new(&mut packed, Default::default()).write_all(&body).unwrap(),
                _ => packed = zstd::encode_all(&body[..], 1).unwrap(),
            }
            packed
        };
        for coding in ["gzip", "deflate", "zstd"] {
            let mut content =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {coding}\r\n\r\n").into_bytes();
            content.extend(packed(coding));
            let mut file = format!("WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {}\r\n\r\n", content.len()).into_bytes();
            file.extend(content);
            let (mut reader, mut room) = (WarcReader::new(&*file), Room::default());
            let record = reader.next("f").unwrap().unwrap();
            assert_eq!(record.document_up_to(5000, &mut room).unwrap().body, body, "{coding}");
            assert_eq!(record.document_up_to(4999, &mut room).unwrap_err(), Skip::TooLong, "{coding}");
        }
    }

    #[test]
    fn a_chunk_with_a_long_extension_is_joined() {
        let body = format!("3;{}\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "x".repeat(5000));
        let mut chunks = Vec::new();
        assert!(join_chunks(body.as_bytes(), &mut chunks));
        assert_eq!(chunks, b"abcde");
    }

    #[test]
    fn errors_in_a_table() {
        let good = "WARC/1.0\r\nContent-Length: 2\r\n\r\nab\r\n\r\n";
        for (file, problem) in [
            ("{\"text\": 1}", "f: record 1, at byte 0 of the decompressed file: it does not begin with WARC/"),
            ("\n\nWARC/1.0\n\n", "f: record 1, at byte 2 of the decompressed file: it has no Content-Length"),
            (
                "WARC/1.0\nContent-Length: -1\n\n",
                "f: record 1, at byte 0 of the decompressed file: its Content-Length \"-1\" is no number",
            ),
            (
                "WARC/1.0\nContent-Length: 9999999999\n\n",
                "f: record 1, at byte 0 of the decompressed file: its content is 9999999999 bytes",
            ),
            (
                "WARC/1.0\r\nContent-Length: 9\r\n\r\nab\r\n\r\n",
                "f: record 1, at byte 0 of the decompressed file: the file ends after 6 of its 9",
            ),
            (
                "WARC/1.0\nContent-Length: 1\n\nab\n\n",
                "f: record 1, at byte 0 of the decompressed file: no record begins behind its 1",
            ),
            ("WARC/1.0\nContent-Len", "f: record 1, at byte 0 of the decompressed file: the file ends in its header"),
        ] {
            let told = WarcReader::new(file.as_bytes()).next("f").unwrap_err().to_string();
            assert!(told.starts_with(problem), "{told}");
            if file.starts_with("WARC") {
                let second = format!("{good}{file}");
                let mut reader = WarcReader::new(second.as_bytes());
                assert!(reader.next("f").unwrap().is_some());
                let told = reader.next("f").unwrap_err().to_string();
                assert!(
                    told.starts_with(&problem.replace("record 1, at byte 0", &format!("record 2, at byte {}", good.len()))),
                    "{told}"
                );
            }
        }
    }
}
