//! Splits a record into its fields.

use std::ops::Range;

/// The position of one field in its record.
#[derive(Debug, Clone)]
struct Cell {
    place: Range<usize>,
    /// Whether the field has quotes that must be removed.
    quotes: bool,
}

/// The fields of one record, as positions in it. The buffer is reused for the next record.
#[derive(Debug, Default)]
pub struct Cells {
    cells: Vec<Cell>,
}

impl Cells {
    /// Finds the fields of a record, which may include its line end.
    pub fn find(&mut self, record: &[u8], delimiter: u8) {
        self.cells.clear();
        let end = record.len()
            - record
                .iter()
                .rev()
                .take_while(|byte| matches!(byte, b'\n' | b'\r'))
                .count();
        // All line ends can be removed at once. A record that is not empty ends with at most one line end. A record that consists
        // only of line ends has one field, which is empty, so nothing is lost.
        let record = &record[..end];
        let mut at = 0;
        loop {
            let start = at;
            let mut cell = None;
            if record.get(at) == Some(&b'"') {
                let (quote, doubled) = closing_quote(record, at + 1);
                at = (quote + 1).min(end);
                if !doubled && (at == end || record[at] == delimiter) {
                    cell = Some(Cell {
                        place: start + 1..quote,
                        quotes: false,
                    });
                }
            }
            at = memchr::memchr(delimiter, &record[at..]).map_or(end, |distance| at + distance);
            let quotes = record.get(start) == Some(&b'"');
            self.cells.push(cell.unwrap_or(Cell {
                place: start..at,
                quotes,
            }));
            if at == end {
                return;
            }
            at += 1;
        }
    }

    /// Returns the number of fields, which is at least one.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the place of a field in the record that was passed to [`find`](Self::find), with the quotes around it.
    pub fn place(&self, index: usize, record: &[u8]) -> Option<Range<usize>> {
        let Cell { place, quotes } = self.cells.get(index)?.clone();
        let is_quoted = !quotes && place.start > 0 && record.get(place.start - 1) == Some(&b'"');
        Some(if is_quoted {
            place.start - 1..(place.end + 1).min(record.len())
        } else {
            place
        })
    }

    /// Returns a field of the record that was passed to [`find`](Self::find), without the quotes around it. A field with doubled
    /// quotes is written to `scratch`. Returns none if there is no such field.
    pub fn get<'a>(
        &self,
        index: usize,
        record: &'a [u8],
        scratch: &'a mut Vec<u8>,
    ) -> Option<&'a [u8]> {
        let cell = self.cells.get(index)?;
        let raw = record.get(cell.place.clone())?;
        if !cell.quotes {
            return Some(raw);
        }
        scratch.clear();
        let mut at = 1;
        loop {
            let Some(distance) = memchr::memchr(b'"', raw.get(at..)?) else {
                scratch.extend_from_slice(&raw[at..]);
                break;
            };
            let quote = at + distance;
            scratch.extend_from_slice(&raw[at..quote]);
            at = quote + 2;
            if raw.get(quote + 1) != Some(&b'"') {
                scratch.extend_from_slice(&raw[quote + 1..]);
                break;
            }
            scratch.push(b'"');
        }
        Some(scratch)
    }
}

/// Returns the position of the closing quote, or the record's end if there is none, and whether doubled quotes come before it.
fn closing_quote(record: &[u8], mut at: usize) -> (usize, bool) {
    let mut doubled = false;
    while let Some(distance) = memchr::memchr(b'"', &record[at..]) {
        let quote = at + distance;
        if record.get(quote + 1) != Some(&b'"') {
            return (quote, doubled);
        }
        (at, doubled) = (quote + 2, true);
    }
    (record.len(), true)
}
