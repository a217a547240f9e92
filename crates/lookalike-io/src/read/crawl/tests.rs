use std::io::{Read, Write};

use proptest::prelude::*;

use super::{
    reader::WarcReader,
    record::{Document, Scratch, Skip, join_chunks},
};
use crate::read::bytes::{
    dictionary::{ZSTD_FRAME_HEADER, zstd_dictionary, zstd_dictionary_length},
    encoding::decode,
};

/// A reader that returns a limited number of bytes at a time.
struct Slowly<'a>(&'a [u8], usize);

impl Read for Slowly<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(into.len());
        self.0.read(&mut into[..count])
    }
}

fn testdata(name: &str) -> Vec<u8> {
    std::fs::read(format!(
        "{}/../../testdata/formats/{name}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

fn crawl() -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::MultiGzDecoder::new(&*testdata("crawl.warc.gz"))
        .read_to_end(&mut plain)
        .unwrap();
    plain
}

/// Compares with warcio: the fields of all records, and the length and checksum of the bodies.
#[test]
fn a_crawl_is_read_as_warcio_reads_it() {
    let judged: Vec<serde_json::Value> = serde_json::from_slice(&testdata("crawl.json")).unwrap();
    let file = crawl();
    let (mut reader, mut scratch, mut bytes, mut documents, mut skipped) = (
        WarcReader::new(Slowly(&file, 1000)),
        Scratch::default(),
        Vec::new(),
        0,
        Vec::new(),
    );
    for judged in &judged {
        let record = reader.next("crawl").unwrap().unwrap();
        bytes.extend_from_slice(record.bytes);
        assert_eq!(record.warc_type(), judged["type"]);
        assert_eq!(
            record.target_uri().unwrap_or_default(),
            judged["uri"].as_str().unwrap_or_default()
        );
        assert_eq!(record.record_id(), judged["id"].as_str());
        assert_eq!(record.date(), judged["date"].as_str());
        assert_eq!(record.content_type(), judged["content_type"].as_str());
        let succeeded =
            judged["status"].is_null() || judged["status"].as_str().unwrap().starts_with('2');
        match record.document(&mut scratch) {
            Ok(document) => {
                assert!(succeeded);
                assert_eq!(
                    document.body.len(),
                    judged["bytes"],
                    "{:?}",
                    record.target_uri()
                );
                let mut check = flate2::Crc::new();
                check.update(document.body);
                assert_eq!(check.sum(), judged["crc32"], "{:?}", record.target_uri());
                documents += 1;
            }
            Err(skip) => skipped.push(skip),
        }
    }
    assert!(reader.next("crawl").unwrap().is_none());
    assert_eq!(bytes, file);
    assert_eq!(documents, 11);
    skipped.sort();
    let mut counts: Vec<(Skip, usize)> = Vec::new();
    for skip in skipped {
        match counts.last_mut() {
            Some((last, count)) if *last == skip => *count += 1,
            _ => counts.push((skip, 1)),
        }
    }
    use Skip::*;
    assert_eq!(
        counts,
        [
            (Request, 13),
            (Metadata, 2),
            (Revisit, 1),
            (Status, 2),
            (NotHttp, 1),
            (NotText, 2)
        ]
    );
}

/// Checks the texts after all codings are undone.
#[test]
fn documents_are_the_responses_of_the_servers() {
    let file = crawl();
    let (mut reader, mut scratch, mut found) =
        (WarcReader::new(&*file), Scratch::default(), Vec::new());
    while let Some(record) = reader.next("crawl").unwrap() {
        let uri = record
            .target_uri()
            .unwrap_or_default()
            .rsplit('/')
            .next()
            .unwrap()
            .to_owned();
        if let Ok(Document {
            body,
            is_html,
            charset,
        }) = record.document(&mut scratch)
        {
            let mut text = String::new();
            let text = decode(body, charset, &mut text).text.to_owned();
            found.push((uri, is_html, charset.map(str::to_owned), text));
        }
    }
    let of = |uri: &str| found.iter().find(|document| document.0 == uri).unwrap();
    assert!(
        of("ru")
            .3
            .contains("Все люди рождаются свободными и равными")
    );
    assert!(
        of("ja")
            .3
            .contains("すべての人間は、生まれながらにして自由である。")
    );
    assert!(
        of("plain")
            .3
            .contains("All human beings are born free and equal")
    );
    for same in ["both", "br", "deflate", "bare", "not-chunked"] {
        assert_eq!(of(same).3, of("plain").3, "{same}");
    }
    assert_eq!(
        of("notes.txt"),
        &(
            "notes.txt".into(),
            false,
            Some("iso-8859-1".into()),
            "Grüße aus München.\n".into()
        )
    );
    assert_eq!(found.iter().filter(|document| document.1).count(), 7);
}

#[test]
fn a_leading_dictionary_decompresses_the_rest() {
    let file = testdata("crawl.warc.zst");
    let length =
        zstd_dictionary_length(file[..ZSTD_FRAME_HEADER].try_into().unwrap()).unwrap() as usize;
    let (content, rest) = file[ZSTD_FRAME_HEADER..].split_at(length);
    let dictionary = zstd_dictionary(content).unwrap();
    let mut plain = Vec::new();
    zstd::Decoder::with_dictionary(rest, &dictionary)
        .unwrap()
        .read_to_end(&mut plain)
        .unwrap();
    assert_eq!(plain, crawl());
    assert_eq!(zstd_dictionary(&dictionary).unwrap(), dictionary);
    assert_eq!(
        zstd_dictionary_length(rest[..ZSTD_FRAME_HEADER].try_into().unwrap()),
        None
    );
}

#[derive(Debug, Clone)]
struct Written {
    version: &'static str,
    uri: String,
    content: Vec<u8>,
    folded: bool,
    end: &'static str,
}

fn written() -> impl Strategy<Value = Written> {
    let content = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..60),
        "(WARC/1.0\r\n|\r\n|\n|a){0,9}".prop_map(String::into_bytes),
        (0usize..200_000).prop_map(|length| vec![b'x'; length]),
    ];
    let versions = prop::sample::select(vec!["0.17", "1.0", "1.1"]);
    (
        versions,
        "http://[a-zé]{1,9}/",
        content,
        any::<bool>(),
        prop::sample::select(vec!["\r\n", "\n"]),
    )
        .prop_map(|(version, uri, content, folded, end)| Written {
            version,
            uri,
            content,
            folded,
            end,
        })
}

fn write(records: &[Written]) -> Vec<u8> {
    let mut file = Vec::new();
    for Written {
        version,
        uri,
        content,
        folded,
        end,
    } in records
    {
        let fold = if *folded {
            format!("{end} \t")
        } else {
            " ".into()
        };
        let (half, other) = uri.split_at(7);
        let fields = [
            format!("WARC/{version}"),
            "WARC-Type: resource".into(),
            format!("X-Other:{fold}thing"),
            format!("warc-target-uri:{fold}<{half}{other}>"),
            format!("Content-Length : {}", content.len()),
            format!("Content-Type: text/plain;{fold}charset=utf-8"),
        ];
        fields
            .iter()
            .for_each(|field| write!(file, "{field}{end}").unwrap());
        file.extend_from_slice(end.as_bytes());
        file.extend_from_slice(content);
        file.extend_from_slice(end.repeat(2).as_bytes());
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(100)))]

    #[test]
    fn written_records_are_read_back(records in prop::collection::vec(written(), 0..6), piece in 1usize..70_000) {
        let file = write(&records);
        let (mut reader, mut bytes, mut scratch) = (WarcReader::new(Slowly(&file, piece)), Vec::new(), Scratch::default());
        for written in &records {
            let record = reader.next("f").unwrap().unwrap();
            bytes.extend_from_slice(record.bytes);
            prop_assert_eq!(&record.bytes[record.content()], &written.content[..]);
            prop_assert_eq!(record.target_uri(), Some(&*written.uri));
            prop_assert_eq!(record.warc_type(), "resource");
            let document = record.document(&mut scratch).unwrap();
            prop_assert_eq!((document.body, document.is_html, document.charset), (&written.content[..], false, Some("utf-8")));
        }
        prop_assert!(reader.next("f").unwrap().is_none());
        prop_assert_eq!(bytes, file);
    }

    /// A missing end or a wrong length is reported, unless only line ends are missing. Nothing panics.
    #[test]
    fn truncated_records_are_reported(records in prop::collection::vec(written(), 1..4), cut in any::<prop::sample::Index>(), piece in 1usize..100) {
        let file = write(&records);
        let cut = &file[..cut.index(file.len())];
        let mut reader = WarcReader::new(Slowly(cut, piece));
        let mut read = 0;
        let ended = loop {
            match reader.next("f") {
                Ok(Some(record)) => read += record.bytes.len(),
                Ok(None) => break true,
                Err(error) => {
                    prop_assert!(error.to_string().contains("copy or download") || error.to_string().contains("begin"), "{}", error);
                    break false;
                }
            }
        };
        prop_assert_eq!(ended, read == cut.len());
    }

    #[test]
    fn chunks_are_joined(body in prop::collection::vec(any::<u8>(), 1..300), sizes in prop::collection::vec(1usize..40, 1..5), cut in 0usize..400) {
        let (mut file, mut rest, mut sizes) = (Vec::new(), &body[..], sizes.iter().cycle());
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
            write!(file, "{:X}\r\n", chunk.len()).unwrap();
            file.extend_from_slice(chunk);
            file.extend_from_slice(b"\r\n");
            rest = after;
        }
        file.extend_from_slice(b"0\r\n\r\n");
        let mut chunks = Vec::new();
        prop_assert!(join_chunks(&file, &mut chunks));
        prop_assert_eq!(&chunks, &body);
        join_chunks(&file[..cut.min(file.len())], &mut chunks);
        prop_assert!(body.starts_with(&chunks));
    }
}

#[test]
fn a_body_up_to_the_limit_is_read_and_a_longer_one_is_too_long() {
    let body = [b'x'; 5000];
    let packed = |coding: &str| {
        let mut packed = Vec::new();
        match coding {
            "gzip" => flate2::write::GzEncoder::new(&mut packed, Default::default())
                .write_all(&body)
                .unwrap(),
            "deflate" => flate2::write::ZlibEncoder::new(&mut packed, Default::default())
                .write_all(&body)
                .unwrap(),
            _ => packed = zstd::encode_all(&body[..], 1).unwrap(),
        }
        packed
    };
    for coding in ["gzip", "deflate", "zstd"] {
        let mut content = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {coding}\r\n\r\n"
        )
        .into_bytes();
        content.extend(packed(coding));
        let mut file = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {}\r\n\r\n",
            content.len()
        )
        .into_bytes();
        file.extend(content);
        let (mut reader, mut scratch) = (WarcReader::new(&*file), Scratch::default());
        let record = reader.next("f").unwrap().unwrap();
        assert_eq!(
            record.document_up_to(5000, &mut scratch).unwrap().body,
            body,
            "{coding}"
        );
        assert_eq!(
            record.document_up_to(4999, &mut scratch).unwrap_err(),
            Skip::TooLong,
            "{coding}"
        );
    }
}

#[test]
fn a_chunk_with_a_long_extension_is_joined() {
    let body = format!("3;{}\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "x".repeat(5000));
    let mut chunks = Vec::new();
    assert!(join_chunks(body.as_bytes(), &mut chunks));
    assert_eq!(chunks, b"abcde");
}

#[test]
fn errors_in_a_table() {
    let good = "WARC/1.0\r\nContent-Length: 2\r\n\r\nab\r\n\r\n";
    for (file, problem) in [
        (
            "{\"text\": 1}",
            "f: record 1, at byte 0 of the decompressed file: it does not begin with WARC/",
        ),
        (
            "\n\nWARC/1.0\n\n",
            "f: record 1, at byte 2 of the decompressed file: it has no Content-Length",
        ),
        (
            "WARC/1.0\nContent-Length: -1\n\n",
            "f: record 1, at byte 0 of the decompressed file: its Content-Length \"-1\" is not a number",
        ),
        (
            "WARC/1.0\nContent-Length: 9999999999\n\n",
            "f: record 1, at byte 0 of the decompressed file: its content is 9999999999 bytes",
        ),
        (
            "WARC/1.0\r\nContent-Length: 9\r\n\r\nab\r\n\r\n",
            "f: record 1, at byte 0 of the decompressed file: the file ends after 6 of the record's 9",
        ),
        (
            "WARC/1.0\nContent-Length: 1\n\nab\n\n",
            "f: record 1, at byte 0 of the decompressed file: no record begins after its 1",
        ),
        (
            "WARC/1.0\nContent-Len",
            "f: record 1, at byte 0 of the decompressed file: the file ends in its header",
        ),
    ] {
        let reported = WarcReader::new(file.as_bytes())
            .next("f")
            .unwrap_err()
            .to_string();
        assert!(reported.starts_with(problem), "{reported}");
        if file.starts_with("WARC") {
            let second = format!("{good}{file}");
            let mut reader = WarcReader::new(second.as_bytes());
            assert!(reader.next("f").unwrap().is_some());
            let reported = reader.next("f").unwrap_err().to_string();
            assert!(
                reported.starts_with(&problem.replace(
                    "record 1, at byte 0",
                    &format!("record 2, at byte {}", good.len())
                )),
                "{reported}"
            );
        }
    }
}
