//! The headers of WARC records and of HTTP responses.

use std::ops::Range;

/// The header fields that are needed from WARC and HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
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

/// The fields of one header, with folded lines joined. The buffers are reused for the next header.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) text: String,
    pub(crate) places: Vec<(Field, Range<usize>)>,
}

impl Fields {
    /// Reads lines up to an empty line, or up to the end if there is none, and returns the position after the last line that was
    /// read. A line that is not a field is skipped.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> usize {
        self.text.clear();
        self.places.clear();
        let (mut at, mut folds) = (0, false);
        while at < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[at..])
                .map_or(bytes.len(), |distance| at + distance + 1);
            let line = bytes[at..end].trim_ascii_end();
            at = end;
            if line.is_empty() {
                break;
            }
            if line[0].is_ascii_whitespace() {
                if folds && let Some((_, place)) = self.places.last_mut() {
                    self.text.push(' ');
                    self.text
                        .push_str(&String::from_utf8_lossy(line.trim_ascii_start()));
                    place.end = self.text.len();
                }
                continue;
            }
            folds = false;
            let Some(colon) = memchr::memchr(b':', line) else {
                continue;
            };
            let name = line[..colon].trim_ascii_end();
            if let Some((_, field)) = FIELDS
                .iter()
                .find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()))
            {
                let start = self.text.len();
                self.text.push_str(&String::from_utf8_lossy(
                    line[colon + 1..].trim_ascii_start(),
                ));
                self.places.push((*field, start..self.text.len()));
                folds = true;
            }
        }
        at
    }

    /// Returns a field's value. If the field occurs more than once, this is the first value.
    pub(crate) fn get(&self, field: Field) -> Option<&str> {
        let (_, place) = self.places.iter().find(|(is, _)| *is == field)?;
        Some(self.text[place.clone()].trim_ascii())
    }
}
