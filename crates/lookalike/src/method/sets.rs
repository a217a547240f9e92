//! Documents that are sets by themselves: what a configuration may ask of them, their canonical form, and their size. Their items are read
//! in `text/items.rs`.

use crate::{
    config::{Candidates, Config, FingerprintBy, Occurrences},
    error::{ErrorKind, Result},
    fingerprint::sort_distinct_in,
    text::{Folds, Tokens, TokensBy, canonicalise},
};

/// Whether a configuration asks of sets what only texts have.
pub(super) fn check(config: &Config) -> Result<()> {
    let refused = [
        (config.preset.is_some(), "the preset"),
        (config.shingle.is_some_and(|k| k != 1), "shingles of several items"),
        (config.folds != Folds::default(), "the folds"),
        (!config.anchors.is_empty(), "the languages whose stop words were asked for"),
        // They are of eight bytes, and a long item would be several members.
        (config.fingerprint != FingerprintBy::Rolling, "Rabin's fingerprints"),
        (matches!(config.candidates, Candidates::Sentences(_)), "the sentences"),
    ];
    match refused.iter().find(|(asked, _)| config.tokens == TokensBy::Items && *asked) {
        Some((_, what)) => Err(ErrorKind::Set(what).into()),
        None => Ok(()),
    }
}

/// A set's canonical form: items have no order, so the hashes are sorted, and where occurrences do not count each stands once. Sets
/// that are equal so have equal digests and leave the way as copies.
pub(super) fn put_in_order(occurrences: Occurrences, room: &mut Vec<u64>, hashes: &mut Vec<u64>) {
    match occurrences {
        Occurrences::Once => sort_distinct_in(room, hashes),
        Occurrences::Labelled => hashes.sort_unstable(),
    }
}

/// The size of a set by which the longest is chosen: items that differ, or where occurrences count all of them.
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
