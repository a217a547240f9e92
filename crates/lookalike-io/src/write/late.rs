//! An output that the caller writes after a run, such as the run's summary.

use std::path::Path;

use super::output::{Output, finish};
use crate::error::Result;

/// An output whose content is known only after the run. It is opened before the run, so a missing folder is reported immediately
/// and not hours later. The output gets its name when it is complete; if it is dropped before that, nothing remains. Like every
/// output, it may be a file, an object of a store or `-` for standard output, and its file extension selects the compression.
pub struct LateOutput(Output);

impl LateOutput {
    /// Opens an output.
    ///
    /// # Errors
    /// Fails if the folder does not exist, if writing the file is not permitted, or if a store rejects the request.
    pub fn create(path: &Path) -> Result<Self> {
        Output::create(path, 1).map(Self)
    }

    /// Writes the content and gives the output its name.
    ///
    /// # Errors
    /// Fails if the content cannot be written. In this case, nothing appears under the output's name.
    pub fn finish(self, content: &[u8]) -> Result<()> {
        let Self(mut output) = self;
        output.write(content)?;
        finish([Some(output)])
    }
}
