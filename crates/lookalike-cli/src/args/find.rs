//! Flags that say how candidates are found. Those of another way than the chosen one are refused, not passed over.

use clap::{Args, ValueEnum};
use lookalike::{
    Bands, Candidates, Config, Features, Permutations, SentencesBy, Shared, SimHashBy,
    fingerprint::DigestBy,
    sketch::{Modulus, Width},
    verify::Measure,
};
use lookalike_engine::{Setting, Words, words};

use super::{ShingleArgs, refuse};

/// How candidates are found.
#[derive(Clone, Args)]
pub struct FindArgs {
    /// What is measured of two texts
    #[arg(long, value_enum, default_value_t = MeasureBy::Resemblance, help_heading = "Comparing")]
    pub measure: MeasureBy,
    /// How documents that may be similar are found
    #[arg(long, value_enum, default_value_t = MethodBy::Minhash, help_heading = "Finding")]
    pub method: MethodBy,
    /// Of --method minhash: by what samples of shingles documents meet [default: bands; for containment, shared]
    #[arg(long, value_enum, help_heading = "Finding")]
    pub candidates: Option<CandidatesBy>,
    /// Of minhash: share of the pairs at the threshold that must be found; pairs above it are found more often
    #[arg(long, value_name = "P", default_value_t = Config::default().recall, allow_negative_numbers = true, help_heading = "Finding")]
    pub recall: f64,
    /// Bands, together with --rows, instead of those that the threshold and the recall choose
    #[arg(long, value_name = "B", help_heading = "Finding")]
    pub bands: Option<usize>,
    /// Rows of a band
    #[arg(long, value_name = "R", help_heading = "Finding")]
    pub rows: Option<usize>,
    /// Random permutations that make a signature [default: one]
    #[arg(long, value_enum, help_heading = "Finding")]
    pub permutations: Option<PermutationsBy>,
    /// Of shared and super: sample one shingle in M, a power of two, of every text, instead of what the threshold and the recall
    /// choose
    #[arg(long, value_name = "M", help_heading = "Finding")]
    pub modulus: Option<u64>,
    /// Of shared and super: set shingles of more than N documents aside [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Finding")]
    pub common: Option<u32>,
    /// Of super: sampled shingles in a super-shingle, instead of what the threshold and the recall choose
    #[arg(long, value_name = "W", help_heading = "Finding")]
    pub run_length: Option<usize>,
    /// Of simhash: bits of a hash, 64 or 128 [default: 64]
    #[arg(long, value_name = "BITS", help_heading = "Finding")]
    pub bits: Option<u32>,
    /// Of simhash: what votes for the bits, as often as it occurs [default: shingles]
    #[arg(long, value_enum, help_heading = "Finding")]
    pub features: Option<FeaturesBy>,
    /// Of simhash: bits that may differ [default: as many as are expected to at the threshold; none for tokens]
    #[arg(long, value_name = "BITS", help_heading = "Finding")]
    pub distance: Option<u32>,
    /// Of simhash: blocks that a hash is cut into [default: one more than bits may differ]
    #[arg(long, value_name = "N", help_heading = "Finding")]
    pub blocks: Option<u32>,
    /// Of sentences: how many of the longest must be the same [default: 3]
    #[arg(long, value_name = "K", help_heading = "Finding")]
    pub longest: Option<usize>,
    /// Of sentences: the hash of the longest; md5 takes them as they stand in the text [default: xxh3]
    #[arg(long, value_enum, help_heading = "Finding")]
    pub digest: Option<DigestOf>,
}

/// What is measured of two texts.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeasureBy {
    /// shared shingles divided by all: roughly the same
    Resemblance,
    /// shared shingles divided by those of the text that may go: roughly contained in the one that stays
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

/// How documents that may be similar are found.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodBy {
    /// random samples of the shingle sets
    Minhash,
    /// hashes that differ in few bits; dedup takes what is within the distance for similar unless --verify exact
    Simhash,
    /// the same longest sentences
    Sentences,
    /// the same text but for form
    Exact,
    /// all pairs, by an exact join of all sets, in memory
    Shingle,
}

/// By what samples of shingles documents meet.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CandidatesBy {
    /// a band of their signatures
    Bands,
    /// enough of their sampled shingles
    Shared,
    /// one run of their sampled shingles
    Super,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum PermutationsBy {
    /// one for each slot
    Many,
    /// one for all: several times faster
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

#[derive(Clone, Copy, ValueEnum)]
pub enum FeaturesBy {
    /// their order counts
    Shingles,
    /// a bag of words
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
    /// of the sentences' canonical forms
    Xxh3,
    /// of their bytes
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

/// A way of finding candidates, as flags name it.
fn asked(candidates: &Candidates) -> (Setting, &'static str) {
    match candidates {
        Candidates::Bands(_) => (Setting::Candidates, "bands"),
        Candidates::Shared(Shared { super_shingles: false, .. }) => (Setting::Candidates, "shared"),
        Candidates::Shared(_) => (Setting::Candidates, "super"),
        Candidates::SimHash(_) => (Setting::Method, "simhash"),
        Candidates::Sentences(_) => (Setting::Method, "sentences"),
        Candidates::Exact => (Setting::Method, "exact"),
        Candidates::All => (Setting::Method, "shingle"),
    }
}

impl FindArgs {
    /// The finding and comparing part of a configuration, the rest as by default.
    pub fn config(&self, shingles: &ShingleArgs) -> anyhow::Result<Config> {
        Ok(Config { measure: self.measure.into(), recall: self.recall, candidates: self.candidates()?, ..shingles.config()? })
    }

    /// The way that was asked for, its settings as by default.
    fn way(&self) -> anyhow::Result<Candidates> {
        Ok(match (self.method, self.candidates) {
            (MethodBy::Minhash, None) => Candidates::usual(self.measure.into()),
            (MethodBy::Minhash, Some(CandidatesBy::Bands)) => Bands::default().into(),
            (MethodBy::Minhash, Some(CandidatesBy::Shared)) => Shared::default().into(),
            (MethodBy::Minhash, Some(CandidatesBy::Super)) => Shared { super_shingles: true, ..Shared::default() }.into(),
            (_, Some(_)) => {
                let what = words![Setting::Candidates, " goes with ", (Setting::Method, "minhash")];
                return Err(refuse(what, "leave out one of the two"));
            }
            (MethodBy::Simhash, None) => SimHashBy::default().into(),
            (MethodBy::Sentences, None) => SentencesBy::default().into(),
            (MethodBy::Exact, None) => Candidates::Exact,
            (MethodBy::Shingle, None) => Candidates::All,
        })
    }

    /// The way that was asked for, with the settings that were given.
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

    /// A flag that the chosen way has no use for was meant for another.
    fn refuse_others(&self, chosen: &Candidates) -> anyhow::Result<()> {
        let by_super: Candidates = Shared { super_shingles: true, ..Shared::default() }.into();
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
                let what = words![setting, " goes with ", meant, ", and this is ", asked(chosen)];
                return Err(refuse(what, "leave out one of the two"));
            }
        }
        Ok(())
    }
}

/// Sets what was given; what was not stays.
fn set<T>(setting: &mut T, given: Option<impl Into<T>>) {
    if let Some(given) = given {
        *setting = given.into();
    }
}

/// The modulus that --modulus asks for.
pub fn modulus(m: u64) -> anyhow::Result<Modulus> {
    match m.is_power_of_two() {
        true => Ok(Modulus::Fixed { level: m.ilog2() }),
        false => Err(refuse(words![(Setting::Modulus, m.to_string()), " is not a power of two"], "give 1, 2, 4, 8, …")),
    }
}
