//! Looks at all records for the columns of the outputs. This takes a pass before the first record
//! is written. The types in the blocks are merged in block order, so the columns do not depend on
//! threads.

use std::sync::Arc;

use super::{
    super::added::AddedNames,
    heading::Heading,
    refused::At,
    rows::table_names,
    values::{Fields, Left},
};
use crate::{
    error::Result,
    format::Format,
    read::{Block, BlockInfo, Scratch, Source, is_joined},
};

/// The inputs whose records have one heading in their outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Group {
    /// The number of the group, from 0.
    pub(in super::super) number: usize,
    /// Whether columns have types. The columns of CSV have none.
    pub(in super::super) typed: bool,
}

/// Finds the fields of the records in a block.
pub struct Looking {
    /// The group of each input that needs columns.
    groups: Arc<[Option<Group>]>,
    /// The fields of each input that are known before its records are read.
    known: Vec<Option<Known>>,
    references: usize,
}

struct Known {
    names: Vec<String>,
    at: At,
}

/// The fields in some blocks.
pub struct Seen {
    groups: Vec<(Fields, Left, u64)>,
    /// The next input whose known fields are to be added.
    next: usize,
}

/// The fields in a block.
pub struct BlockFields {
    part: usize,
    fields: Fields,
    documents: u64,
}

impl BlockFields {
    /// Returns the approximate size in bytes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.fields.names().len() * 256
    }
}

impl Looking {
    pub(in super::super) fn new(groups: Arc<[Option<Group>]>, source: &Source) -> Result<Self> {
        let references = source.references();
        let known = groups.iter().zip(references..);
        let known =
            known.map(|(group, input)| group.map_or(Ok(None), |_| known_fields(source, input)));
        let known = known.collect::<Result<_>>()?;
        Ok(Self {
            groups,
            known,
            references,
        })
    }

    /// Returns whether records have to be read: the columns of CSV, of tables and of documents are known.
    pub fn needs_records(&self) -> bool {
        self.groups
            .iter()
            .zip(&self.known)
            .any(|(group, known)| group.is_some() && known.is_none())
    }

    /// Finds the fields in a block.
    ///
    /// # Errors
    /// Fails if the values of a field cannot be in one column.
    pub fn block(
        &self,
        block: &Block,
        info: &BlockInfo,
        source: &Source,
        scratch: &mut Scratch,
    ) -> Result<BlockFields> {
        let (mut found, mut left, mut line) = (Fields::default(), Left::default(), Vec::new());
        let input = source.parts()[block.part].input() - self.references;
        let documents = u64::from(info.count);
        if let (Some(Group { typed, .. }), None) = (self.groups[input], &self.known[input]) {
            let reading = source.reading_of(block.part);
            let at = |record| At {
                part: block.part as u32,
                record: info.first_line + record,
            };
            let named = if let Some(columns) = block.columns() {
                Some(columns.names().collect())
            } else {
                let is_json = block.len() == 0 || block.object(0).is_some();
                (!is_json).then(|| document_fields(source.format(input + self.references)))
            };
            match named {
                Some(names) => {
                    let names: Vec<String> = names;
                    let names = names.iter().map(String::as_str);
                    found
                        .add_texts(names, at(0), &mut left)
                        .map_err(|refused| refused.error(source))?;
                }
                None => info.each_document(block, source, |_, record| {
                    let object = block
                        .fields(record, reading, scratch, &mut line)
                        .map_err(|why| why.of_line(record as u64))?;
                    let (object, at) = (object.unwrap_or_default(), at(record as u64));
                    let added = if typed {
                        found.add(object, at, &mut left)
                    } else {
                        found.add_names(object, at, &mut left)
                    };
                    added.map_err(|refused| refused.error(source))
                })?,
            }
        }
        Ok(BlockFields {
            part: block.part,
            fields: found,
            documents,
        })
    }

    /// Returns what was seen before any block.
    pub fn begin(&self) -> Seen {
        let count = self
            .groups
            .iter()
            .flatten()
            .map(|group| group.number + 1)
            .max()
            .unwrap_or(0);
        Seen {
            groups: (0..count).map(|_| Default::default()).collect(),
            next: 0,
        }
    }
}

impl Seen {
    /// Adds the fields in the next block.
    ///
    /// # Errors
    /// Fails if the values of a field cannot be in one column.
    pub fn add(&mut self, looking: &Looking, block: BlockFields, source: &Source) -> Result<()> {
        let input = source.parts()[block.part].input() - looking.references;
        self.add_known(looking, input + 1, source)?;
        let Some(Group { number, .. }) = looking.groups[input] else {
            return Ok(());
        };
        let (fields, left, documents) = &mut self.groups[number];
        *documents += block.documents;
        fields
            .merge(block.fields, left)
            .map_err(|refused| refused.error(source))
    }

    /// Adds the known fields of all inputs before one.
    fn add_known(&mut self, looking: &Looking, end: usize, source: &Source) -> Result<()> {
        while self.next < end {
            if let (Some(Group { number, .. }), Some(Known { names, at })) =
                (looking.groups[self.next], &looking.known[self.next])
            {
                let (fields, left, _) = &mut self.groups[number];
                let added = fields.add_texts(names.iter().map(String::as_str), *at, left);
                added.map_err(|refused| refused.error(source))?;
            }
            self.next += 1;
        }
        Ok(())
    }

    /// Returns the heading of each group.
    ///
    /// # Errors
    /// Fails if the values of a field cannot be in one column, or if a field has the name of an added one.
    pub(in super::super) fn headings(
        mut self,
        looking: &Looking,
        added: Option<&AddedNames>,
        source: &Source,
    ) -> Result<Vec<Heading>> {
        self.add_known(looking, looking.groups.len(), source)?;
        let is_typed = |number| {
            looking
                .groups
                .iter()
                .flatten()
                .any(|group| group.number == number && group.typed)
        };
        for (fields, left, documents) in &mut self.groups {
            if *documents == 0 && fields.names().is_empty() {
                let (names, at) = (usual_fields(source), At { part: 0, record: 1 });
                fields
                    .add_texts(names, at, left)
                    .map_err(|refused| refused.error(source))?;
            }
        }
        let heading = |(number, (fields, _, documents)): (usize, &(Fields, Left, u64))| {
            if is_typed(number) {
                Heading::new(fields, *documents, added, source)
            } else {
                Heading::of_names(fields, added)
            }
        };
        self.groups.iter().enumerate().map(heading).collect()
    }
}

/// Returns the fields of an input that are known before its records are read.
fn known_fields(source: &Source, input: usize) -> Result<Option<Known>> {
    let part = source.parts().iter().position(|part| part.input() == input);
    let at = At {
        part: part.unwrap_or_default() as u32,
        record: 1,
    };
    let names = match (source.format(input), part) {
        (Some(format), _) if format.is_table() => table_names(source, input)?,
        (Some(Format::Delimited), Some(part)) => source
            .columns(part)?
            .map(|columns| columns.names().collect()),
        (Some(format @ (Format::Text | Format::Html | Format::Warc)), _) => {
            Some(document_fields(Some(format)))
        }
        _ => None,
    };
    Ok(names.map(|names| Known { names, at }))
}

/// Returns the fields of an output without records, so that it can be read again: the id and the text, unless they are inside others.
fn usual_fields(source: &Source) -> Vec<&str> {
    let fields = &source.reading().fields;
    let names = [&*fields.id, &*fields.text];
    let is_plain = |name: &str| !name.is_empty() && !name.contains('.') && !is_joined(name);
    if names.into_iter().all(is_plain) && names[0] != names[1] {
        names.into()
    } else {
        Vec::new()
    }
}

/// Returns the fields that a document gets.
fn document_fields(format: Option<Format>) -> Vec<String> {
    let date = if matches!(format, Some(Format::Text | Format::Html)) {
        None
    } else {
        Some("date")
    };
    ["id", "text"]
        .into_iter()
        .chain(date)
        .map(String::from)
        .collect()
}
