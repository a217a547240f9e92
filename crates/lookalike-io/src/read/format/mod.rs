//! Detects the format of a file by the ending of its name, or by its first bytes if the ending is not enough.

pub(crate) mod foreign;

mod look;

pub(crate) use self::look::{known, look};
use super::{
    bytes::{START, without_packing},
    json::begins_array,
};
use crate::format::{BYTE_ORDER_MARK, Format};

/// The formats that file extensions indicate. The first bytes decide whether `.json` is an array or lines, and whether `.txt` is
/// lines or a document.
const ENDINGS: [(&str, Format); 24] = [
    (".jsonl", Format::Lines),
    (".ndjson", Format::Lines),
    (".json", Format::Lines),
    (".csv", Format::Delimited),
    (".tsv", Format::Delimited),
    (".tab", Format::Delimited),
    (".warc", Format::Warc),
    (".wet", Format::Warc),
    (".parquet", Format::Parquet),
    (".pq", Format::Parquet),
    (".arrow", Format::Arrow),
    (".arrows", Format::Arrow),
    (".feather", Format::Arrow),
    (".ipc", Format::Arrow),
    (".txt", Format::Text),
    (".text", Format::Text),
    (".md", Format::Text),
    (".markdown", Format::Text),
    (".rst", Format::Text),
    (".tex", Format::Text),
    (".org", Format::Text),
    (".html", Format::Html),
    (".htm", Format::Html),
    (".xhtml", Format::Html),
];

/// The number of bytes that are examined. They are enough to skip white space before the content, and to count the delimiters in
/// a header.
pub(crate) const LOOK: usize = 4096;

impl Format {
    /// Returns the format that a name's file extension indicates. A second extension for a compression, such as `.gz` in
    /// `a.csv.gz`, is ignored.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = without_packing(&name);
        ENDINGS
            .iter()
            .find(|(ending, _)| name.ends_with(ending))
            .map(|&(_, format)| format)
    }

    /// Returns the format of a file with this name and these first bytes after decompression.
    pub(crate) fn of(name: &str, start: &[u8]) -> Self {
        let named = Self::of_name(name);
        if start.starts_with(b"WARC/") {
            return Self::Warc;
        }
        if let Some(format) = Self::of_table(start) {
            return format;
        }
        match named {
            None | Some(Self::Lines) if begins_array(start) => Self::Array,
            Some(Self::Text) if begins_object(start) => Self::Lines,
            named => named.unwrap_or(Self::Lines),
        }
    }

    /// Returns the format of a file that begins like a table.
    pub(crate) fn of_table(start: &[u8]) -> Option<Self> {
        // An Arrow stream begins with a mark (four bytes of 0xff) and the length of its first message's header.
        let is_stream = start.len() >= 8
            && start[..4] == [0xff; 4]
            && start[6..8] == [0; 2]
            && start[4..6] != [0; 2];
        match start {
            [b'P', b'A', b'R', b'1' | b'E', ..] => Some(Self::Parquet),
            _ if start.starts_with(b"ARROW1") || is_stream => Some(Self::Arrow),
            _ => None,
        }
    }

    /// Returns whether a file of this format is a table.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Parquet | Self::Arrow)
    }

    /// Returns whether a file of this format is one document.
    pub(crate) fn is_document(self) -> bool {
        matches!(self, Self::Text | Self::Html)
    }

    /// Returns whether a file whose name indicates this format may have the `other` format instead.
    pub(crate) fn may_be(self, other: Self) -> bool {
        let json = |format| matches!(format, Self::Lines | Self::Array);
        self == other || json(self) && json(other) || self.is_table() && other.is_table()
    }

    /// Returns whether a file of this name may be either an array or lines.
    pub(crate) fn may_be_array(name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        without_packing(&name).ends_with(".json")
    }
}

/// Returns whether a file that begins with `start` may be JSON Lines.
fn begins_object(start: &[u8]) -> bool {
    start
        .strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(start)
        .trim_ascii_start()
        .starts_with(b"{")
}

const _: () = assert!(START <= LOOK);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_beginnings_in_a_table() {
        for (name, start, format) in [
            ("a.jsonl", &b"{\"text\":\"\"}"[..], Format::Lines),
            ("a.json.gz", b" \n{\"text\"", Format::Lines),
            ("a.JSON", b"\xef\xbb\xbf [\n", Format::Array),
            ("a.ndjson", b"[1]", Format::Array),
            ("a", b"", Format::Lines),
            ("a.dat", b"[{", Format::Array),
            ("a.csv.zst", b"[{", Format::Delimited),
            ("a.tsv", b"id\ttext", Format::Delimited),
            ("a.txt", b"Once upon a time", Format::Text),
            ("a.txt", b"{\"text\":", Format::Lines),
            ("a.htm", b"<html>", Format::Html),
            ("a.warc.gz", b"WARC/1.0\r\n", Format::Warc),
            ("crawl", b"WARC/1.1\r\n", Format::Warc),
            ("a.pq", b"", Format::Parquet),
            ("a", b"PAR1\x15", Format::Parquet),
            ("a.feather", b"ARROW1\0\0", Format::Arrow),
            ("a.dat", b"\xff\xff\xff\xff\x10\x01\0\0", Format::Arrow),
        ] {
            assert_eq!(Format::of(name, start), format, "{name}");
        }
    }
}
