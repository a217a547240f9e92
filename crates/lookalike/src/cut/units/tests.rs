//! The fast ways to read units agree with [`TextUnits::new`], which normalises each part separately.

use proptest::prelude::*;

use super::*;
use crate::text::Folds;

/// Characters that have caused trouble, or could: letters, marks without a letter, format characters, all kinds of line breaks and
/// of marks that end sentences, characters that become several, and scripts without spaces.
const HOSTILE: &str = "aZ09é ß.,!?-_\"'()<=\t\u{b}\u{c}\n\r\u{85}\u{a0}\u{ad}\u{300}\u{301}\u{323}\u{338}\u{345}\u{64e}\u{654}\u{200b}\u{200d}\
    \u{2028}\u{2029}\u{feff}\u{fe0f}\u{3000}\u{3099}\u{309a}\u{ff9e}\u{16d63}\u{16d67}漢体臺々かがカーｶﾞﾊﾟกำ\u{e48}ไท๑კ각ᄒ\u{1161}\u{11ab}½㍿™ﬁİıſﹱـمΣςй१क\
    \u{93c}।॥؟۔։።။។།。｡！？；．…‼⁇’”»」】）＂😀👩🏽\u{1d165}\u{30000}";

fn texts() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(HOSTILE.chars().collect::<Vec<_>>());
    let piece = prop_oneof![
        6 => hostile.prop_map(String::from),
        3 => "[a-zA-Z]{1,9}",
        2 => prop::sample::select(vec![" ", "\n", "\r\n", "\n\n", ". ", ".\n", "。", "x.y", "e.g. ", "\n\u{301}", "。\u{301}", ".\u{ad}", "\n½", "(½"]).prop_map(String::from),
        1 => prop::sample::select(vec!["漢字", "かな", "한국어", "ไทย", "слово ", "Mot. "]).prop_map(String::from),
        1 => any::<char>().prop_map(String::from),
    ];
    let short = prop::collection::vec(piece.clone(), 0..40).prop_map(|pieces| pieces.concat());
    // Texts that are longer than one scan, and words and lines that are longer than one.
    let long = (
        prop::collection::vec((piece, 1usize..3000), 1..8),
        0usize..200,
    )
        .prop_map(|(pieces, ahead)| {
            let text: String = pieces
                .into_iter()
                .map(|(piece, times)| piece.repeat(times))
                .collect();
            let mut cut = (40_000 + ahead).min(text.len());
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            " ".repeat(ahead) + &text[..cut]
        });
    prop_oneof![2000 => short, 1 => long]
}

fn configs() -> impl Strategy<Value = CutConfig> {
    let folds = (0u8..32).prop_map(|fold| match fold {
        // Most settings have no folds, because those are read fast.
        16.. => Folds::default(),
        fold => Folds {
            simplified: fold & 1 != 0 && cfg!(feature = "chinese"),
            accents: fold & 2 != 0,
            marks: fold & 4 != 0,
            digits: fold & 8 != 0,
        },
    });
    let tokens: Vec<TokensBy> = [
        TokensBy::Auto,
        TokensBy::Auto,
        TokensBy::Words,
        TokensBy::Chars,
        TokensBy::Jieba,
    ]
    .into_iter()
    .filter(|by| by.check().is_ok())
    .collect();
    let unit = prop::sample::select(vec![
        Unit::Runs,
        Unit::Lines,
        Unit::Paragraphs,
        Unit::Sentences,
    ]);
    (
        unit,
        prop::sample::select(tokens),
        folds,
        any::<[bool; 2]>(),
    )
        .prop_map(|(unit, tokens, folds, [verbatim, lines])| CutConfig {
            unit,
            tokens,
            folds,
            verbatim: verbatim && lines,
            whole_lines: unit == Unit::Runs && lines,
            ..CutConfig::default()
        })
}

/// Escapes as a JSON writer does that only writes ASCII.
fn ascii(json: &str) -> String {
    let escaped = |c: char| {
        if c.is_ascii() {
            c.to_string()
        } else {
            c.encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect()
        }
    };
    json.chars().map(escaped).collect()
}

fn check(reader: &mut UnitReader, text: &str, config: &CutConfig) {
    let expected = TextUnits::new(text, config);
    let json = serde_json::to_string(text).unwrap();
    let json = &json[1..json.len() - 1];
    let ascii = ascii(json);
    for text in [
        Text::Plain(text),
        Text::Escaped(json),
        Text::Escaped(&ascii),
    ] {
        for simd in Simd::all() {
            let units = reader.units(simd, text, config);
            let (of_reader, expected) = (
                (units.hashes, units.tokens, units.lines),
                expected.as_units(),
            );
            assert_eq!(
                of_reader,
                (expected.hashes, expected.tokens, expected.lines),
                "{text:?} {config:?} {simd:?}"
            );
        }
    }
    assert_eq!(
        TextUnits::places(text, config).spans,
        expected.spans,
        "{text:?} {config:?}"
    );
}

proptest! {
    // All texts are read by one reader, because what is left of the last text must not matter.
    #[test]
    fn fast_reading_agrees_with_normalising_each_part(cases in prop::collection::vec((texts(), configs()), 1..5)) {
        let mut reader = UnitReader::default();
        for (text, config) in &cases {
            check(&mut reader, text, config);
        }
    }
}

#[test]
fn parts_are_read_across_internal_borders() {
    let mut reader = UnitReader::default();
    for unit in [Unit::Runs, Unit::Lines, Unit::Paragraphs, Unit::Sentences] {
        let config = CutConfig {
            unit,
            ..CutConfig::default()
        };
        for length in (8180..8200).chain([30_000]) {
            for parts in [
                ["a", "\n", "b. C"],
                ["漢", "。", "字\n"],
                ["x ", "\u{301}\n", "½.\n\ny"],
                ["\n", "؟", "é\n"],
                [".\n", "‼", ""],
            ] {
                check(
                    &mut reader,
                    &(parts[0].repeat(length / parts[0].len()) + parts[1] + parts[2]),
                    &config,
                );
            }
        }
    }
}
