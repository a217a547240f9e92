//! The page to look at: the pairs that share the most text, side by side.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use lookalike_io::{error::Result, write::plain};
use lookalike_report::{
    Aligned, AlignedPairs, AlignedRegion, Collection, Documents, Limits, Page, Pairs, Settings,
    Slider, Texts,
};
use serde::Serialize;

use super::{
    asked::Quoting,
    best::Best,
    report::{SharedPassage, Shares},
};
use crate::{
    matching::sets::Pass,
    reporting::{
        ReportFigures,
        collecting::{failure, names, without_times},
        texts::LONGEST,
    },
};

/// The number of pairs in a page.
pub(super) const MOST: usize = 300;

/// The number of texts in a block of data.
const BLOCK: usize = 20;

/// Returns the HTML file. `summary` is that of the run, which found `found` pairs.
pub(super) fn page(
    pass: Pass,
    asked: &Quoting,
    best: &Best,
    (summary, found): (&impl Serialize, u64),
) -> Result<(String, ReportFigures)> {
    let started = Instant::now();
    let Pass {
        config,
        source,
        table,
        method,
        ..
    } = pass;
    let pairs: Vec<_> = best
        .pairs
        .iter()
        .take(MOST)
        .map(|(_, reported)| reported)
        .collect();
    let mut texts: BTreeMap<u64, &str> = BTreeMap::new();
    for reported in &pairs {
        texts.extend(
            reported
                .documents
                .into_iter()
                .zip(reported.texts.iter().map(|text| &**text)),
        );
    }
    let cut = |text: &str| text.floor_char_boundary(LONGEST);
    let positions: BTreeMap<u64, u32> = texts.keys().copied().zip(0..).collect();
    let documents: BTreeSet<u64> = texts.keys().copied().collect();
    let position = |document: &u64| positions.get(document).copied().unwrap_or_default();

    let mut columns = Documents {
        references: 0,
        ..Documents::default()
    };
    let mut scratch = Vec::new();
    for (&document, at) in documents.iter().zip(0u32..) {
        let id = table.ids.get(document, &mut scratch)?;
        if !id.starts_with('"') {
            columns.numbers.push(at);
        }
        columns.id.push(plain(id).into_owned());
        let (input, line) = table.record(document, source)?;
        columns.input.push(input);
        columns.line.push(line);
        columns
            .reason
            .push(if document < table.references.documents {
                'R'
            } else {
                '-'
            });
        columns.references += u32::from(document < table.references.documents);
        columns.representative.push(-1);
        columns.shared.push(-1);
        columns.shingles.push(0);
        columns.first_copy.push(-1);
    }
    let mut of_pairs = Pairs::default();
    let mut aligned = AlignedPairs::default();
    let mut blocks = Page::new();
    for (number, block) in pairs.chunks(BLOCK).enumerate() {
        let mut parts = Vec::new();
        for reported in block {
            let shares = &reported.shares;
            let share = |shared: usize, tokens: usize| shared as f64 / tokens.max(1) as f64;
            let [a, b] = reported.documents.each_ref().map(position);
            let [of_a, of_b] = in_common(shares);
            of_pairs.a.push(a);
            of_pairs.b.push(b);
            of_pairs.shared.push(of_a.max(of_b) as i64);
            of_pairs
                .similarity
                .push(share(of_a, shares.tokens_a).max(share(of_b, shares.tokens_b)));
            if asked.regions.is_some() {
                of_pairs.regions.push(shares.passages.len() as u32);
            }
            let texts = reported.texts.each_ref().map(|text| &text[..cut(text)]);
            let runs = shares
                .passages
                .iter()
                .flat_map(|passage| passage.runs.iter().copied());
            let runs = runs.map(|run| run.map(|span| [span.start, span.end]));
            parts.push(Aligned::of_runs(
                texts,
                runs,
                shares.passages.iter().filter_map(region),
            ));
            aligned.a.push(a);
            aligned.b.push(b);
        }
        blocks
            .add(&format!("aligned-{number}"), &parts)
            .map_err(failure)?;
        aligned.counts.push(parts.len() as u32);
    }
    let mut of_texts = Texts::default();
    let all: Vec<(u64, &str)> = texts.into_iter().collect();
    for (number, block) in all.chunks(BLOCK).enumerate() {
        let shown: Vec<&str> = block.iter().map(|(_, text)| &text[..cut(text)]).collect();
        for (document, text) in block {
            of_texts.documents.push(position(document));
            of_texts.cut.extend(
                (cut(text) < text.len()).then(|| (position(document), text.chars().count() as u64)),
            );
        }
        blocks
            .add(&format!("texts-{number}"), &shown)
            .map_err(failure)?;
        of_texts.counts.push(block.len() as u32);
    }
    let settings = Settings {
        measure: "containment",
        verify: "exact",
        cluster: "law",
        shingle: asked.least,
        tokens: method.config().tokens,
        candidates: method.found_by(),
        ..Settings::default()
    };
    let collection = Collection {
        program: env!("CARGO_PKG_VERSION"),
        command: "passages",
        inputs: names(source, false),
        references: names(source, true),
        settings,
        summary: without_times(summary)?,
        documents: columns,
        limits: Limits {
            pairs: found - of_pairs.a.len() as u64,
            ..Limits::default()
        },
        pairs: of_pairs,
        slider: Slider {
            why_not: Some("passages"),
            ..Slider::default()
        },
        texts: of_texts,
        aligned,
        ..Collection::default()
    };
    let mut page = Page::new();
    page.add("report", &collection).map_err(failure)?;
    page.append(blocks);
    let named = if config.against.is_empty() {
        &collection.inputs
    } else {
        &collection.references
    };
    let html = page.html(&format!("{} – lookalike passages", named.join(", ")));
    let figures = ReportFigures {
        bytes: html.len() as u64,
        pairs: Some(collection.pairs.a.len() as u64),
        floor: None,
        left_out: 0,
        without_text: 0,
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok((html, figures))
}

/// Returns the numbers of tokens that the two texts have in regions, if regions were searched, or else in shared runs.
fn in_common(shares: &Shares) -> [usize; 2] {
    [
        shares.in_regions_a.unwrap_or(shares.shared_a),
        shares.in_regions_b.unwrap_or(shares.shared_b),
    ]
}

/// Returns a passage as a region, if it is one.
fn region(passage: &SharedPassage) -> Option<AlignedRegion> {
    let places = passage
        .places
        .map(|place| [place.start as i64, place.end as i64]);
    Some(AlignedRegion {
        places,
        tokens: passage.tokens,
        density: passage.density?,
        score: passage.score?,
    })
}
