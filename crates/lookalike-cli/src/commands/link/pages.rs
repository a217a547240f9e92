//! The summaries of `lookalike link`.

use lookalike_applications::records::Verdict;
use lookalike_engine::{
    BlockExplained, FieldExplained, Judged, Learned, LinkExplained, LinkPlan, LinkShares,
    LinkSummary, RightShare, RightShares,
};

use super::{
    charts,
    values::{cut, figure},
};
use crate::output::{BOLD, DIM, bytes, count, counted, quiet};

/// Returns the summary as text, with a table that compares the result with the truth.
pub fn found(summary: &LinkSummary, has_details: bool) -> String {
    let LinkSummary {
        records,
        candidates,
        possible_pairs,
        ..
    } = *summary;
    let of = among(summary.records_a, records);
    let mut page = format!(
        "{} and {} among {of}\n{} of {} scored ({})\n{} of {}",
        counted_matches(summary.matches),
        counted(summary.possible, "possible one"),
        count(candidates),
        counted(possible_pairs, "possible pair"),
        percent(candidates, possible_pairs),
        counted(summary.clusters, "cluster"),
        counted(summary.clustered, "record"),
    );
    if summary.one_to_one {
        page += "\neach record is in at most one pair";
    } else if summary.records_a.is_some() {
        page += "\na record can be in several pairs";
    }
    let cannot = summary.unlinkable.records;
    if cannot > 0 {
        let share = percent(cannot, records);
        page += &format!(
            "\n{} ({share}) cannot match: too few values",
            counted(cannot, "record")
        );
    }
    page += &format!("\n\n{BOLD}block                                     candidates{BOLD:#}");
    for block in &summary.blocks {
        page += &format!("\n{:<40}  {:>10}", block.block, count(block.candidates));
        if block.values_passed_over > 0 {
            let pairs = counted(block.pairs_passed_over, "pair");
            page += &if block.in_bands {
                format!(
                    "; ignored: {} with too many records (at most {pairs})",
                    counted(block.values_passed_over, "bucket")
                )
            } else {
                format!(
                    "; ignored: {} with too many records ({pairs})",
                    counted(block.values_passed_over, "value")
                )
            };
        }
    }
    if let Some(learned) = &summary.learned {
        page += &weights(learned);
    }
    if let Some(judged) = &summary.judged {
        page += &table(judged);
    }
    if let Some(thresholds) = &summary.thresholds {
        page += &charts::thresholds(thresholds, summary.learned.as_ref());
    }
    if has_details {
        page += &charts::details(summary);
    }
    if let Some(right) = &summary.right {
        page += &right_shares(right);
    }
    if summary.above_memory > 0 {
        page += &format!(
            "\nmemory: {} above --memory: records and their keys cannot be spilled to files",
            bytes(summary.above_memory)
        );
    }
    page
}

/// Returns the number of records, or of each collection's.
fn among(records_a: Option<u64>, records: u64) -> String {
    match records_a {
        Some(a) => format!("{} and {}", count(a), counted(records - a, "record")),
        None => counted(records, "record"),
    }
}

/// Returns what a run would take.
pub fn planned(plan: &LinkPlan) -> String {
    let LinkPlan {
        records,
        candidates,
        possible_pairs,
        ..
    } = *plan;
    let of = among(plan.records_a, records);
    let mut page = format!(
        "{BOLD}{:<40}  {:>15}  {:>15}{BOLD:#}",
        "block", "pairs", "new candidates"
    );
    for block in &plan.blocks {
        let pairs = format!(
            "{}{}",
            if block.is_bound && block.pairs > 0 {
                "at most "
            } else {
                ""
            },
            count(block.pairs)
        );
        page += &format!(
            "\n{:<40}  {pairs:>15}  {:>15}",
            block.block,
            block.candidates.map_or("-".into(), count)
        );
        if block.values_passed_over > 0 {
            page += &format!(
                "; {} ignored",
                counted(
                    block.values_passed_over,
                    if block.is_bound { "bucket" } else { "value" }
                )
            );
        }
    }
    let bound = if plan.is_exact { "" } else { "at most " };
    let time = match plan.seconds {
        seconds if seconds < 120.0 => format!("{seconds:.1} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    };
    page += &format!(
        "\n\n{bound}{} of {} among {of} would be scored ({})\n",
        count(candidates),
        counted(possible_pairs, "possible pair"),
        percent(candidates, possible_pairs)
    );
    page += &format!(
        "{bound}about {time}, by the time of {}\n",
        counted(plan.timed, "scored pair")
    );
    page + &format!(
        "{} of memory; everything else is limited by --memory\nnothing was written\n",
        bytes(plan.memory)
    )
}

/// Describes what was learned: the weights of different and of equal values of each field.
fn weights(learned: &Learned) -> String {
    let from = match &learned.labels {
        None => "the records".into(),
        Some(labels) => format!(
            "labels ({} and {})",
            counted_matches(labels.matches),
            counted(labels.others, "other candidate")
        ),
    };
    let mut table = format!(
        "\n\nlearned from {from}: about {:.0} matches; about {:.1} of 100 decisions may be wrong\n\
         {BOLD}bits of evidence                         different    equal{BOLD:#}",
        learned.expected,
        100.0 * learned.doubt
    );
    for field in &learned.fields {
        let rows = || {
            field
                .weights
                .iter()
                .filter_map(|row| Some((*row.first()?, *row.last()?)))
        };
        let different = rows().map(|row| row.0).fold(f64::INFINITY, f64::min);
        let equal = rows().map(|row| row.1).fold(f64::NEG_INFINITY, f64::max);
        table += &format!(
            "\n{:<40}  {different:>8.1}  {equal:>7.1}",
            quiet(&field.field)
        );
        if let Some(other) = &field.depends_on {
            table += &format!("; depends on {}", quiet(other));
        }
    }
    table
}

fn table(judged: &Judged) -> String {
    let heading = format!("of {}", counted(judged.truth, "true pair"));
    let mut table = format!("\n\n{BOLD}{heading:<24}precision  recall      F1{BOLD:#}\n");
    let all = LinkShares {
        precision: judged.precision,
        recall: judged.recall,
        f1: judged.f1,
    };
    for (name, shares) in [
        ("matches", &all),
        ("pairs within clusters", &judged.clusters),
    ] {
        table += &format!(
            "{name:<24}{:>9}  {:>6}  {:>6}\n",
            figure(shares.precision),
            figure(shares.recall),
            figure(shares.f1)
        );
    }
    table += &format!(
        "{} of the true pairs are candidates ({}), and {} are possible matches",
        count(judged.candidates),
        figure(judged.blocked),
        count(judged.possible_right)
    );
    if judged.unlabelled > 0 {
        table += &format!(
            "; {} without a label do not count",
            counted_matches(judged.unlabelled)
        );
    }
    table
}

/// Describes the estimated share of right pairs. The estimate uses the distance between the values that the two records of a pair
/// have in one field.
fn right_shares(right: &RightShares) -> String {
    let RightShares {
        field,
        scores,
        matches,
        ..
    } = right;
    let mean = |apart: Option<f64>| apart.map_or("-".into(), |apart| format!("{apart:.2}"));
    let mut table = format!(
        "\n\nright pairs, estimated from {}: the average distance is {} for pairs with all points, {} for all possible pairs\n",
        quiet(field),
        mean(right.right),
        mean(right.wrong)
    );
    table += &format!(
        "{BOLD}{:<16}{:>10}  {:>10}  {:>15}{BOLD:#}",
        "score", "pairs", "apart", "right, about"
    );
    let mut row = |name: &str, share: &RightShare| {
        let about = share
            .right
            .map_or("-".into(), |right| format!("{:.1} %", 100.0 * right));
        table += &format!(
            "\n{name:<16}{:>10}  {:>10}  {about:>15}",
            count(share.pairs),
            mean(share.apart)
        );
    };
    for share in scores {
        let name = share.below.map_or("all points".into(), |below| {
            format!("{:.2} to {below:.2}", share.from)
        });
        row(&name, share);
    }
    row("all matches", matches);
    table
}

fn counted_matches(matches: u64) -> String {
    if matches == 1 {
        "1 match".into()
    } else {
        format!("{} matches", count(matches))
    }
}

/// Formats a share in percent with two significant digits, however small it is.
fn percent(part: u64, whole: u64) -> String {
    let share = 100.0 * part as f64 / whole.max(1) as f64;
    let noughts = if share > 0.0 && share < 1.0 {
        (-share.log10()) as usize
    } else {
        0
    };
    format!("{share:.*} %", 2 + noughts)
}

/// Shows two records side by side, the points of each field, and the blocks that make them candidates.
pub fn explained(pair: &LinkExplained) -> String {
    let (a, b, fields) = (pair.a.get(), pair.b.get(), &pair.fields);
    let width = |values: &mut dyn Iterator<Item = &str>| {
        values
            .map(|value| cut(value).chars().count())
            .max()
            .unwrap_or(0)
    };
    let name = width(&mut fields.iter().map(|field| &*field.field)).max("field".len());
    let left = width(&mut fields.iter().map(|field| &*field.a).chain([a]));
    let right = width(&mut fields.iter().map(|field| &*field.b).chain([b]));
    let unit = if pair.prior.is_some() {
        "bits"
    } else {
        "points"
    };
    let mut page = format!(
        "{BOLD}{:<name$}  {:<left$}  {:<right$}  alike   {unit}{BOLD:#}\n",
        "field",
        cut(a),
        cut(b)
    );
    for FieldExplained {
        field,
        a,
        b,
        similarity,
        points,
        weight,
    } in fields
    {
        let alike = similarity.map_or("-".into(), |similarity| format!("{similarity:.3}"));
        let points = match points {
            Some(points) if pair.prior.is_some() => format!("{points:+.2} of {weight:.2}"),
            Some(points) => format!("{points:.2} of {weight}"),
            None => format!("{DIM}left out{DIM:#}"),
        };
        page += &format!(
            "{:<name$}  {:<left$}  {:<right$}  {alike:>5}   {points}\n",
            cut(field),
            cut(a),
            cut(b)
        );
    }
    page += &match pair.score {
        None => "\nno field is present in both records: no score\n".into(),
        Some(score) => {
            let verdict = match pair.verdict {
                Verdict::Match => "a match",
                Verdict::Possible => "a possible match",
                Verdict::Not => "not a match",
            };
            match pair.prior {
                Some(prior) => {
                    let (fields, sum) = (pair.points, prior + pair.points);
                    format!(
                        "\n{prior:+.2} bits for any pair {fields:+.2} bits = {sum:+.2} bits, probability {score:.4}: {verdict}\n"
                    )
                }
                None => format!(
                    "\n{:.2} of {} points, score {score}: {verdict}\n",
                    pair.points, pair.of
                ),
            }
        }
    };
    let by = |block: &BlockExplained| match block.at_most {
        Some(most) => format!(
            "{}, unless more than {} share it",
            block.block,
            counted(most.into(), "record")
        ),
        None => block.block.clone(),
    };
    let candidates: Vec<String> = pair
        .blocks
        .iter()
        .filter(|block| block.joins)
        .map(by)
        .collect();
    page += &match candidates.as_slice() {
        [] => "not candidates: they share nothing that a block requires, so they are not scored\n"
            .into(),
        blocks => format!("candidates by {}\n", blocks.join("; ")),
    };
    page
}
