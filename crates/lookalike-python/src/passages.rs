//! The passages that two texts share, as the command's `passages` finds them.

use lookalike::{
    Method, Scratch,
    runs::{Joined, Winnowing, join, shared_runs},
    text::{CharCount, Span},
};
use pyo3::{prelude::*, pybacked::PyBackedStr, types::PyDict};

use crate::{compare::QUICK, config, error::refused, parallel};

/// A stretch that two texts share.
#[pyclass(frozen, eq, get_all, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub struct SharedPassage {
    /// Where it starts in a, in characters, so that `a[start_a:end_a]` is what stands there.
    start_a: usize,
    /// Where it ends in a.
    end_a: usize,
    /// Where it starts in b.
    start_b: usize,
    /// Where it ends in b.
    end_b: usize,
    /// How many tokens both have.
    tokens: usize,
}

#[pymethods]
impl SharedPassage {
    fn __repr__(&self) -> String {
        let Self { start_a, end_a, start_b, end_b, tokens } = self;
        format!("SharedPassage(start_a={start_a}, end_a={end_a}, start_b={start_b}, end_b={end_b}, tokens={tokens})")
    }
}

/// The passages of at least so many tokens that two texts share word for word, in the order of the first.
///
/// Every shared run of `least` tokens or more lies in one, on both sides; runs that at most `gap` tokens separate in both texts are one
/// passage. Keywords: `tokens` and `folds`, see `Config`; others of shingles make no difference. What the command's `passages` finds.
///
/// Cost: some tens of nanoseconds a token. Source: Schleimer, Wilkerson, Aiken 2003 (winnowing).
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
