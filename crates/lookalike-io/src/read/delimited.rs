//! CSV and TSV (RFC 4180): where records end, which fields they have, what the header says.
//!
//! A quote opens a quoted field only where the field begins; a quote elsewhere is a character, and what stands behind a closing
//! quote belongs to the field, as the `csv` crate has it, which judges here. Records end with `\n`, `\r\n` or `\r`; those of
//! nothing else are no records ([`is_blank`]).

use std::ops::Range;

use lookalike::shown::quoted;

use crate::{
    error::{Error, ErrorKind, Result},
    format::BYTE_ORDER_MARK,
};

/// The delimiter of a file by its name's ending, or by its first record: that of comma, semicolon, tab and bar which is there
/// most often outside quotes; of equals the first in this order. A record of one field is taken for one of commas.
pub fn detect(name: &str, start: &[u8]) -> u8 {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if ["tsv", "tab"].iter().any(|tabs| ending.eq_ignore_ascii_case(tabs)) {
        return b'\t';
    }
    const ORDER: [u8; 4] = [b',', b';', b'\t', b'|'];
    let (mut counts, mut quoted, mut before) = ([0usize; 4], false, b',');
    for &byte in start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start) {
        match byte {
            // Two quotes close and open.
            b'"' if quoted => quoted = false,
            b'"' => quoted = before == b'"' || ORDER.contains(&before),
            b'\n' | b'\r' if !quoted && counts != [0; 4] => break,
            _ if !quoted => {
                if let Some(which) = ORDER.iter().position(|&delimiter| delimiter == byte) {
                    counts[which] += 1;
                }
            }
            _ => {}
        }
        if !quoted && byte == b'\n' {
            break;
        }
        before = byte;
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    ORDER[counts.iter().position(|&count| count == most).unwrap_or(0)]
}

/// The delimiter that a file says in a line of its own before the header, as Excel writes it (`sep=;`), and the bytes up to the
/// header.
pub fn separator(start: &[u8]) -> Option<(u8, usize)> {
    let line = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    let said = line.get(..4).filter(|said| said.eq_ignore_ascii_case(b"sep="))?;
    let (&delimiter, end) = line[said.len()..].split_first()?;
    // The file may end with it.
    let (ends, end) = match end {
        [] => (true, 0),
        [b'\r', b'\n', ..] => (true, 2),
        [first, ..] => (matches!(first, b'\r' | b'\n'), 1),
    };
    let is_delimiter = delimiter.is_ascii() && !matches!(delimiter, b'"' | b'\r' | b'\n');
    (is_delimiter && ends).then_some((delimiter, start.len() - line.len() + said.len() + 1 + end))
}

/// Whether the beginning of a file holds no record yet: only a byte order mark and line ends.
pub fn begins_blank(start: &[u8]) -> bool {
    is_blank(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start))
}

/// Whether a record is an empty line: passed over, and no document.
pub fn is_blank(record: &[u8]) -> bool {
    record.iter().all(|byte| matches!(byte, b'\n' | b'\r'))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the byte order mark, so many bytes of it seen.
    Mark(u8),
    /// A field begins here.
    Start,
    /// Inside a field, outside quotes.
    Plain,
    Quoted,
    /// Behind a quote inside quotes: another one makes a character of both.
    Quote,
    /// Behind a carriage return that ended a record: a newline may belong to it.
    Return,
}

/// Finds where records end in a file that comes in pieces. Some gigabytes a second: between quotes and line ends nothing is
/// looked at. Where a record ends depends on all quotes before it, so a file is read from its beginning.
#[derive(Debug, Clone)]
pub struct RecordEnds {
    delimiter: u8,
    state: State,
    fed: u64,
    newlines: u64,
    /// The newlines before the quote that is open.
    opened: u64,
}

impl RecordEnds {
    /// At the beginning of a file.
    pub fn new(delimiter: u8) -> Self {
        Self { delimiter, state: State::Mark(0), fed: 0, newlines: 0, opened: 0 }
    }

    /// Takes the next bytes of the file and gives each position of the file, in bytes, where a record ends: behind its line
    /// end. A record whose carriage return is the last byte given yet is only known to end with the next byte or with
    /// [`finish`](Self::finish).
    pub fn feed(&mut self, bytes: &[u8], mut give: impl FnMut(u64)) {
        let mut at = 0;
        // The quote last opened in these bytes.
        let mut opened = None;
        while at < bytes.len() {
            match self.state {
                State::Mark(seen) => {
                    self.state = match BYTE_ORDER_MARK[usize::from(seen)] == bytes[at] {
                        true => {
                            at += 1;
                            if seen == 2 { State::Start } else { State::Mark(seen + 1) }
                        }
                        false if seen == 0 => State::Start,
                        false => State::Plain,
                    };
                }
                State::Start if bytes[at] == b'"' => {
                    opened = Some(at);
                    at += 1;
                    self.state = State::Quoted;
                }
                State::Start => self.state = State::Plain,
                State::Plain => match memchr::memchr3(b'"', b'\n', b'\r', &bytes[at..]) {
                    None => {
                        at = bytes.len();
                        if bytes[at - 1] == self.delimiter {
                            self.state = State::Start;
                        }
                    }
                    Some(distance) => {
                        let found = at + distance;
                        at = found + 1;
                        match bytes[found] {
                            b'"' if distance > 0 && bytes[found - 1] == self.delimiter => {
                                opened = Some(found);
                                self.state = State::Quoted;
                            }
                            b'"' => {}
                            b'\n' => {
                                give(self.fed + at as u64);
                                self.state = State::Start;
                            }
                            _ => self.state = State::Return,
                        }
                    }
                },
                State::Quoted => match memchr::memchr(b'"', &bytes[at..]) {
                    Some(distance) => {
                        at += distance + 1;
                        self.state = State::Quote;
                    }
                    None => at = bytes.len(),
                },
                State::Quote => {
                    self.state = match bytes[at] == b'"' {
                        true => {
                            at += 1;
                            State::Quoted
                        }
                        false => State::Plain,
                    };
                }
                State::Return => {
                    at += usize::from(bytes[at] == b'\n');
                    give(self.fed + at as u64);
                    self.state = State::Start;
                }
            }
        }
        if let (State::Quoted | State::Quote, Some(opened)) = (self.state, opened) {
            self.opened = self.newlines + count_newlines(&bytes[..opened]);
        }
        self.newlines += count_newlines(bytes);
        self.fed += bytes.len() as u64;
    }

    /// At the end of the file: a last record may stand there without a line end, or with a carriage return that was the last byte.
    ///
    /// # Errors
    /// When a quote is open: the error is of its line, counted from 0 in the file.
    pub fn finish(&self) -> Result<()> {
        if self.state != State::Quoted {
            return Ok(());
        }
        let message = "a quote opens here and never closes: close it, or double it where it is a character of a quoted field";
        Err(Error::on_line(ErrorKind::Record, self.opened, message))
    }

    /// The bytes given so far.
    #[cfg(test)]
    fn fed(&self) -> u64 {
        self.fed
    }

    /// The newlines in what was given so far, in quotes or out of them: the file's lines.
    #[cfg(test)]
    fn newlines(&self) -> u64 {
        self.newlines
    }
}

fn count_newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

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

/// The first record of a file: the columns' names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    names: Vec<String>,
}

impl Header {
    /// The names that a file's first record holds.
    ///
    /// # Errors
    /// When there is none: the file is empty, or begins with an empty line.
    pub fn read(record: &[u8], delimiter: u8) -> Result<Self> {
        let record = record.strip_prefix(BYTE_ORDER_MARK).unwrap_or(record);
        if is_blank(record) {
            let message = "no header; the first line of CSV and TSV has to name the columns";
            return Err(Error::on_line(ErrorKind::Record, 0, message));
        }
        let (mut cells, mut room) = (Cells::default(), Vec::new());
        cells.find(record, delimiter);
        let names = (0..cells.len()).map(|index| {
            let name = cells.get(index, record, &mut room).unwrap_or_default();
            String::from_utf8_lossy(name).into_owned()
        });
        Ok(Self { names: names.collect() })
    }

    /// The names, as they stand there.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Which column has a name; `option` is the one to give another name with.
    ///
    /// # Errors
    /// When none has it, or more than one.
    pub fn index_of(&self, name: &str, option: &str) -> Result<usize> {
        let mut columns = (0..self.names.len()).filter(|&index| self.names[index] == name);
        let problem = match (columns.next(), columns.next()) {
            (Some(index), None) => return Ok(index),
            (Some(first), Some(second)) => {
                format!(
                    "columns {} and {} are both called {}: rename one, or name another with {option}",
                    first + 1,
                    second + 1,
                    quoted(name)
                )
            }
            _ => format!("no column {}; there are {}: name one with {option}", quoted(name), self.shown()),
        };
        Err(Error::on_line(ErrorKind::Record, 0, problem))
    }

    /// The columns for a message: some, where there are very many.
    fn shown(&self) -> String {
        const SOME: usize = 20;
        let names: Vec<String> = self.names.iter().take(SOME).map(|name| quoted(name)).collect();
        let more = self.names.len().saturating_sub(SOME);
        names.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn separators_in_a_table() {
        for (start, said) in [
            (&b"sep=;\r\nid;text"[..], Some((b';', 7))),
            (b"\xef\xbb\xbfSEP=\t\n", Some((b'\t', 9))),
            (b"sep=|\rid", Some((b'|', 6))),
            (b"sep=", None),
            (b"sep=;", Some((b';', 5))),
            (b"sep=\n", None),
            (b"sep=;;\n", None),
            (b"sep,text\n", None),
        ] {
            assert_eq!(separator(start), said, "{start:?}");
        }
    }

    /// The records of a file that comes in pieces of some lengths.
    fn cut(file: &[u8], delimiter: u8, pieces: &[usize]) -> (Vec<Vec<u8>>, RecordEnds) {
        let (mut ends, mut found, mut rest) = (RecordEnds::new(delimiter), Vec::new(), file);
        for &length in pieces.iter().cycle() {
            let (piece, behind) = rest.split_at(length.min(rest.len()));
            ends.feed(piece, |end| found.push(end as usize));
            assert_eq!(ends.fed() as usize, file.len() - behind.len());
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        if found.last().copied().unwrap_or(0) < file.len() {
            found.push(file.len());
        }
        let mut start = 0;
        let records = found.into_iter().map(|end| file[std::mem::replace(&mut start, end)..end].to_vec());
        (records.collect(), ends)
    }

    fn fields(record: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
        let (mut cells, mut room) = (Cells::default(), Vec::new());
        cells.find(record, delimiter);
        (0..cells.len()).map(|index| cells.get(index, record, &mut room).unwrap().to_vec()).collect()
    }

    fn ours(file: &[u8], delimiter: u8, pieces: &[usize]) -> Vec<Vec<Vec<u8>>> {
        let (records, _) = cut(file, delimiter, pieces);
        assert_eq!(records.concat(), file);
        let unmarked = records.iter().enumerate().map(|(number, record)| match number {
            0 => record.strip_prefix(BYTE_ORDER_MARK).unwrap_or(record),
            _ => record,
        });
        unmarked.filter(|record| !is_blank(record)).map(|record| fields(record, delimiter)).collect()
    }

    /// What the `csv` crate reads.
    fn judged(file: &[u8], delimiter: u8) -> Vec<Vec<Vec<u8>>> {
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(file);
        let mut record = csv::ByteRecord::new();
        let mut records = Vec::new();
        while reader.read_byte_record(&mut record).unwrap() {
            records.push(record.iter().map(<[u8]>::to_vec).collect());
        }
        records
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// Hostile quoting, line ends of all kinds, pieces of all lengths. A record whose quote never closes is for the `csv`
        /// crate the last, and for us an error.
        #[test]
        fn records_and_fields_are_those_of_the_judge(
            file in r#"(\u{feff})?([a,;"\n]|""|,"|",|"\n|\r|\r\n|é| |\u{feff}|"a,b"|"a""b"|"a\n"){0,30}"#,
            pieces in prop::collection::vec(1usize..9, 1..5),
            semicolon: bool,
        ) {
            let delimiter = if semicolon { b';' } else { b',' };
            let (_, ends) = cut(file.as_bytes(), delimiter, &pieces);
            prop_assert_eq!(ends.newlines() as usize, file.matches('\n').count());
            let (mut ours, mut judged) = (ours(file.as_bytes(), delimiter, &pieces), judged(file.as_bytes(), delimiter));
            if ends.finish().is_err() {
                ours.pop();
                judged.pop();
            }
            prop_assert_eq!(ours, judged, "{:?}", file);
        }

        /// Whatever the `csv` crate writes comes back, and its delimiter is found.
        #[test]
        fn what_is_written_comes_back(
            rows in prop::collection::vec(prop::collection::vec(r#"[ab,;|"\r\n\té]{0,9}"#, 3), 1..6),
            which in 0usize..4,
            piece in 1usize..30,
            crlf: bool,
        ) {
            let delimiter = b",;\t|"[which];
            let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
            let mut writer = csv::WriterBuilder::new().delimiter(delimiter).terminator(terminator).from_writer(Vec::new());
            writer.write_record(["id", "the text", "x"]).unwrap();
            rows.iter().for_each(|row| writer.write_record(row).unwrap());
            let file = writer.into_inner().unwrap();
            prop_assert_eq!(detect("file.csv", &file), delimiter);
            let read = ours(&file, delimiter, &[piece]);
            prop_assert_eq!(read.len(), rows.len() + 1);
            for (read, row) in read[1..].iter().zip(&rows) {
                prop_assert!(read.iter().zip(row).all(|(read, field)| read == field.as_bytes()));
            }
        }
    }

    #[test]
    fn delimiters_in_a_table() {
        for (name, start, delimiter) in [
            ("a.csv", "id,text\n", ','),
            ("a.csv", "\u{feff}id;text\r\n1;a,b,c,d\r\n", ';'),
            ("a.csv", "\"a,b,c\";text;\"d\"\"e,,,f\"\n", ';'),
            ("a.txt", "id\ttext\tmore, or less\n", '\t'),
            ("tsv", "id|text", '|'),
            ("a.TSV", "a,b,c\td\n", '\t'),
            ("a.csv", "text\na;b;c\n", ','),
            ("a.csv", "a;b,c\n", ','),
            ("a.csv", "it\"s;that\"s;a,b\n", ';'),
            ("", "", ','),
        ] {
            assert_eq!(char::from(detect(name, start.as_bytes())), delimiter, "{name} {start:?}");
        }
    }

    #[test]
    fn a_quote_that_never_closes_is_told_with_its_line() {
        for (file, line) in [
            ("a,b\n1,\"x\n", Some(1)),
            ("a,b\n\"1\n\n\",2\n3,\"\"\"\n\n", Some(4)),
            ("\"", Some(0)),
            ("a,b\n1,x\"y\n", None),
            ("a,b\n1,\"x\"", None),
            ("\u{feff}\"a\n", Some(0)),
        ] {
            for piece in [1, 2, 3, 100] {
                let (_, ends) = cut(file.as_bytes(), b',', &[piece]);
                let told = ends.finish().err().map(|error| error.placed(|line| format!("f:{}", 1 + line)).to_string());
                let place = line.map(|line: u64| format!("f:{}: a quote opens here", line + 1));
                assert_eq!(told.is_some(), line.is_some(), "{file:?}");
                assert!(told.unwrap_or_default().starts_with(&place.unwrap_or_default()), "{file:?}");
            }
        }
    }

    #[test]
    fn headers() {
        let header = Header::read(b"\xef\xbb\xbf\"id\",text,\"a \"\"b\"\"\",id\r\n", b',').unwrap();
        assert_eq!(header.names(), ["id", "text", "a \"b\"", "id"]);
        assert_eq!(header.index_of("text", "--text-field").unwrap(), 1);
        let none = header.index_of("body", "--text-field").unwrap_err().to_string();
        assert_eq!(none, r#"no column "body"; there are "id", "text", "a \"b\"", "id": name one with --text-field"#);
        let two = header.index_of("id", "--id-field").unwrap_err().to_string();
        assert_eq!(two, "columns 1 and 4 are both called \"id\": rename one, or name another with --id-field");
        assert!(Header::read(b"\r\n", b',').is_err());
        assert!(Header::read(b"", b',').is_err());
    }
}
