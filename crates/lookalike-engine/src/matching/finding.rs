//! How candidates were found, and what was not: for the summaries of all commands.

use std::sync::atomic::Ordering;

use lookalike::{Method, Preset};
use lookalike_io::memory::peak_memory;
use serde::Serialize;

use super::Matcher;
use crate::{
    pairing::shared::Counted,
    sketching::{sizes::Sizes, table::Table},
};

/// How candidates were found, what share of the similar pairs that promises, and what was set aside.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The preset that was asked for. What it sets, unless a flag says otherwise, is in the summary's method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// How candidates were found, in words.
    pub found_by: String,
    /// P(found) for a pair at the threshold, at the least, where it is known; 1 where all pairs were looked for.
    pub found_at_threshold: Option<f64>,
    /// The shingles that the smaller text of a pair has at least for that to hold; 1 where it holds for all.
    pub found_from_size: Option<usize>,
    /// The texts of this run that have fewer shingles and are found less, by their number of shingles.
    pub found_of_shorter: Vec<ShortTexts>,
    /// Pairs that met: that share a band, a block or a sampled fingerprint, or came to a cluster together. Where all pairs are
    /// asked for, those that match.
    pub pairs_met: u64,
    /// Of these, pairs that their sketches refused.
    pub pairs_refused: u64,
    /// Sampled fingerprints that were set aside as common, where documents meet by what they share.
    pub common: u64,
    /// Documents in which the most common of them is.
    pub most_common: u32,
    /// Documents that share only such: nothing is found for them but equal ones.
    pub all_common: u64,
    /// Where shingles begin with a stop word: the documents that have too few of these words to be judged by such shingles, and are
    /// compared by all theirs; references' not among them. None where shingles need not begin so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub few_anchors: Option<u64>,
    /// Bytes of memory that the run took more than it was to take: for what cannot go to a file, as indexes of texts that are alike
    /// but not alike enough, lines of many megabytes, what is packed, and what each of many threads needs.
    pub above_memory: u64,
    /// Pages that were too large or nested too deeply to be looked for a main part, so that all their text was compared.
    #[serde(skip_serializing_if = "is_zero")]
    pub too_large: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Texts too short for the promise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ShortTexts {
    /// Their number of shingles; from 256 on the least of a class of numbers.
    pub shingles: usize,
    /// How many there are.
    pub texts: u64,
    /// P(found) for a pair at the threshold of which one is the smaller, at the least.
    pub found: f64,
}

impl Finding {
    pub(crate) fn new(method: &Method) -> Self {
        let promise = method.promise();
        Self {
            preset: method.config().preset,
            found_by: method.found_by(),
            found_at_threshold: promise.map(|promise| promise.found),
            found_from_size: promise.map(|promise| promise.from),
            found_of_shorter: Vec::new(),
            pairs_met: 0,
            pairs_refused: 0,
            common: 0,
            most_common: 0,
            all_common: 0,
            few_anchors: (!method.config().anchors.is_empty()).then_some(0),
            above_memory: 0,
            too_large: 0,
        }
    }

    /// Takes what was met and set aside when shared elements were counted, or what met when it was decided, what was counted when
    /// texts were read, and what was too much for memory.
    pub(crate) fn count(&mut self, counted: &Counted, matcher: &Matcher, table: &Table) {
        self.too_large = table.counts.too_large;
        let [met, refused] = [&matcher.met, &matcher.refused].map(|count| count.load(Ordering::Relaxed));
        (self.pairs_met, self.pairs_refused) = match matcher.method.lists() {
            true => (counted.met, counted.met - counted.candidates),
            false => (met, refused),
        };
        self.common = counted.aside.len() as u64;
        self.most_common = counted.aside.iter().map(|common| common.documents).max().unwrap_or(0);
        self.all_common = counted.lost;
        self.above_memory = peak_memory().map_or(0, |peak| table.budget.above(peak));
        self.few_anchors.iter_mut().for_each(|few| *few = table.counts.few_anchors);
        self.count_shorter(matcher.method, &table.sizes);
    }

    /// Takes the texts that are too short for the promise from those that there are.
    fn count_shorter(&mut self, method: &Method, sizes: &Sizes) {
        let (Some(promised), Some(from), Some(found)) =
            (self.found_at_threshold, self.found_from_size, method.found_at_threshold_of_sizes())
        else {
            return;
        };
        let short = |(shingles, texts)| ShortTexts { shingles, texts, found: found(shingles) };
        self.found_of_shorter = sizes.below(from).map(short).filter(|short| short.found < promised).collect();
    }
}
