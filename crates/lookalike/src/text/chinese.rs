//! The fold from traditional to simplified Chinese, one character at a time.
//!
//! The table is OpenCC's (traditional → simplified). OpenCC also has phrases, in which some characters do not change (the 乾 of 乾隆
//! stays, but 乾淨 becomes 干净). They were tried and rejected: in 100,706 Tang poems in traditional characters, phrases make a
//! difference for only 822 of 5.4 million Han characters (1.7 million characters change in total). The result for a character
//! would also depend on its neighbours, so two texts could differ at places where they agreed before. The tables of Hong Kong's
//! and Taiwan's variants are not applied either: they would change the result for only 15 characters, and some of their rules (么
//! → 幺) turn simplified words into ones that are in no dictionary. So Taiwan's 著 for 着 does not change.

#[cfg(feature = "chinese")]
use std::sync::LazyLock;

/// Returns the simplified form of a Han character. OpenCC's table has a chain, 薴 → 苧 → 苎. This table maps both characters
/// directly to 苎, so that folded text does not change when it is folded again.
///
/// Cost: 0.1 ms for the first call, 50 ns for each later one. The caller caches the results, so each distinct character is looked
/// up once. Canonicalising a text takes a fifth more time with this fold than without it.
///
/// The table previously came from the crate ferrous-opencc, which took 23 s of a build: that crate has phrases, and packs its
/// dictionaries during the build.
#[cfg(feature = "chinese")]
pub(super) fn simplified(c: char) -> char {
    TABLE
        .binary_search_by_key(&c, |&(traditional, _)| traditional)
        .map_or(c, |place| TABLE[place].1)
}

/// Traditional characters in order, each with its simplified form.
#[cfg(feature = "chinese")]
static TABLE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let lines = include_str!("chinese/simplified.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let mut characters = lines.flat_map(str::chars);
    std::iter::from_fn(|| Some((characters.next()?, characters.next()?))).collect()
});

/// Returns two counts, `[traditional, simplified]`: the characters of a text that simplification changes, and the characters that
/// are results of simplification. Without the feature `chinese` both are 0.
///
/// Some simplified forms are also traditional characters (后, 里, 台). So in 100,706 Tang poems in traditional characters 13 % of
/// the counted characters count as simplified; in simplified texts none counts as traditional.
///
/// Cost: one look-up per character, in tables of 16 KiB; the first call also takes 0.1 ms.
#[cfg(feature = "chinese")]
pub fn chinese_forms(text: &str) -> [usize; 2] {
    /// One bit per character of the Basic Multilingual Plane.
    type Bits = [u64; 1 << 10];
    static FORMS: LazyLock<[Box<Bits>; 2]> = LazyLock::new(|| {
        let mut forms = [(); 2].map(|()| Box::new([0; 1 << 10]));
        for (traditional, simplified) in &*TABLE {
            for (bits, c) in forms.iter_mut().zip([*traditional, *simplified]) {
                if let Some(word) = bits.get_mut(c as usize / 64) {
                    *word |= 1 << (c as usize % 64);
                }
            }
        }
        forms
    });
    let is_in = |form: usize, c: char| {
        FORMS[form]
            .get(c as usize / 64)
            .is_some_and(|word| word >> (c as usize % 64) & 1 == 1)
    };
    text.chars()
        .filter(|c| !c.is_ascii())
        .fold([0; 2], |counts, c| {
            [0, 1].map(|form| counts[form] + usize::from(is_in(form, c)))
        })
}

/// Counts nothing: this build has no table.
#[cfg(not(feature = "chinese"))]
pub fn chinese_forms(_: &str) -> [usize; 2] {
    [0; 2]
}

/// Returns the character unchanged. Without the table, `Folds::check` returns an error for this fold.
#[cfg(not(feature = "chinese"))]
pub(super) fn simplified(c: char) -> char {
    c
}

#[cfg(all(test, feature = "chinese"))]
mod tests {
    use super::*;

    #[test]
    fn variants_fold_together() {
        for (one, all) in [
            ('里', "里裏裡"),
            ('后', "后後"),
            ('台', "台臺颱檯"),
            ('发', "发發髮"),
            ('干', "干乾幹"),
            ('为', "为為爲"),
            ('苎', "苎苧薴"),
            ('著', "著"),
            ('着', "着"),
        ] {
            assert!(all.chars().all(|c| simplified(c) == one), "{one}");
        }
    }

    #[test]
    fn forms_are_counted_apart() {
        assert_eq!(chinese_forms("漢語, kanji, 漢字"), [3, 0]);
        assert_eq!(chinese_forms("汉语和简体字"), [0, 4]);
        assert_eq!(chinese_forms("之乎者也"), [0, 0]);
        assert!(
            TABLE
                .iter()
                .all(|&(one, other)| chinese_forms(&String::from(one)) == [1, 0]
                    || other == one
                    || one > '\u{ffff}')
        );
    }

    #[test]
    fn the_table_is_frozen() {
        let pairs: String = ('\0'..=char::MAX)
            .map(|c| (c, simplified(c)))
            .filter(|(c, s)| c != s)
            .flat_map(|(c, s)| [c, s])
            .collect();
        assert_eq!(
            (
                pairs.chars().count() / 2,
                xxhash_rust::xxh3::xxh3_64(pairs.as_bytes())
            ),
            (4105, 17_642_315_521_072_930_960)
        );
    }
}
