//! Learns weights from the records.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use lookalike::{fingerprint::finish, shown::quoted};
use lookalike_applications::records::{
    Linker,
    learned::{
        FieldFrequencies, Frequencies, Model, Pattern, Patterns, Possible, Rivals, Sample, fit,
    },
};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    pool::{install, par_map, par_pieces},
    spill::Budget,
};
use rayon::ThreadPool;
use serde::Serialize;

use crate::{
    config::{Observer, Stage},
    jobs::link::{
        pairing::{
            candidates::{Wanted, candidates},
            numbered::pair_at,
        },
        reading::records::Gathered,
    },
};

/// What was learned from the records.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learned {
    /// The share of matches among all possible pairs.
    pub prior: f64,
    /// The expected number of matches.
    pub expected: f64,
    /// The expected number of wrong decisions, as a share of the expected matches.
    pub doubt: f64,
    /// The weights of the fields.
    pub fields: Vec<FieldLearned>,
    /// The labels from which weights were learned; `None` if they were learned without labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelsLearned>,
}

/// The labelled candidates from which weights were learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelsLearned {
    /// Candidates that are labelled as matches.
    pub matches: u64,
    /// Candidates that are labelled as no matches.
    pub others: u64,
    /// The number of parts of a cross-validation; `None` if the labelled matches are in so few clusters that there was none.
    pub folds: Option<u64>,
}

/// The levels of a field and their weights.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldLearned {
    /// The field's name.
    pub field: String,
    /// For each level, from different values to equal ones: the share of the matches that have it.
    pub matches: Vec<f64>,
    /// The share of the other pairs that have it.
    pub others: Vec<f64>,
    /// The field on which this one depends in pairs that are no matches, such as the town of a street.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<String>,
    /// The weight in bits. If the field depends on another, there is a row for each level of the other field.
    pub weights: Vec<Vec<f64>>,
}

impl Learned {
    /// Returns what a linker learned; `None` if it uses points.
    pub(in crate::jobs::link) fn of(
        linker: &Linker,
        labels: Option<LabelsLearned>,
    ) -> Option<Self> {
        let estimate = linker.model()?.estimate();
        let fields = linker.config().fields.iter().zip(&estimate.fields);
        let fields = fields.map(|(config, field)| FieldLearned {
            field: config.name.clone(),
            matches: field.matches[1..].into(),
            others: field.others[1..].into(),
            depends_on: field
                .parent
                .map(|parent| linker.config().fields[parent].name.clone()),
            weights: field
                .weights
                .iter()
                .skip(usize::from(field.parent.is_some()))
                .map(|row| row[1..].into())
                .collect(),
        });
        Some(Self {
            prior: estimate.prior,
            expected: estimate.expected,
            doubt: estimate.doubt,
            fields: fields.collect(),
            labels,
        })
    }
}

/// The number of random pairs that are compared, and the largest number of candidates.
const RANDOM: u64 = 200_000;
const CANDIDATES: usize = 400_000;

/// If there are more records, only the candidates that share some of the values are used.
const RECORDS: usize = 100_000;

/// The smallest numbers of candidates and of expected matches from which weights can be estimated.
const LEAST_CANDIDATES: u64 = 30;
const LEAST_MATCHES: f64 = 5.0;

/// The largest share of wrong decisions that is expected.
const MOST_DOUBT: f64 = 0.5;

/// What weights are learned from, in addition to candidates.
pub(in crate::jobs::link) struct Background {
    pub(in crate::jobs::link) frequencies: Arc<Frequencies>,
    /// For each field, the share of the pairs with two values that have equal ones.
    equal: Vec<f64>,
    random: Patterns,
    pairs: f64,
}

impl Background {
    pub(in crate::jobs::link) fn new(
        gathered: &Gathered,
        linker: &Linker,
        (budget, pool): (&Arc<Budget>, &ThreadPool),
    ) -> Self {
        let split = gathered.second();
        let of_field = |field| FieldFrequencies::new(&gathered.records, field, split);
        let fields = linker.config().fields.len();
        let counted: Vec<FieldFrequencies> = install(pool, || par_map(0..fields, of_field));
        let frequencies = Frequencies::from_iter(counted);
        budget.hold(frequencies.size());
        let equal = (0..fields).map(|field| frequencies.equal(field)).collect();
        let random = random(gathered, linker, pool);
        Self {
            frequencies: Arc::new(frequencies),
            equal,
            random,
            pairs: gathered.pairs() as f64,
        }
    }

    pub(in crate::jobs::link) fn possible(&self) -> Possible<'_> {
        Possible {
            pairs: self.pairs,
            random: &self.random,
            equal: &self.equal,
        }
    }
}

/// Learns weights without labels. The result depends only on the records.
///
/// # Errors
/// Fails if the records have too few candidates or matches, if two fields are copies of each other, or if the fields do not separate
/// matches from other pairs.
pub(in crate::jobs::link) fn learned(
    gathered: &Gathered,
    linker: &Linker,
    (budget, pool): (&Arc<Budget>, &ThreadPool),
    observer: Observer,
) -> Result<Model> {
    let background = Background::new(gathered, linker, (budget, pool));
    let sampled = Sampled::candidates(gathered, linker, (budget, pool), observer)?;
    let candidates = sampled.pairs.len() as u64 * sampled.each();
    if candidates < LEAST_CANDIDATES {
        let what = match candidates {
            0 => "there are no candidates".into(),
            1 => "there is only 1 candidate".into(),
            _ => format!("there are only {candidates} candidates"),
        };
        return Err(refused(what, "add blocks that make more candidates"));
    }
    let mut patterns = Patterns::default();
    sampled
        .pairs
        .iter()
        .for_each(|&(_, pattern)| patterns.add(pattern));
    if let Some((a, b)) = patterns.copies(&background.random, linker.levels().len()) {
        let [a, b] = [a, b].map(|field| quoted(&linker.config().fields[field].name));
        let what = format!(
            "the fields {a} and {b} are equally similar in all sampled pairs, so that the same evidence would count twice"
        );
        return Err(refused(what, "remove one of these fields"));
    }
    let rivals = (are_rivals(gathered, linker) && sampled.has_all_rivals())
        .then(|| Rivals::new(&sampled.pairs));
    let sample = Sample {
        patterns: &patterns,
        each: sampled.each() as f64,
        rivals: rivals.as_ref(),
    };
    let estimate = fit(&linker.levels(), sample, background.possible());
    if estimate.expected < LEAST_MATCHES {
        let what = format!(
            "only about {:.0} of {candidates} candidates seem to be matches",
            estimate.expected
        );
        return Err(refused(
            what,
            "add fields that separate matches from other pairs",
        ));
    }
    if estimate.doubt > MOST_DOUBT {
        let what = format!(
            "the fields do not separate matches from other pairs: about {:.0} of 100 decisions would be wrong",
            100.0 * estimate.doubt
        );
        return Err(refused(what, "add fields"));
    }
    Ok(Model::new(estimate, background.frequencies))
}

/// Returns whether the candidates of a record exclude each other.
fn are_rivals(gathered: &Gathered, linker: &Linker) -> bool {
    gathered.are_two() && linker.is_one_to_one()
}

fn refused(what: String, advice: &str) -> Error {
    Error::new(
        ErrorKind::Config,
        format!("weights cannot be learned: {what}"),
    )
    .advise(format!(
        "{advice}, or set weights = \"points\" and give the fields weights of your own"
    ))
}

/// A random sample of the candidates.
struct Sampled {
    pairs: Vec<([u32; 2], Pattern)>,
    /// How often the candidates were halved, first by their common values, and then by their hashes.
    halved: [u32; 2],
}

impl Sampled {
    /// Returns the number of candidates that each of these represents.
    fn each(&self) -> u64 {
        1 << (self.halved[0] + self.halved[1])
    }

    /// Returns whether there are all candidates of each first record.
    fn has_all_rivals(&self) -> bool {
        self.halved[0] == 0
    }

    fn candidates(
        gathered: &Gathered,
        linker: &Linker,
        (budget, pool): (&Arc<Budget>, &ThreadPool),
        observer: Observer,
    ) -> Result<Self> {
        let by_value = (gathered.records.len() / RECORDS)
            .checked_ilog2()
            .unwrap_or(0);
        let mut sampled = Self {
            pairs: Vec::new(),
            halved: [by_value, 0],
        };
        // A worker may still use an older limit, which is higher. The pairs above the new limit are left out when they arrive.
        let limit = AtomicU64::new(u64::MAX);
        // If records have one match only, all candidates of a first record are in the sample, or none.
        let one_to_one = are_rivals(gathered, linker);
        let hash = |a: u32, b: u32| {
            finish((u64::from(a) << 32 | if one_to_one { 0 } else { u64::from(b) }) + 1)
        };
        let pattern = |a: u32, b: u32| {
            let is_wanted = hash(a, b) <= limit.load(Ordering::Relaxed);
            is_wanted.then(|| ([a, b], linker.pattern(&gathered.records, a, b)))
        };
        candidates(
            (gathered, linker),
            Wanted::Sample(by_value),
            (budget, pool),
            (observer, Stage::Learning),
            pattern,
            |([a, b], pattern)| {
                if hash(a, b) <= u64::MAX >> sampled.halved[1] {
                    sampled.pairs.push(([a, b], pattern));
                }
                thin(
                    &mut sampled.pairs,
                    &mut sampled.halved[1],
                    &limit,
                    |([a, b], _)| hash(*a, *b),
                );
                Ok(())
            },
        )?;
        if sampled.halved[1] > 0 && !(1..=CANDIDATES).contains(&sampled.pairs.len()) {
            let what = format!("a record has more than {CANDIDATES} candidates");
            return Err(refused(what, "set at_most in the blocks"));
        }
        Ok(sampled)
    }
}

/// Halves a sample by the hashes of its pairs until it has at most [`CANDIDATES`]. If that many pairs have one low hash, more remain.
pub(super) fn thin<T>(
    pairs: &mut Vec<T>,
    halved: &mut u32,
    limit: &AtomicU64,
    hash: impl Fn(&T) -> u64,
) {
    while pairs.len() > CANDIDATES && *halved < u64::BITS - 1 {
        *halved += 1;
        let lower = u64::MAX >> *halved;
        limit.store(lower, Ordering::Relaxed);
        pairs.retain(|pair| hash(pair) <= lower);
    }
}

/// Returns the patterns of random pairs, or those of all pairs if there are few.
fn random(gathered: &Gathered, linker: &Linker, pool: &ThreadPool) -> Patterns {
    let all = gathered.records.len() as u64;
    let first = gathered.second().map(u64::from);
    let pairs = gathered.pairs();
    let number = |draw: u32| {
        let draw = u64::from(draw);
        if pairs <= RANDOM {
            draw
        } else {
            ((u128::from(finish(draw + 1)) * u128::from(pairs)) >> 64) as u64
        }
    };
    let count = |mut patterns: Patterns, draw: u32| {
        let (a, b) = pair_at(number(draw), first, all);
        patterns.add(linker.pattern(&gathered.records, a as u32, b as u32));
        patterns
    };
    let both = |mut patterns: Patterns, others: Patterns| {
        patterns.append(&others);
        patterns
    };
    let draws = 0..pairs.min(RANDOM) as u32;
    let some = |_, draws: Vec<u32>| draws.into_iter().fold(Patterns::default(), count);
    let counted = install(pool, || par_pieces(draws, some));
    counted.into_iter().reduce(both).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use lookalike_applications::records::{BlockConfig, FieldConfig, Kind, LinkConfig};
    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;
    use crate::{
        config::{RunConfig, UNOBSERVED},
        pass::open::pool,
    };

    /// Returns the candidates of records with a name and a town, and the possible pairs that random numbers give.
    fn found(records: &[(u8, u8)], two: bool, wanted: Wanted) -> (Vec<(u32, u32)>, u64, Patterns) {
        let folder = TempDir::new().unwrap();
        let name = |file: &str| folder.path().join(file).to_str().unwrap().to_owned();
        let lines: Vec<String> = records
            .iter()
            .map(|(name, town)| format!("{{\"name\":\"Ann {name}\",\"town\":\"{town}\"}}\n"))
            .collect();
        let (first, second) = lines.split_at(if two { lines.len() / 3 } else { lines.len() });
        fs::write(name("a.jsonl"), first.concat()).unwrap();
        fs::write(name("b.jsonl"), second.concat()).unwrap();
        let (against, own) = if two {
            (vec![name("a.jsonl")], name("b.jsonl"))
        } else {
            (Vec::new(), name("a.jsonl"))
        };
        let config = RunConfig {
            inputs: vec![own],
            against,
            temp_dir: folder.path().into(),
            ..RunConfig::default()
        };
        let fields = vec![
            FieldConfig::new("name", Kind::Name),
            FieldConfig::new("town", Kind::Exact),
        ];
        let blocks = vec![BlockConfig::equal(&["name"]), BlockConfig::equal(&["town"])];
        let linker = Linker::new(LinkConfig {
            fields,
            blocks,
            ..LinkConfig::default()
        })
        .unwrap();
        let pool = pool(2).unwrap();
        let gathered = Gathered::read(&config, (&linker, None), &pool, UNOBSERVED).unwrap();
        let budget = config.budget(2, &[], |_| 0).unwrap();
        let mut pairs = Vec::new();
        let give = |pair| {
            pairs.push(pair);
            Ok(())
        };
        candidates(
            (&gathered, &linker),
            wanted,
            (&budget, &pool),
            (UNOBSERVED, Stage::Scoring),
            |a, b| Some((a, b)),
            give,
        )
        .unwrap();
        (pairs, gathered.pairs(), random(&gathered, &linker, &pool))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(24)))]

        #[test]
        fn a_sample_has_some_of_the_candidates_once(records in prop::collection::vec((0u8..60, 0u8..9), 6..200), two: bool) {
            let (all, possible, random) = found(&records, two, Wanted::All);
            prop_assert_eq!(&found(&records, two, Wanted::Sample(0)).0, &all);
            let (some, ..) = found(&records, two, Wanted::Sample(1));
            let (of_all, of_some): (BTreeSet<_>, BTreeSet<_>) = (all.iter().collect(), some.iter().collect());
            prop_assert!(of_some.len() == some.len() && of_some.is_subset(&of_all));
            // There are few pairs, so that each of them is compared once instead of random ones.
            prop_assert_eq!(random.pairs(), possible);
        }
    }

    #[test]
    fn a_sample_has_the_expected_size() {
        let records: Vec<(u8, u8)> = (0..3000u32)
            .map(|i| ((i % 251) as u8, (finish(u64::from(i)) % 200) as u8))
            .collect();
        let all = found(&records, false, Wanted::All).0.len() as f64;
        let some = found(&records, false, Wanted::Sample(2)).0.len() as f64;
        assert!((0.17..0.33).contains(&(some / all)), "{some} of {all}");
    }
}
