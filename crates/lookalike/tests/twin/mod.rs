//! The naive twin: the law's own words, executed. All pairs, sets of token strings, quadratic. Nothing of the fast way is
//! used but the text's tokens and the candidate function, which the law says is given.

use std::collections::BTreeSet;

use lookalike::{
    Method, Scratch,
    text::{Tokens, TokensBy, canonicalise},
};

pub struct Twin {
    sets: Vec<BTreeSet<Vec<Vec<u8>>>>,
    candidates: Vec<Vec<bool>>,
}

/// What the law says of one document: its representative and their resemblance, if it is dropped.
pub type Verdict = Option<(usize, f64)>;

impl Twin {
    pub fn new(texts: &[&str], method: &Method) -> Self {
        let sets = texts.iter().map(|text| shingle_set(text, method.config().tokens, method.config().shingle)).collect();
        let mut scratch = Scratch::default();
        let sketches: Vec<_> = texts
            .iter()
            .map(|text| {
                method.sketch(text, &mut scratch);
                (scratch.tokens.text().to_vec(), method.keys(&scratch).collect::<Vec<_>>(), scratch.bits)
            })
            .collect();
        let candidate = |(text_a, keys_a, bits_a): &(Vec<u8>, Vec<u32>, _), (text_b, keys_b, bits_b): &(Vec<u8>, Vec<u32>, _)| {
            text_a == text_b || keys_a.iter().zip(keys_b).any(|(a, b)| a == b) && method.agree(bits_a, bits_b)
        };
        let candidates = sketches.iter().map(|a| sketches.iter().map(|b| candidate(a, b)).collect()).collect();
        Self { sets, candidates }
    }

    pub fn is_empty(&self, d: usize) -> bool {
        self.sets[d].is_empty()
    }

    pub fn is_candidate(&self, a: usize, b: usize) -> bool {
        self.candidates[a][b] && !self.is_empty(a) && !self.is_empty(b)
    }

    pub fn resemblance(&self, a: usize, b: usize) -> f64 {
        let both = self.sets[a].intersection(&self.sets[b]).count();
        let either = self.sets[a].union(&self.sets[b]).count();
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }

    /// Going down that order, a document is dropped when a document already kept is its candidate and is at least t similar
    /// to it; otherwise it is kept. The representative is the most similar; ties: first in keep order.
    pub fn law(&self, order: &[usize], t: f64) -> Vec<Verdict> {
        let mut verdicts = vec![None; order.len()];
        let mut kept: Vec<usize> = Vec::new();
        for &d in order {
            let mut best: Verdict = None;
            for &k in &kept {
                let similarity = self.resemblance(d, k);
                if self.is_candidate(d, k) && similarity >= t && best.is_none_or(|(_, best)| similarity > best) {
                    best = Some((k, similarity));
                }
            }
            if best.is_none() {
                kept.push(d);
            }
            verdicts[d] = best;
        }
        verdicts
    }

    /// Each document's component among all matches, named by its first in keep order.
    pub fn components(&self, order: &[usize], t: f64) -> Vec<usize> {
        let mut names = vec![usize::MAX; order.len()];
        for &start in order {
            if names[start] != usize::MAX {
                continue;
            }
            names[start] = start;
            let mut reached = vec![start];
            while let Some(a) = reached.pop() {
                for (b, name) in names.iter_mut().enumerate() {
                    if *name == usize::MAX && self.is_candidate(a, b) && self.resemblance(a, b) >= t {
                        *name = start;
                        reached.push(b);
                    }
                }
            }
        }
        names
    }
}

pub fn shingle_set(text: &str, by: TokensBy, k: usize) -> BTreeSet<Vec<Vec<u8>>> {
    let mut tokens = Tokens::new();
    canonicalise(text, by, &mut tokens);
    let tokens: Vec<Vec<u8>> = tokens.iter().map(<[u8]>::to_vec).collect();
    match tokens.len() {
        0 => BTreeSet::new(),
        n if n < k => [tokens].into(),
        _ => tokens.windows(k).map(<[_]>::to_vec).collect(),
    }
}
