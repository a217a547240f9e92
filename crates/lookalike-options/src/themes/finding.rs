//! How candidate pairs are found. An option of a method that was not chosen causes an error instead of being ignored silently.

use lookalike::{
    Bands, Candidates, Choice, Config, Features, Permutations, SentencesBy, Shared, SimHashBy,
    choices,
    fingerprint::DigestBy,
    sketch::{Modulus, Width},
    verify::Measure,
};
use lookalike_io::{
    error::{Result, Setting, Words},
    words,
};

use super::shingling::Shingling;
use crate::{choice, options, refuse};

options! {
/// How candidate pairs are found.
pub struct Finding {
    /// Similarity measure
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

/// Returns the flag and value that select a way of finding candidates.
fn named(candidates: &Candidates) -> (Setting, &'static str) {
    match candidates {
        Candidates::Bands(_) => (Setting("candidates"), "bands"),
        Candidates::Shared(Shared {
            super_shingles: false,
            ..
        }) => (Setting("candidates"), "shared"),
        Candidates::Shared(_) => (Setting("candidates"), "super"),
        Candidates::SimHash(_) => (Setting("method"), "simhash"),
        Candidates::Sentences(_) => (Setting("method"), "sentences"),
        Candidates::Exact => (Setting("method"), "exact"),
        Candidates::All => (Setting("method"), "shingle"),
    }
}

impl Finding {
    /// Returns a configuration with the settings for finding candidate pairs and for comparing documents; all other settings have
    /// their defaults.
    pub fn config(&self, shingling: &Shingling) -> Result<Config> {
        let base = shingling.config()?;
        Ok(Config {
            measure: self.measure(),
            recall: self.recall.unwrap_or(base.recall),
            candidates: self.candidates()?,
            ..base
        })
    }

    /// Returns the measure.
    pub fn measure(&self) -> Measure {
        self.measure.unwrap_or_default()
    }

    /// Returns the requested way of finding candidates with its default settings.
    fn way(&self) -> Result<Candidates> {
        Ok(
            match (self.method.unwrap_or(MethodBy::Minhash), self.candidates) {
                (MethodBy::Minhash, None) => Candidates::usual(self.measure()),
                (MethodBy::Minhash, Some(CandidatesBy::Bands)) => Bands::default().into(),
                (MethodBy::Minhash, Some(CandidatesBy::Shared)) => Shared::default().into(),
                (MethodBy::Minhash, Some(CandidatesBy::Super)) => Shared {
                    super_shingles: true,
                    ..Shared::default()
                }
                .into(),
                (_, Some(_)) => {
                    let what = words![
                        Setting("candidates"),
                        " only works with ",
                        (Setting("method"), "minhash")
                    ];
                    return Err(refuse(what, "leave out one of the two"));
                }
                (MethodBy::Simhash, None) => SimHashBy::default().into(),
                (MethodBy::Sentences, None) => SentencesBy::default().into(),
                (MethodBy::Exact, None) => Candidates::Exact,
                (MethodBy::Shingle, None) => Candidates::All,
            },
        )
    }

    /// Returns the requested way of finding candidates with the given settings.
    fn candidates(&self) -> Result<Candidates> {
        let mut candidates = self.way()?;
        self.refuse_others(&candidates)?;
        match &mut candidates {
            Candidates::Bands(by) => {
                (by.bands, by.rows) = (self.bands, self.rows);
                set(&mut by.permutations, self.permutations);
            }
            Candidates::Shared(by) => {
                by.modulus = self.modulus.map(modulus).transpose()?;
                set(&mut by.common, self.common);
                by.run = self.run_length;
            }
            Candidates::SimHash(by) => {
                set(&mut by.bits, self.bits.map(Width::try_from).transpose()?);
                set(&mut by.features, self.features);
                (by.distance, by.blocks) = (self.distance, self.blocks);
            }
            Candidates::Sentences(by) => {
                set(&mut by.longest, self.longest);
                set(&mut by.digest, self.digest);
            }
            Candidates::Exact | Candidates::All => {}
        }
        Ok(candidates)
    }

    /// Returns the setting and value that chose a way of finding candidates.
    fn chosen(&self, candidates: &Candidates) -> (Setting, &'static str) {
        if self.method.is_none() && self.candidates.is_none() && self.measure.is_some() {
            return (Setting("measure"), self.measure().name());
        }
        named(candidates)
    }

    /// Returns an error if a flag was given that does not apply to the chosen way of finding candidates.
    fn refuse_others(&self, chosen: &Candidates) -> Result<()> {
        let by_super: Candidates = Shared {
            super_shingles: true,
            ..Shared::default()
        }
        .into();
        let bands = [Bands::default().into()];
        let sampling = [Shared::default().into(), by_super.clone()];
        let by_super = [by_super];
        let simhash = [SimHashBy::default().into()];
        let sentences = [SentencesBy::default().into()];
        for (setting, given, ways) in [
            (Setting("bands"), self.bands.is_some(), &bands[..]),
            (Setting("rows"), self.rows.is_some(), &bands),
            (Setting("permutations"), self.permutations.is_some(), &bands),
            (Setting("modulus"), self.modulus.is_some(), &sampling),
            (Setting("common"), self.common.is_some(), &sampling),
            (Setting("run_length"), self.run_length.is_some(), &by_super),
            (Setting("bits"), self.bits.is_some(), &simhash),
            (Setting("features"), self.features.is_some(), &simhash),
            (Setting("distance"), self.distance.is_some(), &simhash),
            (Setting("blocks"), self.blocks.is_some(), &simhash),
            (Setting("longest"), self.longest.is_some(), &sentences),
            (Setting("digest"), self.digest.is_some(), &sentences),
        ] {
            if given && !ways.contains(chosen) {
                let or = |said: Words, way: &Candidates| {
                    if said == Words::default() {
                        named(way).into()
                    } else {
                        words![said, " or ", named(way)]
                    }
                };
                let meant = ways.iter().fold(Words::default(), or);
                let what = words![
                    setting,
                    " only works with ",
                    meant,
                    ", not with ",
                    self.chosen(chosen)
                ];
                return Err(refuse(what, "leave out one of the two"));
            }
        }
        Ok(())
    }
}

/// Replaces the default of a setting with the given value, if a value was given.
fn set<T>(setting: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *setting = given;
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
