//! Reads the texts, ids, keys and labels of a block's records.

#[cfg(feature = "warc")]
use lookalike::shown::cut;
use lookalike::{shown::quoted, text::Text};
use xxhash_rust::xxh3::xxh3_128;

use super::{Block, Records, Scratch};
#[cfg(feature = "encodings")]
use crate::read::bytes::encoding;
use crate::read::{
    buffer::is_blank,
    csv::{self, Columns},
    documents::Files,
    format::foreign,
    json::{Fault, Found, Record, of_utf16},
    left_out::LeftOut,
    reading::Reading,
    table::Rows,
};
use crate::{error::Setting, words};
#[cfg(feature = "warc")]
use crate::{
    read::crawl::{Skip, WarcReader},
    store::shown_name,
};

/// Whether a command has an option to name an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// The command has such an option.
    Encoding,
    /// The command has no such option.
    Nothing,
}

impl Block {
    /// Reads a record. Returns none for a blank line, and for a record that is left out and [counted](Scratch::take_left_out).
    ///
    /// # Errors
    /// Fails if the record is not usable.
    #[inline]
    pub fn record<'a>(
        &'a self,
        at: usize,
        reading: &Reading,
        scratch: &'a mut Scratch,
    ) -> Result<Option<Record<'a>>, Fault> {
        self.begin(at);
        let raw = self.raw(at);
        match &self.records {
            Records::Lines if is_blank(raw) => Ok(None),
            Records::Lines | Records::Elements if !reading.of_pages() => {
                let Scratch { line, text, .. } = scratch;
                let read = Record::read(
                    self.line(raw, reading, line)?,
                    self.unit(),
                    &reading.fields,
                    text,
                );
                read.map(Some).map_err(|fault| {
                    self.not_utf8(at, reading, Naming::Encoding)
                        .unwrap_or(fault)
                })
            }
            Records::Lines | Records::Elements => {
                let Scratch {
                    line,
                    text,
                    pages,
                    page,
                    plain,
                    ..
                } = scratch;
                let raw = self.line(raw, reading, line)?;
                let record = Record::read(raw, self.unit(), &reading.fields, text);
                let record = record.map_err(|fault| {
                    self.not_utf8(at, reading, Naming::Encoding)
                        .unwrap_or(fault)
                })?;
                let text = pages.of_text(record.text.decode(plain), reading, page);
                Ok(Some(Record {
                    text: text.into(),
                    ..record
                }))
            }
            Records::Cells(_) if csv::is_blank(raw) => Ok(None),
            Records::Cells(columns) => celled(columns, raw, reading, scratch).map(Some),
            Records::Files(files, first) => document(files, first + at, raw, reading, scratch),
            #[cfg(feature = "warc")]
            Records::Crawl => crawled(raw, reading, scratch),
            Records::Rows(rows) => row(rows, at, reading, scratch).map(Some),
            Records::Objects(_) => Err(Fault::failure(
                "a record with fields was read as a document",
            )),
        }
    }

    /// Returns the line to parse. A line in another encoding is decoded into `scratch`. Arrays in other encodings are not
    /// decoded: an array cannot be split into elements before it is decoded, because a character in another encoding may contain
    /// the byte of a quote or a backslash.
    #[inline]
    pub(super) fn line<'a>(
        &self,
        raw: &'a [u8],
        reading: &Reading,
        scratch: &'a mut String,
    ) -> Result<&'a [u8], Fault> {
        match reading.line_encoding {
            Some(encoding) if self.is_lines() => decoded_line(raw, encoding, scratch),
            _ => Ok(raw),
        }
    }

    /// Returns lines of the block as UTF-8.
    ///
    /// # Errors
    /// Fails if a line has another encoding than the named one.
    pub(crate) fn decoded_lines(&self, lines: &[u8], reading: &Reading) -> Result<Vec<u8>, Fault> {
        let (mut all, mut scratch) = (Vec::with_capacity(lines.len()), String::new());
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            all.extend_from_slice(self.line(line, reading, &mut scratch)?);
        }
        Ok(all)
    }

    /// Describes what is wrong with a JSON record that is not UTF-8, and what the user can do. Returns none if the record is
    /// UTF-8. If the record is UTF-16 or UTF-32, the returned error says so.
    pub fn not_utf8(&self, at: usize, reading: &Reading, naming: Naming) -> Option<Fault> {
        let raw = self.raw(at);
        let is_json = matches!(self.records, Records::Lines | Records::Elements);
        let error = simdutf8::compat::from_utf8(raw)
            .err()
            .filter(|_| is_json && reading.line_encoding.is_none_or(|_| !self.is_lines()))?;
        if let Some(fault) = of_utf16(raw) {
            return Some(fault);
        }
        let convert = "convert the file to UTF-8, for instance with iconv";
        let or_named = || {
            words![
                convert,
                ", or name its encoding with $encoding, such as gb18030"
            ]
        };
        let advice = match (naming, self.is_lines(), reading.encoding) {
            (Naming::Nothing, ..) => convert.into(),
            (Naming::Encoding, false, _) => {
                words![
                    "a JSON array must be UTF-8; ",
                    convert,
                    ", or write JSON Lines"
                ]
            }
            (Naming::Encoding, true, None | Some("UTF-8")) => or_named(),
            (Naming::Encoding, true, Some(name)) if name.starts_with("UTF-16") => {
                words![format!("JSON Lines cannot be read as {name}; "), or_named()]
            }
            (Naming::Encoding, true, Some(_)) => {
                let only =
                    " works only for JSON Lines that are not read together with other formats; ";
                words!["$encoding", only, convert, ", or read it separately"]
            }
        };
        let (of, at) = (
            if self.is_lines() { "line" } else { "record" },
            error.valid_up_to() + 1,
        );
        Some(
            Fault::record(format!("invalid UTF-8 at byte {at} of the {of}"))
                .at_byte(at as u64)
                .advise(advice),
        )
    }

    /// Returns whether a record is a line in an encoding other than UTF-8.
    pub(crate) fn is_encoded(&self, at: usize, reading: &Reading) -> bool {
        reading.line_encoding.is_some()
            && self.is_lines()
            && simdutf8::basic::from_utf8(self.raw(at)).is_err()
    }

    /// Returns a hash of the stored bytes of a page, including markup. The page is a file, the body of a crawl's response, or the
    /// text of a record. The hash is for pages that show no text, because such pages cannot be compared in another way. Returns
    /// none if the record is invalid.
    pub fn page_digest(&self, at: usize, reading: &Reading, scratch: &mut Scratch) -> Option<u128> {
        match &self.records {
            Records::Files(..) => Some(xxh3_128(self.raw(at))),
            #[cfg(feature = "warc")]
            Records::Crawl => {
                let mut reader = WarcReader::new(self.raw(at));
                let record = reader.next("").ok().flatten()?;
                record
                    .document(&mut scratch.crawl)
                    .ok()
                    .map(|found| xxh3_128(found.body))
            }
            _ => {
                let stored = Reading {
                    html: None,
                    ..reading.clone()
                };
                let record = self.record(at, &stored, scratch).ok().flatten()?;
                Some(xxh3_128(record.text.decode(&mut String::new()).as_bytes()))
            }
        }
    }
}

/// Returns a line as UTF-8; decodes it from the named encoding if it is not UTF-8.
#[cfg(feature = "encodings")]
fn decoded_line<'a>(
    raw: &'a [u8],
    encoding: &str,
    scratch: &'a mut String,
) -> Result<&'a [u8], Fault> {
    if simdutf8::basic::from_utf8(raw).is_ok() {
        return Ok(raw);
    }
    let Some(line) = encoding::line(raw, encoding) else {
        let advice = "name the file's encoding with $encoding, or fix the record";
        return Err(Fault::record(format!("is neither UTF-8 nor {encoding}")).advise(advice));
    };
    scratch.clear();
    scratch.push_str(&line);
    Ok(scratch.as_bytes())
}

/// Returns a line unchanged, because this build cannot decode other encodings.
#[cfg(not(feature = "encodings"))]
fn decoded_line<'a>(raw: &'a [u8], _: &str, _: &'a mut String) -> Result<&'a [u8], Fault> {
    Ok(raw)
}

/// Reads a record of CSV.
#[inline]
fn celled<'a>(
    columns: &Columns,
    raw: &'a [u8],
    reading: &Reading,
    scratch: &'a mut Scratch,
) -> Result<Record<'a>, Fault> {
    let Scratch {
        cells, pages, page, ..
    } = scratch;
    let found = columns.found(raw, reading.encoding, cells)?;
    let (Text::Plain(text) | Text::Escaped(text)) = found.text;
    Record::of(
        Found {
            text: Text::Plain(pages.of_text(text, reading, page)),
            ..found
        },
        &reading.fields,
    )
}

/// Reads a file that is one document. Returns none if the file is left out.
fn document<'a>(
    files: &Files,
    number: usize,
    raw: &'a [u8],
    reading: &Reading,
    scratch: &'a mut Scratch,
) -> Result<Option<Record<'a>>, Fault> {
    let Scratch {
        text,
        pages,
        values: [id, ..],
        left_out,
        ..
    } = scratch;
    if foreign::is_pointer(raw) {
        LeftOut::add(left_out, Some(foreign::left_out_pointer()));
        return Ok(None);
    }
    let (name, is_html) = (files.id(number), files.is_html(number));
    *id = serde_json::Value::from(name).to_string();
    let text = pages.text(raw, is_html, None, reading, text)?;
    foreign::refuse_binary(raw, name, text)?;
    if let Some(field) = reading.fields.keep.field() {
        let keep = (Setting("keep"), reading.fields.keep.to_string());
        let no_fields = format!(
            ": there is no field {}, because a file that is read as one document has no fields",
            quoted(field)
        );
        return Err(Fault::record(words![keep, no_fields]));
    }
    Record::of(
        Found {
            text: text.into(),
            surplus: 0,
            id: Some(id),
            keep: None,
            label: None,
        },
        &reading.fields,
    )
    .map(Some)
}

/// Reads a row of a table.
fn row<'a>(
    rows: &'a Rows,
    at: usize,
    reading: &Reading,
    scratch: &'a mut Scratch,
) -> Result<Record<'a>, Fault> {
    let Scratch {
        text,
        pages,
        page,
        values: [id, keep, label],
        ..
    } = scratch;
    let text = match reading.fields.set {
        Some(_) => rows.set(at, text, &reading.fields)?,
        None => rows.text(at)?,
    };
    rows.id(at, id)?;
    rows.label(at, label)?;
    let key = rows.key(at, text, keep)?;
    let text = if reading.of_pages() {
        pages.of_text(text, reading, page)
    } else {
        text
    };
    Ok(Record {
        text: text.into(),
        id,
        key,
        label,
    })
}

/// Reads a record of a crawl. Returns none if the record is not a document.
#[cfg(feature = "warc")]
fn crawled<'a>(
    raw: &'a [u8],
    reading: &Reading,
    scratch: &'a mut Scratch,
) -> Result<Option<Record<'a>>, Fault> {
    if reading.fields.set.is_some() {
        let wrong =
            Fault::record("a WARC file has no fields, so it cannot be read with $set_field");
        return Err(wrong.advise("give records that each have a JSON array"));
    }
    let Scratch {
        text,
        pages,
        crawl,
        values: [id, date, _],
        left_out,
        ..
    } = scratch;
    let mut reader = WarcReader::new(raw);
    let Ok(Some(record)) = reader.next("") else {
        return Err(Fault::record("is not a complete record"));
    };
    let found = match record.document(crawl) {
        Ok(found) => found,
        Err(Skip::Bad(what)) => {
            let uri = record
                .target_uri()
                .map_or("a page without a URL".into(), shown_name);
            let (uri, bytes) = (cut(&uri), record.content().len());
            let what = format!("{uri}: its {bytes} bytes {what}");
            return Err(Fault::record(what).advise("skip the record with $skip_bad"));
        }
        Err(Skip::LeftOut(reason)) => {
            let what = "in a crawl, only responses with a status of 200 to 299, resources and conversions that are HTML or text \
                        are documents";
            LeftOut::add(left_out, Some(LeftOut::one(false, reason, what)));
            return Ok(None);
        }
    };
    *id = record
        .target_uri()
        .or(record.record_id())
        .map_or(String::new(), |uri| {
            serde_json::Value::from(uri).to_string()
        });
    *date = record.date().map_or(String::new(), |date| {
        serde_json::Value::from(date).to_string()
    });
    let decoded = pages.text(
        found.body,
        found.is_html,
        found.charset,
        reading,
        &mut scratch.plain,
    )?;
    foreign::refuse_binary(found.body, if found.is_html { "" } else { ".txt" }, decoded)?;
    text.clear();
    text.push_str(decoded);
    let keep = reading
        .fields
        .keep
        .field()
        .filter(|field| *field == "date")
        .map(|_| &**date);
    let id = Some(&**id).filter(|id| !id.is_empty());
    Record::of(
        Found {
            text: text.as_str().into(),
            surplus: 0,
            id,
            keep,
            label: None,
        },
        &reading.fields,
    )
    .map(Some)
}
