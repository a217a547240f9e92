//! Runs lookalike over files: reads inputs, manages threads and temporary files, and writes outputs. The core (the crate
//! `lookalike`) has the algorithms; this crate feeds texts to the core and writes the core's decisions. It uses about 300 bytes
//! of memory per document, and its output is the same for any number of threads.
//!
//! A run ([`dedup()`]) makes up to three passes over its input, in five stages:
//!
//! 1. *sketching*: computes a digest, a b-bit sketch and one key per band for every text;
//! 2. *pairing*: groups keys into buckets, and decides two kinds of documents: copies, and documents that have no candidate
//!    because they share no bucket with a document whose sketch is similar enough to their own;
//! 3. *loading*: makes and spills the shingle sets of documents that share a band;
//! 4. *deciding*: applies the law (the rule for what is dropped) in keep order (the order in which documents are considered),
//!    with exact verification;
//! 5. *writing*: writes the kept lines byte for byte, and the decisions.
//!
//! With a state folder ([`Resume`]), a run records the results of its passes over the input, so that another run can resume where
//! the first run stopped.
//!
//! Instead of dropping documents, a run can add its decisions to every record ([`Outputs::label`]). Decisions can also be applied
//! later ([`apply()`]).
//!
//! To evaluate results, [`enrol`] identifies documents by their ids and labels, and [`sample_truth`] finds everything that is
//! similar to a random sample. [`read_pairs`] and [`read_decisions`] read pairs and decisions back. [`audit()`] judges the result of any
//! program.

// Anything that input data can trigger is an error, never a panic. If code may panic, a comment next to it says why no input data
// can cause the panic.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo
    )
)]

mod config;

mod numbers;

mod state;

mod pass;

mod sketching;

mod pairing;

mod matching;

mod crowds;

mod deciding;

mod reporting;

pub mod parts;

mod jobs;

pub use config::{
    Estimate, Observer, OtherFields, Outputs, Progress, ReportConfig, Resume, RunConfig, SimilarIn,
    Stage, UNOBSERVED,
};
pub use deciding::all_matches::PairFigures;
pub use jobs::{
    apply::{Applied, AppliedPairs, apply, options::ApplyOptions},
    audit::{
        AuditSummary, AuditedCluster, Cause, ClusterFigures, KeptFigures, NamedFigures,
        RemovalFigures, ResultFigures, SimilarityBar, WorstMissed, WorstRemoval,
        asked::{AuditedResult, Auditing, ResultKind},
        audit,
        options::AuditOptions,
    },
    cut::{
        CutDocument, CutPlace, CutSummary, Cutting, LargestSource, TellCut, cut, cut_reporting,
        options::{CutOptions, CutWithin},
    },
    dedup::{
        dedup, dedup_reporting, dedup_storing,
        emit::Tell,
        listed::dedup_listed,
        options::{DedupOptions, DedupPlan},
        storing::{DecidedDocument, Represented},
        summary::{Against, ComparedField, ComparedFields, PerGroup, Summary},
    },
    documents::{DocumentsRead, InputDocument, each_document, refuse_outputs},
    eval::{
        answers::{read_decisions, read_pairs},
        roll::{Roll, enrol},
        sample::{SampleTruth, SimilarPair, sample_truth},
    },
    link::{
        asked::Link,
        distances::{RightShare, RightShares},
        explain::explain_link,
        fields::{BlockExplained, FieldExplained, LinkExplained},
        file::read_link_config,
        judging::{Judged, LinkShares},
        learning::estimated::{FieldLearned, LabelsLearned, Learned},
        link,
        looking::{
            clusters::{ClusterSize, LargeCluster, WeakestLink},
            records::NamedRecord,
            scores::{Scale, ScoreHistogram},
            thresholds::{AtThreshold, Thresholds, ThresholdsBy},
            unlinkable::{Unlinkable, UnlinkableRecord},
        },
        options::LinkOptions,
        pairing::candidates::BlockFigures,
        plan::{BlockPlan, LinkPlan, plan_link},
        suggest::suggest_link,
        summary::LinkSummary,
    },
    minutiae::{
        CardsSummary, FirstPairs, Genuine,
        card::{Cards, First, Print},
        cards, cards_among,
        comparing::Comparison,
        options::{MinutiaeOptions, ModelOptions, PrintsBy},
    },
    mirrors::{
        MirrorOutputs, MirrorsSummary,
        history::{Crawl, CrawlFigures, Following, HistorySummary, history},
        lines::{Mirroring, SiteLine},
        mirrors,
        options::MirrorsOptions,
        remaining::CHANGED as SECOND_ROUND,
        sites::{SiteBy, SitesBy},
    },
    pairs::{Pair, PairsSummary, TellPair, options::PairsOptions, pairs, pairs_reporting},
    passages::{
        PassagesSummary, RegionFigures,
        asked::{Quoting, TellQuoted},
        passages, passages_reporting,
        report::{Offsets, Quoted, SharedPassage, Shares},
    },
    sketch::{
        SketchSummary,
        compare::{find_sketches, sketch_parameters, sole_sketches},
        figures::SketchFigures,
        merge::merge_sketches,
        sketch,
    },
    stages,
};
pub use matching::finding::{Finding, ShortTexts};
pub use pass::{by_id::find_texts, refused::refused as application_error};
pub use reporting::ReportFigures;
pub use sketching::signs::Hint;
pub use state::Resumed;

#[cfg(feature = "faults")]
pub use lookalike_io::disk::faults;
#[cfg(feature = "html")]
pub use lookalike_io::read::Extractor;
pub use lookalike_io::{
    built_features,
    disk::folder_of,
    error::{Error, ErrorKind, Front, Neutral, Place, Result, Setting, Words, said},
    format::{Format, Html, OutputFormat},
    input_table::InputTable,
    memory::peak_memory,
    read::{LeftOut, PACKED, StoredRecords, Unread, read_document},
    store::{refuse_url, shown_name, shown_path},
    words,
    write::{
        Decided, IdKind, LateOutput, Likeness, Limit, Output, Representative, decisions_name,
        finish as finish_outputs, go_on_without_readers, reason_name, unless_closed,
    },
};
#[cfg(feature = "tables")]
pub use lookalike_io::{
    input_table::JSON,
    quiet::quietly,
    read::table::{Nulls, with_texts, write_json_lines},
    sound::check_batch,
};

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
