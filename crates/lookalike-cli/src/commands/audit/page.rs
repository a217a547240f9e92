//! The results as text.

use lookalike::{shown::cut, sketch::Estimate};
use lookalike_engine::{
    AuditSummary, AuditedCluster, Auditing, Cause, ClusterFigures, KeptFigures, RemovalFigures,
    ResultFigures, ResultKind, SimilarityBar, shown_name,
};
use serde_json::value::RawValue;

use crate::{
    found::left_out,
    output::{BOLD, DIM, count, counted, quiet as one_line, warning},
    shares::{share, within},
};

/// Prints what is wrong with the result, unless `quiet` is set.
pub fn warn(summary: &AuditSummary, quiet: bool) {
    let ResultFigures {
        unknown,
        unknown_examples,
        unknown_representatives,
        repeated,
        empty_clusters,
        kind,
        ..
    } = &summary.result;
    if quiet {
        return;
    }
    if *unknown > 0 {
        let examples = unknown_examples
            .iter()
            .map(|id| cut(id.get()))
            .collect::<Vec<_>>()
            .join(", ");
        warning(&format!(
            "{} of the result {} no document of the texts, such as {examples}",
            rows(*unknown),
            verb(*unknown, "name")
        ));
    }
    if *unknown_representatives > 0 {
        let of = counted(*unknown_representatives, "removed document");
        warning(&format!(
            "the document that is kept instead of {of} is not in the texts"
        ));
    }
    if *repeated > 0 {
        warning(&format!(
            "{} of the result {} a document that an earlier row names",
            rows(*repeated),
            verb(*repeated, "name")
        ));
    }
    if let Some(clusters) = empty_clusters.filter(|&clusters| clusters > 0) {
        warning(&format!(
            "{} {} no document of the texts",
            counted(clusters, "cluster"),
            has(clusters)
        ));
    }
    if let Some(documents) = summary
        .result
        .not_listed
        .filter(|&documents| documents > 0 && *kind == ResultKind::Decisions)
    {
        let count = if documents == 1 { "counts" } else { "count" };
        let documents = counted(documents, "document");
        warning(&format!(
            "the result has no decision about {documents}, which {count} as kept"
        ));
    }
}

fn rows(number: u64) -> String {
    counted(number, "row")
}

fn has(number: u64) -> &'static str {
    if number == 1 { "has" } else { "have" }
}

fn verb(number: u64, verb: &str) -> String {
    if number == 1 {
        format!("{verb}s")
    } else {
        verb.into()
    }
}

pub fn page(summary: &AuditSummary, auditing: &Auditing) -> String {
    let mut lines = vec![line("result", &result(summary, auditing))];
    let AuditSummary {
        documents,
        kept,
        removed,
        ..
    } = summary;
    lines.push(line(
        "texts",
        &format!(
            "{}: {} kept, {} removed",
            counted(*documents, "document"),
            count(*kept),
            count(*removed)
        ),
    ));
    lines.extend(removals(&summary.removals, summary.threshold));
    lines.push(line("missed", &missed(&summary.missed, summary.threshold)));
    lines.extend(
        summary
            .clusters
            .as_ref()
            .map(|figures| line("clusters", &clusters(figures))),
    );
    lines.extend(left_out(&summary.unread.left_out).map(|words| line("skipped", &words)));
    let mut page = lines.join("\n") + "\n";
    page += &histogram(
        &summary.removals.by_similarity,
        &summary.missed.by_similarity,
    );
    page += &worst(summary);
    page
}

/// Formats a line whose name is in bold. Further lines are indented.
fn line(name: &str, words: &str) -> String {
    format!(
        "{BOLD}{name:<9}{BOLD:#} {}",
        words.replace('\n', "\n          ")
    )
}

fn result(summary: &AuditSummary, auditing: &Auditing) -> String {
    let ResultFigures {
        kind,
        by_position,
        rows,
        ..
    } = summary.result;
    let (number, by) = (count(rows), if by_position { "positions" } else { "ids" });
    let what = match kind {
        ResultKind::Removed => format!("{number} {by} of removed documents"),
        ResultKind::Kept => format!("{number} {by} of kept documents"),
        ResultKind::Clusters => {
            format!("{number} {by} with clusters, of which the first document is kept")
        }
        ResultKind::Pairs => {
            format!("{number} pairs of {by}, of which connected ones are a cluster")
        }
        ResultKind::Decisions => format!("{number} {by} with decisions"),
    };
    let names: Vec<String> = auditing
        .result
        .names
        .iter()
        .map(|name| one_line(&shown_name(name)))
        .collect();
    format!("{}: {what}", cut(&names.join(", ")))
}

/// Formats a share, with its interval if it is estimated.
fn percent(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(Estimate { value, low, high }) if low == high => format!("{} %", share(Some(value))),
        estimate => format!("{} %", within(estimate)),
    }
}

fn removals(figures: &RemovalFigures, threshold: f64) -> Option<String> {
    let RemovalFigures {
        removed,
        empty,
        justified,
        chained,
        not_similar,
        unchecked,
        checked,
        unmatched,
        ..
    } = figures;
    if removed + empty == 0 {
        return Some(line("removed", "nothing"));
    }
    let is_sample = *unchecked > 0;
    let about = |number: u64, share: Option<Estimate>| {
        if is_sample {
            percent(share)
        } else {
            format!("{} ({})", count(number), percent(share))
        }
    };
    let mut lines = Vec::new();
    if *removed > 0 {
        lines.push(format!(
            "{} with text, of which",
            counted(*removed, "document")
        ));
        let justified = about(*justified, figures.justified_share);
        lines.push(format!(
            "{justified} justified: similar to a kept document (similarity {threshold} or higher)"
        ));
        lines.push(format!(
            "{} chained: similar only to other removed documents",
            about(*chained, figures.chained_share)
        ));
        lines.push(format!(
            "{} not similar to any document",
            about(*not_similar, figures.not_similar_share)
        ));
    }
    if is_sample {
        let (checked, unmatched) = (count(*checked), count(*unmatched));
        lines.push(format!(
            "estimated: of {unmatched} documents without a similar kept candidate, {checked} were compared exactly; see --recheck"
        ));
    }
    if *empty > 0 {
        lines.push(format!(
            "{} without text, not compared",
            counted(*empty, "document")
        ));
    }
    if let Some(named) = figures.named.filter(|named| named.removed > 0) {
        let (similar, removed) = (count(named.similar), count(named.removed));
        lines.push(format!(
            "{similar} of {removed} similar to the document that the result keeps instead"
        ));
        if named.removed_too > 0 {
            lines.push(format!(
                "{} with such a document that was removed, too",
                count(named.removed_too)
            ));
        }
    }
    Some(line("removed", &lines.join("\n")))
}

fn missed(figures: &KeptFigures, threshold: f64) -> String {
    let KeptFigures {
        kept,
        sampled,
        similar,
        share,
        pairs,
        ..
    } = figures;
    if *sampled == 0 {
        return match kept {
            0 => "no document with text was kept".into(),
            _ => "not searched for, because --sample is 0".into(),
        };
    }
    let of = if sampled == kept {
        format!("{} kept documents", count(*kept))
    } else {
        format!("{} sampled kept documents", count(*sampled))
    };
    format!(
        "{} of {of} ({}) {} a near-duplicate that was kept, too\n{} with similarity {threshold} or higher",
        count(*similar),
        percent(*share),
        has(*similar),
        counted(*pairs, "pair"),
    )
}

fn clusters(figures: &ClusterFigures) -> String {
    let ClusterFigures {
        clusters,
        singles,
        largest,
        ..
    } = figures;
    let mut words = format!(
        "{}, of which {} {} one document",
        count(*clusters),
        count(*singles),
        has(*singles)
    );
    for AuditedCluster {
        size,
        first,
        pairs,
        share,
        ..
    } in largest
    {
        let of_pairs = match pairs {
            0 => "without text".into(),
            _ => format!("{} of the pairs similar", percent(*share)),
        };
        words += &format!(
            "\n{} and {}: {of_pairs}",
            id(first),
            counted(size - 1, "other")
        );
    }
    words
}

/// Formats the removals and the missed pairs by similarity, the most similar ones first. Lines without any are left out.
fn histogram(removed: &[SimilarityBar], missed: &[SimilarityBar]) -> String {
    let of = |bars: &[SimilarityBar], from: f64| {
        bars.iter()
            .find(|bar| bar.from == from)
            .map_or(0, |bar| bar.count)
    };
    let rows: Vec<(f64, u64, u64)> = removed
        .iter()
        .rev()
        .map(|bar| (bar.from, bar.count, of(missed, bar.from)))
        .collect();
    let rows: Vec<_> = rows
        .into_iter()
        .filter(|&(_, removed, missed)| removed + missed > 0)
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut page = format!("\n{BOLD}similarity  removed  missed pairs{BOLD:#}\n");
    for (from, removed, missed) in rows {
        page += &format!(
            "{from:<10.2}  {:>7}  {:>12}\n",
            count(removed),
            count(missed)
        );
    }
    page + &format!("{DIM}removed: by similarity to the nearest kept document{DIM:#}\n")
}

fn worst(summary: &AuditSummary) -> String {
    let mut page = String::new();
    if !summary.worst_removals.is_empty() {
        page +=
            &format!("\n{BOLD}removals with the lowest similarity to a kept document{BOLD:#}\n");
    }
    for worst in &summary.worst_removals {
        let cause = match worst.cause {
            Cause::Similar => "justified",
            Cause::Chained => "chained",
            Cause::NotSimilar | Cause::Empty | Cause::Unchecked => "not similar to any document",
        };
        let nearest = match &worst.nearest {
            Some(nearest) => format!("{:.3} to {}", worst.similarity, id(nearest)),
            None => "nothing in common with a kept document".into(),
        };
        page += &format!(
            "{}: {nearest} ({cause})\n{}",
            id(&worst.id),
            text(&worst.text)
        );
        page += &worst.nearest_text.as_deref().map_or(String::new(), text);
    }
    if !summary.worst_missed.is_empty() {
        page += &format!("\n{BOLD}most similar pairs of which both documents were kept{BOLD:#}\n");
    }
    for pair in &summary.worst_missed {
        page += &format!(
            "{} and {}: {:.3}\n",
            id(&pair.a),
            id(&pair.b),
            pair.similarity
        );
        page += &(text(&pair.text_a) + &text(&pair.text_b));
    }
    page
}

fn id(id: &RawValue) -> String {
    one_line(&cut(id.get()))
}

/// Formats the beginning of a text in one line.
fn text(beginning: &str) -> String {
    const SHOWN: usize = 96;
    let short: String = beginning.chars().take(SHOWN).collect();
    let end = if short.len() < beginning.len() {
        "…"
    } else {
        ""
    };
    format!("  {DIM}{}{end}{DIM:#}\n", one_line(short.trim()))
}
