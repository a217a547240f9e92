//! An estimate and its interval.

use lookalike::sketch;
use pyo3::prelude::*;

/// An estimate, always with the interval that contains the true value 95 times in 100.
///
/// The estimate is a share from 0 to 1, or a count if the method that returns it says so. `float(estimate)` is its value.
#[pyclass(frozen, eq, module = "lookalike")]
#[derive(Clone, PartialEq)]
pub struct Estimate(sketch::Estimate);

impl From<sketch::Estimate> for Estimate {
    fn from(estimate: sketch::Estimate) -> Self {
        Self(estimate)
    }
}

#[pymethods]
impl Estimate {
    /// The estimate itself: a share from 0 to 1, or a count.
    #[getter]
    fn value(&self) -> f64 {
        self.0.value
    }

    /// The lower end of the interval.
    #[getter]
    fn low(&self) -> f64 {
        self.0.low
    }

    /// The upper end of the interval.
    #[getter]
    fn high(&self) -> f64 {
        self.0.high
    }

    fn __float__(&self) -> f64 {
        self.0.value
    }

    fn __repr__(&self) -> String {
        format!(
            "Estimate({:?}, low={:?}, high={:?})",
            self.0.value, self.0.low, self.0.high
        )
    }
}
