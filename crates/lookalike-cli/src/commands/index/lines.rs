//! The JSON lines that the commands write.

use std::path::Path;

use lookalike_engine::{Error, Output, finish_outputs};
use lookalike_index::{Change, Decided, Decision, Found, Id, Index, SharedPassage};
use lookalike_indexing::failed;
use serde::Serialize;
use serde_json::value::RawValue;

/// An output of lines; standard output if its path is none or `-`.
pub struct Lines {
    output: Output,
    line: Vec<u8>,
    pub written: u64,
}

impl Lines {
    pub fn create(path: Option<&Path>) -> anyhow::Result<Self> {
        let output = Output::create(path.unwrap_or(Path::new("-")), 0)?;
        Ok(Self {
            output,
            line: Vec::new(),
            written: 0,
        })
    }

    /// Appends a value as a line.
    pub fn value(&mut self, value: &impl Serialize) -> lookalike_engine::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, value)
            .map_err(|error| Error::failure(error.to_string()))?;
        self.line.push(b'\n');
        self.written += 1;
        self.output.write(&self.line)
    }

    /// Appends lines that end with line breaks.
    pub fn bytes(&mut self, lines: &[u8], count: u64) -> lookalike_engine::Result<()> {
        self.written += count;
        self.output.write(lines)
    }

    /// Gives the output its name.
    pub fn end(mut self) -> anyhow::Result<u64> {
        self.output.end();
        finish_outputs([Some(self.output)])?;
        Ok(self.written)
    }
}

/// Writes the decisions about the documents that got the number `since` or a later one.
pub fn write_decisions(index: &Index, since: u64, lines: &mut Lines) -> anyhow::Result<()> {
    let (mut some, mut count) = (Vec::new(), 0);
    index
        .each_decision(since, &mut |decision: Decision| {
            decision.write_line(&mut some)?;
            count += 1;
            if some.len() >= 1 << 20 {
                lines.bytes(&some, count).map_err(std::io::Error::other)?;
                (some, count) = (Vec::new(), 0);
            }
            Ok(())
        })
        .map_err(failed)?;
    Ok(lines.bytes(&some, count)?)
}

/// Writes the changed decisions after the one with the number `after`, at most `limit`.
pub fn write_changes(
    index: &Index,
    after: u64,
    limit: Option<u64>,
    lines: &mut Lines,
) -> anyhow::Result<()> {
    let mut left = limit.unwrap_or(u64::MAX);
    if left == 0 {
        return Ok(());
    }
    index
        .each_change(after, &mut |number, change| {
            lines
                .value(&change_line(number, &change))
                .map_err(std::io::Error::other)?;
            left -= 1;
            Ok(left > 0)
        })
        .map_err(failed)?;
    Ok(())
}

/// A changed decision.
#[derive(Serialize)]
struct ChangeLine {
    change: u64,
    id: Box<RawValue>,
    before: Option<DecidedPart>,
    after: Option<DecidedPart>,
}

#[derive(Serialize)]
struct DecidedPart {
    verdict: &'static str,
    #[serde(flatten)]
    dropped: Option<DroppedPart>,
}

#[derive(Serialize)]
struct DroppedPart {
    representative: Box<RawValue>,
    similarity: Option<f64>,
}

fn change_line(number: u64, change: &Change) -> ChangeLine {
    let decided = |decided: &Decided| match decided {
        Decided::Kept => DecidedPart {
            verdict: "kept",
            dropped: None,
        },
        Decided::Dropped {
            representative,
            similarity,
        } => {
            let dropped = Some(DroppedPart {
                representative: raw(representative),
                similarity: *similarity,
            });
            DecidedPart {
                verdict: "dropped",
                dropped,
            }
        }
    };
    let (before, after) = (
        change.before.as_ref().map(decided),
        change.after.as_ref().map(decided),
    );
    ChangeLine {
        change: number,
        id: raw(&change.id),
        before,
        after,
    }
}

/// A document that is similar to what was searched for.
#[derive(Serialize)]
pub struct FoundLine<'a> {
    /// The id of what was searched for, as JSON.
    query: &'a RawValue,
    id: Box<RawValue>,
    verdict: &'static str,
    similarity: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    resemblance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    containment: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    containment_of_document: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passages: Option<Vec<PassagePart<'a>>>,
}

#[derive(Serialize)]
struct PassagePart<'a> {
    query: [usize; 2],
    document: [usize; 2],
    tokens: usize,
    text: &'a str,
}

impl<'a> FoundLine<'a> {
    pub fn new(query: &'a RawValue, found: &'a Found) -> Self {
        let passage = |shared: &'a SharedPassage| PassagePart {
            query: [shared.query.start, shared.query.end],
            document: [shared.document.start, shared.document.end],
            tokens: shared.tokens,
            text: &shared.text,
        };
        Self {
            query,
            id: raw(&found.id),
            verdict: if found.is_kept { "kept" } else { "dropped" },
            similarity: found.similarity,
            resemblance: found.figures.map(|figures| figures.resemblance),
            containment: found.figures.map(|figures| figures.containment_ab),
            containment_of_document: found.figures.map(|figures| figures.containment_ba),
            passages: found
                .passages
                .as_ref()
                .map(|passages| passages.iter().map(passage).collect()),
        }
    }
}

/// Returns an id as JSON.
pub fn raw(id: &Id) -> Box<RawValue> {
    // The JSON of an id is valid: it was parsed, or a serialiser made it.
    RawValue::from_string(id.to_json()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
