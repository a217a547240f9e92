//! Shares, scores and values as pages show them.

use crate::output::quiet;

/// Returns a share or a score as it is shown.
pub fn figure(share: Option<f64>) -> String {
    share.map_or("-".into(), |share| format!("{share:.4}"))
}

/// The number of characters of a value that are shown.
const WIDEST: usize = 48;

pub fn cut(value: &str) -> String {
    let value = quiet(value);
    match value.char_indices().nth(WIDEST) {
        None => value,
        Some(_) => value.chars().take(WIDEST - 1).chain(['…']).collect(),
    }
}
