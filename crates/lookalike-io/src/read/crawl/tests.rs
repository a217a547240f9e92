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
    let mut counts = std::collections::BTreeMap::new();
    skipped
        .into_iter()
        .for_each(|skip| *counts.entry(skip).or_default() += 1);
    use Skip::LeftOut;
    assert_eq!(
        counts,
        [
            (LeftOut("request"), 13),
            (LeftOut("metadata"), 2),
            (LeftOut("revisit"), 1),
            (LeftOut("status"), 2),
            (LeftOut("not HTTP"), 1),
            (LeftOut("not text"), 2)
        ]
        .into()
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
        prop_assert_eq!(join_chunks(&file, &mut chunks), Some(true));
        prop_assert_eq!(&chunks, &body);
        let ended = join_chunks(&file[..cut.min(file.len())], &mut chunks);
        prop_assert!(body.starts_with(&chunks));
        // The last chunk is whole when its line is: the empty line after it has no content.
        prop_assert_eq!(ended == Some(true), cut + 2 >= file.len());
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
            Skip::Bad("decompress to more than the limit of 256 MiB"),
            "{coding}"
        );
    }
}

#[test]
fn a_chunk_with_a_long_extension_is_joined() {
    let body = format!("3;{}\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "x".repeat(5000));
    let mut chunks = Vec::new();
    assert_eq!(join_chunks(body.as_bytes(), &mut chunks), Some(true));
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

/// Returns the body of a response, or why it has none.
fn body_of(head: &str, body: &[u8], truncated: bool) -> Result<Vec<u8>, Skip> {
    body_after(&mut Scratch::default(), head, body, truncated)
}

/// Does the same with buffers that were used before.
fn body_after(
    scratch: &mut Scratch,
    head: &str,
    body: &[u8],
    truncated: bool,
) -> Result<Vec<u8>, Skip> {
    let content = [head.as_bytes(), b"\r\n\r\n", body].concat();
    let truncated = if truncated {
        "WARC-Truncated: length\r\n"
    } else {
        ""
    };
    let mut file = format!(
        "WARC/1.0\r\nWARC-Type: response\r\n{truncated}Content-Length: {}\r\n\r\n",
        content.len()
    )
    .into_bytes();
    file.extend(content);
    let mut reader = WarcReader::new(&*file);
    let record = reader.next("f").unwrap().unwrap();
    let document = record.document(scratch)?;
    Ok(document.body.to_vec())
}

/// A status line is read as browsers read it.
#[test]
fn status_lines_in_a_table() {
    for (line, status) in [
        ("HTTP/1.1 200 OK", 200),
        ("http/1.1 200 OK", 200),
        ("ICY 200 OK", 200),
        ("HTTP/1.1  200 OK", 200),
        ("HTTP/1.1\t200 OK", 200),
        ("HTTP 200 OK", 200),
        ("HTTP/1.1 OK", 200),
        ("HTTP/1.1", 200),
        ("\r\nHTTP/1.1 206 Partial Content", 206),
        ("HTTP/1.1 200OK", 200),
        ("HTTP/1.1 404 Not Found", 404),
        ("HTTP/1.1 99999 No", 0),
    ] {
        let found = body_of(
            &format!("{line}\r\nContent-Type: text/plain"),
            b"a b",
            false,
        );
        let wanted = match status {
            200..300 => Ok(b"a b".to_vec()),
            _ => Err(Skip::LeftOut("status")),
        };
        assert_eq!(found, wanted, "{line}");
    }
    for (start, is_page) in [
        ("<html>", true),
        ("gopher", false),
        ("HTTPS/1.1 200 OK", false),
        ("", false),
    ] {
        assert_eq!(body_of(start, b"a b", false).is_ok(), is_page, "{start}");
    }
}

/// A body that is cut off is bad, unless the crawler declares it. What follows a whole body does not matter.
#[test]
fn bodies_that_are_cut_off_are_bad() {
    let text: Vec<u8> = (0..40_000u32)
        .flat_map(|n| n.wrapping_mul(2_654_435_769).to_le_bytes())
        .collect();
    let gzip = |text: &[u8]| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), Default::default());
        packed.write_all(text).unwrap();
        packed.finish().unwrap()
    };
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
    zlib.write_all(&text).unwrap();
    let mut bare = flate2::write::DeflateEncoder::new(Vec::new(), Default::default());
    bare.write_all(&text).unwrap();
    #[cfg(feature = "codecs")]
    let mut brotli = Vec::new();
    #[cfg(feature = "codecs")]
    brotli::CompressorWriter::new(&mut brotli, 4096, 1, 20)
        .write_all(&text)
        .unwrap();
    let chunked = [
        format!("{:x}\r\n", text.len()).as_bytes(),
        &text,
        b"\r\n0\r\n\r\n",
    ]
    .concat();
    for (coding, packed) in [
        ("Content-Encoding: gzip", gzip(&text)),
        (
            "Content-Encoding: gzip",
            [gzip(&text[..99]), gzip(&text[99..])].concat(),
        ),
        ("Content-Encoding: deflate", zlib.finish().unwrap()),
        ("Content-Encoding: deflate", bare.finish().unwrap()),
        #[cfg(feature = "codecs")]
        ("Content-Encoding: br", brotli),
        (
            "Content-Encoding: zstd",
            zstd::encode_all(&*text, 1).unwrap(),
        ),
        ("Transfer-Encoding: chunked", chunked),
    ] {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{coding}");
        assert_eq!(
            body_of(&head, &packed, false).as_ref(),
            Ok(&text),
            "{coding}"
        );
        for end in [packed.len() / 2, packed.len() - 8] {
            let cut = body_of(&head, &packed[..end], false);
            assert!(matches!(cut, Err(Skip::Bad(_))), "{coding} {end}");
            let declared = body_of(&head, &packed[..end], true).unwrap();
            assert!(declared.len() > 1000, "{coding} {end}");
        }
        if coding.contains("gzip") || coding.contains("deflate") {
            let followed = body_of(&head, &[&*packed, b"\r\n"].concat(), false);
            assert_eq!(followed.as_ref(), Ok(&text), "{coding}");
        }
    }
}

/// The result does not depend on the capacity of the buffers, and a text that the crawler has decompressed is a document.
#[test]
fn a_body_does_not_depend_on_the_one_before_it() {
    let head = |coding| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {coding}")
    };
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
    zlib.write_all(&b"a text ".repeat(100_000)).unwrap();
    let large = zlib.finish().unwrap();
    let mut used = Scratch::default();
    body_after(&mut used, &head("deflate"), &large, false).unwrap();
    for (coding, first) in ["gzip", "deflate", "br", "zstd"]
        .into_iter()
        .flat_map(|coding| (b'a'..=b'z').map(move |first| (coding, first)))
    {
        let mut body = b"_ text that the crawler has decompressed".to_vec();
        body[0] = first;
        if coding != "br" {
            let read = body_of(&head(coding), &body, false);
            assert_eq!(read.as_ref(), Ok(&body), "{coding} {first}");
        }
        for broken in [body, [&large[..usize::from(first)], &[first]].concat()] {
            let fresh = body_of(&head(coding), &broken, false);
            let after = body_after(&mut used, &head(coding), &broken, false);
            assert_eq!(fresh, after, "{coding} {first}");
        }
    }
}
