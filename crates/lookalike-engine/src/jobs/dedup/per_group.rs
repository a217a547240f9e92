//! Keeps another number of documents of each group than the law, which keeps one. The groups are the law's.

use std::collections::BTreeMap;

use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    spill::places::Places,
    words,
};

use super::emit::Emitting;
use crate::config::RunConfig;

/// Checks that nothing else is wanted that is made from the law's verdicts.
pub(super) fn check(config: &RunConfig, is_stored: bool) -> Result<()> {
    let what = match (config.report.is_some(), is_stored) {
        _ if config.keep_per_group == 1 => return Ok(()),
        (true, _) => "a report shows",
        (_, true) => "an index has",
        (false, false) => return Ok(()),
    };
    let changed = match config.keep_per_group {
        0 => words![(Setting::Drop, "all")],
        _ => words![Setting::KeepPerGroup],
    };
    let what = words![what, " groups with one kept document, which is not what ", changed, " keeps"];
    Err(Error::new(ErrorKind::Config, what).advise("leave out one of the two"))
}

/// Returns the documents whose verdict changes if at most `most` documents of each group are kept: the first ones in keep order.
/// Memory: one bit for each document, and about 24 bytes for each group if `most` is greater than 1.
pub(super) fn overruled(emitting: &Emitting, most: u32) -> Result<Option<Places>> {
    if most == 1 {
        return Ok(None);
    }
    let (changed, mut kept_of) = (Places::none(emitting.table.documents), BTreeMap::new());
    for document in emitting.in_keep_order() {
        let decision = emitting.decision(document)?;
        let Some(representative) = decision.representative else {
            if most == 0 && decision.size > 1 {
                changed.insert(document.0);
            }
            continue;
        };
        if most == 0 {
            continue;
        }
        // The representative is the first document of its group.
        let kept = kept_of.entry(representative.0).or_insert(1);
        if *kept < most {
            *kept += 1;
            changed.insert(document.0);
        }
    }
    Ok(Some(changed))
}
