//! The page that shows texts with their shared passages.

use std::fmt::Write;

use lookalike::text::Span;
use lookalike_engine::{Quoted, SharedPassage};

use crate::output::{BOLD, DIM, GREEN, RED, both_ends, count, counted, quiet};

/// The number of passages that are shown per pair without `--full`.
const PASSAGES: usize = 50;

/// The number of characters that are shown before and after a passage.
const AROUND: usize = 40;

/// The pairs that share the most text.
pub(super) struct Page {
    full: bool,
    pairs: Vec<String>,
}

impl Page {
    /// Creates an empty page. Long passages are cut unless `full` is set.
    pub(super) fn new(full: bool) -> Self {
        Self {
            full,
            pairs: Vec::new(),
        }
    }

    /// Adds the next pair.
    pub(super) fn take(&mut self, quoted: &Quoted) {
        self.pairs.push(pair(quoted, self.full));
    }

    /// Returns the whole page. `all` is the number of pairs that were found. If the page does not show all of them, the last line
    /// says how many more there are.
    pub(super) fn text(self, all: u64) -> String {
        let left = all - self.pairs.len() as u64;
        let mut text = self.pairs.join("\n");
        if left > 0 {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(
                text,
                "{gap}{DIM}{} with less in common: --pairs N shows more, --json shows all{DIM:#}",
                counted(left, "more pair")
            );
        }
        text
    }
}

fn pair(quoted: &Quoted, full: bool) -> String {
    let (mut page, shares) = (String::new(), quoted.shares);
    let figures = shares.figures;
    let _ = writeln!(
        page,
        "{BOLD}A: {}  B: {}{BOLD:#}",
        quiet(quoted.a.get()),
        quiet(quoted.b.get())
    );
    let _ = writeln!(
        page,
        "{} of A's {} and {} of B's {} in {}; {DIM}containment of A in B {:.4}, of B in A {:.4}, resemblance {:.4}{DIM:#}",
        count(shares.in_regions_a.unwrap_or(shares.shared_a) as u64),
        counted(shares.tokens_a as u64, "token"),
        count(shares.in_regions_b.unwrap_or(shares.shared_b) as u64),
        count(shares.tokens_b as u64),
        counted(
            shares.passages.len() as u64,
            if shares.in_regions_a.is_some() {
                "region"
            } else {
                "passage"
            }
        ),
        figures.containment_ab,
        figures.containment_ba,
        figures.resemblance,
    );
    let shown_of = if full {
        shares.passages.len()
    } else {
        PASSAGES
    };
    for passage in shares.passages.iter().take(shown_of) {
        let SharedPassage {
            a,
            b,
            tokens,
            density,
            score,
            runs,
            ..
        } = passage;
        let measures = match density.zip(*score) {
            Some((density, score)) => {
                format!("; {DIM}density {density:.2}, score {score:.1}{DIM:#}")
            }
            None => String::new(),
        };
        let _ = writeln!(
            page,
            "\n  {BOLD}{}{BOLD:#}{measures}",
            counted(*tokens as u64, "token")
        );
        for (side, (name, place)) in [("A", a), ("B", b)].into_iter().enumerate() {
            let mut runs: Vec<Span> = runs.iter().map(|run| run[side]).collect();
            // The runs of a region may be in another order in B.
            runs.sort_unstable_by_key(|run| (run.start, run.end));
            let _ = writeln!(
                page,
                "  {name} {}..{}  {}",
                place.start,
                place.end,
                shown(quoted.texts[side], &runs, full)
            );
        }
    }
    if let Some(left) = shares
        .passages
        .len()
        .checked_sub(shown_of)
        .filter(|&left| left > 0)
    {
        let _ = writeln!(
            page,
            "\n  {DIM}{}: --full shows all{DIM:#}",
            counted(left as u64, "more passage")
        );
    }
    page
}

/// Returns a passage and its surroundings on one line. The runs are in the order of their starts.
fn shown(text: &str, runs: &[Span], full: bool) -> String {
    let (Some(first), Some(last)) = (runs.first(), runs.iter().map(|run| run.end).max()) else {
        return String::new();
    };
    let (before, after) = (last_words(&text[..first.start]), first_words(&text[last..]));
    let mut line = format!("{DIM}{}{DIM:#}", quiet(before.trim_start()));
    let mut end = first.start;
    for run in runs {
        let start = run.start.max(end);
        if start > end {
            let _ = write!(line, "{RED}{}{RED:#}", quiet(&text[end..start]));
        }
        if run.end > start {
            let _ = write!(
                line,
                "{GREEN}{}{GREEN:#}",
                quiet(&both_ends(&text[start..run.end], full))
            );
        }
        end = end.max(run.end);
    }
    let _ = write!(line, "{DIM}{}{DIM:#}", quiet(after.trim_end()));
    line
}

/// Returns the last words of a text: at most [`AROUND`] characters, without the word that this limit cuts.
fn last_words(text: &str) -> &str {
    let Some((start, _)) = text
        .char_indices()
        .rev()
        .nth(AROUND - 1)
        .filter(|&(start, _)| start > 0)
    else {
        return text;
    };
    text[start..]
        .split_once(char::is_whitespace)
        .map_or(&text[start..], |(_, words)| words)
}

/// Returns the first words of a text: at most [`AROUND`] characters, without the word that this limit cuts.
fn first_words(text: &str) -> &str {
    let Some((end, _)) = text.char_indices().nth(AROUND) else {
        return text;
    };
    text[..end]
        .rsplit_once(char::is_whitespace)
        .map_or(&text[..end], |(words, _)| words)
}
