//! Flags for finding candidate pairs. A flag that belongs to a method that was not chosen causes an error instead of being
//! ignored silently.

use clap::{Args, ValueEnum};
use lookalike::{
    Bands, Candidates, Config, Features, Permutations, SentencesBy, Shared, SimHashBy,
    fingerprint::DigestBy,
    sketch::{Modulus, Width},
    verify::Measure,
};
use lookalike_engine::{Setting, Words, words};

use super::{ShingleArgs, refuse};

/// How candidate pairs are found.
#[derive(Clone, Args)]
pub struct FindArgs {
    /// Similarity measure
    #[arg(long, value_enum, default_value_t = MeasureBy::Resemblance, help_heading = "Comparison")]
    pub measure: MeasureBy,
    /// How candidate pairs are found
    #[arg(long, value_enum, default_value_t = MethodBy::Minhash, help_heading = "Candidates")]
    pub method: MethodBy,
    /// For --method minhash: what the documents of a candidate pair share
    ///
    /// [default: bands; with --measure containment, shared]
    #[arg(long, value_enum, help_heading = "Candidates")]
    pub candidates: Option<CandidatesBy>,
    /// For --method minhash: share of pairs to find at the threshold
    ///
    /// P is the expected recall for pairs whose similarity equals the threshold. Pairs above the threshold are found more often.
    #[arg(long, value_name = "P", default_value_t = Config::default().recall, allow_negative_numbers = true, help_heading = "Candidates")]
    pub recall: f64,
    /// For --candidates bands: number of bands; requires --rows
    ///
    /// By default, the threshold and the recall determine the bands and rows.
    #[arg(long, value_name = "B", help_heading = "Candidates")]
    pub bands: Option<usize>,
    /// For --candidates bands: rows per band; requires --bands
    #[arg(long, value_name = "R", help_heading = "Candidates")]
    pub rows: Option<usize>,
    /// For --candidates bands: random permutations per signature [default: one]
    #[arg(long, value_enum, help_heading = "Candidates")]
    pub permutations: Option<PermutationsBy>,
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
    #[arg(long, value_enum, help_heading = "Candidates")]
    pub features: Option<FeaturesBy>,
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
    #[arg(long, value_enum, help_heading = "Candidates")]
    pub digest: Option<DigestOf>,
}

/// Similarity measures of two texts.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeasureBy {
    /// shared shingles divided by all shingles of both texts: high if the texts are roughly the same
    Resemblance,
    /// shared shingles divided by the shingles of one text: high if the other text contains roughly all of this text. dedup drops
    /// the contained text
    Containment,
}

impl From<MeasureBy> for Measure {
    fn from(measure: MeasureBy) -> Self {
        match measure {
            MeasureBy::Resemblance => Self::Resemblance,
            MeasureBy::Containment => Self::Containment,
        }
    }
}

/// Methods for finding candidate pairs.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodBy {
    /// random samples of the shingle sets
    Minhash,
    /// hashes that differ in few bits; dedup treats pairs that differ in at most --distance bits as similar unless --verify exact
    /// is given
    Simhash,
    /// identical longest sentences
    Sentences,
    /// identical text after normalisation
    Exact,
    /// every pair that reaches the threshold, by comparing all shingle sets in memory (an exact join)
    Shingle,
}

/// What the documents of a candidate pair share.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CandidatesBy {
    /// one band of their MinHash signatures
    Bands,
    /// enough of their sampled shingles, as determined by the threshold and the recall
    Shared,
    /// a sequence of their sampled shingles (a super-shingle)
    Super,
}

/// The number of random permutations.
#[derive(Clone, Copy, ValueEnum)]
pub enum PermutationsBy {
    /// a separate permutation for each of the signature's numbers (slots)
    Many,
    /// one permutation for all slots: several times faster
    One,
}

impl From<PermutationsBy> for Permutations {
    fn from(by: PermutationsBy) -> Self {
        match by {
            PermutationsBy::Many => Self::Many,
            PermutationsBy::One => Self::One,
        }
    }
}

/// The features that a SimHash hashes.
#[derive(Clone, Copy, ValueEnum)]
pub enum FeaturesBy {
    /// shingles: the order of the words matters
    Shingles,
    /// tokens: a bag of words, without their order
    Tokens,
}

impl From<FeaturesBy> for Features {
    fn from(by: FeaturesBy) -> Self {
        match by {
            FeaturesBy::Shingles => Self::Shingles,
            FeaturesBy::Tokens => Self::Tokens,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum DigestOf {
    /// XXH3 of the sentences after normalisation
    Xxh3,
    /// MD5 of the sentences as they are in the text
    Md5,
}

impl From<DigestOf> for DigestBy {
    fn from(of: DigestOf) -> Self {
        match of {
            DigestOf::Xxh3 => Self::Xxh3,
            DigestOf::Md5 => Self::Md5,
        }
    }
}

/// Returns the flag and value that select a way of finding candidates.
fn asked(candidates: &Candidates) -> (Setting, &'static str) {
    match candidates {
        Candidates::Bands(_) => (Setting::Candidates, "bands"),
        Candidates::Shared(Shared {
            super_shingles: false,
            ..
        }) => (Setting::Candidates, "shared"),
        Candidates::Shared(_) => (Setting::Candidates, "super"),
        Candidates::SimHash(_) => (Setting::Method, "simhash"),
        Candidates::Sentences(_) => (Setting::Method, "sentences"),
        Candidates::Exact => (Setting::Method, "exact"),
        Candidates::All => (Setting::Method, "shingle"),
    }
}

impl FindArgs {
    /// Returns a configuration with the settings for finding candidate pairs and for comparing documents; all other settings have
    /// their defaults.
    pub fn config(&self, shingles: &ShingleArgs) -> anyhow::Result<Config> {
        Ok(Config {
            measure: self.measure.into(),
            recall: self.recall,
            candidates: self.candidates()?,
            ..shingles.config()?
        })
    }

    /// Returns the requested way of finding candidates with its default settings.
    fn way(&self) -> anyhow::Result<Candidates> {
        Ok(match (self.method, self.candidates) {
            (MethodBy::Minhash, None) => Candidates::usual(self.measure.into()),
            (MethodBy::Minhash, Some(CandidatesBy::Bands)) => Bands::default().into(),
            (MethodBy::Minhash, Some(CandidatesBy::Shared)) => Shared::default().into(),
            (MethodBy::Minhash, Some(CandidatesBy::Super)) => Shared {
                super_shingles: true,
                ..Shared::default()
            }
            .into(),
            (_, Some(_)) => {
                let what = words![
                    Setting::Candidates,
                    " only works with ",
                    (Setting::Method, "minhash")
                ];
                return Err(refuse(what, "leave out one of the two"));
            }
            (MethodBy::Simhash, None) => SimHashBy::default().into(),
            (MethodBy::Sentences, None) => SentencesBy::default().into(),
            (MethodBy::Exact, None) => Candidates::Exact,
            (MethodBy::Shingle, None) => Candidates::All,
        })
    }

    /// Returns the requested way of finding candidates with the given settings.
    fn candidates(&self) -> anyhow::Result<Candidates> {
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

    /// Returns an error if a flag was given that does not apply to the chosen way of finding candidates.
    fn refuse_others(&self, chosen: &Candidates) -> anyhow::Result<()> {
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
            (Setting::Bands, self.bands.is_some(), &bands[..]),
            (Setting::Rows, self.rows.is_some(), &bands),
            (Setting::Permutations, self.permutations.is_some(), &bands),
            (Setting::Modulus, self.modulus.is_some(), &sampling),
            (Setting::Common, self.common.is_some(), &sampling),
            (Setting::RunLength, self.run_length.is_some(), &by_super),
            (Setting::Bits, self.bits.is_some(), &simhash),
            (Setting::Features, self.features.is_some(), &simhash),
            (Setting::Distance, self.distance.is_some(), &simhash),
            (Setting::Blocks, self.blocks.is_some(), &simhash),
            (Setting::Longest, self.longest.is_some(), &sentences),
            (Setting::Digest, self.digest.is_some(), &sentences),
        ] {
            if given && !ways.contains(chosen) {
                let or = |said: Words, way: &Candidates| match said == Words::default() {
                    true => asked(way).into(),
                    false => words![said, " or ", asked(way)],
                };
                let meant = ways.iter().fold(Words::default(), or);
                let what = words![
                    setting,
                    " only works with ",
                    meant,
                    ", not with ",
                    asked(chosen)
                ];
                return Err(refuse(what, "leave out one of the two"));
            }
        }
        Ok(())
    }
}

/// Replaces the default of a setting with the given value, if a value was given.
fn set<T>(setting: &mut T, given: Option<impl Into<T>>) {
    if let Some(given) = given {
        *setting = given.into();
    }
}

/// Returns the modulus for --modulus.
pub fn modulus(m: u64) -> anyhow::Result<Modulus> {
    match m.is_power_of_two() {
        true => Ok(Modulus::Fixed { level: m.ilog2() }),
        false => Err(refuse(
            words![(Setting::Modulus, m.to_string()), " is not a power of two"],
            "give 1, 2, 4, 8, …",
        )),
    }
}
