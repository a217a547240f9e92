//! The edits of texts, which a file of cuts has.

use std::collections::BTreeMap;

use lookalike::{cut::Edit, text::Span};

/// The edits of all texts.
#[derive(Default)]
pub(super) struct Edits {
    /// For each row of the decisions, its line.
    pub(super) lines: Vec<u32>,
    /// The lines with edits, and the first edit of each.
    firsts: Vec<(u32, u32)>,
    edits: Vec<[usize; 2]>,
    inserts: BTreeMap<u32, Box<str>>,
}

impl Edits {
    /// Returns the edits of a row.
    pub(super) fn of(&self, row: u32) -> Vec<Edit> {
        let line = self.lines[row as usize];
        let Ok(at) = self.firsts.binary_search_by_key(&line, |&(line, _)| line) else {
            return Vec::new();
        };
        let end = self
            .firsts
            .get(at + 1)
            .map_or(self.edits.len(), |next| next.1 as usize);
        let edit = |number: usize| {
            let [start, end] = self.edits[number];
            let insert = self
                .inserts
                .get(&(number as u32))
                .map_or(String::new(), |insert| insert.to_string());
            Edit {
                span: Span { start, end },
                insert,
            }
        };
        (self.firsts[at].1 as usize..end).map(edit).collect()
    }

    /// Returns whether no text has an edit.
    pub(super) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Adds the edits of a line, which comes after all others.
    pub(super) fn push(&mut self, line: u32, cuts: Vec<Edit>) {
        self.firsts.push((line, self.edits.len() as u32));
        for Edit { span, insert } in cuts {
            if !insert.is_empty() {
                self.inserts.insert(self.edits.len() as u32, insert.into());
            }
            self.edits.push([span.start, span.end]);
        }
    }
}
