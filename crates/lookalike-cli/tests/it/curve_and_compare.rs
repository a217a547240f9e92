//! Tests of `lookalike curve`, `lookalike compare` and `lookalike completions`.

use insta::assert_snapshot;

use crate::{Place, SMALL, testdata};

#[test]
fn the_curve_agrees_with_the_sources() {
    let place = Place::new();
    assert_snapshot!(place.run("curve --bands 100 --rows 3 --at 0.4").out, @"0.4000  0.998659");
    assert_snapshot!(place.run("curve --bands 20 --rows 5 --at 0.8 --at 0.3").out, @"
    0.8000  0.999644
    0.3000  0.047494
    ");
    let page = place.run("curve").out;
    assert!(
        page.contains("21 bands of 6 rows")
            && page.contains("0.9983")
            && page.contains("← threshold"),
        "{page}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&place.run("curve -t 0.5 --json").out).unwrap();
    assert_eq!((&json["bands"], &json["rows"]), (&42.into(), &3.into()));
    assert!(json["found_at_threshold"].as_f64().unwrap() >= 0.99);
}

/// Runs a command with `--json` and parses its output.
fn json(place: &Place, arguments: &str) -> serde_json::Value {
    serde_json::from_str(&place.run(&format!("{arguments} --json")).out).unwrap()
}

fn near(found: &serde_json::Value, expected: f64, margin: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() <= margin, "{found} for {expected}");
}

#[test]
fn samples_are_as_large_as_an_estimate_needs() {
    let place = Place::new();
    assert_snapshot!(place.run("curve --sample-size --within 0.1 --at 0.5 --at 0.8").out, @"
    sampled shingles needed to estimate a resemblance to within 0.1 with probability 0.95
    Broder 1997, section 4.2

    resemblance  shingles
            0.5        99
            0.8        64
    ");
    assert_snapshot!(place.run("curve --sample-size --within 0.1 --sketch 100 --at 0.5 --at 0.8").out, @"
    probability that 100 sampled shingles estimate a resemblance to within 0.1
    Broder 1997, section 4.2

    resemblance  probability
            0.5     0.964800
            0.8     0.991607

    a pair with resemblance < 0.5 is estimated at > 0.9 with a probability of at most 1.7e-18
    for one pair; give --documents for all pairs of a collection
    ");
    // By default, the sample is large enough to estimate any resemblance to within 0.05 with probability 0.95.
    let sizes = json(&place, "curve --sample-size");
    assert_eq!(
        (
            &sizes["sizes"][0]["sketch"],
            &sizes["sizes"][0]["resemblance"]
        ),
        (&400.into(), &serde_json::Value::Null)
    );
    assert_eq!(
        json(
            &place,
            "curve --sample-size --at 0.8 --within 0.1 --confidence 0.99"
        )["sizes"][0]["sketch"],
        107
    );
    let any = json(&place, "curve --sample-size --sketch 400");
    assert!(any["probabilities"][0]["probability"].as_f64().unwrap() >= 0.95);
    near(&any["within"], 0.05, 0.0);
    // An estimate above 0.9 needs 19 or 20 shared shingles of 20.
    near(
        &json(&place, "curve --sample-size --sketch 20")["half_taken_for_more_than_nine_tenths"],
        21.0 / 1_048_576.0,
        1e-15,
    );
    // The example in Broder's paper of 1997 is the Web with 30 million documents.
    let few = |documents: &str| {
        place
            .run(&format!("curve --sample-size --documents {documents}"))
            .out
    };
    let one = "\nsampled shingles needed for 1 document: 1\none document has no pairs; give --documents 2 or more\n";
    assert!(few("1").ends_with(one), "{}", few("1"));
    assert!(
        few("2").contains(
            "\nthe probability that the one pair of 2 documents with resemblance < 0.5\n"
        ),
        "{}",
        few("2")
    );
    assert!(
        few("3").contains(
            "\nthe probability that any of the 3 pairs of 3 documents with resemblance < 0.5\n"
        ),
        "{}",
        few("3")
    );
    let web = json(
        &place,
        "curve --sample-size --sketch 100 --documents 30000000",
    );
    near(
        &web["collection"]["half_taken_for_more_than_nine_tenths"],
        7.4746e-4,
        1e-7,
    );
    assert_snapshot!(place.run("curve --sample-size --within 0.1 --sketch 100 --documents 30000000").out, @"
    probability that 100 sampled shingles estimate a resemblance to within 0.1
    Broder 1997, section 4.2

    resemblance  probability
            any     0.953956

    a pair with resemblance < 0.5 is estimated at > 0.9 with a probability of at most 1.7e-18
    the probability that any of the 4.5e14 pairs of 30,000,000 documents with resemblance < 0.5
    is estimated at > 0.9 by 100 sampled shingles is at most 7.5e-4
    ");
    assert_snapshot!(place.run("curve --sample-size --documents 30000000 --confidence 0.999").out, @"
    sampled shingles needed to estimate a resemblance to within 0.05 with probability 0.999
    Broder 1997, section 4.2

    resemblance  shingles
            any     1,100

    sampled shingles needed for 30,000,000 documents: 104
    the probability that any of the 4.5e14 pairs of 30,000,000 documents with resemblance < 0.5
    is estimated at > 0.9 by 104 sampled shingles is at most 6.5e-4
    ");
}

#[test]
fn short_ids_lose_shingles_and_make_texts_alike() {
    let place = Place::new();
    assert_snapshot!(place.run("curve --degree 16").out, @"
    1,000 shingles are expected to have 992.417 different ids of 16 bits
    Broder 1997, section 4.1
    n − n(n − 1)/2ˡ⁺¹            992.378  a good approximation if there are many more ids than shingles
    two strings share an id      0.009766  at most, with Rabin's fingerprint, if both have 5 words of 8 bytes and are chosen before the seed

    resemblance  seen by ids  too high by about  for two such texts
       0.500375     0.504180           0.003812
       0.800180     0.801701           0.001525
       0.899335     0.900101             7.7e-4
    ");
    let ids = json(&place, "curve --degree 64 --shingles 600 --at 0.333333");
    assert_eq!(
        (&ids["shingles"], &ids["resemblances"][0]["shared"]),
        (&600.into(), &300.into())
    );
    near(&ids["distinct"], 600.0, 1e-9);
    near(&ids["collision_bound"], 320.0 / 2f64.powi(63), 1e-30);
    near(&ids["resemblances"][0]["seen"], 1.0 / 3.0, 1e-15);
    near(
        &ids["resemblances"][0]["bias_approx"],
        200.0 / 2f64.powi(64),
        1e-30,
    );
}

#[test]
fn simhashes_within_a_distance() {
    let place = Place::new();
    let head: String = place
        .run("curve --distance --threshold 0.9")
        .out
        .lines()
        .take(9)
        .map(|l| format!("{l}\n"))
        .collect();
    assert_snapshot!(head, @"
    SimHashes that differ in up to 6 of 64 bits find 0.4993 of the pairs at 0.9
    Charikar 2002, section 3; Manku, Jain, Das Sarma 2007, section 3; for large texts with equally many shingles, each once
    equivalent resemblance       0.9174
    bits for recall 0.99         13  for pairs at 0.9
    tables                       7  of 7 blocks
    tables a random pair shares  0.012695  on average; more for dissimilar texts with words in common
    for texts of 49 shingles or more: 0.4672 or more

    shingles  P(found)  shingles of the smaller text; P(found) is a lower bound
    ");
    assert_snapshot!(place.run("curve --distance 3 --at 0.8 --at 1").out, @"
    0.8000  0.008530
    1.0000  1.000000
    ");
    assert!(
        place
            .run("curve --distance")
            .out
            .contains("      0.80  0.489327  ← threshold")
    );
    let wide = json(&place, "curve --distance --bits 128 --recall 0.9");
    assert_eq!(
        (&wide["bits"], &wide["distance"], &wide["tables"]),
        (&128.into(), &19.into(), &20.into())
    );
    assert!(wide["distance_for_recall"].as_u64().unwrap() < 29);
    // An example from Manku, Jain, Das Sarma 2007: near copies are found with 20 tables.
    let near_copies = json(&place, "curve --distance 3 --blocks 6");
    assert_eq!(near_copies["tables"], 20);
    near(&near_copies["resemblance"], 0.978_584_807, 1e-8);
    near(&near_copies["random_meetings"], 9.779e-9, 1e-12);
}

#[test]
fn sampled_shingles_find_large_texts_and_may_miss_small_ones() {
    let place = Place::new();
    assert_snapshot!(place.run("curve --measure containment").out, @"
    one shingle in 8 sampled in long texts: share of pairs at containment 0.8 that is found (requested: 0.99)
    for texts of 43 shingles or more: 0.9904 or more

    shingles  P(found)  shingles of the smaller text; P(found) is a lower bound
           4  0.413818
           5  0.413818
           9  0.656391
          10  0.656391
          20  0.881933
          50  0.994663
         100  0.998868
         200  0.998587
       1,000  0.998017
    ");
    assert_snapshot!(place.run("curve --candidates super --recall 0.9 --threshold 0.9").out, @"
    super-shingles of 12; 50 to 100 shingles sampled in a long text: share of pairs at resemblance 0.9 that is found (requested: 0.9)
    for texts of 31 shingles or more: 0.9111 or more

    shingles  P(found)  shingles of the smaller text; P(found) is a lower bound
           4  1.000000
           5  1.000000
           9  0.499023
          10  0.499512
          20  0.641026
          50  0.994702
         100  0.971481
         200  0.954703
       1,000  0.977820
    ");
    let shared = json(&place, "curve --candidates shared");
    assert_eq!(
        (&shared["modulus"]["least"], &shared["run_length"]),
        (&50.into(), &serde_json::Value::Null)
    );
    assert!(
        shared["found"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["found"].as_f64().unwrap() >= 0.99)
    );
    // If all shingles are sampled, even pairs of the smallest texts are found.
    let all = json(&place, "curve --measure containment --modulus 1");
    assert!(all["found"][0]["shingles"] == 4 && all["found"][0]["found"].as_f64().unwrap() > 0.999);
    let run = json(
        &place,
        "curve --candidates super --run-length 5 --modulus 4",
    );
    assert_eq!(
        (&run["run_length"], &run["modulus"]["level"]),
        (&5.into(), &2.into())
    );
    let ran = place.run("curve --candidates shared --modulus 64");
    assert!(
        ran.code == 2
            && ran.err.contains("finds 0.4668")
            && ran.err.contains("lower the recall to 0.46"),
        "{}",
        ran.err
    );
    assert_eq!(
        place.run("curve --candidates bands --at 0.5").out,
        place.run("curve --at 0.5").out
    );
}

#[test]
fn a_curve_answers_one_question_at_a_time() {
    let place = Place::new();
    for (arguments, parts) in [
        (
            "--sample-size --degree 32",
            &["--sample-size", "--degree"][..],
        ),
        ("--degree 32 --distance", &["--degree", "--distance"]),
        (
            "--distance --candidates shared",
            &["--distance", "--candidates"],
        ),
        (
            "--distance --measure containment",
            &["--distance", "--measure"],
        ),
        (
            "--sample-size --threshold 0.5",
            &["--sample-size", "--threshold"],
        ),
        ("--degree 32 --recall 0.5", &["--degree", "--recall"]),
        ("--distance --bands 20 --rows 5", &["--distance", "--bands"]),
        ("--within 0.1", &["--sample-size"]),
        ("--documents 10", &["--sample-size"]),
        ("--sample-size --documents 0", &["--documents"]),
        ("--permutation 1", &["--matrix"]),
        ("--matrix rows.txt --at 0.5", &["--matrix", "--at"]),
        (
            "--matrix no-rows.txt --hash x",
            &["no-rows.txt: cannot be read"],
        ),
        ("--confidence 0.9", &["--sample-size"]),
        ("--sketch 100", &["--sample-size"]),
        (
            "--sample-size --sketch 100 --confidence 0.9",
            &["--sketch", "--confidence"],
        ),
        ("--shingles 100", &["--degree"]),
        ("--bits 128", &["--distance"]),
        ("--blocks 5", &["--distance"]),
        (
            "--candidates shared --bands 20 --rows 5",
            &["--bands only works with --candidates bands"],
        ),
        (
            "--candidates shared --at 0.5",
            &["--at only works with --candidates bands", "leave --at out"],
        ),
        (
            "--modulus 4",
            &["--modulus only works with --candidates shared"],
        ),
        (
            "--candidates shared --run-length 4",
            &["--run-length only works with --candidates super"],
        ),
        (
            "--candidates bands --measure containment",
            &["--measure containment", "by shared shingles"],
        ),
        (
            "--candidates super --measure containment",
            &["--measure containment", "by shared shingles"],
        ),
        (
            "--sample-size --within 0",
            &["--within 0", "above 0 and below 1"],
        ),
        (
            "--sample-size --sketch 5 --within 1",
            &["--within 1", "above 0 and below 1"],
        ),
        (
            "--sample-size --confidence 1",
            &["--confidence 1", "above 0 and below 1"],
        ),
        (
            "--sample-size --within 0.0001",
            &["--within 0.0001", "a wider margin"],
        ),
        ("--sample-size --sketch 0", &["--sketch 0", "at least 1"]),
        (
            "--sample-size --sketch 1000000",
            &["--sketch must be at most 131072, got 1000000"],
        ),
        ("--sample-size --at 2", &["--at 2", "from 0 to 1"]),
        ("--degree 8", &["from 16 to 64", "got 8"]),
        ("--degree 32 --shingles 0", &["--shingles"]),
        ("--distance 64", &["below 64 bits", "got 64"]),
        ("--distance 3 --blocks 3", &["need 4 to 64 blocks", "got 3"]),
        ("--distance --bits 32", &["64 or 128 bits", "got 32"]),
        (
            "--distance --threshold 0",
            &["threshold must be above 0 and at most 1, got 0"],
        ),
        (
            "--candidates shared --modulus 3",
            &["--modulus 3", "power of two"],
        ),
        (
            "--candidates shared --recall 1",
            &["recall must be above 0 and below 1, got 1"],
        ),
    ] {
        let ran = place.run(&format!("curve {arguments}"));
        assert!(
            ran.code == 2 && ran.out.is_empty() && !ran.err.contains("panicked"),
            "{arguments}: {}",
            ran.err
        );
        assert!(
            parts.iter().all(|part| ran.err.contains(part)),
            "{arguments}: {}",
            ran.err
        );
    }
}

#[test]
fn two_texts_side_by_side() {
    let place = Place::new();
    place
        .write("a.txt", "one two three four five six seven eight")
        .write("b.txt", "ONE two, three four five six 7 eight")
        .write("in.jsonl", SMALL);
    assert_snapshot!(place.run("compare a.txt b.txt --shingle 3").shown(), @"
    exit 0
    --- stdout
    resemblance            0.5000  4 of 8 shingles shared             sketch: 0.469 (0.384 to 0.555)
    containment of A in B  0.6667  4 of A's 6                         sketch: 0.638 (0.555 to 0.714)
    containment of B in A  0.6667  4 of B's 6                         sketch: 0.638 (0.555 to 0.714)
    sketch: estimates from 128 slots; the intervals contain the true value 95 times in 100

    A: a.txt  shared not shared
    one two three four five six seven eight

    B: b.txt  shared not shared
    ONE two, three four five six 7 eight
    --- stderr
    ");
    assert_eq!(place.run("compare a.txt b.txt --threshold 0.9").code, 1);
    assert_eq!(place.run("compare a.txt a.txt --threshold 0.9").code, 0);
    let ran = place.run("compare first in.jsonl:3 --in in.jsonl --json");
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&json["intersection"], &json["size_a"], &json["size_b"]),
        (&13.into(), &13.into(), &14.into())
    );
    assert_eq!(json["passages_b"].as_array().unwrap().len(), 2);
    assert_eq!(place.run("compare --in in.jsonl 2 2 -t 1").code, 0);
    assert_eq!(
        place.run("compare \"first\" 2 --in in.jsonl -t 1").code,
        1,
        "an id may be written as it stands in its line"
    );
}

/// Uses texts about roses, after the example of Broder 1997, section 2.
#[test]
fn a_rose_is_a_rose_by_both_options() {
    let place = Place::new();
    place
        .write("a.txt", "a rose is a rose is a rose")
        .write("b.txt", "a rose is a flower which is a rose");
    for fingerprint in ["rolling", "rabin"] {
        for (occurrences, resemblances) in [
            ("labelled", [0.7, 0.5, 0.3]),
            ("once", [0.6, 0.5, 3.0 / 7.0]),
        ] {
            for (k, resemblance) in (1..).zip(resemblances) {
                let flags = format!(
                    "--shingle {k} --occurrences {occurrences} --fingerprint {fingerprint}"
                );
                let found = json(&place, &format!("compare a.txt b.txt {flags} --sketches"));
                assert_eq!(found["resemblance"], resemblance, "{flags}");
                // If the sample contains the whole set, the estimate is equal to the exact resemblance.
                assert_eq!(
                    found["sketches"]["bottom"]["resemblance"]["value"], resemblance,
                    "{flags}"
                );
            }
        }
    }
}

#[test]
fn all_sketches_next_to_the_exact_figures() {
    let place = Place::new();
    let page = place
        .run(&format!(
            "compare scancode/afl-2.0 scancode/afl-2.1 --in {} --sketches",
            testdata("licenses.jsonl.zst")
        ))
        .out;
    let table: String = page
        .lines()
        .skip(4)
        .take(14)
        .map(|line| format!("{line}\n"))
        .collect();
    assert_snapshot!(table, @"

    sketch                  parameters          bytes A  bytes B  of                      exact  estimate
    MinHash                 slots 128               512      512  resemblance            0.9065  0.906 (0.843 to 0.946)
    MinHash, 1 permutation  slots 128               512      512  resemblance            0.9065  0.914 (0.853 to 0.951)
    b-bit MinHash           slots 128, bits 8       128      128  resemblance            0.9065  0.906 (0.843 to 0.945)
    MIN_s                   s 200                 1,600    1,600  resemblance            0.9065  0.865 (0.811 to 0.906)
    MOD_m                   m_a 8, m_b 8          1,256    1,256  resemblance            0.9065  0.903 (0.848 to 0.939)
                                                                  containment of A in B  0.9646  0.949 (0.903 to 0.974)
                                                                  containment of B in A  0.9377  0.949 (0.903 to 0.974)
    MIN_s of MOD_m          s 200, m 8            1,256    1,256  resemblance            0.9065  0.903 (0.848 to 0.939)
    SimHash                 bits 64                   8        8  resemblance            0.9065  0.942 (0.755 to 0.989)
    SimHash                 bits 128                 16       16  resemblance            0.9065  0.953 (0.852 to 0.986)
    longest sentences       longest 3                16       16  the same                       no
    SimHash assumes that both texts have equally many shingles; otherwise it overestimates
    ");
}

#[test]
fn sketches_have_the_same_names_for_every_pair() {
    let place = Place::new();
    place
        .write("a.txt", "One two three four. Five six!")
        .write("empty.txt", "")
        .write("other.txt", "ONE two three four, five seven");
    for (a, b) in [
        ("a", "a"),
        ("a", "other"),
        ("a", "empty"),
        ("empty", "empty"),
    ] {
        let found = json(
            &place,
            &format!("compare {a}.txt {b}.txt --sketches --shingle 2"),
        );
        let sketches = found["sketches"].as_object().unwrap();
        let names: Vec<&str> = sketches.keys().map(String::as_str).collect();
        // The names of the kinds of sketches are in alphabetical order, because the map of the parsed JSON sorts its keys.
        let all = "b_bit bottom bottom_of_modulo minhash modulo one_permutation sentences simhash_128 simhash_64";
        assert_eq!(names.join(" "), all);
        for (name, sketch) in sketches {
            assert!(
                sketch["parameters"].is_object()
                    && sketch["bytes_a"].is_u64()
                    && sketch["bytes_b"].is_u64(),
                "{name}"
            );
            if name == "sentences" {
                assert_eq!(sketch["same"], a == "a" && b == "a");
                continue;
            }
            let estimate = &sketch["resemblance"];
            let [value, low, high] =
                ["value", "low", "high"].map(|key| estimate[key].as_f64().unwrap());
            assert!(low <= value && value <= high, "{name}: {estimate}");
            // Equal texts look equal to all sketches, and no text resembles an empty one.
            match (a, b) {
                ("a", "a") => assert_eq!(value, 1.0, "{name}"),
                ("a", "other") if name.starts_with("simhash") => {}
                ("a", "other") => assert!((value - 2.0 / 3.0).abs() < 0.15, "{name}: {estimate}"),
                _ => assert_eq!(high, 0.0, "{name}"),
            }
        }
    }
    assert_eq!(json(&place, "compare a.txt a.txt").get("sketches"), None);
    let page = place
        .run("compare a.txt other.txt --sketches --shingle 2")
        .out;
    assert!(page.contains(
        "MIN_s                   s 200                    40       40  resemblance            0.6667  0.6667, certain"
    ));
}

#[test]
fn folds_reach_the_figures_and_the_sketches() {
    let place = Place::new();
    place
        .write("a.txt", "Le café de la gare. 國語")
        .write("b.txt", "Le cafe de la gare. 国语");
    let plain = json(&place, "compare a.txt b.txt --sketches");
    assert!(
        plain["resemblance"].as_f64().unwrap() < 1.0
            && plain["sketches"]["sentences"]["same"] == false
    );
    let folded = json(
        &place,
        "compare a.txt b.txt --sketches --fold accents,simplified",
    );
    assert!(folded["resemblance"] == 1.0 && folded["sketches"]["sentences"]["same"] == true);
    assert_eq!(
        folded["sketches"]["simhash_64"]["resemblance"]["value"],
        1.0
    );
}

#[test]
fn the_threshold_applies_to_the_measure() {
    let place = Place::new();
    place
        .write("part.txt", "one two three four five six")
        .write("whole.txt", "zero one two three four five six seven eight");
    for (arguments, code) in [
        ("part.txt whole.txt -t 0.9", 1),
        ("part.txt whole.txt -t 0.9 --measure resemblance", 1),
        ("part.txt whole.txt -t 0.9 --measure containment", 0),
        ("whole.txt part.txt -t 0.9 --measure containment", 1),
        ("part.txt whole.txt --measure containment", 2),
    ] {
        assert_eq!(
            place.run(&format!("compare {arguments}")).code,
            code,
            "{arguments}"
        );
    }
}

#[test]
fn the_first_document_with_a_repeated_id_counts() {
    let place = Place::new();
    place.write(
        "in.jsonl",
        "{\"id\":2,\"text\":\"first two\"}\n{\"id\":3,\"text\":\"three\"}\n{\"id\":2,\"text\":\"second two\"}\nnot json\n",
    );
    let ran = place.run("compare 2 3 --in in.jsonl");
    assert!(
        ran.code == 0 && ran.out.contains("first two") && !ran.out.contains("second two"),
        "{}{}",
        ran.out,
        ran.err
    );
}

#[test]
fn passages_are_coloured_if_colours_are_enabled() {
    let place = Place::new();
    let ran = crate::Ran::of(
        place
            .command(&format!(
                "compare scancode/mit scancode/mit-0 --in {}",
                testdata("licenses.jsonl.zst")
            ))
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap(),
    );
    assert!(ran.out.contains("\u{1b}[32m") && ran.out.contains("\u{1b}[31m"));
    let plain = place.run(&format!(
        "compare scancode/mit scancode/mit-0 --in {}",
        testdata("licenses.jsonl.zst")
    ));
    assert!(
        !plain.out.contains('\u{1b}') && plain.out.contains("130 of 163 shingles shared"),
        "{}",
        plain.out
    );
}

#[test]
fn every_command_has_completions_and_help() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            place
                .run(&format!("completions {shell}"))
                .out
                .contains("dedup")
        );
    }
    for command in ["dedup", "pairs", "compare", "curve", "completions"] {
        let ran = place.run(&format!("{command} --help"));
        assert!(ran.code == 0 && ran.out.contains("Usage:"), "{command}");
    }
}

/// The four columns of an example from *Mining of Massive Datasets* and from the project's sources. The test uses the three
/// permutations of that example.
const COLUMNS: &str =
    "C1 C2 C3 C4\n1 0 1 0\n1 0 0 1\n0 1 0 1\n0 1 0 1\n0 1 0 1\n1 0 1 0\n1 0 1 0\n";

#[test]
fn a_signature_matrix_by_given_permutations_and_hash_functions() {
    let place = Place::new();
    place
        .write("rows.txt", COLUMNS)
        .write("two.csv", "1,0\n0,1\n1,1\n1,0\n0,1\n");
    let permutations =
        "--permutation 3,4,7,6,1,2,5 --permutation 4,2,1,3,6,7,5 --permutation 1,3,7,6,2,5,4";
    assert_snapshot!(place.run(&format!("curve --matrix rows.txt {permutations}")).out, @"
    7 rows × 4 sets, 3 functions  Mining of Massive Datasets, section 3.3

    row  C1  C2  C3  C4  π1  π2  π3
    1     1   0   1   0   3   4   1
    2     1   0   0   1   4   2   3
    3     0   1   0   1   7   1   7
    4     0   1   0   1   6   3   6
    5     0   1   0   1   1   6   2
    6     1   0   1   0   2   7   5
    7     1   0   1   0   5   5   4

    signatures  C1  C2  C3  C4
    π1           2   1   2   1
    π2           2   1   4   1
    π3           1   2   1   2

    pair   resemblance  signatures
    C1 C2       0.0000      0.0000
    C1 C3       0.7500      0.6667
    C1 C4       0.1429      0.0000
    C2 C3       0.0000      0.0000
    C2 C4       0.7500      1.0000
    C3 C4       0.0000      0.0000
    ");
    let hashes = |more: &str| {
        let mut command = place.command(&format!("curve --matrix two.csv {more}"));
        crate::Ran::of(
            command
                .args(["--hash", "x mod 5", "--hash", "2x+1 mod 5"])
                .output()
                .unwrap(),
        )
    };
    assert_snapshot!(hashes("--steps").out, @"
    5 rows × 2 sets, 2 functions  Mining of Massive Datasets, section 3.3

    row  C1  C2  x mod 5  2x+1 mod 5
    1     1   0        1           3
    2     0   1        2           0
    3     1   1        3           2
    4     1   0        4           4
    5     0   1        0           1

    after row 1  C1  C2
    x mod 5       1   ∞
    2x+1 mod 5    3   ∞

    after row 2  C1  C2
    x mod 5       1   2
    2x+1 mod 5    3   0

    after row 3  C1  C2
    x mod 5       1   2
    2x+1 mod 5    2   0

    after row 4  C1  C2
    x mod 5       1   2
    2x+1 mod 5    2   0

    after row 5  C1  C2
    x mod 5       1   0
    2x+1 mod 5    2   0

    signatures  C1  C2
    x mod 5      1   0
    2x+1 mod 5   2   0

    pair   resemblance  signatures
    C1 C2       0.2000      0.0000
    ");
    let report: serde_json::Value = serde_json::from_str(&hashes("--json").out).unwrap();
    assert_eq!(report["signatures"], serde_json::json!([[1, 0], [2, 0]]));
    near(&report["pairs"][0]["resemblance"], 0.2, 1e-12);
    near(&report["pairs"][0]["signatures"], 0.0, 0.0);
    for (rows, arguments, part) in [
        ("1 0\n1\n", "--hash xmod5", "rows.txt:2: 1 value for 2 sets"),
        (
            "1 0\n1 2\n",
            "--hash xmod5",
            "rows.txt:2: a row must have a 0 or a 1",
        ),
        ("a b\n", "--hash xmod5", "rows.txt: no rows"),
        ("1\n0\n", "", "give at least one --permutation or --hash"),
        ("1\n0\n", "--permutation 1,1", "not a permutation of 2 rows"),
        ("1\n0\n", "--hash y", "write it as '2x+1 mod 5'"),
    ] {
        let ran = place
            .write("rows.txt", rows)
            .run(&format!("curve --matrix rows.txt {arguments}"));
        assert!(
            ran.code == 2 && ran.err.contains(part),
            "{rows:?} {arguments}: {}",
            ran.err
        );
    }
}

#[test]
fn the_longest_sentences_are_shown_with_their_digests() {
    let place = Place::new();
    place
        .write("a.txt", "One. Three. Second. Fourth.")
        .write("b.txt", "Fourth! One. Third. Second.");
    assert_snapshot!(place.run("compare a.txt b.txt --longest 2 --digest md5").out, @"
    resemblance            0.0000  0 of 2 shingles shared             sketch: 0.000 (0.000 to 0.029)
    containment of A in B  0.0000  0 of A's 1                         sketch: 0.000 (0.000 to 0.057)
    containment of B in A  0.0000  0 of B's 1                         sketch: 0.000 (0.000 to 0.057)
    sketch: estimates from 128 slots; the intervals contain the true value 95 times in 100

    the 2 longest sentences of both, by MD5: not the same
    A  bdb94022ff466746d5d64462e5d898fe
           6  Second
           6  Fourth
    B  06f45bb7fb5904b12120cc6cc17c5c5d
           6  Fourth
           6  Second

    A: a.txt  shared not shared
    One. Three. Second. Fourth.

    B: b.txt  shared not shared
    Fourth! One. Third. Second.
    ");
    let report = |arguments: &str| json(&place, &format!("compare a.txt b.txt {arguments}"));
    let md5 = report("--longest 2 --digest md5");
    // These are the MD5 digests of "SecondFourth" and of "FourthSecond".
    assert_eq!(
        md5["sentences"]["a"]["digest"],
        "bdb94022ff466746d5d64462e5d898fe"
    );
    assert_eq!(
        md5["sentences"]["b"]["digest"],
        "06f45bb7fb5904b12120cc6cc17c5c5d"
    );
    assert_eq!(
        (
            &md5["sentences"]["same"],
            &md5["sentences"]["a"]["sentences"][0]["length"]
        ),
        (&false.into(), &6.into())
    );
    assert_eq!(report("--longest 1")["sentences"]["digest_by"], "xxh3");
    assert!(report("")["sentences"].is_null());
    let ran = place.run("compare a.txt b.txt --longest 0");
    assert!(
        ran.code == 2 && ran.err.contains("sentences"),
        "{}",
        ran.err
    );
}
