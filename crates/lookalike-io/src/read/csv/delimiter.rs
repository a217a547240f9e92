//! What stands between the fields of a file, by its beginning.

use crate::format::BYTE_ORDER_MARK;

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
