//! What one thread works on at a time: some records that follow each other.

use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

#[cfg(feature = "warc")]
use lookalike::shown::cut;
use lookalike::shown::quoted;
use xxhash_rust::xxh3::xxh3_128;

#[cfg(feature = "tables")]
use super::table::Rows;
#[cfg(not(feature = "tables"))]
use super::tables::Rows;
#[cfg(feature = "warc")]
use super::warc;
use super::{
    Source,
    cells::Columns,
    delimited::{self, Cells},
    files::Files,
    foreign,
    page::Pages,
    reading::Reading,
    record::{self, Fault, Found, Record, Unit},
};
#[cfg(feature = "warc")]
use crate::store::shown_name;
use crate::{
    error::{Error, ErrorKind},
    format::BYTE_ORDER_MARK,
};

/// Some records of a part of the source that follow each other: of a file of lines, those that begin in one span of its bytes,
/// decompressed, from `index` times the source's span on. Which they are depends on the input alone, so every pass sees the same
/// blocks, whatever the number of threads and however the input is stored. Where a long line covers a span, its block has no
/// record. A buffer, used again for the next.
#[derive(Debug, Default)]
pub struct Block {
    pub(super) buffer: Vec<u8>,
    /// Where each record lies in the buffer.
    spans: Vec<Span>,
    /// What they are.
    pub(super) records: Records,
    /// Number of the block in the whole source, from 0: known in passes after the first.
    pub number: usize,
    /// Number of the part.
    pub part: usize,
    /// Number of the block in the part, from 0.
    pub(super) index: u64,
    /// Whether it is the part's last.
    pub(super) last: bool,
    /// Records of the input before the part.
    pub(super) before: u64,
    /// The record last read, from 0.
    current: AtomicUsize,
}

/// What a block's records are.
#[derive(Debug, Default, Clone)]
pub(super) enum Records {
    /// JSON objects on a line each.
    #[default]
    Lines,
    /// JSON objects of an array.
    Elements,
    /// Of a CSV file with these columns.
    Cells(Arc<Columns>),
    /// Files, and the number of the first.
    Files(Arc<Files>, usize),
    /// Of a crawl.
    #[cfg(feature = "warc")]
    Crawl,
    /// Of a table.
    #[cfg_attr(not(feature = "tables"), expect(dead_code, reason = "there are no rows"))]
    Rows(Arc<Rows>),
}

/// Where a record lies in a buffer of at most 4 GiB: half as large as a range.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Whether a command takes the name of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// It does.
    Encoding,
    /// It does not.
    Nothing,
}

/// What a block is, for those who put it in order.
#[derive(Debug, Clone, Copy)]
pub struct Tag {
    /// The part of the source that it is of.
    pub part: usize,
    /// Which block of its part it is, from 0.
    pub index: u64,
    /// Whether it is the last of its part.
    pub last: bool,
    /// Its records, blank lines among them.
    pub lines: u64,
    /// Those of the input before the part.
    pub before: u64,
}

impl Tag {
    /// The block behind it, by part and index.
    pub fn next(self) -> (usize, u64) {
        if self.last { (self.part + 1, 0) } else { (self.part, self.index + 1) }
    }
}

impl Block {
    /// Takes the bytes of the buffer from `start` to `end` for its lines.
    pub(super) fn holds(&mut self, mut start: usize, end: usize) {
        // A byte order mark before the input's first line is left out.
        if self.index == 0 && self.buffer[start..end].starts_with(BYTE_ORDER_MARK) {
            start += BYTE_ORDER_MARK.len();
        }
        self.spans.clear();
        self.records = Records::Lines;
        let mut from = start as u32;
        self.spans.extend(memchr::memchr_iter(b'\n', &self.buffer[start..end]).map(|at| {
            let end = (start + at + 1) as u32;
            Span { start: std::mem::replace(&mut from, end), end }
        }));
        if (from as usize) < end {
            self.spans.push(Span { start: from, end: end as u32 });
        }
        self.current.store(0, Ordering::Relaxed);
    }

    /// Its buffer, to be filled with other records, each of which is [pushed](Self::push).
    pub(super) fn emptied(&mut self) -> Vec<u8> {
        self.spans.clear();
        self.current.store(0, Ordering::Relaxed);
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer
    }

    /// Takes a place in the buffer for a record.
    pub(super) fn push(&mut self, place: Range<usize>) {
        self.spans.push(Span { start: place.start as u32, end: place.end as u32 });
    }

    /// Takes the buffer with its records.
    pub(super) fn fill(&mut self, buffer: Vec<u8>, records: Records) {
        (self.buffer, self.records) = (buffer, records);
    }

    /// The number of its records, blank lines among them.
    pub fn len(&self) -> usize {
        if let Records::Rows(rows) = &self.records { rows.len() } else { self.spans.len() }
    }

    /// A record as it stands: a line with its newline.
    pub fn raw(&self, at: usize) -> &[u8] {
        self.buffer.get(self.place(at)).unwrap_or_default()
    }

    /// Where a record lies in [`buffer`](Self::bytes).
    pub(crate) fn place(&self, at: usize) -> Range<usize> {
        self.spans.get(at).map_or(0..0, |span| span.range())
    }

    /// What its places are places in.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// All its records as they stand.
    pub(super) fn whole(&self) -> &[u8] {
        match (self.spans.first(), self.spans.last()) {
            (Some(first), Some(last)) => &self.buffer[first.start as usize..last.end as usize],
            _ => &[],
        }
    }

    /// Bytes that were read for a record.
    pub fn size(&self, at: usize) -> u64 {
        if let Records::Rows(rows) = &self.records { rows.text_len(at) as u64 } else { self.place(at).len() as u64 }
    }

    /// Bytes that were read for all of them.
    pub fn total_size(&self) -> u64 {
        match &self.records {
            Records::Rows(rows) => (0..rows.len()).map(|at| rows.text_len(at) as u64).sum(),
            _ => self.whole().len() as u64,
        }
    }

    /// Reads a record; none where a line is blank.
    ///
    /// # Errors
    /// What is no usable record.
    #[inline]
    pub fn record<'a>(&'a self, at: usize, reading: &Reading, room: &'a mut Room) -> Result<Option<Record<'a>>, Fault> {
        self.current.store(at, Ordering::Relaxed);
        let raw = self.raw(at);
        match &self.records {
            Records::Lines if is_blank(raw) => Ok(None),
            Records::Lines | Records::Elements if !reading.of_pages() => {
                let Room { line, text, .. } = room;
                let read = Record::read(self.line(raw, reading, line)?, self.unit(), &reading.fields, text);
                read.map(Some).map_err(|fault| self.not_utf8(at, reading, Naming::Encoding).unwrap_or(fault))
            }
            Records::Lines | Records::Elements => {
                let Room { line, text, pages, page, plain, .. } = room;
                let raw = self.line(raw, reading, line)?;
                let record = Record::read(raw, self.unit(), &reading.fields, text);
                let record = record.map_err(|fault| self.not_utf8(at, reading, Naming::Encoding).unwrap_or(fault))?;
                let text = pages.of_text(record.text.decode(plain), reading, page);
                Ok(Some(Record { text: text.into(), ..record }))
            }
            Records::Cells(_) if delimited::is_blank(raw) => Ok(None),
            Records::Cells(columns) => columns.record(raw, reading, room).map(Some),
            Records::Files(files, first) => document(files, first + at, raw, reading, room).map(Some),
            #[cfg(feature = "warc")]
            Records::Crawl => crawled(raw, reading, room),
            Records::Rows(rows) => row(rows, at, reading, room).map(Some),
        }
    }

    /// A line as it is to be read: in `room`, if it is in another encoding. An array cannot be cut in one, where a character may have
    /// the byte of a quote or a backslash.
    #[inline]
    fn line<'a>(&self, raw: &'a [u8], reading: &Reading, room: &'a mut String) -> Result<&'a [u8], Fault> {
        match reading.line_encoding {
            Some(encoding) if self.is_lines() => decoded_line(raw, encoding, room),
            _ => Ok(raw),
        }
    }

    /// What is wrong with a record of JSON that is not UTF-8, and what can be done; none of one that is, or that is UTF-16.
    pub fn not_utf8(&self, at: usize, reading: &Reading, naming: Naming) -> Option<Fault> {
        let raw = self.raw(at);
        let is_json = matches!(self.records, Records::Lines | Records::Elements);
        let error = simdutf8::compat::from_utf8(raw)
            .err()
            .filter(|_| is_json && reading.line_encoding.is_none_or(|_| !self.is_lines()))?;
        if let Some(fault) = record::of_utf16(raw) {
            return Some(fault);
        }
        let convert = "convert the file to UTF-8, for instance with iconv";
        let advice = match (naming, self.is_lines(), reading.encoding) {
            (Naming::Nothing, ..) => convert.into(),
            (Naming::Encoding, false, _) => format!("a JSON array is read as UTF-8 only: {convert}, or write JSON Lines"),
            (Naming::Encoding, true, None | Some("UTF-8")) => {
                format!("{convert}, or name its encoding with --encoding, such as gb18030")
            }
            (Naming::Encoding, true, Some(name)) if name.starts_with("UTF-16") => {
                format!("JSON Lines are not read as {name}: {convert}, or name its encoding with --encoding, such as gb18030")
            }
            (Naming::Encoding, true, Some(_)) => {
                format!(
                    "--encoding is for JSON Lines that are not read together with other formats: {convert}, or read it by itself"
                )
            }
        };
        let of = if self.is_lines() { "line" } else { "record" };
        Some(Fault(format!("invalid UTF-8 at byte {} of the {of}; {advice}", error.valid_up_to() + 1)))
    }

    /// Whether a record is a line in another encoding than UTF-8.
    pub(crate) fn is_encoded(&self, at: usize, reading: &Reading) -> bool {
        reading.line_encoding.is_some() && self.is_lines() && simdutf8::basic::from_utf8(self.raw(at)).is_err()
    }

    /// Reads a record that an earlier pass has found usable.
    ///
    /// # Errors
    /// It is not what it was.
    #[inline]
    pub fn same_record<'a>(&'a self, at: usize, source: &Source, room: &'a mut Room) -> crate::error::Result<Record<'a>> {
        self.record(at, source.reading_of(self.part), room).ok().flatten().ok_or_else(|| source.changed(self.part))
    }

    /// A hash of the bytes of a page as they are stored, markup included: of the file, of a crawl's response body, or of the record's
    /// text. For pages that show nothing, which have no other likeness. None for what is no record.
    pub fn page_digest(&self, at: usize, reading: &Reading, room: &mut Room) -> Option<u128> {
        match &self.records {
            Records::Files(..) => Some(xxh3_128(self.raw(at))),
            #[cfg(feature = "warc")]
            Records::Crawl => {
                let mut reader = warc::WarcReader::new(self.raw(at));
                let record = reader.next("").ok().flatten()?;
                record.document(&mut room.crawl).ok().map(|found| xxh3_128(found.body))
            }
            _ => {
                let stored = Reading { html: None, ..reading.clone() };
                let record = self.record(at, &stored, room).ok().flatten()?;
                Some(xxh3_128(record.text.decode(&mut String::new()).as_bytes()))
            }
        }
    }

    /// Appends a record that is none, as it stands, for those who look at it by themselves.
    pub fn set_aside(&self, at: usize, into: &mut Vec<u8>) -> crate::error::Result<()> {
        match &self.records {
            Records::Rows(rows) => rows.json_line(at, into),
            _ => {
                push_line(into, self.raw(at));
                Ok(())
            }
        }
    }

    /// Its rows, where it is of a table.
    pub fn rows(&self) -> Option<&Rows> {
        if let Records::Rows(rows) = &self.records { Some(rows) } else { None }
    }

    /// Whether its records are lines of JSON.
    pub fn is_lines(&self) -> bool {
        matches!(self.records, Records::Lines)
    }

    /// What its records of JSON are.
    fn unit(&self) -> Unit {
        if self.is_lines() { Unit::Line } else { Unit::Element }
    }

    /// The columns that its records have, where they are of CSV.
    pub fn columns(&self) -> Option<&Arc<Columns>> {
        if let Records::Cells(columns) = &self.records { Some(columns) } else { None }
    }

    /// The JSON object that a record is as it stands, without a line's end; none of what is no JSON.
    pub fn object(&self, at: usize) -> Option<&[u8]> {
        matches!(self.records, Records::Lines | Records::Elements).then(|| self.raw(at).trim_ascii_end())
    }

    /// A record with fields as a JSON object, of CSV made in `into`; none where a line is blank. Whether lines are JSON is not looked at.
    ///
    /// # Errors
    /// A record of CSV that does not go with its header; what has no fields.
    pub fn fields<'a>(
        &'a self,
        at: usize,
        reading: &Reading,
        room: &mut Room,
        into: &'a mut Vec<u8>,
    ) -> Result<Option<&'a [u8]>, Fault> {
        self.current.store(at, Ordering::Relaxed);
        let raw = self.raw(at);
        match &self.records {
            Records::Lines if is_blank(raw) => Ok(None),
            Records::Lines if self.is_encoded(at, reading) => {
                let line = self.line(raw, reading, &mut room.line)?;
                into.clear();
                into.extend_from_slice(line.trim_ascii_end());
                Ok(Some(into))
            }
            Records::Lines | Records::Elements => Ok(Some(raw.trim_ascii_end())),
            Records::Cells(_) if delimited::is_blank(raw) => Ok(None),
            Records::Cells(columns) => {
                columns.check(raw, reading.encoding, room)?;
                into.clear();
                columns.json(raw, reading.encoding, room, into);
                Ok(Some(into))
            }
            _ => Err(Fault("is no record with fields: give JSON Lines, JSON arrays or CSV".into())),
        }
    }

    /// Appends a record as a JSON object on a line of its own.
    ///
    /// # Errors
    /// A row of a type that JSON cannot have.
    pub(crate) fn json_line(
        &self,
        at: usize,
        reading: &Reading,
        room: &mut Room,
        into: &mut Vec<u8>,
    ) -> crate::error::Result<()> {
        match &self.records {
            Records::Lines => {
                push_line(into, self.raw(at));
                return Ok(());
            }
            Records::Rows(rows) => return rows.json_line(at, into),
            Records::Elements => push_compact(into, self.raw(at)),
            Records::Cells(columns) => columns.json(self.raw(at), reading.encoding, room, into),
            Records::Files(..) => self.document_json(at, reading, room, into),
            #[cfg(feature = "warc")]
            Records::Crawl => self.document_json(at, reading, room, into),
        }
        into.push(b'\n');
        Ok(())
    }

    /// A document that has no fields: its id and its text; of a crawl its date too.
    fn document_json(&self, at: usize, reading: &Reading, room: &mut Room, into: &mut Vec<u8>) {
        let mut plain = String::new();
        let Ok(Some(record)) = self.record(at, reading, room) else { return };
        let text = serde_json::Value::from(record.text.decode(&mut plain)).to_string();
        for (name, value) in [("{\"id\":", record.id), (",\"text\":", &text)] {
            into.extend_from_slice(name.as_bytes());
            into.extend_from_slice(value.as_bytes());
        }
        #[cfg(feature = "warc")]
        if matches!(self.records, Records::Crawl) && !room.values[1].is_empty() {
            into.extend_from_slice(b",\"date\":");
            into.extend_from_slice(room.values[1].as_bytes());
        }
        into.push(b'}');
    }

    /// Gives every record that is not blank by its number, as a JSON object on a line, until one fails.
    ///
    /// # Errors
    /// What `give` gives, or a row of a type that JSON cannot have.
    pub fn each_object(
        &self,
        room: &mut Vec<u8>,
        mut give: impl FnMut(usize, &[u8]) -> crate::error::Result<()>,
    ) -> crate::error::Result<()> {
        let Some(rows) = self.rows() else {
            return (0..self.len()).filter(|&at| !is_blank(self.raw(at))).try_for_each(|at| give(at, self.raw(at)));
        };
        room.clear();
        rows.masked_lines(&vec![true; rows.len()], room)?;
        room.split_inclusive(|&byte| byte == b'\n').enumerate().try_for_each(|(at, line)| give(at, line))
    }

    /// Whether its records are rows of CSV, in which nothing is a missing value.
    pub fn is_delimited(&self) -> bool {
        matches!(self.records, Records::Cells(_))
    }

    /// The number of the record last read, counted from the block's first.
    pub fn current_line(&self) -> u64 {
        self.current.load(Ordering::Relaxed) as u64
    }

    /// What it is, for those who put blocks in order.
    pub fn tag(&self) -> Tag {
        Tag { part: self.part, index: self.index, last: self.last, lines: self.len() as u64, before: self.before }
    }
}

/// Where a record that has to be changed to be read is put.
#[derive(Debug, Default)]
pub struct Room {
    pub(super) line: String,
    pub(super) text: String,
    pub(super) plain: String,
    pub(super) page: String,
    pub(super) pages: Pages,
    pub(super) bytes: Vec<u8>,
    pub(super) cells: Cells,
    /// Id, keep order's field, label.
    pub(super) values: [String; 3],
    #[cfg(feature = "warc")]
    pub(super) crawl: warc::Room,
}

impl Room {
    /// How many of the pages read into it were too large to be looked for a main part, since this was asked last.
    pub fn take_too_large(&mut self) -> u64 {
        self.pages.take_too_large()
    }
}

/// A line in UTF-8, or else in an encoding by its name.
#[cfg(feature = "encodings")]
fn decoded_line<'a>(raw: &'a [u8], encoding: &str, room: &'a mut String) -> Result<&'a [u8], Fault> {
    if simdutf8::basic::from_utf8(raw).is_ok() {
        return Ok(raw);
    }
    let Some(line) = super::encoding::line(raw, encoding) else {
        return Err(Fault(format!(
            "is neither UTF-8 nor {encoding}: name the file's encoding with --encoding, or mend the record"
        )));
    };
    room.clear();
    room.push_str(&line);
    Ok(room.as_bytes())
}

/// A line: no encoding can be named.
#[cfg(not(feature = "encodings"))]
fn decoded_line<'a>(raw: &'a [u8], _: &str, _: &'a mut String) -> Result<&'a [u8], Fault> {
    Ok(raw)
}

/// Reads a file that is a document.
fn document<'a>(files: &Files, number: usize, raw: &'a [u8], reading: &Reading, room: &'a mut Room) -> Result<Record<'a>, Fault> {
    let Room { text, pages, values: [id, ..], .. } = room;
    *id = serde_json::Value::from(files.id(number)).to_string();
    if let Some(told) = foreign::told(raw, files.id(number)) {
        return Err(Fault(told));
    }
    let text = pages.text(raw, files.is_html(number), None, reading, text)?;
    let no_fields = |what: &str, field: &str| Fault(format!("{what} {}: a file that is a document has no fields", quoted(field)));
    if let Some(field) = reading.fields.keep.field() {
        return Err(no_fields(&format!("--keep {}: no field", reading.fields.keep), field));
    }
    Record::of(Found { text: text.into(), surplus: 0, id: Some(id), keep: None, label: None }, &reading.fields)
}

/// Reads a row of a table.
fn row<'a>(rows: &'a Rows, at: usize, reading: &Reading, room: &'a mut Room) -> Result<Record<'a>, Fault> {
    let Room { text, pages, page, values: [id, keep, label], .. } = room;
    let text = match reading.fields.set {
        Some(_) => rows.set(at, text, &reading.fields)?,
        None => rows.text(at)?,
    };
    rows.id(at, id)?;
    rows.label(at, label)?;
    let key = rows.key(at, text, keep)?;
    let text = if reading.of_pages() { pages.of_text(text, reading, page) } else { text };
    Ok(Record { text: text.into(), id, key, label })
}

/// Reads a record of a crawl; none where it is no document.
#[cfg(feature = "warc")]
fn crawled<'a>(raw: &'a [u8], reading: &Reading, room: &'a mut Room) -> Result<Option<Record<'a>>, Fault> {
    if reading.fields.set.is_some() {
        return Err(Fault("a crawl has no fields, so no --set-field; give records with a JSON array each".into()));
    }
    let Room { text, pages, crawl, values: [id, date, _], .. } = room;
    let mut reader = warc::WarcReader::new(raw);
    let Ok(Some(record)) = reader.next("") else { return Err(Fault("is no whole record".into())) };
    let found = match record.document(crawl) {
        Ok(found) => found,
        Err(warc::Skip::TooLong) => {
            let uri = record.target_uri().map_or("a page without a URL".into(), shown_name);
            let (uri, bytes) = (cut(&uri), record.content().len());
            return Err(Fault(format!(
                "{uri}: its {bytes} bytes are more than 256 MiB without their compression, which is the most that is read; set the \
                 record aside with --skip-bad"
            )));
        }
        Err(_) => return Ok(None),
    };
    *id = record.target_uri().or(record.record_id()).map_or(String::new(), |uri| serde_json::Value::from(uri).to_string());
    *date = record.date().map_or(String::new(), |date| serde_json::Value::from(date).to_string());
    let decoded = pages.text(found.body, found.is_html, found.charset, reading, &mut room.plain)?;
    text.clear();
    text.push_str(decoded);
    let keep = reading.fields.keep.field().filter(|field| *field == "date").map(|_| &**date);
    let id = Some(&**id).filter(|id| !id.is_empty());
    Record::of(Found { text: text.as_str().into(), surplus: 0, id, keep, label: None }, &reading.fields).map(Some)
}

/// Whether a line holds nothing: passed over, and no document.
pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Copies a JSON value, and leaves line ends out: between its parts they mean nothing, and in strings there are none.
fn push_compact(into: &mut Vec<u8>, value: &[u8]) {
    for piece in value.split(|byte| matches!(byte, b'\n' | b'\r')) {
        // What stood before a part on its line only shifted it.
        let shift = if into.ends_with(b"\n") || piece.len() == value.len() { 0 } else { indent(piece) };
        into.extend_from_slice(&piece[shift..]);
    }
}

fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Copies a line; one that ends with its file gets a newline.
pub(crate) fn push_line(into: &mut Vec<u8>, line: &[u8]) {
    into.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        into.push(b'\n');
    }
}

/// Line numbers of blocks that come in order: the lines before them, counted.
#[derive(Debug, Default, Clone, Copy)]
pub struct LineCounter {
    /// The part that has come, if one has, and its lines and those before it in its input.
    at: Option<(usize, u64)>,
}

impl LineCounter {
    /// The number of the block's first line in its input, from 1.
    pub fn first_line(&mut self, tag: Tag) -> u64 {
        let before = match self.at {
            Some((part, lines)) if part == tag.part => lines,
            _ => tag.before,
        };
        self.at = Some((tag.part, before + tag.lines));
        before + 1
    }
}

/// The failure of a line, the `line`th of its block, that goes on and on.
pub(super) fn too_long(line: usize) -> Error {
    Error::on_line(ErrorKind::Record, line as u64, "a line longer than 2 GiB; is this JSON Lines?")
}

/// The failure of a file that is too long for a document.
pub(super) fn too_long_document(name: &str) -> Error {
    Error::new(ErrorKind::Input, format!("{name}: longer than 2 GiB, with those that are read with it; is this a document?"))
}
