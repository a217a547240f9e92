//! Candidate pairs before verification, given by band columns (the bucket of each document in each band) or by an explicit list.

use lookalike::{
    Candidates, Method,
    cluster::{Buckets, Links, Listed},
    lsh::NONE,
};
use lookalike_io::{
    error::Result,
    pool::{install, try_par_map_init},
    spill::{Budget, places::Places},
};
use rayon::ThreadPool;

use crate::{
    config::Observer,
    crowds::{
        indexes::Indexes,
        joining::{Joining, TakePairs},
    },
    matching::{Matcher, Scratch, sets::Sets},
    numbers::{Contender, Rank},
    pairing::{
        Pairing,
        shared::{Counted, count},
    },
    sketching::table::Table,
};

/// The number of pairs that each thread examines before the candidates among them are verified. It limits the memory that waiting
/// pairs take, to about 4 MB per thread.
const BATCH: usize = 1 << 16;

/// Pairs of contenders (documents that have to be compared) that may be candidates. Contenders are given by number.
pub(crate) enum CandidatePairs {
    /// All pairs of contenders that are in the same bucket of a band.
    Columns(Vec<Vec<u32>>),
    /// The pairs of a list, each once.
    Listed(Vec<(u32, u32)>),
}

impl CandidatePairs {
    /// Finds candidate pairs by bands or by sampled fingerprints. Only the documents in these pairs, and the documents in
    /// `others`, remain contenders. If all pairs are requested, all documents remain contenders, and the pairs are known only
    /// after the sets are loaded ([`join`](Self::join)).
    pub(crate) fn new(
        method: &Method,
        table: &mut Table,
        pairing: &mut Pairing,
        others: Option<&Places>,
        pool: &ThreadPool,
        observer: Observer,
    ) -> Result<(Self, Counted)> {
        if method.config().candidates == Candidates::All {
            return Ok((Self::Listed(Vec::new()), Counted::default()));
        }
        if !method.keeps_samples() {
            let columns = pairing.keep_likely(table, method, others, pool, observer)?;
            return Ok((Self::Columns(columns), Counted::default()));
        }
        let mut counted = count(method, table, pairing, pool, observer)?;
        let meets = Places::none(pairing.order.len());
        let mut pairs = std::mem::take(&mut counted.pairs);
        let references = pairing.numbered_references();
        pairs.retain(|&(a, b)| references.compared(Contender(a), Contender(b)));
        for number in pairs.iter().flat_map(|&(a, b)| [a, b]) {
            meets.insert(pairing.rank(Contender(number)).0);
        }
        others
            .into_iter()
            .flat_map(Places::iter)
            .for_each(|rank| meets.insert(rank));
        let ranks: Vec<_> = pairs
            .iter()
            .map(|&(a, b)| [a, b].map(|number| pairing.rank(Contender(number))))
            .collect();
        pairing.narrow(meets)?;
        let number = |rank: Rank| pairing.contenders.below(rank.0) as u32;
        Ok((
            Self::Listed(
                ranks
                    .into_iter()
                    .map(|[a, b]| (number(a), number(b)))
                    .collect(),
            ),
            counted,
        ))
    }

    /// If all pairs are requested, finds them by joining the contenders' sets.
    pub(crate) fn join(self, method: &Method, pairing: &Pairing, sets: &Sets) -> Result<Self> {
        if method.config().candidates != Candidates::All {
            return Ok(self);
        }
        let mut loaded = Vec::new();
        for number in 0..pairing.numbers()? {
            let mut scratch = Vec::new();
            loaded.push(sets.get(number, &mut scratch)?.to_vec());
        }
        let references = pairing.numbered_references();
        let pairs = method
            .join(&loaded)
            .into_iter()
            .map(|pair| (pair.a, pair.b));
        Ok(Self::Listed(
            pairs
                .filter(|&(a, b)| references.compared(Contender(a), Contender(b)))
                .collect(),
        ))
    }

    /// Builds indexes for finding pairs in large buckets, which have at least `size` contenders. Returns `None` if there are no
    /// large buckets, or if sets are not compared for resemblance.
    pub(crate) fn joining(
        &self,
        size: usize,
        matcher: &Matcher,
        sets: &mut Sets,
        budget: &Budget,
        pool: &ThreadPool,
    ) -> Result<Option<Joining>> {
        match self {
            Self::Columns(columns) if Indexes::serve(matcher.method) => {
                Joining::of(columns, size, matcher, sets, budget, pool)
            }
            _ => Ok(None),
        }
    }

    /// Converts the pairs into the form that is needed to decide documents in keep order.
    pub(crate) fn links(self, numbers: u32) -> Links {
        match self {
            Self::Columns(columns) => Links::Buckets(Buckets::of_labelled(
                columns
                    .into_iter()
                    .map(|column| {
                        let buckets = column
                            .iter()
                            .filter(|&&bucket| bucket != NONE)
                            .max()
                            .map_or(0, |&last| last + 1);
                        (column, buckets)
                    })
                    .collect(),
            )),
            Self::Listed(pairs) => {
                Links::Listed(Listed::new(&pairs, &(0..numbers).collect::<Vec<_>>()))
            }
        }
    }

    /// Passes candidate pairs to `verify` in batches, each pair once, in an order that depends only on the documents. If
    /// `joining` (the large buckets with their indexes) is given, the pairs in large buckets are found with these indexes, and
    /// pairs that this search rules out are not passed.
    pub(crate) fn each_candidate_pair(
        &self,
        joining: Option<&Joining>,
        matcher: &Matcher,
        sets: &Sets,
        pool: &ThreadPool,
        verify: TakePairs,
    ) -> Result<()> {
        let batch = BATCH * pool.current_num_threads();
        match self {
            Self::Columns(columns) => {
                if let Some(joining) = joining {
                    joining.each_candidate_pair(matcher, sets, pool, batch, verify)?;
                }
                each_in_columns(columns, joining, matcher, (pool, batch), verify)
            }
            Self::Listed(pairs) => {
                let one = |(scratch, other): &mut (Scratch, Vec<u32>),
                           &(a, b): &(u32, u32)|
                 -> Result<_> {
                    other.clear();
                    other.extend(Some(b).filter(|&b| matcher.compared(a, b)));
                    matcher.keep_candidates(a, other, scratch)?;
                    Ok((a, other.first().copied()))
                };
                for batch in pairs.chunks(batch) {
                    let kept = install(pool, || try_par_map_init(batch, Default::default, one))?;
                    verify(
                        &kept
                            .into_iter()
                            .filter_map(|(a, b)| Some((a, b?)))
                            .collect::<Vec<_>>(),
                    )?;
                }
                Ok(())
            }
        }
    }
}

/// Passes the candidate pairs of the band columns to `verify`, except pairs whose documents share a large bucket. `joining` finds
/// the pairs in large buckets.
fn each_in_columns(
    columns: &[Vec<u32>],
    joining: Option<&Joining>,
    matcher: &Matcher,
    (pool, most): (&ThreadPool, usize),
    verify: TakePairs,
) -> Result<()> {
    for (band, column) in columns.iter().enumerate() {
        let mut rows: Vec<(u32, u32)> = column
            .iter()
            .copied()
            .zip(0..)
            .filter(|&(bucket, _)| bucket != NONE)
            .collect();
        rows.sort_unstable();
        let is_joined = |bucket| joining.is_some_and(|joining| joining.has(band, bucket));
        let met_before = |a: u32, b: u32| {
            let mut earlier = columns[..band].iter();
            earlier.any(|column| {
                column[a as usize] != NONE && column[a as usize] == column[b as usize]
            }) || joining.is_some_and(|joining| joining.share(a, b))
        };
        // Pairs a document with the later documents in its bucket. Pairs whose documents share a bucket of an earlier band, or a
        // large bucket (a bucket in `joining`), were already examined, so they are left out.
        let after = |(scratch, others): &mut (Scratch, Vec<u32>),
                     tail: &[(u32, u32)]|
         -> Result<Vec<(u32, u32)>> {
            let a = tail[0].1;
            others.clear();
            others.extend(
                tail[1..]
                    .iter()
                    .map(|row| row.1)
                    .filter(|&b| matcher.compared(a, b) && !met_before(a, b)),
            );
            matcher.keep_candidates(a, others, scratch)?;
            Ok(others.iter().map(|&b| (a, b)).collect())
        };
        let mut batch: Vec<&[(u32, u32)]> = Vec::new();
        let mut pairs = 0;
        let mut flush = |batch: &mut Vec<&[(u32, u32)]>| {
            let found: Result<Vec<Vec<_>>> = install(pool, || {
                try_par_map_init(batch.drain(..), Default::default, after)
            });
            verify(&found?.concat())
        };
        for bucket in rows
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|bucket| !is_joined(bucket[0].0))
        {
            for at in 0..bucket.len() - 1 {
                batch.push(&bucket[at..]);
                pairs += bucket.len() - at;
                if pairs > most {
                    flush(&mut batch)?;
                    pairs = 0;
                }
            }
        }
        flush(&mut batch)?;
    }
    Ok(())
}
