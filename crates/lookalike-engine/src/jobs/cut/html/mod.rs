//! The page to look at: the passages that were cut most, and documents with their cuts in place.

mod data;

mod sample;

mod texts;

use std::{collections::HashMap, time::Instant};

use lookalike_io::{error::Result, write::plain};
use lookalike_report::Page;

use self::{
    data::{CutData, Data, DocumentData, PassageData},
    sample::chosen,
    texts::{Quote, Shown, read},
};
use super::{emit::Emitting, outcomes::Cut, reported::CutPlace, summary::CutSummary};
use crate::reporting::{
    ReportFigures,
    collecting::{failure, names, without_times},
};

/// The number of documents in a block of data.
const BLOCK: usize = 20;

/// Returns the HTML file. `summary` is that of the run, and `bytes` has the number of bytes that were cut for each passage.
pub(super) fn page(
    emitting: &Emitting,
    summary: &CutSummary,
    bytes: &[u64],
) -> Result<(String, ReportFigures)> {
    let started = Instant::now();
    let source = emitting.pass.source;
    let (table, locations) = (emitting.pass.table, emitting.locations);
    let documents = table.references.documents..table.documents;
    let chosen = chosen(emitting.outcomes, documents, &locations.passages)?;
    let (shown, mut quotes) = read(emitting, &chosen)?;
    let (mut blocks, mut counts) = (Page::new(), Vec::new());
    let shown_documents = shown.len() as u64;
    let mut rest = shown.into_iter();
    loop {
        let block = rest
            .by_ref()
            .take(BLOCK)
            .map(|shown| document(emitting, shown, &mut quotes));
        let block = block.collect::<Result<Vec<_>>>()?;
        if block.is_empty() {
            break;
        }
        blocks
            .add(&format!("documents-{}", counts.len()), &block)
            .map_err(failure)?;
        counts.push(block.len());
    }
    let inputs = names(source, false);
    let title = format!("{} – lookalike cut", inputs.join(", "));
    let data = Data {
        program: env!("CARGO_PKG_VERSION"),
        command: "cut",
        inputs,
        references: names(source, true),
        summary: without_times(summary)?,
        keep: source.reading().fields.keep.to_string(),
        group: emitting.pass.config.label_field.clone(),
        passages: passages(emitting, bytes)?,
        counts,
        other_passages: locations.other_passages,
    };
    let mut page = Page::new();
    page.add("report", &data).map_err(failure)?;
    page.append(blocks);
    let html = page.html(&title);
    let figures = ReportFigures {
        bytes: html.len() as u64,
        pairs: None,
        floor: None,
        left_out: 0,
        without_text: summary.cut + summary.dropped - shown_documents,
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok((html, figures))
}

fn passages(emitting: &Emitting, bytes: &[u64]) -> Result<Vec<PassageData>> {
    let mut id = Vec::new();
    let all = emitting
        .locations
        .passages
        .iter()
        .zip(bytes)
        .map(|(passage, &bytes)| {
            Ok(PassageData {
                id: plain(emitting.pass.table.ids.get(passage.source, &mut id)?).into_owned(),
                reference: emitting.reference(passage.source)?,
                text: passage.beginning.clone(),
                whole: passage.whole,
                documents: passage.documents,
                tokens: passage.tokens,
                bytes,
            })
        });
    all.collect()
}

fn document(
    emitting: &Emitting,
    shown: Shown,
    quotes: &mut HashMap<u64, Quote>,
) -> Result<DocumentData> {
    let Shown {
        document,
        text,
        whole,
        cuts,
        tokens,
    } = shown;
    let table = emitting.pass.table;
    let (mut counted, mut units) = (0, 0);
    // Returns the number of UTF-16 code units before a byte. Bytes are asked for in order.
    let mut place = |byte: usize| {
        let byte = byte.clamp(counted, text.len());
        units += text[counted..byte].encode_utf16().count();
        counted = byte;
        units
    };
    let cuts = cuts
        .into_iter()
        .map(|(piece, cut, at): (u64, Cut, CutPlace)| CutData {
            start: place(at.start_byte),
            end: place(at.end_byte),
            insert: at.insert,
            tokens: at.tokens,
            source: plain(at.source.get()).into_owned(),
            reference: at.reference,
            source_start: at.source_start,
            source_end: at.source_end,
            quote: quotes.remove(&piece).unwrap_or_default(),
            passage: emitting.locations.passage(document, &cut),
        });
    let cuts = cuts.collect();
    Ok(DocumentData {
        id: plain(table.ids.get(document, &mut Vec::new())?).into_owned(),
        place: table.place(document, emitting.pass.source)?.to_string(),
        verdict: if emitting.outcomes.is_dropped(document) {
            "dropped"
        } else {
            "cut"
        },
        text,
        whole,
        cuts,
        tokens,
    })
}
