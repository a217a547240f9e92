//! What a run found and what it excluded, as text for the summaries of `dedup`, `pairs` and `mirrors`.

use lookalike::{Candidates, Config, shown::one_line};
use lookalike_engine::{Finding, LeftOut, ReportFigures, Resumed, SketchFigures, Stage, Unread};
use lookalike_options::SavedProgress;

use crate::output::{bytes, count, counted, name};

/// Describes the expected recall and how candidate pairs were found.
pub fn found(finding: &Finding, method: &Config) -> String {
    let (by, threshold) = (&finding.found_by, method.threshold);
    if method.candidates == Candidates::Exact {
        return "exact duplicates only (equal after normalisation); near-duplicates are not searched for".into();
    }
    let Some(found) = finding.found_at_threshold else {
        return format!("expected recall unknown ({by})");
    };
    if method.candidates == Candidates::All {
        return format!("all pairs with similarity {threshold} or higher, by {by}");
    }
    format!(
        "expected recall {} at similarity {threshold}, higher above it ({by}){}",
        percent(found),
        shorter(finding)
    )
}

/// Describes which short texts have a lower recall, and how low it is. Returns an empty string if the promised recall is valid
/// for all texts.
fn shorter(finding: &Finding) -> String {
    let texts = finding
        .found_of_shorter
        .iter()
        .map(|short| short.texts)
        .sum();
    let least = finding
        .found_of_shorter
        .iter()
        .min_by(|a, b| a.found.total_cmp(&b.found));
    let (Some(least), Some(from)) = (least, finding.found_from_size) else {
        return String::new();
    };
    let (texts, size) = (counted(texts, "text"), count(least.shingles as u64));
    format!(
        "; lower for {texts} with fewer than {} shingles: {} for those with {size}",
        count(from as u64),
        percent(least.found)
    )
}

/// Formats a promised recall in hundredths of a percent, rounded down.
pub fn percent(found: f64) -> String {
    format!("{:.2} %", (1e4 * found + 1e-6).floor() / 100.0)
}

/// Describes which shingles were excluded from finding candidates, in at most two lines.
pub fn excluded(finding: &Finding) -> Vec<String> {
    let mut lines = Vec::new();
    if finding.common > 0 {
        let (common, most) = (
            counted(finding.common, "common shingle"),
            count(finding.most_common.into()),
        );
        lines.push(format!(
            "{common} (the most common in {most} texts): pairs that share no other shingles are missed; see --common"
        ));
    }
    if finding.all_common > 0 {
        lines.push(format!(
            "{} whose shared shingles are all common: for these, only exact duplicates are found",
            counted(finding.all_common, "text")
        ));
    }
    lines
}

/// Describes the sketches from which similarities are estimated, and how accurate the estimates are.
pub fn sketches(figures: &SketchFigures) -> Vec<String> {
    let SketchFigures {
        parameters,
        standard_error,
        listed_from,
        rarely_listed_to,
        ..
    } = figures;
    let mut lines = vec![format!(
        "sketches: {}, seed {}",
        parameters.kind(),
        parameters.seed
    )];
    if let (Some(error), Some(from), Some(to)) = (standard_error, listed_from, rarely_listed_to) {
        lines.push(format!(
            "estimates: standard error {error:.3} at the threshold; at least 99 % of the pairs from {from:.2} up are listed, and at \
             most 1 % of those up to {to:.2}"
        ));
    }
    lines
}

/// Describes the preset, if one was chosen, and the settings that apply.
pub fn preset(method: &Config) -> Option<String> {
    let preset = method.preset?;
    Some(format!(
        "{preset}: shingles of {}, threshold {}",
        counted(method.k() as u64, "token"),
        method.threshold
    ))
}

/// Describes how many texts have so few stop words that all their shingles are compared, and not only the shingles that begin
/// with a stop word. Returns `None` if there are no such texts, or if `--anchors` was not given.
pub fn anchors(finding: &Finding) -> Option<String> {
    let few = finding.few_anchors.filter(|&few| few > 0)?;
    let (have, their) = if few == 1 {
        ("has", "its")
    } else {
        ("have", "their")
    };
    Some(format!(
        "{} {have} few stop words: compared by all {their} shingles",
        counted(few, "document")
    ))
}

/// Names the flags that are off and would probably help, with the reason.
pub fn hints(finding: &Finding) -> impl Iterator<Item = String> {
    finding.hints.iter().map(|hint| {
        format!(
            "{}: --{} {} {}",
            hint.why, hint.option, hint.value, hint.effect
        )
    })
}

/// Describes which files and records were left out, if any.
pub fn left_out(left: &Option<LeftOut>) -> Option<String> {
    let left = left.as_ref()?.to_string();
    Some(one_line(&left).into_owned())
}

/// Describes the pages whose main content was not extracted because of their size.
pub fn too_large(pages: u64) -> Option<String> {
    let are = if pages == 1 { "is" } else { "are" };
    (pages > 0).then(|| {
        format!(
            "{} {are} too large or nested too deeply for --html main: all text is compared",
            counted(pages, "page")
        )
    })
}

/// Returns the lines of a summary about the preset, what was excluded and what was skipped, in this order.
pub fn notes(method: &Config, finding: &Finding, unread: &Unread) -> Vec<String> {
    let mut lines: Vec<String> = preset(method)
        .map(|words| format!("preset: {words}"))
        .into_iter()
        .collect();
    lines.extend(anchors(finding).map(|words| format!("anchors: {words}")));
    lines.extend(
        excluded(finding)
            .iter()
            .map(|words| format!("excluded: {words}")),
    );
    lines.extend(left_out(&unread.left_out).map(|words| format!("skipped: {words}")));
    lines.extend(too_large(finding.too_large).map(|words| format!("html: {words}")));
    lines
}

/// Describes by how much the run exceeded its memory limit, if it did.
pub fn above(finding: &Finding) -> Option<String> {
    let above = finding.above_memory;
    let why = "indexes of texts that are similar but below the threshold, huge lines, tables with many columns, compressed \
               outputs or many threads";
    (above > 0).then(|| {
        format!(
            "{} above --memory: {why} cannot be spilled to files",
            bytes(above)
        )
    })
}

/// Describes a page in a summary.
pub fn page_size(figures: &ReportFigures) -> String {
    let pairs = figures.pairs.map_or(String::new(), |pairs| {
        format!(" with {}", counted(pairs, "pair"))
    });
    format!("{}{pairs}", bytes(figures.bytes))
}

/// Describes the report in a summary.
pub fn described(figures: &ReportFigures) -> String {
    let mut words = format!("{} in {:.1} s", bytes(figures.bytes), figures.seconds);
    if let (Some(pairs), Some(floor)) = (figures.pairs, figures.floor) {
        words.push_str(&format!(
            ": {} with similarity {floor} or higher",
            counted(pairs, "pair")
        ));
    }
    if figures.left_out > 0 {
        words.push_str(&format!(
            "; the threshold cannot be moved for {} in large groups",
            counted(figures.left_out, "document")
        ));
    }
    if figures.without_text > 0 {
        words.push_str(&format!(
            "; without the texts of {} documents, because it would be too large",
            count(figures.without_text)
        ));
    }
    words
}

/// Returns the line about the folder of saved progress at the end of a summary.
pub fn removed(saved: &SavedProgress) -> Option<String> {
    let folder = saved.resume.as_ref()?;
    Some(format!(
        "  state    no longer needed, removed from {}",
        name(folder)
    ))
}

/// Returns the line of a summary that describes where a run resumed.
pub fn resumed(resumed: &Resumed) -> String {
    format!("  resumed  {}", resume_point(resumed))
}

fn resume_point(resumed: &Resumed) -> String {
    let pass = match resumed.stage {
        Stage::Sketching => "the first pass",
        Stage::Pairing | Stage::Cutting => return "after the first pass".into(),
        Stage::Locating => return "after all cuts were found".into(),
        Stage::Writing => return "before the last pass".into(),
        _ => "the second pass",
    };
    // A pass that was not complete is never reported as "at 100 %".
    let share = resumed.share.map(|share| (100.0 * share).floor().min(99.0));
    share.map_or(format!("within {pass}"), |share| {
        format!("at {share} % of {pass}")
    })
}
