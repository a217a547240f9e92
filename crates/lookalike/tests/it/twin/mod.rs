//! The naive twin is a second implementation that executes the law literally: it compares all pairs of sets of token strings, in
//! quadratic time. The twin shares only two parts with the fast implementation: the tokens of texts, and the candidate function,
//! which the law takes as given.

use std::collections::BTreeSet;

use lookalike::{
    Candidates, Config, Method, Occurrences, Scratch,
    fingerprint::Digest,
    lsh::Sample,
    text::{Tokens, TokensBy, canonicalise},
    verify::Measure,
};

/// The tokens of a shingle, and the number of the occurrence (always the first under Broder's option B, which does not count
/// repeats).
type Shingle = (Vec<Vec<u8>>, usize);

/// The data that a run stores for a document.
struct Sketch {
    digest: Digest,
    keys: Vec<u32>,
    bits: Vec<u8>,
    elements: Vec<u64>,
    level: u32,
}

/// The candidate function. Documents with equal digests are candidates. Whether other documents are candidates depends on the
/// method. A method may accept all pairs, or pairs that share a key and whose sketches agree. Or it may accept pairs that share
/// enough sampled elements, if one of the shared elements is in at most `common` distinct documents.
fn is_candidate(a: &Sketch, b: &Sketch, method: &Method, all: &[Sketch]) -> bool {
    let documents = |element: &u64| {
        let with = all
            .iter()
            .filter(|sketch| sketch.elements.contains(element));
        with.map(|sketch| sketch.digest)
            .collect::<BTreeSet<_>>()
            .len() as u32
    };
    if a.digest == b.digest || method.config().candidates == Candidates::All {
        return true;
    }
    if !method.keeps_samples() {
        return a.keys.iter().zip(&b.keys).any(|(a, b)| a == b) && method.agree(&a.bits, &b.bits);
    }
    let rare = |element: &&u64| documents(element) <= method.common();
    let meet = a
        .elements
        .iter()
        .filter(|element| b.elements.contains(element))
        .any(|element| rare(&element));
    let [a, b] = [a, b].map(|sketch| Sample {
        level: sketch.level,
        elements: &sketch.elements,
    });
    meet && method.share_enough(a, b)
}

pub struct Twin {
    measure: Measure,
    min_containment: f64,
    texts: Vec<Vec<Vec<u8>>>,
    sets: Vec<BTreeSet<Shingle>>,
    candidates: Vec<Vec<bool>>,
}

/// The verdict of the law on one document: if it is dropped, its representative, and its similarity to the representative.
pub type Verdict = Option<(usize, f64)>;

impl Twin {
    pub fn new(texts: &[&str], method: &Method) -> Self {
        let sets = texts
            .iter()
            .map(|text| shingle_set(text, method.config()))
            .collect();
        let mut scratch = Scratch::default();
        let sketches: Vec<Sketch> = texts
            .iter()
            .map(|text| {
                method.sketch(*text, &mut scratch);
                let Scratch { digest, level, .. } = scratch;
                Sketch {
                    digest,
                    level,
                    keys: scratch.keys.clone(),
                    bits: scratch.bits.clone(),
                    elements: scratch.elements.clone(),
                }
            })
            .collect();
        let candidate = |a, b| is_candidate(a, b, method, &sketches);
        let candidates = sketches
            .iter()
            .map(|a| sketches.iter().map(|b| candidate(a, b)).collect())
            .collect();
        let canonical = |text: &&str| match (tokens_of(text, method.config()), method.config()) {
            (
                items,
                Config {
                    tokens: TokensBy::Items,
                    occurrences: Occurrences::Once,
                    ..
                },
            ) => items
                .into_iter()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            (
                mut items,
                Config {
                    tokens: TokensBy::Items,
                    ..
                },
            ) => {
                items.sort();
                items
            }
            (tokens, _) => tokens,
        };
        let texts = texts.iter().map(canonical).collect();
        let Config {
            measure,
            min_containment,
            ..
        } = *method.config();
        Self {
            measure,
            min_containment: min_containment.unwrap_or(0.0),
            texts,
            sets,
            candidates,
        }
    }

    /// Returns whether two documents have the same canonical form.
    pub fn are_the_same(&self, a: usize, b: usize) -> bool {
        self.texts[a] == self.texts[b]
    }

    pub fn is_empty(&self, d: usize) -> bool {
        self.sets[d].is_empty()
    }

    pub fn is_candidate(&self, a: usize, b: usize) -> bool {
        self.candidates[a][b] && !self.is_empty(a) && !self.is_empty(b)
    }

    /// Returns the similarity of document `a` to document `b`.
    pub fn similarity(&self, a: usize, b: usize) -> f64 {
        let both = self.sets[a].intersection(&self.sets[b]).count();
        let whole = match self.measure {
            Measure::Resemblance => self.sets[a].union(&self.sets[b]).count(),
            Measure::Containment => self.sets[a].len(),
        };
        let share = |whole| both as f64 / whole as f64;
        if whole == 0 || share(self.sets[a].len()) < self.min_containment {
            0.0
        } else {
            share(whole)
        }
    }

    /// Applies the law in keep order. A document is dropped if it is at least t similar to one of its candidates that is already
    /// kept; otherwise it is kept. Its representative is the most similar of these candidates; ties go to the first in keep
    /// order.
    pub fn law(&self, order: &[usize], t: f64) -> Vec<Verdict> {
        let mut verdicts = vec![None; order.len()];
        let mut kept: Vec<usize> = Vec::new();
        for &d in order {
            let mut best: Verdict = None;
            for &k in &kept {
                let similarity = self.similarity(d, k);
                if self.is_candidate(d, k)
                    && similarity >= t
                    && best.is_none_or(|(_, best)| similarity > best)
                {
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

    /// Returns the connected component of each document. Two documents are connected if they are a candidate pair and at least
    /// one is similar to the other. A component is identified by its first document in keep order.
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
                    let similar = self.similarity(a, b).max(self.similarity(b, a)) >= t;
                    if *name == usize::MAX && self.is_candidate(a, b) && similar {
                        *name = start;
                        reached.push(b);
                    }
                }
            }
        }
        names
    }
}

/// Returns the tokens of a text; for a set, its items as a JSON parser reads them.
fn tokens_of(text: &str, config: &Config) -> Vec<Vec<u8>> {
    if config.tokens == TokensBy::Items {
        let item = |item: &serde_json::Value| match item.as_f64() {
            Some(number) => number.to_le_bytes().to_vec(),
            None => item.to_string().into_bytes(),
        };
        return serde_json::from_str::<Vec<_>>(text)
            .unwrap()
            .iter()
            .map(item)
            .collect();
    }
    let mut tokens = Tokens::new();
    canonicalise(text, config.tokens, config.folds, &mut tokens);
    tokens.iter().map(<[u8]>::to_vec).collect()
}

pub fn shingle_set(text: &str, config: &Config) -> BTreeSet<Shingle> {
    let (tokens, k) = (tokens_of(text, config), config.k());
    let bag: Vec<Vec<Vec<u8>>> = match tokens.len() {
        0 => Vec::new(),
        n if n < k => vec![tokens],
        _ if config.anchors.is_empty() => tokens.windows(k).map(<[_]>::to_vec).collect(),
        _ => {
            let anchors = config
                .anchors
                .iter()
                .flat_map(|language| language.stop_words(config.tokens, config.folds));
            let anchors: BTreeSet<Vec<u8>> = anchors.map(String::into_bytes).collect();
            let starts: Vec<usize> = (0..=tokens.len() - k)
                .filter(|&at| anchors.contains(&tokens[at]))
                .collect();
            let covered = (0..tokens.len())
                .filter(|&at| starts.iter().any(|&start| (start..start + k).contains(&at)))
                .count();
            // If there are too few anchors, all shingles are used.
            let judged = starts.len() >= 50 || starts.len() >= 20 && 3 * covered >= tokens.len();
            let windows = tokens
                .windows(k)
                .enumerate()
                .filter(|(at, _)| !judged || starts.contains(at));
            windows.map(|(_, window)| window.to_vec()).collect()
        }
    };
    let label = |i: usize| match config.occurrences {
        Occurrences::Once => 0,
        Occurrences::Labelled => bag[..i]
            .iter()
            .filter(|earlier| **earlier == bag[i])
            .count(),
    };
    (0..bag.len()).map(|i| (bag[i].clone(), label(i))).collect()
}
