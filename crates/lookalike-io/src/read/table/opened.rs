//! A table, opened, and which of its columns are read; its rows, block by block.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use arrow_schema::DataType;

use super::{Columns, Layout, RowStream, Rows, TableFile, Wanted};
use crate::{
    error::Result,
    read::{
        buffer::{Buffer, Failure},
        json::Fields,
    },
};

/// An input that is a table, and which of its columns are read.
pub(crate) struct Table {
    file: TableFile,
    columns: Columns,
}

/// What an output takes over from a table.
pub(crate) struct TableLayout<'a> {
    /// For messages.
    pub(crate) name: &'a str,
    pub(crate) layout: &'a Layout,
    /// The way to the text through structs.
    pub(crate) text: &'a [String],
    /// What ids are, if it has any.
    pub(crate) id: Option<DataType>,
}

/// What a table is made of, for parts of the source.
pub(crate) struct TablePart {
    /// Its number in the table.
    pub(crate) number: usize,
    /// Rows of the table before it.
    pub(crate) before: u64,
}

/// Text of a part, in bytes, about. Threads read a part each; what they make of the later ones waits.
const PART: u64 = 8 << 20;

impl Table {
    /// A table of this name, of which a run reads these fields.
    pub(crate) fn of(name: &str, mut file: TableFile, fields: &Fields) -> Result<Self> {
        let Fields { text, set, id, keep, label, .. } = fields;
        let columns = Columns::choose(name, file.schema(), (text, *set), id, keep, label.as_deref())?;
        file.split(&columns, PART);
        Ok(Self { file, columns })
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = TablePart> {
        self.file.parts().iter().enumerate().map(|(number, part)| TablePart { number, before: part.before })
    }

    /// Bytes of all parts as they are stored.
    pub(crate) fn size(&self) -> u64 {
        self.file.parts().iter().map(|part| part.bytes).sum()
    }

    /// Bytes of a page of each column, decoded, about.
    pub(crate) fn page_memory(&self) -> u64 {
        self.file.page_memory()
    }

    /// Bytes of the parts before one.
    pub(crate) fn size_before(&self, number: usize) -> u64 {
        self.file.parts()[..number].iter().map(|part| part.bytes).sum()
    }

    /// What an output takes over from it; `name` is its name.
    pub(crate) fn layout<'a>(&'a self, name: &'a str) -> TableLayout<'a> {
        let (layout, columns) = (self.file.layout(), &self.columns);
        TableLayout { name, layout, text: columns.text_path(), id: columns.id_type(&layout.schema) }
    }

    /// Begins to read a part: all columns, or those that matter. Bytes are counted into `read`.
    pub(crate) fn stream(&self, number: usize, whole: bool, read: Arc<AtomicU64>) -> Result<RowBlocks> {
        let part = self.file.parts()[number];
        let rows = self.file.part(number, &self.columns, if whole { Wanted::All } else { Wanted::Chosen })?;
        Ok(RowBlocks { rows, columns: self.columns.clone(), index: 0, size: (part.rows, part.bytes), passed: 0, read })
    }
}

/// The rows of a part: a block has those of a batch.
pub(crate) struct RowBlocks {
    rows: RowStream,
    columns: Columns,
    /// The next block.
    index: u64,
    /// Rows of the part, and its bytes.
    size: (u64, u64),
    /// Bytes that are counted.
    passed: u64,
    read: Arc<AtomicU64>,
}

impl RowBlocks {
    /// The next block.
    pub(crate) fn index(&self) -> u64 {
        self.index
    }

    /// Fills `buffer` with nothing, and gives the next rows; none if the part has none.
    pub(crate) fn cut(&mut self, buffer: &mut Buffer) -> std::result::Result<Option<Rows>, Failure> {
        buffer.index = self.index;
        self.index += 1;
        let bytes = buffer.emptied();
        let batch = self.rows.next_batch().map_err(Failure::Told)?;
        let (all, size) = self.size;
        let left = self.rows.left();
        let passed = (u128::from(all - left) * u128::from(size) / u128::from(all.max(1))) as u64;
        self.read.fetch_add(passed - std::mem::replace(&mut self.passed, passed), Ordering::Relaxed);
        buffer.last = left == 0;
        let rows = batch.map(|batch| Rows::new(batch, &self.columns)).transpose().map_err(Failure::Told)?;
        buffer.fill(bytes);
        Ok(rows)
    }
}
