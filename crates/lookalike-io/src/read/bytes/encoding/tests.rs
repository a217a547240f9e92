use std::{io::Read, path::PathBuf};

use proptest::prelude::*;

use super::{names::NAMES, *};

fn decoded(bytes: &[u8], declared: Option<&str>) -> (String, &'static str, bool) {
    let mut scratch = String::from("what was there");
    let Decoded {
        text,
        encoding,
        lossy,
    } = decode(bytes, declared, &mut scratch);
    (text.to_owned(), encoding, lossy)
}

/// Encodes a text. Returns none if the encoding lacks a character.
fn encoded(text: &str, label: &str) -> Option<Vec<u8>> {
    let units = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect();
    match label {
        "utf-16le" => return Some(units(u16::to_le_bytes)),
        "utf-16be" => return Some(units(u16::to_be_bytes)),
        _ => {}
    }
    let (bytes, _, lacking) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    (!lacking).then(|| bytes.into_owned())
}

#[test]
fn encodings_in_a_table() {
    let utf16le = encoded("Żółw 龜\n", "utf-16le").unwrap();
    for (bytes, declared, text, encoding, lossy) in [
        (&b""[..], None, "", "UTF-8", false),
        (b"plain", Some("shift_jis"), "plain", "UTF-8", false),
        (b"\xef\xbb\xbfg\xc3\xbcn", None, "gün", "UTF-8", false),
        (b"\xff\xfea\0b\0", None, "ab", "UTF-16LE", false),
        (b"\xfe\xff\0a\0b", Some("utf-8"), "ab", "UTF-16BE", false),
        (b"\xff\xfea\0b", None, "a\u{fffd}", "UTF-16LE", true),
        (&utf16le, None, "Żółw 龜\n", "UTF-16LE", false),
        (b"a\0b\0", None, "ab", "UTF-16LE", false),
        (b"one zero\0byte.", None, "one zero\0byte.", "UTF-8", false),
        // The label is right, wrong, unknown, or one that the standard rejects.
        (b"g\xfcn", Some("latin1"), "gün", "windows-1252", false),
        (
            b"g\xfcn",
            Some("windows-1254"),
            "gün",
            "windows-1254",
            false,
        ),
        (b"g\xfcn", Some("no such"), "gün", "windows-1252", false),
        (b"g\xfcn", Some("iso-2022-kr"), "gün", "windows-1252", false),
        (
            b"g\xfcn und sch\xf6n, f\xfcr alle",
            Some("utf-8"),
            "gün und schön, für alle",
            "windows-1252",
            false,
        ),
        // Escapes of a terminal must not be mistaken for those of ISO-2022-JP.
        (b"\x1b$B$+$J\x1b(B", None, "かな", "ISO-2022-JP", false),
        (
            b"\x1b[31mred\x1b[0m",
            None,
            "\x1b[31mred\x1b[0m",
            "UTF-8",
            false,
        ),
    ] {
        assert_eq!(
            decoded(bytes, declared),
            (text.into(), encoding, lossy),
            "{bytes:?}"
        );
    }
    // A program that counts bytes cut the text off inside a character.
    let cut = &"Überfluß, Größe, Blüten, Äpfel, Öl, Süße, Mühe, ähnlich".as_bytes()[..56];
    let cut = &cut[..cut.iter().rposition(|&byte| byte == 0xc3).unwrap() + 1];
    assert_eq!(decoded(cut, Some("windows-1252")).1, "UTF-8");
}

#[test]
fn an_unknown_name_is_reported_with_the_nearest() {
    assert_eq!(named(" Latin1 ").unwrap(), "windows-1252");
    assert_eq!(
        named("windows-1259").unwrap_err().to_string(),
        "encoding \"windows-1259\" is not known; the nearest names are windows-1250, windows-1251 and windows-1252"
    );
    assert!(
        named("shiftjs")
            .unwrap_err()
            .to_string()
            .contains("are shift_jis")
    );
    assert!(
        named("iso-2022-kr")
            .unwrap_err()
            .to_string()
            .contains("cannot be read")
    );
    assert!(NAMES.iter().all(|name| known(name).is_some()));
}

#[test]
fn charsets_of_content_types() {
    for (content_type, found) in [
        ("text/html; charset=utf-8", Some("utf-8")),
        ("text/html;CHARSET = \"Shift_JIS\"", Some("Shift_JIS")),
        ("text/html; charset='gbk' ; x", Some("gbk")),
        ("text/html; charset=a b", Some("a")),
        ("text/html; charset charset=big5;q", Some("big5")),
        ("text/html; charset=\"gbk", None),
        ("text/html; charset=", None),
        ("text/html", None),
        ("charset=é", Some("é")),
    ] {
        assert_eq!(charset(content_type), found, "{content_type}");
    }
}

#[test]
fn encodings_that_pages_declare() {
    for (page, http, found) in [
        ("<meta charset=gbk>", None, Some("GBK")),
        ("<meta charset=gbk>", Some("big5"), Some("Big5")),
        ("<meta charset=gbk>", Some("nonsense"), Some("GBK")),
        (
            "<!doctype html><html lang='a>b'><META/charset='EUC-KR' />",
            None,
            Some("EUC-KR"),
        ),
        (
            "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>",
            None,
            Some("KOI8-R"),
        ),
        (
            "<meta content='text/html; charset=koi8-r' http-equiv=Content-Type>",
            None,
            Some("KOI8-R"),
        ),
        (
            "<meta content='text/html; charset=koi8-r' name=a><meta charset=gbk>",
            None,
            Some("GBK"),
        ),
        (
            "<!-- <meta charset=gbk> --><meta charset=big5>",
            None,
            Some("Big5"),
        ),
        ("<!--><meta charset=gbk>-->", None, Some("GBK")),
        ("<a title='<meta charset=gbk>'>", None, None),
        ("</a <meta charset=gbk>", None, None),
        (
            "<? <meta charset=gbk> <meta charset=big5>",
            None,
            Some("Big5"),
        ),
        ("<meta charset=utf-16>", None, Some("UTF-8")),
        ("<meta charset=x-user-defined>", None, Some("windows-1252")),
        (
            "<meta charset=iso-2022-kr><meta charset=gbk>",
            None,
            Some("GBK"),
        ),
        ("<meta charset=gbk charset=big5>", None, Some("GBK")),
        ("<metacharset=gbk>", None, None),
        ("<meta charset=gbk", None, None),
        (
            "<?xml version='1.0' encoding = \"euc-jp\"?><html>",
            None,
            Some("EUC-JP"),
        ),
        ("<?xml version='1.0'?><html>", None, None),
        ("", None, None),
    ] {
        assert_eq!(declared_in_html(page.as_bytes(), http), found, "{page}");
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_utf8_is_borrowed(bytes in prop::collection::vec(any::<u8>(), 0..80), text: String, html in "[<meta charset=gbk/!'\"->\0é]{0,60}") {
        decoded(&bytes, None);
        decoded(&bytes, Some("gb18030"));
        declared_in_html(&bytes, None);
        declared_in_html(html.as_bytes(), None);
        charset(&html);
        prop_assume!(!text.contains(['\0', '\x1b']) && !text.starts_with('\u{feff}'));
        let mut scratch = String::new();
        prop_assert_eq!(decode(text.as_bytes(), Some("gbk"), &mut scratch).text.as_ptr(), text.as_ptr());
    }

    /// The label decides the encoding unless the bytes contradict it, whether the text is decoded in pieces or in one go.
    #[test]
    fn labelled_texts_are_decoded(text in "[А-Я][а-яА-Я ,.\n]{20,200}", repeated in 1usize..2000) {
        let text = text.repeat(repeated);
        for label in ["windows-1251", "koi8-r", "iso-8859-5", "gb18030", "euc-jp"] {
            let bytes = encoded(&text, label).unwrap();
            // Some capitals of iso-8859-5 are also valid UTF-8, and ЪЧ and ЧЪ in koi8-r are the byte order marks of UTF-16.
            if !is_nearly_utf8(&bytes) && Encoding::for_bom(&bytes).is_none() {
                prop_assert_eq!(decoded(&bytes, Some(label)).0, &*text);
            }
        }
    }
}

fn texts(path: PathBuf, key: &str) -> Vec<(String, String)> {
    let mut lines = String::new();
    zstd::Decoder::new(std::fs::File::open(path).unwrap())
        .unwrap()
        .read_to_string(&mut lines)
        .unwrap();
    let values = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    values
        .map(|value| {
            [key, "text"]
                .map(|key| value[key].as_str().unwrap().to_owned())
                .into()
        })
        .collect()
}

/// For each language, the encodings that were usual where it is spoken. The encodings of the Macintosh are not included, because
/// the detector does not consider them.
const USUAL: [(&str, &[&str]); 13] = [
    (
        "eng fra deu spa ita por_BR por_PT nld swe dan nob nno fin isl cat glg eus",
        &["windows-1252", "iso-8859-15"],
    ),
    (
        "pol ces slk hun hrv slv srp_latn bos_latn",
        &["windows-1250", "iso-8859-2"],
    ),
    ("rus bel bul mkd srp_cyrl", &["windows-1251", "iso-8859-5"]),
    ("rus", &["koi8-r", "ibm866"]),
    ("ukr", &["windows-1251", "koi8-u"]),
    ("ell_monotonic", &["windows-1253", "iso-8859-7"]),
    ("tur", &["windows-1254"]),
    (
        "heb arb pes_1 pes_2",
        &["windows-1255", "windows-1256", "iso-8859-6", "iso-8859-8-i"],
    ),
    (
        "est lav lit",
        &["windows-1257", "iso-8859-4", "iso-8859-13"],
    ),
    ("tha", &["windows-874"]),
    ("jpn", &["shift_jis", "euc-jp", "iso-2022-jp"]),
    ("cmn_hans cmn_hant", &["gbk", "gb18030", "big5"]),
    ("kor", &["euc-kr"]),
];

/// Returns how many texts are decoded correctly from their usual encodings without a label, and how many were tried. Run the
/// tests with `-- --nocapture` to see the failures.
fn guessed(texts: &[(String, String)], usual: &[&str]) -> (usize, usize) {
    let (mut right, mut all) = (0, 0);
    for ((id, text), label) in texts
        .iter()
        .flat_map(|text| usual.iter().map(move |label| (text, label)))
    {
        let text = text.replace(['\u{2010}', '\u{2011}'], "-");
        let Some(bytes) = encoded(&text, label) else {
            continue;
        };
        let (found, encoding, _) = decoded(&bytes, None);
        all += 1;
        right += usize::from(found == text);
        if found != text {
            println!(
                "{id}, {} bytes, as {label}: taken for {encoding}",
                bytes.len()
            );
        }
    }
    (right, all)
}

#[test]
fn texts_of_all_languages_in_their_usual_encodings() {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let tang = texts(here.join("../../testdata/zh_tang.jsonl.zst"), "id");
    let (right, all) = guessed(&tang, &["gb18030", "big5", "utf-16le", "utf-16be"]);
    println!("poems of some 60 characters: {right} of {all}");
    assert!(right * 100 >= all * 99, "{right} of {all} poems");

    let data =
        std::env::var_os("LOOKALIKE_DATA").map_or(here.join("../../../shared/data"), PathBuf::from);
    if !data.join("udhr.jsonl.zst").exists() {
        println!("skipped: no udhr.jsonl.zst in {}", data.display());
        return;
    }
    let udhr: Vec<_> = texts(data.join("udhr.jsonl.zst"), "id")
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect();
    let (right, all) = guessed(&udhr, &["utf-16le", "utf-16be"]);
    println!("UTF-16 without a mark: {right} of {all}");
    assert!(right * 100 >= all * 99, "{right} of {all} in UTF-16");
    for (length, least) in [(usize::MAX, 97), (300, 95)] {
        let (mut right, mut all) = (0, 0);
        for (languages, usual) in USUAL {
            let named = |id: &str| {
                languages
                    .split(' ')
                    .any(|language| id.strip_suffix(".txt") == Some(language))
            };
            let cut = |text: &str| text.chars().take(length).collect();
            let texts: Vec<_> = udhr
                .iter()
                .filter(|(id, _)| named(id))
                .map(|(id, text)| (id.clone(), cut(text)))
                .collect();
            let (more, of) = guessed(&texts, usual);
            println!("{languages}: {more} of {of}");
            (right, all) = (right + more, all + of);
        }
        println!("up to {length} characters: {right} of {all}");
        assert!(right * 100 >= all * least, "{right} of {all}");
    }
}
