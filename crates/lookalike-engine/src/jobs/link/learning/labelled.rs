//! Learns weights from labelled pairs, and checks them by cross-validation.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use lookalike::fingerprint::finish;
use lookalike_applications::records::{
    Linker, Matching, Scored, Weights,
    learned::{Estimate, Model, Pattern, Patterns, Sample, fit_labelled},
};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    pool::{install, par_pieces},
    spill::Budget,
};
use rayon::ThreadPool;

use super::estimated::{Background, LabelsLearned, learned, thin};
use crate::{
    config::{Observer, Stage},
    jobs::link::{
        looking::scores::{Scale, Scores},
        pairing::candidates::{Wanted, candidates},
        reading::{
            records::Gathered,
            truth::{Truth, kind_of},
        },
    },
};

/// The number of parts of a cross-validation.
const FOLDS: u64 = 5;

/// The smallest number of labelled matches from which weights can be estimated.
const LEAST: usize = 10;

/// A linker that scores pairs as its configuration says.
pub(in crate::jobs::link) struct Taught {
    pub(in crate::jobs::link) linker: Linker,
    /// The labels from which it learned.
    pub(in crate::jobs::link) labels: Option<LabelsLearned>,
    /// The scores of labelled candidates, each by a model that was learned without the labels of its cluster.
    pub(in crate::jobs::link) held_out: Option<Scores>,
}

/// Learns weights if the configuration says so. The result depends only on the records and the labels.
///
/// # Errors
/// Fails if weights cannot be learned from the records or from the labels, or if there are no labels.
pub(in crate::jobs::link) fn taught(
    linker: Linker,
    gathered: &Gathered,
    truth: Option<&Truth>,
    means: (&Arc<Budget>, &ThreadPool),
    observer: Observer,
) -> Result<Taught> {
    let untaught = |linker| Taught {
        linker,
        labels: None,
        held_out: None,
    };
    // From an empty collection, there is nothing to learn and nothing to link.
    if gathered.pairs() == 0 {
        return Ok(untaught(linker));
    }
    match (linker.config().weights, truth) {
        (Weights::Points, _) => Ok(untaught(linker)),
        (Weights::Learned, _) => {
            let model = learned(gathered, &linker, means, observer)?;
            Ok(untaught(linker.with_model(model)))
        }
        (Weights::Labelled, Some(truth)) => from_labels(linker, gathered, truth, means, observer),
        (Weights::Labelled, None) => Err(without_labels()),
    }
}

/// The error for weights that need labels.
pub(in crate::jobs::link) fn without_labels() -> Error {
    let what = "weights = \"labelled\" needs labelled pairs";
    let give = "give $label_field or $truth, or set weights = \"learned\"";
    Error::new(ErrorKind::Config, what).advise(give)
}

fn from_labels(
    linker: Linker,
    gathered: &Gathered,
    truth: &Truth,
    (budget, pool): (&Arc<Budget>, &ThreadPool),
    observer: Observer,
) -> Result<Taught> {
    let labelled = Labelled::candidates(gathered, &linker, truth, (budget, pool), observer)?;
    let [matches, others, _] = &labelled.kinds;
    if matches.pairs.len() < LEAST {
        let what = match matches.pairs.len() {
            0 => "no candidate is labelled as a match".into(),
            1 => "only 1 candidate is labelled as a match".into(),
            some => format!("only {some} candidates are labelled as matches"),
        };
        let what = format!("weights cannot be learned from labels: {what}");
        let advice = format!(
            "label at least {LEAST}, add blocks that make more candidates, or set weights = \"learned\""
        );
        return Err(Error::new(ErrorKind::Config, what).advise(advice));
    }
    let background = Background::new(gathered, &linker, (budget, pool));
    let estimate = labelled.fit(&linker, &background, &|_| true);
    let folds = truth.folds(gathered.records.len(), FOLDS);
    let held_out = labelled.cross_validated(&linker, gathered, &background, &folds, pool);
    let labels = LabelsLearned {
        matches: matches.pairs.len() as u64 * matches.each(),
        others: others.pairs.len() as u64 * others.each(),
        folds: held_out.is_some().then_some(FOLDS),
    };
    let linker = linker.with_model(Model::new(estimate, background.frequencies));
    Ok(Taught {
        linker,
        labels: Some(labels),
        held_out,
    })
}

struct Pair {
    hash: u64,
    a: u32,
    b: u32,
    pattern: Pattern,
}

/// A random sample of the candidates of one kind.
#[derive(Default)]
struct Kind {
    pairs: Vec<Pair>,
    /// How often the candidates were halved, by the hashes of the pairs.
    halved: u32,
}

impl Kind {
    /// Returns the number of candidates that each of these represents.
    fn each(&self) -> u64 {
        1 << self.halved
    }

    /// Returns the highest hash of the sample.
    fn limit(&self) -> u64 {
        u64::MAX >> self.halved
    }
}

/// Samples of the candidates that are labelled as matches, that are labelled as no matches, and that have no label.
struct Labelled {
    kinds: [Kind; 3],
}

impl Labelled {
    fn candidates(
        gathered: &Gathered,
        linker: &Linker,
        truth: &Truth,
        (budget, pool): (&Arc<Budget>, &ThreadPool),
        observer: Observer,
    ) -> Result<Self> {
        let mut kinds: [Kind; 3] = Default::default();
        // A worker may still use an older limit, which is higher. The pairs above the new limit are left out when they arrive.
        let limits = [const { AtomicU64::new(u64::MAX) }; 3];
        let pair = |a: u32, b: u32| {
            let kind = kind_of(truth.label(a, b));
            let hash = finish(u64::from(a) << 32 | u64::from(b));
            let is_in = hash <= limits[kind].load(Ordering::Relaxed);
            is_in.then(|| {
                (
                    kind,
                    Pair {
                        hash,
                        a,
                        b,
                        pattern: linker.pattern(&gathered.records, a, b),
                    },
                )
            })
        };
        candidates(
            (gathered, linker),
            Wanted::All,
            (budget, pool),
            (observer, Stage::Learning),
            pair,
            |(number, pair)| {
                let kind = &mut kinds[number];
                if pair.hash <= kind.limit() {
                    kind.pairs.push(pair);
                }
                thin(&mut kind.pairs, &mut kind.halved, &limits[number], |pair| {
                    pair.hash
                });
                Ok(())
            },
        )?;
        Ok(Self { kinds })
    }

    /// Estimates weights from the labelled pairs that `is_known` returns true for.
    fn fit(
        &self,
        linker: &Linker,
        background: &Background,
        is_known: &dyn Fn(&Pair) -> bool,
    ) -> Estimate {
        let [matches, _, unlabelled] = &self.kinds;
        let (mut of_matches, mut of_unlabelled) = (Patterns::default(), Patterns::default());
        matches
            .pairs
            .iter()
            .filter(|pair| is_known(pair))
            .for_each(|pair| of_matches.add(pair.pattern));
        unlabelled
            .pairs
            .iter()
            .for_each(|pair| of_unlabelled.add(pair.pattern));
        // If only some labels are known, the known matches represent all of them.
        let each =
            matches.each() as f64 * matches.pairs.len() as f64 / of_matches.pairs().max(1) as f64;
        let sample = Sample {
            patterns: &of_matches,
            each,
            rivals: None,
        };
        let unlabelled = Sample {
            patterns: &of_unlabelled,
            each: unlabelled.each() as f64,
            rivals: None,
        };
        fit_labelled(&linker.levels(), sample, unlabelled, background.possible())
    }

    /// Scores each labelled pair by a model that was made without the labels of its first record's part. `folds` has each record's part.
    /// Returns `None` if the labelled matches are in so few clusters that a part has none of them, or all.
    fn cross_validated(
        &self,
        linker: &Linker,
        gathered: &Gathered,
        background: &Background,
        folds: &[u8],
        pool: &ThreadPool,
    ) -> Option<Scores> {
        let [matches, others, _] = &self.kinds;
        let mut scored: Vec<(Scored, bool)> = Vec::new();
        for fold in 0..FOLDS as u8 {
            let of = |record: u32| folds[record as usize];
            let is_known = |pair: &Pair| of(pair.a) != fold && of(pair.b) != fold;
            let known = matches.pairs.iter().filter(|pair| is_known(pair)).count();
            if known == 0 || known == matches.pairs.len() {
                return None;
            }
            let estimate = self.fit(linker, background, &is_known);
            let linker = linker
                .clone()
                .with_model(Model::new(estimate, Arc::clone(&background.frequencies)));
            for (kind, is_match) in [(matches, true), (others, false)] {
                let score = |&Pair { a, b, .. }: &Pair| {
                    let score = if of(a) == fold {
                        linker.score(&gathered.records, a, b)?
                    } else {
                        return None;
                    };
                    Some((Scored { a, b, score }, is_match))
                };
                let some = |_, pairs: Vec<_>| pairs.into_iter().filter_map(score).collect();
                let some: Vec<Vec<_>> = install(pool, || par_pieces(&kind.pairs, some));
                scored.extend(some.into_iter().flatten());
            }
        }
        let are_all = matches.halved == 0 && others.halved == 0;
        if linker.is_one_to_one() && are_all {
            scored.sort_unstable_by(|(x, _), (y, _)| {
                y.score
                    .total_cmp(&x.score)
                    .then((x.a, x.b).cmp(&(y.a, y.b)))
            });
            let mut matching = Matching::new(gathered.records.len());
            scored.retain(|(pair, _)| matching.takes(pair));
        }
        let mut scores = Scores::new(Scale::Bits);
        for (pair, is_match) in scored {
            scores.add(
                pair.score,
                Some(is_match),
                if is_match {
                    matches.each()
                } else {
                    others.each()
                },
            );
        }
        Some(scores)
    }
}
