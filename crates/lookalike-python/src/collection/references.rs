//! Reference documents that represent dropped documents.

use std::collections::HashMap;

use lookalike_engine::Representative;
use serde::{Deserialize, Serialize};

use super::ids::Ids;

/// The references, each stored once, in the order of first use. Each takes about 100 bytes, in addition to its id and place.
#[derive(Serialize, Deserialize)]
pub struct References {
    /// Maps the row of a reference among all references to its number in this table.
    numbers: HashMap<u64, u64>,
    rows: Vec<u64>,
    ids: Ids,
    places: Vec<String>,
}

impl Default for References {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            rows: Vec::new(),
            ids: Ids::given(),
            places: Vec::new(),
        }
    }
}

impl References {
    /// Returns the number of a reference in this table. A reference that is not in the table yet is added. `row` is its row among
    /// all references.
    pub fn number(&mut self, Representative { row, id, .. }: Representative, place: &str) -> u64 {
        *self.numbers.entry(row).or_insert_with(|| {
            self.rows.push(row);
            self.ids.push(id);
            self.places.push(place.into());
            self.rows.len() as u64 - 1
        })
    }

    /// Returns the reference with this number. Its id may borrow from `scratch`.
    pub fn get<'a>(&'a self, number: u64, scratch: &'a mut String) -> Representative<'a> {
        let (row, place) = (self.row(number), Some(self.place(number)));
        Representative {
            row,
            id: self.ids.json(number, scratch),
            place,
        }
    }

    /// Returns a reference's row among all references, from 0. `number` is the reference's number in this table.
    pub fn row(&self, number: u64) -> u64 {
        self.rows[number as usize]
    }

    /// Returns the place of the reference with this number, such as its file and line.
    pub fn place(&self, number: u64) -> &str {
        &self.places[number as usize]
    }

    /// Returns the number of references, or `None` if the parts are inconsistent.
    pub fn len(&self) -> Option<u64> {
        let count = self.rows.len();
        (self.places.len() == count && self.ids.are(count)).then_some(count as u64)
    }

    pub fn ids(&self) -> &Ids {
        &self.ids
    }
}
