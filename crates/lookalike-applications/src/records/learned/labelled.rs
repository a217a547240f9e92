//! Estimates from labelled pairs how often matches have each level of each field.

use super::{
    fit::{CHANGE, Estimate, Fitting, Possible, ROUNDS, Sample, TURNS},
    others::All,
};

/// Estimates weights from the patterns of labelled matches, and of random pairs.
///
/// `matches` are the candidates that are labelled as matches, and `unlabelled` those without a label. Candidates that are labelled as no
/// matches are in neither, so that they count as no matches. The shares of levels in matches come from the labelled ones alone. Those in
/// other pairs are counted in random pairs, as in [`fit`](super::fit). The number of matches is that of the labelled ones plus the number
/// that the estimate expects among the candidates without a label, so that it does not depend on which pairs were chosen for labelling.
/// Cost: as for [`fit`](super::fit).
pub fn fit_labelled(levels: &[usize], matches: Sample, unlabelled: Sample, possible: Possible) -> Estimate {
    let all = All { levels, random: possible.random, equal: possible.equal, possible: possible.pairs };
    let mut fitting = Fitting::new(&all, unlabelled, Some(matches));
    for turn in 0..=TURNS {
        for _ in 0..ROUNDS {
            if fitting.round(0.0) < CHANGE {
                break;
            }
        }
        if turn < TURNS {
            fitting.find_dependences();
        }
    }
    fitting.finish()
}
