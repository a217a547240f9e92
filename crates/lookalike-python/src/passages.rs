//! Finds the passages that two texts share, as the command's `passages` does.

use lookalike::{
    Method, Scratch,
    runs::{Joined, Winnowing, join, shared_runs},
    text::{CharCount, Span},
};
use pyo3::{prelude::*, pybacked::PyBackedStr, types::PyDict};

use crate::{compare::QUICK, config, error::refused, parallel};

/// A passage that two texts share.
#[pyclass(frozen, eq, get_all, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub struct SharedPassage {
    /// Start in a, in characters, so that `a[start_a:end_a]` is the passage.
    start_a: usize,
    /// End in a, exclusive.
    end_a: usize,
    /// Start in b, in characters.
    start_b: usize,
    /// End in b, exclusive.
    end_b: usize,
    /// The number of tokens that both texts share in the passage.
    tokens: usize,
}

#[pymethods]
impl SharedPassage {
    fn __repr__(&self) -> String {
        let Self { start_a, end_a, start_b, end_b, tokens } = self;
        format!("SharedPassage(start_a={start_a}, end_a={end_a}, start_b={start_b}, end_b={end_b}, tokens={tokens})")
    }
}

/// Returns the passages of at least `least` tokens that two texts share word for word, in the order of the first text.
///
/// Every shared run of `least` tokens or more is part of a passage, in both texts. Runs that are separated by at most `gap`
/// tokens in both texts form one passage. Keywords: `tokens` and `folds`, see `Config`; other keywords of shingles have no
/// effect. The results equal those of the command's `passages`.
///
/// Cost: tens of nanoseconds per token. Source: Schleimer, Wilkerson, Aiken 2003 (winnowing).
#[pyfunction]
#[pyo3(signature = (a, b, /, *, least = 8, gap = 0, **config), text_signature = "(a, b, /, *, least=8, gap=0, **config)")]
pub fn passages(
    py: Python<'_>,
    a: PyBackedStr,
    b: PyBackedStr,
    least: usize,
    gap: usize,
    config: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<SharedPassage>> {
    let method = config::shingles(config::config("passages", &[], config)?)?;
    let winnowing = Winnowing::new(least).map_err(refused)?;
    if a.len() + b.len() < QUICK {
        return Ok(py.detach(|| shared(&method, [&*a, &*b], winnowing, gap)));
    }
    parallel::apart(py, move || shared(&method, [&*a, &*b], winnowing, gap))
}

fn shared(method: &Method, texts: [&str; 2], winnowing: Winnowing, gap: usize) -> Vec<SharedPassage> {
    let mut scratch = Scratch::default();
    let [a, b] = texts.map(|text| {
        method.set(text, &mut scratch);
        std::mem::take(&mut scratch.token_hashes)
    });
    let [in_a, in_b] = texts.map(|text| method.token_spans(text));
    let mut chars = texts.map(CharCount::new);
    let passage = |joined: Joined| {
        let [a, b] = joined.places([&in_a, &in_b]);
        let [Span { start: start_a, end: end_a }, Span { start: start_b, end: end_b }] = [chars[0].span(a), chars[1].span(b)];
        SharedPassage { start_a, end_a, start_b, end_b, tokens: joined.tokens }
    };
    join(&shared_runs(&a, &b, winnowing), gap).into_iter().map(passage).collect()
}
