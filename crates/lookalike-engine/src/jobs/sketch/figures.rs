//! How accurate the estimates of a file of sketches are, for summaries.

use lookalike::{
    Method,
    stored::{Accuracy, SketchParameters, Sketching},
    verify::Measure,
};
use lookalike_io::error::Result;
use serde::Serialize;

/// The accuracy of listed pairs whose similarities are estimated from stored sketches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SketchFigures {
    /// The parameters of the sketches.
    pub parameters: SketchParameters,
    /// A lower bound of the share of the pairs at the threshold that are candidates: they share a band or, with samples, any pair whose
    /// estimate reaches the threshold. None if it is not known.
    pub candidates_at_threshold: Option<f64>,
    /// The standard error of an estimate at the threshold; none if it depends on the texts, or if nothing is estimated.
    pub standard_error: Option<f64>,
    /// A lower bound of the share of the pairs at the threshold that are listed. It is about one half, because about half of the
    /// estimates are below the true resemblance.
    pub listed_at_threshold: Option<f64>,
    /// The resemblance from which at least 99 % of the pairs are listed.
    pub listed_from: Option<f64>,
    /// The resemblance up to which at most 1 % of the pairs are listed.
    pub rarely_listed_to: Option<f64>,
}

/// The shares of pairs that [`SketchFigures`] reports.
const NEARLY_ALL: f64 = 0.99;
const HARDLY_ANY: f64 = 0.01;

impl SketchFigures {
    /// Returns the accuracy for a method that finds pairs of stored sketches.
    ///
    /// # Errors
    /// Fails if the parameters are invalid.
    pub(crate) fn of(parameters: &SketchParameters, method: &Method) -> Result<Self> {
        let accuracy = match method.config().measure {
            Measure::Resemblance => Accuracy::of(&Sketching::new(parameters)?),
            Measure::Containment => None,
        };
        let (threshold, curve) = (
            method.config().threshold,
            method.shape().map(|shape| shape.curve()),
        );
        Ok(Self {
            parameters: parameters.clone(),
            candidates_at_threshold: method.promise().map(|promise| promise.found),
            standard_error: accuracy.map(|accuracy| accuracy.standard_error(threshold)),
            listed_at_threshold: accuracy
                .map(|accuracy| accuracy.listed(threshold, threshold, curve)),
            listed_from: accuracy
                .map(|accuracy| accuracy.listed_from(threshold, curve, NEARLY_ALL)),
            rarely_listed_to: accuracy.map(|accuracy| accuracy.reached_from(threshold, HARDLY_ANY)),
        })
    }
}
