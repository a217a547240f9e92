//! The content of the header.

use lookalike::shown::quoted;

use super::{cells::Cells, delimiter::is_blank};
#[cfg(feature = "encodings")]
use crate::read::bytes::encoding;
use crate::{
    error::{Error, Result, Setting},
    format::BYTE_ORDER_MARK,
    words,
};

/// The first record of a file: the names of the columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    names: Vec<String>,
}

impl Header {
    /// Reads the names from a file's first record. `encoding` is the record's encoding; if none, the record is UTF-8.
    ///
    /// # Errors
    /// Fails if there is no header, because the file is empty or begins with an empty line.
    pub fn read(record: &[u8], delimiter: u8, encoding: Option<&str>) -> Result<Self> {
        let record = record.strip_prefix(BYTE_ORDER_MARK).unwrap_or(record);
        if is_blank(record) {
            let wrong = Error::record("no header").of_line(0);
            return Err(wrong.advise("the first line of CSV and TSV must name the columns"));
        }
        let (mut cells, mut scratch) = (Cells::default(), Vec::new());
        cells.find(record, delimiter);
        let names = (0..cells.len()).map(|index| {
            let name = cells.get(index, record, &mut scratch).unwrap_or_default();
            decoded(name, encoding, &mut String::new()).map_or_else(
                |_| String::from_utf8_lossy(name).into_owned(),
                str::to_owned,
            )
        });
        Ok(Self {
            names: names.collect(),
        })
    }

    /// Returns the names as stored.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the index of the column called `name`. Error messages suggest `option` as the option that chooses another column.
    ///
    /// # Errors
    /// Fails if no column has the name, or if more than one column has it.
    pub fn index_of(&self, name: &str, option: Setting) -> Result<usize> {
        let mut columns = (0..self.names.len()).filter(|&index| self.names[index] == name);
        let (what, advice) = match (columns.next(), columns.next()) {
            (Some(index), None) => return Ok(index),
            (Some(first), Some(second)) => {
                let what = format!(
                    "columns {} and {} are both called {}",
                    first + 1,
                    second + 1,
                    quoted(name)
                );
                (
                    what,
                    words!["rename one, or name another column with ", option],
                )
            }
            _ => (
                format!(
                    "no column {}; the columns are {}",
                    quoted(name),
                    self.shown()
                ),
                words!["name one with ", option],
            ),
        };
        Err(Error::record(what).in_field(name).of_line(0).advise(advice))
    }

    /// Returns the columns for a message, or only some of them if there are very many.
    fn shown(&self) -> String {
        const SOME: usize = 20;
        let names: Vec<String> = self
            .names
            .iter()
            .take(SOME)
            .map(|name| quoted(name))
            .collect();
        let more = self.names.len().saturating_sub(SOME);
        names.join(", ")
            + &if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            }
    }
}

/// Returns a field's text. If the field is not UTF-8 and no encoding was named, the error is the position of the field's first
/// invalid byte.
pub(super) fn decoded<'a>(
    raw: &'a [u8],
    encoding: Option<&str>,
    buffer: &'a mut String,
) -> std::result::Result<&'a str, usize> {
    match encoding {
        None => simdutf8::compat::from_utf8(raw).map_err(|error| error.valid_up_to()),
        #[cfg(feature = "encodings")]
        Some(_) => Ok(encoding::decode(raw, encoding, buffer).text),
        #[cfg(not(feature = "encodings"))]
        Some(_) => {
            _ = buffer;
            simdutf8::compat::from_utf8(raw).map_err(|error| error.valid_up_to())
        }
    }
}
