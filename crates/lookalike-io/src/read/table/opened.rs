//! An open table with the columns that a run reads, and its rows, block by block.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use arrow_schema::DataType;

use super::{Columns, Layout, Objects, RowStream, Rows, TableFile, Wanted};
use crate::{
    error::Result,
    read::{
        buffer::{Buffer, Failure},
        json::Fields,
    },
};

/// An input that is a table, and the columns that are read from it.
pub(crate) struct Table {
    file: TableFile,
    columns: Columns,
}

/// The properties that an output inherits from a table.
pub(crate) struct TableLayout<'a> {
    /// The name in messages.
    pub(crate) name: &'a str,
    pub(crate) layout: &'a Layout,
    /// The path to the text through structs.
    pub(crate) text: &'a [String],
    /// The type of ids, if there are any.
    pub(crate) id: Option<DataType>,
}

/// A part of a table. The source lists it among its own parts, the independently readable units of all inputs.
pub(crate) struct TablePart {
    /// The number of the part in the table.
    pub(crate) number: usize,
    /// The number of rows that precede the part in the table.
    pub(crate) before: u64,
}

/// The approximate number of bytes of text in a part. Parts must not be much larger, because each thread reads one part, and the
/// results of later parts wait for those of earlier parts.
const PART: u64 = 8 << 20;

impl Table {
    /// Creates a table from which a run reads these fields. `name` is the table's name.
    pub(crate) fn of(name: &str, mut file: TableFile, fields: &Fields) -> Result<Self> {
        let Fields {
            text,
            set,
            id,
            keep,
            label,
            records,
            joined,
            ..
        } = fields;
        let columns = match records {
            None => Columns::choose(
                name,
                file.schema(),
                (text, joined.as_deref(), *set),
                id,
                keep,
                label.as_deref(),
            )?,
            Some(fields) => Columns::of_records(file.schema(), fields),
        };
        file.split(&columns, PART);
        Ok(Self { file, columns })
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = TablePart> {
        self.file
            .parts()
            .iter()
            .enumerate()
            .map(|(number, part)| TablePart {
                number,
                before: part.before,
            })
    }

    /// Returns the number of bytes of all parts as stored.
    pub(crate) fn size(&self) -> u64 {
        self.file.parts().iter().map(|part| part.bytes).sum()
    }

    /// Returns the approximate number of decoded bytes in one page of each column.
    pub(crate) fn page_memory(&self) -> u64 {
        self.file.page_memory()
    }

    /// Returns the number of bytes of all parts before a part.
    pub(crate) fn size_before(&self, number: usize) -> u64 {
        self.file.parts()[..number]
            .iter()
            .map(|part| part.bytes)
            .sum()
    }

    /// Returns the properties that an output inherits from the table. `name` is the table's name.
    pub(crate) fn layout<'a>(&'a self, name: &'a str) -> TableLayout<'a> {
        let (layout, columns) = (self.file.layout(), &self.columns);
        TableLayout {
            name,
            layout,
            text: columns.text_path().unwrap_or_default(),
            id: columns.id_type(&layout.schema),
        }
    }

    /// Begins reading a part, with all its columns or only those that are needed. Adds the number of bytes read to `read`.
    pub(crate) fn stream(
        &self,
        number: usize,
        whole: bool,
        read: Arc<AtomicU64>,
    ) -> Result<RowBlocks> {
        let part = self.file.parts()[number];
        let rows = self.file.part(
            number,
            &self.columns,
            if whole { Wanted::All } else { Wanted::Chosen },
        )?;
        Ok(RowBlocks {
            rows,
            columns: self.columns.clone(),
            index: 0,
            size: (part.rows, part.bytes),
            passed: 0,
            read,
        })
    }
}

/// The rows of a block.
pub(crate) enum Cut {
    /// Rows that are documents.
    Texts(Arc<Rows>),
    /// Rows that are records with fields.
    Objects(Arc<Objects>),
}

/// The rows of a part: a block has the rows of one batch.
pub(crate) struct RowBlocks {
    rows: RowStream,
    columns: Columns,
    /// The index of the next block.
    index: u64,
    /// The number of rows in the part, and the number of its bytes.
    size: (u64, u64),
    /// The approximate number of the part's bytes that have already been added to `read`.
    passed: u64,
    read: Arc<AtomicU64>,
}

impl RowBlocks {
    /// Returns the index of the next block.
    pub(crate) fn index(&self) -> u64 {
        self.index
    }

    /// Empties `buffer`, and returns the next rows, or none if the part has no more rows.
    pub(crate) fn cut(&mut self, buffer: &mut Buffer) -> std::result::Result<Option<Cut>, Failure> {
        buffer.index = self.index;
        self.index += 1;
        let bytes = buffer.emptied();
        let batch = self.rows.next_batch().map_err(Failure::Reported)?;
        let (all, size) = self.size;
        let left = self.rows.left();
        let passed = (u128::from(all - left) * u128::from(size) / u128::from(all.max(1))) as u64;
        self.read.fetch_add(
            passed - std::mem::replace(&mut self.passed, passed),
            Ordering::Relaxed,
        );
        buffer.last = left == 0;
        let rows = |batch| match self.columns.document() {
            Some(_) => Rows::new(batch, &self.columns)
                .map(Arc::new)
                .map(Cut::Texts),
            None => Ok(Cut::Objects(Arc::new(Objects::new(batch)))),
        };
        let cut = batch.map(rows).transpose().map_err(Failure::Reported)?;
        buffer.fill(bytes);
        Ok(cut)
    }
}
