//! Errors in a configuration or a pair of sketches. Data never causes an error in the core: every `&str` gives a result.

use crate::shown::quoted;

/// The result of a core function that can reject its arguments.
pub type Result<T> = std::result::Result<T, Error>;

/// An error, with a message for the user: what was requested, why it is impossible, and what to do instead.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    kind: ErrorKind,
}

impl Error {
    /// Returns the kind of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self { kind }
    }
}

/// The kinds of errors. New ones may be added, so a `match` needs a `_` arm.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A similarity threshold outside (0, 1].
    #[error("threshold must be above 0 and at most 1, got {0}; for example 0.8")]
    Threshold(f64),
    /// A minimum containment outside (0, 1].
    #[error("the minimum containment must be above 0 and at most 1, got {0}; for example 0.9")]
    MinContainment(f64),
    /// A minimum containment with a measure, a verification or groups that it does not work with.
    #[error(
        "a minimum containment only works with resemblance that is counted exactly, and with groups by the law; leave it out"
    )]
    MinContainmentOf,
    /// A field was requested to decide which text is kept, but texts have no fields.
    #[error(
        "texts have no fields, so {0} cannot decide which text to keep; keep the first or the longest, or give each text a score"
    )]
    KeepField(String),
    /// The numbers of scores and texts differ.
    #[error("got {scores} scores for {texts} texts; give one score for each text")]
    Scores {
        /// The number of texts given.
        texts: usize,
        /// The number of scores given.
        scores: usize,
    },
    /// A requested recall outside (0, 1).
    #[error("recall must be above 0 and below 1, got {0}; for example 0.99")]
    Recall(f64),
    /// A shingle of zero tokens, or of more tokens than the maximum.
    #[error("a shingle must have from 1 to {max} tokens, got {k}; 5 words is usual")]
    Shingle {
        /// The tokens requested.
        k: usize,
        /// The maximum.
        max: usize,
    },
    /// A minimum length of passages that is zero or above the maximum.
    #[error(
        "the minimum length of a passage must be from 1 to {max} tokens, got {least}; 8 words is usual"
    )]
    RunLength {
        /// The tokens requested.
        least: usize,
        /// The maximum.
        max: usize,
    },
    /// A window for cutting that is empty or above the maximum.
    #[error(
        "the shortest passage that is cut must have from 1 to {max} units, got {window}; 50 tokens is usual, or 1 line"
    )]
    CutWindow {
        /// The units requested.
        window: usize,
        /// The maximum.
        max: usize,
    },
    /// Passages that no earlier text must contain.
    #[error("passages are cut if they occur in at least 1 earlier text, got 0")]
    MoreThan,
    /// Passages that several earlier texts must contain, if no other text is searched.
    #[error(
        "a text is not compared with others, so no passage can occur in several of them; leave out one of the two settings"
    )]
    MoreThanOne,
    /// Whole lines of units that are not runs.
    #[error("only runs of tokens can be cut as whole lines; other units are whole already")]
    WholeLines,
    /// Tokens in which passages cannot be cut.
    #[error(
        "passages are cut in words, characters or words of a dictionary; to cut lines, choose lines as the unit"
    )]
    CutTokens,
    /// An invalid setting of regions.
    #[error("the {setting} of regions must be {allowed}, got {given}")]
    Region {
        /// The setting.
        setting: &'static str,
        /// Its valid values, in words.
        allowed: &'static str,
        /// The value given.
        given: f64,
    },
    /// A fingerprint with too few bits, or with more bits than a machine word.
    #[error(
        "the degree of a fingerprint must be from {min} to {max}, got {degree}; 64 bits is usual"
    )]
    Degree {
        /// The requested degree, in bits.
        degree: u32,
        /// The minimum.
        min: u32,
        /// The maximum.
        max: u32,
    },
    /// Zero bands or rows, or more bands and rows than a signature can hold.
    #[error(
        "bands and rows must each be at least 1 and their product at most {max}, got {bands} bands of {rows} rows"
    )]
    Shape {
        /// The bands requested.
        bands: usize,
        /// The rows requested.
        rows: usize,
        /// The length of the longest signature, in slots.
        max: usize,
    },
    /// Only one of bands and rows was given.
    #[error(
        "bands and rows must be given together; give both, or neither and let the threshold and the recall determine them"
    )]
    HalfShape,
    /// The share of pairs at the threshold that the requested bands and rows find is below the requested recall.
    #[error(
        "{bands} bands of {rows} rows find {found:.4} of the pairs at similarity {threshold}, but the requested recall is {recall}; {ways}"
    )]
    Unreachable {
        /// The bands requested.
        bands: usize,
        /// The rows requested.
        rows: usize,
        /// The threshold t.
        threshold: f64,
        /// The requested recall at t.
        recall: f64,
        /// P(found) at t with these bands and rows.
        found: f64,
        /// What to do instead, in words.
        ways: String,
    },
    /// No bands and rows within the longest signature reach the recall.
    #[error(
        "no signature of up to {max} slots finds {recall} of the pairs at similarity {threshold}; use a lower recall or a higher threshold"
    )]
    NoShape {
        /// The length of the longest signature, in slots.
        max: usize,
        /// The threshold t.
        threshold: f64,
        /// The requested recall at t.
        recall: f64,
    },
    /// An estimate was requested, but no sketch is computed.
    #[error(
        "comparing all pairs makes no sketches to estimate from; leave the verification exact, or find candidates by sketches"
    )]
    NothingToEstimate,
    /// A modulus that grows with the text was requested for containment, which looks for parts of texts.
    #[error(
        "if the modulus grows with the text, the sample of a long text may miss all shingles of a short text inside it; use a fixed modulus for containment"
    )]
    GrowingModulus,
    /// The share of pairs that the given modulus finds is below the requested recall.
    #[error(
        "one shingle in {modulus} finds {found:.4} of the pairs of 50-shingle texts at similarity {threshold}, but the requested recall is {recall}; use a smaller modulus, or lower the recall to {attainable}"
    )]
    Sampled {
        /// m: one shingle in m is sampled.
        modulus: u64,
        /// P(found) at the threshold.
        found: f64,
        /// The requested recall.
        recall: f64,
        /// The threshold t.
        threshold: f64,
        /// A recall that the modulus reaches.
        attainable: f64,
    },
    /// A super-shingle of zero elements, or one so long that the share of pairs that it finds is below the requested recall.
    #[error(
        "super-shingles of length {run} find {found:.4} of the pairs at similarity {threshold}, but the requested recall is {recall}; use a length from 1 to {most}"
    )]
    Run {
        /// The elements requested.
        run: usize,
        /// P(found) at the threshold.
        found: f64,
        /// The requested recall.
        recall: f64,
        /// The threshold t.
        threshold: f64,
        /// The length of the longest super-shingle that reaches the recall.
        most: usize,
    },
    /// All shingles would be excluded as too common.
    #[error(
        "common must be at least 1, got 0, which would exclude every shingle; for example 1000"
    )]
    Common,
    /// Super-shingles were requested at a threshold so low that texts of very different sizes can reach it.
    #[error(
        "super-shingles find texts of similar size, but at threshold {0} the larger text may be more than twice the size of the smaller; use 0.5 or more, or find candidates by bands or shared shingles"
    )]
    SuperThreshold(f64),
    /// No distance was given for SimHashes of tokens. Such a distance does not follow from the threshold, which is a resemblance
    /// of shingle sets.
    #[error(
        "texts in one language have similar SimHashes of tokens, so the threshold does not determine a distance; give the number of bits that may differ, such as 3"
    )]
    TokensDistance,
    /// Containment was requested, but greedy clusters estimate resemblance.
    #[error(
        "greedy clusters estimate resemblance, not containment; for containment, cluster by `law` or by `components`"
    )]
    GreedyContainment,
    /// A method for finding candidates was requested, but greedy clusters have their own method.
    #[error(
        "greedy clusters are found by the sketches of their representatives; leave out the method and the candidates"
    )]
    GreedyFinds,
    /// An estimate from super-shingles was requested.
    #[error(
        "a shared super-shingle shows that two texts are candidates, not how similar they are; leave the verification exact"
    )]
    NoEstimate,
    /// Bands find pairs by resemblance, not by containment.
    #[error(
        "bands, super-shingles and SimHash find texts that resemble each other, not short texts inside long ones; for containment, find candidates by shared shingles, or compare all pairs"
    )]
    NoContainment,
    /// A SimHash of an unsupported width.
    #[error("a SimHash must have 64 or 128 bits, got {0}")]
    SimHashBits(u32),
    /// A digest of zero sentences.
    #[error("a digest must include at least 1 of the longest sentences, got 0; for example 3")]
    Sentences,
    /// A Hamming distance so large that all hashes match.
    #[error(
        "the distance must be below {bits} bits, got {distance} (all hashes would match); 3 of 64 is usual for near-duplicates"
    )]
    Distance {
        /// The bits that may differ.
        distance: u32,
        /// The bits of a hash.
        bits: u32,
    },
    /// Too few blocks for a distance, or more blocks than bits.
    #[error("for a distance of {distance} bits, hashes of {bits} bits need {} to {bits} blocks, got {blocks}", distance + 1)]
    Blocks {
        /// The blocks requested.
        blocks: u32,
        /// The bits that may differ.
        distance: u32,
        /// The bits of a hash.
        bits: u32,
    },
    /// Blocks and a distance that need more tables than are allowed.
    #[error(
        "{blocks} blocks for a distance of {distance} bits need more than {max} tables; use at most {most} blocks, or a smaller distance"
    )]
    Tables {
        /// The blocks requested.
        blocks: u32,
        /// The bits that may differ.
        distance: u32,
        /// The maximum number of blocks.
        most: u32,
        /// The maximum number of tables.
        max: usize,
    },
    /// A sketch without elements.
    #[error("a sample must have at least 1 element, got 0; 100 to 200 are usual")]
    EmptySample,
    /// A modulus 2^level that a sketch cannot have.
    #[error("the level must be from {least} to {most}, got {level} (a modulus of 2^{level})")]
    Level {
        /// The level requested.
        level: u32,
        /// The minimum.
        least: u32,
        /// The maximum.
        most: u32,
    },
    /// A resemblance outside [0, 1].
    #[error("a resemblance must be from 0 to 1, got {0}")]
    Resemblance(f64),
    /// A margin of error outside (0, 1).
    #[error("the margin must be above 0 and below 1, got {0}; for example 0.1")]
    Margin(f64),
    /// A requested confidence outside (0, 1).
    #[error("the confidence must be above 0 and below 1, got {0}; for example 0.95")]
    Confidence(f64),
    /// The search found no sample size, up to its maximum, that is known to be large enough for the margin and the confidence.
    #[error(
        "a margin of {margin} with confidence {confidence} needs a sample larger than {max}; use a wider margin or a lower confidence"
    )]
    NoSample {
        /// The margin ε requested.
        margin: f64,
        /// The confidence requested.
        confidence: f64,
        /// The largest sample size in the search.
        max: usize,
    },
    /// More fingerprints than the maximum number that greedy clusters can hold.
    #[error(
        "greedy clusters hold at most {most} fingerprints; use a smaller sample of each text, or split the collection"
    )]
    TooManyClustered {
        /// The maximum.
        most: usize,
    },
    /// A stored signature without slots, or with more slots than the maximum.
    #[error("a signature must have from 1 to {max} slots, got {slots}; 128 is usual")]
    Slots {
        /// The slots requested.
        slots: usize,
        /// The maximum.
        max: usize,
    },
    /// A number of bits that cannot be stored of each slot.
    #[error("of each slot, 8, 16 or 32 bits can be stored, got {0}")]
    SlotBits(u32),
    /// The signatures are too short for the recall.
    #[error(
        "{slots} slots find at most {found:.4} of the pairs at similarity {threshold}, but the requested recall is {recall}; use a lower recall or a higher threshold, or sketch with more slots"
    )]
    FewSlots {
        /// The slots of each signature.
        slots: usize,
        /// P(found) at the threshold if each slot is a band.
        found: f64,
        /// The threshold t.
        threshold: f64,
        /// The requested recall at t.
        recall: f64,
    },
    /// More bands and rows than the signatures have slots.
    #[error("{bands} bands of {rows} rows need {} slots, but the signatures have {slots}; use fewer bands or rows", bands * rows)]
    ShortSignatures {
        /// The bands requested.
        bands: usize,
        /// The rows requested.
        rows: usize,
        /// The slots of each signature.
        slots: usize,
    },
    /// The sketch of a union was requested, but it cannot be computed from these sketches.
    #[error("these sketches cannot be united: {0}; sketch the joined texts instead")]
    NoUnion(String),
    /// Bytes that are not a sketch of this kind.
    #[error("the bytes are not a sketch with these parameters: {0}")]
    NotASketch(String),
    /// Containment was requested of sketches that cannot find contained texts.
    #[error(
        "{0} find texts that resemble each other, not short texts inside long ones; for containment, sketch with a fixed modulus"
    )]
    SketchContainment(&'static str),
    /// Two sketches that were made with different settings.
    #[error(
        "these sketches cannot be compared: one is {left}, the other {right}; sketch both with the same settings"
    )]
    UnlikeSketches {
        /// The parameters of the first sketch.
        left: String,
        /// The parameters of the second sketch.
        right: String,
    },
    /// A language without known stop words.
    #[error("no stop words are available for the language {name}; use ISO 639-1 codes such as en, de, es, fr, it, nl, pt, ru, zh", name = quoted(.0))]
    Language(String),
    /// Shingles that begin with stop words were requested, but tokens are not words, or the fingerprint function works on parts
    /// of words.
    #[error(
        "shingles that begin with stop words consist of whole words; leave out {0}, or the languages whose stop words were requested"
    )]
    Anchored(&'static str),
    /// A setting for texts was requested, but documents are sets.
    #[error(
        "the items of a set are compared as they are, each separately; leave out {0}, or compare texts"
    )]
    Set(&'static str),
    /// A part of the library that is not included in this build.
    #[error("{what} is not in this build; build with the feature `{feature}`, or do without it")]
    NotBuilt {
        /// The part requested.
        what: &'static str,
        /// The feature of the crate that includes it.
        feature: &'static str,
    },
}

impl ErrorKind {
    /// Returns the field of a [`Config`](crate::Config) that must change, if there is one.
    pub fn field(&self) -> Option<&'static str> {
        self.fields().first().copied()
    }

    /// Returns the fields of a [`Config`](crate::Config), or of parts of it, that do not work together. The first is the one that
    /// must change.
    pub fn fields(&self) -> &'static [&'static str] {
        match self {
            Self::Threshold(_) => &["threshold"],
            Self::SuperThreshold(_) => &["threshold", "candidates"],
            Self::Recall(_) => &["recall"],
            Self::Shingle { .. } => &["shingle"],
            Self::RunLength { .. } => &["least"],
            Self::CutWindow { .. } => &["window"],
            Self::MoreThan => &["more_than"],
            Self::MoreThanOne => &["more_than", "within"],
            Self::WholeLines => &["whole_lines", "unit"],
            Self::CutTokens => &["tokens", "unit"],
            Self::Degree { .. } => &["degree"],
            Self::Shape { .. } | Self::HalfShape | Self::ShortSignatures { .. } => {
                &["bands", "rows"]
            }
            Self::Unreachable { .. } => &["bands", "rows", "threshold", "recall"],
            Self::NoShape { .. } | Self::FewSlots { .. } => &["recall", "threshold"],
            Self::NothingToEstimate => &["verify", "method"],
            Self::NoEstimate => &["verify", "candidates"],
            Self::GrowingModulus => &["modulus", "measure"],
            Self::Sampled { .. } => &["modulus", "threshold", "recall"],
            Self::Run { .. } => &["run_length", "threshold", "recall"],
            Self::Common => &["common"],
            Self::TokensDistance => &["distance", "features"],
            Self::Distance { .. } => &["distance", "bits"],
            Self::GreedyContainment => &["cluster", "measure"],
            Self::GreedyFinds => &["cluster", "method", "candidates", "bands", "permutations"],
            Self::MinContainment(_) => &["min_containment"],
            Self::MinContainmentOf => {
                &["min_containment", "measure", "verify", "method", "cluster"]
            }
            Self::NoContainment | Self::SketchContainment(_) => {
                &["measure", "candidates", "method"]
            }
            Self::SimHashBits(_) | Self::SlotBits(_) => &["bits"],
            Self::Sentences => &["longest"],
            Self::Blocks { .. } | Self::Tables { .. } => {
                &["blocks", "distance", "bits", "threshold"]
            }
            Self::EmptySample | Self::TooManyClustered { .. } => &["sample"],
            Self::Language(_) => &["anchors"],
            Self::Anchored(_) => &["anchors", "tokens", "fingerprint"],
            Self::Set(_) => &[
                "tokens",
                "fold",
                "shingle",
                "anchors",
                "fingerprint",
                "method",
                "preset",
            ],
            Self::KeepField(_) => &["keep"],
            Self::Slots { .. }
            | Self::NoUnion(_)
            | Self::NotASketch(_)
            | Self::Level { .. }
            | Self::Resemblance(_)
            | Self::Margin(_)
            | Self::Region { .. }
            | Self::Confidence(_)
            | Self::NoSample { .. }
            | Self::UnlikeSketches { .. }
            | Self::NotBuilt { .. }
            | Self::Scores { .. } => &[],
        }
    }
}
