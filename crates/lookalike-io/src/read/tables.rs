//! Tables among the inputs → blocks of their rows.

use std::{
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use arrow_schema::DataType;

use super::{
    Input,
    block::{Block, Records},
    cut::Failure,
    packing::{Packing, START},
    record::Fields,
    table::{Columns, Layout, Ranges, RowStream, Rows, TableFile, Wanted},
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
};

/// An input that is a table, and which of its columns are read.
pub(super) struct Table {
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
pub(super) struct TablePart {
    /// Its number in the table.
    pub(super) number: usize,
    /// Rows of the table before it.
    pub(super) before: u64,
}

/// Tables that are opened at the same time: one after the other, those in a store would take a round trip each.
const OPENED: usize = 16;

/// Opens the inputs that are tables; none for the others.
pub(super) fn open(inputs: &[Input], formats: &[Option<Format>], fields: &Fields) -> Result<Vec<Option<Table>>> {
    let mut tables: Vec<Option<Table>> = inputs.iter().map(|_| None).collect();
    let is_table = |&at: &usize| formats[at].is_some_and(Format::is_table);
    let those: Vec<usize> = (0..inputs.len()).filter(is_table).collect();
    for some in those.chunks(OPENED) {
        let opened: Vec<Result<Table>> = thread::scope(|scope| {
            let started: Vec<_> = some.iter().map(|&at| scope.spawn(move || Table::open(&inputs[at], fields))).collect();
            started.into_iter().map(|opened| opened.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        for (&at, table) in some.iter().zip(opened) {
            tables[at] = Some(table?);
        }
    }
    Ok(tables)
}

/// Text of a part, in bytes, about. Threads read a part each; what they make of the later ones waits.
const PART: u64 = 8 << 20;

impl Table {
    fn open(input: &Input, fields: &Fields) -> Result<Self> {
        let name = input.name();
        let mut file = match input {
            Input::File(path) => of_ranges(Ranges::of_file(path, &name)?)?,
            #[cfg(feature = "cloud")]
            Input::Object(object) => of_ranges(Ranges::object(object.clone()))?,
            Input::Table(table) => TableFile::in_memory(table),
            _ => return Err(unseekable(&name)),
        };
        let Fields { text, set, id, keep, label, .. } = fields;
        let columns = Columns::choose(&name, file.schema(), (text, *set), id, keep, label.as_deref())?;
        file.split(&columns, PART);
        Ok(Self { file, columns })
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = TablePart> {
        self.file.parts().iter().enumerate().map(|(number, part)| TablePart { number, before: part.before })
    }

    /// Bytes of all parts as they are stored.
    pub(super) fn size(&self) -> u64 {
        self.file.parts().iter().map(|part| part.bytes).sum()
    }

    /// Bytes of a page of each column, decoded, about.
    pub(super) fn page_memory(&self) -> u64 {
        self.file.page_memory()
    }

    /// Bytes of the parts before one.
    pub(super) fn size_before(&self, number: usize) -> u64 {
        self.file.parts()[..number].iter().map(|part| part.bytes).sum()
    }

    /// What an output takes over from it; `name` is its name.
    pub(super) fn layout<'a>(&'a self, name: &'a str) -> TableLayout<'a> {
        let (layout, columns) = (self.file.layout(), &self.columns);
        TableLayout { name, layout, text: columns.text_path(), id: columns.id_type(&layout.schema) }
    }

    /// Begins to read a part: all columns, or those that matter. Bytes are counted into `read`.
    pub(super) fn stream(&self, number: usize, whole: bool, read: Arc<AtomicU64>) -> Result<RowBlocks> {
        let part = self.file.parts()[number];
        let rows = self.file.part(number, &self.columns, if whole { Wanted::All } else { Wanted::Chosen })?;
        Ok(RowBlocks { rows, columns: self.columns.clone(), index: 0, size: (part.rows, part.bytes), passed: 0, read })
    }
}

fn of_ranges(ranges: Ranges) -> Result<TableFile> {
    let start = ranges.read(0..ranges.size().min(START as u64))?;
    match Packing::of(&start, ranges.name())? {
        Packing::Plain => TableFile::open(ranges),
        _ => {
            let message = format!(
                "{}: is compressed as a whole, and a table is read here and there; decompress it first: its columns are \
                 compressed by themselves",
                ranges.name()
            );
            Err(Error::new(ErrorKind::Input, message))
        }
    }
}

/// The failure of a table that can only be read on.
pub(super) fn unseekable(name: &str) -> Error {
    let message = format!(
        "{name}: is a table (Parquet or Arrow), which is read here and there; write it to a file first, and name that file"
    );
    Error::new(ErrorKind::Input, message)
}

/// The rows of a part: a block has those of a batch.
pub(super) struct RowBlocks {
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
    pub(super) fn index(&self) -> u64 {
        self.index
    }

    /// Fills `block` with the next rows.
    pub(super) fn cut(&mut self, block: &mut Block) -> std::result::Result<(), Failure> {
        block.index = self.index;
        self.index += 1;
        let buffer = block.emptied();
        let batch = self.rows.next_batch().map_err(Failure::Told)?;
        let (all, bytes) = self.size;
        let left = self.rows.left();
        let passed = (u128::from(all - left) * u128::from(bytes) / u128::from(all.max(1))) as u64;
        self.read.fetch_add(passed - std::mem::replace(&mut self.passed, passed), Ordering::Relaxed);
        block.last = left == 0;
        match batch {
            Some(batch) => {
                let rows = Rows::new(batch, &self.columns).map_err(Failure::Told)?;
                block.fill(buffer, Records::Rows(Arc::new(rows)));
            }
            None => block.fill(buffer, Records::Lines),
        }
        Ok(())
    }
}
