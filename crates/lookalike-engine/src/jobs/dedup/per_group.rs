//! Checks the number of documents of each group that are kept.

use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    words,
};

use crate::config::RunConfig;

/// Checks that nothing else is wanted that is made from the law's verdicts.
pub(super) fn check(config: &RunConfig, is_stored: bool) -> Result<()> {
    let (made, what) = match (config.report.is_some(), is_stored) {
        _ if config.keep_per_group == 1 => return Ok(()),
        (true, _) => ("report", "a report shows"),
        (_, true) => ("index", "an index has"),
        (false, false) => return Ok(()),
    };
    let changed = match config.keep_per_group {
        0 => "$drop=all",
        _ => "$keep_per_group",
    };
    let what = words![
        what,
        " groups with one kept document, which is not what ",
        changed,
        " keeps"
    ];
    let advice = words!["leave out ", Setting(made), " or ", changed];
    Err(Error::new(ErrorKind::Config, what).advise(advice))
}
