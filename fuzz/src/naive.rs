//! Computes the canonical form by its definition, on the whole text in one go.

use std::sync::LazyLock;

use ferrous_opencc::{OpenCC, config::BuiltinConfig};
use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};
use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory,
    GeneralCategoryGroup, JoiningType, LineBreak, Script,
};
use jieba_rs::Jieba;
use lookalike::text::{Folds, TokensBy};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Separator,
    Word,
    Solo,
    Mark,
}

fn is_ignorable(c: char) -> bool {
    DefaultIgnorableCodePoint::for_char(c)
        || GeneralCategory::for_char(c) == GeneralCategory::Format
        || JoiningType::for_char(c) == JoiningType::JoinCausing
}

fn kind(c: char, by: TokensBy) -> Kind {
    if GeneralCategoryGroup::Mark.contains(GeneralCategory::for_char(c)) {
        return Kind::Mark;
    }
    if !c.is_alphanumeric() {
        return Kind::Separator;
    }
    let script = Script::for_char(c);
    // The line-break classes of the letters of scripts without spaces. Between such letters, lines break at the words of a
    // dictionary, after any character, or after any syllable. Digits and iteration marks have other classes, so they are
    // recognised by their scripts.
    let anywhere = matches!(
        LineBreak::for_char(c),
        LineBreak::ComplexContext
            | LineBreak::Ideographic
            | LineBreak::ConditionalJapaneseStarter
            | LineBreak::Aksara
            | LineBreak::AksaraStart
    );
    let scripts = [
        Script::Han,
        Script::Hiragana,
        Script::Katakana,
        Script::Thai,
        Script::Lao,
        Script::Khmer,
        Script::Myanmar,
        Script::TaiLe,
        Script::NewTaiLue,
        Script::TaiTham,
        Script::TaiViet,
        Script::Ahom,
        Script::Javanese,
        Script::Balinese,
        Script::Kawi,
        Script::Batak,
        Script::Cham,
        Script::Brahmi,
        Script::Grantha,
        Script::DivesAkuru,
        Script::Yi,
    ];
    let solo = anywhere
        || scripts.contains(&script)
        || matches!(c, '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}');
    if solo && by == TokensBy::Auto {
        Kind::Solo
    } else {
        Kind::Word
    }
}

/// Returns a text without format characters, in NFKC, case folded, and in NFKC again.
fn canonical(text: &str) -> String {
    let nfkc = ComposingNormalizer::new_nfkc();
    let seen = |text: &str| {
        text.chars()
            .filter(|&c| !is_ignorable(c))
            .collect::<String>()
    };
    let folded = CaseMapper::new()
        .fold_string(&seen(&nfkc.normalize(&seen(text))))
        .into_owned();
    nfkc.normalize(&folded)
        .chars()
        .filter(|&c| !is_ignorable(c))
        .collect()
}

/// Converts a character with OpenCC until it no longer changes.
fn simplified(c: char) -> char {
    static T2S: LazyLock<OpenCC> =
        LazyLock::new(|| OpenCC::from_config(BuiltinConfig::T2s).expect("it is built in"));
    let image = T2S
        .convert(&c.to_string())
        .chars()
        .next()
        .expect("a conversion gives a character");
    if image == c { c } else { simplified(image) }
}

/// Removes the marks after letters of the Latin, Greek and Cyrillic scripts, and the bars through these letters; ı becomes i.
fn without_accents(text: &str) -> String {
    let (mut letters, mut bare) = (String::new(), false);
    for c in DecomposingNormalizer::new_nfd().normalize(text).chars() {
        match kind(c, TokensBy::Auto) {
            Kind::Mark if bare => continue,
            Kind::Mark => {}
            kind => {
                let script = Script::for_char(c);
                bare = kind == Kind::Word
                    && matches!(script, Script::Latin | Script::Greek | Script::Cyrillic);
            }
        }
        let barred = "øđłħŧı"
            .chars()
            .zip("odlhti".chars())
            .find(|(barred, _)| *barred == c);
        letters.push(barred.map_or(c, |(_, bare)| bare));
    }
    ComposingNormalizer::new_nfc()
        .normalize(&letters)
        .into_owned()
}

fn folded(text: &str, folds: Folds) -> String {
    let is_digit =
        |c| folds.digits && GeneralCategory::for_char(c) == GeneralCategory::DecimalNumber;
    let image = |c| match is_digit(c) {
        true => '0',
        false if folds.simplified => simplified(c),
        false => c,
    };
    let folded: String = canonical(text).chars().map(image).collect();
    let is_point = |c: &char| {
        let pointed = matches!(
            Script::for_char(*c),
            Script::Arabic | Script::Hebrew | Script::Syriac
        );
        kind(*c, TokensBy::Auto) == Kind::Mark
            && (pointed || matches!(c, '\u{64b}'..='\u{652}' | '\u{670}'))
    };
    let folded = match folds.marks {
        true => ComposingNormalizer::new_nfc()
            .normalize(&folded.chars().filter(|c| !is_point(c)).collect::<String>())
            .into_owned(),
        false => folded,
    };
    if folds.accents {
        without_accents(&folded)
    } else {
        folded
    }
}

/// Returns the tokens of the canonical form after folding; letters and digits, with the marks that follow them, make up tokens.
pub fn tokens(text: &str, by: TokensBy, folds: Folds) -> Vec<String> {
    if by == TokensBy::Lines {
        let lines = text
            .split(['\n', '\r'])
            .map(|line| tokens(line, TokensBy::Auto, folds).join(" "));
        return lines.filter(|line| !line.is_empty()).collect();
    }
    if by == TokensBy::Jieba {
        return dictionary_words(tokens(text, TokensBy::Auto, folds));
    }
    let mut tokens: Vec<String> = Vec::new();
    let (mut open, mut space) = (None, false);
    for c in folded(text, folds).chars() {
        let kind = kind(c, by);
        if kind == Kind::Separator {
            (open, space) = (None, true);
        } else if by == TokensBy::Chars {
            if space && !tokens.is_empty() {
                tokens.push(" ".into());
            }
            space = false;
            tokens.push(c.into());
        } else if kind == Kind::Mark || kind == Kind::Word && open == Some(Kind::Word) {
            if let (Some(_), Some(token)) = (open, tokens.last_mut()) {
                token.push(c);
            }
        } else {
            tokens.push(c.into());
            open = Some(kind);
        }
    }
    tokens
}

/// Joins consecutive Han characters into runs, and cuts the runs into words. A run ends after a character with combining marks,
/// and the marks become part of that character's word. The result is right for texts of up to 64 KiB.
fn dictionary_words(tokens: Vec<String>) -> Vec<String> {
    static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);
    let (mut words, mut run) = (Vec::new(), String::new());
    let cut = |run: &mut String, words: &mut Vec<String>| {
        words.extend(
            JIEBA
                .cut(run, false)
                .into_iter()
                .map(|token| token.word.to_string()),
        );
        run.clear();
    };
    for token in tokens {
        let first = token.chars().next().expect("no token is empty");
        if Script::for_char(first) != Script::Han {
            cut(&mut run, &mut words);
            words.push(token);
            continue;
        }
        run.push(first);
        let marks = &token[first.len_utf8()..];
        if !marks.is_empty() {
            cut(&mut run, &mut words);
            words
                .last_mut()
                .expect("the character itself")
                .push_str(marks);
        }
    }
    cut(&mut run, &mut words);
    words
}
