//! Tests of `lookalike mirrors`.

use std::fs;

use insta::assert_snapshot;

use crate::{Place, testdata};

/// Returns a different text for each number.
pub(crate) fn text(number: usize, words: usize) -> String {
    (0..words)
        .map(|word| format!("w{}", (number * 1000 + word) * 7919 % 100_003))
        .collect::<Vec<_>>()
        .join(" ")
}

pub(crate) fn html(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html><head><title>{title}</title></head><body><p>{body}</p></body></html>"
    )
}

/// Writes pages into folders.
pub(crate) fn folder(place: &Place, pages: &[(&str, String)]) {
    for (name, body) in pages {
        let path = place.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, html(name.rsplit('/').next().unwrap(), body)).unwrap();
    }
}

/// Writes a manual in two releases. One page is the same, one changed a little, one moved, one was removed and one is new;
/// another folder has pages made from one template. The index pages match no other page.
fn manuals(place: &Place) {
    let [same, changed, moved, gone, new, template] =
        [0, 1, 2, 3, 4, 5].map(|number| text(number, 60));
    folder(
        place,
        &[
            ("one/guide/same.html", same.clone()),
            ("one/guide/changed.html", changed.clone()),
            ("one/guide/old/moved.html", moved.clone()),
            ("one/guide/gone.html", gone),
            ("one/api/a.html", format!("{template} about a")),
            ("one/api/b.html", format!("{template} about b")),
            ("one/api/c.html", format!("{template} about c")),
            ("one/index.html", text(6, 40)),
            ("two/guide/same.html", same),
            (
                "two/guide/changed.html",
                format!("{changed} with a few words more"),
            ),
            ("two/guide/new/moved.html", moved),
            ("two/guide/new.html", new),
            ("two/reference/a.html", format!("{template} about a")),
            ("two/reference/b.html", format!("{template} about b")),
            ("two/reference/d.html", format!("{template} about d")),
            ("two/index.html", text(7, 40)),
        ],
    );
}

#[test]
fn folders_of_two_releases_and_their_pages() {
    let place = Place::new();
    manuals(&place);
    let ran = place.run("mirrors one two --pages pages.jsonl --unmatched gone.jsonl");
    assert_snapshot!(ran.shown(), @r#"
    exit 0
    --- stdout
    {"a":"api","b":"reference","pages_a":3,"pages_b":3,"matched_a":3,"matched_b":3,"share_a":1.0,"share_b":1.0,"counterparts":3,"same_path":2}
    {"a":"guide","b":"guide","pages_a":4,"pages_b":4,"matched_a":3,"matched_b":3,"share_a":0.75,"share_b":0.75,"counterparts":3,"same_path":2}
    --- stderr
    2 pairs of sites among 8 pages of 3 sites against 8 pages of 3 sites; 6 pairs of pages matched one to one, 4 of them at the same path; 4 pages without a counterpart

    a      b            pages a    pages b  share a  share b  one to one  same path
    api    reference          3          3  100.0 %  100.0 %           3          2
    guide  guide              4          4   75.0 %   75.0 %           3          2

    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    "#);
    assert_snapshot!(place.read("pages.jsonl"), @r#"
    {"a":"api/a.html","b":"reference/a.html","site_a":"api","site_b":"reference","resemblance":1.0,"same_path":true}
    {"a":"api/b.html","b":"reference/b.html","site_a":"api","site_b":"reference","resemblance":1.0,"same_path":true}
    {"a":"api/c.html","b":"reference/d.html","site_a":"api","site_b":"reference","resemblance":0.9661016949152542,"same_path":false}
    {"a":"guide/changed.html","b":"guide/changed.html","site_a":"guide","site_b":"guide","resemblance":0.9180327868852459,"same_path":true}
    {"a":"guide/old/moved.html","b":"guide/new/moved.html","site_a":"guide","site_b":"guide","resemblance":1.0,"same_path":false}
    {"a":"guide/same.html","b":"guide/same.html","site_a":"guide","site_b":"guide","resemblance":1.0,"same_path":true}
    "#);
    assert_snapshot!(place.read("gone.jsonl"), @r#"
    {"id":"guide/gone.html","of":"a","site":"guide","mirror":"guide","alike":false}
    {"id":"guide/new.html","of":"b","site":"guide","mirror":"guide","alike":false}
    {"id":"index.html","of":"a","site":".","mirror":null,"alike":false}
    {"id":"index.html","of":"b","site":".","mirror":null,"alike":false}
    "#);
    assert_snapshot!(place.run("mirrors one two --depth 0 --share 0.8 --share-of either").shown(), @"
    exit 1
    --- stdout
    --- stderr
    0 pairs of sites among 8 pages of 1 site against 8 pages of 1 site; 0 pairs of pages matched one to one, 0 of them at the same path
    the closest pair is . and .: 6 of 8 pages (75.0 %) and 6 of 8 (75.0 %) have a match; 3 paths are in both collections; give --share 0.75, or a lower --threshold
    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    ");
    // All pages made from the template match each other; their titles are not part of the text.
    place.run("mirrors one two --html text --pages all.jsonl --all-pairs --unmatched alone.jsonl");
    assert_eq!(
        place
            .read("all.jsonl")
            .lines()
            .filter(|line| line.contains("\"api\""))
            .count(),
        9
    );
    assert!(!place.read("alone.jsonl").contains("\"alike\":true"));
}

#[test]
fn hosts_of_one_crawl_with_any_ports_and_threads() {
    let place = Place::new();
    let page = |url: &str, number: usize| {
        serde_json::json!({"url": url, "text": text(number, 50)}).to_string() + "\n"
    };
    let mut crawl = String::new();
    for number in 0..6 {
        crawl += &page(
            &format!("https://www.Example.com:443/{number}.html#top"),
            number,
        );
        crawl += &page(
            &format!(
                "http://mirror.example.org/{}.html",
                if number == 5 { 50 } else { number }
            ),
            number,
        );
        // Add another site, which has two pages in common with each of the other sites.
        crawl += &page(
            &format!("http://other.example/{number}"),
            if number < 2 { number } else { 10 + number },
        );
    }
    place.write("crawl.jsonl", &crawl);
    assert_snapshot!(place.run("mirrors crawl.jsonl --id-field url --by host --pages pages.jsonl").shown(), @r#"
    exit 0
    --- stdout
    {"a":"www.example.com","b":"mirror.example.org","pages_a":6,"pages_b":6,"matched_a":6,"matched_b":6,"share_a":1.0,"share_b":1.0,"counterparts":6,"same_path":5}
    --- stderr
    1 pair of sites among 18 pages of 3 sites; 6 pairs of pages matched one to one, 5 of them at the same path

    a                b                     pages a    pages b  share a  share b  one to one  same path
    www.example.com  mirror.example.org          6          6  100.0 %  100.0 %           6          5

    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    "#);
    assert_snapshot!(place.read("pages.jsonl"), @r#"
    {"a":"https://www.Example.com:443/0.html#top","b":"http://mirror.example.org/0.html","site_a":"www.example.com","site_b":"mirror.example.org","resemblance":1.0,"same_path":true}
    {"a":"https://www.Example.com:443/1.html#top","b":"http://mirror.example.org/1.html","site_a":"www.example.com","site_b":"mirror.example.org","resemblance":1.0,"same_path":true}
    {"a":"https://www.Example.com:443/2.html#top","b":"http://mirror.example.org/2.html","site_a":"www.example.com","site_b":"mirror.example.org","resemblance":1.0,"same_path":true}
    {"a":"https://www.Example.com:443/3.html#top","b":"http://mirror.example.org/3.html","site_a":"www.example.com","site_b":"mirror.example.org","resemblance":1.0,"same_path":true}
    {"a":"https://www.Example.com:443/4.html#top","b":"http://mirror.example.org/4.html","site_a":"www.example.com","site_b":"mirror.example.org","resemblance":1.0,"same_path":true}
    {"a":"https://www.Example.com:443/5.html#top","b":"http://mirror.example.org/50.html","site_a":"www.example.com","site_b":"mirror.example.org","resemblance":1.0,"same_path":false}
    "#);
    let any = place
        .run("mirrors crawl.jsonl --id-field url --share 0.3 -q")
        .out;
    assert_eq!(any.lines().count(), 3, "{any}");
    for threads in [1, 3] {
        let again = place.run(&format!(
            "mirrors crawl.jsonl --id-field url --share 0.3 -q --threads {threads} --memory 64M"
        ));
        assert_eq!(again.out, any);
    }
    assert_snapshot!(place.run("mirrors crawl.jsonl --id-field url --share 0.9").shown(), @r#"
    exit 0
    --- stdout
    {"a":"www.example.com","b":"mirror.example.org","pages_a":6,"pages_b":6,"matched_a":6,"matched_b":6,"share_a":1.0,"share_b":1.0,"counterparts":6,"same_path":5}
    --- stderr
    1 pair of sites among 18 pages of 3 sites; 6 pairs of pages matched one to one, 5 of them at the same path

    a                b                     pages a    pages b  share a  share b  one to one  same path
    www.example.com  mirror.example.org          6          6  100.0 %  100.0 %           6          5

    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    "#);
    // The pages of a crawled site are compared with files on disk.
    let files: Vec<(String, String)> = (0..6)
        .map(|number| (format!("site/{number}.html"), text(number, 50)))
        .collect();
    for (name, body) in &files {
        fs::create_dir_all(place.path("site")).unwrap();
        place.write(name, html("", body));
    }
    assert_snapshot!(place.run("mirrors crawl.jsonl site --id-field url").shown(), @r#"
    exit 0
    --- stdout
    {"a":"www.example.com","b":".","pages_a":6,"pages_b":6,"matched_a":6,"matched_b":6,"share_a":1.0,"share_b":1.0,"counterparts":6,"same_path":6}
    {"a":"mirror.example.org","b":".","pages_a":6,"pages_b":6,"matched_a":6,"matched_b":6,"share_a":1.0,"share_b":1.0,"counterparts":6,"same_path":5}
    --- stderr
    2 pairs of sites among 18 pages of 3 sites against 6 pages of 1 site; 12 pairs of pages matched one to one, 11 of them at the same path

    a                   b    pages a    pages b  share a  share b  one to one  same path
    www.example.com     .          6          6  100.0 %  100.0 %           6          6
    mirror.example.org  .          6          6  100.0 %  100.0 %           6          5

    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    "#);
}

#[test]
fn a_field_may_contain_the_site() {
    let place = Place::new();
    let mut lines = String::new();
    for release in ["v1", "v2", "7"] {
        for number in 0..3 {
            let of = if release == "7" {
                serde_json::json!(7)
            } else {
                serde_json::json!(release)
            };
            let id = format!("{release}/page-{number}.md");
            lines += &(serde_json::json!({"id": id, "release": of, "text": text(number, 40) + " " + release}).to_string() + "\n");
        }
    }
    place.write("releases.jsonl", &lines);
    assert_snapshot!(place.run("mirrors releases.jsonl --by field:release").shown(), @r#"
    exit 0
    --- stdout
    {"a":"v1","b":"v2","pages_a":3,"pages_b":3,"matched_a":3,"matched_b":3,"share_a":1.0,"share_b":1.0,"counterparts":3,"same_path":3}
    {"a":"v1","b":"7","pages_a":3,"pages_b":3,"matched_a":3,"matched_b":3,"share_a":1.0,"share_b":1.0,"counterparts":3,"same_path":3}
    {"a":"v2","b":"7","pages_a":3,"pages_b":3,"matched_a":3,"matched_b":3,"share_a":1.0,"share_b":1.0,"counterparts":3,"same_path":3}
    --- stderr
    3 pairs of sites among 9 pages of 3 sites; 9 pairs of pages matched one to one, 9 of them at the same path

    a   b     pages a    pages b  share a  share b  one to one  same path
    v1  v2          3          3  100.0 %  100.0 %           3          3
    v1  7           3          3  100.0 %  100.0 %           3          3
    v2  7           3          3  100.0 %  100.0 %           3          3

    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    "#);
    place.write(
        "lacking.jsonl",
        format!("{lines}{}\n", r#"{"id":"x","text":"a page"}"#),
    );
    assert_snapshot!(place.run("mirrors lacking.jsonl --by field:release").shown(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: lacking.jsonl:10: field "release" is missing or null, but --by field:release takes the site from it; give each page a value, or remove such pages from the input (--skip-bad skips only lines that are not records)
    "#);
    place.write(
        "nested.jsonl",
        r#"{"id":"x","text":"a page","release":["v1"]}"#,
    );
    assert_snapshot!(place.run("mirrors nested.jsonl --by field:release").shown(), @r#"
    exit 2
    --- stdout
    --- stderr
    error: nested.jsonl:1: field "release" is an array; a label must be a string or a number; write one, or name another field with --by field:NAME
    "#);
}

#[test]
fn two_crawls_in_warc() {
    let place = Place::new();
    let crawl = testdata("formats/crawl.warc.gz");
    let again = testdata("formats/crawl.warc.zst");
    let ran = place.run(&format!(
        "mirrors {crawl} {again} --allow-repeated-ids --pages pages.jsonl --json"
    ));
    let summary: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(
        (&summary["pages_a"], &summary["sites_a"]),
        (&summary["pages_b"], &summary["sites_b"])
    );
    assert_eq!(
        (ran.code, &summary["counterparts"]),
        (0, &summary["same_path"])
    );
    for line in ran.out.lines() {
        let pair: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&pair["a"], &pair["share_a"]),
            (&pair["b"], &pair["share_b"])
        );
    }
    assert_snapshot!(ran.out, @r#"
    {"a":"a.example","b":"a.example","pages_a":10,"pages_b":10,"matched_a":10,"matched_b":10,"share_a":1.0,"share_b":1.0,"counterparts":10,"same_path":10}
    {"a":"file:","b":"file:","pages_a":1,"pages_b":1,"matched_a":1,"matched_b":1,"share_a":1.0,"share_b":1.0,"counterparts":1,"same_path":1}
    "#);
}

/// Five hosts have only a registrar's page. Two other hosts share a page: the name of one contains terminal commands, and the
/// name of the other is very long.
#[test]
fn parked_hosts_make_all_pairs_unless_they_are_excluded() {
    let place = Place::new();
    let page = |host: &str, number| {
        serde_json::json!({"id": format!("http://{host}/"), "text": text(number, 30)}).to_string()
    };
    let mut lines: Vec<String> = (0..5)
        .map(|host| page(&format!("h{host}.example"), 0))
        .collect();
    lines.push(page("red\u{1b}[31m.example", 1));
    lines.push(page(&"ü".repeat(60), 1));
    place.write("park.jsonl", lines.join("\n") + "\n");
    assert_eq!(place.run("mirrors park.jsonl -q").out.lines().count(), 11);
    let ran = place.run("mirrors park.jsonl --common-sites 4 -o sites.jsonl");
    assert_snapshot!(ran.shown(), @r"
    exit 0
    --- stdout
    --- stderr
    1 pair of sites among 7 pages of 7 sites; 1 pair of pages matched one to one, 1 of them at the same path

    a                      b                                           pages a    pages b  share a  share b  one to one  same path
    red\u001b[31m.example  üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü…          1          1  100.0 %  100.0 %           1          1

    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    excluded: 5 pages with matches on more sites than --common-sites allows
    ");
    let json = place.run("mirrors park.jsonl --common-sites 4 -o sites.jsonl --json -q");
    let summary: serde_json::Value = serde_json::from_str(&json.err).unwrap();
    assert_eq!(
        (&summary["common_pages"], &summary["site_pairs"]),
        (&5.into(), &1.into())
    );
}

/// Pages that are filled by scripts have no text. They match only if they have the same bytes and the same path.
#[test]
fn pages_without_text_match_by_their_bytes_and_path() {
    let place = Place::new();
    let script = |number: usize| {
        format!(
            "<html><title>t</title><script type=\"text/template\">{}</script></html>",
            text(number, 30)
        )
    };
    for (name, body) in [
        ("one/m/a.html", script(0)),
        ("one/m/b.html", script(1)),
        ("one/m/c.html", script(2)),
        ("one/m/d.html", String::new()),
        ("two/m/a.html", script(0)),
        ("two/m/b.html", script(9)),
        ("two/m/moved.html", script(2)),
        ("two/m/d.html", String::new()),
    ] {
        fs::create_dir_all(place.path(name).parent().unwrap()).unwrap();
        place.write(name, body);
    }
    let ran = place.run("mirrors one two --pages pages.jsonl --unmatched gone.jsonl");
    assert_snapshot!(ran.shown(), @r#"
    exit 0
    --- stdout
    {"a":"m","b":"m","pages_a":4,"pages_b":4,"matched_a":2,"matched_b":2,"share_a":0.5,"share_b":0.5,"counterparts":2,"same_path":2}
    --- stderr
    1 pair of sites among 4 pages of 1 site against 4 pages of 1 site; 2 pairs of pages matched one to one, 2 of them at the same path; 4 pages without a counterpart

    a  b    pages a    pages b  share a  share b  one to one  same path
    m  m          4          4   50.0 %   50.0 %           2          2

    empty: 8 pages have no text to compare; 4 of them match because another site has the same bytes at the same path
    found: expected recall 99.83 % at similarity 0.8, higher above it (21 bands of 6 rows)
    "#);
    assert_snapshot!(place.read("pages.jsonl"), @r#"
    {"a":"m/a.html","b":"m/a.html","site_a":"m","site_b":"m","resemblance":1.0,"same_path":true}
    {"a":"m/d.html","b":"m/d.html","site_a":"m","site_b":"m","resemblance":1.0,"same_path":true}
    "#);
    assert_eq!(place.read("gone.jsonl").lines().count(), 4);
    // If pages are records, the counts are the same for one collection as for two, whatever other fields the records have.
    let record = |site: &str, name: &str, number: usize| {
        serde_json::json!({"id": format!("http://{site}/{name}"), "n": site, "text": script(number)}).to_string() + "\n"
    };
    let records =
        |site: &str| record(site, "a", 0) + &record(site, "b", site.len()) + &record(site, "c", 2);
    place.write(
        "both.jsonl",
        records("one.example") + &records("three.example"),
    );
    place.write("one.jsonl", records("one.example"));
    place.write("three.jsonl", records("three.example"));
    for arguments in [
        "mirrors both.jsonl --html text",
        "mirrors one.jsonl three.jsonl --html text",
    ] {
        let ran = place.run(arguments);
        assert!(
            ran.out.contains("\"matched_a\":2,\"matched_b\":2"),
            "{}",
            ran.out
        );
        assert!(
            ran.err
                .contains("empty: 6 pages have no text to compare; 4 of them match"),
            "{}",
            ran.err
        );
    }
    // No page has a match, so no site is found, and the summary says what to do.
    let page = |name: &str, number| {
        serde_json::json!({"id": name, "text": text(number, 40)}).to_string() + "\n"
    };
    place.write("x.jsonl", page("a", 1) + &page("b", 2));
    place.write("y.jsonl", page("a", 3) + &page("c", 4));
    let ran = place.run("mirrors x.jsonl y.jsonl");
    assert!(
        ran.err.contains(
            "no page has a match on another site; 1 path is in both collections: lower --threshold"
        ),
        "{}",
        ran.err
    );
    let json: serde_json::Value =
        serde_json::from_str(&place.run("mirrors x.jsonl y.jsonl --json").err).unwrap();
    assert_eq!(
        (&json["shared_paths"], &json["closest"], &json["textless"]),
        (&1.into(), &serde_json::Value::Null, &0.into())
    );
}

/// One site has URLs as the ids of its pages; the other has the same pages as files.
#[test]
fn a_path_is_the_same_in_a_url_and_a_file_name() {
    let place = Place::new();
    let paths = [
        ("", "index.html"),
        ("guide/", "guide/index.html"),
        ("a%20b.html", "a b.html"),
        ("gr%C3%BCn.html", "grün.html"),
    ];
    let mut crawl = String::new();
    for ((url, file), number) in paths.into_iter().zip(0..) {
        crawl +=
            &(serde_json::json!({"id": format!("http://h.example/{url}"), "text": text(number, 40)})
                .to_string() + "\n");
        folder(&place, &[(&format!("site/{file}"), text(number, 40))]);
    }
    place.write("crawl.jsonl", &crawl);
    let ran = place.run("mirrors crawl.jsonl site --depth 0 --html text --pages pages.jsonl -q");
    assert_snapshot!(ran.out, @r#"{"a":"h.example","b":".","pages_a":4,"pages_b":4,"matched_a":4,"matched_b":4,"share_a":1.0,"share_b":1.0,"counterparts":4,"same_path":4}"#);
    assert_snapshot!(place.read("pages.jsonl"), @r#"
    {"a":"http://h.example/","b":"index.html","site_a":"h.example","site_b":".","resemblance":1.0,"same_path":true}
    {"a":"http://h.example/guide/","b":"guide/index.html","site_a":"h.example","site_b":".","resemblance":1.0,"same_path":true}
    {"a":"http://h.example/a%20b.html","b":"a b.html","site_a":"h.example","site_b":".","resemblance":1.0,"same_path":true}
    {"a":"http://h.example/gr%C3%BCn.html","b":"grün.html","site_a":"h.example","site_b":".","resemblance":1.0,"same_path":true}
    "#);
}

#[test]
fn invalid_inputs_are_refused_without_leftover_files() {
    let place = Place::new();
    manuals(&place);
    place.write(
        "lines.jsonl",
        format!("{{\"id\":1,\"text\":\"{}\"}}\n", text(0, 9)),
    );
    place.write(
        "url.jsonl",
        format!(
            "{{\"id\":\"http://h.example/a/b\",\"text\":\"{}\"}}\n",
            text(0, 9)
        ),
    );
    place.write("twice.jsonl", "{\"id\":\"a/1\",\"text\":\"x\"}\n".repeat(2));
    for (arguments, expected) in [
        ("mirrors one one", "one: is both A and B"),
        (
            "mirrors twice.jsonl two",
            "twice.jsonl:2: id \"a/1\" was already used at twice.jsonl:1",
        ),
        ("mirrors one ./one/", "./one/: is both A and B"),
        (
            "mirrors one one/guide",
            "given twice, as an input and as a reference",
        ),
        (
            "mirrors one two --pages -",
            "--pages -: pairs of sites already use standard output; name a file for them with -o",
        ),
        (
            "mirrors one two -o - --unmatched -",
            "--unmatched -: pairs of sites already use standard output",
        ),
        (
            "mirrors one two --skip-bad -",
            "--skip-bad -: pairs of sites already use standard output",
        ),
        (
            "mirrors url.jsonl",
            "\"h.example\", which cannot mirror itself; name a second collection, or choose --by folder",
        ),
        (
            "mirrors lines.jsonl",
            "take sites from a field with --by field:NAME",
        ),
        ("mirrors one missing", "missing: no such file"),
        (
            "mirrors one --depth 0",
            "use more folders in a site's name with --depth",
        ),
        (
            "mirrors one two --by host",
            "--by host takes the site from it",
        ),
        (
            "mirrors one two --by hosts",
            "give host, folder, or field:NAME",
        ),
        (
            "mirrors one two --by field:",
            "give host, folder, or field:NAME",
        ),
        (
            "mirrors lines.jsonl one --by field:text",
            "the text cannot identify the site",
        ),
        (
            "mirrors one two --share 1.5",
            "--share must be from 0 to 1, got 1.5",
        ),
        (
            "mirrors one two --share NaN",
            "--share must be from 0 to 1, got NaN",
        ),
        ("mirrors one --share-of a", "only work with two collections"),
        (
            "mirrors one two --threshold 0",
            "threshold must be above 0 and at most 1, got 0",
        ),
        (
            "mirrors one two --all-pairs",
            "--all-pairs only works with --pages",
        ),
        ("mirrors one two --pages pages.parquet", "pages.parquet"),
        (
            "mirrors one two -o same.jsonl --pages same.jsonl",
            "would overwrite the output",
        ),
        (
            "mirrors lines.jsonl two --by host",
            "lines.jsonl:1: the page has the id 1, which is not a URL",
        ),
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.err);
        assert!(ran.err.contains(expected), "{arguments}: {}", ran.err);
        assert!(ran.out.is_empty(), "{arguments}: {}", ran.out);
    }
    assert_eq!(
        place.names(),
        ["lines.jsonl", "one", "twice.jsonl", "two", "url.jsonl"]
    );
    assert_snapshot!(place.run("mirrors one two --share 1 --threshold 1 --share-of both --depth 0").shown(), @"
    exit 1
    --- stdout
    --- stderr
    0 pairs of sites among 8 pages of 1 site against 8 pages of 1 site; 0 pairs of pages matched one to one, 0 of them at the same path
    the closest pair is . and .: 4 of 8 pages (50.0 %) and 4 of 8 (50.0 %) have a match; 3 paths are in both collections; give --share 0.5, or a lower --threshold
    found: expected recall 100.00 % at similarity 1, higher above it (4 bands of 32 rows)
    ");
}
