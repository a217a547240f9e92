use proptest::prelude::*;

use super::{
    cells::Cells,
    delimiter::{detect, is_blank, separator},
    ends::RecordEnds,
    header::Header,
};
use crate::format::BYTE_ORDER_MARK;

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

/// Returns the records of a file that arrives in pieces of the given lengths.
fn cut(file: &[u8], delimiter: u8, pieces: &[usize]) -> (Vec<Vec<u8>>, RecordEnds) {
    let (mut ends, mut found, mut rest) = (RecordEnds::new(delimiter), Vec::new(), file);
    for &length in pieces.iter().cycle() {
        let (piece, after) = rest.split_at(length.min(rest.len()));
        ends.feed(piece, |end| found.push(end as usize));
        assert_eq!(ends.fed() as usize, file.len() - after.len());
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    if found.last().copied().unwrap_or(0) < file.len() {
        found.push(file.len());
    }
    let mut start = 0;
    let records = found
        .into_iter()
        .map(|end| file[std::mem::replace(&mut start, end)..end].to_vec());
    (records.collect(), ends)
}

fn fields(record: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
    let (mut cells, mut scratch) = (Cells::default(), Vec::new());
    cells.find(record, delimiter);
    (0..cells.len())
        .map(|index| cells.get(index, record, &mut scratch).unwrap().to_vec())
        .collect()
}

fn ours(file: &[u8], delimiter: u8, pieces: &[usize]) -> Vec<Vec<Vec<u8>>> {
    let (records, _) = cut(file, delimiter, pieces);
    assert_eq!(records.concat(), file);
    let unmarked = records
        .iter()
        .enumerate()
        .map(|(number, record)| match number {
            0 => record.strip_prefix(BYTE_ORDER_MARK).unwrap_or(record),
            _ => record,
        });
    unmarked
        .filter(|record| !is_blank(record))
        .map(|record| fields(record, delimiter))
        .collect()
}

/// Returns what the `csv` crate reads.
fn judged(file: &[u8], delimiter: u8) -> Vec<Vec<Vec<u8>>> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(file);
    let mut record = csv::ByteRecord::new();
    let mut records = Vec::new();
    while reader.read_byte_record(&mut record).unwrap() {
        records.push(record.iter().map(<[u8]>::to_vec).collect());
    }
    records
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(4000)))]

    /// Tests hostile quoting, all kinds of line ends, and pieces of all lengths. A record whose quote never closes is the last
    /// record for the `csv` crate, but an error here.
    #[test]
    fn records_and_fields_match_the_reference_parser(
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

    /// Everything that the `csv` crate writes is read back unchanged, and its delimiter is detected.
    #[test]
    fn written_records_are_read_back(
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
        assert_eq!(
            char::from(detect(name, start.as_bytes())),
            delimiter,
            "{name} {start:?}"
        );
    }
}

#[test]
fn a_quote_that_never_closes_is_reported_with_its_line() {
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
            let reported = ends.finish().err().map(|error| {
                error
                    .placed(|line| crate::error::Place::line("f", 1 + line))
                    .to_string()
            });
            let place = line.map(|line: u64| format!("f:{}: a quote opens here", line + 1));
            assert_eq!(reported.is_some(), line.is_some(), "{file:?}");
            assert!(
                reported
                    .unwrap_or_default()
                    .starts_with(&place.unwrap_or_default()),
                "{file:?}"
            );
        }
    }
}

#[test]
fn headers() {
    let header = Header::read(
        b"\xef\xbb\xbf\"id\",text,\"a \"\"b\"\"\",id\r\n",
        b',',
        None,
    )
    .unwrap();
    assert_eq!(header.names(), ["id", "text", "a \"b\"", "id"]);
    assert_eq!(
        header
            .index_of("text", crate::error::Setting("text_field"))
            .unwrap(),
        1
    );
    let none = header
        .index_of("body", crate::error::Setting("text_field"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        none,
        r#"no column "body"; the columns are "id", "text", "a \"b\"", "id"; name one with text_field"#
    );
    let two = header
        .index_of("id", crate::error::Setting("id_field"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        two,
        "columns 1 and 4 are both called \"id\"; rename one, or name another column with id_field"
    );
    assert!(Header::read(b"\r\n", b',', None).is_err());
    assert!(Header::read(b"", b',', None).is_err());
}
