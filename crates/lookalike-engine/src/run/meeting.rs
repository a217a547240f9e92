//! Who meets whom: the first half of *candidate*, as it is held between pairing and deciding.

use lookalike::{
    Candidates, Method,
    cluster::{Links, Listed},
    lsh::{self, share_earlier_band, sorted_rows},
};
use rayon::{ThreadPool, prelude::*};

use super::{
    counting::{Counted, count},
    loading::Sets,
    matching::Matcher,
    pairing::Pairing,
    sketching::Table,
};
use crate::{
    config::{Observer, RunConfig},
    error::Result,
};

/// Pairs that are looked at before those that are candidates are verified: what bounds the memory.
const BATCH: usize = 1 << 22;

/// Pairs of documents that may be candidates.
pub(crate) enum Meetings {
    /// Those with the same key in a column.
    Columns(Vec<Vec<u32>>),
    /// Those in a list, each once.
    Listed(Vec<(u32, u32)>),
}

impl Meetings {
    /// Who meets whom by columns or by what is listed, and who therefore stays a contender. Where all pairs are asked for,
    /// everybody does, and who meets whom is known when the sets are ([`join`](Self::join)).
    pub(crate) fn new(
        config: &RunConfig,
        method: &Method,
        table: &mut Table,
        pairing: &mut Pairing,
        pool: &ThreadPool,
        observer: Observer,
    ) -> Result<(Self, Counted)> {
        if method.config().candidates == Candidates::All {
            return Ok((Self::Listed(Vec::new()), Counted::default()));
        }
        if !method.lists() {
            pairing.keep_likely(table, method, pool, observer);
            return Ok((Self::Columns(std::mem::take(&mut table.columns)), Counted::default()));
        }
        let mut counted = count(config, method, &table.lists, pairing, pool, observer)?;
        let mut meets = vec![false; table.documents() as usize];
        counted.pairs.iter().for_each(|&(a, b)| (meets[a as usize], meets[b as usize]) = (true, true));
        pairing.contenders.retain(|&d| meets[d as usize]);
        Ok((Self::Listed(std::mem::take(&mut counted.pairs)), counted))
    }

    /// Joins the contenders' sets where all pairs are asked for.
    pub(crate) fn join(self, method: &Method, pairing: &Pairing, sets: &Sets) -> Result<Self> {
        if method.config().candidates != Candidates::All {
            return Ok(self);
        }
        let mut loaded = Vec::new();
        for &document in &pairing.contenders {
            let mut set = Vec::new();
            sets.read(document, &mut set)?;
            loaded.push(set);
        }
        let document = |place: u32| pairing.contenders[place as usize];
        Ok(Self::Listed(method.join(&loaded).iter().map(|pair| (document(pair.a), document(pair.b))).collect()))
    }

    /// In the form that going down keep order asks for.
    pub(crate) fn links(self, pairing: &Pairing, pool: &ThreadPool) -> Links {
        match self {
            Self::Columns(columns) => Links::Buckets(pairing.label(columns, pool)),
            Self::Listed(pairs) => Links::Listed(Listed::new(&pairs, &pairing.ranks)),
        }
    }

    /// Gives every candidate pair of `documents`, in batches, to `verify`; each pair once, in an order that depends on the
    /// documents alone.
    pub(crate) fn each_candidate_pair(
        &self,
        documents: &[u32],
        matcher: &Matcher,
        pool: &ThreadPool,
        mut verify: impl FnMut(&[(u32, u32)]) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Columns(columns) => each_in_columns(columns, documents, matcher, pool, verify),
            Self::Listed(pairs) => pairs.chunks(BATCH).try_for_each(|batch| verify(&matcher.candidates(batch))),
        }
    }
}

fn each_in_columns(
    columns: &[Vec<u32>],
    documents: &[u32],
    matcher: &Matcher,
    pool: &ThreadPool,
    mut verify: impl FnMut(&[(u32, u32)]) -> Result<()>,
) -> Result<()> {
    for (band, column) in columns.iter().enumerate() {
        let rows = sorted_rows(column, documents.iter().copied());
        // A document with those behind it in its bucket, unless they met in an earlier band.
        let behind = |tail: &[u64], others: &mut Vec<u32>| -> Vec<(u32, u32)> {
            let a = lsh::document(tail[0]);
            others.clear();
            others.extend(tail[1..].iter().map(|&row| lsh::document(row)).filter(|&b| !share_earlier_band(columns, band, a, b)));
            matcher.keep_candidates(a, others, |other| other);
            others.iter().map(|&b| (a, b)).collect()
        };
        let mut batch: Vec<&[u64]> = Vec::new();
        let mut pairs = 0;
        let mut flush = |batch: &mut Vec<&[u64]>| {
            let found = batch.par_iter().map_init(Vec::new, |others, tail| behind(tail, others));
            let candidates: Vec<(u32, u32)> = pool.install(|| found.collect::<Vec<_>>()).concat();
            batch.clear();
            verify(&candidates)
        };
        for bucket in lsh::buckets(&rows) {
            for at in 0..bucket.len() - 1 {
                batch.push(&bucket[at..]);
                pairs += bucket.len() - at;
                if pairs > BATCH {
                    flush(&mut batch)?;
                    pairs = 0;
                }
            }
        }
        flush(&mut batch)?;
    }
    Ok(())
}
