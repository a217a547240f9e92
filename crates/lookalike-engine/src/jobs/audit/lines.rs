//! Writes a line for each removal.

use lookalike_io::{
    error::{Error, Result},
    write::Output,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    removals::{Cause, Removal},
    result::{NONE, Outcome},
};
use crate::sketching::{ids::raw, table::Table};

/// A line of the output: a removed document.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a RawValue,
    /// `None` if the document has no text, or was not checked.
    justified: Option<bool>,
    cause: Cause,
    nearest: Option<&'a RawValue>,
    /// `None` if it is unknown.
    similarity: Option<f64>,
    /// The document that the result keeps instead, if it names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    named: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    named_similarity: Option<f64>,
}

/// Writes all removals, in input order.
pub(super) fn write(
    output: &mut Output,
    removals: &[Removal],
    outcome: &Outcome,
    table: &Table,
) -> Result<()> {
    const PIECE: usize = 1 << 20;
    let (mut lines, mut id, mut nearest_id, mut named_id) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for Removal {
        document,
        cause,
        nearest,
        to_named,
    } in removals
    {
        let named = outcome
            .named
            .get(*document as usize)
            .copied()
            .filter(|&named| named != NONE && to_named.is_some());
        let is_known = !matches!(cause, Cause::Empty | Cause::Unchecked);
        let line = Line {
            id: raw(table.ids.get((*document).into(), &mut id)?)?,
            justified: cause.is_justified(),
            cause: *cause,
            nearest: if is_known && nearest.document != NONE {
                Some(raw(table
                    .ids
                    .get(nearest.document.into(), &mut nearest_id)?)?)
            } else {
                None
            },
            similarity: is_known.then_some(nearest.similarity),
            named: match named {
                Some(named) => Some(raw(table.ids.get(named.into(), &mut named_id)?)?),
                None => None,
            },
            named_similarity: *to_named,
        };
        serde_json::to_writer(&mut lines, &line)
            .map_err(|error| Error::failure(error.to_string()))?;
        lines.push(b'\n');
        if lines.len() > PIECE {
            output.write(&lines)?;
            lines.clear();
        }
    }
    output.write(&lines)
}
