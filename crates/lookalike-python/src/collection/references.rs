//! Reference documents for which others were dropped.

use std::collections::HashMap;

use lookalike_engine::Representative;
use serde::{Deserialize, Serialize};

use super::ids::Ids;

/// Each of them once, in the order in which they are first met. Some 100 bytes one, besides id and place.
#[derive(Serialize, Deserialize)]
pub struct References {
    /// Numbers here, by rows among the references.
    numbers: HashMap<u64, u64>,
    rows: Vec<u64>,
    ids: Ids,
    places: Vec<String>,
}

impl Default for References {
    fn default() -> Self {
        Self { numbers: HashMap::new(), rows: Vec::new(), ids: Ids::given(), places: Vec::new() }
    }
}

impl References {
    /// The number here of the reference that stands at `place`, has this id, and this row among the references.
    pub fn number(&mut self, Representative { row, id, .. }: Representative, place: &str) -> u64 {
        *self.numbers.entry(row).or_insert_with(|| {
            self.rows.push(row);
            self.ids.push(id);
            self.places.push(place.into());
            self.rows.len() as u64 - 1
        })
    }

    /// One of them; `room` may hold its id.
    pub fn get<'a>(&'a self, number: u64, room: &'a mut String) -> Representative<'a> {
        let (row, place) = (self.row(number), Some(self.place(number)));
        Representative { row, id: self.ids.json(number, room), place }
    }

    /// Its row among the references, from 0.
    pub fn row(&self, number: u64) -> u64 {
        self.rows[number as usize]
    }

    /// Where it stands.
    pub fn place(&self, number: u64) -> &str {
        &self.places[number as usize]
    }

    /// How many there are; none where they are not whole.
    pub fn len(&self) -> Option<u64> {
        let count = self.rows.len();
        (self.places.len() == count && self.ids.are(count)).then_some(count as u64)
    }

    pub fn ids(&self) -> &Ids {
        &self.ids
    }
}
