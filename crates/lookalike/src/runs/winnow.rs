//! Selects windows (sequences of tokens) of a text. An index of these windows finds the texts that share a long run of tokens.

use crate::{
    error::{ErrorKind, Result},
    fingerprint,
    shingle::Shingling,
};

/// The largest supported value for the minimum length of a run, in tokens.
pub const MAX_LEAST: usize = 1000;

/// The maximum number of tokens in a window: longer windows do not distinguish texts better.
const MAX_WINDOW: usize = 16;

/// A selection of windows that finds every shared run of `least` tokens or more. In any `least` consecutive tokens, at least one
/// window is selected, based only on these tokens (see section 3 of Schleimer et al. 2003). A window has half as many tokens as
/// the shortest run, but at most 16 tokens. So `least` consecutive tokens contain more than `least / 2` windows, and on average
/// at most about two of every `least / 2` windows are selected. A window is still long enough that two texts rarely share one by
/// chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Winnowing {
    least: usize,
    shingling: Shingling,
}

/// A selected window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Selected {
    /// Its fingerprint.
    pub key: u64,
    /// Its first token.
    pub at: u32,
}

impl Winnowing {
    /// Creates a selection for runs of at least `least` tokens, from 1 to [`MAX_LEAST`].
    ///
    /// # Errors
    /// Fails if `least` is 0 or above [`MAX_LEAST`].
    pub fn new(least: usize) -> Result<Self> {
        if !(1..=MAX_LEAST).contains(&least) {
            return Err(ErrorKind::RunLength {
                least,
                max: MAX_LEAST,
            }
            .into());
        }
        Ok(Self {
            least,
            shingling: Shingling::new(least.div_ceil(2).min(MAX_WINDOW))?,
        })
    }

    /// Returns the minimum length of a run.
    pub fn least(self) -> usize {
        self.least
    }

    /// Returns the number of tokens in a selected window.
    pub(crate) fn selected_tokens(self) -> usize {
        self.shingling.k()
    }

    /// Fills `selected` with the selected windows of a text, in text order, from the hashes of its tokens. No windows are
    /// selected if the text has fewer tokens than the minimum length of a run. `scratch` holds the fingerprints. Cost: a few
    /// nanoseconds per token.
    ///
    /// # Panics
    /// Panics if the text has 2³² tokens or more.
    pub fn select(self, tokens: &[u64], scratch: &mut Vec<u64>, selected: &mut Vec<Selected>) {
        selected.clear();
        if tokens.len() < self.least {
            return;
        }
        assert!(
            u32::try_from(tokens.len()).is_ok(),
            "a text of {} tokens is too long",
            tokens.len()
        );
        fingerprint::fingerprints(tokens, self.shingling, scratch);
        // The number of windows in a run of the minimum length.
        let within = self.least - self.shingling.k() + 1;
        // After a window was selected, the next one is the first that has at most its rank. If that is too far away, it is the last one of
        // the least rank among those that are near enough.
        let (mut from, mut before) = (0, None);
        loop {
            let mut least = (u64::MAX, from);
            let mut is_found = from + within <= scratch.len();
            for (key, at) in scratch[from..].iter().zip(from..).take(within) {
                let rank = rank(*key);
                if rank <= least.0 {
                    least = (rank, at);
                }
                if Some(rank) <= before {
                    is_found = true;
                    break;
                }
            }
            if !is_found {
                return;
            }
            selected.push(Selected {
                key: scratch[least.1],
                at: least.1 as u32,
            });
            (from, before) = (least.1 + 1, Some(least.0));
        }
    }
}

/// Returns the rank of a key. Windows are selected by the least rank instead of the least key, so that the selected keys remain
/// evenly distributed.
fn rank(key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn select(winnowing: Winnowing, tokens: &[u64]) -> Vec<Selected> {
        let (mut scratch, mut selected) = (Vec::new(), Vec::new());
        winnowing.select(tokens, &mut scratch, &mut selected);
        selected
    }

    /// The selected windows by their definition: of the windows in each run of the minimum length, the last one of the least rank.
    fn naive(winnowing: Winnowing, tokens: &[u64]) -> Vec<Selected> {
        let mut keys = Vec::new();
        fingerprint::fingerprints(tokens, winnowing.shingling, &mut keys);
        let within = winnowing.least - winnowing.selected_tokens() + 1;
        let starts = 0..(tokens.len() + 1).saturating_sub(winnowing.least);
        let least = |start: usize| {
            (start..start + within)
                .rev()
                .min_by_key(|&at| rank(keys[at]))
        };
        let mut places: Vec<usize> = starts.filter_map(least).collect();
        places.dedup();
        places
            .into_iter()
            .map(|at| Selected {
                key: keys[at],
                at: at as u32,
            })
            .collect()
    }

    proptest! {
        #[test]
        fn windows_are_selected_by_their_definition(tokens in prop::collection::vec(0u64..4, 0..200), least in 1usize..40) {
            let winnowing = Winnowing::new(least).unwrap();
            prop_assert_eq!(select(winnowing, &tokens), naive(winnowing, &tokens));
        }

        #[test]
        fn every_stretch_has_a_selected_window_that_depends_on_it_alone(
            stretch in prop::collection::vec(0u64..5, 1..60),
            before in prop::collection::vec(0u64..5, 0..30),
            after in prop::collection::vec(0u64..5, 0..30),
            least in 1usize..40,
        ) {
            let winnowing = Winnowing::new(least).unwrap();
            let text = [before.clone(), stretch.clone(), after].concat();
            let mut inside = select(winnowing, &text);
            inside.iter_mut().for_each(|selected| selected.at = selected.at.wrapping_sub(before.len() as u32));
            let alone = select(winnowing, &stretch);
            prop_assert_eq!(alone.is_empty(), stretch.len() < least);
            prop_assert!(alone.iter().all(|selected| inside.contains(selected)), "{alone:?} {inside:?}");
            prop_assert!(alone.is_sorted_by(|a, b| a.at < b.at));
        }
    }

    #[test]
    fn few_windows_are_selected_of_a_long_text() {
        let mut random = fingerprint::SplitMix64::new(1);
        let tokens: Vec<u64> = (0..100_000).map(|_| random.next_u64()).collect();
        for (least, share) in [(1, 1.0), (8, 2.0 / 6.0), (50, 2.0 / 36.0)] {
            let selected =
                select(Winnowing::new(least).unwrap(), &tokens).len() as f64 / tokens.len() as f64;
            assert!(
                (selected - share).abs() < 0.02 * share,
                "{least}: {selected}"
            );
        }
    }

    #[test]
    fn lengths_out_of_range_are_refused() {
        assert!(Winnowing::new(0).is_err());
        assert!(Winnowing::new(MAX_LEAST + 1).is_err());
    }
}
