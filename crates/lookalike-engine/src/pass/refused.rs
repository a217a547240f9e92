//! Converts the errors of the crate `lookalike-applications` into errors of a run.

use lookalike_applications::Error as Refused;
use lookalike_io::{
    error::{Error, ErrorKind},
    words,
};

/// Returns the error for a configuration that the crate `lookalike-applications` refuses.
pub fn refused(why: Refused) -> Error {
    let Refused::Family {
        sets,
        members,
        squares,
        most,
    } = why
    else {
        return match why {
            Refused::Core(error) => error.into(),
            other => Error::config(other),
        };
    };
    let what = format!("{sets} sets of {members} squares, out of {squares}, are not possible");
    let advice = match most {
        0 => words!["increase the number of squares from which the sets are chosen ($squares)"],
        1 => words!["use from 1 to 1048576 sets ($sets) of 1 square ($members=1)"],
        _ => words![
            "use from 1 to 1048576 sets ($sets",
            format!(") of 1 to {most} squares ("),
            "$members)"
        ],
    };
    Error::new(ErrorKind::Config, what)
        .advise(advice)
        .because(why)
}
