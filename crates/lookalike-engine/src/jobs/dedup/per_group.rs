//! Checks the number of documents of each group that are kept.

use lookalike_io::{
    error::{Error, ErrorKind, Result, Setting},
    words,
};

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
    let what = words![
        what,
        " groups with one kept document, which is not what ",
        changed,
        " keeps"
    ];
    Err(Error::new(ErrorKind::Config, what).advise("leave out one of the two"))
}
