//! The exact truth for a random sample of documents: their partners in the whole collection.

use lookalike::{
    Candidates, Cluster, Config, Method, Scratch,
    eval::{Meetings, SampleIndex, choose_sample},
};
use lookalike_io::{
    error::Result,
    read::{Blocks, Room, Source},
};

use super::roll::{self, Roll};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    matching::sets::{self, Pass},
    pass::{open::pool, parallel::in_order, reading::reading},
};

/// Two documents by their places in the input, `a` before `b`, and how similar they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarPair {
    /// The first document.
    pub a: u32,
    /// The second document.
    pub b: u32,
    /// Their similarity, where it is known; of containment, that of the smaller in the larger.
    pub similarity: Option<f64>,
}

/// A sample, and all that is similar to it.
#[derive(Debug)]
pub struct SampleTruth {
    /// All documents by their ids.
    pub roll: Roll,
    /// The sampled documents, sorted.
    pub sample: Vec<u32>,
    /// Every pair with a sampled document that is similar enough, each once, sorted by (a, b).
    pub pairs: Vec<SimilarPair>,
}

/// Draws `size` documents by the configuration's seed, or takes all when there are fewer, and finds every document that is at
/// least `least` similar to one of them. Similar as the configuration's measure and shingles have it; how candidates are found
/// plays no part. Cost: three passes over the input, the last of which looks up every shingle ([`SampleIndex`]); memory: the
/// sample's shingles, some 14 kB a text of 600, and 24 bytes a pair. The same for any number of threads.
///
/// # Errors
/// As [`enrol`](crate::jobs::eval::roll::enrol).
pub fn sample_truth(config: &RunConfig, size: u32, least: f64, observer: Observer) -> Result<SampleTruth> {
    let asked = Config { candidates: Candidates::Exact, verify: None, cluster: Cluster::Law, ..config.method.clone() };
    let method = Method::new(asked)?;
    let source = Source::new(config.expand()?, reading(config)?, &config.temp_dir)?;
    let table = roll::read(config, &method, &source, observer)?;
    let pool = pool(config.threads)?;
    let sample = choose_sample(table.documents as u32, size, config.method.seed);
    let pass = Pass { config, method: &method, source: &source, table: &table, pool: &pool, observer };
    let number = |document: u64| sample.binary_search(&(document as u32)).ok().map(|number| number as u32);
    let sets = sets::load(pass, sample.len() as u32, number)?;
    let (mut sampled, mut room) = (Vec::new(), Vec::new());
    for number in 0..sample.len() as u32 {
        sampled.push(sets.get(number, &mut room)?.to_vec());
    }
    let comparing = Comparing { method: &method, index: SampleIndex::new(&sampled), sample: &sample, least };
    drop((sets, sampled));

    let mut pairs: Vec<SimilarPair> = Vec::new();
    in_order(
        &pool,
        Blocks::again(&source),
        |block, worker: &mut Worker| {
            let mut found = Vec::new();
            let info = table.info(block, &source)?;
            let Worker { room, scratch, meetings } = worker;
            info.each_document(block, &source, |document, at| {
                let record = source.same_record(block, at, room)?;
                method.set(record.text, scratch);
                comparing.partners(document as u32, &scratch.fingerprints, meetings, &mut found);
                Ok(())
            })?;
            Ok(found)
        },
        |found| {
            Progress::new(Stage::Comparing, source.read(), source.total()).tell(observer)?;
            pairs.extend(found);
            Ok(())
        },
    )?;
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    Ok(SampleTruth { roll: Roll::of(&table, config)?, sample, pairs })
}

#[derive(Default)]
struct Worker {
    room: Room,
    scratch: Scratch,
    meetings: Meetings,
}

struct Comparing<'a> {
    method: &'a Method,
    index: SampleIndex,
    sample: &'a [u32],
    least: f64,
}

impl Comparing<'_> {
    /// The sampled partners of a document. A pair of two sampled ones is found from both sides, and given from its second.
    fn partners(&self, document: u32, set: &[u64], meetings: &mut Meetings, into: &mut Vec<SimilarPair>) {
        let is_sampled = self.sample.binary_search(&document).is_ok();
        for neighbour in self.index.neighbours(set, meetings) {
            let other = self.sample[neighbour.sample as usize];
            if other == document || is_sampled && document < other {
                continue;
            }
            let overlap = neighbour.overlap;
            let measure = self.method.config().measure;
            let similarity = measure.of(overlap).max(measure.of(overlap.swapped()));
            if similarity >= self.least {
                into.push(SimilarPair { a: document.min(other), b: document.max(other), similarity: Some(similarity) });
            }
        }
    }
}
