//! Tests of archives of documents: zip, and tar with and without compression, are read like folders.

use std::{fs, io::Write as _, path::Path, process::Command};

use serde_json::Value;

use crate::{Place, Ran};

/// The files of a project: documents, hidden ones, and other files. Some texts are alike.
fn files() -> Vec<(String, String)> {
    let text = |number: usize| {
        (0..60)
            .map(|word| format!("w{}x{word} ", number % 40))
            .collect::<String>()
    };
    let mut files: Vec<(String, String)> = (0..60)
        .map(|number| (format!("docs/{}/{number}.txt", number % 7), text(number)))
        .collect();
    files.push((
        "docs/page.html".into(),
        format!("<title>t</title><p>{}</p>", text(3)),
    ));
    files.push((format!("docs/{}.md", "long".repeat(40)), text(70)));
    files.push(("docs/ünïcode 名.txt".into(), text(71)));
    files.push(("docs/.hidden/x.txt".into(), "hidden".into()));
    files.push(("docs/picture.png".into(), "png".into()));
    files
}

pub(crate) fn put(place: &Place, files: &[(String, String)]) {
    for (name, text) in files {
        fs::create_dir_all(place.path(name).parent().unwrap()).unwrap();
        place.write(name, text);
    }
}

/// A flag of a member: its name is UTF-8.
const UTF8: u16 = 1 << 11;

/// Makes a zip archive of stored members, whose names are UTF-8.
pub(crate) fn zip(files: &[(impl AsRef<str>, impl AsRef<[u8]>)]) -> Vec<u8> {
    let members = files.iter().map(|(name, bytes)| {
        let name = name.as_ref().as_bytes();
        (name, UTF8, Vec::new(), bytes.as_ref())
    });
    zip_of(&members.collect::<Vec<_>>())
}

fn crc(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// A member of a zip archive: its name, flags, extra fields and bytes.
type Member<'a> = (&'a [u8], u16, Vec<u8>, &'a [u8]);

/// Makes a zip archive of stored members: their names, flags, extra fields and bytes.
fn zip_of(members: &[Member]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, flags, extra, bytes) in members {
        let mut common = b"\x14\0".to_vec();
        common.extend(flags.to_le_bytes());
        common.extend(b"\0\0\0\0\x21\0");
        common.extend(crc(bytes).to_le_bytes());
        common.extend([(bytes.len() as u32).to_le_bytes(); 2].concat());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend((extra.len() as u16).to_le_bytes());
        directory.extend([b"PK\x01\x02\x14\0".as_slice(), &common, &[0; 10]].concat());
        directory.extend((archive.len() as u32).to_le_bytes());
        directory.extend([name, &**extra].concat());
        archive.extend([b"PK\x03\x04".as_slice(), &common, name, extra, bytes].concat());
    }
    let (start, count) = (archive.len() as u32, (members.len() as u16).to_le_bytes());
    archive.extend(&directory);
    archive.extend([b"PK\x05\x06\0\0\0\0".as_slice(), &count, &count].concat());
    archive.extend([(directory.len() as u32).to_le_bytes(), start.to_le_bytes()].concat());
    archive.extend([0; 2]);
    archive
}

pub(crate) fn tar(place: &Place, arguments: &str) {
    let ran = Command::new("tar")
        .current_dir(place.path("."))
        .args(arguments.split_whitespace())
        .status()
        .unwrap();
    assert!(ran.success(), "tar {arguments}");
}

fn done(place: &Place, arguments: &str) -> Ran {
    let ran = place.run(arguments);
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    ran
}

/// Returns the decisions by id, without what is before `docs/` in ids.
fn decisions(place: &Place, name: &str) -> Vec<(String, Value)> {
    let plain = |id: &Value| {
        id.as_str()
            .map(|id| id[id.find("docs/").unwrap_or(0)..].to_string())
    };
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let id = plain(&line["id"]).unwrap();
        line["id"] = Value::Null;
        line["representative"] = plain(&line["representative"]).map_or(Value::Null, Value::from);
        (id, line)
    };
    place.read(name).lines().map(line).collect()
}

#[test]
fn archives_are_read_like_folders() {
    let place = Place::new();
    let files = files();
    put(&place, &files);
    fs::create_dir(place.path("all")).unwrap();
    fs::rename(place.path("docs"), place.path("all/docs")).unwrap();
    done(
        &place,
        "dedup all -o folder.jsonl --decisions folder.why.jsonl",
    );
    let expected = decisions(&place, "folder.why.jsonl");
    assert!(
        expected.len() == 63
            && expected
                .iter()
                .any(|(_, line)| line["verdict"] == "dropped")
    );
    // The members are in the order of the folder, so that the decisions are the same.
    let names: Vec<&str> = expected.iter().map(|(id, _)| id.as_str()).collect();
    place.write(
        "names",
        names
            .iter()
            .chain(&["docs/.hidden/x.txt", "docs/picture.png"])
            .map(|name| format!("{name}\n"))
            .collect::<String>(),
    );
    for archive in ["a.tar", "a.tar.gz", "b.tgz", "gnu.tar", "pax.tar"] {
        let format = match archive.split('.').next().unwrap() {
            name @ ("gnu" | "pax") => format!("--format={name}"),
            _ => "--format=gnu".into(),
        };
        let packed = if archive.ends_with("gz") { "z" } else { "" };
        tar(
            &place,
            &format!("-c{packed}f {archive} {format} -C all -T names"),
        );
    }
    let in_order = |name: &str| files.iter().find(|(own, _)| own == name).unwrap().clone();
    let mut members: Vec<(String, String)> = names.iter().map(|name| in_order(name)).collect();
    members.extend([
        ("docs/.hidden/x.txt".into(), "hidden".into()),
        ("docs/picture.png".into(), "png".into()),
    ]);
    members.insert(5, ("docs/1/".into(), String::new()));
    place.write("a.zip", zip(&members));
    place.write(
        "a.tar.zst",
        zstd::encode_all(&*fs::read(place.path("a.tar")).unwrap(), 1).unwrap(),
    );
    for archive in [
        "a.zip",
        "a.tar",
        "a.tar.gz",
        "b.tgz",
        "gnu.tar",
        "pax.tar",
        "a.tar.zst",
    ] {
        for threads in ["--threads 1", ""] {
            let ran = done(
                &place,
                &format!("dedup {archive} -o kept.jsonl --decisions why.jsonl {threads}"),
            );
            assert!(
                ran.err.contains(&format!(
                    "skipped  1 .png, such as {archive}/docs/picture.png"
                )),
                "{}",
                ran.err
            );
            assert_eq!(decisions(&place, "why.jsonl"), expected, "{archive}");
            let same = place
                .read("kept.jsonl")
                .replace(&format!("\"id\":\"{archive}/"), "\"id\":\"");
            assert_eq!(same, place.read("folder.jsonl"), "{archive}");
        }
    }
    // Passes that read once more, a glob, references, and other commands.
    done(
        &place,
        "dedup a.tar.gz -o longest.jsonl --keep longest --decisions why.jsonl",
    );
    done(&place, "apply why.jsonl a.tar.gz -o applied.jsonl");
    assert_eq!(place.read("applied.jsonl"), place.read("longest.jsonl"));
    let ran = done(&place, "dedup a.zip --against a.tar.gz --json");
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&summary["documents"], &summary["dropped"]),
        (&63.into(), &63.into())
    );
    let ran = done(&place, "dedup *.zip a.t*z --json");
    let summary: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(summary["documents"], 126);
    done(
        &place,
        "cut a.tar.gz -o cut.jsonl --cuts cuts.jsonl --window 20",
    );
    done(&place, "apply cuts.jsonl a.tar.gz -o applied.jsonl");
    assert_eq!(place.read("applied.jsonl"), place.read("cut.jsonl"));
    let ran = place.run("dedup a.zip a.zip");
    assert!(
        ran.code == 2 && ran.err.contains("a.zip: given twice"),
        "{}",
        ran.err
    );
    let ran = place.run("dedup a.zip -o a.zip");
    assert!(
        ran.code == 2 && ran.err.contains("would overwrite the input a.zip"),
        "{}",
        ran.err
    );
}

/// Writes a file of the test's name, and returns the error of a run over it.
fn refused(place: &Place, name: &str, bytes: &[u8], words: &str) {
    place.write(name, bytes);
    let ran = place.run(&format!("dedup {name} -o kept.jsonl"));
    assert!(
        ran.code == 2 && ran.err.contains(words),
        "{name}: {}",
        ran.err
    );
    assert!(!place.path("kept.jsonl").exists());
}

#[test]
fn archives_that_cannot_be_read_are_reported() {
    let place = Place::new();
    let good = zip(&[("a.txt", "one two three"), ("b/c.txt", "four five six")]);
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] ^= byte;
        bytes
    };
    let directory = good
        .windows(4)
        .position(|bytes| bytes == b"PK\x01\x02")
        .unwrap();
    let body = good
        .windows(13)
        .position(|bytes| bytes == b"one two three")
        .unwrap();
    for (bytes, words) in [
        (&good[..good.len() - 30], "x.zip: is a damaged archive"),
        (&[], "x.zip: is a damaged archive"),
        (
            &changed(body, 1),
            "x.zip/a.txt: the compressed data is damaged",
        ),
        // The flags say that the member is encrypted.
        (
            &changed(directory + 8, 1),
            "x.zip/a.txt: is encrypted, so it cannot be read; unpack the archive with its password",
        ),
        (
            &changed(directory + 10, 9),
            "x.zip/a.txt: is compressed by a method that is not supported (9 (DEFLATE64))",
        ),
        // A member that claims four gigabytes, and one that has more bytes than it says.
        (&changed(directory + 27, 0xff), "x.zip/a.txt: "),
        (&changed(directory + 24, 8), "x.zip/a.txt: "),
        // The directory lists fewer members than the archive says.
        (&changed(good.len() - 12, 4), "x.zip: is a damaged archive"),
        (
            &zip(&[("a.txt", "one"), ("a.txt", "two")]),
            "x.zip: has two members \"a.txt\"; unpack it first",
        ),
        (
            &zip(&[("a.txt", "one"), ("b.jsonl", "{}")]),
            "x.zip: has files of records, such as \"b.jsonl\", which cannot be read",
        ),
        (
            &zip(&[("a.png", "one")]),
            "x.zip: no .txt, .md or .html file in this archive; if all of its files are text, say so with --format; otherwise unpack it first",
        ),
        (
            &zip(&[("i/train/a.txt", "one"), ("i/test/a.txt", "two")]),
            "x.zip: contains several splits of a dataset, train (1 file), test (1 file); if they were read as one collection, documents of one split could match documents of another; unpack it",
        ),
    ] {
        refused(&place, "x.zip", bytes, words);
    }
    place
        .write("a.txt", "one two three ".repeat(200))
        .write("b.txt", "four");
    tar(&place, "-cf good.tar a.txt b.txt");
    tar(&place, "-cf twice.tar a.txt b.txt");
    tar(&place, "-rf twice.tar a.txt");
    let good = fs::read(place.path("good.tar")).unwrap();
    let mut sum = good.clone();
    sum[0] = b'z';
    let mut huge = good.clone();
    huge[124..136].copy_from_slice(b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff");
    let own: u32 = huge[..148]
        .iter()
        .chain(&huge[156..512])
        .map(|&byte| u32::from(byte))
        .sum::<u32>()
        + 8 * 32;
    huge[148..156].copy_from_slice(format!("{own:06o}\0 ").as_bytes());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&good).unwrap();
    let packed = encoder.finish().unwrap();
    for (name, bytes, words) in [
        (
            "x.tar",
            &good[..1000],
            "x.tar: is a damaged archive (it is cut off)",
        ),
        // Without the zeros at its end, an archive may have lost members.
        (
            "x.tar",
            &good[..512 + 3072 + 512 + 512],
            "x.tar: is a damaged archive (it is cut off)",
        ),
        (
            "x.tar",
            &sum,
            "x.tar: is a damaged archive (a header has another checksum)",
        ),
        ("x.tar", &huge, "x.tar: is a damaged archive"),
        ("x.tar", b"no archive", "x.tar: is a damaged archive"),
        ("x.tar.gz", &packed[..packed.len() - 20], "x.tar.gz: "),
        (
            "x.tar",
            &fs::read(place.path("twice.tar")).unwrap(),
            "x.tar: has two members \"a.txt\"",
        ),
    ] {
        refused(&place, name, bytes, words);
    }
    // Names that leave the folder are only ids.
    place.write(
        "out.zip",
        zip(&[("../../a.txt", "one two"), ("/etc/b.txt", "three four")]),
    );
    done(&place, "dedup out.zip -o kept.jsonl --no-decisions");
    assert!(
        place
            .read("kept.jsonl")
            .starts_with("{\"id\":\"out.zip/../../a.txt\",")
            && !Path::new("/etc/b.txt").exists()
    );
    fs::remove_file(place.path("kept.jsonl")).unwrap();
    // A document that is no text is skipped like a bad line.
    place.write(
        "bad.zip",
        zip(&[
            ("a.txt", &b"one two"[..]),
            ("b.txt", b"\x7fELF\x02\x01\x01\0"),
        ]),
    );
    refused(
        &place,
        "bad.zip",
        &fs::read(place.path("bad.zip")).unwrap(),
        "bad.zip/b.txt: is a program (ELF)",
    );
    let ran = done(&place, "dedup bad.zip -o kept.jsonl --skip-bad bad");
    assert!(ran.err.contains("1 document in = 1 kept"), "{}", ran.err);
    // With a format, all members are documents.
    place.write("any.zip", zip(&[("a", "one two"), ("b.py", "three four")]));
    let ran = done(&place, "dedup any.zip --format text");
    assert!(ran.err.contains("2 documents in"), "{}", ran.err);
    place.write("none.zip", zip(&[] as &[(&str, &str)]));
    assert!(
        done(&place, "dedup none.zip")
            .err
            .contains("0 documents in")
    );
}

/// Makes a tar archive of members whose names are in headers of a kind: `L` for GNU, `x` for pax.
fn tar_named(kind: u8, names: &[&str]) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut put = |name: &str, kind: u8, bytes: &[u8]| {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = kind;
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        archive.extend(header);
        archive.extend(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    };
    for (number, name) in names.iter().enumerate() {
        let named = match kind {
            b'L' => format!("{name}\0"),
            _ => {
                let property = |length: usize| format!("{length} path={name}\n");
                (name.len()..)
                    .map(property)
                    .find(|property| {
                        property.len()
                            == property
                                .split(' ')
                                .next()
                                .unwrap()
                                .parse::<usize>()
                                .unwrap()
                    })
                    .unwrap()
            }
        };
        put("long", kind, named.as_bytes());
        put("short", b'0', format!("text {number}").as_bytes());
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

/// All names are in memory, and a compressed archive of 470 kB had names of 1 GB.
#[test]
fn names_in_archives_are_at_most_as_long_as_paths() {
    let place = Place::new();
    let name = |length: usize| "a".repeat(length - 4) + ".txt";
    let (longest, longer) = (name(4096), name(4097));
    let names = ["b.txt", &*longest];
    for (good, bad) in [
        (
            tar_named(b'L', &names),
            tar_named(b'L', &["b.txt", &longer]),
        ),
        (
            tar_named(b'x', &names),
            tar_named(b'x', &["b.txt", &longer]),
        ),
        (
            zip(&names.map(|name| (name, name))),
            zip(&["b.txt", &*longer].map(|name| (name, name))),
        ),
    ] {
        let archive = if good.starts_with(b"PK") {
            "x.zip"
        } else {
            "x.tar"
        };
        place.write(archive, good);
        done(
            &place,
            &format!("dedup {archive} -o kept.jsonl --no-decisions"),
        );
        assert!(place.read("kept.jsonl").contains("aaa.txt\""));
        fs::remove_file(place.path("kept.jsonl")).unwrap();
        let words = format!(
            "{archive}: has a member whose name has 4097 bytes, and at most 4096 are read: aaa"
        );
        refused(&place, archive, &bad, &words);
    }
    let huge = tar_named(b'x', &[&name(1 << 20)]);
    let words = "x.tar: has a member whose name and other properties have more than 1 MiB, which cannot be read; unpack it first";
    refused(&place, "x.tar", &huge, words);
}

/// The ids of the kept documents, in input order.
fn kept_ids(place: &Place, input: &str) -> Vec<String> {
    let ran = place.run(&format!("dedup {input} -o - --quiet"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let id = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["id"].as_str().unwrap().to_owned()
    };
    ran.out.lines().map(id).collect()
}

#[test]
fn names_of_members_are_decoded_by_their_flags() {
    let place = Place::new();
    let unicode = |version: u8, name: &[u8], text: &str| {
        let field = [&[version], &crc(name).to_le_bytes()[..], text.as_bytes()].concat();
        let length = (field.len() as u16).to_le_bytes();
        [b"up".as_slice(), &length, &field].concat()
    };
    let other = unicode(1, b"another name", "stale.txt");
    let names: [(&[u8], u16, Vec<u8>, &str); 10] = [
        (b"plain.txt", 0, vec![], "plain.txt"),
        ("ü.txt".as_bytes(), UTF8, vec![], "ü.txt"),
        ("é.txt".as_bytes(), 0, vec![], "é.txt"),
        // The names of a Japanese Windows, which two others must not be equal to.
        (b"\x93\xfazzzz.txt", 0, vec![], "ô·zzzz.txt"),
        (b"\x93\xfbzzzz.txt", 0, vec![], "ô√zzzz.txt"),
        (b"\xff\xfe.txt", UTF8, vec![], "\\xff\\xfe.txt"),
        (b"\\xff.txt", 0, vec![], "\\x5cxff.txt"),
        (
            b"\x84.txt",
            0,
            unicode(1, b"\x84.txt", "日本.txt"),
            "日本.txt",
        ),
        (b"\x94.txt", 0, unicode(2, b"\x94.txt", "x.txt"), "ö.txt"),
        (b"\x811.txt", 0, other, "ü1.txt"),
    ];
    let texts: Vec<String> = (0..names.len()).map(|at| format!("text {at}")).collect();
    let members = names
        .iter()
        .zip(&texts)
        .map(|((name, flags, extra, _), text)| (*name, *flags, extra.clone(), text.as_bytes()));
    place.write("a.zip", zip_of(&members.collect::<Vec<_>>()));
    let expected = names.map(|(.., shown)| format!("a.zip/{shown}"));
    assert_eq!(kept_ids(&place, "a.zip"), expected);
}

#[test]
fn names_that_are_not_utf8_stay_different() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    let names: [&[u8]; 3] = [b"b\\xff", b"b\xfe", b"b\xff"];
    let shown = ["b\\x5cxff", "b\\xfe", "b\\xff"];
    let path = |name: &[u8], ending: &str| {
        let name = [b"in/", name, ending.as_bytes()].concat();
        place.path(".").join(OsStr::from_bytes(&name))
    };
    for (number, name) in names.iter().enumerate() {
        fs::write(path(name, ".txt"), format!("text {number}")).unwrap();
    }
    assert_eq!(
        kept_ids(&place, "in"),
        shown.map(|name| format!("{name}.txt"))
    );
    let tar = Command::new("tar")
        .args(["cf", "in.tar", "in"])
        .current_dir(place.path("."))
        .status();
    assert!(tar.unwrap().success());
    let mut members = kept_ids(&place, "in.tar");
    members.sort();
    let mut expected = shown.map(|name| format!("in.tar/in/{name}.txt"));
    expected.sort();
    assert_eq!(members, expected);
    // Records without an id are named by their files, and copies keep their names.
    assert_eq!(place.run("dedup in -o copies/").code, 0);
    for name in names {
        let copied = [b"copies/", name, b".txt"].concat();
        assert!(place.path(".").join(OsStr::from_bytes(&copied)).exists());
        fs::remove_file(path(name, ".txt")).unwrap();
        fs::write(path(name, ".jsonl"), "{\"text\": \"one two\"}\n").unwrap();
    }
    let ran = place.run("dedup in -o out/ --decisions why/ --quiet");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let why = |name: &str| place.read(&format!("why/{name}.decisions.jsonl"));
    assert!(
        why(shown[0]).contains("\"id\":\"in/b\\\\x5cxff.jsonl:1\""),
        "{}",
        why(shown[0])
    );
    assert!(why(shown[2]).contains("\"representative\":\"in/b\\\\x5cxff.jsonl:1\""));
}
