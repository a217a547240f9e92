//! The command, for `python -m lookalike`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, the first of which is its name, and gives its exit code: 0 done, 1 the answer is no,
/// 2 failure. The interpreter runs on meanwhile. `itself` is how the command is started again, which `eval` does.
#[pyfunction]
#[pyo3(signature = (itself, args, /))]
pub fn main(py: Python<'_>, itself: Vec<OsString>, args: Vec<OsString>) -> u8 {
    py.detach(|| lookalike_cli::main_from(Some(itself), args))
}
