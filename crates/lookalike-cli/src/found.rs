//! What a run found and what it could not, in words: for the summaries of `dedup`, `pairs` and `mirrors`.

use lookalike::{Candidates, Config, shown::one_line};
use lookalike_engine::{Finding, LeftOut};

use crate::output::{bytes, count, counted};

/// Which share of what is similar was found, and how.
pub fn found(finding: &Finding, method: &Config) -> String {
    let (by, threshold) = (&finding.found_by, method.threshold);
    let Some(found) = finding.found_at_threshold else { return format!("only by {by}") };
    if method.candidates == Candidates::All {
        return format!("all pairs at {threshold} or more, by {by}");
    }
    format!("{} of pairs at {threshold}, more above it ({by}){}", percent(found), shorter(finding))
}

/// Which texts are found less, and how much less; nothing where the promise holds for all.
fn shorter(finding: &Finding) -> String {
    let texts = finding.found_of_shorter.iter().map(|short| short.texts).sum();
    let least = finding.found_of_shorter.iter().min_by(|a, b| a.found.total_cmp(&b.found));
    let (Some(least), Some(from)) = (least, finding.found_from_size) else { return String::new() };
    let (texts, size) = (counted(texts, "text"), count(least.shingles as u64));
    format!("; fewer for {texts} with fewer than {} shingles: {} for those with {size}", count(from as u64), percent(least.found))
}

/// A promise in hundredths of a percent, rounded down.
fn percent(found: f64) -> String {
    format!("{:.2} %", (1e4 * found + 1e-6).floor() / 100.0)
}

/// What was set aside on the way; a line or two, or none.
pub fn aside(finding: &Finding) -> Vec<String> {
    let mut lines = Vec::new();
    if finding.common > 0 {
        let (common, most) = (counted(finding.common, "common shingle"), count(finding.most_common.into()));
        lines.push(format!("{common} (the most common in {most} texts): pairs that share no other are missed; see --common"));
    }
    if finding.all_common > 0 {
        lines.push(format!("{} that share no other with anybody", counted(finding.all_common, "text")));
    }
    lines
}

/// The preset, where one was asked for, and what holds in its place or beside it.
pub fn preset(method: &Config) -> Option<String> {
    let preset = method.preset?;
    Some(format!("{preset}: shingles of {}, similar from {}", counted(method.k() as u64, "token"), method.threshold))
}

/// How many texts were not compared by their anchors, where that was asked for.
pub fn anchors(finding: &Finding) -> Option<String> {
    let few = finding.few_anchors.filter(|&few| few > 0)?;
    let (have, their) = if few == 1 { ("has", "its") } else { ("have", "their") };
    Some(format!("{} {have} few stop words: compared by all {their} shingles", counted(few, "document")))
}

/// What folders held that was not read.
pub fn left_out(left: &LeftOut) -> String {
    let LeftOut { files, example, advice } = left;
    format!(
        "{} of folders, such as {example}: {advice}",
        counted(*files, "file"),
        example = one_line(example),
        advice = one_line(advice)
    )
}

/// Pages without a main part because of their size.
pub fn too_large(pages: u64) -> Option<String> {
    let are = if pages == 1 { "is" } else { "are" };
    (pages > 0).then(|| {
        format!("{} {are} too large or nested too deeply for --html main, and compared by all text", counted(pages, "page"))
    })
}

/// What the run took more than it was to take, if anything.
pub fn above(finding: &Finding) -> Option<String> {
    let above = finding.above_memory;
    let why = "indexes of texts that are alike but not alike enough, huge lines, tables with many columns, packed outputs or many threads";
    (above > 0).then(|| format!("{} more than --memory: {why} cannot go to files", bytes(above)))
}
