//! Texts → the passages that they share, with their places in both.

mod references;

pub(crate) mod report;

pub(crate) mod asked;

mod best;

mod looking;

use std::{
    path::{Path, PathBuf},
    sync::atomic::AtomicUsize,
};

use lookalike::{Candidates, Cluster, Config, Method, runs::Winnowing, text::TokensBy};
use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting, without_panic},
    memory::peak_memory,
    read::{Blocks, LeftOut},
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
    pass::open::{Means, Opened, Sources, open},
    sketching::{self, Beside, refuse_repeated_references},
};

/// What was looked at and found.
#[derive(Debug, Clone, Serialize)]
pub struct PassagesSummary {
    /// Texts that were held; among the texts of one collection, all.
    pub texts_a: u64,
    /// Texts that were compared with them.
    pub texts_b: u64,
    /// Pairs of texts that share a passage.
    pub pairs: u64,
    /// Their passages.
    pub passages: u64,
    /// Pairs of texts that share passages, and of which neither is contained far enough in the other.
    pub pairs_left_out: u64,
    /// Every run of so many tokens that two texts share was looked for.
    pub least: usize,
    /// But by none of these windows, which stand in too many texts.
    pub windows_aside: u64,
    /// Bytes of memory that the run took more than it was to take.
    pub above_memory: u64,
    /// Pages that were too large or nested too deeply to be looked for a main part, so that all their text was compared.
    pub too_large: u64,
    /// Lines set aside as no records.
    pub bad_lines: u64,
    /// The first of them, told.
    pub bad_examples: Vec<Error>,
    /// Files of folders that were not read; none where all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

/// Finds what texts of the references and of the inputs share word for word, or, without references, the texts of the inputs among
/// themselves. Writes each pair with its passages, in the order of the second and then of the first.
///
/// Every run of `least` tokens or more that two texts share lies in a passage, on both sides. The references' texts are held, or the
/// inputs' where there are none: an index of 17 bytes for some `least / 4` tokens, and texts and tokens, which go to temporary files
/// where memory is short. The others are read twice. The same for any number of threads.
///
/// # Errors
/// As [`pairs`](crate::jobs::pairs::pairs), and a length that cannot be looked for.
pub fn passages(config: &RunConfig, asked: &Quoting, output: Option<&Path>, observer: Observer) -> Result<PassagesSummary> {
    let stdout = PathBuf::from("-");
    without_panic(|| all_passes(config, asked, Wanted::Written(output.unwrap_or(&stdout)), observer))
}

/// The same, and pairs are told instead of written: every pair, or the [best](Quoting::best), those that share most first.
///
/// # Errors
/// As [`passages`], and what `tell` gives.
pub fn passages_told(config: &RunConfig, asked: &Quoting, tell: &mut TellQuoted, observer: Observer) -> Result<PassagesSummary> {
    without_panic(|| all_passes(config, asked, Wanted::Told(tell), observer))
}

fn all_passes(config: &RunConfig, asked: &Quoting, mut wanted: Wanted, observer: Observer) -> Result<PassagesSummary> {
    let (winnowing, method) = check(config, asked)?;
    let path = match wanted {
        Wanted::Written(path) => Some(path),
        Wanted::Told(_) => None,
    };
    let Opened { sources, outputs: [mut output], mut bad, means: Means { pool, budget } } = open(config, [path], "passages")?;
    let Sources { source, references, left_out } = sources;
    let among = references == 0;
    let beside = Beside { bad: bad.as_mut(), ..Beside::default() };
    let table = sketching::sketch(config, &method, &source, &budget, &pool, beside, observer)?;
    table.refuse_more_than_32_bits("finding passages")?;
    if !config.allow_repeated_ids {
        refuse_repeated_references(&table, &source)?;
    }
    let pass = Pass { config, method: &method, source: &source, table: &table, pool: &pool, observer };
    let blocks = if among { Blocks::again(&source) } else { Blocks::of_references(&source) };
    let (held, index) = Held::load(pass, blocks, winnowing, asked.common.unwrap_or(u32::MAX))?;

    let lines = path.is_some();
    let most = asked.best.filter(|_| !lines);
    let floor = AtomicUsize::new(if most == Some(0) { usize::MAX } else { 0 });
    let looking = Looking { pass, asked, held: &held, index: &index, among, lines, most, floor: &floor };
    let counts = looking.all(output.as_mut(), &mut wanted)?;
    finish([bad, output])?;
    let held_texts = if among { table.documents } else { table.references.documents };
    Ok(PassagesSummary {
        texts_a: held_texts,
        texts_b: if among { held_texts } else { table.documents - held_texts },
        pairs: counts.pairs,
        passages: counts.passages,
        pairs_left_out: counts.left,
        least: asked.least,
        windows_aside: index.aside(),
        above_memory: peak_memory().map_or(0, |peak| budget.above(peak)),
        too_large: table.counts.too_large,
        bad_lines: table.counts.bad_lines,
        bad_examples: table.counts.bad_examples.clone(),
        left_out,
    })
}

/// What is asked for, checked.
fn check(config: &RunConfig, asked: &Quoting) -> Result<(Winnowing, Method)> {
    let winnowing = Winnowing::new(asked.least)?;
    if !(0.0..=1.0).contains(&asked.containment) {
        let what = words![(Setting::Containment, asked.containment.to_string()), ": is no containment"];
        return Err(Error::new(ErrorKind::Config, what).advise("give a number from 0 to 1, such as 0.1"));
    }
    if config.method.tokens == TokensBy::Items {
        let what = words![Setting::SetField, ": a set has no order, and so no passages"];
        return Err(Error::new(ErrorKind::Config, what).advise("compare sets with lookalike pairs or compare"));
    }
    let plain = Config { candidates: Candidates::Exact, verify: None, cluster: Cluster::Law, ..config.method.clone() };
    Ok((winnowing, Method::new(plain)?))
}
