//! How candidate pairs are found. An option of a method that was not chosen causes an error instead of being ignored silently.

use lookalike::{
    Bands, Candidates, Choice, Config, Features, Permutations, SentencesBy, Shared, SimHashBy,
    choices,
    fingerprint::DigestBy,
    sketch::{Modulus, Width},
    verify::Measure,
};
use lookalike_io::{
    error::{Result, Setting},
    words,
};

use super::shingling::Shingling;
use crate::{Given, choice, options, refuse};

options! {
/// How candidate pairs are found.
pub struct Finding {
    /// Similarity measure [default: resemblance]
    #[arg(long, value_parser = choice::<Measure>(), help_heading = "Comparison")]
    pub measure: Option<Measure>,
    /// How candidate pairs are found [default: minhash]
    #[arg(long, value_parser = choice::<MethodBy>(), help_heading = "Candidates")]
    pub method: Option<MethodBy>,
    /// For --method minhash: what the documents of a candidate pair share
    ///
    /// [default: bands; with --measure containment, shared]
    #[arg(long, value_parser = choice::<CandidatesBy>(), help_heading = "Candidates")]
    pub candidates: Option<CandidatesBy>,
    /// For --method minhash: share of pairs to find at the threshold [default: 0.99]
    ///
    /// P is the expected recall for pairs whose similarity equals the threshold. Pairs above the threshold are found more often.
    #[arg(long, value_name = "P", allow_negative_numbers = true, help_heading = "Candidates")]
    pub recall: Option<f64>,
    /// For --candidates bands: number of bands; requires --rows
    ///
    /// By default, the threshold and the recall determine the bands and rows.
    #[arg(long, value_name = "B", help_heading = "Candidates")]
    pub bands: Option<usize>,
    /// For --candidates bands: rows per band; requires --bands
    #[arg(long, value_name = "R", help_heading = "Candidates")]
    pub rows: Option<usize>,
    /// For --candidates bands: random permutations per signature [default: one]
    #[arg(long, value_parser = choice::<Permutations>(), help_heading = "Candidates")]
    pub permutations: Option<Permutations>,
    /// For --candidates shared and super: sample one shingle in M
    ///
    /// M is a power of two and is the same for all texts. By default, the threshold and the recall determine the sampling.
    #[arg(long, value_name = "M", help_heading = "Candidates")]
    pub modulus: Option<u64>,
    /// Ignore shingles that occur in more than N documents [default: 1000]
    ///
    /// This flag is for --candidates shared and super. Ignored shingles do not make candidate pairs, but still count towards
    /// similarity.
    #[arg(long, value_name = "N", help_heading = "Candidates")]
    pub common: Option<u32>,
    /// For --candidates super: sampled shingles per super-shingle
    ///
    /// By default, the threshold and the recall determine the number.
    #[arg(long, value_name = "W", help_heading = "Candidates")]
    pub run_length: Option<usize>,
    /// For --method simhash: bits per hash, 64 or 128 [default: 64]
    #[arg(long, value_name = "BITS", help_heading = "Candidates")]
    pub bits: Option<u32>,
    /// For --method simhash: features to hash [default: shingles]
    ///
    /// Each feature is weighted by how often it occurs in the text.
    #[arg(long, value_parser = choice::<Features>(), help_heading = "Candidates")]
    pub features: Option<Features>,
    /// For --method simhash: number of bits that may differ
    ///
    /// [default: the number of bits that are expected to differ at the threshold; required with --features tokens]
    #[arg(long, value_name = "BITS", help_heading = "Candidates")]
    pub distance: Option<u32>,
    /// For --method simhash: blocks per hash [default: --distance plus 1]
    #[arg(long, value_name = "N", help_heading = "Candidates")]
    pub blocks: Option<u32>,
    /// For --method sentences: number of longest sentences [default: 3]
    ///
    /// Two documents are candidates if these sentences are the same in both.
    #[arg(long, value_name = "K", help_heading = "Candidates")]
    pub longest: Option<usize>,
    /// For --method sentences: hash of the longest sentences [default: xxh3]
    #[arg(long, value_parser = choice::<DigestBy>(), help_heading = "Candidates")]
    pub digest: Option<DigestBy>,
}
}

choices! {
    /// Methods for finding candidate pairs.
    pub enum MethodBy {
        /// random samples of the shingle sets
        Minhash = "minhash",
        /// hashes that differ in few bits; dedup treats pairs that differ in at most --distance bits as similar unless --verify exact
        /// is given
        Simhash = "simhash",
        /// identical longest sentences
        Sentences = "sentences",
        /// identical text after normalisation
        Exact = "exact",
        /// every pair that reaches the threshold, by comparing all shingle sets in memory (an exact join)
        Shingle = "shingle",
    }
}

choices! {
    /// What the documents of a candidate pair share.
    pub enum CandidatesBy {
        /// one band of their MinHash signatures
        Bands = "bands",
        /// enough of their sampled shingles, as determined by the threshold and the recall
        Shared = "shared",
        /// a sequence of their sampled shingles (a super-shingle)
        Super = "super",
    }
}

/// The ways of finding candidates: the setting and the value that choose a way, and the settings that only some ways have.
const WAYS: [(&str, &str, &[&str]); 7] = [
    ("candidates", "bands", &["bands", "rows", "permutations"]),
    ("candidates", "shared", &["modulus", "common"]),
    ("candidates", "super", &["modulus", "common", "run_length"]),
    (
        "method",
        "simhash",
        &["bits", "features", "distance", "blocks"],
    ),
    ("method", "sentences", &["longest", "digest"]),
    ("method", "exact", &[]),
    ("method", "shingle", &[]),
];

impl Finding {
    /// Returns a configuration with the settings for finding candidate pairs and for comparing documents; all other settings have
    /// their defaults.
    ///
    /// # Errors
    /// Fails if settings are given that do not work together.
    pub fn config(&self, shingling: &Shingling) -> Result<Config> {
        let base = shingling.config()?;
        Ok(Config {
            measure: self.measure.unwrap_or_default(),
            recall: self.recall.unwrap_or(base.recall),
            candidates: self.candidates()?,
            ..base
        })
    }

    /// Returns the requested way of finding candidates with the given settings.
    fn candidates(&self) -> Result<Candidates> {
        let method = self.method.unwrap_or(MethodBy::Minhash);
        if self.candidates.is_some() && method != MethodBy::Minhash {
            let what = "$candidates only works with $method=minhash";
            return Err(refuse(what, "leave out one of the two"));
        }
        let usual = match Candidates::usual(self.measure.unwrap_or_default()) {
            Candidates::Shared(_) => CandidatesBy::Shared,
            _ => CandidatesBy::Bands,
        };
        let by = self.candidates.unwrap_or(usual);
        self.refuse_others(if method == MethodBy::Minhash {
            by.name()
        } else {
            method.name()
        })?;
        let (sampled, sentences) = (Shared::default(), SentencesBy::default());
        Ok(match (method, by) {
            (MethodBy::Minhash, CandidatesBy::Bands) => Candidates::Bands(Bands {
                bands: self.bands,
                rows: self.rows,
                permutations: self.permutations.unwrap_or_default(),
            }),
            (MethodBy::Minhash, by) => Candidates::Shared(Shared {
                modulus: self.modulus.map(modulus).transpose()?,
                common: self.common.unwrap_or(sampled.common),
                super_shingles: by == CandidatesBy::Super,
                run: self.run_length,
            }),
            (MethodBy::Simhash, _) => Candidates::SimHash(SimHashBy {
                bits: self.bits.map_or(Ok(Width::default()), Width::try_from)?,
                features: self.features.unwrap_or_default(),
                distance: self.distance,
                blocks: self.blocks,
            }),
            (MethodBy::Sentences, _) => Candidates::Sentences(SentencesBy {
                longest: self.longest.unwrap_or(sentences.longest),
                digest: self.digest.unwrap_or(sentences.digest),
            }),
            (MethodBy::Exact, _) => Candidates::Exact,
            (MethodBy::Shingle, _) => Candidates::All,
        })
    }

    /// Refuses settings that the chosen way of finding candidates does not have.
    fn refuse_others(&self, chosen: &'static str) -> Result<()> {
        let given = Given::of(self);
        let of = |way: &&(&'static str, &'static str, &[&'static str])| way.1 == chosen;
        let others = WAYS.iter().filter(|way| !of(way)).flat_map(|way| way.2);
        for name in others.filter(|name| given.has(name)) {
            let ways: Vec<_> = WAYS.iter().filter(|way| way.2.contains(name)).collect();
            if ways.iter().any(of) {
                continue;
            }
            let mut what = words![Setting(name), " only works with "];
            for (at, (setting, value, _)) in ways.into_iter().enumerate() {
                let or = if at > 0 { " or " } else { "" };
                what = what.and(or).and((Setting(setting), *value));
            }
            let (chosen, advice) = match WAYS.iter().find(of) {
                Some((setting, value, _)) if *value != "shared" || given.has(setting) => {
                    ((Setting(setting), *value), "leave out one of the two")
                }
                // Containment chose it.
                _ => (
                    (Setting("measure"), "containment"),
                    "leave out one of the two, or give $candidates too",
                ),
            };
            return Err(refuse(words![what, ", not with ", chosen], advice));
        }
        Ok(())
    }
}

/// Returns the modulus for --modulus.
pub fn modulus(m: u64) -> Result<Modulus> {
    if m.is_power_of_two() {
        return Ok(Modulus::Fixed { level: m.ilog2() });
    }
    let what = words![
        (Setting("modulus"), m.to_string()),
        " is not a power of two"
    ];
    Err(refuse(what, "give 1, 2, 4, 8, …"))
}
