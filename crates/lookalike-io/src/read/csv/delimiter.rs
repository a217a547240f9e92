//! Detects the delimiter of a file by its beginning.

use crate::format::BYTE_ORDER_MARK;

/// Returns the delimiter of a file, from the ending of its name or from its first record. In the first record, it is the most
/// frequent of comma, semicolon, tab and bar outside quotes. If several are equally frequent, the first in this order is chosen.
/// If the record has only one field, the delimiter is the comma.
pub fn detect(name: &str, start: &[u8]) -> u8 {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if ["tsv", "tab"]
        .iter()
        .any(|tabs| ending.eq_ignore_ascii_case(tabs))
    {
        return b'\t';
    }
    const ORDER: [u8; 4] = [b',', b';', b'\t', b'|'];
    let (mut counts, mut quoted, mut before) = ([0usize; 4], false, b',');
    for &byte in start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start) {
        match byte {
            // A doubled quote closes the quoted text and opens it again.
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

/// Returns the delimiter that a file declares on a line before the header, as Excel writes it (`sep=;`), and the number of bytes
/// before the header.
pub fn separator(start: &[u8]) -> Option<(u8, usize)> {
    let line = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    let said = line
        .get(..4)
        .filter(|said| said.eq_ignore_ascii_case(b"sep="))?;
    let (&delimiter, end) = line[said.len()..].split_first()?;
    // The file may end after this line.
    let (ends, end) = match end {
        [] => (true, 0),
        [b'\r', b'\n', ..] => (true, 2),
        [first, ..] => (matches!(first, b'\r' | b'\n'), 1),
    };
    let is_delimiter = delimiter.is_ascii() && !matches!(delimiter, b'"' | b'\r' | b'\n');
    (is_delimiter && ends).then_some((delimiter, start.len() - line.len() + said.len() + 1 + end))
}

/// Returns whether the beginning of a file contains no record yet, but only a byte order mark and line ends.
pub fn begins_blank(start: &[u8]) -> bool {
    is_blank(start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start))
}

/// Returns whether a record is an empty line; empty lines are skipped and are not documents.
pub fn is_blank(record: &[u8]) -> bool {
    record.iter().all(|byte| matches!(byte, b'\n' | b'\r'))
}
