//! Ranks pairs of prints on fingerprint cards by how likely they are to come from the same finger.
//! All prints are in memory.

pub(crate) mod comparing;

pub(crate) mod card;

pub(crate) mod options;

mod gathered;

mod rows;

mod templates;

mod gathering;

mod rates;

use std::{collections::BTreeMap, path::Path};

use lookalike_applications::minutiae::{By, FEWEST_ALIGNED, Minutia, Ranked, Ranking};
use lookalike_io::{
    error::{Error, Result, without_panic},
    read::Input,
    write::{Output, finish, refuse_other_than_lines, refuse_overwriting},
};
use serde::Serialize;
use serde_json::value::RawValue;

use self::{
    card::{Card, Cards, First, Print},
    comparing::{Comparison, each_candidate},
    gathering::{gather, of_memory},
    rates::Rates,
};
use crate::{config::RunConfig, pass::open::pool};

/// A line of the output: two prints, the earlier one first.
#[derive(Serialize)]
struct CardPair<'a> {
    a: &'a RawValue,
    b: &'a RawValue,
    score: f64,
    /// Whether both prints have the same label.
    #[serde(skip_serializing_if = "Option::is_none")]
    same: Option<bool>,
}

/// The number of prints compared, and the results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CardsSummary {
    /// Prints read.
    pub prints: u64,
    /// Pairs of prints that may be compared with each other.
    pub pairs: u64,
    /// The number of candidate pairs. With a grid, these are the pairs that share a set of squares; otherwise, the pairs that
    /// share at least one triangle.
    pub candidates: u64,
    /// Prints with fewer than three minutiae. They are in no candidate pair, because so few minutiae cannot be aligned and form
    /// no triangle.
    #[serde(skip_serializing_if = "is_none")]
    pub too_few: u64,
    /// Pairs written.
    pub written: u64,
    /// The evaluation of the pairs by their labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genuine: Option<Genuine>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// The results for genuine pairs, which are those with the same label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Genuine {
    /// Pairs of prints with the same label.
    pub pairs: u64,
    /// Genuine pairs that are candidates.
    pub candidates: u64,
    /// The equal error rate of the score: the rate of false matches at the score at which it equals the rate of false non-matches.
    /// Pairs that are not candidates have the lowest score. `None` if all pairs are genuine, or none is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal_error_rate: Option<f64>,
    /// How many genuine pairs are among the best pairs. Each entry is for the best pairs that make up one share of all pairs,
    /// such as the best 1 %.
    pub first: Vec<FirstPairs>,
}

/// The best pairs that make up a share of all pairs, and how many of them are genuine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FirstPairs {
    /// The share of all pairs.
    pub share: f64,
    /// The number of pairs that this share amounts to.
    pub pairs: u64,
    /// The number of genuine pairs among these best pairs.
    pub genuine: u64,
}

/// Shares of all pairs for which the number of genuine pairs is reported.
const SHARES: [f64; 3] = [0.001, 0.01, 0.1];

/// Reads prints, ranks their pairs, and writes the best pairs, by default to standard output. All prints are held in memory: each
/// minutia takes 12 bytes and, if triangles are used, each print takes about 150 kB more. The ranking stores up to twice as many
/// pairs as are wanted, and takes 16 bytes for each. If labels are used, the best tenth of all pairs is wanted in any case, for
/// the evaluation.
///
/// # Errors
/// Fails if an input cannot be read, if a record has no usable minutiae, if an id occurs twice, or if the settings of the grid or
/// of its random sets of squares are invalid.
pub fn cards(config: &RunConfig, asked: &Cards, output: Option<&Path>) -> Result<CardsSummary> {
    without_panic(|| {
        let output = output.unwrap_or(Path::new("-"));
        let cards = opened(config, asked, output)?;
        ranked(config, asked, &cards, output)
    })
}

/// Ranks the pairs of prints in memory, which errors call `name`, and writes the best pairs to `output`. The inputs of the
/// configuration are not read.
///
/// # Errors
/// Fails in the same cases as [`cards`].
pub fn cards_among(
    config: &RunConfig,
    asked: &Cards,
    name: &str,
    prints: Vec<Print>,
    output: &Path,
) -> Result<CardsSummary> {
    without_panic(|| {
        ranked(
            config,
            asked,
            &of_memory(config, asked, name, prints)?,
            output,
        )
    })
}

/// Reads the inputs, after it has checked that the outputs can be written.
fn opened(config: &RunConfig, asked: &Cards, output: &Path) -> Result<Vec<Card>> {
    let (inputs, templates) = templates::split(config)?;
    let read: Vec<Input> = inputs
        .iter()
        .cloned()
        .chain(
            templates
                .iter()
                .map(|template| Input::File(template.path.clone())),
        )
        .collect();
    refuse_overwriting(
        &[output]
            .into_iter()
            .chain(config.summary.as_deref())
            .collect::<Vec<_>>(),
        &read,
    )?;
    refuse_other_than_lines(output, "pairs")?;
    gather(config, asked, inputs, &templates)
}

fn ranked(
    config: &RunConfig,
    asked: &Cards,
    cards: &[Card],
    output: &Path,
) -> Result<CardsSummary> {
    let mut output = Output::create(output, config.threads)?;

    let mut groups: BTreeMap<Option<&str>, Vec<u32>> = BTreeMap::new();
    for (card, number) in cards.iter().zip(0..) {
        groups
            .entry(card.within.as_deref())
            .or_default()
            .push(number);
    }
    let pairs = groups.values().map(|group| pairs_of(group.len())).sum();
    let wanted = match asked.first {
        First::Share(share) => share_of(share, pairs),
        First::Pairs(pairs) => pairs,
    };
    let labelled = config.label_field.is_some();
    let judged = if labelled {
        SHARES.map(|share| share_of(share, pairs))
    } else {
        [0; 3]
    };
    let mut ranking = Ranking::new(judged.into_iter().fold(wanted, u64::max).min(pairs) as usize);
    let is_genuine = |a: u32, b: u32| cards[a as usize].is_of_the_same(&cards[b as usize]);
    let (mut candidates, mut genuine, mut rates) = (0, 0, Rates::default());
    let pool = pool(config.threads)?;
    for group in groups.values() {
        let prints: Vec<Vec<Minutia>> = group
            .iter()
            .map(|&number| cards[number as usize].minutiae.clone())
            .collect();
        each_candidate(&prints, &asked.by, &pool, |pair| {
            let pair = Ranked {
                a: group[pair.a as usize],
                b: group[pair.b as usize],
                ..pair
            };
            candidates += 1;
            if labelled {
                let is_genuine = is_genuine(pair.a, pair.b);
                genuine += u64::from(is_genuine);
                rates.push(pair.score, is_genuine);
            }
            ranking.push(pair);
        })?;
    }
    let ranked = ranking.into_pairs();
    let written = &ranked[..ranked.len().min(wanted as usize)];
    for &Ranked { a, b, score } in written {
        let same = labelled.then(|| is_genuine(a, b));
        let pair = CardPair {
            a: &cards[a as usize].id,
            b: &cards[b as usize].id,
            score,
            same,
        };
        let mut line =
            serde_json::to_vec(&pair).map_err(|error| Error::failure(error.to_string()))?;
        line.push(b'\n');
        output.write(&line)?;
    }
    finish([Some(output)])?;
    let first = |(share, pairs): (f64, u64)| FirstPairs {
        share,
        pairs,
        genuine: ranked
            .iter()
            .take(pairs as usize)
            .filter(|pair| is_genuine(pair.a, pair.b))
            .count() as u64,
    };
    let all_genuine = groups
        .values()
        .map(|group| genuine_pairs(group.iter().map(|&number| &cards[number as usize])))
        .sum();
    let genuine = labelled.then(|| Genuine {
        pairs: all_genuine,
        candidates: genuine,
        equal_error_rate: rates.equal([all_genuine, pairs - all_genuine]),
        first: SHARES.into_iter().zip(judged).map(first).collect(),
    });
    let too_few = match asked.by {
        Comparison::Plain(By::Grid(_)) => 0,
        Comparison::Plain(By::Aligned(_) | By::Neighbours(_))
        | Comparison::Nearest { .. }
        | Comparison::Reranked { .. } => cards
            .iter()
            .filter(|card| card.minutiae.len() < FEWEST_ALIGNED)
            .count() as u64,
    };
    Ok(CardsSummary {
        prints: cards.len() as u64,
        pairs,
        candidates,
        too_few,
        written: written.len() as u64,
        genuine,
    })
}

fn pairs_of(prints: usize) -> u64 {
    let prints = prints as u64;
    prints * prints.saturating_sub(1) / 2
}

fn share_of(share: f64, pairs: u64) -> u64 {
    (share * pairs as f64).ceil() as u64
}

fn genuine_pairs<'a>(cards: impl Iterator<Item = &'a Card>) -> u64 {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    cards
        .filter_map(|card| card.label.as_deref())
        .for_each(|label| *counts.entry(label).or_default() += 1);
    counts.values().map(|&count| pairs_of(count)).sum()
}
