//! Finds the passages that texts share, with their positions in both texts.
//!
//! The first pass reads only ids. Then the texts of the references are read into stores, and an
//! index of their selected windows is built (`references.rs`). All other texts are looked up in
//! this index, block by block (`looking.rs`). If several reference texts are equal, the index has
//! only the first of them.

mod references;

mod shared;

pub(crate) mod report;

pub(crate) mod asked;

mod best;

mod looking;

mod html;

use std::{
    path::{Path, PathBuf},
    sync::atomic::AtomicUsize,
};

use lookalike::{Method, regions::RegionSettings, runs::Winnowing, text::TokensBy};
use lookalike_io::{
    error::{Error, ErrorKind, Result, without_panic},
    memory::peak_memory,
    read::{Blocks, Unread},
    words,
    write::finish,
};
use serde::Serialize;

use self::{
    asked::{Quoting, TellQuoted, Wanted},
    looking::Looking,
    references::Held,
};
use crate::{
    config::{Observer, RunConfig},
    matching::sets::Pass,
    pass::open::{Means, Opened, Sources, create, open},
    reporting::ReportFigures,
    sketching::{self, Beside, refuse_repeated_references, without_candidates},
};

/// The number of texts compared, and the results.
#[derive(Debug, Clone, Serialize)]
pub struct PassagesSummary {
    /// The number of held texts (the texts in the index). If one collection is compared with itself, all of its texts are held.
    pub texts_a: u64,
    /// The number of texts that were compared with the held texts.
    pub texts_b: u64,
    /// Pairs of texts that share a passage or, if regions are searched, a region.
    pub pairs: u64,
    /// The total number of passages in these pairs.
    pub passages: u64,
    /// Pairs of texts that share passages, but are left out because neither text's containment in the other reaches the requested
    /// minimum.
    pub pairs_left_out: u64,
    /// The minimum length of a run. Every run of tokens that two texts share is found if it has at least this length.
    pub least: usize,
    /// The conditions for regions; `None` if passages are runs and joined runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<RegionFigures>,
    /// The number of windows (short runs of tokens by which texts are found in the index) that were excluded from the search
    /// because they occur in too many texts.
    pub windows_aside: u64,
    /// Bytes of memory that the run used above its limit.
    pub above_memory: u64,
    /// Pages that were too large or nested too deeply for finding their main part, so that all their text was compared.
    pub too_large: u64,
    /// What was not read as a document.
    #[serde(flatten)]
    pub unread: Unread,
    /// The report; `None` if no report was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<ReportFigures>,
}

/// The conditions for regions, as the summary reports them: see [`RegionSettings`].
#[derive(Debug, Clone, Copy, Serialize)]
pub struct RegionFigures {
    /// The maximum distance of neighbouring shared tokens.
    pub gap: usize,
    /// The minimum number of tokens.
    pub tokens: usize,
    /// The minimum density.
    pub density: f64,
    /// The minimum score.
    pub score: f64,
}

impl From<RegionSettings> for RegionFigures {
    fn from(
        RegionSettings {
            gap,
            tokens,
            density,
            score,
        }: RegionSettings,
    ) -> Self {
        Self {
            gap,
            tokens,
            density,
            score,
        }
    }
}

/// Finds the passages that texts of the references share word for word with texts of the inputs. Without references, it finds the
/// passages that texts of the inputs share with each other. Each pair is written with its passages. Pairs are ordered by the
/// second text and then by the first.
///
/// If regions are wanted, a passage is a region: it may be changed, and a run that is too short, or whose surroundings differ too
/// much, is in none. Otherwise, every run of `least` or more tokens that two texts share is part of a passage, in both texts.
///
/// The texts of the references are held and indexed; without references, the texts of the inputs are. The index takes 17 bytes per
/// `least / 4` tokens, approximately. Held texts and their tokens go to temporary files when memory is short. The other texts are
/// read twice. The result is the same for any number of threads.
///
/// # Errors
/// Fails for the same reasons as [`pairs`](crate::jobs::pairs::pairs); also if the minimum length is invalid.
pub fn passages(
    config: &RunConfig,
    asked: &Quoting,
    output: Option<&Path>,
    observer: Observer,
) -> Result<PassagesSummary> {
    let stdout = PathBuf::from("-");
    without_panic(|| {
        all_passes(
            config,
            asked,
            Wanted::Written(output.unwrap_or(&stdout)),
            observer,
        )
    })
}

/// Does the same as [`passages`], but passes pairs to a callback instead of writing them. Either all pairs are reported, or only
/// the [best](Quoting::best), beginning with the pairs that share most.
///
/// # Errors
/// Fails for the same reasons as [`passages`], and with any error that `tell` returns.
pub fn passages_reporting(
    config: &RunConfig,
    asked: &Quoting,
    tell: &mut TellQuoted,
    observer: Observer,
) -> Result<PassagesSummary> {
    without_panic(|| all_passes(config, asked, Wanted::Reported(tell), observer))
}

fn all_passes(
    config: &RunConfig,
    asked: &Quoting,
    mut wanted: Wanted,
    observer: Observer,
) -> Result<PassagesSummary> {
    let (winnowing, method) = check(config, asked)?;
    let path = match wanted {
        Wanted::Written(path) => Some(path),
        Wanted::Reported(_) => None,
    };
    let Opened {
        sources,
        outputs: [mut output],
        mut bad,
        means: Means { pool, budget },
    } = open(config, [path], "passages")?;
    let [mut report] = create(
        config,
        [config.report.as_ref().map(|report| report.path.as_path())],
    )?;
    let Sources { source, references } = sources;
    let among = references == 0;
    let beside = Beside {
        bad: bad.as_mut(),
        ..Beside::default()
    };
    let table = sketching::sketch(config, &method, &source, &budget, &pool, beside, observer)?;
    table.refuse_more_than_32_bits("finding passages")?;
    if !config.allow_repeated_ids {
        refuse_repeated_references(&table, &source)?;
    }
    let pass = Pass {
        config,
        method: &method,
        source: &source,
        table: &table,
        pool: &pool,
        observer,
    };
    let blocks = if among {
        Blocks::again(&source)
    } else {
        Blocks::of_references(&source)
    };
    let (held, index) = Held::load(pass, blocks, winnowing, asked.common.unwrap_or(u32::MAX))?;

    let lines = path.is_some();
    let most = match (asked.best.filter(|_| !lines), &report) {
        (best, Some(_)) => Some(best.unwrap_or(0).max(html::MOST)),
        (best, None) => best,
    };
    let floor = AtomicUsize::new(if most == Some(0) { usize::MAX } else { 0 });
    let looking = Looking {
        pass,
        asked,
        held: &held,
        index: &index,
        among,
        lines,
        most,
        floor: &floor,
    };
    let (counts, best) = looking.all(output.as_mut(), &mut wanted)?;
    let held_texts = if among {
        table.documents
    } else {
        table.references.documents
    };
    let mut summary = PassagesSummary {
        texts_a: held_texts,
        texts_b: if among {
            held_texts
        } else {
            table.documents - held_texts
        },
        pairs: counts.pairs,
        passages: counts.passages,
        pairs_left_out: counts.left,
        least: asked.least,
        regions: asked.regions.map(RegionFigures::from),
        windows_aside: index.excluded(),
        above_memory: peak_memory().map_or(0, |peak| budget.above(peak)),
        too_large: table.counts.too_large,
        unread: table.counts.unread.clone(),
        report: None,
    };
    if let (Some(output), Some(best)) = (&mut report, &best) {
        let (html, figures) = html::page(pass, asked, best, (&summary, summary.pairs))?;
        output.write(html.as_bytes())?;
        summary.report = Some(figures);
    }
    finish([bad, report, output])?;
    Ok(summary)
}

/// Checks the request.
fn check(config: &RunConfig, asked: &Quoting) -> Result<(Winnowing, Method)> {
    let winnowing = Winnowing::new(asked.least)?;
    asked.regions.map_or(Ok(()), |regions| regions.check())?;
    if !(0.0..=1.0).contains(&asked.containment) {
        let what = words![
            "$containment",
            format!(" must be from 0 to 1, got {}", asked.containment)
        ];
        return Err(Error::new(ErrorKind::Config, what).advise("for example 0.1"));
    }
    if config.method.tokens == TokensBy::Items {
        let what = "$set_field: a set has no order and therefore no passages";
        return Err(Error::new(ErrorKind::Config, what)
            .advise("to compare sets, use `lookalike pairs` or `lookalike compare`"));
    }
    Ok((winnowing, without_candidates(&config.method)?))
}
