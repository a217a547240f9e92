//! The native part of `lookalike.compat.datasketch`, which computes datasketch's numbers bit for bit.

mod borrow;
mod kernel;
mod params;
mod pipeline;
mod tokens;

use kernel::{permute, sha1};
use lookalike::shown::quoted;
use numpy::{Element, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
pub use params::{datasketch_containment_params, datasketch_params};
use pyo3::{exceptions::PyValueError, prelude::*};
use tokens::Documents;

use crate::parallel;

/// Returns the hash values of many documents, one array for each. All documents start from the hash values `initial`.
///
/// For each document, `documents` yields an iterable of tokens, which are bytes objects. The hash of a token is taken from the
/// first 8 bytes of its SHA-1; `bits` (32 or 64) says how many of the lower bits are used. `scheme` ("affine32", "affine64" or
/// "legacy") says how hashes are permuted, and `permutations` has the coefficients, in two rows. `threads`: 0 means one per core.
///
/// Cost with AVX-512: about 12 ns per token for its SHA-1 and 6 ns for 128 permutations. Reading the token takes another 10 ns,
/// on another thread at the same time.
#[pyfunction]
#[pyo3(signature = (documents, bits, scheme, permutations, initial, threads = 0))]
pub fn datasketch_bulk<'py>(
    documents: &Bound<'py, PyAny>,
    bits: u32,
    scheme: &str,
    permutations: &Bound<'py, PyAny>,
    initial: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let threads = parallel::threads(threads);
    match scheme {
        "affine32" => {
            let [a, b] = coefficients(permutations, initial)?;
            bulk(documents, bits, initial, threads, |hashes, minima| {
                permute::affine32(hashes, &a, &b, minima)
            })
        }
        "affine64" => {
            let [a, b] = coefficients(permutations, initial)?;
            bulk(documents, bits, initial, threads, |hashes, minima| {
                permute::affine64(hashes, &a, &b, minima)
            })
        }
        "legacy" => {
            let [a, b] = coefficients(permutations, initial)?;
            bulk(documents, bits, initial, threads, |hashes, minima| {
                permute::legacy(hashes, &a, &b, minima)
            })
        }
        other => Err(no_scheme(other)),
    }
}

/// Returns the hash values of one document, given the hashes of its tokens (uint64) from any hash function.
#[pyfunction]
pub fn datasketch_lower<'py>(
    hashes: PyReadonlyArray1<'py, u64>,
    scheme: &str,
    permutations: &Bound<'py, PyAny>,
    initial: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut hashes = hashes.as_array().to_vec();
    match scheme {
        "affine32" => {
            let [a, b] = coefficients(permutations, initial)?;
            lower(initial, |minima| {
                permute::affine32(&mut hashes, &a, &b, minima)
            })
        }
        "affine64" => {
            let [a, b] = coefficients(permutations, initial)?;
            lower(initial, |minima| {
                permute::affine64(&mut hashes, &a, &b, minima)
            })
        }
        "legacy" => {
            let [a, b] = coefficients(permutations, initial)?;
            lower(initial, |minima| {
                permute::legacy(&mut hashes, &a, &b, minima)
            })
        }
        other => Err(no_scheme(other)),
    }
}

fn no_scheme(scheme: &str) -> PyErr {
    PyValueError::new_err(format!("{} is not a permutation scheme", quoted(scheme)))
}

/// Returns the two rows of `permutations`, after checking that each row has one number for each hash value.
fn coefficients<T: Element + Copy>(
    permutations: &Bound<'_, PyAny>,
    initial: &Bound<'_, PyAny>,
) -> PyResult<[Vec<T>; 2]> {
    let array: PyReadonlyArray2<'_, T> = permutations.extract()?;
    let array = array.as_array();
    if array.dim() != (2, initial.len()?) {
        return Err(PyValueError::new_err(
            "permutations must have two rows, with one number for each hash value",
        ));
    }
    Ok([array.row(0).to_vec(), array.row(1).to_vec()])
}

fn lower<'py, T: Element + Copy>(
    initial: &Bound<'py, PyAny>,
    lower: impl FnOnce(&mut [T]) + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let mut minima = initial
        .extract::<PyReadonlyArray1<'_, T>>()?
        .as_array()
        .to_vec();
    let py = initial.py();
    py.detach(|| lower(&mut minima));
    Ok(PyArray1::from_vec(py, minima).into_any())
}

fn bulk<'py, T: Element + Copy>(
    documents: &Bound<'py, PyAny>,
    bits: u32,
    initial: &Bound<'py, PyAny>,
    threads: usize,
    lower: impl Fn(&mut [u64], &mut [T]) + Sync,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = documents.py();
    let initial = initial
        .extract::<PyReadonlyArray1<'_, T>>()?
        .as_array()
        .to_vec();
    let (kernel, slots) = (sha1::Kernel::detect(), initial.len());
    let work = |hashes: &mut Vec<u64>, Piece { documents, minima }: &mut Piece<T>| {
        minima.clear();
        for number in 0..documents.len() {
            let (start, ends) = documents.document(number);
            hashes.clear();
            sha1::heads(kernel, documents.bytes(), start, ends, hashes);
            if bits == 32 {
                hashes.iter_mut().for_each(|hash| *hash &= 0xffff_ffff);
            }
            minima.extend_from_slice(&initial);
            let from = minima.len() - slots;
            lower(hashes, &mut minima[from..]);
        }
    };
    let (mut out, mut left) = (Vec::new(), documents.try_iter()?);
    let take = |piece: &mut Piece<T>| piece.documents.take(&mut left);
    let give = |piece: &Piece<T>| {
        out.extend(
            piece
                .minima
                .chunks(slots)
                .map(|minima| PyArray1::from_slice(py, minima).into_any()),
        )
    };
    pipeline::run(py, threads, take, work, give)?;
    Ok(out)
}

/// Some documents, and the minima computed for them.
struct Piece<T> {
    documents: Documents,
    minima: Vec<T>,
}

impl<T> Default for Piece<T> {
    fn default() -> Self {
        Self {
            documents: Documents::default(),
            minima: Vec::new(),
        }
    }
}
