//! The page that `lookalike compare` prints.

use std::fmt::Write;

use lookalike::{sketch::Estimate, verify::Passage};

use super::{
    report::Report,
    sketches::{self, interval},
};
use crate::output::{BOLD, DIM, GREEN, RED, both_ends, count, counted, quiet};

/// Returns a page with the exact measures, the estimates of the sketches, and both texts. `members` is the noun, in the singular,
/// for an element of the texts' sets.
pub(super) fn page(
    r: &Report,
    members: &str,
    texts: &[String; 2],
    cut: &[Vec<Passage>; 2],
    full: bool,
) -> String {
    let mut page = String::new();
    let mut line = |what: &str, value: f64, words: String, estimate: &Estimate| {
        let _ = writeln!(
            page,
            "{what:<22} {BOLD}{value:.4}{BOLD:#}  {words:<34} {DIM}sketch: {}{DIM:#}",
            interval(estimate)
        );
    };
    let either = r.figures.size_a + r.figures.size_b - r.figures.intersection;
    line(
        "resemblance",
        r.figures.resemblance,
        format!(
            "{} of {} shared",
            count(r.figures.intersection),
            counted(either, members)
        ),
        &r.sketch.resemblance,
    );
    line(
        "containment of A in B",
        r.figures.containment_ab,
        format!(
            "{} of A's {}",
            count(r.figures.intersection),
            count(r.figures.size_a)
        ),
        &r.sketch.containment_ab,
    );
    line(
        "containment of B in A",
        r.figures.containment_ba,
        format!(
            "{} of B's {}",
            count(r.figures.intersection),
            count(r.figures.size_b)
        ),
        &r.sketch.containment_ba,
    );
    let _ = writeln!(
        page,
        "{DIM}sketch: estimates from {} slots; the intervals contain the true value 95 times in 100{DIM:#}",
        r.sketch.slots
    );
    for (which, _) in ["A", "B"]
        .into_iter()
        .zip(r.few_anchors.unwrap_or_default())
        .filter(|(_, few)| *few)
    {
        let _ = writeln!(
            page,
            "{which} has few stop words: compared by all its shingles"
        );
    }
    if let Some(sketches) = &r.sketches {
        page += &sketches::table(sketches, &r.figures);
    }
    if let Some(sentences) = &r.sentences {
        page += &sentences.page(texts, full);
    }
    for ((which, name), (text, cut)) in [("A", &r.a), ("B", &r.b)]
        .into_iter()
        .zip(texts.iter().zip(cut))
    {
        let _ = writeln!(
            page,
            "\n{BOLD}{which}: {}{BOLD:#}  {GREEN}shared{GREEN:#} {RED}not shared{RED:#}",
            quiet(name)
        );
        for passage in cut {
            let style = if passage.shared { GREEN } else { RED };
            let _ = write!(
                page,
                "{style}{}{style:#}",
                both_ends(&text[passage.span.start..passage.span.end], full)
            );
        }
        page.push('\n');
    }
    page
}
