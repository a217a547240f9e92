//! Computes the exact ground truth for a random sample of documents: all documents of the collection that are similar to a
//! sampled document.

use lookalike::{
    Method, Scratch,
    eval::{SampleIndex, SharedCounts, choose_sample},
};
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch as ReadScratch, Source},
};

use super::roll::{self, Roll};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    matching::sets::{self, Pass},
    pass::{open::pool, parallel::in_order, reading::reading},
    sketching::without_candidates,
};

/// Two documents by their position in the input, `a` before `b`, and how similar they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarPair {
    /// The first document.
    pub a: u32,
    /// The second document.
    pub b: u32,
    /// The similarity of the two documents, if it is known. If containment is measured, this is the containment of the smaller
    /// document in the larger.
    pub similarity: Option<f64>,
}

/// A sample of documents, and all pairs of a sampled document and a document that is similar to it.
#[derive(Debug)]
pub struct SampleTruth {
    /// All documents by their ids.
    pub roll: Roll,
    /// The sampled documents, sorted.
    pub sample: Vec<u32>,
    /// Every pair of similar documents in which at least one document is in the sample. Each pair occurs once, and pairs are
    /// sorted by (a, b).
    pub pairs: Vec<SimilarPair>,
}

/// Draws `size` documents with the configuration's seed, or all documents if there are fewer. Then finds every document whose
/// similarity to one of the drawn documents is at least `least`. Similarity is counted with the configuration's measure and
/// shingles. The configuration's method of finding candidates is not used. Cost: three passes over the input, the last of which
/// looks up every shingle ([`SampleIndex`]). Memory: the sample's shingles, which take about 14 kB for a text of 600 shingles,
/// and 24 bytes per pair. The result is the same for any number of threads.
///
/// # Errors
/// Fails for the same reasons as [`enrol`](crate::jobs::eval::roll::enrol).
pub fn sample_truth(
    config: &RunConfig,
    size: u32,
    least: f64,
    observer: Observer,
) -> Result<SampleTruth> {
    let method = without_candidates(&config.method)?;
    let source = Source::new(config.expand()?, reading(config)?, &config.temp_dir)?;
    let table = roll::read(config, &method, &source, observer)?;
    let pool = pool(config.threads)?;
    let sample = choose_sample(table.documents as u32, size, config.method.seed);
    let pass = Pass {
        config,
        method: &method,
        source: &source,
        table: &table,
        pool: &pool,
        observer,
    };
    let number = |document: u64| {
        sample
            .binary_search(&(document as u32))
            .ok()
            .map(|number| number as u32)
    };
    let sets = sets::load(pass, sample.len() as u32, number)?;
    let (mut sampled, mut scratch) = (Vec::new(), Vec::new());
    for number in 0..sample.len() as u32 {
        sampled.push(sets.get(number, &mut scratch)?.to_vec());
    }
    let comparing = Comparing {
        method: &method,
        index: SampleIndex::new(&sampled),
        sample: &sample,
        least,
    };
    drop((sets, sampled));

    let mut pairs: Vec<SimilarPair> = Vec::new();
    in_order(
        &pool,
        Blocks::again(&source),
        |block, worker: &mut Worker| {
            let mut found = Vec::new();
            let info = table.info(block, &source)?;
            let Worker {
                read_scratch,
                scratch,
                shared_counts,
            } = worker;
            info.each_document(block, &source, |document, at| {
                let record = source.same_record(block, at, read_scratch)?;
                method.set(record.text, scratch);
                comparing.partners(
                    document as u32,
                    &scratch.fingerprints,
                    shared_counts,
                    &mut found,
                );
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
    Ok(SampleTruth {
        roll: Roll::of(&table, config)?,
        sample,
        pairs,
    })
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    scratch: Scratch,
    shared_counts: SharedCounts,
}

struct Comparing<'a> {
    method: &'a Method,
    index: SampleIndex,
    sample: &'a [u32],
    least: f64,
}

impl Comparing<'_> {
    /// Finds the sampled documents that are similar to a document. A pair of two sampled documents is found once for each of the
    /// two documents, so it is returned only for the second document.
    fn partners(
        &self,
        document: u32,
        set: &[u64],
        shared_counts: &mut SharedCounts,
        into: &mut Vec<SimilarPair>,
    ) {
        let is_sampled = self.sample.binary_search(&document).is_ok();
        for neighbour in self.index.neighbours(set, shared_counts) {
            let other = self.sample[neighbour.sample as usize];
            if other == document || is_sampled && document < other {
                continue;
            }
            let overlap = neighbour.overlap;
            let measure = self.method.config().measure;
            let similarity = measure.of_either(overlap);
            if similarity >= self.least {
                into.push(SimilarPair {
                    a: document.min(other),
                    b: document.max(other),
                    similarity: Some(similarity),
                });
            }
        }
    }
}
