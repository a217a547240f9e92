//! A naive implementation of this module: the literal definition, which normalises the whole text in one call. The fast
//! implementation is tested against it.

use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use icu_properties::props::{EnumeratedProperty, GeneralCategory, Script};
use proptest::prelude::*;

use super::{
    Folds, Tokens, TokensBy, canonicalise,
    class::{self, Kind},
    dictionary, token_spans,
};

/// Returns the canonical form of the whole text, folded.
fn folded(text: &str, folds: Folds) -> String {
    let mut whole = String::new();
    class::fold(text, &mut whole);
    if folds.digits {
        let digit = |c| GeneralCategory::for_char(c) == GeneralCategory::DecimalNumber;
        whole = whole
            .chars()
            .map(|c| if digit(c) { '0' } else { c })
            .collect();
    }
    if folds.marks {
        let is_point = |c: char| {
            let script = Script::for_char(c);
            class::kind(c) == Kind::Mark
                && (matches!(script, Script::Arabic | Script::Hebrew | Script::Syriac)
                    || ('\u{64b}'..='\u{652}').contains(&c)
                    || c == '\u{670}')
        };
        let letters: String = whole.chars().filter(|&c| !is_point(c)).collect();
        whole = ComposingNormalizer::new_nfc()
            .normalize(&letters)
            .into_owned();
    }
    if folds.simplified {
        whole = whole.chars().map(super::chinese::simplified).collect();
    }
    if folds.accents {
        let mut bare = false;
        let letters: String = DecomposingNormalizer::new_nfd()
            .normalize(&whole)
            .chars()
            .filter(|&c| match class::kind(c) {
                Kind::Mark => !bare,
                kind => {
                    let script = Script::for_char(c);
                    bare = kind == Kind::Word
                        && matches!(script, Script::Latin | Script::Greek | Script::Cyrillic);
                    true
                }
            })
            .map(|c| {
                "øđłħŧı"
                    .chars()
                    .zip("odlhti".chars())
                    .find(|(barred, _)| *barred == c)
                    .map_or(c, |(_, bare)| bare)
            })
            .collect();
        whole = ComposingNormalizer::new_nfc()
            .normalize(&letters)
            .into_owned();
    }
    whole
}

fn tokens_by_definition(text: &str, by: TokensBy, folds: Folds) -> Vec<String> {
    if by == TokensBy::Jieba {
        return dictionary_words(tokens_by_definition(text, TokensBy::Auto, folds));
    }
    if by == TokensBy::Lines {
        let lines = text
            .split(['\n', '\r'])
            .map(|line| tokens_by_definition(line, TokensBy::Auto, folds).join(" "));
        return lines.filter(|line| !line.is_empty()).collect();
    }
    let whole = folded(text, folds);
    let mut tokens: Vec<String> = Vec::new();
    let (mut open, mut space) = (None, false);
    for c in whole.chars() {
        let kind = match class::kind(c) {
            Kind::Han | Kind::Solo if by == TokensBy::Words => Kind::Word,
            kind => kind,
        };
        match (by, kind) {
            (_, Kind::Ignorable) => {}
            (_, Kind::Separator) => (open, space) = (None, true),
            (TokensBy::Chars, _) => {
                if space && !tokens.is_empty() {
                    tokens.push(" ".into());
                }
                space = false;
                tokens.push(c.into());
            }
            (_, Kind::Mark) => {
                if open.is_some() {
                    tokens.last_mut().unwrap().push(c);
                }
            }
            (_, Kind::Word) if open == Some(Kind::Word) => tokens.last_mut().unwrap().push(c),
            (_, Kind::Word | Kind::Han | Kind::Solo) => {
                tokens.push(c.into());
                open = Some(kind);
            }
        }
    }
    tokens
}

/// Joins successive Han characters, up to a combining mark, and cuts them into words.
fn dictionary_words(tokens: Vec<String>) -> Vec<String> {
    let (mut words, mut run): (Vec<String>, _) = (Vec::new(), String::new());
    for token in tokens {
        let (first, marks) = token.split_at(token.chars().next().map_or(0, char::len_utf8));
        let han = first.chars().all(|c| class::kind(c) == Kind::Han);
        if han {
            run.push_str(first);
        }
        if !han || !marks.is_empty() || run.len() >= dictionary::RUN {
            words.extend(dictionary::cut(&run).map(String::from));
            run.clear();
            if han {
                words.last_mut().unwrap().push_str(marks)
            } else {
                words.push(token)
            }
        }
    }
    words.extend(dictionary::cut(&run).map(String::from));
    words
}

fn tokens_of(text: &str, by: TokensBy, folds: Folds) -> Vec<String> {
    let mut tokens = Tokens::new();
    canonicalise(text, by, folds, &mut tokens);
    tokens
        .iter()
        .map(|t| String::from_utf8(t.to_vec()).unwrap())
        .collect()
}

const PLAIN: Folds = Folds {
    simplified: false,
    accents: false,
    marks: false,
    digits: false,
};

/// Returns the kinds of tokens that this build supports.
fn kinds() -> impl Iterator<Item = TokensBy> {
    [
        TokensBy::Auto,
        TokensBy::Words,
        TokensBy::Chars,
        TokensBy::Lines,
        TokensBy::Jieba,
    ]
    .into_iter()
    .filter(|by| by.check().is_ok())
}

fn folds() -> impl Iterator<Item = Folds> {
    (0..16)
        .map(|i| Folds {
            simplified: i & 1 != 0,
            accents: i & 2 != 0,
            digits: i & 4 != 0,
            marks: i & 8 != 0,
        })
        .filter(|folds| folds.check().is_ok())
}

fn some_folds() -> impl Strategy<Value = Folds> {
    prop::sample::select(folds().collect::<Vec<_>>())
}

fn choices() -> impl Iterator<Item = (TokensBy, Folds)> {
    kinds().flat_map(|by| folds().map(move |folds| (by, folds)))
}

/// Generates letters, digits, spaces, punctuation, and the characters that have caused trouble elsewhere: marks with and without
/// a base, jamo, ligatures, full and half width, kana voicing, Thai, Devanagari, Hangul, joiners, emoji, old scripts.
pub(super) fn troublesome() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        8 => proptest::char::range(' ', '~'),
        1 => prop::sample::select(vec!['\n', '\r']),
        2 => prop::sample::select("éÉßﬁﬀİıǰŉΐ½㍿Ａ１，。　…ｶﾞﾊﾟがは\u{3099}\u{309a}ハ々〆ー漢字한글ᄒ\u{1161}\u{11ab}กำน้ํา\u{e38}\u{e48}क्षि\u{93c}ড\u{9bc}ো\u{301}\u{323}\u{345}\u{ad}\u{200b}\u{200d}\u{feff}\u{fe0f}👩🏽\u{1d165}\u{16d63}\u{16d67}ſΣς\u{1e9e}ᾳѣøđŁ\u{1d7}άйї٣๓୨臺湾體乾薴清华大学我来到北京大學\u{30000}〇مـحمّد\u{64e}\u{654}\u{6d6}ﹱאשׁ\u{5b8}ܫ\u{733}ߊߺꦗꦮꦶᬆᥐꀀᠠ᠊".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    // Han characters form words only where they are frequent, so some of the texts consist mostly of Han characters.
    let han = prop::sample::select(
        "清华大学我来到北京的一是在清华大學北京大臺灣々のab1 \n，。\u{301}\u{200b}"
            .chars()
            .collect::<Vec<_>>(),
    );
    let mixed = prop::collection::vec(one, 0..160);
    prop_oneof![3 => mixed, 1 => prop::collection::vec(han, 0..80)]
        .prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(4000)))]

    #[test]
    fn whole_text_and_pieces_agree(text in troublesome(), folds in some_folds()) {
        for by in kinds() {
            let tokens = tokens_of(&text, by, folds);
            prop_assert_eq!(&tokens, &tokens_by_definition(&text, by, folds), "{:?} {:?}", by, folds);
            let spans = token_spans(&text, by, folds);
            prop_assert_eq!(spans.len(), tokens.len());
            prop_assert!(spans.iter().all(|span| text.get(span.start..span.end).is_some_and(|t| !t.is_empty())));
            prop_assert!(spans.windows(2).all(|w| w[0].start <= w[1].start && w[0].end <= w[1].end));
        }
    }

    #[test]
    fn the_canonical_form_is_its_own_canonical_form(text in troublesome(), folds in some_folds()) {
        for by in kinds().filter(|by| *by != TokensBy::Chars) {
            let gap = if by == TokensBy::Lines { "\n" } else { " " };
            let once = tokens_of(&text, by, folds).join(gap);
            prop_assert_eq!(tokens_of(&once, by, folds).join(gap), once, "{:?} {:?}", by, folds);
        }
    }

    #[test]
    fn folding_is_idempotent(text in troublesome(), folds in some_folds()) {
        let once = folded(&text, folds);
        prop_assert_eq!(folded(&once, folds), once);
    }

    #[test]
    fn a_span_alone_contains_its_token(text in "[a-zA-Z0-9 ,.\n漢字がé’清华大學，-]{0,80}", folds in some_folds()) {
        for by in kinds().filter(|by| *by != TokensBy::Chars) {
            let spans = token_spans(&text, by, folds);
            for (span, token) in spans.iter().zip(tokens_of(&text, by, folds)) {
                prop_assert_eq!(tokens_of(&text[span.start..span.end], by, folds), vec![token]);
            }
        }
    }

    #[test]
    fn ascii_of_every_length_and_offset(text in "[a-cA-C0-9 .]{0,300}", folds in some_folds()) {
        prop_assert_eq!(tokens_of(&text, TokensBy::Auto, folds), tokens_by_definition(&text, TokensBy::Auto, folds));
    }

    #[test]
    fn separators_inside_a_run_do_not_count(text in "[清华大学我来到北京的一是在]{0,80}", at in 0usize..80, gap in "[ \n，。-]{1,3}") {
        if TokensBy::Jieba.check().is_ok() {
            let parts: (String, String) = (text.chars().take(at).collect(), text.chars().skip(at).collect());
            let parted = format!("{}{gap}{}", parts.0, parts.1);
            prop_assert_eq!(tokens_of(&parted, TokensBy::Jieba, PLAIN), tokens_of(&text, TokensBy::Jieba, PLAIN));
        }
    }
}

#[test]
fn long_texts_are_tokenised_across_internal_borders() {
    // The text is longer than the stretches that the ASCII path reads at once, and has words and marks across every kind of
    // border between stretches.
    let text: String = (0..9000)
        .map(|i| {
            if i % 977 == 0 {
                "e\u{301}x".into()
            } else {
                format!("w{i}{}", [" ", "", "-"][i % 3])
            }
        })
        .collect();
    for fold in folds() {
        assert_eq!(
            tokens_of(&text, TokensBy::Auto, fold),
            tokens_by_definition(&text, TokensBy::Auto, fold)
        );
    }
    let word = "a".repeat(30_000);
    assert_eq!(tokens_of(&word, TokensBy::Auto, PLAIN), [word]);
}

#[test]
fn a_reused_buffer_forgets_the_last_text() {
    let mut tokens = Tokens::new();
    canonicalise(
        "a very long text that is quite longer than the next one",
        TokensBy::Auto,
        PLAIN,
        &mut tokens,
    );
    canonicalise("Short", TokensBy::Auto, PLAIN, &mut tokens);
    assert_eq!((tokens.len(), tokens.text()), (1, &b"short"[..]));
    canonicalise(" … !", TokensBy::Auto, PLAIN, &mut tokens);
    assert!(tokens.is_empty());
}

#[test]
fn tokens_in_a_table() {
    use TokensBy::*;
    let table: &[(&str, TokensBy, &[&str])] = &[
        ("Don't STOP", Auto, &["don", "t", "stop"]),
        ("snake_case x=1", Auto, &["snake", "case", "x", "1"]),
        ("Act 12", Auto, &["act", "12"]),
        ("かき", Auto, &["か", "き"]),
        ("がき", Auto, &["が", "き"]),
        ("か\u{3099}き", Auto, &["が", "き"]),
        ("ﾊﾟﾊﾟ", Auto, &["パ", "パ"]),
        (
            "第12章 Rust入門",
            Auto,
            &["第", "12", "章", "rust", "入", "門"],
        ),
        ("第12章 Rust入門", Words, &["第12章", "rust入門"]),
        ("co\u{ad}operate", Auto, &["cooperate"]),
        ("CAFE\u{301} naïve", Auto, &["café", "naïve"]),
        ("Straße ﬁn", Auto, &["strasse", "fin"]),
        ("น้ำ", Auto, &["น\u{e49}\u{e4d}", "า"]),
        ("हिन्दी", Auto, &["हिन्दी"]),
        ("한국어 문서", Auto, &["한국어", "문서"]),
        ("ꦧꦱꦗꦮ", Auto, &["ꦧ", "ꦱ", "ꦗ", "ꦮ"]),
        ("བོད་སྐད", Auto, &["བོད", "སྐད"]),
        ("كتــاب", Auto, &["كتاب"]),
        ("كتــاب", Chars, &["ك", "ت", "ا", "ب"]),
        ("a  b", Chars, &["a", " ", "b"]),
        (" a, b ", Chars, &["a", " ", "b"]),
        ("👩🏽 🙂", Auto, &[]),
        (
            "if x:\r\n    Return 1\n\n}\n  北京 2",
            Lines,
            &["if x", "return 1", "北 京 2"],
        ),
        ("a b\nc", Lines, &["a b", "c"]),
        ("a\rb c", Lines, &["a", "b c"]),
        (" {\n}\n", Lines, &[]),
    ];
    for (text, by, expected) in table {
        assert_eq!(tokens_of(text, *by, PLAIN), *expected, "{text:?} by {by:?}");
    }
}

/// Differences that people usually remove by hand before they compare texts: punctuation, white space, Chinese and English in one
/// text, width.
#[test]
fn texts_that_need_no_fold_in_a_table() {
    let table: &[(&str, &[&str])] = &[
        (
            "ＡＢＣ１２３，",
            &["abc123,", "Abc123。", "abc123", "「ＡＢＣ１２３」"],
        ),
        (
            "你好，世界！",
            &[
                "你好, 世界!",
                "你好世界",
                "“你好”——世界……",
                "《你好》、世界。",
            ],
        ),
        (
            "北京\u{3000}大学",
            &[
                "北京大学",
                "北京 大学",
                "北\n京\t大\r\n学",
                "北\u{200b}京\u{a0}大学",
            ],
        ),
        (
            "使用Python进行数据分析",
            &[
                "使用 Python 进行数据分析",
                "使用　ＰＹＴＨＯＮ　进行数据分析",
                "使用「python」进行数据分析",
            ],
        ),
        ("共3个GPU", &["共 3 个 GPU", "共３个ＧＰＵ", "共③个gpu"]),
        (
            "ﾊﾝｶｸ ｶﾞｷﾞ ﾎﾟｰﾄ",
            &["ハンカク ガギ ポート", "ハンカクカ\u{3099}キ\u{3099}ポート"],
        ),
        ("㈱㍿℃", &["(株)株式会社°c"]),
        ("契約⽤語", &["契約用語"]),
        ("محمد كتاب", &["محـــمد كتـاب", "ـمحمدـ كتابـ", "ﻣﺤﻤﺪ كتاب"]),
        ("ꦗꦮꦶ", &["ꦗ ꦮꦶ"]),
    ];
    for (one, same) in table {
        for other in *same {
            assert_eq!(
                tokens_of(one, TokensBy::Auto, PLAIN),
                tokens_of(other, TokensBy::Auto, PLAIN),
                "{one:?} = {other:?}"
            );
        }
    }
}

#[test]
fn folds_in_a_table() {
    let simplified = Folds {
        simplified: true,
        ..PLAIN
    };
    let accents = Folds {
        accents: true,
        ..PLAIN
    };
    let marks = Folds {
        marks: true,
        ..PLAIN
    };
    let digits = Folds {
        digits: true,
        ..PLAIN
    };
    let table: &[(Folds, &str, &str)] = &[
        (simplified, "繁體中文", "繁体中文"),
        (
            simplified,
            "臺灣與颱風，皇后在後面",
            "台湾与台风，皇后在后面",
        ),
        (
            simplified,
            "乾隆把乾淨的衣裳裝進裏面",
            "干隆把干净的衣裳装进里面",
        ),
        (simplified, "漢語 ＡＢＣ が Café 12", "汉语 abc が café 12"),
        (accents, "Café déjà-vu, Łódź", "cafe deja vu lodz"),
        (
            accents,
            "Đồng bằng sông Cửu Long",
            "dong bang song cuu long",
        ),
        (accents, "Ελλάδα ΰ ᾧ", "ελλαδα υ ωι"),
        (accents, "Ёлка йод", "елка иод"),
        (accents, "İSTANBUL ısı", "istanbul isi"),
        (accents, "q\u{323}\u{302} e\u{301}\u{301}", "q e"),
        (marks, "مُحَمَّد رَسُولُ", "محمد رسول"),
        (marks, "בְּרֵאשִׁ֖ית בָּרָ֣א", "בראשית ברא"),
        (digits, "Act 12, 1999年３月", "Act 47, 2024年5月"),
        (digits, "a1b22", "A0B00"),
        (digits, "٣ ๑๒ १२", "0 00 00"),
    ];
    for &(folds, one, other) in table.iter().filter(|(folds, ..)| folds.check().is_ok()) {
        for by in kinds() {
            assert_eq!(
                tokens_of(one, by, folds).concat(),
                tokens_of(other, by, folds).concat(),
                "{one:?} = {other:?} by {by:?}"
            );
            assert_ne!(
                tokens_of(one, by, PLAIN).concat(),
                tokens_of(other, by, PLAIN).concat(),
                "{one:?} by {by:?}"
            );
        }
    }
    for (one, other) in [
        ("かき", "がき"),
        ("กา", "กิ"),
        ("कि", "की"),
        ("Act 7", "Act 12"),
        ("가", "각"),
    ] {
        for (by, folds) in choices() {
            assert_ne!(
                tokens_of(one, by, folds),
                tokens_of(other, by, folds),
                "{one:?} by {by:?} {folds:?}"
            );
        }
    }
}

#[cfg(feature = "jieba")]
#[test]
fn dictionary_words_in_a_table() {
    let table: &[(&str, &[&str])] = &[
        ("我来到北京清华大学", &["我", "来到", "北京", "清华大学"]),
        (
            "我来到北京，清\n华 大\u{200b}学。",
            &["我", "来到", "北京", "清华大学"],
        ),
        ("南京市长江大桥", &["南京市", "长江大桥"]),
        (
            "他来到了网易杭研大厦",
            &["他", "来到", "了", "网易", "杭", "研", "大厦"],
        ),
        (
            "使用Python３进行数据分析",
            &["使用", "python3", "进行", "数据分析"],
        ),
        (
            "北京のカフェ北京",
            &["北京", "の", "カ", "フ", "ェ", "北京"],
        ),
        ("北\u{301}京", &["北\u{301}", "京"]),
        ("人々〇年", &["人", "々", "〇", "年"]),
        ("清華大學", &["清", "華", "大", "學"]),
        ("… !", &[]),
        (
            "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
            &[
                "人人",
                "生而自由",
                "在",
                "尊严",
                "和",
                "权利",
                "上",
                "一律平等",
                "他们",
                "赋有",
                "理性",
                "和",
                "良心",
                "并",
                "应",
                "以",
                "兄弟",
                "关系",
                "的",
                "精神",
                "相对",
                "待",
            ],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(
            tokens_of(text, TokensBy::Jieba, PLAIN),
            *expected,
            "{text:?}"
        );
    }
}

#[cfg(all(feature = "jieba", feature = "chinese"))]
#[test]
fn the_dictionary_sees_simplified_characters_when_asked() {
    let simplified = Folds {
        simplified: true,
        ..PLAIN
    };
    assert_eq!(
        tokens_of("清華大學　⽤語", TokensBy::Jieba, simplified),
        ["清华大学", "用语"]
    );
}

#[cfg(feature = "jieba")]
#[test]
fn a_run_is_segmented_at_once_up_to_its_limit() {
    let text = "我来到北京清华大学，".repeat(5_000);
    assert_eq!(
        tokens_of(&text, TokensBy::Jieba, PLAIN),
        tokens_by_definition(&text, TokensBy::Jieba, PLAIN)
    );
    assert_eq!(
        token_spans(&text, TokensBy::Jieba, PLAIN).len(),
        tokens_of(&text, TokensBy::Jieba, PLAIN).len()
    );
}

#[test]
fn tokens_that_are_not_built_in_are_refused_with_a_message() {
    let refusal = TokensBy::Jieba
        .check()
        .map_err(|refusal| refusal.to_string());
    let words = "the Chinese dictionary is not in this build; build with the feature `jieba`, or do without it".to_string();
    assert_eq!(
        refusal,
        if cfg!(feature = "jieba") {
            Ok(())
        } else {
            Err(words)
        }
    );
    assert_eq!(
        serde_json::to_string(&TokensBy::Jieba).unwrap(),
        r#""jieba""#
    );
}
