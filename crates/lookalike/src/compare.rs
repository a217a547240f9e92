//! Comparison of two texts.

use crate::{
    config::{Candidates, Config},
    method::Method,
    verify::Figures,
};

/// Compares two texts. Returns the exact resemblance of their sets of 5-word shingles, and the share of each set that is also in
/// the other.
///
/// Use [`Method::compare`] for other settings, and [`Method::passages`] for the passages that the texts share. Cost: a few
/// nanoseconds per byte. Source: Broder 1997, section 2.
///
/// ```
/// let whole = "The quick brown fox jumps over the lazy dog and runs away into the dark green wood.";
/// let part = "the lazy dog and runs away into the dark green wood";
/// let figures = lookalike::compare(part, whole);
/// assert_eq!(figures.containment_ab, 1.0);
/// assert_eq!(figures.resemblance, 7.0 / 13.0);
/// ```
pub fn compare(a: &str, b: &str) -> Figures {
    // This computes only sets, no sketches.
    let config = Config {
        candidates: Candidates::Exact,
        ..Config::default()
    };
    #[expect(
        clippy::expect_used,
        reason = "a test checks that the default configuration is valid"
    )]
    Method::new(config)
        .expect("the default configuration is valid")
        .compare(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_a_table() {
        assert_eq!(compare("a b c d e f", "A, B, C, D, E, F").resemblance, 1.0);
        assert_eq!(compare("", "").resemblance, 0.0);
        let figures = compare("a b c d e f", "a b c d e");
        assert_eq!((figures.containment_ab, figures.containment_ba), (0.5, 1.0));
    }
}
