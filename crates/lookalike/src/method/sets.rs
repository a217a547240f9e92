//! Documents that are sets instead of texts: which settings are valid for sets, and the canonical form and the size of a set.
//! `text/items.rs` reads their items.

use crate::{
    config::{Candidates, Config, FingerprintBy, Occurrences},
    error::{ErrorKind, Result},
    fingerprint::sort_distinct_in,
    text::{Folds, Tokens, TokensBy, canonicalise},
};

/// Returns an error if a configuration for sets has a setting that only texts support.
pub(super) fn check(config: &Config) -> Result<()> {
    let refused = [
        (config.preset.is_some(), "the preset"),
        (
            config.shingle.is_some_and(|k| k != 1),
            "shingles of several items",
        ),
        (config.folds != Folds::default(), "the folds"),
        (
            !config.anchors.is_empty(),
            "the languages whose stop words were requested",
        ),
        // Rabin's fingerprints process units of eight bytes, so a long item would become several members of the set.
        (
            config.fingerprint != FingerprintBy::Rolling,
            "Rabin's fingerprints",
        ),
        (
            matches!(config.candidates, Candidates::Sentences(_)),
            "the sentences",
        ),
    ];
    match refused
        .iter()
        .find(|(asked, _)| config.tokens == TokensBy::Items && *asked)
    {
        Some((_, what)) => Err(ErrorKind::Set(what).into()),
        None => Ok(()),
    }
}

/// Converts a set to canonical form. The hashes are sorted, because items have no order. If occurrences are not counted, repeated
/// hashes are removed. So equal sets have equal digests and are found as copies.
pub(super) fn put_in_order(
    occurrences: Occurrences,
    sorting: &mut Vec<u64>,
    hashes: &mut Vec<u64>,
) {
    match occurrences {
        Occurrences::Once => sort_distinct_in(sorting, hashes),
        Occurrences::Labelled => hashes.sort_unstable(),
    }
}

/// Returns the size of a set: the number of distinct items, or of all items if occurrences count. The longest set is the one with
/// the largest size.
pub fn set_size(array: &str, occurrences: Occurrences) -> u64 {
    let mut tokens = Tokens::new();
    canonicalise(array, TokensBy::Items, Folds::default(), &mut tokens);
    if occurrences == Occurrences::Labelled {
        return tokens.len() as u64;
    }
    let mut distinct: Vec<&[u8]> = tokens.iter().collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() as u64
}
