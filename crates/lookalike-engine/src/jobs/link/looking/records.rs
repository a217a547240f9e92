//! Records of a summary.

use lookalike_io::error::Result;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{jobs::link::reading::records::Gathered, sketching::ids::raw};

/// A record.
#[derive(Debug, Clone, Serialize)]
pub struct NamedRecord {
    /// The record's id, as written in the record.
    pub id: Box<RawValue>,
    /// With two collections, the one that it belongs to: `a` or `b`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<&'static str>,
}

impl PartialEq for NamedRecord {
    fn eq(&self, other: &Self) -> bool {
        self.id.get() == other.id.get() && self.of == other.of
    }
}

impl NamedRecord {
    pub(in crate::jobs::link) fn new(gathered: &Gathered, record: u32) -> Result<Self> {
        Ok(Self {
            id: raw(gathered.id(record))?.to_owned(),
            of: gathered.collection_of(record),
        })
    }
}
