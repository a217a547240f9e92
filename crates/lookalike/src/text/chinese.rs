//! Traditional → simplified Chinese, one character at a time.
//!
//! The table is OpenCC's (traditional → simplified). OpenCC also knows phrases, in which some characters stay as they are
//! (乾隆, but 干净 for 乾淨). They were tried and left out: on 100,706 Tang poems in traditional characters they change 822 of
//! 5.4 million Han characters otherwise than the characters alone (1.7 million change at all), and what a character becomes
//! would hang on its neighbours, so that two texts could differ where they agreed before. Nor are the tables of Hong Kong's
//! and Taiwan's variants applied: they differ for 15 characters, and some of them (么 → 幺) turn simplified words into ones
//! that are in no dictionary. So Taiwan's 著 for 着 stays.

/// The simplified form of a Han character. 薴 → 苧 → 苎 is a chain in OpenCC's table; ours has its end, so that what is folded
/// stays when folded again.
///
/// Cost: 0.1 ms once, then 50 ns; each character is asked for once, since the answers are remembered. A folded text takes a
/// fifth more time than one that is not.
///
/// The crate ferrous-opencc, where the table came from before, took 23 s of a build for it: it has phrases, and packs its
/// dictionaries while it is built.
#[cfg(feature = "chinese")]
pub(super) fn simplified(c: char) -> char {
    use std::sync::LazyLock;

    static TABLE: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
        let lines = include_str!("chinese/simplified.txt").lines().filter(|line| !line.starts_with('#'));
        let mut characters = lines.flat_map(str::chars);
        std::iter::from_fn(|| Some((characters.next()?, characters.next()?))).collect()
    });
    TABLE.binary_search_by_key(&c, |&(traditional, _)| traditional).map_or(c, |place| TABLE[place].1)
}

/// Changes nothing: `Folds::check` has refused.
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
    fn the_table_is_frozen() {
        let pairs: String =
            ('\0'..=char::MAX).map(|c| (c, simplified(c))).filter(|(c, s)| c != s).flat_map(|(c, s)| [c, s]).collect();
        assert_eq!((pairs.chars().count() / 2, xxhash_rust::xxh3::xxh3_64(pairs.as_bytes())), (4105, 17_642_315_521_072_930_960));
    }
}
