//! The class of each character, which decides its canonical form. Classes are cached, because querying the Unicode tables each
//! time costs ten times more.
//!
//! A character is *simple* if its canonical form is one character (or only separators) whatever its neighbours are. All others
//! are *complex*: they may compose with their neighbours, be reordered with them, or expand, and are normalised together with
//! them. A boundary before a simple character is a normalisation boundary (UAX #15, section 9), so cutting there never changes
//! the result; `twin::whole_text_and_pieces_agree` checks this.

use std::sync::OnceLock;

use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizer, properties::CanonicalCombiningClassMap};
use icu_properties::props::{
    BinaryProperty, DefaultIgnorableCodePoint, EnumeratedProperty, GeneralCategory,
    GeneralCategoryGroup, JoiningType, Script,
};

/// How the tokeniser treats a character of the canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Separates tokens.
    Separator,
    /// A letter or digit of a script that puts spaces between words.
    Word,
    /// A Han character: a token of its own, or part of a dictionary word.
    Han,
    /// A letter of another script without spaces: a token of its own.
    Solo,
    /// A combining mark, which belongs to the token before it.
    Mark,
    /// A format character, or one that only stretches a line of writing. It is ignored.
    Ignorable,
}

/// The class of a source character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Becomes this one character, whatever its neighbours are.
    Simple(Kind, char),
    /// Must be normalised together with its neighbours.
    Complex,
}

/// Writes the canonical form of a whole text, or of a piece between normalisation boundaries, to `out`. It drops format
/// characters, applies NFKC, drops them again, folds case, and applies NFKC again.
pub(super) fn fold(text: &str, out: &mut String) {
    let nfkc = ComposingNormalizer::new_nfkc();
    let seen = |text: &str| {
        text.chars()
            .filter(|&c| !is_ignorable(c))
            .collect::<String>()
    };
    // Ignorable characters are dropped again, because NFKC turns an isolated Arabic vowel into a vowel on a tatweel, which is
    // ignorable.
    let seen = seen(&nfkc.normalize(&seen(text)));
    let folded = CaseMapper::new().fold_string(&seen).into_owned();
    out.clear();
    out.push_str(&nfkc.normalize(&folded));
}

/// Returns the kind of a character that [`fold`] has written.
pub(super) fn kind(c: char) -> Kind {
    match GeneralCategory::for_char(c) {
        _ if is_ignorable(c) => Kind::Ignorable,
        g if GeneralCategoryGroup::Mark.contains(g) => Kind::Mark,
        _ if !c.is_alphanumeric() => Kind::Separator,
        _ => kind_of_letter(c),
    }
}

/// Returns whether a character is ignored: format characters, and those that only join letters or stretch a word to fill a line
/// (the Arabic tatweel, the N'Ko lajanyalan, the Mongolian nirugu).
fn is_ignorable(c: char) -> bool {
    DefaultIgnorableCodePoint::for_char(c)
        || GeneralCategory::for_char(c) == GeneralCategory::Format
        || JoiningType::for_char(c) == JoiningType::JoinCausing
}

/// Returns the kind of a letter by its script. The scripts without spaces between words are those whose lines Unicode breaks by a
/// dictionary (class SA), after any character (ID), or after any syllable (AK, AS: Javanese and similar scripts); `tests` check
/// the list against these classes. The texts of the Universal Declaration of Human Rights agree: between two spaces Thai has 20
/// letters, Yi 13, Khmer 11, Ethiopic 4. Tibetan has two, because it puts a mark after each syllable. This function does not list
/// Tibetan, because these marks already separate its tokens, which are syllables.
///
/// The prolonged sound mark ー and similar characters are Common in Unicode's script table, so the kana blocks are listed too.
fn kind_of_letter(c: char) -> Kind {
    match Script::for_char(c) {
        Script::Han => Kind::Han,
        Script::Hiragana | Script::Katakana | Script::Bopomofo => Kind::Solo,
        Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar => Kind::Solo,
        Script::TaiLe | Script::NewTaiLue | Script::TaiTham | Script::TaiViet | Script::Ahom => {
            Kind::Solo
        }
        Script::Javanese
        | Script::Balinese
        | Script::Kawi
        | Script::Batak
        | Script::Cham
        | Script::Makasar => Kind::Solo,
        Script::Brahmi
        | Script::Grantha
        | Script::DivesAkuru
        | Script::TuluTigalari
        | Script::GurungKhema => Kind::Solo,
        Script::Yi
        | Script::Tangut
        | Script::Nushu
        | Script::KhitanSmallScript
        | Script::Jurchen
        | Script::Seal => Kind::Solo,
        _ if matches!(c, '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}') => Kind::Solo,
        _ => Kind::Word,
    }
}

/// Returns whether a character may interact with the one before it under normalisation: marks, Hangul jamo, and the few letters
/// that compose backwards (Kirat Rai vowels). `tests::no_simple_character_composes_backwards` checks this for all of Unicode.
fn may_combine(c: char) -> bool {
    GeneralCategoryGroup::Mark.contains(GeneralCategory::for_char(c))
        || CanonicalCombiningClassMap::new().get_u8(c) != 0
        || matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}' | '\u{16d63}'..='\u{16d6a}')
}

fn classify(c: char) -> Class {
    if may_combine(c) || is_ignorable(c) {
        return Class::Complex;
    }
    let mut image = String::new();
    fold(c.encode_utf8(&mut [0; 4]), &mut image);
    let mut chars = image.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) if !may_combine(only) && !is_ignorable(only) => {
            Class::Simple(kind(only), only)
        }
        (Some(_), Some(_)) if image.chars().all(|i| kind(i) == Kind::Separator) => {
            Class::Simple(Kind::Separator, ' ')
        }
        _ => Class::Complex,
    }
}

const PAGE: usize = 256;
const PAGES: usize = 0x11_0000 / PAGE;

/// A function of a character, cached in pages of 256 characters that are filled at their first use. A run uses few of Unicode's
/// 4352 pages.
pub(super) struct Paged<T: 'static> {
    pages: [OnceLock<Box<[T; PAGE]>>; PAGES],
    of: fn(char) -> T,
}

impl<T: Copy> Paged<T> {
    pub(super) const fn new(of: fn(char) -> T) -> Self {
        Self {
            pages: [const { OnceLock::new() }; PAGES],
            of,
        }
    }

    #[inline]
    pub(super) fn get(&self, c: char) -> T {
        let at = c as usize;
        let page = self.pages[at / PAGE].get_or_init(|| {
            let first = (at / PAGE * PAGE) as u32;
            // A surrogate is not a `char`, so its entry in the page is never looked up and may have any value.
            Box::new(std::array::from_fn(|i| {
                (self.of)(char::from_u32(first + i as u32).unwrap_or(char::REPLACEMENT_CHARACTER))
            }))
        });
        page[at % PAGE]
    }
}

static CLASSES: Paged<Class> = Paged::new(classify);

/// Returns the class of `c`, computed by [`classify`] and cached. The first use of a page takes 20 µs.
#[inline]
pub(super) fn class(c: char) -> Class {
    CLASSES.get(c)
}

#[cfg(test)]
mod tests {
    use icu_normalizer::properties::{CanonicalDecomposition, Decomposed};

    use super::*;

    #[test]
    fn no_simple_character_composes_backwards() {
        let mut composites = 0;
        for c in '\0'..=char::MAX {
            if let Decomposed::Expansion(_, second) = CanonicalDecomposition::new().decompose(c) {
                composites += 1;
                assert_eq!(class(second), Class::Complex, "{c:?} = … + {second:?}");
            }
        }
        assert!(composites > 10_000, "Hangul alone has 11,172");
    }

    #[test]
    #[ignore = "slow: `make test-all` runs it"]
    fn an_image_is_stable_and_does_not_combine() {
        let mut twice = String::new();
        for c in '\0'..=char::MAX {
            if let Class::Simple(kind_of, image) = class(c) {
                fold(image.encode_utf8(&mut [0; 4]), &mut twice);
                assert_eq!(
                    (twice.as_str(), kind_of),
                    (&*image.to_string(), kind(image)),
                    "{c:?}"
                );
            }
        }
    }

    #[test]
    fn scripts_without_spaces_are_those_that_allow_line_breaks_anywhere() {
        use icu_properties::props::LineBreak as By;

        let (mut folded, mut letters) = (String::new(), 0);
        for c in ('\0'..=char::MAX)
            .filter(|c| GeneralCategoryGroup::Letter.contains(GeneralCategory::for_char(*c)))
        {
            fold(c.encode_utf8(&mut [0; 4]), &mut folded);
            let classes = [
                By::ComplexContext,
                By::Ideographic,
                By::ConditionalJapaneseStarter,
                By::Aksara,
                By::AksaraStart,
            ];
            let anywhere = classes.contains(&By::for_char(c));
            // Checks only characters that are already canonical. Letters that several scripts share are skipped, because they are
            // recognised by their blocks.
            if anywhere && folded.chars().eq([c]) && Script::for_char(c) != Script::Common {
                assert!(matches!(kind_of_letter(c), Kind::Han | Kind::Solo), "{c:?}");
                letters += 1;
            }
        }
        assert!(letters > 100_000, "{letters}");
    }

    #[test]
    fn kinds_of_well_known_characters() {
        for (c, expected) in [
            ('é', Class::Simple(Kind::Word, 'é')),
            ('É', Class::Simple(Kind::Word, 'é')),
            ('Ａ', Class::Simple(Kind::Word, 'a')),
            ('１', Class::Simple(Kind::Word, '1')),
            ('，', Class::Simple(Kind::Separator, ',')),
            ('\u{3000}', Class::Simple(Kind::Separator, ' ')),
            ('…', Class::Simple(Kind::Separator, ' ')),
            ('漢', Class::Simple(Kind::Han, '漢')),
            ('が', Class::Simple(Kind::Solo, 'が')),
            ('ー', Class::Simple(Kind::Solo, 'ー')),
            ('々', Class::Simple(Kind::Han, '々')),
            ('한', Class::Simple(Kind::Word, '한')),
            ('ß', Class::Complex),
            ('ﬁ', Class::Complex),
            ('\u{3099}', Class::Complex),
            ('\u{ff9e}', Class::Complex),
            ('\u{ad}', Class::Complex),
            ('\u{640}', Class::Complex),
            ('ꦗ', Class::Simple(Kind::Solo, 'ꦗ')),
            ('ᬅ', Class::Simple(Kind::Solo, 'ᬅ')),
            ('ꀀ', Class::Simple(Kind::Solo, 'ꀀ')),
            ('བ', Class::Simple(Kind::Word, 'བ')),
            ('አ', Class::Simple(Kind::Word, 'አ')),
        ] {
            assert_eq!(class(c), expected, "{c:?}");
        }
    }
}
