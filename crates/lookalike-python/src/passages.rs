//! Finds the passages and the regions that two texts share, as the command's `passages` does.

use lookalike::{
    Method, Scratch,
    regions::{RegionSettings, regions as regions_of},
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
        let Self {
            start_a,
            end_a,
            start_b,
            end_b,
            tokens,
        } = self;
        format!(
            "SharedPassage(start_a={start_a}, end_a={end_a}, start_b={start_b}, end_b={end_b}, tokens={tokens})"
        )
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

/// A part of each text that is reused, changed or unchanged.
#[pyclass(frozen, eq, get_all, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub struct Region {
    /// Start in a, in characters, so that `a[start_a:end_a]` is the region.
    start_a: usize,
    /// End in a, exclusive.
    end_a: usize,
    /// Start in b, in characters.
    start_b: usize,
    /// End in b, exclusive.
    end_b: usize,
    /// The number of tokens that both parts have, in any order.
    tokens: usize,
    /// These tokens, weighted by rarity: a token that occurs once in each text counts 1.
    score: f64,
    /// The share of these tokens among all tokens of the part, weighted by rarity.
    density: f64,
}

#[pymethods]
impl Region {
    fn __repr__(&self) -> String {
        let Self {
            start_a,
            end_a,
            start_b,
            end_b,
            tokens,
            score,
            density,
        } = self;
        format!(
            "Region(start_a={start_a}, end_a={end_a}, start_b={start_b}, end_b={end_b}, tokens={tokens}, score={score:.1}, \
             density={density:.3})"
        )
    }
}

/// Returns the regions of two texts: passages that one of them copied from the other and possibly changed, in the order of the first
/// text.
///
/// Words may be replaced, inserted or deleted, and sentences may be in another order. Shared tokens that are at most `gap` tokens
/// apart in both texts are joined; rare tokens count more. A region has at least `min_tokens` tokens in each text, a `density` (share
/// of its tokens that both parts have) and a `score` (number of these tokens), both weighted by rarity. Each run of at least
/// `min_tokens` and `least` tokens that both texts have is in regions, whatever their density and score. Texts without a common run of
/// `least` tokens have no regions. Keywords: `tokens` and `folds`, see `Config`; other keywords of shingles have no effect. The
/// results equal those of the command's `passages --regions`.
///
/// Cost: about half a microsecond per token. Source: the seeds, extension and filtering of PAN's text alignment (Potthast et al. 2013).
#[pyfunction]
#[pyo3(
    signature = (a, b, /, *, least = 4, gap = 25, min_tokens = 20, density = 0.4, score = 14.0, **config),
    text_signature = "(a, b, /, *, least=4, gap=25, min_tokens=20, density=0.4, score=14.0, **config)"
)]
#[expect(clippy::too_many_arguments, reason = "keywords, each with its default")]
pub fn regions(
    py: Python<'_>,
    a: PyBackedStr,
    b: PyBackedStr,
    least: usize,
    gap: usize,
    min_tokens: usize,
    density: f64,
    score: f64,
    config: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Region>> {
    let method = config::shingles(config::config("regions", &[], config)?)?;
    let winnowing = Winnowing::new(least).map_err(refused)?;
    let settings = RegionSettings {
        gap,
        tokens: min_tokens,
        density,
        score,
    };
    settings.check().map_err(refused)?;
    if a.len() + b.len() < QUICK {
        return Ok(py.detach(|| reused(&method, [&*a, &*b], winnowing, &settings)));
    }
    parallel::apart(py, move || {
        reused(&method, [&*a, &*b], winnowing, &settings)
    })
}

fn reused(
    method: &Method,
    texts: [&str; 2],
    winnowing: Winnowing,
    settings: &RegionSettings,
) -> Vec<Region> {
    let [a, b] = token_hashes(method, texts);
    let spans = texts.map(|text| method.token_spans(text));
    let mut chars = texts.map(CharCount::new);
    let region = |region: lookalike::regions::Region| {
        let [in_a, in_b] = region.places([&spans[0], &spans[1]]);
        let [
            Span {
                start: start_a,
                end: end_a,
            },
            Span {
                start: start_b,
                end: end_b,
            },
        ] = [chars[0].span(in_a), chars[1].span(in_b)];
        let lookalike::regions::Region {
            tokens,
            score,
            density,
            ..
        } = region;
        Region {
            start_a,
            end_a,
            start_b,
            end_b,
            tokens,
            score,
            density,
        }
    };
    regions_of(&a, &b, &shared_runs(&a, &b, winnowing), settings)
        .into_iter()
        .map(region)
        .collect()
}

fn token_hashes(method: &Method, texts: [&str; 2]) -> [Vec<u64>; 2] {
    let mut scratch = Scratch::default();
    texts.map(|text| {
        method.set(text, &mut scratch);
        std::mem::take(&mut scratch.token_hashes)
    })
}

fn shared(
    method: &Method,
    texts: [&str; 2],
    winnowing: Winnowing,
    gap: usize,
) -> Vec<SharedPassage> {
    let [a, b] = token_hashes(method, texts);
    let [in_a, in_b] = texts.map(|text| method.token_spans(text));
    let mut chars = texts.map(CharCount::new);
    let passage = |joined: Joined| {
        let [a, b] = joined.places([&in_a, &in_b]);
        let [
            Span {
                start: start_a,
                end: end_a,
            },
            Span {
                start: start_b,
                end: end_b,
            },
        ] = [chars[0].span(a), chars[1].span(b)];
        SharedPassage {
            start_a,
            end_a,
            start_b,
            end_b,
            tokens: joined.tokens,
        }
    };
    join(&shared_runs(&a, &b, winnowing), gap)
        .into_iter()
        .map(passage)
        .collect()
}
