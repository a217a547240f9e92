//! A record → its fields.

use std::ops::Range;

/// Where one field stands in its record.
#[derive(Debug, Clone)]
struct Cell {
    place: Range<usize>,
    /// Whether quotes in it have to be undone.
    quotes: bool,
}

/// The fields of one record, left where they stand. Used again for the next.
#[derive(Debug, Default)]
pub struct Cells {
    cells: Vec<Cell>,
}

impl Cells {
    /// Finds the fields of a record, its line end with it.
    pub fn find(&mut self, record: &[u8], delimiter: u8) {
        self.cells.clear();
        let end = record.len() - record.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        // More than one line end is only there where the record's last field, and it, is empty.
        let record = &record[..end];
        let mut at = 0;
        loop {
            let start = at;
            let mut cell = None;
            if record.get(at) == Some(&b'"') {
                let (quote, doubled) = closing_quote(record, at + 1);
                at = (quote + 1).min(end);
                if !doubled && (at == end || record[at] == delimiter) {
                    cell = Some(Cell { place: start + 1..quote, quotes: false });
                }
            }
            at = memchr::memchr(delimiter, &record[at..]).map_or(end, |distance| at + distance);
            let quotes = record.get(start) == Some(&b'"');
            self.cells.push(cell.unwrap_or(Cell { place: start..at, quotes }));
            if at == end {
                return;
            }
            at += 1;
        }
    }

    /// How many fields the record has: one at least.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// A field of the record they were found in, without its quotes; where some in it are doubled, from `room`. None where
    /// there is no such field.
    pub fn get<'a>(&self, index: usize, record: &'a [u8], room: &'a mut Vec<u8>) -> Option<&'a [u8]> {
        let cell = self.cells.get(index)?;
        let raw = record.get(cell.place.clone())?;
        if !cell.quotes {
            return Some(raw);
        }
        room.clear();
        let mut at = 1;
        loop {
            let Some(distance) = memchr::memchr(b'"', raw.get(at..)?) else {
                room.extend_from_slice(&raw[at..]);
                break;
            };
            let quote = at + distance;
            room.extend_from_slice(&raw[at..quote]);
            at = quote + 2;
            if raw.get(quote + 1) != Some(&b'"') {
                room.extend_from_slice(&raw[quote + 1..]);
                break;
            }
            room.push(b'"');
        }
        Some(room)
    }
}

/// The quote that closes, or the record's end, and whether there are doubled quotes before it.
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
