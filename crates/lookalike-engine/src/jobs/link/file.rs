//! Reads the configuration of a linkage.

use std::path::Path;

use lookalike::shown::quoted;
use lookalike_applications::records::LinkConfig;
use lookalike_io::error::Result;
use lookalike_options::{in_toml, read_toml};

/// Reads a configuration from a file of TOML.
///
/// # Errors
/// Fails if the file cannot be read, or is not such a configuration. The error names the file and the line.
pub fn read_link_config(path: &Path) -> Result<LinkConfig> {
    let text = read_toml(path, "name a TOML file with the fields to compare")?;
    toml::from_str(&text).map_err(|error| {
        // The error gives only the position where the field starts, not which field it is.
        let which = match error.message() {
            what if what.starts_with("missing field `type`") => untyped(&text).unwrap_or_default(),
            _ => String::new(),
        };
        let what = format!("{}{which}", error.message().trim_end());
        in_toml(path, &text, error.span(), &what)
    })
}

/// Returns which field has no type.
fn untyped(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let fields = table.get("field")?.as_array()?;
    let field = fields.iter().find(|field| field.get("type").is_none())?;
    let name = field.get("name")?.as_str()?;
    Some(format!(
        " of the field {}; give one of name, address, phone, date, number, quantity, text, code and exact",
        quoted(name)
    ))
}
