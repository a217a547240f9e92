//! Inputs of sketches: texts or precomputed sets of fingerprints, single or in a batch.

use lookalike::{
    Method, Scratch,
    fingerprint::{sort_distinct, token_hashes},
    text::{Tokens, canonicalise},
};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    pybacked::PyBackedStr,
    types::{PyDict, PyString},
};

use crate::{config, parallel, sets};

/// Returns an object whose values are read one by one. Python's values of damaged Arrow data would end the process, so objects of
/// pandas and pyarrow are checked first. `called` is the object's name in messages.
///
/// # Errors
/// Fails with `InputError` if the data is damaged.
pub fn sound<'py>(called: &str, values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    for attribute in ["dtype", "__arrow_c_array__", "__arrow_c_stream__"] {
        if values.hasattr(attribute)? {
            let kinds = values.py().import("lookalike.kinds")?;
            return kinds.call_method1("sound", (called, values));
        }
    }
    Ok(values.clone())
}

/// A text, or the fingerprints of a text.
pub enum Item {
    Text(PyBackedStr),
    Fingerprints(Vec<u64>),
}

impl Item {
    pub fn new(item: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = item.cast::<PyString>() {
            return Ok(Self::Text(text.extract()?));
        }
        match item.extract::<PyReadonlyArray1<'_, u64>>() {
            Ok(array) => Ok(Self::Fingerprints(array.as_array().to_vec())),
            Err(_) => Err(PyTypeError::new_err(format!(
                "expected a text (str) or its fingerprints (a numpy array of uint64 with one axis), not {}",
                item.get_type().name()?
            ))),
        }
    }

    /// Reads all items of a batch.
    fn batch(items: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        if items.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(
                "expected a batch of texts, not one text; give a list",
            ));
        }
        sound("texts", items)?
            .try_iter()?
            .map(|item| Self::new(&item?))
            .collect()
    }

    /// Returns the approximate amount of work, in bytes.
    fn weight(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Fingerprints(fingerprints) => 8 * fingerprints.len(),
        }
    }
}

/// Returns the fingerprints of an item, including repeats, in any order.
pub fn bag<'a>(method: &Method, item: &'a Item, scratch: &'a mut Scratch) -> &'a [u64] {
    match item {
        Item::Text(text) => {
            method.sketch(&**text, scratch);
            &scratch.fingerprints
        }
        Item::Fingerprints(fingerprints) => fingerprints,
    }
}

/// Computes the hash of each token of a text, in text order.
pub fn tokens(method: &Method, text: &str, buffers: &mut (Tokens, Vec<u64>)) {
    let config = method.config();
    canonicalise(text, config.tokens, config.folds, &mut buffers.0);
    token_hashes(&buffers.0, &mut buffers.1);
}

/// Bytes of work that justify one more thread.
const WORTH: usize = 1 << 16;

/// Returns `width` elements for each item of a batch, which `row` fills. The interpreter is released meanwhile.
fn filled<T: Default + Send, S: Default>(
    items: &Bound<'_, PyAny>,
    width: usize,
    threads: usize,
    row: impl Fn(&mut S, &Item, &mut [T]) + Sync,
) -> PyResult<Vec<T>> {
    let batch = Item::batch(items)?;
    let weight: usize = batch.iter().map(Item::weight).sum();
    let threads = parallel::threads(threads).min(weight / WORTH + 1);
    // Pieces are small, so that threads do not wait long for the last piece.
    let rows = batch.len().div_ceil(threads * 16).max(1);
    let mut out = Vec::new();
    out.resize_with(batch.len() * width, T::default);
    let fill = |state: &mut S, first, out: &mut [T]| {
        for (item, out) in batch[first / width..].iter().zip(out.chunks_mut(width)) {
            row(state, item, out);
        }
    };
    let py = items.py();
    py.detach(|| parallel::fill(&mut out, rows * width, threads, S::default, fill))?;
    Ok(out)
}

/// Returns an array with a row of `width` elements for each item of a batch.
pub fn table<'py, T: Element + Default, S: Default>(
    items: &Bound<'py, PyAny>,
    width: usize,
    threads: usize,
    row: impl Fn(&mut S, &Item, &mut [T]) + Sync,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let out = filled(items, width, threads, row)?;
    let rows = out.len() / width;
    PyArray1::from_vec(items.py(), out).reshape([rows, width])
}

/// Returns what `make` makes of each item of a batch.
pub fn each<T: Send>(
    items: &Bound<'_, PyAny>,
    threads: usize,
    make: impl Fn(&Item, &mut Scratch) -> T + Sync,
) -> PyResult<Vec<T>> {
    let out = filled(items, 1, threads, |scratch, item, out| {
        out[0] = Some(make(item, scratch));
    })?;
    Ok(out.into_iter().flatten().collect())
}

/// Returns the shingle set of a text: sorted distinct 64-bit numbers, as a numpy array of uint64.
///
/// A text of n tokens (n at least `shingle`) has at most n - shingle + 1 shingles. A shorter text has one shingle, and an empty
/// text has none. Keywords: `tokens`, `folds`, `shingle`, `occurrences`, `fingerprint`, `seed`, see `Config`. The numbers are
/// stable: the same text and settings give the same numbers on every machine and in every release. With `tokens="items"` the
/// argument is a set: a list, tuple or set of strings and numbers, or a JSON array of them.
///
/// Cost: about a nanosecond per byte, and the time to sort the numbers. Source: Broder 1997, section 2.
#[pyfunction]
#[pyo3(signature = (text, /, **config), text_signature = "(text, /, **config)")]
pub fn fingerprints<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    config: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let method = config::shingles(config::config("fingerprints", &[], config)?)?;
    let text = sets::text(method.config(), text)?;
    let set = py.detach(|| {
        let mut scratch = Scratch::default();
        method.set(&*text, &mut scratch);
        sort_distinct(&mut scratch.fingerprints);
        scratch.fingerprints
    });
    Ok(PyArray1::from_vec(py, set))
}
