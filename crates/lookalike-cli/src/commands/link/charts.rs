//! Charts of scores and thresholds, as text.

use lookalike_engine::{
    AtThreshold, ClusterSize, Learned, LinkSummary, NamedRecord, Scale, ScoreHistogram, Thresholds,
    ThresholdsBy, Unlinkable,
};

use super::values::{cut, figure};
use crate::output::{BOLD, count, counted, quiet};

/// Returns the distribution of scores, the clusters, and examples of records that cannot match.
pub fn details(summary: &LinkSummary) -> String {
    let mut page = summary.scores.as_ref().map_or_else(String::new, scores);
    if !summary.largest_clusters.is_empty() {
        page += &clusters(summary);
    }
    if summary.unlinkable.records > 0 {
        page += &unlinkable(&summary.unlinkable);
    }
    page
}

/// The width of the longest bar, and the largest number of bars.
const WIDTH: f64 = 40.0;
const BARS: usize = 24;

/// Bits below this are not shown: nearly all pairs that are no matches have fewer.
const LEAST_BITS: f64 = -10.0;

/// Returns the distribution of scores as bars.
fn scores(scores: &ScoreHistogram) -> String {
    let is_bits = scores.scale == Scale::Bits;
    let all: Vec<(f64, usize)> = (0..scores.pairs.len())
        .map(|at| (scores.from + at as f64 * scores.step, at))
        .collect();
    let shown: Vec<&(f64, usize)> = all
        .iter()
        .filter(|(from, _)| !is_bits || *from > LEAST_BITS - 1e-9)
        .collect();
    // Neighbouring bars are joined until there are few.
    let joined = shown.len().div_ceil(BARS).max(1);
    let sum = |bars: &[&(f64, usize)], of: &[u64]| bars.iter().map(|(_, at)| of[*at]).sum::<u64>();
    let most = shown
        .chunks(joined)
        .map(|bars| sum(bars, &scores.pairs))
        .max()
        .unwrap_or(0)
        .max(1);
    let unit = if is_bits { "bits from" } else { "score from" };
    let labelled = if scores.matches.is_some() {
        "  labelled as matches"
    } else {
        ""
    };
    let mut page = format!("\n\n{BOLD}{unit:<10}       pairs{labelled}{BOLD:#}");
    for bars in shown.chunks(joined) {
        let pairs = sum(bars, &scores.pairs);
        let from = bars.first().map_or(0.0, |(from, _)| *from);
        let from = if is_bits {
            format!("{from:.0}")
        } else {
            format!("{from:.2}")
        };
        let matches = scores.matches.as_ref().map_or_else(String::new, |matches| {
            format!("  {:>19}", count(sum(bars, matches)))
        });
        let bar = "#".repeat((WIDTH * pairs as f64 / most as f64).ceil() as usize);
        page += format!("\n{from:<10}  {:>10}{matches}  {bar}", count(pairs)).trim_end();
    }
    page
}

/// Returns the number of clusters by size, and the largest ones.
fn clusters(summary: &LinkSummary) -> String {
    let of_size = |ClusterSize { size, clusters }: &ClusterSize| {
        format!("{} of {}", count(*clusters), count((*size).into()))
    };
    let shown: Vec<String> = summary
        .cluster_sizes
        .iter()
        .take(BARS)
        .map(of_size)
        .collect();
    let more = if summary.cluster_sizes.len() > BARS {
        ", …"
    } else {
        ""
    };
    let mut page = format!("\n\nclusters by size: {}{more}", shown.join(", "));
    page += &format!("\n{BOLD}largest clusters     records  weakest link{BOLD:#}");
    for cluster in &summary.largest_clusters {
        let (a, b) = (name(&cluster.weakest.a), name(&cluster.weakest.b));
        let score = cluster.weakest.score;
        page += &format!(
            "\n{:<20}  {:>6}  {score:.4}: {a} and {b}",
            name(&cluster.record),
            count(cluster.size.into())
        );
    }
    page
}

/// Returns examples of records that cannot match.
fn unlinkable(unlinkable: &Unlinkable) -> String {
    let mut page =
        format!("\n\n{BOLD}cannot match          score with itself  fields with a value{BOLD:#}");
    for example in &unlinkable.examples {
        let score = figure(example.score);
        let fields = if example.fields.is_empty() {
            "none".into()
        } else {
            quiet(&example.fields.join(", "))
        };
        page += &format!("\n{:<20}  {score:>17}  {fields}", name(&example.record));
    }
    let left = unlinkable.records - unlinkable.examples.len() as u64;
    if left > 0 {
        page += &format!("\nand {}", counted(left, "more record"));
    }
    page
}

/// Returns the id of a record as it is shown, with its collection if there are two.
fn name(record: &NamedRecord) -> String {
    let id = cut(record.id.get());
    record
        .of
        .map_or_else(|| id.clone(), |of| format!("{} {id}", of.to_uppercase()))
}

/// Returns a table of what other thresholds would give.
pub fn thresholds(thresholds: &Thresholds, learned: Option<&Learned>) -> String {
    let by = match thresholds.by {
        ThresholdsBy::Labels => "by labels".into(),
        ThresholdsBy::HeldOut => {
            let folds = learned
                .and_then(|learned| learned.labels.as_ref()?.folds)
                .unwrap_or_default();
            format!("by labels, cross-validated in {folds} parts")
        }
        ThresholdsBy::Model => "expected by the model".into(),
    };
    let mut page = format!("\n\n{BOLD}match       pairs  precision  recall      F1{BOLD:#}  {by}");
    let mut rows: Vec<&AtThreshold> = thresholds
        .thresholds
        .iter()
        .chain(&thresholds.best)
        .chain([&thresholds.current])
        .collect();
    rows.sort_by(|x, y| x.threshold.total_cmp(&y.threshold));
    rows.dedup_by(|x, y| x.threshold == y.threshold);
    let mut last = None;
    for row in rows {
        let is = |other: Option<&AtThreshold>| {
            other.is_some_and(|other| other.threshold == row.threshold)
        };
        let mark = match (is(Some(&thresholds.current)), is(thresholds.best.as_ref())) {
            (true, true) => "  now, highest F1",
            (true, false) => "  now",
            (false, true) => "  highest F1",
            // A threshold that exactly the same pairs reach as the previous one adds nothing.
            (false, false) if last == Some(row.pairs) => continue,
            (false, false) => "",
        };
        last = Some(row.pairs);
        page += &format!(
            "\n{:<8} {:>8}  {:>9}  {:>6}  {:>6}{mark}",
            row.threshold,
            count(row.pairs),
            figure(row.precision),
            figure(row.recall),
            figure(row.f1)
        );
    }
    page
}
