//! What can be wrong with a configuration or a pair of sketches. Data never fails in the core: any `&str` has an answer.

use crate::shown::quoted;

/// The result of a core function that can refuse its arguments.
pub type Result<T> = std::result::Result<T, Error>;

/// A refusal, in words meant for the user: what was asked, why it cannot be, what to do instead.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    kind: ErrorKind,
}

impl Error {
    /// What was refused.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self { kind }
    }
}

/// The kinds of refusal. New ones may come, so matches need a `_` arm.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A similarity threshold outside (0, 1].
    #[error("threshold {0} is not a similarity to ask for: give a number above 0 and up to 1, such as 0.8")]
    Threshold(f64),
    /// An order by a field was asked for where texts have no fields.
    #[error("texts have no fields, so nothing is kept by {0}: keep the first or the longest, or give each text a score")]
    KeepField(String),
    /// Not as many scores as texts.
    #[error("there are {texts} texts and {scores} scores: give one score for each text")]
    Scores {
        /// Texts given.
        texts: usize,
        /// Scores given.
        scores: usize,
    },
    /// A wanted recall outside (0, 1).
    #[error("recall {0} cannot be promised: give a number above 0 and below 1, such as 0.99")]
    Recall(f64),
    /// A shingle of no tokens, or of more than the window holds.
    #[error("a shingle of {k} tokens is not possible: give a number from 1 to {max}; 5 words is usual")]
    Shingle {
        /// Tokens asked for.
        k: usize,
        /// The most that are possible.
        max: usize,
    },
    /// Passages of no tokens, or longer than can be looked for.
    #[error("passages of at least {least} tokens cannot be looked for: give a number from 1 to {max}; 8 words is usual")]
    RunLength {
        /// Tokens asked for.
        least: usize,
        /// The most that are possible.
        max: usize,
    },
    /// A fingerprint of too few bits, or of more than a machine word.
    #[error("a fingerprint of degree {degree} is not possible: give a number from {min} to {max}; 64 bits is usual")]
    Degree {
        /// The degree asked for, in bits.
        degree: u32,
        /// The least that is possible.
        min: u32,
        /// The most that are possible.
        max: u32,
    },
    /// Bands or rows outside what a signature can hold.
    #[error("{bands} bands of {rows} rows is not possible: both must be at least 1 and their product at most {max}")]
    Shape {
        /// Bands asked for.
        bands: usize,
        /// Rows asked for.
        rows: usize,
        /// The longest signature.
        max: usize,
    },
    /// Only one of bands and rows was given.
    #[error("bands and rows go together: give both, or neither and let the threshold and the recall choose them")]
    HalfShape,
    /// The asked bands and rows find fewer pairs at the threshold than the asked recall.
    #[error(
        "{bands} bands of {rows} rows find {found:.4} of the pairs at similarity {threshold}, and a recall of {recall} was asked for: {ways}"
    )]
    Unreachable {
        /// Bands asked for.
        bands: usize,
        /// Rows asked for.
        rows: usize,
        /// The threshold t.
        threshold: f64,
        /// The wanted recall at t.
        recall: f64,
        /// P(found) at t with these bands and rows.
        found: f64,
        /// What to do instead, in words.
        ways: String,
    },
    /// No bands and rows within the largest signature reach the recall.
    #[error(
        "no signature of up to {max} slots finds {recall} of the pairs at similarity {threshold}: ask for a lower recall or a higher threshold"
    )]
    NoShape {
        /// The longest signature.
        max: usize,
        /// The threshold t.
        threshold: f64,
        /// The wanted recall at t.
        recall: f64,
    },
    /// An estimate was asked for where no sketch is made.
    #[error(
        "comparing all pairs makes no sketches to estimate from: leave the verification exact, or find candidates by sketches"
    )]
    NothingToEstimate,
    /// A modulus that grows with the text was asked for where parts of texts are looked for.
    #[error(
        "a modulus that grows with the text leaves nothing of a short one in a long one's sample: for containment, give a fixed one"
    )]
    GrowingModulus,
    /// A given modulus finds fewer pairs than the asked recall.
    #[error(
        "one shingle in {modulus} finds {found:.4} of the texts of 50 shingles at {threshold}, and a recall of {recall} was asked for: give a smaller modulus, or ask for a recall of {attainable}"
    )]
    Sampled {
        /// m, one shingle in which is sampled.
        modulus: u64,
        /// P(found) at the threshold.
        found: f64,
        /// The wanted recall.
        recall: f64,
        /// The threshold t.
        threshold: f64,
        /// A recall that it reaches.
        attainable: f64,
    },
    /// A super-shingle of no elements, or so long that it finds fewer pairs than the asked recall; or none are asked for.
    #[error(
        "super-shingles of {run} find {found:.4} of the pairs at {threshold}, and a recall of {recall} was asked for: give a length from 1 to {most}"
    )]
    Run {
        /// Elements asked for.
        run: usize,
        /// P(found) at the threshold.
        found: f64,
        /// The wanted recall.
        recall: f64,
        /// The threshold t.
        threshold: f64,
        /// The longest that reaches it.
        most: usize,
    },
    /// Everything would be set aside.
    #[error("shingles of more than 0 texts are all there are: set aside those of more than 1 text or more, such as 1000")]
    Common,
    /// Super-shingles at a threshold that texts of unlike sizes reach.
    #[error(
        "super-shingles find texts of about one size, and at {0} the larger may be more than twice the smaller: ask for 0.5 or more, or find candidates by bands or shared shingles"
    )]
    SuperThreshold(f64),
    /// A distance of token SimHashes does not follow from a resemblance of shingle sets.
    #[error(
        "texts of one language use the same words, so no distance follows from the threshold: say how many bits may differ, such as 3"
    )]
    TokensDistance,
    /// Greedy clusters estimate resemblance.
    #[error("greedy clusters estimate resemblance, not containment: for containment, cluster by the law or by components")]
    GreedyContainment,
    /// Greedy clusters have a way of their own of finding what is alike.
    #[error("greedy clusters are found by the sketches of their representatives: leave the method and the candidates to them")]
    GreedyFinds,
    /// Super-shingles were to be estimated from.
    #[error("a shared super-shingle says that two texts are candidates, not how similar they are: leave the verification exact")]
    NoEstimate,
    /// Bands find what resembles, not what contains.
    #[error(
        "bands, super-shingles and SimHash find texts that resemble each other, not short ones inside long ones: for containment, find candidates by shared shingles, or compare all pairs"
    )]
    NoContainment,
    /// A SimHash of a width that is not offered.
    #[error("a SimHash of {0} bits is not possible: give 64 or 128")]
    SimHashBits(u32),
    /// A digest of no sentences.
    #[error("a digest of the 0 longest sentences says nothing of a text: give a number from 1, such as 3")]
    Sentences,
    /// A Hamming distance that all hashes are within.
    #[error(
        "a distance of {distance} of {bits} bits tells nothing apart: give a number below {bits}; 3 of 64 is usual for near copies"
    )]
    Distance {
        /// Bits that may differ.
        distance: u32,
        /// Bits of a hash.
        bits: u32,
    },
    /// Too few blocks for a distance, or more than there are bits.
    #[error("{blocks} blocks for a distance of {distance} of {bits} bits is not possible: give from {} to {bits} blocks", distance + 1)]
    Blocks {
        /// Blocks asked for.
        blocks: u32,
        /// Bits that may differ.
        distance: u32,
        /// Bits of a hash.
        bits: u32,
    },
    /// A plan of more tables than are allowed.
    #[error(
        "{blocks} blocks for a distance of {distance} bits make more than {max} tables: give at most {most} blocks, or a smaller distance"
    )]
    Tables {
        /// Blocks asked for.
        blocks: u32,
        /// Bits that may differ.
        distance: u32,
        /// The most blocks that are possible.
        most: u32,
        /// The most tables.
        max: usize,
    },
    /// A sketch that keeps nothing.
    #[error("a sample of no elements tells nothing: give a number from 1; 100 to 200 are usual")]
    EmptySample,
    /// A modulus 2^level that a sketch cannot have.
    #[error("level {level} (a modulus of 2^{level}) is not possible here: give a level from {least} to {most}")]
    Level {
        /// The level asked for.
        level: u32,
        /// The least that is possible.
        least: u32,
        /// The most that is possible.
        most: u32,
    },
    /// A resemblance outside [0, 1].
    #[error("{0} is not a resemblance: give a number from 0 to 1")]
    Resemblance(f64),
    /// A margin of an estimate outside (0, 1).
    #[error("a margin {0} cannot be kept: give a number above 0 and below 1, such as 0.1")]
    Margin(f64),
    /// A wanted confidence outside (0, 1).
    #[error("confidence {0} cannot be promised: give a number above 0 and below 1, such as 0.95")]
    Confidence(f64),
    /// No sample that is searched is known to be large enough.
    #[error(
        "a margin of {margin} with confidence {confidence} needs a sample above {max}: ask for a wider margin or less confidence"
    )]
    NoSample {
        /// The margin ε asked for.
        margin: f64,
        /// The confidence asked for.
        confidence: f64,
        /// The largest sample that is searched.
        max: usize,
    },
    /// More fingerprints than greedy clusters can number.
    #[error("greedy clusters hold at most {most} fingerprints: take a smaller sample of each text, or split the collection")]
    TooManyClustered {
        /// The most that are possible.
        most: usize,
    },
    /// Two sketches that were not made the same way.
    #[error("these sketches cannot be compared: one is {left}, the other {right}; sketch both with the same settings")]
    UnlikeSketches {
        /// The first sketch's parameters.
        left: String,
        /// The second sketch's parameters.
        right: String,
    },
    /// A language of which no stop words are known.
    #[error("no stop words are known of the language {name}: give ISO 639-1 codes such as en, de, es, fr, it, nl, pt, ru, zh", name = quoted(.0))]
    Language(String),
    /// Shingles that begin with stop words were asked for where tokens are no words, or where fingerprints are made of parts of words.
    #[error(
        "shingles that begin with stop words are made of whole words: leave out {0}, or the languages whose stop words were asked for"
    )]
    Anchored(&'static str),
    /// Steps of texts were asked for where documents are sets.
    #[error("the items of a set are compared as they are, each by itself: leave out {0}, or compare texts")]
    Set(&'static str),
    /// Something that this build was made without.
    #[error("{what} is not in this build: build with the feature `{feature}`, or do without it")]
    NotBuilt {
        /// What was asked for.
        what: &'static str,
        /// The crate's feature that brings it.
        feature: &'static str,
    },
}

impl ErrorKind {
    /// The field of the configuration that is refused, where it is one.
    pub fn field(&self) -> Option<&'static str> {
        Some(match self {
            Self::Threshold(_) | Self::SuperThreshold(_) => "threshold",
            Self::Recall(_) => "recall",
            Self::Shingle { .. } => "shingle",
            Self::RunLength { .. } => "least",
            Self::Degree { .. } => "degree",
            Self::Shape { .. } | Self::HalfShape | Self::Unreachable { .. } => "bands",
            Self::NoShape { .. } => "recall",
            Self::NothingToEstimate | Self::NoEstimate => "verify",
            Self::GrowingModulus | Self::Sampled { .. } => "modulus",
            Self::Run { .. } => "run_length",
            Self::Common => "common",
            Self::TokensDistance | Self::Distance { .. } => "distance",
            Self::GreedyContainment | Self::GreedyFinds => "cluster",
            Self::NoContainment => "measure",
            Self::SimHashBits(_) => "bits",
            Self::Sentences => "longest",
            Self::Blocks { .. } | Self::Tables { .. } => "blocks",
            Self::EmptySample | Self::TooManyClustered { .. } => "sample",
            Self::Language(_) | Self::Anchored(_) => "anchors",
            Self::Set(_) => "tokens",
            Self::KeepField(_) => "keep",
            Self::Level { .. }
            | Self::Resemblance(_)
            | Self::Margin(_)
            | Self::Confidence(_)
            | Self::NoSample { .. }
            | Self::UnlikeSketches { .. }
            | Self::NotBuilt { .. }
            | Self::Scores { .. } => return None,
        })
    }
}
