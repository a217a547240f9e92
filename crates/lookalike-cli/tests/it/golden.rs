//! Tests the answer byte for byte, by digests of the output of `dedup` on the test data. No number of threads, memory limit,
//! division into files, processor or build may change a digest. A release that changes a digest says so in its changelog.

use std::fs;

use xxhash_rust::xxh3::xxh3_128;

use crate::{Place, testdata};

const LICENSES: &str = "7510aa91cf6e60811c7eeb452e71fea9";
const LICENSES_LONGEST: &str = "31fd9ec45a6ad403feaeda33d6eb7ced";
const POEMS: &str = "dcc7f123d93b55e686064e591ce2ecc0";
const VERSIONS: &str = "ec6dfbc9ba1ee8768c41b9af50b245b6";

/// Returns the digest of the kept lines and the decisions that a command writes.
fn digest(place: &Place, arguments: &str) -> String {
    let ran = place.run(&format!(
        "dedup {arguments} -o kept --decisions decisions -q"
    ));
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.err);
    let [kept, decisions] = ["kept", "decisions"].map(|name| fs::read(place.path(name)).unwrap());
    format!("{:032x}", xxh3_128(&[kept, decisions].concat()))
}

#[test]
fn each_collection_gives_its_recorded_result() {
    let place = Place::new();
    for (arguments, recorded) in [
        (testdata("licenses.jsonl.zst"), LICENSES),
        (
            format!("{} --keep longest", testdata("licenses.jsonl.zst")),
            LICENSES_LONGEST,
        ),
        (testdata("zh_tang.jsonl.zst"), POEMS),
        (testdata("ota_versions.jsonl.zst"), VERSIONS),
    ] {
        assert_eq!(digest(&place, &arguments), recorded, "{arguments}");
    }
}

#[test]
fn threads_and_memory_change_no_byte() {
    let place = Place::new();
    for (keep, recorded) in [("first", LICENSES), ("longest", LICENSES_LONGEST)] {
        for threads in [1, 2, 7] {
            for memory in ["64M", "200M", "1T"] {
                let arguments = format!(
                    "{} --keep {keep} --threads {threads} --memory {memory}",
                    testdata("licenses.jsonl.zst")
                );
                assert_eq!(digest(&place, &arguments), recorded, "{arguments}");
            }
        }
    }
}

#[test]
fn a_cut_into_files_and_packing_change_no_byte() {
    let place = Place::new();
    let whole = zstd::decode_all(fs::File::open(testdata("licenses.jsonl.zst")).unwrap()).unwrap();
    place.write("whole.jsonl", &whole);
    assert_eq!(digest(&place, "whole.jsonl"), LICENSES);
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    fs::create_dir(place.path("cut")).unwrap();
    for (part, number) in lines.chunks(lines.len().div_ceil(50)).zip(10..) {
        let part = part.concat();
        match number % 3 {
            0 => place.write(&format!("cut/{number}.jsonl"), part),
            1 => place.write(
                &format!("cut/{number}.jsonl.zst"),
                zstd::encode_all(&*part, 1).unwrap(),
            ),
            _ => {
                let mut packer =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                std::io::Write::write_all(&mut packer, &part).unwrap();
                place.write(&format!("cut/{number}.jsonl.gz"), packer.finish().unwrap())
            }
        };
    }
    assert_eq!(fs::read_dir(place.path("cut")).unwrap().count(), 50);
    assert_eq!(digest(&place, "cut"), LICENSES);
}
