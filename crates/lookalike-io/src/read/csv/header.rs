//! What the header says.

use lookalike::shown::quoted;

use super::{cells::Cells, delimiter::is_blank};
use crate::{
    error::{Error, Result, Setting},
    format::BYTE_ORDER_MARK,
    words,
};

/// The first record of a file: the columns' names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    names: Vec<String>,
}

impl Header {
    /// The names that a file's first record holds.
    ///
    /// # Errors
    /// When there is none: the file is empty, or begins with an empty line.
    pub fn read(record: &[u8], delimiter: u8) -> Result<Self> {
        let record = record.strip_prefix(BYTE_ORDER_MARK).unwrap_or(record);
        if is_blank(record) {
            let wrong = Error::record("no header").of_line(0);
            return Err(wrong.advise("the first line of CSV and TSV has to name the columns"));
        }
        let (mut cells, mut room) = (Cells::default(), Vec::new());
        cells.find(record, delimiter);
        let names = (0..cells.len()).map(|index| {
            let name = cells.get(index, record, &mut room).unwrap_or_default();
            String::from_utf8_lossy(name).into_owned()
        });
        Ok(Self { names: names.collect() })
    }

    /// The names, as they stand there.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Which column has a name; `option` is the one to give another name with.
    ///
    /// # Errors
    /// When none has it, or more than one.
    pub fn index_of(&self, name: &str, option: Setting) -> Result<usize> {
        let mut columns = (0..self.names.len()).filter(|&index| self.names[index] == name);
        let (what, advice) = match (columns.next(), columns.next()) {
            (Some(index), None) => return Ok(index),
            (Some(first), Some(second)) => {
                let what = format!("columns {} and {} are both called {}", first + 1, second + 1, quoted(name));
                (what, words!["rename one, or name another with ", option])
            }
            _ => (format!("no column {}; there are {}", quoted(name), self.shown()), words!["name one with ", option]),
        };
        Err(Error::record(what).in_field(name).of_line(0).instead(advice))
    }

    /// The columns for a message: some, where there are very many.
    fn shown(&self) -> String {
        const SOME: usize = 20;
        let names: Vec<String> = self.names.iter().take(SOME).map(|name| quoted(name)).collect();
        let more = self.names.len().saturating_sub(SOME);
        names.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
    }
}
