//! What two texts share: runs, and the passages that are made of them.

use std::ops::Range;

use lookalike::{
    regions::{Region, RegionSettings, regions},
    runs::{Joined, Run, covered, join},
    text::Span,
};

/// What two texts share.
pub(super) struct Shared {
    pub(super) runs: Vec<Run>,
    pub(super) parts: Vec<Part>,
    /// The number of tokens of each text that are in regions; `None` if the passages are runs and joined runs.
    pub(super) in_regions: Option<[usize; 2]>,
    /// The number of shared tokens in the first text or in the second, whichever is larger.
    pub(super) tokens: usize,
}

/// A passage: joined runs, or a region.
pub(super) enum Part {
    Joined(Joined),
    Region(Region),
}

impl Shared {
    /// Makes passages of the runs of two texts, which are given as the hashes of their tokens: regions, if these are wanted, or else
    /// runs that are joined over at most `gap` tokens. Returns `None` if there are no passages.
    pub(super) fn new(
        runs: Vec<Run>,
        [a, b]: [&[u64]; 2],
        gap: usize,
        wanted: Option<&RegionSettings>,
    ) -> Option<Self> {
        if runs.is_empty() {
            return None;
        }
        let Some(settings) = wanted else {
            let tokens = shared_in(&runs, |run| run.a).max(shared_in(&runs, |run| run.b));
            let parts = join(&runs, gap).into_iter().map(Part::Joined).collect();
            return Some(Self {
                runs,
                parts,
                in_regions: None,
                tokens,
            });
        };
        let found = regions(a, b, &runs, settings);
        if found.is_empty() {
            return None;
        }
        let place = |of: fn(&Region) -> &Range<usize>| {
            covered(found.iter().map(|region| of(region).clone()))
        };
        let in_regions = [place(|region| &region.a), place(|region| &region.b)];
        let tokens = in_regions[0].max(in_regions[1]);
        Some(Self {
            runs,
            parts: found.into_iter().map(Part::Region).collect(),
            in_regions: Some(in_regions),
            tokens,
        })
    }
}

impl Part {
    /// Returns its position in each of the two texts. `spans` has the positions of all tokens of each text.
    pub(super) fn places(&self, spans: [&[Span]; 2]) -> [Span; 2] {
        match self {
            Self::Joined(joined) => joined.places(spans),
            Self::Region(region) => region.places(spans),
        }
    }

    /// Returns the number of tokens that both texts have in it.
    pub(super) fn tokens(&self) -> usize {
        match self {
            Self::Joined(joined) => joined.tokens,
            Self::Region(region) => region.tokens,
        }
    }

    /// Returns what both texts share in it word for word.
    pub(super) fn runs(&self) -> &[Run] {
        match self {
            Self::Joined(joined) => &joined.runs,
            Self::Region(region) => &region.runs,
        }
    }

    /// Returns the region, if it is one.
    pub(super) fn region(&self) -> Option<&Region> {
        match self {
            Self::Joined(_) => None,
            Self::Region(region) => Some(region),
        }
    }
}

/// Returns the number of a text's tokens that are in a run. `start` returns the position in the text at which a run begins.
pub(super) fn shared_in(runs: &[Run], start: impl Fn(&Run) -> usize) -> usize {
    covered(runs.iter().map(|run| start(run)..start(run) + run.tokens))
}
