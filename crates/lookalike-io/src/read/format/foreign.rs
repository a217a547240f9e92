//! Common files that this program cannot read: recognises them by their first bytes, and says what to do with them.

use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    read::left_out::LeftOut,
};

/// Returns the error for a file that begins with `start`, with advice. Returns none if one of the readers may be able to read the
/// file. `name` decides the kind of an Office document if the first bytes do not show it.
pub(crate) fn reported(start: &[u8], name: &str) -> Option<Error> {
    // The signature of a tar archive (`ustar`) is not at the beginning of the file, so it is not in `KINDS`. The bytes that
    // follow `ustar` in the signature do not occur in text.
    if start
        .get(257..265)
        .is_some_and(|magic| magic.starts_with(b"ustar\0") || magic == b"ustar  \0")
    {
        return Some(refused("a tar archive", READABLE_ARCHIVE));
    }
    let (magic, what, advice) = KINDS.iter().find(|(magic, ..)| start.starts_with(magic))?;
    let name = name.to_ascii_lowercase();
    // A text may begin with the same letters as a PDF file.
    if is_text(magic) && is_text(start) && Format::of_name(&name).is_some_and(Format::is_document) {
        return None;
    }
    let (what, advice) = if *magic == ZIP {
        office(start, &name).unwrap_or((what, advice))
    } else {
        (*what, *advice)
    };
    Some(refused(what, advice))
}

/// Returns whether this is the content of a Git LFS pointer, which is in a clone instead of a file until the file is fetched.
pub(crate) fn is_pointer(content: &[u8]) -> bool {
    // The specification limits the length, and sorts the keys after the version.
    let mut lines = content.trim_ascii_end().rsplit(|&byte| byte == b'\n');
    let mut begins = |key| lines.next().is_some_and(|line| line.starts_with(key));
    content.starts_with(POINTER) && content.len() < 1024 && begins(b"size ") && begins(b"oid ")
}

/// Returns what is left out if a pointer is an input.
pub(crate) fn left_out_pointer() -> LeftOut {
    let advice = "a pointer names a file that was not fetched";
    LeftOut::one(true, "Git LFS pointer (run git lfs pull)", advice)
}

/// Returns the error for a pointer that is a reference.
pub(crate) fn pointer(path: &str) -> Error {
    refused("a Git LFS pointer", FETCH).at(path)
}

/// Returns an error if a document is a file of another kind, or if its text has many control characters. Escapes of terminals and
/// backspaces are not counted, because they occur in texts. In compressed data, about one byte in ten is a control character.
pub(crate) fn refuse_binary(bytes: &[u8], name: &str, text: &str) -> Result<()> {
    if let Some(reported) = reported(bytes, name) {
        return Err(reported.of_kind(ErrorKind::Record));
    }
    let start = &text.as_bytes()[..text.len().min(4096)];
    let is_control = |&&byte: &&u8| matches!(byte, 0..=7 | 14..=26 | 28..=31);
    let controls = start.iter().filter(is_control).count();
    if controls > 4 && controls * 32 > start.len() {
        let what = "is not text: many of its characters are control characters";
        return Err(Error::record(what).advise("skip it with $skip_bad"));
    }
    Ok(())
}

fn refused(what: &str, advice: &'static str) -> Error {
    Error::new(ErrorKind::Input, format!("is {what}, which cannot be read")).advise(advice)
}

/// Returns the kind of document in a zip archive. The names of the files inside decide, because they are near the beginning of
/// the archive. If they are unknown, the archive's own name decides.
fn office(start: &[u8], name: &str) -> Option<(&'static str, &'static str)> {
    let has = |inside: &&str| memchr::memmem::find(start, inside.as_bytes()).is_some();
    // Any archive may contain a folder called `word`, so the name of a folder alone does not show that the archive is an Office
    // document.
    let is_office = |inside: &&str| {
        inside.contains("application") || inside.contains("oasis") || has(&"[Content_Types].xml")
    };
    let by_names = OFFICE
        .iter()
        .find(|(_, inside, ..)| has(inside) && is_office(inside));
    let by_ending = || OFFICE.iter().find(|(ending, ..)| name.ends_with(ending));
    let known = by_names
        .or_else(by_ending)
        .map(|&(.., what, advice)| (what, advice));
    known.or_else(|| has(&"[Content_Types].xml").then_some(ANY_OFFICE))
}

/// Returns whether bytes are text: UTF-8, possibly cut off inside the last character, without control characters.
fn is_text(bytes: &[u8]) -> bool {
    let is_utf8 =
        std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8
        && !bytes
            .iter()
            .any(|&byte| byte < b' ' && !byte.is_ascii_whitespace())
}

const ZIP: &[u8] = b"PK\x03\x04";
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
const FETCH: &str = "fetch the file with git lfs pull";
const IMAGE: (&str, &str) = (
    "an image",
    "give text, such as the output of a text recognition (OCR) program",
);
const ANY_OFFICE: (&str, &str) = (
    "an Office document (.docx, .xlsx, .pptx)",
    "save it as text, a sheet as CSV",
);
const ARCHIVE: &str = "unpack it first, and name its folder";
/// Archives of documents are recognised by their names.
const READABLE_ARCHIVE: &str = "if it has documents, save it to a local file whose name ends with .zip or .tar; otherwise unpack it";

/// For each kind of file: its first bytes, what the file is, and what to do with it.
const KINDS: [(&[u8], &str, &str); 20] = [
    (
        b"%PDF-",
        "a PDF file",
        "extract its text first, as with pdftotext",
    ),
    (ZIP, "a zip archive", READABLE_ARCHIVE),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an Office document (.doc, .xls)",
        ANY_OFFICE.1,
    ),
    (
        b"\x7fELF",
        "a program (ELF)",
        "name a file with records or texts",
    ),
    (b"{\\rtf", "a rich text document (RTF)", "save it as text"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", ARCHIVE),
    (b"Rar!\x1a\x07", "a RAR archive", ARCHIVE),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "write the table as CSV, as with sqlite3 -csv -header FILE 'select * from NAME'",
    ),
    (
        b"\x89HDF\r\n\x1a\n",
        "an HDF5 file",
        "write its records as Parquet or JSON Lines",
    ),
    (
        b"\x93NUMPY",
        "a NumPy array",
        "write its records as Parquet or JSON Lines, or give the array to the Python package",
    ),
    (
        b"\x80\x04\x95",
        "a Python pickle",
        "write its records as Parquet or JSON Lines, or give the object to the Python package",
    ),
    (
        b"\x80\x05\x95",
        "a Python pickle",
        "write its records as Parquet or JSON Lines, or give the object to the Python package",
    ),
    (
        b"Obj\x01",
        "an Avro file",
        "write it as Parquet or JSON Lines",
    ),
    (b"\x89PNG", IMAGE.0, IMAGE.1),
    (b"\xff\xd8\xff", IMAGE.0, IMAGE.1),
    (b"GIF89a", IMAGE.0, IMAGE.1),
    (
        b"\x1f\x8b\x08",
        "gzip inside another compression",
        "decompress it once",
    ),
    (POINTER, "a Git LFS pointer", FETCH),
    (b"\xff\xfe\0\0", "UTF-32", UTF32),
    (b"\0\0\xfe\xff", "UTF-32", UTF32),
];

const UTF32: &str = "write it as UTF-8, as with: iconv -f UTF-32 -t UTF-8";

/// Zip archives that are documents. Each entry has the ending of the file, a string among the first bytes (the name of a folder
/// inside, or a type), what the file is, and what to do with it.
const OFFICE: [(&str, &str, &str, &str); 7] = [
    (
        ".docx",
        "word/",
        "a Word document",
        "save it as text, as with pandoc -t plain",
    ),
    (
        ".odt",
        "vnd.oasis.opendocument.text",
        "a text document (ODF)",
        "save it as text, as with pandoc -t plain",
    ),
    (
        ".epub",
        "application/epub+zip",
        "an e-book (EPUB)",
        "save it as text, as with pandoc -t plain",
    ),
    (".xlsx", "xl/", "an Excel workbook", "save the sheet as CSV"),
    (".xlsm", "xl/", "an Excel workbook", "save the sheet as CSV"),
    (
        ".ods",
        "vnd.oasis.opendocument.spreadsheet",
        "a spreadsheet (ODF)",
        "save the sheet as CSV",
    ),
    (".pptx", "ppt/", "a PowerPoint file", "save it as text"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_in_a_table() {
        for (start, name, part) in [
            (
                &b"%PDF-1.7\n"[..],
                "a.pdf",
                Some("is a PDF file, which cannot be read; extract its text"),
            ),
            (
                b"PK\x03\x04",
                "a.DOCX",
                Some("is a Word document, which cannot be read; save it as text"),
            ),
            (
                b"PK\x03\x04",
                "a.xlsx",
                Some("is an Excel workbook, which cannot be read; save the sheet as CSV"),
            ),
            (
                b"PK\x03\x04 [Content_Types].xml _rels/.rels xl/workbook.xml",
                "a.csv",
                Some("is an Excel workbook"),
            ),
            (
                b"PK\x03\x04 mimetypeapplication/epub+zip",
                "a",
                Some("is an e-book (EPUB)"),
            ),
            (
                b"PK\x03\x04 [Content_Types].xml",
                "a.csv",
                Some("is an Office document"),
            ),
            (
                b"\x7fELF\x02\x01",
                "a.jsonl",
                Some("is a program (ELF), which cannot be read; name a file with records or texts"),
            ),
            (
                b"PK\x03\x04",
                "a.jsonl",
                Some(
                    "is a zip archive, which cannot be read; if it has documents, save it to a local file whose name ends with .zip",
                ),
            ),
            (
                b"\xff\xfe\0\0{\0\0\0",
                "a.jsonl",
                Some("is UTF-32, which cannot be read; write it as UTF-8"),
            ),
            (b"\xff\xfe{\0", "a.jsonl", None),
            (b"{\"text\":1}", "a.pdf", None),
            (b"%PDF-1.7\n", "a.jsonl", Some("is a PDF file")),
            (b"%PDF-1.7\n%\xe2\xe3\n", "a.txt", Some("is a PDF file")),
            (b"%PDF- begins a PDF file", "a.txt", None),
            (b"GIF89a is a picture format, caf\xc3", "b.md", None),
            (b"{\\rtf", "c.txt", None),
            (b"", "a", None),
        ] {
            let found = reported(start, name);
            assert_eq!(found.is_some(), part.is_some(), "{name}");
            assert!(
                found.is_none_or(|found| found.to_string().starts_with(part.unwrap())),
                "{name}"
            );
        }
        let mut tar = vec![b'a'; 512];
        assert_eq!(reported(&tar, "a"), None);
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(reported(&tar, "a.txt"), None);
        tar[262] = 0;
        assert!(
            reported(&tar, "a")
                .unwrap()
                .to_string()
                .starts_with("is a tar archive")
        );
    }
}
