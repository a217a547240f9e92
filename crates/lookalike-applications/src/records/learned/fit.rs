//! Estimates, without labels, how often matches and other pairs have each level of each field.

use std::collections::BTreeMap;

use super::{
    dependence::Parents,
    odds::{self, shares},
    others::{All, Expected},
    patterns::{Pattern, Patterns},
    rivals::{OfPattern, Rivals},
};

/// Candidates that were counted, and how many candidates each of them represents.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The patterns of the candidates.
    pub patterns: &'a Patterns,
    /// The number of all candidates divided by the number of these.
    pub each: f64,
    /// The same candidates, if each record is in at most one pair.
    pub rivals: Option<&'a Rivals>,
}

/// What is known of all possible pairs.
#[derive(Debug, Clone, Copy)]
pub struct Possible<'a> {
    /// Their number.
    pub pairs: f64,
    /// The patterns of random pairs.
    pub random: &'a Patterns,
    /// For each field, the share of the pairs with two values that have equal ones.
    pub equal: &'a [f64],
}

impl<'a> Possible<'a> {
    pub(super) fn all(self, levels: &'a [usize]) -> All<'a> {
        All {
            levels,
            random: self.random,
            equal: self.equal,
            possible: self.pairs,
        }
    }
}

/// The estimate for a field, by level; the first number is that of a missing value, which is no evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldEstimate {
    /// The share of the matches with two values that have the level.
    pub matches: Vec<f64>,
    /// The share of the other pairs with two values that have the level.
    pub others: Vec<f64>,
    /// The field on which this one depends in other pairs.
    pub parent: Option<usize>,
    /// For each level of that other field, a row with the weight of each level of this one, in bits; only one row if there is no other
    /// field. In a row, a weight is never lower than the one before.
    pub weights: Vec<Vec<f64>>,
}

/// What was estimated.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The expected number of matches.
    pub expected: f64,
    /// The share of matches among all possible pairs.
    pub prior: f64,
    /// The expected number of wrong decisions divided by the expected number of matches, if each pair that is more likely a match
    /// than not counts as one.
    pub doubt: f64,
    /// The estimates for the fields.
    pub fields: Vec<FieldEstimate>,
    /// The fields, each after the one on which it depends.
    pub order: Vec<usize>,
}

/// The largest number of rounds of a step. Real sets took from 5 to 60.
const ROUNDS: u32 = 200;

/// A step is finished if the number of matches changes by less than this share of it.
const CHANGE: f64 = 1e-6;

/// The first rounds count all random pairs as other pairs, because the first estimate of the matches is rough.
const ROUGH: u32 = 4;

/// How much the expectation below counts, compared with the data: first, and then, when dependent fields are known. Without it, the
/// largest group of pairs that resemble each other in any way becomes the matches: of 864 restaurants, those of one town with the same
/// cuisine.
const PRIORS: [f64; 2] = [1.0, 0.3];

/// How much it counts compared with labelled matches: as much as this number of them. Labels decide which pairs are matches, so that
/// only levels that hardly any labelled match has need it.
const LABELLED: f64 = 1.0;

/// Which pairs are matches and which fields depend on each other is estimated in turns, this many times.
const TURNS: usize = 3;

/// Odds in bits above which a pair is a match for sure. Their sums do not overflow.
const MOST_ODDS: f64 = 500.0;

/// Estimates weights from the patterns of candidates and of random pairs.
///
/// `levels` has the number of levels of each field, with that of missing values. Cost: for each round, the number of patterns × fields;
/// to find dependences, the number of random patterns × the square of the number of fields.
///
/// If the candidates have rivals, a record matches one of its candidates or none. So records with many similar candidates, such as the
/// products of a series, do not pass for matches of all of them.
///
/// Pairs that are no candidates are taken as no matches. A pair's odds do not depend on how candidates are chosen, because the same
/// choice holds for matches and for other pairs.
pub fn fit(levels: &[usize], candidates: Sample, possible: Possible) -> Estimate {
    let all = possible.all(levels);
    let mut fitting = Fitting::new(&all, candidates, None);
    for round in 0..ROUNDS {
        let change = fitting.round(PRIORS[0]);
        if round >= ROUGH {
            fitting.count_others();
        }
        if change < CHANGE && round > ROUGH {
            break;
        }
    }
    fitting.take_turns(PRIORS[1]);
    fitting.finish()
}

pub(super) struct Fitting<'a> {
    all: &'a All<'a>,
    candidates: Sample<'a>,
    /// The labelled matches, which are not among the candidates above. If there are any, only they decide how often matches have a
    /// level.
    labelled: Option<Sample<'a>>,
    /// The expected shares of levels in matches.
    expectation: Vec<Vec<f64>>,
    /// The present shares.
    matches: Vec<Vec<f64>>,
    others: Vec<Vec<f64>>,
    parents: Parents,
    /// The shares of other pairs, by field, level of the parent, and level.
    given: Vec<Vec<Vec<f64>>>,
    weights: Vec<Vec<Vec<f64>>>,
    /// How many matches have each level.
    counts: Vec<Vec<f64>>,
    /// For each pattern of rivals, the share of matches.
    shares: BTreeMap<Pattern, f64>,
    found: f64,
    doubt: f64,
}

impl<'a> Fitting<'a> {
    pub(super) fn new(
        all: &'a All<'a>,
        candidates: Sample<'a>,
        labelled: Option<Sample<'a>>,
    ) -> Self {
        let expectation: Vec<Vec<f64>> = all
            .levels
            .iter()
            .map(|&levels| expectation(levels))
            .collect();
        let others = all.others(None);
        let given = others.iter().map(|others| vec![others.clone()]).collect();
        let mut fitting = Self {
            all,
            candidates,
            labelled,
            matches: expectation.clone(),
            counts: expectation
                .iter()
                .map(|levels| vec![0.0; levels.len()])
                .collect(),
            expectation,
            others,
            shares: BTreeMap::new(),
            parents: Parents::none(all.levels.len()),
            given,
            weights: Vec::new(),
            found: (0.05 * candidates.patterns.pairs() as f64 * candidates.each).max(1.0),
            doubt: 0.0,
        };
        fitting.weigh();
        fitting
    }

    /// Runs rounds until the number of matches hardly changes.
    pub(super) fn settle(&mut self, prior: f64) {
        for _ in 0..ROUNDS {
            if self.round(prior) < CHANGE {
                break;
            }
        }
    }

    /// Estimates in turns which fields depend on each other and which pairs are matches.
    pub(super) fn take_turns(&mut self, prior: f64) {
        for _ in 0..TURNS {
            self.find_dependences();
            self.settle(prior);
        }
    }

    /// Estimates which candidates are matches, and then the shares of levels in matches. Returns by which share their number changed.
    fn round(&mut self, prior: f64) -> f64 {
        let (mut now, mut wrong) = (0.0, 0.0);
        let mut counts: Vec<Vec<f64>> = self
            .counts
            .iter()
            .map(|counts| vec![0.0; counts.len()])
            .collect();
        for (pattern, of) in self.expected() {
            now += of.matches;
            wrong += of.wrong;
            pattern.count(&mut counts, of.matches);
            if self.candidates.rivals.is_some() {
                self.shares.insert(pattern, of.matches / of.pairs);
            }
        }
        let mut of_labelled: Vec<Vec<f64>> = Vec::new();
        if let Some(Sample { patterns, each, .. }) = self.labelled {
            of_labelled = counts
                .iter()
                .map(|counts| vec![0.0; counts.len()])
                .collect();
            for (pattern, count) in patterns.iter() {
                now += count * each;
                pattern.count(&mut counts, count * each);
                pattern.count(&mut of_labelled, count);
            }
        }
        let seen = if self.labelled.is_some() {
            &of_labelled
        } else {
            &counts
        };
        for ((counts, expectation), matches) in
            seen.iter().zip(&self.expectation).zip(&mut self.matches)
        {
            let drawn = match self.labelled {
                Some(_) => LABELLED,
                None => prior * counts[1..].iter().sum::<f64>() + 0.1,
            };
            let levels = counts.iter().zip(expectation).enumerate();
            *matches = shares(
                levels
                    .map(|(level, (count, share))| {
                        if level == 0 {
                            0.0
                        } else {
                            count + drawn * share
                        }
                    })
                    .collect(),
            );
        }
        let change = (now.max(1.0) - self.found).abs() / self.found;
        (self.found, self.doubt, self.counts) = (now.max(1.0), wrong / now.max(1.0), counts);
        self.weigh();
        change
    }

    /// Returns what is expected of the candidates with each pattern.
    fn expected(&self) -> BTreeMap<Pattern, OfPattern> {
        let each = self.candidates.each;
        if let Some(rivals) = self.candidates.rivals {
            return rivals.expected(|pattern| self.odds(pattern).min(MOST_ODDS).exp2(), each);
        }
        let of = |(pattern, count): (Pattern, f64)| {
            let (probability, pairs) = (odds::probability(self.odds(pattern)), count * each);
            (
                pattern,
                OfPattern {
                    pairs,
                    matches: probability * pairs,
                    wrong: probability.min(1.0 - probability) * pairs,
                },
            )
        };
        self.candidates.patterns.iter().map(of).collect()
    }

    /// Counts the levels of other pairs again.
    fn count_others(&mut self) {
        let probability = |pattern| self.probability(pattern);
        self.others = self.all.others(Some(&Expected {
            probability: &probability,
            counts: &self.counts,
        }));
        self.given = self
            .others
            .iter()
            .map(|others| vec![others.clone()])
            .collect();
        self.weigh();
    }

    /// Counts the levels of other pairs again, and finds fields that depend on each other.
    fn find_dependences(&mut self) {
        let probability = |pattern| self.probability(pattern);
        let expected = Expected {
            probability: &probability,
            counts: &self.counts,
        };
        let others = self.all.others(Some(&expected));
        let counted: Vec<(Pattern, f64)> = self.all.counted(Some(&expected)).collect();
        let parents = Parents::find(self.all.levels, &counted);
        let given = self.all.given(&others, &parents, &expected);
        (self.others, self.parents, self.given) = (others, parents, given);
        self.weigh();
    }

    fn weigh(&mut self) {
        let of_field = |(matches, given): (&Vec<f64>, &Vec<Vec<f64>>)| {
            let of_row = |others: &Vec<f64>| {
                [0.0]
                    .into_iter()
                    .chain(rising(&matches[1..], &others[1..]))
                    .collect()
            };
            given.iter().map(of_row).collect()
        };
        self.weights = self.matches.iter().zip(&self.given).map(of_field).collect();
    }

    /// Returns the share of matches among all pairs.
    fn prior(&self) -> f64 {
        (self.found / self.all.possible.max(1.0)).clamp(f64::MIN_POSITIVE, 0.5)
    }

    /// Returns the probability that a pair with a pattern is a match.
    fn probability(&self, pattern: Pattern) -> f64 {
        self.shares
            .get(&pattern)
            .copied()
            .unwrap_or_else(|| odds::probability(self.odds(pattern)))
    }

    /// Returns the odds that a pair with a pattern is a match, in bits, without its rivals.
    fn odds(&self, pattern: Pattern) -> f64 {
        let weight = |(field, weights): (usize, &Vec<Vec<f64>>)| {
            let row = self
                .parents
                .of(field)
                .map_or(0, |parent| pattern.level(parent));
            weights[row][pattern.level(field)]
        };
        let bits: f64 = self.weights.iter().enumerate().map(weight).sum();
        odds::bits(self.prior()) + bits
    }

    pub(super) fn finish(self) -> Estimate {
        let prior = self.prior();
        let Self {
            matches,
            others,
            weights,
            parents,
            found,
            doubt,
            ..
        } = self;
        let fields = matches.into_iter().zip(others).zip(weights).enumerate();
        let fields = fields.map(|(field, ((matches, others), weights))| FieldEstimate {
            matches,
            others,
            parent: parents.of(field),
            weights,
        });
        Estimate {
            expected: found,
            prior,
            doubt,
            fields: fields.collect(),
            order: parents.order().to_vec(),
        }
    }
}

/// Returns which shares of matches are expected to have each level: half of those with a value are equal, and half as many as have a
/// level have the one below it.
fn expectation(levels: usize) -> Vec<f64> {
    shares(
        (0..levels)
            .map(|level| {
                if level == 0 {
                    0.0
                } else {
                    0.5f64.powi((levels - level) as i32)
                }
            })
            .collect(),
    )
}

/// Returns the logarithms of the ratios, made non-decreasing: neighbours in the wrong order share one ratio (pool adjacent violators).
fn rising(matches: &[f64], others: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (&of_matches, &of_others) in matches.iter().zip(others) {
        pools.push((of_matches, of_others, 1));
        while let [.., before, last] = pools[..]
            && before.0 * last.1 > last.0 * before.1
        {
            pools.truncate(pools.len() - 2);
            pools.push((before.0 + last.0, before.1 + last.1, before.2 + last.2));
        }
    }
    let log = |(matches, others, levels): (f64, f64, usize)| {
        std::iter::repeat_n((matches / others).log2(), levels)
    };
    pools.into_iter().flat_map(log).collect()
}
