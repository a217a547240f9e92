//! Estimates from labelled pairs how often matches have each level of each field.

use super::fit::{Estimate, Fitting, Possible, Sample};

/// Estimates weights from the patterns of labelled matches, and of random pairs.
///
/// `matches` are the candidates that are labelled as matches, and `unlabelled` those without a label. Candidates that are labelled as no
/// matches are in neither, so that they count as no matches. The shares of levels in matches come from the labelled ones alone. Those in
/// other pairs are counted in random pairs, as in [`fit`](super::fit). The number of matches is that of the labelled ones plus the number
/// that the estimate expects among the candidates without a label, so that it does not depend on which pairs were chosen for labelling.
/// Cost: as for [`fit`](super::fit).
pub fn fit_labelled(
    levels: &[usize],
    matches: Sample,
    unlabelled: Sample,
    possible: Possible,
) -> Estimate {
    let all = possible.all(levels);
    let mut fitting = Fitting::new(&all, unlabelled, Some(matches));
    fitting.settle(0.0);
    fitting.take_turns(0.0);
    fitting.finish()
}
