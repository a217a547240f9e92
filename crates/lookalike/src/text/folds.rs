//! Folds: differences that a user may choose to ignore, in addition to those that the canonical form always ignores.
//!
//! A fold maps characters of the canonical form (after NFKC and case folding). No character belongs to two folds, so one table
//! holds all folds, and the order of the folds does not matter.

use icu_normalizer::{
    ComposingNormalizer,
    properties::{CanonicalDecomposition, Decomposed},
};
use icu_properties::props::{EnumeratedProperty, GeneralCategory, Script};
use serde::{Deserialize, Serialize};

use super::{
    chinese,
    class::{self, Kind, Paged},
};
use crate::{
    choices,
    error::{ErrorKind, Result},
};

/// The differences that are ignored when texts are compared; by default, only those that the canonical form ignores.
///
/// Folding is used only to compare texts: the texts themselves do not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(deny_unknown_fields, default)]
pub struct Folds {
    /// Traditional Chinese characters become simplified ones, each character separately: 體 = 体, and 後 = 后, 裏 = 裡 = 里. This fold
    /// needs the feature `chinese`.
    pub simplified: bool,
    /// Latin, Greek and Cyrillic letters lose their diacritics: é = e, ά = α, й = и, and ø = o, đ = d, ł = l, ħ = h, ŧ = t, ı =
    /// i. The marks of all other scripts (kana voicing, Thai and Indic vowels, Hebrew and Arabic points) are kept.
    pub accents: bool,
    /// Arabic, Hebrew and Syriac letters lose the marks that most texts leave out: vowels (harakat, niqqud), doubling and
    /// cantillation. So مُحَمَّد = محمد and שָׁלוֹם = שלום. Hamza and madda are kept, because they make other letters.
    ///
    /// This field is serialised only if it is set, so recorded configurations without it do not change.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub marks: bool,
    /// Each decimal digit, of any script, becomes 0: "Act 12" = "Act 13", but not "Act 7". This fold is for texts that differ
    /// only in dates and numbers.
    pub digits: bool,
}

choices! {
    /// A difference that can be ignored: a field of [`Folds`].
    pub enum Difference {
        /// traditional or simplified Chinese characters
        Simplified = "simplified",
        /// accents of Latin, Greek and Cyrillic letters
        Accents = "accents",
        /// vowel marks of Arabic, Hebrew and Syriac
        Marks = "marks",
        /// values of digits: all digits are equal
        Digits = "digits",
    }
}

impl Folds {
    /// Returns the folds that ignore these differences.
    pub fn ignoring(differences: &[Difference]) -> Self {
        let has = |difference| differences.contains(&difference);
        Self {
            simplified: has(Difference::Simplified),
            accents: has(Difference::Accents),
            marks: has(Difference::Marks),
            digits: has(Difference::Digits),
        }
    }

    /// Checks that this build supports these folds.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::NotBuilt`] if `simplified` is set and this build lacks the feature `chinese`.
    pub fn check(self) -> Result<()> {
        if self.simplified && !cfg!(feature = "chinese") {
            Err(ErrorKind::NotBuilt {
                what: "the fold from traditional to simplified Chinese",
                feature: "chinese",
            }
            .into())
        } else {
            Ok(())
        }
    }

    #[inline]
    fn takes(self, fold: Fold) -> bool {
        match fold {
            Fold::None => false,
            Fold::Simplified => self.simplified,
            Fold::Accents => self.accents,
            Fold::Marks => self.marks,
            Fold::Digits => self.digits,
        }
    }

    /// Folds one character of the canonical form that has no mark after it.
    #[inline]
    pub(super) fn simple(self, kind: Kind, c: char) -> (Kind, char) {
        let image = IMAGES.get(c);
        if self.takes(image.fold) {
            (image.kind, image.c)
        } else {
            (kind, c)
        }
    }

    /// Folds a piece of the canonical form, including its marks.
    pub(super) fn piece(self, piece: &mut String) {
        let (mut bare, mut unmarked) = (false, false);
        let folded = piece.chars().filter_map(|c| {
            let image = IMAGES.get(c);
            if image.kind == Kind::Mark {
                let falls = self.takes(image.fold);
                unmarked |= falls;
                return (!bare && !falls).then_some(c);
            }
            bare = self.accents && image.fold == Fold::Accents;
            Some(if self.takes(image.fold) { image.c } else { c })
        });
        let folded: String = folded.collect();
        // If a mark was dropped, compose again: the mark may have prevented the hamza after it from composing with its letter.
        *piece = if unmarked {
            ComposingNormalizer::new_nfc()
                .normalize(&folded)
                .into_owned()
        } else {
            folded
        };
    }
}

/// The fold to which a character belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fold {
    None,
    Simplified,
    Accents,
    Marks,
    Digits,
}

/// A character after its fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Image {
    fold: Fold,
    kind: Kind,
    c: char,
}

static IMAGES: Paged<Image> = Paged::new(image);

fn image(c: char) -> Image {
    let (fold, c) = match class::kind(c) {
        Kind::Han => (Fold::Simplified, chinese::simplified(c)),
        Kind::Word
            if matches!(
                Script::for_char(c),
                Script::Latin | Script::Greek | Script::Cyrillic
            ) =>
        {
            (Fold::Accents, bare(c))
        }
        Kind::Mark if is_point(c) => (Fold::Marks, c),
        // Digits of scripts without spaces are tokens of their own until they are folded; then they are words like all digits.
        Kind::Word | Kind::Solo
            if GeneralCategory::for_char(c) == GeneralCategory::DecimalNumber =>
        {
            (Fold::Digits, '0')
        }
        _ => (Fold::None, c),
    };
    Image {
        fold,
        kind: class::kind(c),
        c,
    }
}

/// Returns whether a mark is one that most texts of its script leave out. Arabic vowels belong to no script in Unicode's table,
/// because Syriac has them too. Hamza and madda (U+0653 to 0655) make letters of their own.
fn is_point(c: char) -> bool {
    match Script::for_char(c) {
        Script::Arabic | Script::Hebrew | Script::Syriac => true,
        _ => matches!(c, '\u{64b}'..='\u{652}' | '\u{670}'),
    }
}

/// Returns a letter without the marks that are written over, under or through it. Unicode does not decompose letters with a bar
/// or with a missing dot, so this function lists the letters of this kind that national alphabets use.
pub(super) fn bare(c: char) -> char {
    match CanonicalDecomposition::new().decompose(c) {
        Decomposed::Expansion(base, _) | Decomposed::Singleton(base) => bare(base),
        Decomposed::Default => match c {
            'ø' => 'o',
            'đ' => 'd',
            'ł' => 'l',
            'ħ' => 'h',
            'ŧ' => 't',
            'ı' => 'i',
            c => c,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "slow: `make test-all` runs it"]
    fn a_fold_is_idempotent_and_keeps_the_canonical_form() {
        let mut canonical = String::new();
        let (mut taken, mut moved) = ([0; 5], [0; 5]);
        for c in '\0'..=char::MAX {
            let image = IMAGES.get(c);
            taken[image.fold as usize] += 1;
            moved[image.fold as usize] += usize::from(image.c != c);
            assert_eq!(IMAGES.get(image.c).c, image.c, "{c:?}");
            // Only characters of the canonical form are ever folded.
            class::fold(c.encode_utf8(&mut [0; 4]), &mut canonical);
            if canonical.chars().eq([c]) {
                class::fold(image.c.encode_utf8(&mut [0; 4]), &mut canonical);
                assert!(canonical.chars().eq([image.c]), "{c:?}");
            }
        }
        let han = cfg!(feature = "chinese");
        assert!(
            taken[Fold::Simplified as usize] > 90_000
                && (moved[Fold::Simplified as usize] > 4_000) == han
        );
        assert!(
            (100..300).contains(&taken[Fold::Marks as usize]),
            "{taken:?}"
        );
        assert!(
            moved[Fold::Accents as usize] > 700 && moved[Fold::Digits as usize] > 500,
            "{moved:?}"
        );
    }

    #[test]
    fn folding_accents_does_not_change_other_scripts() {
        let folds = Folds {
            accents: true,
            ..Folds::default()
        };
        for kept in [
            "が",
            "ハ\u{309a}",
            "น้ำ",
            "हिन्दी",
            "한국어",
            "שָׁלוֹם",
            "مُحَمَّد",
            "漢\u{301}",
            "7\u{301}",
        ] {
            let mut piece = kept.to_string();
            folds.piece(&mut piece);
            assert_eq!(piece, kept);
        }
    }

    #[test]
    fn marks_are_removed_in_scripts_usually_written_without_them() {
        let folds = Folds {
            marks: true,
            ..Folds::default()
        };
        for (marked, plain) in [
            ("مُحَمَّد", "محمد"),
            ("الرَّحْمٰنِ", "الرحمن"),
            ("שָׁלוֹם", "שלום"),
            ("בְּרֵאשִׁ֖ית", "בראשית"),
            ("ܫܠܳܡܳܐ", "ܫܠܡܐ"),
            // Marks that make letters of their own are kept, and other scripts do not change.
            ("أآإ", "أآإ"),
            ("ه\u{654}", "ه\u{654}"),
            ("\u{627}\u{6d6}\u{654}", "أ"),
            ("が", "が"),
            ("น้ำ", "น้ำ"),
            ("हिन्दी", "हिन्दी"),
            ("é", "é"),
        ] {
            let mut piece = marked.to_string();
            folds.piece(&mut piece);
            assert_eq!(piece, plain);
        }
    }

    #[test]
    fn folds_that_are_not_built_in_are_refused_with_a_message() {
        assert_eq!(Folds::default().check(), Ok(()));
        let refusal = Folds {
            simplified: true,
            ..Folds::default()
        }
        .check()
        .map_err(|refusal| refusal.to_string());
        let words = "the fold from traditional to simplified Chinese is not in this build; build with the feature `chinese`, or do \
                     without it";
        assert_eq!(
            refusal,
            if cfg!(feature = "chinese") {
                Ok(())
            } else {
                Err(words.to_string())
            }
        );
    }

    #[test]
    fn unknown_folds_are_refused() {
        assert_eq!(
            serde_json::from_str::<Folds>("{}").unwrap(),
            Folds::default()
        );
        assert!(
            serde_json::from_str::<Folds>(r#"{"accent": true}"#)
                .unwrap_err()
                .to_string()
                .contains("accent")
        );
    }
}
