//! The options for cutting, and the destinations of the results.

use std::path::PathBuf;

use lookalike::cut::CutConfig;

/// What is cut, and where the results go.
#[derive(Debug, Clone, Default)]
pub struct Cutting {
    /// The unit, and which repeated units are cut.
    pub cut: CutConfig,
    /// The file that gets the records with the remaining texts.
    pub texts: Option<PathBuf>,
    /// Write every record to the `texts` output with its whole text, and add two fields with what would be cut. The name of each field
    /// is this prefix followed by `verdict` or `spans`.
    pub mark: Option<String>,
    /// The file that gets the places of all cuts, with one line for each document.
    pub cuts: Option<PathBuf>,
    /// The file that gets the places of all cuts as attributes of Dolma, with one line for each document.
    pub attributes: Option<PathBuf>,
}
