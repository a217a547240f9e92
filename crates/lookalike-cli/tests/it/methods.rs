//! Tests every way to find candidates, every measure and every fold, with the command.

use insta::assert_snapshot;

use crate::{Place, testdata};

fn summary(place: &Place, flags: &str) -> String {
    let ran = place.run(&format!("dedup {} {flags}", testdata("licenses.jsonl.zst")));
    assert_eq!(ran.code, 0, "{flags}: {}", ran.err);
    ran.err
        .lines()
        .filter(|line| !line.starts_with("  time "))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
#[ignore = "slow: `make test-all` runs it"]
fn each_method_reports_how_it_found_and_verified_pairs() {
    let place = Place::new();
    assert_snapshot!(summary(&place, "--method minhash --permutations many"), @"
    2,598 documents in = 2,222 kept + 376 dropped (14.5 %)
      dropped  28 exact duplicates (after normalisation), 348 near-duplicates (verified similarity >= 0.8)
      kept     236 represent dropped duplicates (largest group 18), 1,986 unique, 0 empty
      found    expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
      pairs    2,591 candidate pairs verified
    ");
    assert_snapshot!(summary(&place, "--candidates shared"), @"
    2,598 documents in = 2,222 kept + 376 dropped (14.5 %)
      dropped  28 exact duplicates (after normalisation), 348 near-duplicates (verified similarity >= 0.8)
      kept     236 represent dropped duplicates (largest group 18), 1,986 unique, 0 empty
      found    expected recall 99.68 % at similarity 0.8, higher above it (50 to 100 shingles sampled in a long text)
      pairs    10,093 candidate pairs verified
    ");
    assert_snapshot!(summary(&place, "--candidates super --run-length 5"), @"
    2,598 documents in = 2,222 kept + 376 dropped (14.5 %)
      dropped  28 exact duplicates (after normalisation), 348 near-duplicates (verified similarity >= 0.8)
      kept     236 represent dropped duplicates (largest group 18), 1,986 unique, 0 empty
      found    expected recall 99.16 % at similarity 0.8, higher above it (super-shingles of 5; 50 to 100 shingles sampled in a long text); lower for 24 texts with fewer than 15 shingles: 46.87 % for those with 4
      pairs    12,287 candidate pairs verified
    ");
    assert_snapshot!(summary(&place, "--method simhash"), @"
    2,598 documents in = 2,146 kept + 452 dropped (17.4 %)
      dropped  26 exact duplicates (after normalisation), 426 with a similar SimHash (few bits differ, similarity not measured)
      kept     259 represent dropped duplicates (largest group 10), 1,887 unique, 0 empty
      found    expected recall 46.68 % at similarity 0.8, higher above it (SimHashes that may differ in 9 of 64 bits, 10 tables); lower for 66 texts with fewer than 50 shingles: 21.52 % for those with 4
      pairs    103,204 candidate pairs compared by sketches
    ");
    assert_snapshot!(summary(&place, "--method simhash --bits 128 --distance 10 --blocks 12 --features tokens --verify exact"), @"
    2,598 documents in = 2,224 kept + 374 dropped (14.4 %)
      dropped  28 exact duplicates (after normalisation), 346 near-duplicates (verified similarity >= 0.8)
      kept     236 represent dropped duplicates (largest group 18), 1,988 unique, 0 empty
      found    expected recall unknown (SimHashes that may differ in 10 of 128 bits, 66 tables)
      pairs    464,650 candidate pairs verified
    ");
    assert_snapshot!(summary(&place, "--method sentences --longest 2"), @"
    2,598 documents in = 2,408 kept + 190 dropped (7.3 %)
      dropped  29 exact duplicates (after normalisation), 161 near-duplicates (verified similarity >= 0.8)
      kept     150 represent dropped duplicates (largest group 8), 2,258 unique, 0 empty
      found    expected recall unknown (the 2 longest sentences)
      pairs    417 candidate pairs verified
    ");
    assert_snapshot!(summary(&place, "--method sentences --digest md5 --verify sketch"), @"
    2,598 documents in = 2,367 kept + 231 dropped (8.9 %)
      dropped  27 exact duplicates (after normalisation), 204 with the same longest sentences (similarity not measured)
      kept     174 represent dropped duplicates (largest group 6), 2,193 unique, 0 empty
      found    expected recall unknown (the 3 longest sentences)
      pairs    209 candidate pairs compared by sketches
    ");
    assert_snapshot!(summary(&place, "--method exact"), @"
    2,598 documents in = 2,568 kept + 30 dropped (1.2 %)
      dropped  30 exact duplicates (after normalisation), 0 near-duplicates (verified similarity >= 0.8)
      kept     29 represent dropped duplicates (largest group 3), 2,539 unique, 0 empty
      found    exact duplicates only (equal after normalisation); near-duplicates are not searched for
      pairs    0 candidate pairs verified
    ");
    assert_snapshot!(summary(&place, "--method shingle --fingerprint rabin --degree 48"), @"
    2,598 documents in = 2,205 kept + 393 dropped (15.1 %)
      dropped  28 exact duplicates (after normalisation), 365 near-duplicates (verified similarity >= 0.8)
      kept     246 represent dropped duplicates (largest group 19), 1,959 unique, 0 empty
      found    all pairs with similarity 0.8 or higher, by an exact join of all sets
      pairs    387 candidate pairs verified
    ");
    assert_snapshot!(summary(&place, "--measure containment --threshold 0.9"), @"
    2,598 documents in = 2,036 kept + 562 dropped (21.6 %)
      dropped  19 exact duplicates (after normalisation), 543 contained in a kept document (verified containment >= 0.9)
      kept     320 represent dropped duplicates (largest group 17), 1,716 unique, 0 empty
      found    expected recall 99.05 % at similarity 0.9, higher above it (one shingle in 8 sampled in long texts); lower for 112 texts with fewer than 38 shingles: 41.38 % for those with 4
      pairs    31,314 candidate pairs verified
      excluded 1 common shingle (the most common in 1,085 texts): pairs that share no other shingles are missed; see --common
    ");
    assert_snapshot!(summary(&place, "--measure containment --threshold 0.9 --method shingle"), @"
    2,598 documents in = 2,036 kept + 562 dropped (21.6 %)
      dropped  19 exact duplicates (after normalisation), 543 contained in a kept document (verified containment >= 0.9)
      kept     320 represent dropped duplicates (largest group 17), 1,716 unique, 0 empty
      found    all pairs with similarity 0.9 or higher, by an exact join of all sets
      pairs    1,309 candidate pairs verified
    ");
    assert_snapshot!(summary(&place, "--cluster greedy --representative popular --sample 100"), @"
    2,598 documents in = 2,217 kept + 381 dropped (14.7 %)
      dropped  28 exact duplicates (after normalisation), 353 in the greedy cluster of a kept document
      kept     239 represent dropped duplicates (largest group 15), 1,978 unique, 0 empty
      groups   greedy clusters, from estimates: a member need not be similar to the first member
      found    expected recall unknown (the 100 smallest fingerprints of each text)
      pairs    3,482 candidate pairs compared by sketches
    ");
}

#[test]
fn an_excerpt_is_dropped_for_the_text_that_contains_it() {
    let place = Place::new();
    let words = |from: u32, to: u32| (from..to).map(|i| format!("w{i} ")).collect::<String>();
    place.write(
        "in.jsonl",
        format!(
            "{{\"id\":\"excerpt\",\"text\":\"{}\"}}\n{{\"id\":\"whole\",\"text\":\"{}\"}}\n{{\"id\":\"other\",\"text\":\"{}\"}}\n",
            words(100, 200),
            words(0, 1000),
            words(1000, 1100)
        ),
    );
    assert_eq!(
        place
            .run("dedup in.jsonl --measure containment -o kept.jsonl --quiet")
            .code,
        0
    );
    assert_snapshot!(place.read("kept.decisions.jsonl"), @r#"
    {"id":"excerpt","verdict":"dropped","reason":"contained","representative":"whole","resemblance":0.0963855421686747,"containment":1.0,"containment_of_representative":0.0963855421686747,"cluster_size":2}
    {"id":"whole","verdict":"kept","reason":"representative","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":2}
    {"id":"other","verdict":"kept","reason":"unique","representative":null,"resemblance":null,"containment":null,"containment_of_representative":null,"cluster_size":1}
    "#);
    // In input order, the excerpt is first and is kept. The whole document is kept too, because it is not contained in the
    // excerpt.
    let ran = place.run("dedup in.jsonl --measure containment --keep first --json");
    assert!(ran.out.contains("\"dropped\": 0"), "{}{}", ran.out, ran.err);
    assert_eq!(
        place
            .run("dedup in.jsonl --threshold 0.1 --json")
            .out
            .matches("\"dropped\": 0")
            .count(),
        1,
        "r is below .1"
    );
}

#[test]
fn fingerprints_in_too_many_texts_find_no_match_and_are_reported() {
    let place = Place::new();
    let header = (0..30).map(|i| format!("h{i} ")).collect::<String>();
    let line = |i: usize| {
        format!(
            "{{\"text\":\"{header}{}\"}}\n",
            (0..4).map(|j| format!("own{i}x{j} ")).collect::<String>()
        )
    };
    place.write("in.jsonl", (0..12).map(line).collect::<String>());
    let ran = place.run("dedup in.jsonl --candidates shared --threshold 0.7 --common 5");
    assert!(
        ran.err.contains("0 dropped")
            && ran
                .err
                .contains("26 common shingles (the most common in 12 texts)"),
        "{}",
        ran.err
    );
    let ran = place.run("dedup in.jsonl --candidates shared --threshold 0.7");
    assert!(
        ran.err.contains("11 dropped") && !ran.err.contains("excluded"),
        "{}",
        ran.err
    );
}

#[test]
fn folds_affect_the_comparison_but_not_the_output() {
    let place = Place::new();
    let input = "{\"id\":1,\"text\":\"床前明月光，疑是地上霜。舉頭望明月，低頭思故鄉。\"}\n{\"id\":2,\"text\":\"床前明月光 疑是地上霜 举头望明月 低头思故乡\"}\n{\"id\":3,\"text\":\"Réservé n° 12\"}\n{\"id\":4,\"text\":\"RESERVE N° 13\"}\n";
    place.write("in.jsonl", input);
    assert!(
        place
            .run("dedup in.jsonl")
            .err
            .contains("4 kept + 0 dropped")
    );
    assert!(
        place
            .run("dedup in.jsonl --fold simplified")
            .err
            .contains("3 kept + 1 dropped")
    );
    assert!(
        place
            .run("dedup in.jsonl --fold accents")
            .err
            .contains("4 kept + 0 dropped")
    );
    assert_eq!(
        place.run("dedup in.jsonl --fold simplified,accents,digits --tokens jieba -o kept.jsonl --no-decisions -q").code,
        0
    );
    assert_eq!(
        place.read("kept.jsonl"),
        input
            .lines()
            .step_by(2)
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    );
}

#[test]
fn occurrences_count_when_they_are_labelled() {
    let place = Place::new();
    let said = |times: usize| "one two three four five six ".repeat(times);
    place.write(
        "in.jsonl",
        format!(
            "{{\"text\":\"{}\"}}\n{{\"text\":\"{}\"}}\n",
            said(4),
            said(12)
        ),
    );
    assert!(
        place
            .run("dedup in.jsonl")
            .err
            .contains("1 kept + 1 dropped")
    );
    assert!(
        place
            .run("dedup in.jsonl --occurrences labelled")
            .err
            .contains("2 kept + 0 dropped")
    );
}

#[test]
fn flags_of_another_method_are_refused_by_name() {
    let place = Place::new();
    place.write("in.jsonl", "{\"text\":\"a\"}\n");
    for (flags, words) in [
        (
            "--method simhash --rows 5",
            "--rows only works with --candidates bands, not with --method simhash",
        ),
        (
            "--bits 64",
            "--bits only works with --method simhash, not with --candidates bands",
        ),
        (
            "--method exact --candidates shared",
            "--candidates only works with --method minhash",
        ),
        (
            "--candidates shared --run-length 3",
            "--run-length only works with --candidates super",
        ),
        (
            "--method sentences --modulus 8",
            "--modulus only works with --candidates shared or --candidates super",
        ),
        (
            "--candidates shared --modulus 12",
            "--modulus 12 is not a power of two",
        ),
        (
            "--degree 32",
            "--degree only works with --fingerprint rabin",
        ),
        (
            "--fingerprint rabin --degree 8",
            "the degree of a fingerprint must be from 16 to 64, got 8",
        ),
        (
            "--method simhash --bits 96",
            "a SimHash must have 64 or 128 bits, got 96",
        ),
        (
            "--method simhash --distance 64",
            "the distance must be below 64 bits, got 64",
        ),
        (
            "--method simhash --distance 5 --blocks 5",
            "for a distance of 5 bits, hashes of 64 bits need 6 to 64 blocks, got 5",
        ),
        (
            "--method simhash --distance 9 --blocks 30",
            "more than 4096 tables; use at most",
        ),
        (
            "--method sentences --longest 0",
            "at least 1 of the longest sentences, got 0",
        ),
        (
            "--measure containment --candidates bands",
            "for containment, find candidates by shared shingles",
        ),
        (
            "--measure containment --method simhash",
            "for containment, find candidates by shared shingles",
        ),
        (
            "--method shingle --verify sketch",
            "makes no sketches to estimate from",
        ),
        (
            "--candidates super --verify sketch",
            "leave the verification exact",
        ),
        (
            "--candidates shared --modulus 4096 --recall 0.999",
            "one shingle in 4096 finds",
        ),
        (
            "--candidates super --run-length 0",
            "super-shingles of length 0 find 0.0000",
        ),
        (
            "--candidates super --run-length 20",
            "use a length from 1 to 5",
        ),
        (
            "--cluster greedy --measure containment",
            "greedy clusters estimate resemblance",
        ),
        (
            "--sample 100",
            "--representative and --sample only work with --cluster greedy",
        ),
        (
            "--cluster greedy --sample 0",
            "a sample must have at least 1 element",
        ),
        (
            "--cluster greedy --method simhash",
            "leave out the method and the candidates",
        ),
    ] {
        let ran = place.run(&format!("dedup in.jsonl {flags}"));
        assert!(
            ran.code == 2 && ran.err.contains(words),
            "{flags}: {}",
            ran.err
        );
    }
}

#[test]
fn a_minimum_containment_keeps_what_adds_something() {
    let place = Place::new();
    let base = "the bridge over the river was closed at noon because the water had risen above the old wall and the mill";
    let more = "a new sentence";
    let line = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let longer = format!("{base} {more}");
    for (first, second, containment, dropped) in [
        // The longer text has 20 shingles, 17 of which are those of the shorter one.
        (base, &*longer, 0.85, true),
        (base, &*longer, 0.86, false),
        (&*longer, base, 1.0, true),
    ] {
        place.write(
            "in.jsonl",
            line("a", first) + &line("b", second) + &line("copy", second),
        );
        let ran = place.run(&format!(
            "dedup in.jsonl -o kept.jsonl --min-containment {containment}"
        ));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let kept = line("a", first)
            + &if dropped {
                String::new()
            } else {
                line("b", second)
            };
        assert_eq!(place.read("kept.jsonl"), kept, "{containment}: {}", ran.err);
        assert!(
            ran.err.contains(&format!("containment >= {containment})")),
            "{}",
            ran.err
        );
    }
    for (flags, why) in [
        (
            "--min-containment 0",
            "the minimum containment must be above 0 and at most 1, got 0",
        ),
        (
            "--min-containment 0.9 --measure containment",
            "a minimum containment only works with resemblance",
        ),
        (
            "--min-containment 0.9 --cluster components",
            "a minimum containment only works with resemblance",
        ),
        (
            "--min-containment 0.9 --verify sketch",
            "a minimum containment only works with resemblance",
        ),
        (
            "--min-containment 0.9 --index new",
            "it has no minimum containment",
        ),
    ] {
        let ran = place.run(&format!("dedup in.jsonl -o out.jsonl {flags}"));
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(why), "{flags}: {}", ran.err);
    }
}
