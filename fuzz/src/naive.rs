//! The canonical form by its definition, the whole text at once.

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizer;
use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory, GeneralCategoryGroup, Script,
};
use lookalike::text::TokensBy;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Separator,
    Word,
    Solo,
    Mark,
}

fn is_ignorable(c: char) -> bool {
    DefaultIgnorableCodePoint::for_char(c) || GeneralCategory::for_char(c) == GeneralCategory::Format
}

fn kind(c: char, by: TokensBy) -> Kind {
    if GeneralCategoryGroup::Mark.contains(GeneralCategory::for_char(c)) {
        return Kind::Mark;
    }
    if !c.is_alphanumeric() {
        return Kind::Separator;
    }
    let solo = matches!(
        Script::for_char(c),
        Script::Han | Script::Hiragana | Script::Katakana | Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar
    ) || matches!(c, '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}');
    if solo && by == TokensBy::Auto { Kind::Solo } else { Kind::Word }
}

/// Format characters dropped, NFKC, case folded, NFKC; letters and digits with the marks behind them make tokens. Not for
/// dictionary words.
pub fn tokens(text: &str, by: TokensBy) -> Vec<String> {
    let nfkc = ComposingNormalizer::new_nfkc();
    let seen: String = text.chars().filter(|&c| !is_ignorable(c)).collect();
    let folded = CaseMapper::new().fold_string(&nfkc.normalize(&seen)).into_owned();
    let mut tokens: Vec<String> = Vec::new();
    let (mut open, mut space) = (None, false);
    for c in nfkc.normalize(&folded).chars().filter(|&c| !is_ignorable(c)) {
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
