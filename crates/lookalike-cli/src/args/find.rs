//! Flags that say how candidates are found. Those of another way than the chosen one are refused, not passed over.

use clap::{Args, ValueEnum};
use lookalike::{
    Bands, Candidates, Config, Features, Permutations, SentencesBy, Shared, SimHashBy,
    fingerprint::DigestBy,
    lsh::COMMON,
    sketch::{Modulus, Width},
    verify::Measure,
};

use super::ShingleArgs;

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

#[derive(Clone, Copy, ValueEnum)]
pub enum FeaturesBy {
    /// their order counts
    Shingles,
    /// a bag of words
    Tokens,
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Bands,
    Shared,
    Super,
    Simhash,
    Sentences,
    Exact,
    Shingle,
}

impl Way {
    fn flags(self) -> &'static str {
        match self {
            Self::Bands => "--candidates bands",
            Self::Shared => "--candidates shared",
            Self::Super => "--candidates super",
            Self::Simhash => "--method simhash",
            Self::Sentences => "--method sentences",
            Self::Exact => "--method exact",
            Self::Shingle => "--method shingle",
        }
    }
}

impl FindArgs {
    /// The finding and comparing part of a configuration, the rest as by default.
    pub fn config(&self, shingles: &ShingleArgs) -> anyhow::Result<Config> {
        Ok(Config { measure: self.measure.into(), recall: self.recall, candidates: self.candidates()?, ..shingles.config()? })
    }

    fn way(&self) -> anyhow::Result<Way> {
        let candidates = match (self.method, self.candidates) {
            (MethodBy::Minhash, Some(candidates)) => candidates,
            (MethodBy::Minhash, None) if self.measure == MeasureBy::Containment => CandidatesBy::Shared,
            (MethodBy::Minhash, None) => CandidatesBy::Bands,
            (_, Some(_)) => anyhow::bail!("--candidates goes with --method minhash: leave out one of the two"),
            (MethodBy::Simhash, None) => return Ok(Way::Simhash),
            (MethodBy::Sentences, None) => return Ok(Way::Sentences),
            (MethodBy::Exact, None) => return Ok(Way::Exact),
            (MethodBy::Shingle, None) => return Ok(Way::Shingle),
        };
        Ok(match candidates {
            CandidatesBy::Bands => Way::Bands,
            CandidatesBy::Shared => Way::Shared,
            CandidatesBy::Super => Way::Super,
        })
    }

    fn candidates(&self) -> anyhow::Result<Candidates> {
        let way = self.way()?;
        self.refuse_others(way)?;
        Ok(match way {
            Way::Bands => {
                let permutations = self.permutations.map_or(Permutations::default(), |permutations| match permutations {
                    PermutationsBy::Many => Permutations::Many,
                    PermutationsBy::One => Permutations::One,
                });
                Candidates::Bands(Bands { bands: self.bands, rows: self.rows, permutations })
            }
            Way::Shared | Way::Super => {
                let modulus = self.modulus.map(modulus).transpose()?;
                let common = self.common.unwrap_or(COMMON);
                Candidates::Shared(Shared { modulus, common, super_shingles: way == Way::Super, run: self.run_length })
            }
            Way::Simhash => {
                let features = self.features.map_or(Features::default(), |features| match features {
                    FeaturesBy::Shingles => Features::Shingles,
                    FeaturesBy::Tokens => Features::Tokens,
                });
                let bits = self.bits.map(Width::try_from).transpose()?.unwrap_or_default();
                Candidates::SimHash(SimHashBy { bits, features, distance: self.distance, blocks: self.blocks })
            }
            Way::Sentences => {
                let default = SentencesBy::default();
                let digest = self.digest.map_or(default.digest, Into::into);
                Candidates::Sentences(SentencesBy { longest: self.longest.unwrap_or(default.longest), digest })
            }
            Way::Exact => Candidates::Exact,
            Way::Shingle => Candidates::All,
        })
    }

    /// A flag that the chosen way has no use for was meant for another.
    fn refuse_others(&self, way: Way) -> anyhow::Result<()> {
        let sampling = [Way::Shared, Way::Super];
        for (flag, given, ways) in [
            ("--bands", self.bands.is_some(), &[Way::Bands][..]),
            ("--rows", self.rows.is_some(), &[Way::Bands]),
            ("--permutations", self.permutations.is_some(), &[Way::Bands]),
            ("--modulus", self.modulus.is_some(), &sampling),
            ("--common", self.common.is_some(), &sampling),
            ("--run-length", self.run_length.is_some(), &[Way::Super]),
            ("--bits", self.bits.is_some(), &[Way::Simhash]),
            ("--features", self.features.is_some(), &[Way::Simhash]),
            ("--distance", self.distance.is_some(), &[Way::Simhash]),
            ("--blocks", self.blocks.is_some(), &[Way::Simhash]),
            ("--longest", self.longest.is_some(), &[Way::Sentences]),
            ("--digest", self.digest.is_some(), &[Way::Sentences]),
        ] {
            if given && !ways.contains(&way) {
                let meant = ways.iter().map(|way| way.flags()).collect::<Vec<_>>().join(" or ");
                anyhow::bail!("{flag} goes with {meant}, and this is {}: leave out one of the two", way.flags());
            }
        }
        Ok(())
    }
}

/// The modulus that --modulus asks for.
pub fn modulus(m: u64) -> anyhow::Result<Modulus> {
    match m.is_power_of_two() {
        true => Ok(Modulus::Fixed { level: m.ilog2() }),
        false => anyhow::bail!("--modulus {m} is not a power of two: give 1, 2, 4, 8, …"),
    }
}
