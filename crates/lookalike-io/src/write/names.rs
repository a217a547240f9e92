//! Checks of the names of outputs.

use std::path::Path;

use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    read::{Packing, without_packing},
    store::shown_path,
};

/// Returns the error for a name such as `a.parquet.gz`. The data inside a table is compressed column by column, so the file is
/// not compressed again as a whole.
pub(super) fn packed_table(name: &str) -> Error {
    let refused = Error::new(
        ErrorKind::Output,
        "a table is compressed inside, column by column",
    )
    .at(name);
    refused.advise("give a name that ends with .parquet or .arrow")
}

/// Returns the error for an output that would be a table, in a build without tables.
pub fn without_tables(name: &str) -> Error {
    Error::new(
        ErrorKind::Output,
        "this lookalike was built without tables (the cargo feature `tables`)",
    )
    .at(name)
}

/// File extensions of formats that no output has. Such a name is probably a mistake, and other programs could not open the file.
const NOT_WRITTEN: [(&str, &str); 20] = [
    (".zip", "a zip archive"),
    (".tar", "a tar archive"),
    (".tgz", "a tar archive"),
    (".7z", "a 7z archive"),
    (".rar", "a RAR archive"),
    (".xlsx", "an Excel workbook"),
    (".xls", "an Excel workbook"),
    (".ods", "a spreadsheet (ODF)"),
    (".docx", "a Word document"),
    (".odt", "a text document (ODF)"),
    (".pdf", "a PDF file"),
    (".avro", "an Avro file"),
    (".orc", "an ORC file"),
    (".db", "a database"),
    (".sqlite", "an SQLite database"),
    (".duckdb", "a DuckDB database"),
    (".pkl", "a Python pickle"),
    (".npy", "a NumPy array"),
    (".h5", "an HDF5 file"),
    (".hdf5", "an HDF5 file"),
];

/// Rejects a name that has the file extension of a format that is not written.
///
/// # Errors
/// Fails for names such as `a.zip`.
pub(super) fn refuse_not_written(name: &str) -> Result<()> {
    let lower = name.to_ascii_lowercase();
    let Some((_, format)) = NOT_WRITTEN
        .iter()
        .find(|(ending, _)| without_packing(&lower).ends_with(ending))
    else {
        return Ok(());
    };
    let refused = Error::new(
        ErrorKind::Output,
        format!("is the name of {format}, which is not written"),
    )
    .at(name);
    Err(refused.advise("give a name that ends with .jsonl, .csv, .parquet or .arrow"))
}

/// Rejects a name for an output of lines if it has the file extension of another format.
///
/// # Errors
/// Fails for a file extension of tables or CSV.
pub fn refuse_other_than_lines(path: &Path, what: &str) -> Result<()> {
    let (given, name) = (path.display().to_string(), shown_path(path));
    refuse_not_written(&name)?;
    match Format::of_name(&given) {
        Some(Format::Parquet | Format::Arrow | Format::Delimited) => {
            let refused = Error::new(
                ErrorKind::Output,
                format!("{what} are written as JSON Lines"),
            )
            .at(name);
            Err(refused.advise("give a name that ends with .jsonl"))
        }
        _ => Ok(()),
    }
}

/// Returns whether a file of `what` (such as decisions) with this name is written as a table.
///
/// # Errors
/// Fails if the name has the file extension of another format, if it is the name of a compressed table such as `a.parquet.gz`, or
/// if it is the name of a table and this build cannot write tables.
pub fn are_rows(path: &Path, what: &str) -> Result<bool> {
    let (given, name) = (path.display().to_string(), shown_path(path));
    let refuse = |what: String, advice: &'static str| {
        Err(Error::new(ErrorKind::Output, what)
            .at(&*name)
            .advise(advice))
    };
    refuse_not_written(&name)?;
    match Format::of_name(&given) {
        Some(Format::Parquet | Format::Arrow) if Packing::of_name(&given) != Packing::Plain => {
            Err(packed_table(&name))
        }
        Some(Format::Parquet | Format::Arrow) if !cfg!(feature = "tables") => {
            Err(without_tables(&name))
        }
        Some(Format::Parquet | Format::Arrow) => Ok(true),
        Some(Format::Delimited) => refuse(
            format!("{what} are written as JSON Lines or a table"),
            "give a name that ends with .jsonl, .parquet or .arrow",
        ),
        _ => Ok(false),
    }
}
