//! The command line for `python -m lookalike`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, the first of which is its name. Returns its exit code: 0 for success, 1 for a negative
/// answer (no pair, not similar enough), 2 for failure. The interpreter is released while the command runs. `itself` is the
/// command line that starts the command again, which `eval` needs.
#[pyfunction]
#[pyo3(signature = (itself, args, /))]
pub fn main(py: Python<'_>, itself: Vec<OsString>, args: Vec<OsString>) -> u8 {
    py.detach(|| lookalike_cli::main_from(Some(itself), args))
}
