//! An output that the caller writes when a run is done, such as the run's summary.

use std::path::Path;

use super::output::{Output, finish};
use crate::error::Result;

/// An output whose content is known only after the run. It is opened before the run, so that a missing folder is reported then and not
/// hours later, and it gets its name when it is whole; dropped before that, it leaves nothing. Like every output it may be a file, an
/// object of a store or `-` for standard output, and is compressed by its ending.
pub struct LateOutput(Output);

impl LateOutput {
    /// Opens an output.
    ///
    /// # Errors
    /// A folder that is not there, a file that must not be written, a store that refuses.
    pub fn create(path: &Path) -> Result<Self> {
        Output::create(path, 1).map(Self)
    }

    /// Writes the content and gives the output its name.
    ///
    /// # Errors
    /// What writing it gives. Nothing is left under its name then.
    pub fn finish(self, content: &[u8]) -> Result<()> {
        let Self(mut output) = self;
        output.write(content)?;
        finish([Some(output)])
    }
}
