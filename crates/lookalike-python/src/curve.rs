//! Computes the S-curve, and the guaranteed recall.

use lookalike::{Config, ErrorKind, lsh};
use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use crate::error::refused;

/// Bands and rows, with the probability that a pair of each similarity is found: 1 - (1 - s^r)^b.
#[pyclass(frozen, module = "lookalike")]
pub struct Curve {
    curve: lsh::Curve,
    threshold: f64,
}

#[pymethods]
impl Curve {
    /// b, the number of bands.
    #[getter]
    fn bands(&self) -> usize {
        self.curve.bands
    }

    /// r, the rows per band.
    #[getter]
    fn rows(&self) -> usize {
        self.curve.rows
    }

    /// The number of signature slots that are used: b times r.
    #[getter]
    fn slots(&self) -> usize {
        self.curve.bands * self.curve.rows
    }

    /// t, the similarity from which two texts count as near-duplicates.
    #[getter]
    fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The share of pairs at the threshold that are found.
    #[getter]
    fn found_at_threshold(&self) -> f64 {
        self.curve.found(self.threshold)
    }

    /// (1/b)^(1/r): approximately where the curve is steepest.
    #[getter]
    fn midpoint(&self) -> f64 {
        self.curve.midpoint()
    }

    /// The area over the curve above the threshold: the missed pairs, if all similarities were equally frequent.
    #[getter]
    fn false_negative_area(&self) -> f64 {
        self.curve.false_negative_area(self.threshold)
    }

    /// The area under the curve below the threshold: the candidates that do not match, if all similarities were equally frequent.
    #[getter]
    fn false_positive_area(&self) -> f64 {
        self.curve.false_positive_area(self.threshold)
    }

    /// Returns P(found) at a similarity, or at each value of a numpy array of float64, as an array of the same shape. Values
    /// below 0 count as 0, and values above 1 count as 1.
    #[pyo3(signature = (similarity, /))]
    fn found<'py>(&self, similarity: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = similarity.py();
        match similarity.extract::<PyReadonlyArrayDyn<'_, f64>>() {
            Ok(array) => {
                let found = array.as_array().mapv(|s| self.curve.found(s));
                Ok(PyArrayDyn::from_owned_array(py, found).into_any())
            }
            Err(_) => Ok(self
                .curve
                .found(similarity.extract()?)
                .into_pyobject(py)?
                .into_any()),
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "Curve(bands={}, rows={}, threshold={:?})",
            self.curve.bands, self.curve.rows, self.threshold
        )
    }
}

/// Returns the bands and rows for a threshold and a recall, and their S-curve (*Mining of Massive Datasets*, section 3.4).
///
/// - `threshold`: t, above 0 and at most 1; `recall`: the share of the pairs at t that must be found, between 0 and 1. The
///   defaults are the core's, 0.8 and 0.99.
/// - `bands` and `rows`: if both are given, the result is their curve, whatever its recall.
///
/// Raises `ThresholdError`, `RecallError`, `ShapeError`, `HalfShapeError`, `NoShapeError`.
#[pyfunction]
#[pyo3(signature = (threshold = None, recall = None, bands = None, rows = None))]
pub fn curve(
    threshold: Option<f64>,
    recall: Option<f64>,
    bands: Option<usize>,
    rows: Option<usize>,
) -> PyResult<Curve> {
    let default = Config::default();
    let (threshold, recall) = (
        threshold.unwrap_or(default.threshold),
        recall.unwrap_or(default.recall),
    );
    let curve = match (bands, rows) {
        (Some(bands), Some(rows)) => {
            lsh::Shape::check(threshold, recall).and_then(|()| lsh::Curve::new(bands, rows))
        }
        (None, None) => lsh::Shape::choose(threshold, recall).map(lsh::Shape::curve),
        _ => Err(ErrorKind::HalfShape.into()),
    };
    Ok(Curve {
        curve: curve.map_err(refused)?,
        threshold,
    })
}
