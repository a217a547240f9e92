//! Decides again what a change can affect.

use std::collections::BTreeSet;

use super::content::{Content, Place, Verdict};
use crate::error::Result;

/// A document whose decision changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settled {
    pub(crate) document: Place,
    /// The decision before the change; `None` if the document is new.
    pub(crate) before: Option<Verdict>,
    pub(crate) after: Verdict,
}

/// Returns the documents that have to be decided after this document is removed. It must still be there.
///
/// Nothing depends on a dropped document. If it is a first copy, the next copy becomes the first one. The decision about that copy stays
/// the same: it is still made by the kept documents that come before it.
pub(crate) fn affected_by_removing(content: &impl Content, removed: Place) -> Result<Vec<Place>> {
    match content.verdict(removed)? {
        Some(Verdict::Kept) => dependent(content, removed),
        _ => Ok(Vec::new()),
    }
}

/// Decides documents, and then everything that depends on changed decisions. For a document that was added, it is enough to decide the
/// document itself: if it is dropped, no other decision depends on it. Returns the changed decisions in keep order. Cost: a
/// search for kept matches for each document that is decided, and a search for all matches for each that changes from kept to dropped
/// or back.
pub(crate) fn settle(
    content: &mut impl Content,
    mut waiting: BTreeSet<Place>,
) -> Result<Vec<Settled>> {
    let mut settled = Vec::with_capacity(waiting.len());
    while let Some(document) = waiting.pop_first() {
        let before = content.verdict(document)?;
        let after = decided(content, document)?;
        if before == Some(after) {
            continue;
        }
        let may_have_dependents = content.last_decided() > Some(document);
        content.decide(document, after)?;
        settled.push(Settled {
            document,
            before,
            after,
        });
        // Later documents that are not decided yet are waiting anyway.
        if may_have_dependents && before.is_some_and(Verdict::is_kept) != after.is_kept() {
            waiting.extend(dependent(content, document)?);
        }
    }
    Ok(settled)
}

/// Applies the law to one document. The decisions about all earlier documents must be right.
pub(crate) fn decided(content: &impl Content, document: Place) -> Result<Verdict> {
    if content.is_empty(document)? {
        return Ok(Verdict::Kept);
    }
    let first_copy = content.first_copy(document)?;
    if first_copy != document && content.verdict(first_copy)?.is_some_and(Verdict::is_kept) {
        return Ok(Verdict::Dropped {
            representative: first_copy.number,
            similarity: 1.0,
        });
    }
    // A copy of a dropped document is compared too: a kept document between the two may be more similar to it than the representative
    // of its first copy is.
    Ok(match content.best_kept(document)? {
        Some((representative, similarity)) => Verdict::Dropped {
            representative: representative.number,
            similarity,
        },
        None => Verdict::Kept,
    })
}

/// Returns the documents whose decisions depend on whether this document is kept. All of them come later in keep order.
fn dependent(content: &impl Content, document: Place) -> Result<Vec<Place>> {
    if content.is_empty(document)? {
        return Ok(Vec::new());
    }
    let mut later = match content.first_copy(document)? == document {
        true => content.copies_after(document, document)?,
        // Copies of other documents do not decide anything.
        false => Vec::new(),
    };
    for matching in content.matches(document)? {
        if matching > document {
            later.push(matching);
        }
        // A kept first copy represents its copies. If it is dropped later on, its copies join because of it.
        if !content.verdict(matching)?.is_some_and(Verdict::is_kept) {
            later.extend(content.copies_after(matching, matching.max(document))?);
        }
    }
    Ok(later)
}
