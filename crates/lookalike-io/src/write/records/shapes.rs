//! The shapes of the records of each input.

use std::sync::{Arc, OnceLock};

use super::{
    added::AddedNames,
    converted::{Group, Heading, Looking, push_records, rows_of},
    shape::{Piece, Plan, Shape},
};
use crate::{
    error::{Error, ErrorKind, Result},
    read::{Block, Files, Input, Source},
    write::{destination::Names, series::Series},
};

/// The shapes in which the records of each input are made and written.
#[derive(Debug, Clone)]
pub struct Shapes {
    plans: Arc<[Plan]>,
    /// The group of each input that needs columns.
    groups: Arc<[Option<Group>]>,
    headings: Arc<OnceLock<Vec<Heading>>>,
}

impl Shapes {
    /// Returns the shapes of a series of outputs.
    ///
    /// # Errors
    /// Fails if the records cannot be written in the format that is asked for, or that a name means.
    pub fn new(series: &Series, source: &Source) -> Result<Self> {
        let inputs = source.references()..source.inputs().len();
        let (names, asked) = (series.names(), series.format());
        let plans = match names {
            Names::Inputs(paths) => {
                let each = paths
                    .iter()
                    .zip(inputs)
                    .map(|(path, input)| Plan::new((path, asked), source, input..input + 1));
                each.collect::<Result<Vec<_>>>()?
            }
            Names::Documents(..) => vec![Plan::copied(); inputs.len()],
            Names::One(_) | Names::Numbered(_) => {
                let path = names.get(0).unwrap_or_default();
                vec![Plan::new((&path, asked), source, inputs.clone())?; inputs.len().max(1)]
            }
        };
        let groups = groups(&plans, matches!(names, Names::Inputs(_)), source);
        Ok(Self {
            plans: plans.into(),
            groups: groups.into(),
            headings: Arc::default(),
        })
    }

    /// Returns the shapes of one output of records that are not converted.
    pub(super) fn one(shape: Shape) -> Self {
        let plan = Plan {
            made: shape,
            written: shape,
            ..Plan::copied()
        };
        Self {
            plans: [plan].into(),
            groups: [None].into(),
            headings: Arc::default(),
        }
    }

    /// Returns whether documents are copied.
    pub fn are_copies(&self) -> bool {
        self.make(Shape::Documents)
    }

    /// Checks that the texts of copied documents can be replaced.
    ///
    /// # Errors
    /// Fails if a copied document is HTML.
    pub fn refuse_changed_pages(&self, source: &Source) -> Result<()> {
        let documents = source
            .inputs()
            .iter()
            .skip(source.references())
            .filter_map(Input::documents);
        let Some(page) = documents
            .filter(|_| self.are_copies())
            .find_map(Files::first_page)
        else {
            return Ok(());
        };
        let refused = Error::new(
            ErrorKind::Config,
            "is HTML, and its text cannot be replaced inside the page",
        )
        .at(page);
        Err(refused.advise("write the texts as JSON Lines: give a name that ends with .jsonl"))
    }

    /// Checks that fields can be added to the records.
    ///
    /// # Errors
    /// Fails if documents are copied.
    pub fn refuse_added(&self, added: Option<&AddedNames>) -> Result<()> {
        if !self.are_copies() || added.is_none() {
            return Ok(());
        }
        let refused = Error::new(
            ErrorKind::Config,
            "documents that are copied have no fields, so none can be added to them",
        );
        Err(refused.advise("write JSON Lines: give a name that ends with .jsonl"))
    }

    /// Returns the number of bytes of memory that writing takes on `threads` threads, in addition to blocks.
    pub fn extra(&self, threads: usize) -> u64 {
        self.plans
            .iter()
            .map(|plan| plan.written.extra(threads))
            .max()
            .unwrap_or(0)
    }

    /// Returns the shape in which the records in a block are made. They must then be [converted](Self::convert).
    pub fn of(&self, source: &Source, block: &Block) -> Shape {
        self.of_input(source.parts()[block.part].input(), source)
            .0
            .made
    }

    /// Returns whether the kept records of a block have to be made, because they are not slices of the block.
    pub fn makes(&self, source: &Source, block: &Block) -> bool {
        let (plan, _) = self.of_input(source.parts()[block.part].input(), source);
        plan.made != plan.written || plan.made.makes(block)
    }

    /// Returns whether some records are made in this shape.
    pub(super) fn make(&self, shape: Shape) -> bool {
        self.plans.iter().any(|plan| plan.made == shape)
    }

    /// Returns how the records of an input are made and written, and the columns, if they are needed and known.
    pub(super) fn of_input(&self, input: usize, source: &Source) -> (Plan, Option<&Heading>) {
        // If there are no inputs, there is one plan, and no records.
        let at = input
            .saturating_sub(source.references())
            .min(self.plans.len() - 1);
        let heading = self.groups[at].and_then(|group| self.headings.get()?.get(group.number));
        (self.plans[at], heading)
    }

    /// Returns whether columns have to be found before records are written.
    pub(super) fn need_headings(&self) -> bool {
        self.headings.get().is_none() && self.groups.iter().any(Option::is_some)
    }

    pub(super) fn looking(&self, source: &Source) -> Result<Option<Looking>> {
        self.need_headings()
            .then(|| Looking::new(self.groups.clone(), source))
            .transpose()
    }

    pub(super) fn set_headings(&self, headings: Vec<Heading>) {
        // They are set once.
        _ = self.headings.set(headings);
    }

    /// Converts the records that were made from a block to the shape in which they are written.
    ///
    /// # Errors
    /// Fails if the records are not those in which the columns were found.
    pub fn convert(&self, source: &Source, block: &Block, piece: &mut Piece) -> Result<()> {
        let (plan, heading) = self.of_input(source.parts()[block.part].input(), source);
        if plan.made == plan.written {
            return Ok(());
        }
        if i32::try_from(piece.bytes.len()).is_err() {
            let what = "records of more than 2 GiB can be written as JSON Lines only";
            return Err(Error::new(ErrorKind::Output, what)
                .at(source.name(block.part))
                .advise("give a name that ends with .jsonl"));
        }
        let reading = source.reading_of(block.part);
        let mut made = std::mem::take(&mut piece.bytes);
        if simdutf8::basic::from_utf8(&made).is_err() {
            made = block.decoded_lines(&made, reading)?;
        }
        piece.columns = None;
        piece.ends.iter_mut().for_each(Vec::clear);
        let lines = made
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        let lines = lines.map(<[u8]>::trim_ascii);
        let into = &mut piece.bytes;
        let converted = match (plan.written, heading) {
            (Shape::Array, _) => {
                for line in lines {
                    plan.written.begin(into);
                    into.extend_from_slice(line);
                    piece.ends.iter_mut().for_each(|ends| ends.push(into.len()));
                }
                Some(())
            }
            (Shape::Delimited, Some(heading)) => {
                push_records(heading, plan.delimiter, lines, into, piece.ends.as_mut())
            }
            (Shape::Table, Some(heading)) if piece.records > 0 => {
                piece.rows = rows_of(heading, lines);
                piece.rows.as_ref().map(drop)
            }
            (Shape::Table, Some(_)) => Some(()),
            _ => return Err(Error::failure("records without columns")),
        };
        converted.ok_or_else(|| source.changed(block.part))
    }
}

/// Returns the group of each input that needs columns. The inputs of a group share their columns. All inputs of one output are a group. If
/// each input has an output, an input whose columns are known before it is read is a group of its own. All other inputs are one group, so
/// that their outputs are one dataset.
fn groups(plans: &[Plan], is_by_input: bool, source: &Source) -> Vec<Option<Group>> {
    let mut others = 0;
    let group = |(at, plan): (usize, &Plan)| {
        if plan.made == plan.written || plan.written == Shape::Array {
            return None;
        }
        let has_own = is_by_input && source.has_header(source.references() + at);
        others += usize::from(has_own);
        Some(Group {
            number: if has_own { others } else { 0 },
            typed: plan.written == Shape::Table,
        })
    };
    plans.iter().enumerate().map(group).collect()
}
