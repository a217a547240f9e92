//! `lookalike compare` with stored sketches instead of texts.

use std::{fmt::Write, process::ExitCode};

use lookalike::{
    Config,
    lsh::Shape,
    sketch::Estimate,
    stored::{Comparison, SketchParameters, Sketching, StoredSketch},
    verify::Measure,
};
use lookalike_engine::{find_sketches, shown_name, sole_sketches};
use serde::Serialize;

use super::{Compare, sketches::interval};
use crate::{
    output::{BOLD, DIM, counted, print, print_data},
    report::Report as Header,
};

/// The parameters of stored sketches, and the two sketches.
type Stored = (SketchParameters, Vec<StoredSketch>);

/// All results for two sketches.
#[derive(Serialize)]
struct Report {
    a: String,
    b: String,
    /// The parameters of both sketches.
    parameters: SketchParameters,
    shingles_a: Option<u64>,
    shingles_b: Option<u64>,
    /// The estimates, each with the interval that contains the true value 95 times in 100.
    estimated: Comparison,
}

impl Compare {
    /// Returns the sketches, if A and B are files of sketches, or if the collection consists of such files.
    pub(super) fn stored(&self) -> anyhow::Result<Option<Stored>> {
        let found = if self.collection.is_empty() {
            sole_sketches(&[&self.a, &self.b])?
        } else {
            find_sketches(&self.run_config()?, &[&self.a, &self.b])?
        };
        if found.is_some() {
            self.refuse_flags_of_texts()?;
        }
        Ok(found)
    }

    fn refuse_flags_of_texts(&self) -> anyhow::Result<()> {
        let flags = [
            (self.sketches, "--sketches"),
            (self.full, "--full"),
            (self.sets, "--sets"),
            (self.longest.is_asked(), "--longest and --digest"),
            (self.encoding.is_some(), "--encoding"),
            (self.fields.set_field.is_some(), "--set-field"),
        ];
        if let Some((_, flag)) = flags.into_iter().find(|(is_given, _)| *is_given) {
            anyhow::bail!(
                "{flag} needs the texts, but A and B are stored sketches; leave it out, or compare the texts"
            );
        }
        if self.config()? != Config::default() {
            anyhow::bail!(
                "the file of sketches says how its texts were sketched; leave out the flags for tokens and shingles"
            );
        }
        Ok(())
    }

    pub(super) fn of_sketches(&self, (parameters, sketches): Stored) -> anyhow::Result<ExitCode> {
        if let Some(threshold) = self.threshold {
            Shape::check(threshold, Config::default().recall)?;
        }
        let [a, b] = &sketches[..] else {
            anyhow::bail!("two sketches were expected")
        };
        let estimated = Sketching::new(&parameters)?.compare(a, b)?;
        let measured = match self.measure.unwrap_or_default() {
            Measure::Resemblance => estimated.resemblance,
            Measure::Containment => estimated.containment_ab,
        };
        if self.threshold.is_some() && measured.is_none() {
            anyhow::bail!(
                "--threshold: these sketches ({}) do not show this similarity",
                parameters.kind()
            );
        }
        let (shingles_a, shingles_b) = (a.shingles, b.shingles);
        let (name_a, name_b) = (shown_name(&self.a), shown_name(&self.b));
        let report = Report {
            a: name_a,
            b: name_b,
            parameters,
            shingles_a,
            shingles_b,
            estimated,
        };
        if self.json {
            let header = Header::new("compare")
                .inputs("a", [&self.a])
                .inputs("b", [&self.b])
                .inputs("in", &self.collection);
            print_data(&header.json(&report)?)?;
        } else {
            print(&page(&report))?;
        }
        let is_below = self
            .threshold
            .zip(measured)
            .is_some_and(|(threshold, measured)| measured.value < threshold);
        Ok(ExitCode::from(u8::from(is_below)))
    }
}

fn page(report: &Report) -> String {
    let mut page = String::new();
    let Comparison {
        same,
        resemblance,
        containment_ab,
        containment_ba,
        same_sentences,
        ..
    } = report.estimated;
    let estimates = [
        ("resemblance", resemblance),
        ("containment of A in B", containment_ab),
        ("containment of B in A", containment_ba),
    ];
    for (what, estimate) in estimates {
        let Some(estimate) = estimate else { continue };
        let Estimate {
            value, low, high, ..
        } = estimate;
        let shown = if low == high {
            format!("{BOLD}{value:.4}{BOLD:#}, certain")
        } else {
            interval(&estimate)
        };
        let _ = writeln!(page, "{what:<22} {shown}");
    }
    let yes = |is: bool| if is { "yes" } else { "no" };
    if let Some(same) = same_sentences {
        let _ = writeln!(page, "{:<22} {}", "same long sentences", yes(same));
    }
    if let Some(same) = same {
        let _ = writeln!(page, "{:<22} {}", "exact duplicates", yes(same));
    }
    for (which, shingles) in [("A", report.shingles_a), ("B", report.shingles_b)] {
        let shingles = shingles.map_or("unknown (a union)".into(), |shingles| {
            counted(shingles, "shingle")
        });
        let _ = writeln!(page, "{:<22} {shingles}", format!("size of {which}"));
    }
    let (kind, seed) = (report.parameters.kind(), report.parameters.seed);
    let _ = writeln!(
        page,
        "{DIM}estimated from stored sketches: {kind}, seed {seed}; the intervals contain the true value 95 times in 100{DIM:#}"
    );
    page
}
