//! Finds which windows of a text are marked, and their sources. A window is marked if an equal one
//! is in a kept text, or earlier in the text itself (`anchors/own.rs`).

use super::{
    anchors::Anchoring,
    kept::Shared,
    piece::{Chain, Place},
    rules::{Rules, Units},
};

/// The number by which a text refers to itself while it is cut. It is greater than all others, because a text comes after the
/// texts that are already kept.
pub(super) const OWN: u32 = u32::MAX;

/// The chains of a text's marked windows, from left to right.
#[derive(Debug, Default)]
pub(super) struct Chains {
    pub all: Vec<Chain>,
    unmarked: Vec<u32>,
    found: Vec<Found>,
}

impl Chains {
    /// Fills the chains if each marked window is in one run only: then, the runs are the chains. Returns false if this is not so.
    pub fn of_runs(&mut self, shared: &mut [Shared], window: usize) -> bool {
        shared.sort_unstable_by_key(|run| run.at);
        if shared
            .windows(2)
            .any(|runs| runs[0].at + runs[0].length >= runs[1].at + window)
        {
            return false;
        }
        self.all.extend(shared.iter().map(
            |&Shared {
                 text,
                 kept_at,
                 at,
                 length,
                 ..
             }| {
                let source = Place {
                    text,
                    at: kept_at as u32,
                };
                Chain {
                    start: at,
                    end: at + length,
                    source,
                }
            },
        ));
        true
    }

    /// Fills the chains by looking at every window.
    pub fn of_windows(
        &mut self,
        rules: &Rules,
        (rest, anchoring): (&Units, &Anchoring),
        shared: &[Shared],
    ) {
        let Self {
            all: chains,
            unmarked,
            found,
        } = self;
        let (window, repeats, first) = (rules.window, anchoring.has_repeats, &anchoring.first);
        let windows = (rest.hashes.len() + 1).saturating_sub(window);
        find(shared, window, windows, found);
        // The first place of each window in a stretch without marks.
        unmarked.clear();
        unmarked.resize(if repeats { windows } else { 0 }, u32::MAX);
        let (mut marked_to, mut unmarked_from) = (0, 0);
        for at in 0..windows {
            if at > 0 && marked_to >= at {
                unmarked_from = at;
            }
            if repeats
                && let Some(before) = at
                    .checked_sub(window)
                    .filter(|&before| before >= unmarked_from)
            {
                let place = &mut unmarked[first.of(before)];
                *place = (*place).min(before as u32);
            }
            let same = if repeats { first.of(at) } else { at };
            let own = unmarked
                .get(same)
                .copied()
                .filter(|&place| place != u32::MAX)
                .map(|at| Place { text: OWN, at });
            let Found { place, texts, .. } = found[same];
            let Some(source) = place
                .or(own)
                .filter(|_| texts as usize + usize::from(own.is_some()) >= rules.after)
            else {
                continue;
            };
            if rules.least_tokens > 0 && rest.tokens(at..at + window) < rules.least_tokens {
                continue;
            }
            marked_to = at + window;
            match chains.last_mut() {
                Some(last)
                    if last.end == at + window - 1
                        && last.source.text == source.text
                        && (source.at.wrapping_sub(last.source.at)) as usize == at - last.start =>
                {
                    last.end += 1;
                }
                _ => chains.push(Chain {
                    start: at,
                    end: at + window,
                    source,
                }),
            }
        }
    }
}

/// The place of a window in kept texts.
#[derive(Debug, Clone, Copy)]
struct Found {
    /// The first place.
    place: Option<Place>,
    /// The number of texts that contain the window.
    texts: u32,
    /// The last of them.
    last: u32,
}

/// Fills `found` with the places of all windows. The runs are ordered by text, unless kept texts have each window only once.
fn find(shared: &[Shared], window: usize, windows: usize, found: &mut Vec<Found>) {
    found.clear();
    found.resize(
        windows,
        Found {
            place: None,
            texts: 0,
            last: u32::MAX,
        },
    );
    for &Shared {
        text,
        kept_at,
        at,
        length,
        ..
    } in shared
    {
        for (found, kept_at) in found[at..=at + length - window].iter_mut().zip(kept_at..) {
            let place = Place {
                text,
                at: kept_at as u32,
            };
            found.place = Some(found.place.map_or(place, |other| other.min(place)));
            found.texts += u32::from(found.last != text);
            found.last = text;
        }
    }
}
