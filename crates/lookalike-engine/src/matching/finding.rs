//! Describes how candidates were found and what was not found, for the summaries of all commands.

use std::sync::atomic::Ordering;

use lookalike::{Method, Preset};
use lookalike_io::memory::peak_memory;
use serde::Serialize;

use super::Matcher;
use crate::{
    config::RunConfig,
    pairing::shared::Counted,
    sketching::{signs::Hint, sizes::Sizes, table::Table},
};

/// How candidates were found, the share of the similar pairs that is expected to be found, and what was excluded.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The preset that was requested. The summary's method contains the settings of the preset, except those that a flag
    /// overrides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// How candidates were found, in words.
    pub found_by: String,
    /// A lower bound of the probability that a pair at the threshold is found, if it is known. It is 1 if the method misses no
    /// pair.
    pub found_at_threshold: Option<f64>,
    /// The lower bound `found_at_threshold` holds for pairs whose smaller text has at least this number of shingles; 1 if it
    /// holds for all texts.
    pub found_from_size: Option<usize>,
    /// The texts of this run that have fewer shingles than `found_from_size`, so that their pairs are found less often. They are
    /// grouped by their number of shingles.
    pub found_of_shorter: Vec<ShortTexts>,
    /// The number of candidate pairs. The documents of such a pair share a band, a block or a sampled fingerprint, or were
    /// compared for a cluster. If all pairs are requested, this is the number of matching pairs.
    pub pairs_met: u64,
    /// Candidate pairs that were ruled out by their sketches.
    pub pairs_refused: u64,
    /// The number of sampled fingerprints that were excluded as too common, if candidates are found by shared fingerprints.
    pub common: u64,
    /// The number of documents in which the most common of the excluded fingerprints occurs.
    pub most_common: u32,
    /// The number of documents that share only excluded fingerprints with other documents. For such a document, only exact copies
    /// are found.
    pub all_common: u64,
    /// If shingles must begin with a stop word: the number of documents that have too few of these words and are therefore
    /// compared by all their shingles. Documents of references are not counted. `None` if shingles may begin with any word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub few_anchors: Option<u64>,
    /// Options that are off and would probably help. They are derived from signs in a sample of the texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<Hint>,
    /// Bytes of memory that the run used above its limit, for data that cannot be spilled: indexes of texts that are alike but
    /// not similar enough to match, lines of many megabytes, compressed data, and the buffers of many threads.
    pub above_memory: u64,
    /// Pages that were too large or nested too deeply for finding their main part, so that all their text was compared.
    #[serde(skip_serializing_if = "is_zero")]
    pub too_large: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Texts that are too short for the promised recall.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ShortTexts {
    /// The number of shingles of each of these texts. If it is 256 or more, this is the lower bound of a size class.
    pub shingles: usize,
    /// The number of such texts.
    pub texts: u64,
    /// A lower bound of the probability that a pair at the threshold is found if its smaller text is one of these texts.
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
            hints: Vec::new(),
            above_memory: 0,
            too_large: 0,
        }
    }

    /// Collects the counts for the summary. If shared fingerprints were counted, the summary gets the numbers of pairs found and
    /// of fingerprints excluded; otherwise, it gets the numbers of candidate pairs that were counted while deciding. Also
    /// collects the counts from reading the texts, and the memory above the limit.
    pub(crate) fn count(
        &mut self,
        counted: &Counted,
        matcher: &Matcher,
        table: &Table,
        config: &RunConfig,
    ) {
        self.too_large = table.counts.too_large;
        let [met, refused] =
            [&matcher.met, &matcher.refused].map(|count| count.load(Ordering::Relaxed));
        (self.pairs_met, self.pairs_refused) = if matcher.method.keeps_samples() {
            (counted.met, counted.met - counted.candidates)
        } else {
            (met, refused)
        };
        self.common = counted.excluded.len() as u64;
        self.most_common = counted
            .excluded
            .iter()
            .map(|common| common.documents)
            .max()
            .unwrap_or(0);
        self.all_common = counted.lost;
        self.above_memory = peak_memory().map_or(0, |peak| table.budget.above(peak));
        self.few_anchors
            .iter_mut()
            .for_each(|few| *few = table.counts.few_anchors);
        self.hints = table
            .counts
            .signs
            .hints(matcher.method.config(), config.html.is_some());
        self.count_shorter(matcher.method, &table.sizes);
    }

    /// Finds which sizes of this run's texts are too small for the promised recall.
    fn count_shorter(&mut self, method: &Method, sizes: &Sizes) {
        let (Some(promised), Some(from), Some(found)) = (
            self.found_at_threshold,
            self.found_from_size,
            method.found_at_threshold_of_sizes(),
        ) else {
            return;
        };
        let short = |(shingles, texts)| ShortTexts {
            shingles,
            texts,
            found: found(shingles),
        };
        self.found_of_shorter = sizes
            .below(from)
            .map(short)
            .filter(|short| short.found < promised)
            .collect();
    }
}
