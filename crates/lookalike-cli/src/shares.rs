//! Shares in percent, for pages.

use lookalike::sketch::Estimate;

/// The text for an undefined or unknown value.
pub const NOTHING: &str = "–";

/// Formats an estimate with the interval that contains the true value 95 times in 100.
pub fn within(estimate: Option<Estimate>) -> String {
    let Some(Estimate { value, low, high }) = estimate else {
        return NOTHING.into();
    };
    format!(
        "{} [{}, {}]",
        share(Some(value)),
        share(Some(low)),
        share(Some(high))
    )
}

/// Formats a share in percent, never rounded up to 100.
pub fn share(value: Option<f64>) -> String {
    let Some(value) = value else {
        return NOTHING.into();
    };
    let rounded = (1000.0 * value).round() / 10.0;
    format!(
        "{:.1}",
        if rounded >= 100.0 && value < 1.0 {
            99.9
        } else {
            rounded
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_shares_are_shown_as_100_percent() {
        let shown = [Some(1.0), Some(0.99999), Some(0.12345), Some(0.0), None].map(share);
        assert_eq!(shown, ["100.0", "99.9", "12.3", "0.0", "–"]);
    }
}
