//! lookalike over files: reading, threads, temporary files, writing. The algorithms are the core's; this crate brings texts
//! to them and decisions back, in some 300 bytes of memory a document, with the same bytes for any number of threads.
//!
//! A run ([`dedup()`]) passes over its input up to three times:
//!
//! 1. *sketching*: every text becomes a digest, a b-bit sketch and one key a band;
//! 2. *pairing*: keys become buckets; copies and documents alone in all bands are settled;
//! 3. *loading*: the shingle sets of those that share a band are made and spilled;
//! 4. *deciding*: down keep order, by the law, with exact verification;
//! 5. *writing*: kept lines byte for byte, and the decisions.
//!
//! With a folder for its state ([`Resume`]) a run records what the passes over its input give, and another run goes on from there.
//!
//! What it decided can be put onto every record instead of dropping any ([`Outputs::label`]), and dropped by later ([`apply()`]).
//!
//! To judge what came of it, [`enrol`] tells documents by their ids and labels, [`sample_truth`] finds all that is similar to a
//! random sample, and [`read_pairs`] and [`read_decisions`] read pairs and decisions back.

// What data reaches gives an error, never a panic; where one stands, it says why nothing reaches it.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo))]

mod config;

mod numbers;

mod state;

mod pass;

mod sketching;

mod pairing;

mod matching;

mod crowds;

mod deciding;

mod jobs;

pub use config::{Estimate, Observer, Progress, Resume, RunConfig, Stage, UNOBSERVED};
pub use deciding::all_matches::PairFigures;
pub use jobs::{
    apply::{Applied, apply},
    dedup::{
        dedup, dedup_told,
        emit::Tell,
        opened::Outputs,
        summary::{Against, Summary},
    },
    eval::{
        answers::{read_decisions, read_pairs},
        roll::{Roll, enrol},
        sample::{SampleTruth, SimilarPair, sample_truth},
    },
    link::{
        Link, LinkSummary,
        candidates::BlockFigures,
        distances::{RightShare, RightShares},
        explain::{BlockExplained, FieldExplained, LinkExplained, explain_link},
        link,
        truth::{Judged, LinkShares},
    },
    minutiae::{
        CardsSummary, FirstPairs, Genuine,
        card::{Cards, First},
        cards,
    },
    mirrors::{
        MirrorOutputs, MirrorsSummary,
        lines::{Mirroring, SiteLine},
        mirrors,
        sites::{SiteBy, SitesBy},
    },
    pairs::{Pair, PairsSummary, TellPair, pairs, pairs_told},
    passages::{
        PassagesSummary,
        asked::{Quoting, TellQuoted},
        passages, passages_told,
        report::{Offsets, Quoted, SharedPassage, Shares},
    },
};
pub use matching::finding::{Finding, ShortTexts};
pub use pass::{by_id::find_texts, refused::refused as application_error};
pub use state::Resumed;

#[cfg(feature = "faults")]
pub use lookalike_io::disk::faults;
#[cfg(feature = "html")]
pub use lookalike_io::read::Extractor;
pub use lookalike_io::{
    built_features,
    error::{Error, ErrorKind, Front, Place, Result, Setting, Words, said},
    format::{Format, Html},
    input_table::InputTable,
    memory::peak_memory,
    read::{LeftOut, PACKED, read_document},
    store::{refuse_url, shown_name, shown_path},
    words,
    write::{Decided, IdKind, LateOutput, Likeness, Representative, reason_name},
};
#[cfg(feature = "tables")]
pub use lookalike_io::{
    input_table::JSON,
    quiet::quietly,
    read::table::{Nulls, write_json_lines},
    sound::check_batch,
};

/// The README's example is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
